//! State spaces: what a system can do, and whether that is what a formula asks for.

pub mod system;

pub use system::{ProcessId, States, Steps, System, Word};
