//! What changes during a run: its threads, what they share, and what is being done.

use crate::control::diagnose::Heartbeat;
use crate::control::execution::Stop;
use crate::control::fiber::{Fiber, Stack};
use crate::control::memory::Buffers;
use crate::control::memory::Noted;
use crate::control::memory::Shadows;
use crate::control::object::{Object, Sort, Sync, Tag};
use crate::control::thread::{Pending, Status, Thread, display_name};
use selvedge_explore::{Action, EventId, Kind, ObjectId, Site, ThreadId};
use std::cell::Cell;
use std::num::NonZero;
use std::sync::Arc;

/// The choice before the first one of a run.
pub(in crate::control) const NOBODY: EventId = EventId { thread: ThreadId::MAIN, alternative: u32::MAX };

/// From so many threads on, the numbers of those that have ended and were joined are used again.
const REUSE_FROM: usize = 1024;

/// How many threads run at once, as long as nobody says otherwise.
const PARALLELISM: NonZero<usize> = NonZero::new(2).expect("not zero");

/// What changes during a run.
pub(crate) struct State {
    /// The number of the run, different from those of all other runs of the program.
    pub(crate) run: u64,
    pub(crate) running: ThreadId,
    /// Who was chosen for the step at hand, and for which of its alternatives.
    pub(crate) chosen: EventId,
    /// What the last thread that spawned another did then.
    pub(crate) spawning: Pending,
    /// The action at hand only looked.
    pub(crate) read_only: bool,
    /// What the object of the action at hand was like before.
    pub(crate) found: u64,
    pub(crate) noted: Noted,
    /// The last thread that was spawned.
    pub(crate) spawned: Option<ThreadId>,
    /// The threads of the run; slots beyond the count are kept for later runs.
    pub(crate) threads: Vec<Thread>,
    pub(crate) thread_count: usize,
    /// How many of them have begun and not ended.
    pub(crate) live_count: usize,
    /// How many threads have been born.
    pub(crate) births: u64,
    /// How many of them, when it was last listed what can be done.
    pub(crate) births_listed: u64,
    /// The scopes whose threads may borrow from the frame of the one who waits, by their addresses.
    pub(crate) scopes: Vec<usize>,
    /// Numbers that can be used again.
    pub(crate) free: Vec<ThreadId>,
    /// Threads that have been spawned in the step at hand and have not begun.
    pub(crate) fresh: Vec<ThreadId>,
    /// What the threads share; as with threads, slots beyond the count are kept for later runs.
    pub(crate) objects: Vec<Object>,
    pub(crate) object_count: usize,
    /// What threads have stored and others do not see yet.
    pub(crate) buffers: Buffers,
    pub(crate) shadows: Shadows,
    pub(crate) stacks: Vec<Stack>,
    /// What is under way that concerns all threads.
    pub(crate) unusual: Unusual,
    pub(crate) stop: Option<Stop>,
    /// Was somebody held back who was late too often?
    pub(crate) was_blocked_by_bound: Cell<bool>,
    /// Something was done while unwinding, where others could have gone first.
    pub(crate) went_past: bool,
    /// How often the thread that is being unwound was stopped.
    pub(crate) stops: usize,
    /// Why the first stack that could not be unwound could not.
    pub(crate) lost: Option<String>,
    /// How the run ended, as a word.
    pub(crate) ended_as: &'static str,
    /// A stack is left in the middle of unwinding: this thread of the operating system must not be used any more.
    pub(crate) is_broken: bool,
    /// A thread that waits for the end of a part of the run, and the first thread of that part.
    pub(crate) contained: Option<(ThreadId, ThreadId)>,
    /// The virtual clock, in nanoseconds since the run began.
    pub(crate) now: u64,
    /// How many threads run at once, for a program that asks.
    pub(crate) parallelism: NonZero<usize>,
    /// The message of the panic that is under way, and where it came from.
    pub(crate) message: Option<String>,
}

/// What concerns all threads: mostly nothing is under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unusual {
    /// The run is over: who is left is unwound.
    pub(crate) is_stopping: bool,
    /// The running thread is inside of a transaction, where nothing else may be visible.
    pub(crate) in_transaction: bool,
    /// Has somebody thrown something to another thread, or tried to? Whether that is possible depends on all that its target does.
    pub(crate) has_throwers: bool,
    /// Something was thrown to a thread that has not raised it yet.
    pub(crate) has_arriving: bool,
    /// Something was done while unwinding since the last look at what can be done.
    pub(crate) is_stale: bool,
    /// Did somebody wait at a yield until something changes, when that look was taken?
    pub(crate) has_spinners: bool,
    /// Need yields not wait until something changes?
    pub(crate) spins_freely: bool,
}

impl Unusual {
    /// Is anything under way?
    #[inline(always)]
    pub(in crate::control) fn is_any(self) -> bool {
        let Unusual {
            is_stopping,
            in_transaction,
            has_throwers,
            has_arriving,
            is_stale,
            has_spinners,
            spins_freely,
        } = self;
        // As one number: the processor reads all of them at once.
        let all =
            [is_stopping, in_transaction, has_throwers, has_arriving, is_stale, has_spinners, spins_freely];
        let [a, b, c, d, e, f, g] = all.map(u8::from);
        u64::from_ne_bytes([a, b, c, d, e, f, g, 0]) != 0
    }
}

