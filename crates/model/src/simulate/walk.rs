//! One run of a system, step by step: a [`Stepper`], so that every scheduler can drive it.
//!
//! A process is a thread; its steps in a state are its alternatives, numbered as the system numbers them,
//! independent of which are enabled. All have the footprint of the process's pending action. Where a system
//! has several initial states, the first event is a choice among them, an alternative each, of thread 0 and
//! dependent on every event; where it has a single one, the walk begins in it. A step that leads back to its
//! own state is a [`Kind::Yield`]: its process waits, and schedulers by priority must let other threads run
//! first.
//!
//! [`Walk::to_ends`] is for finding the ends of runs with a reduction by independence. There a step that
//! leads back to its own state is no step: its process is disabled until the step leads elsewhere. A process
//! that fails stops, and the other processes go on: if an error ended the run, it would depend on every
//! step. A stopped process does no more than one that is never scheduled, so the steps of the others are a
//! run of the system too, and every error message of a run is met.
//!
//! If a step of one process can be a step of another process too ([`System::partner`]), that other process
//! loses what it was about to do, which no reduction by independence foresees. There all steps are
//! alternatives of one thread, and all interleavings are made.
//!
//! Promise: the same choices give the same run. A single walk shows nothing about other runs. At the end of
//! a run [`Stepper::stopped`] lists the pending actions of the processes that have not ended.

use super::messages::Messages;
use crate::ltl::{Counterexample, Step};
use crate::system::{Pending, ProcessId, States, Steps, System, Word};
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Event, EventId, Kind, Site, Stepper, ThreadId};

/// A run as far as it has gone, with its states.
#[derive(Debug)]
pub struct Walk<'s, S: System> {
    system: &'s S,
    is_to_ends: bool,
    initial: States,
    /// Empty until an initial state is chosen.
    path: Vec<Step<S::Action>>,
    steps: Steps<S::Action>,
    /// The enabled events, by process and alternative, and the step of each.
    events: Vec<Event>,
    choices: Vec<Choice>,
    /// At the end of a run, the pending actions of the processes.
    stopped: Vec<Event>,
    /// The steps that led to errors.
    failed: Vec<FailedStep<S::Action>>,
    messages: Messages,
}

/// A step that led to an error, after which the walk went on without its process.
#[derive(Clone, Debug)]
struct FailedStep<A> {
    /// The length of the path before it.
    at: usize,
    thread: ThreadId,
    step: Step<A>,
}

/// An enabled event, and its step.
#[derive(Clone, Copy, Debug)]
struct Choice {
    id: EventId,
    /// The alternative, as the system numbers it; several steps may have the same one.
    alternative: u32,
    /// The index among the steps, or among the initial states.
    index: u32,
}

