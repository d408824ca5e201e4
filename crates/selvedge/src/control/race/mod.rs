//! Happens-before by the rules of the Rust memory model, and data races.

mod clocks;
mod races;

pub(in crate::control) use clocks::{
    FenceClocks, acquire, fence, load, load_clock, release, release_to, releases, send, store,
};
pub(crate) use races::{Access, Accesses};
pub(in crate::control) use races::{Raced, begin_access, begin_unordered_access, end_access, overlaps};
