//! As [`std::thread`].

mod spawn;

pub use spawn::{JoinHandle, spawn, yield_now};
pub use std::thread::{Result, panicking};
