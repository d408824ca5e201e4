//! Asynchronous exceptions: a thread interrupts another.

mod types;

pub use types::{Exception, Killed, Masking, Thrown};
