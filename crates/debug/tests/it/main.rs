//! Tests of the temporal debugger.

mod protocol;
