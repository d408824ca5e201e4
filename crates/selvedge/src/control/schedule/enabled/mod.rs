//! What can be done next: which of the announced actions need not wait.

mod incremental;

use crate::control::object::Sync;
use crate::control::schedule::CandidateEvent;
use crate::control::state::State;
use crate::control::thread::{Pending, Status};
use selvedge_explore::{Action, Enabledness, Event, EventId, Kind, ObjectId, ReadsFrom, Site, ThreadId};

/// The alternative of a wait whose time is up. Those before it are ways to choose from.
pub(crate) const TIME_OUT: u32 = 1 << 30;

/// The alternative of a wait that ends for no reason.
pub(crate) const SPURIOUS: u32 = TIME_OUT + 1;

/// The alternative of a yield that would wait for a change, and does not.
pub(crate) const GIVES_UP: u32 = TIME_OUT + 2;

/// Some event.
pub(in crate::control) const ANYTHING: Event = Event::pending(
    EventId { thread: ThreadId::MAIN, alternative: 0 },
    Action::new(Kind::Yield),
    Site::Unknown,
);

/// What a kind of action means for others.
pub(crate) trait Concerns {
    /// May somebody have to wait before an action of this kind?
    fn may_wait(self) -> bool;
}

impl Concerns for Kind {
    #[inline]
    fn may_wait(self) -> bool {
        use Kind::*;
        let for_threads = matches!(self, Join | Contain | Park | Return | Throw | Atomically);
        let for_locks = matches!(self, Lock | ReadLock | WriteLock | Wake | Begin | Await | Pass);
        for_threads || for_locks || matches!(self, Send | Receive | Put | Take | Read | Yield)
    }
}

impl State {
    /// Lists what can be done next; nothing where the run is over.
    pub(in crate::control) fn look<L: CandidateEvent>(&mut self, out: &mut Vec<L>) {
        self.look_after(None, out);
    }

    /// The same when this thread has just announced something. Returns where its event is if that is plain; the event itself is
    /// left to the caller, who need not read from memory what was just written there.
    #[inline]
    pub(in crate::control) fn look_after<L: CandidateEvent>(
        &mut self,
        announcer: Option<ThreadId>,
        out: &mut Vec<L>,
    ) -> Option<usize> {
        self.unusual.is_stale = false;
        self.births_listed = self.births;
        out.clear();
        if self.is_over() {
            return None;
        }
        self.unusual.has_spinners = self.somebody_spins();
        self.list_enabled(announcer, out)
    }

    /// Has the body returned, or something final happened?
    pub(in crate::control) fn is_over(&self) -> bool {
        self.stop.is_some() || self.threads[ThreadId::MAIN.index()].status == Status::Ended
    }

    /// Lists the events of all threads, in their order.
    fn list_enabled<L: CandidateEvent>(
        &self,
        announcer: Option<ThreadId>,
        out: &mut Vec<L>,
    ) -> Option<usize> {
        if let Some((outer, inner)) = self.contained
            && self.has_ended(Some(inner))
        {
            // The end of the part's body stops what else runs in it.
            self.list_events(outer, &self.threads[outer.index()].pending, out);
            return None;
        }
        let announcer = announcer.map_or(usize::MAX, ThreadId::index);
        let mut place = None;
        for (index, thread) in self.threads[..self.thread_count].iter().enumerate() {
            if thread.status != Status::Live {
                continue;
            }
            let (id, pending) = (ThreadId(index as u32), &thread.pending);
            if !pending.is_plain() {
                self.list_events(id, pending, out);
            } else if self.can_do(id, pending) {
                if index == announcer {
                    place = Some(out.len());
                    out.push(L::from(ANYTHING));
                } else {
                    out.push(L::plain(self, id, pending));
                }
            } else if self.unusual.spins_freely && self.is_spinning(id) {
                out.push(L::from(pending.event(id, GIVES_UP)));
            }
        }
        self.list_commits(out);
        if out.is_empty()
            && let Some((outer, _)) = self.contained
            && !self.holds_somebody_back()
        {
            // Nobody in the part can go on: that is an end too.
            out.push(L::from(self.threads[outer.index()].pending.event(outer, 0)));
        }
        place
    }

