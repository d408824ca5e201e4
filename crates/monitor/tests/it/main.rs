//! Monitors against the claims of their source, and against naive progression.

mod lock_order;
mod lock_reversal;
mod messages;
mod naive;
mod rest;
mod slices;
mod states;
mod trace_files;
