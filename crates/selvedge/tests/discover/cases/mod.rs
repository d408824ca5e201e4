//! The types whose laws are discovered, with their signatures. Tests and the benchmark share them.

pub(crate) mod bounded_queue;
pub(crate) mod mvar;
pub(crate) mod read_write_lock;
pub(crate) mod semaphore;
pub(crate) mod stacks;
