//! The threads of a run: their slots, what they announce, their thread-local values.

mod locals;
mod slot;

pub(in crate::control) use locals::Local;
pub(crate) use slot::{ActionSpec, Pending, Thread};
pub(in crate::control) use slot::{SimpleAction, Status, display_name};