impl<'s, S: System> Walk<'s, S> {
    /// A walk at its beginning.
    pub fn new(system: &'s S) -> Walk<'s, S> {
        Walk::beginning(system, false)
    }

    /// A walk at its beginning, without steps that change nothing; a process that fails does not stop the
    /// others.
    pub fn to_ends(system: &'s S) -> Walk<'s, S> {
        Walk::beginning(system, true)
    }

    fn beginning(system: &'s S, is_to_ends: bool) -> Walk<'s, S> {
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        let mut walk = Walk {
            system,
            is_to_ends,
            initial,
            path: Vec::new(),
            steps: Steps::new(system.words()),
            events: Vec::new(),
            choices: Vec::new(),
            stopped: Vec::new(),
            failed: Vec::new(),
            messages: Messages::default(),
        };
        walk.restart();
        walk
    }

    /// Does the walk end in a state with steps, none of which leads elsewhere or to an error?
    pub fn is_idle(&self) -> bool {
        self.events.is_empty() && !self.steps.is_empty() && self.failed.is_empty()
    }

    /// Does the walk end in a state whose steps a bound of the language cut off?
    pub fn is_cut(&self) -> bool {
        self.steps.is_empty() && self.state().is_some_and(|state| self.system.is_cut(state))
    }

    /// The errors of the walk, each as the run that shows it.
    pub fn failures(&self) -> impl Iterator<Item = Counterexample<S::Action>> {
        self.failed.iter().map(|failed| {
            let steps = self.path[..failed.at].iter().chain([&failed.step]);
            let end = Step { action: None, state: failed.step.state.clone() };
            Counterexample { prefix: steps.cloned().collect(), cycle: vec![end] }
        })
    }

    /// The current state; `None` before an initial state is chosen.
    pub fn state(&self) -> Option<&[Word]> {
        self.path.last().map(|step| &*step.state)
    }

    /// The steps of the current state.
    pub fn steps(&self) -> &Steps<S::Action> {
        &self.steps
    }

    /// The initial state and the steps from there.
    pub fn path(&self) -> &[Step<S::Action>] {
        &self.path
    }

    /// The next event of each enabled process, without its guard: for a scheduler whose run is cut.
    pub(crate) fn next_events(&self) -> Vec<Event> {
        let mut events = self.events.clone();
        events.dedup_by_key(|event| event.thread());
        events.iter_mut().for_each(|event| event.action.is_guarded = false);
        events
    }

    /// Undoes the last step. Returns whether there was one.
    pub fn back(&mut self) -> bool {
        let has_failed = self.failed.pop_if(|failed| failed.at == self.path.len()).is_some();
        let can_go_back = has_failed || self.path.len() > 1;
        if can_go_back {
            if !has_failed {
                self.path.pop();
                self.messages = Messages::of(self.system, &self.path);
            }
            self.compute_enabled();
        }
        can_go_back
    }

    /// The run in the form of a counterexample: if it has ended, it stutters; if it is idle, it cycles.
    /// Steps that led to errors are not part of it. `None` before an initial state is chosen.
    pub fn run(&self) -> Option<Counterexample<S::Action>> {
        let state = self.state()?;
        let action = self.is_idle().then(|| self.steps.get(0).0);
        let last = Step { action, state: state.into() };
        let is_over = self.events.is_empty() && self.failed.is_empty() && !self.is_cut();
        let cycle = if is_over { vec![last] } else { Vec::new() };
        Some(Counterexample { prefix: self.path.clone(), cycle })
    }

    fn compute_enabled(&mut self) {
        self.events.clear();
        self.choices.clear();
        self.stopped.clear();
        self.steps.clear();
        match self.path.last() {
            None => self.list_initial_choices(),
            Some(step) => {
                self.system.successors(&step.state, &mut self.steps);
                self.list_choices();
                if self.events.is_empty() {
                    self.list_stopped();
                }
            }
        }
    }

    fn list_initial_choices(&mut self) {
        let footprint = Footprint { reads: !0, writes: !0 };
        let action = Action { footprint, has_alternatives: true, ..Action::new(Kind::Choose) };
        for alternative in 0..self.initial.iter().count() as u32 {
            let id = EventId { thread: ThreadId::MAIN, alternative };
            self.events.push(Event::pending(id, action, Site::Unknown));
            self.choices.push(Choice { id, alternative, index: alternative });
        }
    }

    fn list_choices(&mut self) {
        let Walk { system, is_to_ends, path, steps, choices, failed, .. } = self;
        let state = &*path[path.len() - 1].state;
        for (index, (action, target)) in steps.iter().enumerate() {
            let is_joint = *is_to_ends && system.has_partners();
            let process = if is_joint { None } else { system.process(action) };
            let thread = thread_of(*system, process);
            let has_failed = failed.iter().any(|failed| failed.thread == thread);
            if has_failed || *is_to_ends && target == state {
                continue;
            }
            let alternative = if is_joint { index as u32 } else { system.alternative(state, action) };
            let same = |choice: &&Choice| (choice.id.thread, choice.alternative) == (thread, alternative);
            let same_count = choices.iter().filter(same).count() as u32;
            let count = if same_count == 0 { 0 } else { pending(*system, state, thread).alternatives };
            let id = EventId { thread, alternative: alternative + count * same_count };
            choices.push(Choice { id, alternative, index: index as u32 });
        }
        // A system may list its steps in any fixed order; a stepper lists them by thread.
        choices.sort_unstable_by_key(|choice| choice.id);
        let mut from = 0;
        while from < self.choices.len() {
            from = self.list_events_of_process(from);
        }
    }

    /// Adds the events of the process that owns the choices from this index on; returns the index of the
    /// next process.
    fn list_events_of_process(&mut self, from: usize) -> usize {
        let Walk { system, path, steps, events, choices, messages, .. } = self;
        let state = &*path[path.len() - 1].state;
        let thread = choices[from].id.thread;
        let mine = choices[from..].iter().take_while(|choice| choice.id.thread == thread);
        let mut pending = pending(*system, state, thread);
        pending.footprint.writes |= messages.bit(thread, pending.communication);
        let before = events.len();
        for choice in mine {
            let (action, target) = steps.get(choice.index as usize);
            let kind = if target == state { Kind::Yield } else { Kind::Step };
            let site = system.source_line(action).map_or(Site::Unknown, |line| Site::Line(line as u32));
            events.push(Event::pending(choice.id, Action { kind, ..step(&pending) }, site));
        }
        from + events.len() - before
    }

    /// Lists the pending actions of the processes that have not ended. A failed process has none.
    fn list_stopped(&mut self) {
        let Walk { system, path, stopped, failed, is_to_ends, .. } = self;
        if *is_to_ends && system.has_partners() {
            return;
        }
        let state = &*path[path.len() - 1].state;
        let goes_on = |process: &ProcessId| failed.iter().all(|failed| failed.thread != ThreadId(process.0));
        for process in (0..system.processes() as u32).map(ProcessId).filter(goes_on) {
            if let Some(pending) = system.pending(state, process) {
                let id = EventId { thread: ThreadId(process.0), alternative: 0 };
                stopped.push(Event::pending(id, step(&pending), Site::Unknown));
            }
        }
    }
}

/// The thread of a process; one more takes the steps that no process takes.
fn thread_of<S: System>(system: &S, process: Option<ProcessId>) -> ThreadId {
    ThreadId(process.map_or(system.processes() as u32, |process| process.0))
}

/// The thread that took a step, and its pending action before.
pub(super) fn process_of<S: System>(
    system: &S,
    from: &[Word],
    step: &Step<S::Action>,
) -> (ThreadId, Pending) {
    let process = step.action.and_then(|action| system.process(action));
    let thread = thread_of(system, process);
    (thread, pending(system, from, thread))
}

/// The pending action of an enabled thread.
fn pending<S: System>(system: &S, state: &[Word], thread: ThreadId) -> Pending {
    let is_process = (thread.0 as usize) < system.processes();
    let pending = if is_process { system.pending(state, ProcessId(thread.0)) } else { None };
    pending.unwrap_or(Pending::ANYTHING)
}

fn step(pending: &Pending) -> Action {
    let Pending { footprint, is_plural, is_guarded, alternatives: _, communication: _ } = *pending;
    Action { has_alternatives: is_plural, is_guarded, ..Action::step(footprint) }
}

impl<S: System> Stepper for Walk<'_, S> {
    fn enabled(&self) -> &[Event] {
        &self.events
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let position = self.events.iter().position(|event| event.id == chosen);
        let position = position.expect("the chosen event is enabled");
        let (event, index) = (self.events[position], self.choices[position].index as usize);
        let step = match self.path.is_empty() {
            true => {
                let state = self.initial.iter().nth(index).expect("an alternative for each initial state");
                Step { action: None, state: state.into() }
            }
            false => {
                let (action, state) = self.steps.get(index);
                Step { action: Some(action), state: state.into() }
            }
        };
        if self.is_to_ends && self.system.error(&step.state).is_some() {
            self.failed.push(FailedStep { at: self.path.len(), thread: event.thread(), step });
        } else {
            if let Some(state) = self.state() {
                let passed = pending(self.system, state, event.thread()).communication;
                self.messages.pass(event.thread(), passed);
            }
            self.path.push(step);
        }
        self.compute_enabled();
        event
    }

    fn stopped(&self) -> &[Event] {
        &self.stopped
    }

    fn restart(&mut self) {
        self.path.clear();
        self.failed.clear();
        self.messages = Messages::default();
        if self.initial.iter().count() == 1 {
            self.path.extend(self.initial.iter().map(|state| Step { action: None, state: state.into() }));
        }
        self.compute_enabled();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::Graph;
    use crate::ltl::Fairness;
    use crate::search::Budget;
    use crate::search::Order;
    use crate::search::explore;
    use selvedge_explore::schedulers::{Exhaustive, Pct, Uniform};
    use selvedge_explore::{Next, RunEnd, Scheduler, Trace, run};
    use selvedge_ltl::Letter;

    fn ladder() -> Graph {
        let arcs = (0..9).flat_map(|node| [(node, 0, node + 1), (node, 1, node / 2)]).collect();
        Graph::new(vec![Letter::exactly(0); 10], arcs, 2)
    }

    #[test]
    fn walks_are_runs_and_visit_only_reachable_states() {
        let graph = ladder();
        let known = explore(&graph, Order::BreadthFirst, Budget::default(), &mut ()).states;
        let (mut walk, mut uniform, mut trace) = (Walk::new(&graph), Uniform::new(1, 200), Trace::default());
        let mut ended = 0;
        loop {
            walk.restart();
            let end = run(&mut walk, &mut uniform, 100, &mut trace);
            assert_eq!(walk.path().len(), trace.len() + 1);
            assert!(walk.path().iter().all(|step| known.find(&step.state).is_some()));
            let taken = walk.run().expect("a run");
            taken.replay(&graph, Fairness::Strong);
            assert_eq!(taken.ends(), end == RunEnd::Finished);
            ended += usize::from(taken.ends());
            if uniform.finish(&trace) == Next::Done {
                break;
            }
        }
        assert!(ended > 0, "some walks reach the top");
    }

    #[test]
    fn undoing_a_step_restores_the_state_and_its_events() {
        let graph = ladder();
        let mut walk = Walk::new(&graph);
        let first = walk.enabled()[0].id;
        walk.step(first);
        let state = walk.state().map(<[Word]>::to_vec);
        let enabled = walk.enabled().to_vec();
        walk.step(enabled[1].id);
        assert!(walk.back());
        assert_eq!((walk.state().map(<[Word]>::to_vec), walk.enabled()), (state, enabled.as_slice()));
        assert!(walk.back());
        assert!(!walk.back());
    }

    #[test]
    fn a_waiting_process_yields_and_pct_schedules_the_other() {
        let graph =
            Graph::new(vec![Letter::exactly(0); 3], vec![(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 2)], 2);
        let (mut walk, mut pct, mut trace) = (Walk::new(&graph), Pct::new(1, 1, 100), Trace::default());
        assert_eq!(walk.enabled()[0].action.kind, Kind::Yield);
        loop {
            walk.restart();
            assert_eq!(run(&mut walk, &mut pct, 10, &mut trace), RunEnd::Finished);
            if pct.finish(&trace) == Next::Done {
                return;
            }
        }
    }

    /// Three initial states, each of which counts down.
    struct Countdown;

    impl System for Countdown {
        type Action = ();
        fn words(&self) -> usize {
            1
        }
        fn processes(&self) -> usize {
            1
        }
        fn initial(&self, out: &mut States) {
            (0..3).for_each(|number| out.push(&[number]));
        }
        fn successors(&self, state: &[Word], out: &mut Steps<()>) {
            if state[0] > 0 {
                out.push((), state)[0] -= 1;
            }
        }
        fn label(&self, _state: &[Word]) -> Letter {
            Letter::exactly(0)
        }
        fn process(&self, (): ()) -> Option<ProcessId> {
            Some(ProcessId(0))
        }
        fn describe(&self, (): ()) -> String {
            "down".to_owned()
        }
        fn show(&self, state: &[Word]) -> Vec<(String, String)> {
            vec![("n".to_owned(), state[0].to_string())]
        }
    }

    #[test]
    fn the_first_event_chooses_among_several_initial_states() {
        let (mut walk, mut every, mut trace) = (Walk::new(&Countdown), Exhaustive::new(), Trace::default());
        let mut lengths = Vec::new();
        loop {
            walk.restart();
            assert_eq!(walk.state(), None);
            run(&mut walk, &mut every, 10, &mut trace);
            walk.run().expect("a run").replay(&Countdown, Fairness::None);
            lengths.push((trace.steps()[0].event.action.kind, walk.path().len()));
            if every.finish(&trace) == Next::Done {
                break;
            }
        }
        assert_eq!(lengths, [(Kind::Choose, 1), (Kind::Choose, 2), (Kind::Choose, 3)]);
    }
}
