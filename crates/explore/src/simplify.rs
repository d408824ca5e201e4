//! Trace simplification: an equivalent interleaving with fewer context switches.
//!
//! Swapping adjacent independent steps is unobservable (Walker's thesis, §5.6; Jalbert and Sen, A Trace
//! Simplification Technique for Effective Debugging of Concurrent Programs, FSE 2010). The search looks for
//! a linearisation of the happens-before relation of a run with few pre-emptions and, among these, with few
//! context switches.
//!
//! A *block* is a sequence of steps of one thread. It extends as far as the thread is enabled, or ends at a
//! yield, after which a context switch is no pre-emption. The search chooses the thread of the next block:
//! A* over the number of executed steps of each thread and the thread of the last block. The heuristic
//! counts the other threads with steps left: each of them needs a context switch. If A* takes too long, a
//! greedy search takes the cheapest block next. A commit belongs to no block, and comes as early as
//! possible: mostly just after its store, where it reads like a store to memory.
//!
//! Whether a thread is enabled after a block is certain only in an execution of the run. Here the recorded
//! observations of the steps decide, so the result is a suggestion: the caller executes it and compares the
//! outcome before showing it.
//!
//! Promise: the same steps, in an order that respects happens-before. The same trace gives the same result.

mod moves;

use crate::trace::Trace;
use moves::{Cost, Moves, State};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Longer traces are not simplified: computing happens-before takes time by the square of the length.
pub const MAX_STEPS: usize = 3_000;

/// The greatest number of readiness tests of A*, for each thread of the run.
const MAX_TESTS: usize = 100_000;

/// A simpler order of the trace's steps, by their indices; `None` if the search finds none.
///
/// If the run ended by its last step (the body returned), that step stays the last one.
pub fn simplify(trace: &Trace, ends_by_last: bool) -> Option<Vec<usize>> {
    let is_simple = trace.preemptions() == 0 && trace.switches() <= 2;
    if is_simple || trace.len() > MAX_STEPS {
        return None;
    }
    let moves = Moves::new(trace, ends_by_last);
    let now = Cost { preemptions: trace.preemptions(), switches: trace.switches() };
    // The cost of the result is an estimate, so it must beat both the real cost of the run and its estimated
    // cost.
    let most = now.max(moves.cost_of_run());
    if most == moves.least() {
        return None;
    }
    let mut search = Search::new(&moves);
    let end = search.best().or_else(|| search.greedy())?;
    let cost = search.nodes[end].cost;
    (cost < most).then(|| search.order(end))
}

/// A prefix of an order.
struct Node {
    state: State,
    cost: Cost,
    parent: usize,
    /// The steps since the parent.
    steps: Vec<usize>,
}

struct Search<'m> {
    moves: &'m Moves,
    nodes: Vec<Node>,
    /// The least known cost of reaching each state.
    least_cost: HashMap<State, Cost, BuildHasherDefault<Mixer>>,
}

/// A fast hash function. No adversary chooses the states, so little mixing is enough; the constant is the
/// golden ratio's.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut number = [0; 8];
            number[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(number));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(29) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

impl<'m> Search<'m> {
    fn new(moves: &'m Moves) -> Search<'m> {
        let root = Node { state: moves.start(), cost: Cost::default(), parent: 0, steps: Vec::new() };
        Search { moves, nodes: vec![root], least_cost: HashMap::default() }
    }

    /// The node of a cheapest order, by A*; `None` if that takes too long.
    fn best(&mut self) -> Option<usize> {
        let mut open = BinaryHeap::new();
        open.push(Reverse((Cost::default(), Reverse(0), 0)));
        while let Some(Reverse((_, _, node))) = open.pop() {
            if self.moves.is_end(&self.nodes[node].state) {
                return Some(node);
            }
            let is_outdated =
                self.least_cost.get(&self.nodes[node].state).is_some_and(|c| *c < self.nodes[node].cost);
            if is_outdated {
                continue;
            }
            if self.moves.tests() > MAX_TESTS * self.moves.width() {
                return None;
            }
            for next in self.expand(node) {
                let Node { state, cost, .. } = &self.nodes[next];
                let remaining = self.moves.least_switches_after(state);
                let estimate = Cost { switches: cost.switches + remaining, ..*cost };
                open.push(Reverse((estimate, Reverse(state.count()), next)));
            }
        }
        None
    }

    /// The successors of a node that reach their states at a lower cost than known.
    fn expand(&mut self, node: usize) -> Vec<usize> {
        let (mut successors, mut blocks) = (Vec::new(), Vec::new());
        let cost = self.nodes[node].cost + self.moves.cost_of_switch(&self.nodes[node].state);
        for thread in 0..self.moves.width() {
            self.moves.find_blocks(&self.nodes[node].state, thread, &mut blocks);
            for (steps, state) in blocks.drain(..) {
                if self.least_cost.get(&state).is_some_and(|known| *known <= cost) {
                    continue;
                }
                self.least_cost.insert(state.clone(), cost);
                successors.push(self.nodes.len());
                self.nodes.push(Node { state, cost, parent: node, steps });
            }
        }
        successors
    }

    /// The node of an order in which the cheapest block comes next; of several, the one that begins first in
    /// the run.
    fn greedy(&mut self) -> Option<usize> {
        self.least_cost.clear();
        let mut node = 0;
        while !self.moves.is_end(&self.nodes[node].state) {
            let successors = self.expand(node);
            let key = |next: &usize| {
                let Node { state, cost, steps, .. } = &self.nodes[*next];
                (*cost + self.moves.cost_of_switch(state), steps[0])
            };
            node = successors.into_iter().min_by_key(key)?;
        }
        Some(node)
    }

    /// The steps that lead to a node.
    fn order(&self, end: usize) -> Vec<usize> {
        let mut blocks = Vec::new();
        let mut node = end;
        while node != 0 {
            blocks.push(&self.nodes[node].steps);
            node = self.nodes[node].parent;
        }
        blocks.into_iter().rev().flatten().copied().collect()
    }
}
