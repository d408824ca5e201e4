//! Types with std's names and signatures: controlled inside of an exploration, std's own behaviour outside.
//!
//! Each holds std's type. Inside of an exploration an action is announced first ([`crate::control`]); when its thread
//! is chosen, nobody else runs, so std's type is used without waiting and keeps the value, poisoning and all.

pub mod cell;
mod choice;
pub mod hint;
pub mod interrupt;
pub mod stm;
pub mod sync;
pub mod thread;
pub mod time;

pub use choice::choose;
