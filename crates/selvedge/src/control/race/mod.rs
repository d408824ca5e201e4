//! Happens-before by the rules of the Rust memory model, and data races.

mod clocks;
mod races;

pub(crate) use clocks::Arrival;
pub(in crate::control) use clocks::releases;
pub(in crate::control) use races::Raced;
pub(crate) use races::{Access, Accesses};
