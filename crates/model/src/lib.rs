//! State spaces: what a system can do, and whether that is what a formula asks for.
//!
//! [`System`] is what a language implements. [`check()`] decides a formula, [`vacuous`] whether that says anything,
//! [`survey()`] lists deadlocks and errors, [`check_invariants`] does that and decides many invariants in the same pass,
//! [`explore`] is the reachability loop below, [`Walk`] a single run, which any scheduler of `selvedge-explore` takes;
//! [`simulate()`] judges some of them.
//! All take a [`Budget`] and report [`Stats`]. Nothing here does input or output or reads a clock.

pub mod breadth_first;
pub mod budget;
pub mod check;
mod component;
pub mod counterexample;
pub mod explicit;
pub mod fairness;
pub mod frontier;
pub mod graph;
pub mod invariant;
mod lasso;
mod ltl;
pub mod negation;
mod nodes;
pub mod parallel;
mod product;
mod question;
pub mod reduced;
mod rules;
pub mod search;
pub mod simulate;
pub mod store;
pub mod survey;
pub mod system;
pub mod tree;
pub mod truth;
pub mod vacuity;
pub mod walk;

pub use breadth_first::{BreadthFirst, breadth_first};
pub use budget::{Budget, Clock, Limit, Limits, Stats};
pub use check::{CheckError, Options, Report, Verdict, check};
pub use counterexample::{Counterexample, Step};
pub use fairness::Fairness;
pub use frontier::Order;
pub use graph::{Picture, draw_product, draw_run, draw_states, state_graph};
pub use invariant::{Pass, check_invariants, is_invariant};
pub use negation::Negation;
pub use parallel::{Levels, Watch, explore_by_levels};
pub use reduced::{Aim, Reduced};
pub use search::{End, Exploration, SoFar, Visitor, explore};
pub use simulate::{Found, Plan, Simulation, simulate};
pub use store::{StateId, StateTable};
pub use survey::{Survey, Wanted, find_deadlocks, find_errors, survey};
pub use system::{Pending, ProcessId, States, Steps, System, Word};
pub use tree::StateSet;
pub use vacuity::vacuous;
pub use walk::Walk;
