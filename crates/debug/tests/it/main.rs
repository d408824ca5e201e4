//! Tests of the temporal debugger.

mod common;
mod large;
mod protocol;
mod section6;
mod slips;
