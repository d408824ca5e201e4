//! The types that std lacks, in the versions that programs run with.
//!
//! They are written over [`crate::sync`] and [`crate::thread`]. Without the feature `check` these are std's; with it
//! they are controlled inside of explorations, so that the insides of these types can be explored like any other
//! program.

pub mod atomic_ref;
pub mod interrupt;
mod mailbox;
pub(crate) mod mvar;
#[cfg(test)]
mod mvar_tests;
mod registry;
pub mod stm;
mod wait;
