//! The tests of the library for Rust programs, in one program: each module tests what its head says.
//!
//! Beside it stand programs for tests that run themselves as child processes (`attribute`, `survival`), and for
//! those that measure the memory of their process (`flat`).

mod auto_update;
mod cases;
mod checkpoint;
mod common;
mod controlled_stm;
mod core;
mod dependency;
mod futures;
mod identity;
mod interrupt_programs;
mod interrupts;
mod litmus;
mod locals;
mod memory;
mod monad_par;
mod optimal;
mod partial_order;
mod production_mvar;
mod production_stm;
mod production_stress;
mod progress;
mod races;
mod real_programs;
mod reports;
mod rich;
mod rules;
mod same_source;
mod simplify;
mod soundness;
mod spin;
mod stm_rules;
mod stm_threads;
mod surface;
mod sync;
mod task;
mod task_threads;
mod threads;
mod time_loops;
mod times;
mod transactions;
mod validated;
mod workers;