impl State {
    /// Before the first run, with what is left of earlier explorations.
    pub(in crate::control) fn new(threads: Vec<Thread>, objects: Vec<Object>, stacks: Vec<Stack>) -> State {
        State {
            run: 0,
            running: ThreadId::MAIN,
            chosen: NOBODY,
            spawning: Pending::new(Action::new(Kind::Spawn), Site::Unknown),
            read_only: false,
            found: 0,
            noted: Noted::default(),
            spawned: None,
            threads,
            thread_count: 0,
            live_count: 0,
            births: 0,
            births_listed: 0,
            scopes: Vec::new(),
            free: Vec::new(),
            fresh: Vec::new(),
            objects,
            object_count: 0,
            buffers: Buffers::default(),
            shadows: Shadows::default(),
            stacks,
            unusual: Unusual::default(),
            stop: None,
            was_blocked_by_bound: Cell::new(false),
            went_past: false,
            stops: 0,
            lost: None,
            ended_as: "",
            is_broken: false,
            contained: None,
            now: 0,
            parallelism: PARALLELISM,
            message: None,
        }
    }

    /// Ready for another run.
    pub(crate) fn clear(&mut self, run: u64) {
        self.run = run;
        self.running = ThreadId::MAIN;
        self.chosen = NOBODY;
        self.noted.clear();
        self.thread_count = 0;
        self.live_count = 0;
        self.births = 0;
        self.births_listed = 0;
        self.scopes.clear();
        self.free.clear();
        self.fresh.clear();
        self.object_count = 0;
        self.buffers.clear();
        self.shadows.clear();
        self.unusual = Unusual::default();
        self.stop = None;
        self.was_blocked_by_bound.set(false);
        self.went_past = false;
        self.lost = None;
        self.ended_as = "";
        self.contained = None;
        self.now = 0;
        self.parallelism = PARALLELISM;
        self.message = None;
    }

    /// Are threads alive that the end of this one would stop?
    pub(crate) fn has_others(&self, than: ThreadId) -> bool {
        if self.live_count <= 1 {
            return false;
        }
        let outer = self.contained.map(|(outer, _)| outer);
        self.live().any(|thread| thread != than && Some(thread) != outer)
    }

    /// The threads that have begun and not ended.
    pub(crate) fn live(&self) -> impl Iterator<Item = ThreadId> {
        let is_live = |index: &usize| self.threads[*index].status == Status::Live;
        (0..self.thread_count).filter(is_live).map(|index| ThreadId(index as u32))
    }

    /// A stack of at least so many bytes.
    pub(in crate::control) fn stack(&mut self, bytes: usize, heartbeat: &Heartbeat) -> Stack {
        if let Some(fitting) = self.stacks.iter().rposition(|stack| stack.bytes() >= bytes) {
            return self.stacks.swap_remove(fitting);
        }
        new_stack(bytes, heartbeat)
    }

    pub(in crate::control) fn free_slot(&mut self) -> ThreadId {
        if self.thread_count >= REUSE_FROM
            && let Some(free) = self.free.iter().rposition(|free| self.has_seen_the_end_of(*free))
        {
            return self.free.swap_remove(free);
        }
        let slot = ThreadId(self.thread_count as u32);
        self.thread_count += 1;
        if self.threads.len() < self.thread_count {
            self.threads.push(Thread::new());
        }
        slot
    }

    /// Does the end of this thread happen before what the running one does now? Only then the number goes to a child
    /// of the running one: its count goes on from where the clocks of all who know it have left it.
    fn has_seen_the_end_of(&self, ended: ThreadId) -> bool {
        let known = self.threads[self.running.index()].clock.get(ended.index());
        known >= self.threads[ended.index()].clock.get(ended.index())
    }

    pub(in crate::control) fn begin_thread(&mut self, slot: ThreadId, fiber: Fiber, name: Option<Arc<str>>) {
        self.births += 1;
        self.live_count += 1;
        self.buffers.begin(slot);
        self.threads[slot.index()].begin(fiber, name, self.births);
    }

    /// A new object of the run.
    pub(in crate::control) fn meet(&mut self, tag: &Tag, sort: Sort, sync: Sync) -> ObjectId {
        let object = ObjectId::at(self.object_count);
        self.object_count += 1;
        match self.objects.get_mut(object.index()) {
            Some(slot) => slot.begin(sort, sync, tag.made()),
            None => self.objects.push(Object::new(sort, sync, tag.made())),
        }
        tag.remember(self.run, object);
        object
    }

    /// What a thread is about to do, in words: `lock mutex#3 (src/queue.rs:14)`.
    pub(crate) fn describe(&self, pending: &Pending) -> String {
        let action = &pending.action;
        let mut text = action.kind.text().replace('_', " ");
        if let Some(object) = action.object {
            text = format!("{text} {}", self.objects[object.index()].display_name(object));
        }
        if let Some(target) = action.target {
            let name = self.threads.get(target.index()).and_then(|thread| thread.name.as_deref());
            text = format!("{text} `{}`", display_name(name, target));
        }
        text
    }
}

#[cold]
fn new_stack(bytes: usize, heartbeat: &Heartbeat) -> Stack {
    let stack = Stack::new(bytes);
    heartbeat.add_stack(stack.bounds());
    stack
}
