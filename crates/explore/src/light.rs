//! Light events: thread, kind, object and place of an event, without its dependencies and its effect.
//!
//! A scheduler that chooses by threads alone, as most random schedulers do, needs no more than light events.
//! Light runs are faster, because the stepper does not work out the rest. The full trace of a light run
//! comes from executing its choices again.
//!
//! Promise: a light run has the same choices as the full run that the same scheduler would make.

use crate::event::{Action, Event, Kind, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::run::{RunEnd, Scheduler};
use crate::trace::{PreviousStep, Step, Switch, Trace};

/// An event without its dependencies and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightEvent {
    /// The thread, and the number of its alternative.
    pub id: EventId,
    /// The place in the source.
    pub site: Site,
    /// The thread that the action is applied to, if that is known before the execution.
    pub target: Option<ThreadId>,
    /// The object of the action.
    pub object: Option<ObjectId>,
    /// The kind of the action.
    pub kind: Kind,
}

impl From<Event> for LightEvent {
    fn from(event: Event) -> LightEvent {
        let Event { id, action, site, .. } = event;
        LightEvent { id, site, target: action.target, object: action.object, kind: action.kind }
    }
}

impl LightEvent {
    /// The event, with defaults for all that a light event leaves out.
    pub fn event(&self) -> Event {
        let LightEvent { id, site, target, object, kind } = *self;
        Event::pending(id, Action { target, object, ..Action::new(kind) }, site)
    }
}

/// An enabled event that a scheduler can choose, full or light.
pub trait Candidate {
    /// The thread, and the number of its alternative.
    fn id(&self) -> EventId;

    /// The kind of the action.
    fn kind(&self) -> Kind;

    /// The light event.
    fn light(&self) -> LightEvent;

    /// The thread.
    #[inline]
    fn thread(&self) -> ThreadId {
        self.id().thread
    }

    /// Does the thread let other threads run first? A timed-out wait counts as a yield.
    #[inline]
    fn counts_as_yield(&self) -> bool {
        matches!(self.kind(), Kind::Yield | Kind::Sleep) || self.ends_wait_unprompted()
    }

    /// Does a wait end by a timeout or a spurious wake-up, without a notification?
    #[inline]
    fn ends_wait_unprompted(&self) -> bool {
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

/// A scheduler that needs no more than light events.
pub trait ThreadScheduler: Scheduler {
    /// Chooses one of the enabled events, of which there is at least one, by its index. The event is
    /// executed before the next call. `None` gives up the run.
    fn pick(&mut self, enabled: &[LightEvent]) -> Option<usize>;
}

/// A light run in progress: its scheduler, and its steps so far.
pub struct LightRun<'s> {
    scheduler: &'s mut dyn ThreadScheduler,
    steps: Vec<(LightEvent, Switch)>,
    preemptions: usize,
    previous: PreviousStep,
    max_steps: usize,
    end: RunEnd,
}

impl LightRun<'_> {
    /// A run of at most `max_steps` steps, in the memory of an earlier, cleared list of steps.
    pub(crate) fn new(
        scheduler: &mut dyn ThreadScheduler,
        recycled: Vec<(LightEvent, Switch)>,
        max_steps: usize,
    ) -> LightRun<'_> {
        let previous = PreviousStep::default();
        LightRun { scheduler, steps: recycled, preemptions: 0, previous, max_steps, end: RunEnd::Finished }
    }

    /// Chooses one of the enabled events, of which there is at least one, by its index. `None` ends the run.
    #[inline]
    pub fn decide(&mut self, enabled: &[LightEvent]) -> Option<usize> {
        if self.steps.len() >= self.max_steps {
            self.end = RunEnd::StepLimit;
            return None;
        }
        let Some(index) = self.scheduler.pick(enabled) else {
            self.end = RunEnd::GivenUp;
            return None;
        };
        let picked = &enabled[index];
        let switch = self.previous.switch_to(picked.id.thread, enabled);
        self.preemptions += usize::from(switch == Switch::Preempt);
        self.steps.push((*picked, switch));
        self.previous.record(picked);
        Some(index)
    }

    /// The trace so far, including the step in progress.
    pub fn so_far(&self) -> Trace {
        Trace::light(self.steps.clone(), self.preemptions)
    }

    /// The steps so far, including the step in progress, as far as [`LightEvent::event`] knows them. Does
    /// not allocate.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        self.steps.iter().copied().map(Step::light)
    }

    /// The trace, and the reason for the end of the run.
    pub(crate) fn finish(self) -> (Trace, RunEnd) {
        (Trace::light(self.steps, self.preemptions), self.end)
    }
}
