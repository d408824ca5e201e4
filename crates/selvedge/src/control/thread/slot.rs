//! A thread of a run.

use crate::control::exception::Interrupts;
use crate::control::exception::Unwound;
use crate::control::fiber::{Fiber, Suspender};
use crate::control::progress::Looks;
use crate::control::progress::Timeouts;
use crate::control::schedule::Concerns;
use crate::control::thread::Local;
use crate::control::transaction::Announced;
use selvedge_explore::{Action, Event, EventId, Kind, ObjectId, Site, ThreadId, VectorClock};
use std::panic::Location;
use std::sync::Arc;

/// How far a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It has announced what it does next.
    Live,
    /// It is done.
    Ended,
    /// It could not be unwound at the end of its run, and is never resumed again.
    Lost,
}

/// What a thread is about to do, and how that can turn out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) action: Action,
    pub(crate) site: Site,
    /// Among how many ways it chooses.
    pub(crate) alternatives: u32,
    /// What it has seen of what it waits for: the barrier's generation. Of a return: 1 if it waits for all others.
    pub(crate) since: u64,
    /// May it stop waiting because its time is up?
    pub(crate) has_timeout: bool,
    /// May it stop waiting for no reason?
    pub(crate) is_spurious: bool,
    /// Is it of a kind that somebody may have to wait for?
    pub(crate) may_wait: bool,
    /// Can an exception arrive while it has to wait?
    pub(crate) is_point: bool,
    /// Has its thread been late too often here, so that it cannot be any more?
    pub(crate) is_blocked_by_bound: bool,
}

impl Pending {
    /// An action that goes one way.
    #[inline(always)]
    pub(crate) fn new(action: Action, site: Site) -> Pending {
        let may_wait = action.kind.may_wait();
        Pending {
            action,
            site,
            alternatives: 1,
            since: 0,
            has_timeout: false,
            is_spurious: false,
            may_wait,
            is_point: false,
            is_blocked_by_bound: false,
        }
    }

    /// An action of code that stands at the caller's place.
    #[track_caller]
    #[inline(always)]
    pub(crate) fn here(action: Action) -> Pending {
        Pending::new(action, Site::Rust(std::panic::Location::caller()))
    }

    /// Is it one that a [`SimpleAction`] tells, but for the place?
    #[inline(always)]
    pub(crate) fn is_simple(&self) -> bool {
        let Action { kind, object, target, .. } = self.action;
        self.is_plain()
            && !self.is_point
            && self.since == 0
            && self.action == Action { object, target, ..Action::new(kind) }
    }

    /// The event of this thread's doing it, in this way.
    #[inline(always)]
    pub(crate) fn event(&self, thread: ThreadId, alternative: u32) -> Event {
        Event::pending(EventId { thread, alternative }, self.action, self.site)
    }

    /// Can it go one way only?
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.alternatives == 1 && !self.has_timeout && !self.is_spurious
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

/// How something is announced that goes one way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionSpec {
    pub(crate) kind: Kind,
    pub(crate) drains: bool,
    pub(crate) is_buffered: bool,
    /// Nobody ever waits for it but for their own buffers.
    pub(crate) never_waits: bool,
}

impl ActionSpec {
    #[inline(always)]
    pub(crate) fn of(kind: Kind) -> ActionSpec {
        ActionSpec { kind, drains: false, is_buffered: false, never_waits: false }
    }

    #[inline(always)]
    pub(crate) fn at_once(kind: Kind) -> ActionSpec {
        ActionSpec { never_waits: true, ..ActionSpec::of(kind) }
    }
}

/// An action that is told in few words, which stay in registers.
#[derive(Clone, Copy)]
pub(crate) struct SimpleAction {
    pub(crate) spec: ActionSpec,
    pub(crate) object: Option<ObjectId>,
    pub(crate) target: Option<ThreadId>,
    pub(crate) place: &'static Location<'static>,
    pub(crate) expected: Option<u64>,
}

impl SimpleAction {
    #[cold]
    pub(crate) fn pending(self) -> Pending {
        let mut pending = Pending::new(Action::new(self.spec.kind), Site::Unknown);
        self.write(&mut pending);
        pending
    }

    /// Writes it where pending actions are.
    #[inline(always)]
    pub(crate) fn write(self, into: &mut Pending) {
        let Pending {
            action,
            site,
            alternatives,
            since,
            has_timeout,
            is_spurious,
            may_wait,
            is_point,
            is_blocked_by_bound,
        } = into;
        self.write_action(action);
        *site = Site::Rust(self.place);
        *alternatives = 1;
        *since = 0;
        *has_timeout = false;
        *is_spurious = false;
        *is_point = false;
        *is_blocked_by_bound = false;
        *may_wait = self.spec.drains || self.spec.kind.may_wait();
    }

    /// May its thread have to wait for it, but for its own stores?
    #[inline(always)]
    pub(crate) fn may_wait(self) -> bool {
        !self.spec.never_waits && self.spec.kind.may_wait()
    }

