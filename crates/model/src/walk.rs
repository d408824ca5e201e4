//! One run of a system, step by step: a [`Stepper`], so that every scheduler takes it where it likes.
//!
//! A process is a thread; its steps in a state are its alternatives, numbered as the system numbers them, whichever can be
//! taken. All of them have the footprint of what the process is about to do. Where a system has several initial states, the
//! first event is a choice among them, an alternative each, of thread 0 and dependent on everything; where it has one, the walk begins
//! in it. A step that leads back to its own state is a [`Kind::Yield`]: it only waits, and schedulers by priority must
//! let others go first.
//!
//! [`Walk::to_ends`] is for who wants to know where runs can end, and tells independent steps apart from others. There a step
//! that leads back to its own state is none: its process waits until it leads elsewhere. Who goes wrong stops, and the
//! others go on: an error ends a run of the system, and if it did here, it would depend on every step. A process that is
//! stopped does no more than one that is not chosen, so what others do then is a run too, and all that can go wrong in one is met, each
//! in the words of its error.
//!
//! Promise: the same choices give the same run. What a walk does not meet is not thereby absent. At the end of a run
//! [`Stepper::stopped`] has what each process was about to do that has not ended.

use crate::counterexample::{Counterexample, Step};
use crate::system::{Pending, ProcessId, States, Steps, System, Word};
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Event, EventId, Kind, Site, Stepper, ThreadId};

/// A run as far as it has gone, with the states that it went through.
#[derive(Debug)]
pub struct Walk<'s, S: System> {
    system: &'s S,
    is_to_ends: bool,
    initial: States,
    /// Empty until an initial state is chosen.
    path: Vec<Step<S::Action>>,
    steps: Steps<S::Action>,
    /// What can be done, by process and alternative; and where it leads.
    events: Vec<Event>,
    choices: Vec<Choice>,
    /// At the end of a run, what the processes wait for.
    stopped: Vec<Event>,
    /// Who went wrong.
    failed: Vec<Failed<S::Action>>,
}

/// A step that went wrong, and that a walk went on after.
#[derive(Clone, Debug)]
struct Failed<A> {
    /// How much of the path came before.
    at: usize,
    process: ProcessId,
    step: Step<A>,
}

/// Something that can be done.
#[derive(Clone, Copy, Debug)]
struct Choice {
    id: EventId,
    /// The alternative, as the system numbers it; steps that have the same one are ways of it.
    alternative: u32,
    /// Its number among the steps, or among the initial states.
    index: u32,
}