    #[cold]
    fn list_events<L: CandidateEvent>(&self, thread: ThreadId, pending: &Pending, out: &mut Vec<L>) {
        let Pending { action, site, .. } = *pending;
        let action = Action { has_alternatives: true, ..action };
        if action.drains && !self.buffers.is_empty(thread) {
            return;
        }
        let can_do = self.can_do(thread, pending);
        if can_do {
            for alternative in 0..pending.alternatives {
                out.push(L::from(Event::pending(EventId { thread, alternative }, action, site)));
            }
        }
        let mut also = |alternative, kind| {
            let action = Action { kind, ..action };
            out.push(L::from(Event::pending(EventId { thread, alternative }, action, site)));
        };
        // Who can receive does, whatever the time.
        if pending.has_timeout && !(can_do && action.kind == Kind::Receive) {
            also(TIME_OUT, Kind::TimeOut);
        }
        if pending.is_spurious {
            also(SPURIOUS, Kind::Spurious);
        }
    }

    /// Can the thread do what it announced, without waiting?
    #[inline(always)]
    pub(crate) fn can_do(&self, thread: ThreadId, pending: &Pending) -> bool {
        if !pending.may_wait {
            return true;
        }
        if pending.action.drains && !self.buffers.is_empty(thread) {
            return false;
        }
        match (pending.action.kind, pending.action.object) {
            (Kind::Lock, Some(object)) => self.is_free(object),
            _ => self.can_go_on(thread, pending),
        }
    }

    #[inline]
    fn is_free(&self, mutex: ObjectId) -> bool {
        !matches!(self.objects[mutex.index()].sync, Sync::Mutex { owner: Some(_) })
    }

    #[inline(never)]
    fn can_go_on(&self, thread: ThreadId, pending: &Pending) -> bool {
        let action = &pending.action;
        match action.kind {
            Kind::Yield => !self.spins(thread) && !self.blocks_by_bound(thread, pending),
            Kind::Sleep => !self.blocks_by_bound(thread, pending),
            Kind::Join | Kind::Contain => self.has_ended(action.target),
            Kind::Park => self.threads[thread.index()].has_token,
            Kind::Throw => action.target.is_none_or(|target| self.can_throw_to(target)),
            Kind::Atomically => self.can_transact(thread),
            Kind::Return => pending.since == 0 || self.is_alone(thread),
            kind => match action.object {
                Some(object) => allows(&self.objects[object.index()].sync, kind, thread, pending.since),
                None => true,
            },
        }
    }

    /// Somebody waits at a yield until something is changed.
    pub(crate) fn somebody_spins(&self) -> bool {
        self.live().any(|thread| self.is_spinning(thread))
    }

    fn is_spinning(&self, thread: ThreadId) -> bool {
        self.announced(thread).action.kind == Kind::Yield && self.spins(thread)
    }

    /// An action that can be done, as far as that depends on what others do meanwhile.
    #[inline]
    pub(in crate::control) fn as_listed(&self, thread: ThreadId, action: &Action) -> Action {
        // Copied as a whole, and changed then: that is cheaper than a copy of each field.
        let mut listed = *action;
        if action.kind == Kind::Load {
            listed.reads_from = self.source_of(thread, action.object);
        } else if action.kind == Kind::Throw {
            listed = self.throw_as_listed(action);
        }
        listed
    }

    /// Whose store a load of this thread would read.
    #[inline]
    pub(in crate::control) fn source_of(&self, thread: ThreadId, object: Option<ObjectId>) -> ReadsFrom {
        object.map_or(ReadsFrom::Memory, |object| self.source(thread, object))
    }

    /// What a thread has announced.
    #[inline(always)]
    pub(in crate::control) fn announced(&self, thread: ThreadId) -> &Pending {
        &self.threads[thread.index()].pending
    }

    /// What the threads are about to do that are alive, but for one.
    #[cold]
    pub(crate) fn list_stopped(&self, except: Option<ThreadId>, out: &mut Vec<Event>) {
        out.extend(
            self.live().filter(|thread| Some(*thread) != except).map(|thread| self.stopped_event(thread)),
        );
    }

