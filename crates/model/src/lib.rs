//! State spaces: what a system can do, and whether that is what a formula asks for.

pub mod budget;
pub mod counterexample;
pub mod fairness;
pub mod frontier;
pub mod search;
pub mod store;
pub mod system;

pub use budget::{Budget, Clock, Limit, Limits, Stats};
pub use counterexample::{Counterexample, Step};
pub use fairness::Fairness;
pub use frontier::Order;
pub use search::{End, Exploration, Visitor, explore};
pub use store::{StateId, StateTable};
pub use system::{ProcessId, States, Steps, System, Word};
