//! Spans and events of `tracing` as propositions of a monitor.
//!
//! Promise: changes of all threads have one order, and formulas see every change that no filter drops.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod facts;
mod layer;
mod sink;

pub use layer::MonitorLayer;
pub use selvedge_monitor as monitor;
pub use sink::Change;
