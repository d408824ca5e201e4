//! The first levels of a breadth-first search by several workers: one worker, the sequential search.
//!
//! The sequential search expands states in the order of their numbers, level by level. It is stopped before
//! the first state of a level, if there are enough states by then; the level is the work of all workers.
//!
//! Promise: the visitor has been called with all states up to that level, and with the steps of all states
//! before it.

use crate::search::{Budget, Exploration, Order, Progress, Visitor, explore};
use crate::store::StateId;
use crate::system::{Steps, System, Word};

/// The levels that one worker has expanded.
pub(super) struct FirstLevels {
    pub(super) exploration: Exploration,
    /// `None` if the search has ended.
    pub(super) next: Option<NextLevel>,
}

/// The level to go on with.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextLevel {
    /// Its first state; the others have larger numbers.
    pub(super) level: StateId,
    pub(super) depth: u32,
    /// The number of steps of the states before.
    pub(super) transitions: usize,
}

/// Expands the levels before the first one in which there are [`Budget::alone`] states.
pub(super) fn first_levels<S: System>(
    system: &S,
    budget: Budget<'_>,
    visitor: &mut impl Visitor<S>,
) -> FirstLevels {
    let mut first = FirstVisitor {
        visitor,
        alone: budget.alone,
        found: 0,
        end_of_level: 0,
        depth: 0,
        transitions: 0,
        next: None,
    };
    let exploration = explore(system, Order::BreadthFirst, budget, &mut first);
    FirstLevels { next: first.next, exploration }
}

/// Stops the search where several workers go on; passes everything before on.
struct FirstVisitor<'v, V> {
    visitor: &'v mut V,
    alone: usize,
    /// The number of states.
    found: usize,
    /// The number of states in the levels up to the one that is being expanded.
    end_of_level: usize,
    /// The number of levels that were begun.
    depth: u32,
    transitions: usize,
    next: Option<NextLevel>,
}

impl<S: System, V: Visitor<S>> Visitor<S> for FirstVisitor<'_, V> {
    #[inline]
    fn discovered(&mut self, system: &S, id: StateId, state: &[Word], so_far: Progress<'_>) -> bool {
        self.found += 1;
        self.visitor.discovered(system, id, state, so_far)
    }

    #[inline]
    fn expanded(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) -> bool {
        if id.index() == self.end_of_level {
            if self.found >= self.alone {
                let (depth, transitions) = (self.depth, self.transitions);
                self.next = Some(NextLevel { level: id, depth, transitions });
                return true;
            }
            self.end_of_level = self.found;
            self.depth += 1;
        }
        self.transitions += steps.len();
        self.visitor.expanded(system, id, state, steps)
    }
}
