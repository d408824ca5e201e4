//! All that changes during a run: one struct for each room of the control, and the current step.
//!
//! Promise: [`State::begin_run`] resets every field; a field that is forgotten there does not compile.

mod conditions;
mod step;
mod termination;

pub(in crate::control) use conditions::{AtomicSection, Conditions};
pub(in crate::control) use step::{NO_EVENT, Step};
pub(crate) use termination::{BodyEnd, Termination};

use super::exception::Unwound;
use super::memory::Buffers;
use super::object::{ArcTable, Object, ObjectTable, StandIns};
use super::progress::{self, BoundState, Environment};
use super::propositions::Propositions;
use super::thread::{Pending, SharedThreadTree, Status, Thread, ThreadTable};
use super::{exception, fiber::StackPool, memory, schedule};
use selvedge_explore::{Event, Kind, ThreadId, VectorClock};

/// A part of a run that a thread waits for ([`contained`](crate::contained)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContainedPart {
    /// The thread that waits for the end of the part.
    pub(crate) outer: ThreadId,
    /// The first thread of the part. The others are younger.
    pub(crate) inner: ThreadId,
}

/// All that changes during a run.
pub(crate) struct State {
    /// The number of the run, different from the numbers of all other runs of the process.
    pub(crate) run: u64,
    pub(crate) running: ThreadId,
    pub(crate) step: Step,
    pub(crate) threads: ThreadTable,
    pub(crate) objects: ObjectTable,
    pub(in crate::control) arcs: ArcTable,
    pub(in crate::control) stand_ins: StandIns,
    pub(crate) buffers: Buffers,
    pub(crate) conditions: Conditions,
    pub(crate) end: Termination,
    pub(crate) bound: BoundState,
    pub(crate) environment: Environment,
    /// What the effects so far have released: each effect acquires it, as if they all took one lock.
    pub(crate) effects: VectorClock,
    pub(crate) propositions: Propositions,
    /// The contained parts that have not ended, the innermost last.
    pub(crate) parts: Vec<ContainedPart>,
    /// A stack is left in the middle of unwinding: this thread of the operating system must not be used any
    /// more.
    pub(crate) is_broken: bool,
}

impl State {
    /// Before the first run, with the space of earlier explorations.
    pub(in crate::control) fn new(
        threads: Vec<Thread>,
        objects: Vec<Object>,
        stacks: StackPool,
        tree: SharedThreadTree,
    ) -> State {
        State {
            run: 0,
            running: ThreadId::MAIN,
            step: Step::new(),
            threads: ThreadTable::new(threads, stacks, tree),
            objects: ObjectTable::new(objects),
            arcs: ArcTable::default(),
            stand_ins: StandIns::default(),
            buffers: Buffers::default(),
            conditions: Conditions::default(),
            end: Termination::default(),
            bound: BoundState::default(),
            environment: Environment::new(),
            effects: VectorClock::default(),
            propositions: Propositions::default(),
            parts: Vec::new(),
            is_broken: false,
        }
    }

    /// A run of this number begins.
    pub(crate) fn begin_run(&mut self, number: u64) {
        let State {
            run,
            running,
            step,
            threads,
            objects,
            arcs,
            // A stand-in is made as new at its first use in a run.
            stand_ins: _,
            buffers,
            conditions,
            end,
            bound,
            environment,
            effects,
            propositions,
            parts,
            // A thread of the operating system that is broken stays so.
            is_broken: _,
        } = self;
        *run = number;
        *running = ThreadId::MAIN;
        step.clear();
        threads.clear();
        objects.clear();
        arcs.clear();
        buffers.clear();
        *conditions = Conditions::default();
        *end = Termination::default();
        *bound = BoundState::default();
        *environment = Environment::new();
        effects.clear();
        propositions.clear();
        parts.clear();
    }

    /// Is the run over: has an event ended it, or the body, and no thread goes on after that?
    pub(in crate::control) fn is_over(&self) -> bool {
        self.end.stop.is_some()
            || self.has_body_ended() && (!self.conditions.is_body_over || self.threads.have_all_ended())
    }

