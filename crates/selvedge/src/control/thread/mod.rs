//! The threads of a run: their slots, their announced actions, their thread-local values.

mod locals;
mod pending;
mod slot;
mod table;
mod tree;
mod waits;

pub(crate) use locals::Gone;
pub(in crate::control) use locals::{drop_locals, local};
pub(in crate::control) use pending::SimpleAction;
pub(crate) use pending::{ActionSpec, Pending};
pub(in crate::control) use slot::Status;
pub(crate) use slot::Thread;
pub(in crate::control) use table::{FIBER, ThreadTable};
pub(crate) use tree::SharedThreadTree;