impl<'s, S: System> Walk<'s, S> {
    /// A walk at its beginning.
    pub fn new(system: &'s S) -> Walk<'s, S> {
        Walk::beginning(system, false)
    }

    /// A walk at its beginning, without steps that change nothing, and on which who goes wrong does not stop others.
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
        };
        walk.restart();
        walk
    }

    /// Has the walk come to where there are steps, but none that leads elsewhere or goes wrong?
    pub fn is_idle(&self) -> bool {
        self.events.is_empty() && !self.steps.is_empty() && self.failed.is_empty()
    }

    /// What went wrong on the way, each as the run that shows it.
    pub fn failures(&self) -> impl Iterator<Item = Counterexample<S::Action>> {
        self.failed.iter().map(|failed| {
            let steps = self.path[..failed.at].iter().chain([&failed.step]);
            let end = Step { action: None, state: failed.step.state.clone() };
            Counterexample { prefix: steps.cloned().collect(), cycle: vec![end] }
        })
    }

    /// Where the walk is; nowhere before an initial state is chosen.
    pub fn state(&self) -> Option<&[Word]> {
        self.path.last().map(|step| &*step.state)
    }

    /// The steps that can be taken here.
    pub fn steps(&self) -> &Steps<S::Action> {
        &self.steps
    }

    /// The initial state and the steps taken since.
    pub fn path(&self) -> &[Step<S::Action>] {
        &self.path
    }

    /// What each process would do next that can, as if it were sure to: what a run is told that it stopped when it is cut.
    pub(crate) fn next_of_each(&self) -> Vec<Event> {
        let mut events = self.events.clone();
        events.dedup_by_key(|event| event.thread());
        events.iter_mut().for_each(|event| event.action.is_guarded = false);
        events
    }

    /// Takes the last step back. Says whether there was one.
    pub fn back(&mut self) -> bool {
        let has_failed = self.failed.pop_if(|failed| failed.at == self.path.len()).is_some();
        let can_go_back = has_failed || self.path.len() > 1;
        if can_go_back {
            if !has_failed {
                self.path.pop();
            }
            self.look();
        }
        can_go_back
    }

    /// The run as what a search would show: if it has ended, it stutters; if it is idle, it goes round. Who went wrong has
    /// not done so in it. `None` if it has not begun.
    pub fn run(&self) -> Option<Counterexample<S::Action>> {
        let state = self.state()?;
        let action = self.is_idle().then(|| self.steps.get(0).0);
        let last = Step { action, state: state.into() };
        let is_over = self.events.is_empty() && self.failed.is_empty();
        let cycle = if is_over { vec![last] } else { Vec::new() };
        Some(Counterexample { prefix: self.path.clone(), cycle })
    }

    fn look(&mut self) {
        self.events.clear();
        self.choices.clear();
        self.stopped.clear();
        self.steps.clear();
        match self.path.last() {
            None => self.look_at_beginnings(),
            Some(step) => {
                self.system.successors(&step.state, &mut self.steps);
                self.look_at_steps();
                if self.events.is_empty() {
                    self.look_at_end();
                }
            }
        }
    }

    fn look_at_beginnings(&mut self) {
        let footprint = Footprint { reads: !0, writes: !0 };
        let action = Action { footprint, has_alternatives: true, ..Action::new(Kind::Choose) };
        for alternative in 0..self.initial.iter().count() as u32 {
            let id = EventId { thread: ThreadId::MAIN, alternative };
            self.events.push(Event::pending(id, action, Site::Unknown));
            self.choices.push(Choice { id, alternative, index: alternative });
        }
    }

    fn look_at_steps(&mut self) {
        let Walk { system, is_to_ends, path, steps, choices, failed, .. } = self;
        let state = &*path[path.len() - 1].state;
        for (index, (action, target)) in steps.iter().enumerate() {
            let process = system.process(action);
            let has_failed = failed.iter().any(|failed| failed.process == process);
            if has_failed || *is_to_ends && target == state {
                continue;
            }
            let (thread, alternative) = (ThreadId(process.0), system.alternative(state, action));
            let same = |choice: &&Choice| (choice.id.thread, choice.alternative) == (thread, alternative);
            let ways = choices.iter().filter(same).count() as u32;
            let count = if ways == 0 { 0 } else { pending(*system, state, process).alternatives };
            let id = EventId { thread, alternative: alternative + count * ways };
            choices.push(Choice { id, alternative, index: index as u32 });
        }
        // A system may list its steps in any order that stays; a stepper lists them by thread.
        choices.sort_unstable_by_key(|choice| choice.id);
        let mut from = 0;
        while from < self.choices.len() {
            from = self.look_at_process(from);
        }
    }

    /// Adds the events of the process that has the choices from this one on; says where those of the next begin.
    fn look_at_process(&mut self, from: usize) -> usize {
        let Walk { system, path, steps, events, choices, .. } = self;
        let state = &*path[path.len() - 1].state;
        let thread = choices[from].id.thread;
        let mine = choices[from..].iter().take_while(|choice| choice.id.thread == thread);
        let pending = pending(*system, state, ProcessId(thread.0));
        let before = events.len();
        for choice in mine {
            let (action, target) = steps.get(choice.index as usize);
            let kind = if target == state { Kind::Yield } else { Kind::Step };
            let site = system.source_line(action).map_or(Site::Unknown, |line| Site::Line(line as u32));
            events.push(Event::pending(choice.id, Action { kind, ..step(&pending) }, site));
        }
        from + events.len() - before
    }

    /// What each process waits for that has not ended. Who went wrong waits for nothing.
    fn look_at_end(&mut self) {
        let Walk { system, path, stopped, failed, .. } = self;
        let state = &*path[path.len() - 1].state;
        let goes_on = |process: &ProcessId| failed.iter().all(|failed| failed.process != *process);
        for process in (0..system.processes() as u32).map(ProcessId).filter(goes_on) {
            if let Some(pending) = system.pending(state, process) {
                let id = EventId { thread: ThreadId(process.0), alternative: 0 };
                stopped.push(Event::pending(id, step(&pending), Site::Unknown));
            }
        }
    }
}

