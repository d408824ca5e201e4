//! Discovery of laws, in a test program of its own.

#![cfg(feature = "check")]

mod bounded_queue;
mod cases;
mod consequences;
mod found;
mod interface;
mod mvar;
mod mvar_laws;
mod read_write_lock;
mod semaphore;
mod soundness;
mod stacks;
