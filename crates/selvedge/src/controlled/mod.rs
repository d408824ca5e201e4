//! The types and functions of `std`, under the same names: controlled inside an exploration, `std`'s
//! outside.
//!
//! Each type contains `std`'s type. Inside an exploration a thread announces each visible action
//! ([`crate::control`]). When the scheduler chooses the thread, no other thread runs; so the thread uses
//! `std`'s type without waiting, and `std`'s type keeps the value and the poisoning.
//!
//! Without the feature `check` but with `watch`, locks, channels and threads are compiled without their
//! controlled side, because they tell what they do outside of explorations; all else is `std`'s.

#[cfg(feature = "check")]
pub mod cell;
#[cfg(feature = "check")]
mod choice;
#[cfg(feature = "check")]
mod current;
#[cfg(feature = "check")]
mod effect;
#[cfg(feature = "check")]
pub mod hint;
#[cfg(feature = "check")]
pub mod interrupt;
#[cfg(feature = "check")]
mod plain;
#[cfg(feature = "check")]
pub mod stm;
pub mod sync;
pub mod thread;
#[cfg(feature = "check")]
pub mod time;
#[cfg(feature = "check")]
mod type_id;

#[cfg(feature = "check")]
pub use {choice::choose, effect::effect};

#[cfg(feature = "check")]
use current::{current, current_for};
