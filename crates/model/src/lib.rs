//! State spaces of systems, and whether their runs satisfy a formula.
//!
//! A language implements [`System`]. [`check()`] decides a formula; [`find_vacuity`] says whether the
//! formula holds only because an antecedent never happens. [`find_failures`] lists deadlocks and errors;
//! [`check_invariants`] does so and decides many invariants in the same pass. [`explore`] is the
//! reachability loop below. [`Walk`] is a single run, which every scheduler of `selvedge-explore` can take;
//! [`simulate()`] makes many and judges them. All searches take a [`Budget`] and report [`Stats`]. Nothing
//! here does input or output or reads a clock.
//!
//! The rooms: [`store`] (states, each stored once), [`search`] (reachability), [`ltl`] (products,
//! components, counterexamples), [`reduce`] (partial-order reduction), [`workers`] (the same searches by
//! several workers), [`checkpoint`] (searches that another process continues), [`simulate`](mod@simulate)
//! (some runs instead of all), [`draw`].

pub mod check;
pub mod checkpoint;
pub mod draw;
pub mod explicit;
pub mod ltl;
pub mod reduce;
pub mod search;
pub mod simulate;
pub mod store;
mod sync;
pub mod system;
pub mod workers;

pub use check::{CheckError, Options, Report, Verdict, check};
pub use checkpoint::{Checkpoint, Known, Refused};
pub use draw::{Picture, draw_product, draw_run, draw_states, state_graph};
pub use ltl::{Counterexample, Fairness, MAX_FAIR_PROCESSES, Negation, Step, find_vacuity};
pub use reduce::{Preserve, Reduced};
pub use search::{
    BreadthFirst, Budget, Clock, End, Exploration, FailureGoal, Failures, Finding, InvariantPass, Limit,
    Limits, MAX_LISTED, MAX_WAITING_SETS, Order, Progress, Stats, Visitor, breadth_first, check_invariants,
    explore, find_deadlocks, find_errors, find_failures, is_invariant,
};
pub use simulate::{NumberedRun, Simulation, SimulationOptions, Walk, simulate};
pub use store::{StateId, StateTable};
pub use system::{Communication, Cut, Pending, ProcessId, States, Steps, System, Word, process_bit};
pub use workers::{LevelSearch, ParallelVisitor, explore_by_levels};
