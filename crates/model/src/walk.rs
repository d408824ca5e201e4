//! One run of a system, step by step: what a person, a scheduler or chance chooses.
//!
//! Promise: the same seed gives the same run on every machine. What a walk does not meet is not thereby absent.

use crate::counterexample::{Counterexample, Step};
use crate::frontier::Random;
use crate::system::{States, Steps, System, Word};

/// A run as far as it has gone.
#[derive(Debug)]
pub struct Walk<'s, S: System> {
    system: &'s S,
    path: Vec<Step<S::Action>>,
    enabled: Steps<S::Action>,
}

impl<'s, S: System> Walk<'s, S> {
    /// A walk that begins in one of the initial states, counted from 0; `None` if there is no such state.
    pub fn new(system: &'s S, initial: usize) -> Option<Walk<'s, S>> {
        let mut states = States::new(system.words());
        system.initial(&mut states);
        let state = states.iter().nth(initial)?.into();
        let mut walk =
            Walk { system, path: vec![Step { action: None, state }], enabled: Steps::new(system.words()) };
        walk.look();
        Some(walk)
    }

    /// Where the walk is.
    pub fn state(&self) -> &[Word] {
        &self.path[self.path.len() - 1].state
    }

    /// The steps that can be taken here.
    pub fn enabled(&self) -> &Steps<S::Action> {
        &self.enabled
    }

    /// The initial state and the steps taken since.
    pub fn path(&self) -> &[Step<S::Action>] {
        &self.path
    }

    /// Takes one of the enabled steps.
    pub fn step(&mut self, index: usize) {
        let (action, state) = self.enabled.get(index);
        self.path.push(Step { action: Some(action), state: state.into() });
        self.look();
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

    /// Takes up to so many steps by chance, each enabled one as likely as any other. Returns how many were taken:
    /// fewer if the run ends.
    pub fn wander(&mut self, random: &mut Random, most: usize) -> usize {
        for taken in 0..most {
            let Some(chosen) = random.below(self.enabled.len()) else { return taken };
            self.step(chosen);
        }
        most
    }

    /// The run as what a search would show: if it has ended, it stutters.
    pub fn into_run(self) -> Counterexample<S::Action> {
        let last = Step { action: None, state: self.state().into() };
        let cycle = if self.enabled.is_empty() { vec![last] } else { Vec::new() };
        Counterexample { prefix: self.path, cycle }
    }

    fn look(&mut self) {
        self.enabled.clear();
        let state = &self.path[self.path.len() - 1].state;
        self.system.successors(state, &mut self.enabled);
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
    use selvedge_ltl::Letter;

    fn ladder() -> Graph {
        let arcs = (0..9).flat_map(|node| [(node, 0, node + 1), (node, 1, node / 2)]).collect();
        Graph::new(vec![Letter::exactly(0); 10], arcs, 2)
    }

    #[test]
    fn walks_go_where_searches_go_and_are_runs() {
        let graph = ladder();
        let known = explore(&graph, Order::BreadthFirst, Budget::default(), &mut ()).states;
        let mut random = Random(1);
        let mut ended = 0;
        for _ in 0..200 {
            let mut walk = Walk::new(&graph, 0).expect("an initial state");
            let taken = walk.wander(&mut random, 100);
            assert_eq!(walk.path().len(), taken + 1);
            assert!(walk.path().iter().all(|step| known.find(&step.state).is_some()));
            let run = walk.into_run();
            run.replay(&graph, Fairness::Strong);
            assert_eq!(run.ends(), taken < 100);
            ended += usize::from(run.ends());
        }
        assert!(ended > 0, "some walks reach the top");
    }

    #[test]
    fn the_same_seed_gives_the_same_walk() {
        let graph = ladder();
        let [one, other] = [5, 5].map(|seed| {
            let mut walk = Walk::new(&graph, 0).expect("an initial state");
            walk.wander(&mut Random(seed), 50);
            walk.into_run()
        });
        assert_eq!(one, other);
    }

    #[test]
    fn a_step_back_is_the_way_it_came() {
        let graph = ladder();
        let mut walk = Walk::new(&graph, 0).expect("an initial state");
        walk.step(0);
        let state = walk.state().to_vec();
        let enabled = walk.enabled().len();
        walk.step(1);
        assert!(walk.back());
        assert_eq!((walk.state(), walk.enabled().len()), (state.as_slice(), enabled));
        assert!(walk.back());
        assert!(!walk.back());
        assert!(Walk::new(&graph, 1).is_none());
    }
}
