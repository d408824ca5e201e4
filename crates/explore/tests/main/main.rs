//! The integration tests of the crate, one program.

mod bounded;
mod random_schedulers;
mod reduction;
mod schedulers;
mod simplify;
mod toy;
mod trace_files;
mod yields;
