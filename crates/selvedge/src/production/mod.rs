//! What is there beside std's: the versions that programs run with, for their own sake.
//!
//! In explorations the types of [`crate::dual`](crate) with the same interface stand for them, and keep their values in them.

pub mod atomic_ref;