    /// Has the body returned or panicked?
    pub(crate) fn has_body_ended(&self) -> bool {
        self.threads[ThreadId::MAIN].status == Status::Ended
    }

    /// Did the run come to an end of its own, not because the bound blocks a thread?
    pub(crate) fn is_finished(&self) -> bool {
        self.is_over() || self.has_body_ended() || !progress::has_thread_at_bound(self)
    }

    /// The failure of a thread that no thread has observed: the outcome of the run, if the body returns now.
    pub(crate) fn unobserved_failure(&self) -> Option<Unwound> {
        let failure = |thread: &Thread| thread.unobserved.clone().filter(Unwound::is_failure);
        // In the order of paths, which does not depend on the order of independent spawns.
        self.threads.all().find_map(|(_, thread)| failure(thread))
    }

    /// Are threads live that the end of this thread would stop?
    pub(crate) fn has_others(&self, than: ThreadId) -> bool {
        self.threads.has_others(|thread| thread == than || self.awaits_part(thread))
    }

    /// Does the thread wait for the end of a contained part?
    pub(crate) fn awaits_part(&self, thread: ThreadId) -> bool {
        self.parts.iter().any(|part| part.outer == thread)
    }

    /// Does a thread wait at a yield until an object changes?
    pub(crate) fn has_spinner(&self) -> bool {
        self.threads.live().any(|thread| self.is_spinning(thread))
    }

    /// Does this thread wait at a yield until an object changes?
    pub(in crate::control) fn is_spinning(&self, thread: ThreadId) -> bool {
        self.threads.pending(thread).action.kind == Kind::Yield && progress::would_repeat(self, thread)
    }

    /// The event is chosen: its step begins. Lists the events that it stops, if it does.
    #[inline]
    pub(in crate::control) fn choose(&mut self, event: &Event, stopped: &mut Vec<Event>) {
        self.step.begin(event.id);
        self.step.observed = schedule::enabled_actions(self, &event.action);
        stopped.clear();
        match event.action.kind {
            Kind::Contain => schedule::list_stopped_part(self, event.action.target, stopped),
            Kind::Throw => stopped.extend(exception::interrupted_event(self, event.action.target)),
            _ => {}
        }
    }

    /// The chosen commit is executed.
    #[inline]
    pub(in crate::control) fn commit_chosen(&mut self) {
        self.step.observed = memory::commit(self, self.step.chosen.thread);
    }

    /// The chosen event is executed: fills in its effect.
    #[inline(always)]
    pub(in crate::control) fn complete(&mut self, event: &mut Event) {
        self.step.restore_effect();
        if self.step.read_only {
            event.effect.read_only = true;
        }
        event.effect.observed = self.step.observed;
        event.effect.wakes_no_waiter = progress::wakes_no_waiter(self, &event.action);
        event.effect.affects_outcome = self.step.affects_outcome;
        if self.conditions.is_body_over {
            progress::count_daemon_step(self, event);
        }
    }

    /// No event is enabled after this one. Lists the announced actions and the stores that are left.
    #[cold]
    pub(in crate::control) fn complete_last(&self, event: &mut Event, stopped: &mut Vec<Event>) {
        schedule::list_stopped(self, stopped);
        event.effect.ends_run = self.is_over() && !stopped.is_empty();
        // Uncommitted stores of stopped threads are unobservable.
        schedule::list_uncommitted(self, stopped);
    }

    /// An announced action, in words: `lock mutex#3 (src/queue.rs:14)`.
    pub(in crate::control) fn describe(&self, pending: &Pending) -> String {
        let action = &pending.action;
        let mut text = action.kind.text().replace('_', " ");
        if let Some(object) = action.object {
            text = format!("{text} {}", self.objects.name(object));
        }
        if let Some(target) = action.target {
            text = format!("{text} `{}`", self.threads.name(target));
        }
        text
    }
}
