//! A thread of a run.

use super::fiber::{Fiber, Suspender};
use selvedge_explore::{Action, Kind, Site, ThreadId, VectorClock};
use std::any::Any;

/// How far a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It has announced what it does next.
    Live,
    /// It is done.
    Ended,
}

/// What a thread is about to do, and how that can turn out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) action: Action,
    pub(crate) site: Site,
    /// Among how many ways it chooses.
    pub(crate) ways: u32,
    /// What it has seen of what it waits for: the barrier's generation.
    pub(crate) since: u64,
    /// May it stop waiting because its time is up?
    pub(crate) has_timeout: bool,
    /// May it stop waiting for no reason?
    pub(crate) is_spurious: bool,
}

impl Pending {
    /// An action that goes one way.
    #[inline]
    pub(crate) fn new(action: Action, site: Site) -> Pending {
        Pending { action, site, ways: 1, since: 0, has_timeout: false, is_spurious: false }
    }

    /// An action of code that stands at the caller's place.
    #[track_caller]
    #[inline]
    pub(crate) fn here(action: Action) -> Pending {
        Pending::new(action, Site::Rust(std::panic::Location::caller()))
    }

    /// Can it go one way only?
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.ways == 1 && !self.has_timeout && !self.is_spurious
    }

    /// The same with an end of its time.
    pub(crate) fn or_timeout(self, has_timeout: bool) -> Pending {
        Pending { has_timeout, ..self }
    }

    /// The same, and it may end for no reason.
    pub(crate) fn or_spurious(self, is_spurious: bool) -> Pending {
        Pending { is_spurious, ..self }
    }
}

/// A thread of the present run. Slots are kept from run to run.
pub(crate) struct Thread {
    pub(crate) fiber: Option<Fiber>,
    pub(crate) suspender: Suspender,
    pub(crate) status: Status,
    pub(crate) pending: Pending,
    pub(crate) name: Option<String>,
    /// Was it unparked?
    pub(crate) has_token: bool,
    /// What it panicked with, and nobody has been told yet.
    pub(crate) panicked: Option<String>,
    /// What happened before what it does now, by Rust's own rules.
    pub(crate) clock: VectorClock,
    /// The releases that its relaxed loads have seen: an acquire fence makes them count.
    pub(crate) seen: VectorClock,
    /// What its last release fence releases by later relaxed stores.
    pub(crate) fenced: VectorClock,
    /// Its thread-local values, by the address of their key, in the order in which they were made.
    pub(crate) locals: Vec<(usize, Box<dyn Any>)>,
}

impl Thread {
    pub(crate) fn new() -> Thread {
        Thread {
            fiber: None,
            suspender: Suspender::NONE,
            status: Status::Ended,
            pending: Pending::new(Action::new(Kind::Yield), Site::Unknown),
            name: None,
            has_token: false,
            panicked: None,
            clock: VectorClock::new(),
            seen: VectorClock::new(),
            fenced: VectorClock::new(),
            locals: Vec::new(),
        }
    }

    /// Makes the slot ready for a thread that begins.
    pub(crate) fn begin(&mut self, fiber: Fiber, name: Option<String>) {
        self.fiber = Some(fiber);
        self.suspender = Suspender::NONE;
        self.status = Status::Live;
        self.name = name;
        self.has_token = false;
        self.panicked = None;
        self.clock.clear();
        self.seen.clear();
        self.fenced.clear();
    }
}

/// A thread's name for people: its own, `main`, or its number.
pub(crate) fn display_name(name: Option<&str>, thread: ThreadId) -> String {
    match name {
        Some(name) => name.to_owned(),
        None if thread == ThreadId::MAIN => "main".to_owned(),
        None => format!("thread {thread}"),
    }
}
