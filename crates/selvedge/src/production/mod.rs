//! The types that `std` lacks, as programs use them outside of explorations.
//!
//! They are written over [`crate::sync`] and [`crate::thread`]. Without the feature `check` these are
//! `std`'s. With it, they are controlled inside an exploration: so tests explore the implementation of these
//! types like any other program. (`crate::controlled` has a second version of each type, in which an
//! operation is one step.)

pub mod atomic_ref;
pub mod interrupt;
mod mailbox;
pub(crate) mod mvar;
mod registry;
pub mod stm;
mod wait;
