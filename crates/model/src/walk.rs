//! One run of a system, step by step: a [`Stepper`], so that every scheduler takes it where it likes.
//!
//! A process is a thread; its steps in a state are its alternatives. Where a system has several initial states, the
//! first event is a choice among them, an alternative each, of thread 0 and dependent on everything; where it has one, the walk begins
//! in it. A step that leads back to its own state is a [`Kind::Yield`]: it only waits, and schedulers by priority must
//! let others go first.
//!
//! Promise: the same choices give the same run. What a walk does not meet is not thereby absent.

use crate::counterexample::{Counterexample, Step};
use crate::system::{States, Steps, System, Word};
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Event, EventId, Kind, Site, Stepper, ThreadId};

/// A run as far as it has gone, with the states that it went through.
#[derive(Debug)]
pub struct Walk<'s, S: System> {
    system: &'s S,
    initial: States,
    /// Empty until an initial state is chosen.
    path: Vec<Step<S::Action>>,
    steps: Steps<S::Action>,
    /// What can be done, by process; and the number of each in `steps`, or among the initial states.
    events: Vec<Event>,
    order: Vec<u32>,
}

impl<'s, S: System> Walk<'s, S> {
    /// A walk at its beginning.
    pub fn new(system: &'s S) -> Walk<'s, S> {
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        let steps = Steps::new(system.words());
        let mut walk =
            Walk { system, initial, path: Vec::new(), steps, events: Vec::new(), order: Vec::new() };
        walk.restart();
        walk
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

    /// Takes the last step back. Says whether there was one.
    pub fn back(&mut self) -> bool {
        let can_go_back = self.path.len() > 1;
        if can_go_back {
            self.path.pop();
            self.look();
        }
        can_go_back
    }

    /// The run as what a search would show: if it has ended, it stutters. `None` if it has not begun.
    pub fn run(&self) -> Option<Counterexample<S::Action>> {
        let last = Step { action: None, state: self.state()?.into() };
        let cycle = if self.events.is_empty() { vec![last] } else { Vec::new() };
        Some(Counterexample { prefix: self.path.clone(), cycle })
    }

    fn look(&mut self) {
        self.events.clear();
        self.order.clear();
        self.steps.clear();
        match self.path.last() {
            None => self.look_at_beginnings(),
            Some(step) => {
                self.system.successors(&step.state, &mut self.steps);
                self.look_at_steps();
            }
        }
    }

    fn look_at_beginnings(&mut self) {
        let action = Action { footprint: Footprint { reads: !0, writes: !0 }, ..Action::new(Kind::Choose) };
        for alternative in 0..self.initial.iter().count() as u32 {
            let id = EventId { thread: ThreadId::MAIN, alternative };
            self.events.push(Event { id, action, site: Site::Unknown });
            self.order.push(alternative);
        }
    }

    fn look_at_steps(&mut self) {
        let Walk { system, path, steps, events, order, .. } = self;
        let state = &*path[path.len() - 1].state;
        let process = |index: u32| system.process(steps.get(index as usize).0).0;
        order.extend(0..steps.len() as u32);
        // A system may list its steps in any order that stays; a stepper lists them by thread.
        order.sort_unstable_by_key(|index| (process(*index), *index));
        for index in order.iter() {
            let (action, target) = steps.get(*index as usize);
            let thread = ThreadId(process(*index));
            let before = events.last().map(|event| event.id).filter(|id| id.thread == thread);
            let id = EventId { thread, alternative: before.map_or(0, |id| id.alternative + 1) };
            let kind = if target == state { Kind::Yield } else { Kind::Step };
            let site = system.source_line(action).map_or(Site::Unknown, |line| Site::Line(line as u32));
            let footprint = system.footprint(state, action);
            events.push(Event { id, action: Action { kind, ..Action::step(footprint) }, site });
        }
    }
}

impl<S: System> Stepper for Walk<'_, S> {
    fn enabled(&self) -> &[Event] {
        &self.events
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let found = self.events.iter().position(|event| event.id == chosen);
        let place = found.expect("the chosen event is one of those that are enabled");
        let (event, index) = (self.events[place], self.order[place] as usize);
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
        self.path.push(step);
        self.look();
        event
    }

    fn restart(&mut self) {
        self.path.clear();
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
    use selvedge_explore::{End, Next, Scheduler, Trace, run};
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
            assert_eq!(told.ends(), end == End::Finished);
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
            assert_eq!(run(&mut walk, &mut pct, 10, &mut trace), End::Finished);
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
