//! Loops that wait by looking again and again.
//!
//! A thread that has only looked since it last let others go first would see the same again if nothing of it changed. So
//! its next yield waits until something does. That makes the runs of a loop finite which otherwise has runs of any
//! length (as in stateless model checkers: Kokologiannakis, Ren and Vafeiadis, Dynamic Partial Order Reductions for
//! Spinloops, FMCAD 2021, where loops are found by analysis; here the program says where it waits). Where nothing ever
//! changes, that is a livelock.
//!
//! | since its last yield, the thread | its next yield |
//! |---|---|
//! | has looked at something, or written what was there, and changed nothing | waits until one of these has changed since it was first looked at |
//! | has changed anything, a store to its own buffer too; or slept, chosen, read the clock | need not wait |
//! | has looked at nothing | need not wait |
//!
//! A thread that has looked at a store in its own buffer sees nothing else before that is committed, and the same then: only what others write
//! after that is a change to it.
//!
//! Promise: what a yield waits for depends on what its own thread did, so it is the same in all runs in which that is.

use crate::control::object::Sync;
use crate::control::schedule::ExecutedAction;
use crate::control::state::State;
use selvedge_explore::dependency::kind_is_read_only;
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Kind, ObjectId, ThreadId};

/// A thread that looks at more things than these between two yields does not wait for them.
const MAX_LOOKS: usize = 256;

/// What a thread has looked at since its last yield.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// Each once, as it was when the thread looked first.
    seen: Vec<Seen>,
    /// The thread has done something else, too: its next yield need not wait.
    is_busy: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// An object, and how often it had been changed.
    Object(ObjectId, u32),
    /// A thread, which had not ended.
    Alive(ThreadId),
    /// Something that cannot change any more.
    Final,
}

impl Seen {
    /// Its bit among those of the first objects, if it is one of them; none at all for what cannot change.
    fn bit(self) -> Option<u64> {
        match self {
            Seen::Object(object, _) => 1_u64.checked_shl(object.index() as u32),
            Seen::Alive(_) => None,
            Seen::Final => Some(0),
        }
    }

    fn is_same(self, other: Seen) -> bool {
        match (self, other) {
            (Seen::Object(one, _), Seen::Object(other, _)) => one == other,
            (one, other) => one == other,
        }
    }
}

impl Looks {
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
        self.is_busy = false;
    }

    fn add(&mut self, seen: Seen) {
        if self.seen.iter().any(|known| known.is_same(seen)) {
            return;
        }
        if self.seen.len() == MAX_LOOKS {
            self.is_busy = true;
        } else {
            self.seen.push(seen);
        }
    }

    /// A store of the thread itself is committed, by which the object has changed so often. Since it was made, the thread has seen nothing else.
    pub(in crate::control) fn is_committed(&mut self, of: ObjectId, now: u32) {
        for seen in &mut self.seen {
            if let Seen::Object(object, changes) = seen
                && *object == of
            {
                *changes = now;
            }
        }
    }

    /// Must the next yield wait for any of these?
    fn awaited(&self) -> &[Seen] {
        if self.is_busy { &[] } else { &self.seen }
    }

    /// A yield that waits for what was seen.
    fn wait(&self, action: &Action) -> Action {
        let footprint = Footprint { reads: 0, writes: 0 };
        let waits = Action { object: None, target: None, waits_for_unknown: false, footprint, ..*action };
        match self.awaited() {
            [] => waits,
            [Seen::Object(only, _)] => Action { object: Some(*only), ..waits },
            [Seen::Alive(only)] => Action { target: Some(*only), ..waits },
            seen => match seen.iter().map(|seen| seen.bit()).try_fold(0, |all, bit| Some(all | bit?)) {
                Some(reads) if reads != 0 => Action { footprint: Footprint { reads, writes: 0 }, ..waits },
                _ => Action { waits_for_unknown: true, ..waits },
            },
        }
    }
}

impl State {
    /// Something is done: what it was matters to those who spin.
    #[inline(always)]
    pub(in crate::control) fn note(&mut self, executed: &ExecutedAction) {
        if executed.thread.is_phantom() {
            return;
        }
        let looks = &mut self.threads[executed.thread.index()].looks;
        match executed.kind {
            // Whose next yield need not wait in any case has nothing more to remember.
            Kind::Load if looks.is_busy => {}
            Kind::Store if !executed.is_buffered => {
                looks.is_busy = true;
                self.touch([executed.object, None]);
            }
            kind if kind != Kind::Yield && looks.is_busy => {
                if !executed.is_buffered && !self.looked(executed) && !self.leaves_others(executed) {
                    self.touch([executed.object, executed.second]);
                }
            }
            _ => self.note_looks(executed),
        }
    }