/// What a process is about to do that can do something.
fn pending<S: System>(system: &S, state: &[Word], process: ProcessId) -> Pending {
    system.pending(state, process).unwrap_or(Pending::ANYTHING)
}

fn step(pending: &Pending) -> Action {
    let Pending { footprint, is_plural, is_guarded, alternatives: _ } = *pending;
    Action { has_alternatives: is_plural, is_guarded, ..Action::step(footprint) }
}

impl<S: System> Stepper for Walk<'_, S> {
    fn enabled(&self) -> &[Event] {
        &self.events
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let found = self.events.iter().position(|event| event.id == chosen);
        let place = found.expect("the chosen event is one of those that are enabled");
        let (event, index) = (self.events[place], self.choices[place].index as usize);
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
            let process = ProcessId(event.thread().0);
            self.failed.push(Failed { at: self.path.len(), process, step });
        } else {
            self.path.push(step);
        }
        self.look();
        event
    }

    fn stopped(&self) -> &[Event] {
        &self.stopped
    }

    fn restart(&mut self) {
        self.path.clear();
        self.failed.clear();
        if self.initial.iter().count() == 1 {
            self.path.extend(self.initial.iter().map(|state| Step { action: None, state: state.into() }));
        }
        self.look();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::explicit::Graph;
    use crate::fairness::Fairness;
    use crate::frontier::Order;
    use crate::search::explore;
    use selvedge_explore::schedulers::{Exhaustive, Pct, Uniform};
    use selvedge_explore::{Next, RunEnd, Scheduler, Trace, run};
    use selvedge_ltl::Letter;

    fn ladder() -> Graph {
        let arcs = (0..9).flat_map(|node| [(node, 0, node + 1), (node, 1, node / 2)]).collect();
        Graph::new(vec![Letter::exactly(0); 10], arcs, 2)
    }

    #[test]
    fn walks_go_where_searches_go_and_are_runs() {
        let graph = ladder();
        let known = explore(&graph, Order::BreadthFirst, Budget::default(), &mut ()).states;
        let (mut walk, mut uniform, mut trace) = (Walk::new(&graph), Uniform::new(1, 200), Trace::default());
        let mut ended = 0;
        loop {
            walk.restart();
            let end = run(&mut walk, &mut uniform, 100, &mut trace);
            assert_eq!(walk.path().len(), trace.len() + 1);
            assert!(walk.path().iter().all(|step| known.find(&step.state).is_some()));
            let told = walk.run().expect("a run");
            told.replay(&graph, Fairness::Strong);
            assert_eq!(told.ends(), end == RunEnd::Finished);
            ended += usize::from(told.ends());
            if uniform.finish(&trace) == Next::Done {
                break;
            }
        }
        assert!(ended > 0, "some walks reach the top");
    }

    #[test]
    fn a_step_back_is_the_way_it_came() {
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
    fn a_process_that_only_waits_yields_and_pct_gets_past_it() {
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
        fn process(&self, (): ()) -> crate::ProcessId {
            crate::ProcessId(0)
        }
        fn describe(&self, (): ()) -> String {
            "down".to_owned()
        }
        fn show(&self, state: &[Word]) -> Vec<(String, String)> {
            vec![("n".to_owned(), state[0].to_string())]
        }
    }

    #[test]
    fn several_initial_states_are_a_first_choice() {
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