    /// The same for a run that is told in brief, where nobody asks for what is written nowhere here.
    #[inline(always)]
    pub(crate) fn write_light(self, into: &mut Pending) {
        let ActionSpec { kind, drains, is_buffered, never_waits: _ } = self.spec;
        let action = &mut into.action;
        action.kind = kind;
        action.is_interruption_point = false;
        action.is_buffered = is_buffered;
        action.drains = drains;
        action.object = self.object;
        action.second = None;
        action.target = self.target;
        into.site = Site::Rust(self.place);
        into.alternatives = 1;
        into.since = 0;
        into.has_timeout = false;
        into.is_spurious = false;
        into.is_point = false;
        into.is_blocked_by_bound = false;
        into.may_wait = drains || self.may_wait();
    }

    /// Writes it where events are, but for whose it is.
    #[inline(always)]
    pub(crate) fn write_event(self, into: &mut Event) {
        self.write_action(&mut into.action);
        into.site = Site::Rust(self.place);
    }

    /// Field by field: a whole action would be put together elsewhere first.
    #[inline(always)]
    fn write_action(self, into: &mut Action) {
        let ActionSpec { kind, drains, is_buffered, never_waits: _ } = self.spec;
        let plain = Action::new(kind);
        into.kind = kind;
        into.is_interruption_point = plain.is_interruption_point;
        into.is_buffered = is_buffered;
        into.drains = drains;
        into.preceding_stores = plain.preceding_stores;
        into.reads_from = plain.reads_from;
        into.has_alternatives = plain.has_alternatives;
        into.waits_for_unknown = plain.waits_for_unknown;
        into.is_guarded = plain.is_guarded;
        into.object = self.object;
        into.second = plain.second;
        into.target = self.target;
        into.footprint = plain.footprint;
        into.expected = self.expected;
    }
}

/// A thread of the present run. Slots are kept from run to run.
pub(crate) struct Thread {
    pub(crate) fiber: Option<Fiber>,
    pub(crate) suspender: Suspender,
    pub(crate) status: Status,
    pub(crate) pending: Pending,
    pub(crate) name: Option<Arc<str>>,
    /// The how manieth thread of the run it is, from 1: slots are used again, this number is not.
    pub(crate) born: u64,
    /// The scope that waits for its end, by its address; 0 where there is none.
    pub(crate) scope: usize,
    /// Who was told by a handle of its own how a scoped thread ended.
    pub(crate) joined_by: Option<ThreadId>,
    /// Was it unparked?
    pub(crate) has_token: bool,
    /// What happened before it was unparked.
    pub(crate) unparked: VectorClock,
    /// What unwound it, and nobody has been told yet.
    pub(crate) unwound: Option<Unwound>,
    /// What unwound it, whoever was told.
    pub(crate) fell: Option<Unwound>,
    /// Where its last panic began.
    pub(crate) panicked_at: Option<String>,
    /// What happened before what it does now, by Rust's own rules.
    pub(crate) clock: VectorClock,
    /// The releases that its relaxed loads have seen: an acquire fence makes them count.
    pub(crate) seen: VectorClock,
    /// What its last release fence releases by later relaxed stores.
    pub(crate) fenced: VectorClock,
    /// What it has looked at since it last let others go first.
    pub(crate) looks: Looks,
    /// How often its time was up.
    pub(crate) late: Timeouts,
    /// Its thread-local values, in the order in which they were made.
    pub(crate) locals: Vec<Local>,
    /// The exceptions that others throw to it.
    pub(crate) interrupts: Interrupts,
    /// The transaction that it is about to do.
    pub(crate) transaction: Option<Announced>,
    /// How many variables for transactions it has made.
    pub(crate) variables_made: u32,
}

impl Thread {
    pub(crate) fn new() -> Thread {
        Thread {
            fiber: None,
            suspender: Suspender::NONE,
            status: Status::Ended,
            pending: Pending::new(Action::new(Kind::Yield), Site::Unknown),
            name: None,
            born: 0,
            scope: 0,
            joined_by: None,
            has_token: false,
            unparked: VectorClock::new(),
            unwound: None,
            fell: None,
            panicked_at: None,
            clock: VectorClock::new(),
            seen: VectorClock::new(),
            fenced: VectorClock::new(),
            looks: Looks::default(),
            late: Timeouts::default(),
            locals: Vec::new(),
            interrupts: Interrupts::default(),
            transaction: None,
            variables_made: 0,
        }
    }

    /// Drops what is left of a thread that has ended.
    pub(crate) fn forget(&mut self) {
        self.name = None;
        self.unwound = None;
        self.fell = None;
        self.panicked_at = None;
        self.locals.clear();
        self.interrupts.begin();
    }

    /// Makes the slot ready for a thread that begins.
    pub(crate) fn begin(&mut self, fiber: Fiber, name: Option<Arc<str>>, born: u64) {
        self.fiber = Some(fiber);
        self.suspender = Suspender::NONE;
        self.status = Status::Live;
        self.name = name;
        self.born = born;
        self.scope = 0;
        self.joined_by = None;
        self.has_token = false;
        self.unparked.clear();
        self.unwound = None;
        self.fell = None;
        self.panicked_at = None;
        self.clock.clear();
        self.seen.clear();
        self.fenced.clear();
        self.looks.clear();
        self.late.clear();
        self.locals.clear();
        self.interrupts.begin();
        self.transaction = None;
        self.variables_made = 0;
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
