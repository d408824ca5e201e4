//! Breadth-first search by as many workers as the budget has.
//!
//! Promise: one worker runs the loop of [`search`](crate::search), several run that of
//! [`workers`](crate::workers). The results differ only in the choice among equally short paths.

use super::{Budget, End, Exploration, Order, Stats, explore};
use crate::ltl::Step;
use crate::store::StateId;
use crate::system::System;
use crate::workers::{LevelSearch, ParallelVisitor, explore_by_levels};

/// The result of a breadth-first search.
#[derive(Debug)]
pub enum BreadthFirst {
    /// By one worker.
    One(Exploration),
    /// By several workers.
    Many(LevelSearch),
}

/// Expands the system's states, nearest first.
pub fn breadth_first<S: System>(
    system: &S,
    budget: Budget<'_>,
    visitor: &mut impl ParallelVisitor<S>,
) -> BreadthFirst {
    if budget.workers > 1 {
        BreadthFirst::Many(explore_by_levels(system, budget, visitor))
    } else {
        BreadthFirst::One(explore(system, Order::BreadthFirst, budget, visitor))
    }
}

impl BreadthFirst {
    /// How the search ended.
    pub fn end(&self) -> End {
        match self {
            BreadthFirst::One(exploration) => exploration.end,
            BreadthFirst::Many(levels) => levels.end,
        }
    }

    /// The figures of the search.
    pub fn stats(&self) -> Stats {
        match self {
            BreadthFirst::One(exploration) => exploration.stats,
            BreadthFirst::Many(levels) => levels.stats,
        }
    }

    /// A shortest path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        match self {
            BreadthFirst::One(exploration) => exploration.path(system, end),
            BreadthFirst::Many(levels) => levels.path(system, end),
        }
    }
}
