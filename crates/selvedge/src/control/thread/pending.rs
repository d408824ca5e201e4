//! The announced action of a thread: the whole of it, or the few words that most actions need.

use crate::control::object::can_block;
use selvedge_explore::{Action, Event, EventId, Kind, ObjectId, Site, ThreadId};
use std::panic::Location;

/// The action that a thread has announced, and its possible outcomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) action: Action,
    pub(crate) site: Site,
    /// How many alternatives there are; 0 if that depends on the deadlines ahead, see `reads_clock`.
    pub(crate) alternatives: u32,
    /// What the thread has seen of the object that it waits for: the barrier's generation. Of a return: 1 if
    /// it waits for all other threads.
    pub(crate) since: u64,
    /// Can the wait time out?
    pub(crate) has_timeout: bool,
    /// Can the wait end spuriously?
    pub(crate) is_spurious: bool,
    /// Is it of a kind that a thread may have to wait for?
    pub(crate) may_wait: bool,
    /// Can an exception arrive while the thread waits?
    pub(crate) is_point: bool,
    /// Has the thread reached the unroll bound here, so that the wait cannot time out any more?
    pub(crate) is_blocked_by_bound: bool,
}

impl Pending {
    /// An action with one alternative.
    #[inline(always)]
    pub(crate) fn new(action: Action, site: Site) -> Pending {
        let may_wait = can_block(action.kind);
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

    /// An action of the caller.
    #[track_caller]
    #[inline(always)]
    pub(crate) fn here(action: Action) -> Pending {
        Pending::new(action, Site::Rust(Location::caller()))
    }

    /// Is it the action of some [`SimpleAction`], up to the place?
    #[inline(always)]
    pub(crate) fn is_simple(&self) -> bool {
        let Action { kind, object, target, .. } = self.action;
        self.is_plain()
            && !self.is_point
            && self.since == 0
            && self.action == Action { object, target, ..Action::new(kind) }
    }

    /// The event that this thread executes it, with this alternative.
    #[inline(always)]
    pub(crate) fn event(&self, thread: ThreadId, alternative: u32) -> Event {
        Event::pending(EventId { thread, alternative }, self.action, self.site)
    }

    /// Has it one alternative only?
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.alternatives == 1 && !self.has_timeout && !self.is_spurious
    }

    /// The same for an action that reads the clock, while deadlines make a difference.
    pub(crate) fn at_some_time(self) -> Pending {
        Pending { alternatives: 0, ..self }
    }

    /// Does it read the clock, while deadlines make a difference?
    #[inline(always)]
    pub(crate) fn reads_clock(&self) -> bool {
        self.alternatives == 0
    }

    /// The same, and the wait can time out if that is so.
    pub(crate) fn or_timeout(self, has_timeout: bool) -> Pending {
        Pending { has_timeout, ..self }
    }

    /// The same, and the wait can end spuriously if that is so.
    pub(crate) fn or_spurious(self, is_spurious: bool) -> Pending {
        Pending { is_spurious, ..self }
    }
}

/// How an action with one alternative is announced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionSpec {
    pub(crate) kind: Kind,
    pub(crate) drains: bool,
    pub(crate) is_buffered: bool,
    /// A thread never waits for it, but for its own store buffer.
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

/// An action of few words, which stay in registers.
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

    /// Writes it to a thread's slot.
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
        *may_wait = self.spec.drains || can_block(self.spec.kind);
    }

    /// May the thread have to wait for it, apart from its own stores?
    #[inline(always)]
    pub(crate) fn may_wait(self) -> bool {
        !self.spec.never_waits && can_block(self.spec.kind)
    }

    /// The same for a light run, where the fields that are not written here are never read.
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

    /// Writes it to an event, but for the event's thread.
    #[inline(always)]
    pub(crate) fn write_event(self, into: &mut Event) {
        self.write_action(&mut into.action);
        into.site = Site::Rust(self.place);
    }

    /// Field by field: a whole action would be built elsewhere in memory first.
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
        into.is_final = plain.is_final;
        into.object = self.object;
        into.second = plain.second;
        into.target = self.target;
        into.footprint = plain.footprint;
        into.expected = self.expected;
    }
}
