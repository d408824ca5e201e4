//! The same run with fewer switches.
//!
//! Steps that do not depend on each other may be swapped, and nobody can tell (Walker's thesis, §5.7; Jalbert and Sen, A Trace
//! Simplification Technique for Effective Debugging of Concurrent Programs, FSE 2010). Of all orders of a run's steps that keep
//! what happens before what, one is looked for with few pre-emptions, and among these with few switches.
//!
//! A stretch of one thread goes on for as long as it can; it may also end at a yield, where a switch costs nothing. What is left
//! to be decided is whose stretch comes next: A* over how far each thread is and who ran last, where as many switches are still
//! to come as there are other threads with steps left. If that takes too long, whoever is cheapest comes next. A commit is nobody's
//! turn, and is made as soon as it can be: mostly just after its store, where it reads like a store to memory.
//!
//! Whether a thread that is left could have gone on is known for sure only when the run is made. Here it is concluded from what the
//! steps found, so the result is a suggestion: whoever shows it makes the run first, and looks whether it ends in the same way.
//!
//! Promise: the steps are the same, and what happens before a step comes before it. The same trace gives the same result.

mod moves;

use crate::trace::Trace;
use moves::{Cost, Moves, State};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Longer traces stay as they are: what happens before what takes time by the square of the length.
pub const MAX_STEPS: usize = 3_000;

/// The search looks at this many steps at most, whether they can be done, for each thread of the run.
const MAX_LOOKS: usize = 100_000;

/// An order of the trace's steps, by their places in it, that seems simpler; nothing, if none was found.
///
/// Where the run ended by its last step (the body returned, say), that step stays the last one.
pub fn simplify(trace: &Trace, ends_by_last: bool) -> Option<Vec<usize>> {
    let is_simple = trace.preemptions() == 0 && trace.switches() <= 2;
    if is_simple || trace.len() > MAX_STEPS {
        return None;
    }
    let moves = Moves::new(trace, ends_by_last);
    let now = Cost { preemptions: trace.preemptions(), switches: trace.switches() };
    // What is estimated is compared with what is known and with what would be estimated.
    let most = now.max(moves.cost_of_run());
    if most == moves.least() {
        return None;
    }
    let mut search = Search::new(&moves);
    let end = search.best().or_else(|| search.greedy())?;
    let found = search.nodes[end].cost;
    (found < most).then(|| search.order(end))
}

/// How far an order is.
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
    /// The least cost at which each state was reached.
    known: HashMap<State, Cost, BuildHasherDefault<Mixer>>,
}

/// Mixes numbers. Nobody chooses them to be in our way, so that little will do; the constant is the golden ratio's.
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
        Search { moves, nodes: vec![root], known: HashMap::default() }
    }

    /// The node of a cheapest order; nothing, if that takes too long.
    fn best(&mut self) -> Option<usize> {
        let mut open = BinaryHeap::new();
        open.push(Reverse((Cost::default(), Reverse(0), 0)));
        while let Some(Reverse((_, _, node))) = open.pop() {
            if self.moves.is_end(&self.nodes[node].state) {
                return Some(node);
            }
            let is_outdated =
                self.known.get(&self.nodes[node].state).is_some_and(|c| *c < self.nodes[node].cost);
            if is_outdated {
                continue;
            }
            if self.moves.looks() > MAX_LOOKS * self.moves.width() {
                return None;
            }
            for next in self.expand(node) {
                let Node { state, cost, .. } = &self.nodes[next];
                let still = self.moves.still_to_come(state);
                let estimate = Cost { switches: cost.switches + still, ..*cost };
                open.push(Reverse((estimate, Reverse(state.count()), next)));
            }
        }
        None
    }

    /// What can come after a node, as far as it is better than what is known.
    fn expand(&mut self, node: usize) -> Vec<usize> {
        let (mut fresh, mut stretches) = (Vec::new(), Vec::new());
        let cost = self.nodes[node].cost + self.moves.cost_of_switch(&self.nodes[node].state);
        for place in 0..self.moves.width() {
            self.moves.stretches(&self.nodes[node].state, place, &mut stretches);
            for (steps, state) in stretches.drain(..) {
                if self.known.get(&state).is_some_and(|known| *known <= cost) {
                    continue;
                }
                self.known.insert(state.clone(), cost);
                fresh.push(self.nodes.len());
                self.nodes.push(Node { state, cost, parent: node, steps });
            }
        }
        fresh
    }

    /// The node of an order in which the cheapest comes next, of these the one that comes first in the run.
    fn greedy(&mut self) -> Option<usize> {
        self.known.clear();
        let mut node = 0;
        while !self.moves.is_end(&self.nodes[node].state) {
            let fresh = self.expand(node);
            let key = |next: &usize| {
                let Node { state, cost, steps, .. } = &self.nodes[*next];
                (*cost + self.moves.cost_of_switch(state), steps[0])
            };
            node = fresh.into_iter().min_by_key(key)?;
        }
        Some(node)
    }

    /// The steps that lead to a node.
    fn order(&self, end: usize) -> Vec<usize> {
        let mut stretches = Vec::new();
        let mut node = end;
        while node != 0 {
            stretches.push(&self.nodes[node].steps);
            node = self.nodes[node].parent;
        }
        stretches.into_iter().rev().flatten().copied().collect()
    }
}
