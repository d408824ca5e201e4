//! What std does not have, for use in earnest: written over [`crate::sync`] and [`crate::thread`], so that explorations can
//! look inside.

pub mod interrupt;
mod slot;
pub mod stm;
mod wait;
