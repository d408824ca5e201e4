//! Some runs instead of all: schedulers walk through a system.
//!
//! `walk` is one run, step by step; `simulation` makes many and judges them; `violation` says what a finite
//! run tells about a formula.

mod messages;
mod simulation;
mod violation;
mod walk;

pub use simulation::{NumberedRun, Simulation, SimulationOptions, simulate};
pub use violation::MAX_CYCLES;
pub use walk::Walk;
