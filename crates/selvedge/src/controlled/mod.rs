//! The types and functions of `std`, under the same names: controlled inside an exploration, `std`'s
//! outside.
//!
//! Each type contains `std`'s type. Inside an exploration a thread announces each visible action
//! ([`crate::control`]). When the scheduler chooses the thread, no other thread runs; so the thread uses
//! `std`'s type without waiting, and `std`'s type keeps the value and the poisoning.

pub mod cell;
mod choice;
pub mod hint;
pub mod interrupt;
pub mod stm;
pub mod sync;
pub mod thread;
pub mod time;

pub use choice::choose;
