//! Breadth-first search by as many workers as the budget has.
//!
//! Promise: one worker goes through the loop of [`search`](crate::search), many through that of
//! [`parallel`](crate::parallel); who asks sees no difference but the choice among equally short paths.

use crate::budget::{Budget, Stats};
use crate::counterexample::Step;
use crate::frontier::Order;
use crate::parallel::{Levels, Watch, explore_by_levels};
use crate::search::{End, Exploration, explore};
use crate::store::StateId;
use crate::system::System;

/// What a breadth-first search found.
#[derive(Debug)]
pub enum BreadthFirst {
    /// By one worker.
    One(Exploration),
    /// By many.
    Many(Levels),
}

/// Looks at the system's states, the nearest first.
pub fn breadth_first<S: System>(system: &S, budget: Budget<'_>, visitor: &mut impl Watch<S>) -> BreadthFirst {
    if budget.workers > 1 {
        BreadthFirst::Many(explore_by_levels(system, budget, visitor))
    } else {
        BreadthFirst::One(explore(system, Order::BreadthFirst, budget, visitor))
    }
}

impl BreadthFirst {
    /// Why it ended.
    pub fn end(&self) -> End {
        match self {
            BreadthFirst::One(exploration) => exploration.end,
            BreadthFirst::Many(levels) => levels.end,
        }
    }

    /// What it took.
    pub fn stats(&self) -> Stats {
        match self {
            BreadthFirst::One(exploration) => exploration.stats,
            BreadthFirst::Many(levels) => levels.stats,
        }
    }

    /// The path from an initial state to this one, as short as any.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        match self {
            BreadthFirst::One(exploration) => exploration.path(system, end),
            BreadthFirst::Many(levels) => levels.path(system, end),
        }
    }
}
