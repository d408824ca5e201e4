//! Programs for the comparison of selvedge with loom and shuttle.

pub mod growing;
pub mod programs;
