//! A thread of a run. Slots are used by one thread after another, in one run after another, so that their
//! space is allocated once.

use super::locals::Local;
use super::pending::Pending;
use crate::control::exception::{Interrupts, Unwound};
use crate::control::fiber::{Fiber, Suspender};
use crate::control::object::ParkToken;
use crate::control::progress::{DaemonSteps, PlaceCounts, SpinState};
use crate::control::race::FenceClocks;
use crate::control::transaction::ThreadTransactions;
use selvedge_explore::{Action, Kind, Site, ThreadId, VectorClock};
use std::fmt;
use std::sync::Arc;

/// How far a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It has announced an action.
    Live,
    /// It has announced an action, but goes no further: the contained part that it belongs to has ended.
    Paused,
    /// It is done.
    Ended,
    /// It could not be unwound at the end of its run, and is never resumed again.
    Lost,
}

/// A thread of the present run.
pub(crate) struct Thread {
    pub(crate) fiber: Option<Fiber>,
    pub(crate) suspender: Suspender,
    pub(crate) status: Status,
    pub(crate) pending: Pending,
    pub(crate) name: Option<Arc<str>>,
    /// The number of the thread in the order of birth, from 1: slots are used again, this number is not.
    pub(crate) birth: u64,
    /// How many threads had the slot before in this run.
    pub(crate) generation: u32,
    pub(super) lineage: Lineage,
    /// The address of the scope that waits for the thread's end; 0 if there is none.
    pub(crate) scope: usize,
    /// The thread that joined this scoped thread by a handle of its own.
    pub(crate) joined_by: Option<ThreadId>,
    pub(in crate::control) token: ParkToken,
    /// What unwound it, as long as no thread has observed that by a join.
    pub(crate) unobserved: Option<Unwound>,
    /// What unwound it.
    pub(crate) unwound: Option<Unwound>,
    /// Where its last panic began.
    pub(in crate::control) panicked_at: Option<String>,
    /// All that happened before its next action, by the rules of the Rust memory model.
    pub(crate) clock: VectorClock,
    pub(in crate::control) fences: FenceClocks,
    /// What it has read since its last yield.
    pub(in crate::control) spin: SpinState,
    /// How often its waits timed out, by place.
    pub(in crate::control) timeouts: PlaceCounts,
    /// What it has done since the body returned.
    pub(in crate::control) daemon: DaemonSteps,
    /// Its thread-local values, in the order in which they were made.
    pub(in crate::control) locals: Vec<Local>,
    /// The exceptions that other threads throw to it.
    pub(in crate::control) interrupts: Interrupts,
    pub(in crate::control) transactions: ThreadTransactions,
}

/// The place of a slot in the tree of the run's threads.
#[derive(Default)]
pub(super) struct Lineage {
    pub(super) parent: ThreadId,
    /// The number of ancestors.
    pub(super) depth: usize,
    /// The index in the order of paths.
    pub(super) place: usize,
    /// How many numbers the children have, of all threads that had this slot in the run.
    pub(super) children: usize,
    /// The children that were joined by their parent: their numbers can be used again.
    pub(super) joined_children: Vec<ThreadId>,
}

impl Lineage {
    /// The first thread of the run that has the slot.
    pub(super) fn begin(&mut self, parent: ThreadId, depth: usize, place: usize) {
        let mut joined_children = std::mem::take(&mut self.joined_children);
        joined_children.clear();
        *self = Lineage { parent, depth, place, children: 0, joined_children };
    }
}

impl Thread {
    pub(super) fn new() -> Thread {
        Thread {
            fiber: None,
            suspender: Suspender::NONE,
            status: Status::Ended,
            pending: Pending::new(Action::new(Kind::Yield), Site::Unknown),
            name: None,
            birth: 0,
            generation: 0,
            lineage: Lineage::default(),
            scope: 0,
            joined_by: None,
            token: ParkToken::default(),
            unobserved: None,
            unwound: None,
            panicked_at: None,
            clock: VectorClock::new(),
            fences: FenceClocks::default(),
            spin: SpinState::default(),
            timeouts: PlaceCounts::default(),
            daemon: DaemonSteps::default(),
            locals: Vec::new(),
            interrupts: Interrupts::default(),
            transactions: ThreadTransactions::default(),
        }
    }

    /// Drops the values of a thread that has ended.
    pub(super) fn forget(&mut self) {
        self.name = None;
        self.unobserved = None;
        self.unwound = None;
        self.panicked_at = None;
        self.locals.clear();
        self.interrupts.clear();
    }

    /// Makes the slot ready for a thread that begins.
    pub(super) fn begin(&mut self, new_fiber: Fiber, new_name: Option<Arc<str>>, new_birth: u64) {
        let Thread {
            fiber,
            suspender,
            status,
            // Every thread announces an action before its pending one is read.
            pending: _,
            name,
            birth,
            // Kept as long as the number is used in one run: the children of a thread are not the children
            // of the thread that had its number before.
            generation: _,
            lineage: _,
            scope,
            joined_by,
            token,
            unobserved,
            unwound,
            panicked_at,
            clock,
            fences,
            spin,
            timeouts,
            daemon,
            locals,
            interrupts,
            transactions,
        } = self;
        *fiber = Some(new_fiber);
        *suspender = Suspender::NONE;
        *status = Status::Live;
        *name = new_name;
        *birth = new_birth;
        *scope = 0;
        *joined_by = None;
        token.clear();
        *unobserved = None;
        *unwound = None;
        *panicked_at = None;
        clock.clear();
        fences.clear();
        spin.clear();
        timeouts.clear();
        daemon.clear();
        locals.clear();
        interrupts.clear();
        transactions.clear();
    }
}

/// Displays a thread's name for people: its own, `main`, or its label, which is its number unless another is
/// given. Does not allocate.
pub(super) struct ThreadName<'n> {
    pub(super) name: Option<&'n str>,
    pub(super) label: Option<&'n str>,
    pub(super) thread: ThreadId,
}

impl fmt::Display for ThreadName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.or(self.label) {
            Some(name) => write!(f, "{name}"),
            None if self.thread == ThreadId::MAIN => write!(f, "main"),
            None => write!(f, "thread {}", self.thread),
        }
    }
}