    /// What a thread is about to do.
    #[cold]
    pub(in crate::control) fn stopped_event(&self, thread: ThreadId) -> Event {
        let pending = &self.threads[thread.index()].pending;
        let action = self.as_listed(thread, &pending.action);
        let action = Action { has_alternatives: !pending.is_plain(), ..action };
        Event::pending(EventId { thread, alternative: 0 }, action, pending.site)
    }

    /// What could be done to the object of an action.
    #[inline]
    pub(crate) fn open(&self, action: &Action) -> u64 {
        match (action.object, action.target) {
            (Some(object), _) => match &self.objects[object.index()].sync {
                Sync::Atomic(_) | Sync::TVar => 0,
                Sync::Mutex { owner } => u64::from(owner.is_none()) * Enabledness::LOCK,
                sync => open(sync),
            },
            (None, Some(target)) if action.kind == Kind::Unpark && self.threads[target.index()].has_token => {
                Enabledness::TOKEN
            }
            _ => 0,
        }
    }

    #[cold]
    fn is_alone(&self, thread: ThreadId) -> bool {
        !self.has_others(thread)
    }

    /// Has this thread ended, and are all its stores in memory?
    pub(crate) fn has_ended(&self, thread: Option<ThreadId>) -> bool {
        thread.is_none_or(|thread| {
            self.threads[thread.index()].status == Status::Ended && self.buffers.is_empty(thread)
        })
    }
}

/// Does the object's state let the thread go on?
#[inline(always)]
fn allows(sync: &Sync, kind: Kind, thread: ThreadId, since: u64) -> bool {
    match (kind, sync) {
        (Kind::Lock, Sync::Mutex { owner }) => owner.is_none(),
        (Kind::ReadLock, Sync::RwLock { writer, .. }) => writer.is_none(),
        (Kind::WriteLock, Sync::RwLock { writer, readers, .. }) => writer.is_none() && readers.is_empty(),
        (Kind::Wake, Sync::Condvar(waiters)) => waiters.can_wake(thread),
        (Kind::Begin, Sync::Once { running, .. }) => running.is_none(),
        (Kind::Await, Sync::Once { is_complete, failures, .. }) => *is_complete || *failures > since,
        (Kind::Send, Sync::Channel(ends)) => ends.can_send(since),
        (Kind::Receive, Sync::Channel(ends)) => ends.can_receive(),
        (Kind::Pass, Sync::Barrier { generation, .. }) => *generation > since,
        (Kind::Put, Sync::MVar { is_full }) => !is_full,
        (Kind::Take | Kind::Read, Sync::MVar { is_full }) => *is_full,
        _ => true,
    }
}

/// What can be done to an object without waiting, by anybody.
#[inline(never)]
fn open(sync: &Sync) -> u64 {
    let bits: &[(bool, u64)] = match sync {
        Sync::Mutex { owner } => &[(owner.is_none(), Enabledness::LOCK)],
        Sync::RwLock { writer, readers, .. } => &[
            (writer.is_none(), Enabledness::READ_LOCK),
            (writer.is_none() && readers.is_empty(), Enabledness::WRITE_LOCK),
        ],
        Sync::Channel(ends) => &[
            (ends.can_send(u64::MAX), Enabledness::SEND),
            (ends.can_try_send(), Enabledness::TRY_SEND),
            (!ends.has_receiver, Enabledness::RECEIVER_GONE),
            (ends.can_receive(), Enabledness::RECEIVE),
            (ends.messages > 0, Enabledness::MESSAGE),
        ],
        Sync::MVar { is_full } => &[(!is_full, Enabledness::PUT), (*is_full, Enabledness::TAKE)],
        Sync::Once { running, is_complete, .. } => {
            &[(running.is_none(), Enabledness::BEGIN), (*is_complete, Enabledness::COMPLETE)]
        }
        Sync::Atomic(_) | Sync::Condvar(_) | Sync::Barrier { .. } | Sync::Cell(_) | Sync::TVar => &[],
    };
    bits.iter().filter(|(is_open, _)| *is_open).map(|(_, bit)| bit).sum()
}
