//! The tests of `selvedge-model` through its public interface, in one binary.

mod agreement;
mod checkpoint;
mod common;
mod invariant;
mod reduced;
mod search;
mod simulate;
mod uncertain;
mod workers;
