//! The frontier of a search: the known states that are not expanded, in the order of their expansion.
//!
//! Promise: every pushed state is popped once. Breadth first takes no memory at all: states are numbered in
//! the order of their discovery, so the frontier is a range of numbers.

use crate::store::StateId;
use selvedge_explore::Random;

/// The order in which states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest state first: paths are shortest.
    #[default]
    BreadthFirst,
    /// Latest discovered state first.
    DepthFirst,
    /// A random known state, by this seed.
    Random(u64),
}

/// The known states that are not expanded, each with the length of the path to it.
pub trait Frontier {
    /// Adds a new state; its number follows that of the state pushed before.
    fn push(&mut self, state: StateId, depth: u32);
    /// Removes the state to expand next.
    fn pop(&mut self) -> Option<(StateId, u32)>;
    /// Is it known which state to expand next, and its depth, whatever is pushed meanwhile?
    fn is_next_known(&self) -> bool {
        false
    }
    /// The bytes in use.
    fn memory(&self) -> usize;
    /// Where the search is, if that says all: the states before the first number are popped, those before
    /// the second have the depth that is third.
    fn position(&self) -> Option<[u32; 3]> {
        None
    }
    /// Goes to a [position](Frontier::position) among so many states, into an empty frontier.
    fn go_to(&mut self, _position: [u32; 3], _states: u32) {}
}

impl Order {
    /// An empty frontier of this order.
    pub(crate) fn frontier(self) -> Box<dyn Frontier> {
        match self {
            Order::BreadthFirst => Box::new(Range::default()),
            Order::DepthFirst => Box::new(Stack(Vec::new())),
            Order::Random(seed) => Box::new(Bag { states: Vec::new(), random: Random(seed) }),
        }
    }
}

/// First in, first out.
#[derive(Debug, Default)]
struct Range {
    next: u32,
    end: u32,
    /// The states before this number have the depth of the next state.
    level_end: u32,
    depth: u32,
}

impl Frontier for Range {
    fn push(&mut self, state: StateId, _depth: u32) {
        debug_assert_eq!(state.0, self.end, "states are pushed in the order of their numbers");
        self.end += 1;
    }

    fn pop(&mut self) -> Option<(StateId, u32)> {
        if self.next == self.end {
            return None;
        }
        if self.next == self.level_end {
            // The first level is that of the initial states; all are pushed before the first is popped.
            self.depth += u32::from(self.next > 0);
            self.level_end = self.end;
        }
        self.next += 1;
        Some((StateId(self.next - 1), self.depth))
    }

    fn is_next_known(&self) -> bool {
        self.next < self.level_end
    }

    fn memory(&self) -> usize {
        0
    }

    fn position(&self) -> Option<[u32; 3]> {
        Some([self.next, self.level_end, self.depth])
    }

    fn go_to(&mut self, [next, level_end, depth]: [u32; 3], states: u32) {
        *self = Range { next, end: states, level_end, depth };
    }
}

/// Last in, first out.
#[derive(Debug)]
struct Stack(Vec<(StateId, u32)>);

impl Frontier for Stack {
    fn push(&mut self, state: StateId, depth: u32) {
        self.0.push((state, depth));
    }

    fn pop(&mut self) -> Option<(StateId, u32)> {
        self.0.pop()
    }

    fn memory(&self) -> usize {
        self.0.capacity() * size_of::<(StateId, u32)>()
    }
}

/// No order.
#[derive(Debug)]
struct Bag {
    states: Vec<(StateId, u32)>,
    random: Random,
}

impl Frontier for Bag {
    fn push(&mut self, state: StateId, depth: u32) {
        self.states.push((state, depth));
    }

    fn pop(&mut self) -> Option<(StateId, u32)> {
        let chosen = self.random.below(self.states.len())?;
        Some(self.states.swap_remove(chosen))
    }

    fn memory(&self) -> usize {
        self.states.capacity() * size_of::<(StateId, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states of a tree in the order in which they are popped, with their depths; the state `n` has the
    /// children that the bits of a pseudo-random word tell. States are popped in groups of at most so many.
    fn popped(order: Order, group: usize, states: u32) -> Vec<(StateId, u32)> {
        let (mut frontier, mut random) = (order.frontier(), Random(3));
        let (mut known, mut all) = (3, Vec::new());
        (0..known).for_each(|number| frontier.push(StateId(number), 0));
        loop {
            let start = all.len();
            while let Some(next) = frontier.pop() {
                all.push(next);
                if all.len() - start == group || !frontier.is_next_known() {
                    break;
                }
            }
            if all.len() == start {
                return all;
            }
            for (_, depth) in &all[start..] {
                for _ in 0..(random.word() % 4).min(u64::from(states - known)) {
                    frontier.push(StateId(known), depth + 1);
                    known += 1;
                }
            }
        }
    }

    #[test]
    fn states_that_are_popped_together_are_those_that_come_one_after_the_other() {
        for order in [Order::BreadthFirst, Order::DepthFirst, Order::Random(5)] {
            let single = popped(order, 1, 5000);
            assert_eq!(single.len(), 5000);
            assert!([2, 16, 5000].iter().all(|group| popped(order, *group, 5000) == single), "{order:?}");
        }
    }
}
