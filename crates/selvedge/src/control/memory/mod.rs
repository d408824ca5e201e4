//! Memory models: store buffers, their commits, and the values of atomics.

mod access;
mod atomic;
mod buffers;
mod commits;
mod model;
mod shadow;
mod values;

pub(crate) use access::{Promises, View};
pub(in crate::control) use access::{
    buffer_store, fence_stores, is_buffered, peek, set_static_value, settle, static_value, take_committed,
    view, write_through,
};
pub(crate) use atomic::AtomicState;
pub(in crate::control) use buffers::Buffers;
pub(in crate::control) use commits::{commit, discard_stores, flush};
pub use model::MemoryModel;
pub(in crate::control) use model::drains;
pub(crate) use shadow::{Link, Shadow};
pub(crate) use values::Values;
pub(in crate::control) use values::{WrittenValues, value_texts};
#[cfg(feature = "debug")]
pub(in crate::control) use values::{bits_after, last_value_text};
