//! The tests of the library for Rust programs, in one binary. The head of each module says what it tests.
//!
//! Tests that run themselves as child processes (`attribute`, `survival`) or measure the memory of their
//! process (`flat`) have binaries of their own.

mod auto_update;
mod bounds;
mod cases;
mod checkpoint;
mod common;
mod contained;
mod controlled_stm;
mod core;
mod daemons;
mod dependency;
mod effects;
mod every_run;
mod formulas;
mod futures;
mod identity;
mod interrupt_programs;
mod interrupts;
mod litmus;
mod locals;
mod memory;
mod monad_par;
mod optimal;
mod owners;
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
mod spawns;
mod spin;
mod spin_rounds;
mod statics;
mod stm_rules;
mod stm_threads;
mod surface;
mod surface_arc;
mod sync;
mod task;
mod task_threads;
mod threads;
mod time_loops;
mod times;
mod transactions;
mod validated;
mod workers;
