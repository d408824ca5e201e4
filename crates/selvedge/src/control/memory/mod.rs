//! Memory models: store buffers, their commits, and the values of atomics.

mod buffers;
mod commits;
mod model;
mod shadow;
mod values;

pub(in crate::control) use buffers::Buffers;
pub(crate) use buffers::{Cell, Promises, View};
pub use model::MemoryModel;
pub(in crate::control) use model::drains;
pub(crate) use shadow::Link;
pub(in crate::control) use shadow::Shadows;
pub(in crate::control) use values::Noted;
pub(crate) use values::Values;
