//! What can be done next, in brief: whose it is, its kind, what it is done to, and where.
//!
//! A scheduler that goes by threads alone, as those by chance do, need not know how an event turned out, nor what it depends on.
//! Runs for such a scheduler are written down in brief, and faster for that; whoever wants to know more of one makes it again, by its
//! choices.
//!
//! Promise: a run in brief is the one that the same scheduler would have made in full.

use crate::event::{Action, Event, Kind, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::run::{End, Scheduler};
use crate::trace::{Last, Switch, Trace};

/// An event in light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightEvent {
    /// Whose, and which alternative.
    pub id: EventId,
    /// Where.
    pub site: Site,
    /// The thread that it is done to, as far as that is known before it is done.
    pub target: Option<ThreadId>,
    /// What it is done to.
    pub object: Option<ObjectId>,
    /// What is done.
    pub kind: Kind,
}

impl From<Event> for LightEvent {
    fn from(event: Event) -> LightEvent {
        let Event { id, action, site, .. } = event;
        LightEvent { id, site, target: action.target, object: action.object, kind: action.kind }
    }
}

impl LightEvent {
    /// The event, as far as it is known.
    pub fn event(&self) -> Event {
        let LightEvent { id, site, target, object, kind } = *self;
        Event::pending(id, Action { target, object, ..Action::new(kind) }, site)
    }
}

/// What schedulers choose from: events, in full or in light.
pub trait Candidate {
    /// Whose, and which alternative.
    fn id(&self) -> EventId;

    /// What is done.
    fn kind(&self) -> Kind;

    /// In light.
    fn light(&self) -> LightEvent;

    /// The thread whose it is.
    #[inline]
    fn thread(&self) -> ThreadId {
        self.id().thread
    }

    /// Does the thread let others go first by it? Whose time is up did so for as long as it waited.
    #[inline]
    fn gives_way(&self) -> bool {
        matches!(self.kind(), Kind::Yield | Kind::Sleep) || self.is_late()
    }

    /// Did the thread wait, and goes on though nothing came?
    #[inline]
    fn is_late(&self) -> bool {
        matches!(self.kind(), Kind::TimeOut | Kind::Spurious)
    }
}

impl Candidate for Event {
    #[inline]
    fn id(&self) -> EventId {
        self.id
    }

    #[inline]
    fn kind(&self) -> Kind {
        self.action.kind
    }

    #[inline]
    fn light(&self) -> LightEvent {
        LightEvent::from(*self)
    }
}

impl Candidate for LightEvent {
    #[inline]
    fn id(&self) -> EventId {
        self.id
    }

    #[inline]
    fn kind(&self) -> Kind {
        self.kind
    }

    #[inline]
    fn light(&self) -> LightEvent {
        *self
    }
}

/// A scheduler that needs no more than that.
pub trait ThreadScheduler: Scheduler {
    /// The place of what is done next, of these; there is at least one. It is done before anything else is asked. `None` gives the run
    /// up.
    fn pick(&mut self, enabled: &[LightEvent]) -> Option<usize>;
}

/// A run in brief, while it goes on: who picks, and what was picked so far.
pub struct LightRun<'p> {
    picks: &'p mut dyn ThreadScheduler,
    steps: Vec<(LightEvent, Switch)>,
    preemptions: usize,
    last: Last,
    max_steps: usize,
    end: End,
}

impl LightRun<'_> {
    /// A run that may take so many steps, with room that may have been used before.
    pub(crate) fn new(
        picks: &mut dyn ThreadScheduler,
        room: Vec<(LightEvent, Switch)>,
        max_steps: usize,
    ) -> LightRun<'_> {
        let last = Last::default();
        LightRun { picks, steps: room, preemptions: 0, last, max_steps, end: End::Finished }
    }

    /// What is done next, of these, by its place; there is at least one. `None` where the run ends here.
    #[inline]
    pub fn decide(&mut self, enabled: &[LightEvent]) -> Option<usize> {
        if self.steps.len() >= self.max_steps {
            self.end = End::Limit;
            return None;
        }
        let Some(place) = self.picks.pick(enabled) else {
            self.end = End::GivenUp;
            return None;
        };
        let picked = &enabled[place];
        let switch = self.last.switch_to(picked.id.thread, enabled);
        self.preemptions += usize::from(switch == Switch::Preempt);
        self.steps.push((*picked, switch));
        self.last.note(picked);
        Some(place)
    }

    /// The run so far, with the step that is being done.
    pub fn so_far(&self) -> Trace {
        Trace::light(self.steps.clone(), self.preemptions)
    }

    /// The run, and how it ended.
    pub(crate) fn finish(self) -> (Trace, End) {
        (Trace::light(self.steps, self.preemptions), self.end)
    }
}
