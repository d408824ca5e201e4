//! Linear temporal logic, the one language in which every part of Selvedge asks.

pub mod diagnostic;
pub mod formula;
pub mod source;
pub mod syntax;

pub use formula::{Binary, Formula, Unary};
