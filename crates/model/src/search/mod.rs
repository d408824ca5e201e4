//! Reachability: the search loop, its frontier, its budget, and what it decides on single states.
//!
//! `reachability` is the one loop, `frontier` its order, `budget` its limits. `breadth_first` chooses
//! between the loop and the [workers](crate::workers). `deadlocks` and `invariant` are visitors of a
//! breadth-first search; what they find is a `finding` at once.

mod breadth_first;
mod budget;
mod deadlocks;
mod finding;
mod frontier;
mod invariant;
mod reachability;
mod waiting_sets;

pub use breadth_first::{BreadthFirst, breadth_first};
pub use budget::{Budget, CHECK_PERIOD, Clock, FrozenClock, Limit, Limits, Meter, Stats};
pub(crate) use deadlocks::FailureVisitor;
pub use deadlocks::{FailureGoal, Failures, MAX_LISTED, find_deadlocks, find_errors, find_failures};
pub use finding::Finding;
pub(crate) use finding::{Listener, tell};
pub use frontier::{Frontier, Order};
pub use invariant::{InvariantPass, check_invariants, is_invariant};
pub(crate) use reachability::with_actions;
pub use reachability::{End, Exploration, Progress, Visitor, explore};
pub use waiting_sets::MAX_WAITING_SETS;