    #[inline(never)]
    fn note_looks(&mut self, executed: &ExecutedAction) {
        let looked = self.looked(executed);
        if !looked && !executed.is_buffered && !self.leaves_others(executed) {
            self.touch([executed.object, executed.second]);
        }
        let seen = match (executed.kind, executed.object, executed.target) {
            (Kind::Yield, ..) => {
                self.threads[executed.thread.index()].looks.clear();
                None
            }
            (Kind::Fence, ..) => None,
            (Kind::IsFinished, _, target) if self.has_ended(target) => Some(Seen::Final),
            (Kind::IsFinished, _, Some(target)) => Some(Seen::Alive(target)),
            (_, Some(object), _) if looked => {
                Some(Seen::Object(object, self.objects[object.index()].changes))
            }
            _ => {
                self.threads[executed.thread.index()].looks.is_busy = true;
                None
            }
        };
        let slot = &mut self.threads[executed.thread.index()];
        if let Some(seen) = seen
            && !slot.looks.is_busy
        {
            slot.looks.add(seen);
        }
        if slot.pending.action.kind == Kind::Yield {
            slot.pending.action = slot.looks.wait(&slot.pending.action);
        }
    }

    /// Has the action at hand changed nothing? So it is, too, where it wrote what was there: a lock that is tried by `swap`.
    #[inline]
    fn looked(&self, executed: &ExecutedAction) -> bool {
        kind_is_read_only(executed.kind, self.read_only)
            || executed.kind == Kind::Update && self.keeps_value()
    }

    /// Is it a sender that goes, but not the last one? Nobody can tell that, but for what may still come.
    fn leaves_others(&self, executed: &ExecutedAction) -> bool {
        executed.kind == Kind::Leave && executed.object.is_some_and(|channel| self.has_senders(channel))
    }

    fn has_senders(&self, channel: ObjectId) -> bool {
        matches!(&self.objects[channel.index()].sync, Sync::Channel(ends) if ends.senders > 0)
    }

    /// Did the update at hand write what was there?
    #[inline]
    fn keeps_value(&self) -> bool {
        self.noted.at_hand() == Some(self.found)
    }

    /// Is the action at hand one that changes its object, and that lets nobody go who waits for a change?
    #[inline]
    pub(in crate::control) fn keeps(&self, action: &Action) -> bool {
        match (action.kind, action.object) {
            (Kind::Update, _) => self.keeps_value(),
            (Kind::Leave, Some(channel)) => self.has_senders(channel),
            _ => false,
        }
    }

    /// These objects have changed.
    #[inline]
    pub(in crate::control) fn touch(&mut self, objects: [Option<ObjectId>; 2]) {
        for object in objects.into_iter().flatten() {
            let changes = &mut self.objects[object.index()].changes;
            *changes = changes.wrapping_add(1);
        }
    }

    /// Would the thread see what it saw before, if it went on after its yield?
    #[inline]
    pub(in crate::control) fn spins(&self, thread: ThreadId) -> bool {
        let awaited = self.threads[thread.index()].looks.awaited();
        !awaited.is_empty() && !awaited.iter().any(|seen| self.has_changed(thread, *seen))
    }

    /// Need the yield that the thread is at not wait?
    pub(in crate::control) fn yields_freely(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].looks.awaited().is_empty()
    }

    fn has_changed(&self, thread: ThreadId, seen: Seen) -> bool {
        match seen {
            Seen::Object(object, changes) => {
                self.objects[object.index()].changes != changes && self.own_store(thread, object).is_none()
            }
            Seen::Alive(thread) => self.has_ended(Some(thread)),
            Seen::Final => false,
        }
    }

    /// What a thread waits for that spins, in words.
    pub(in crate::control) fn awaited(&self, thread: ThreadId) -> String {
        let names = self.threads[thread.index()].looks.awaited().iter().filter_map(|seen| match seen {
            Seen::Object(object, _) => {
                Some(format!("{} to be written", self.objects[object.index()].display_name(*object)))
            }
            Seen::Alive(thread) => Some(format!("the end of `{}`", self.thread_name(*thread))),
            Seen::Final => None,
        });
        let names: Vec<String> = names.collect();
        match names.as_slice() {
            [] => "what it saw to change".to_owned(),
            names => names.join(" or "),
        }
    }
}
