//! Tests of the temporal debugger.

mod common;
mod large;
mod looking_back;
mod propositions;
mod protocol;
mod recording;
mod section6;
mod slips;
