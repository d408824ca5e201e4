//! What all measurements share.
//!
//! A measurement is a program with a page of its own, `bench/RESULTS*.md` ([`Run`]). Contestants take turns
//! for some repetitions ([`take_turns`]); a figure is the median with the least and the greatest value
//! ([`Samples`]); time is computing time, that is user and system time together ([`Clock`], [`child`]). The
//! figures go into tables ([`Table`]) that replace those between the marks of the page ([`page`]).
//!
//! Promise: a program that writes a page changes nothing outside of the marks, and ends with 1 if a peer is
//! missing or gives another answer.

pub mod child;
mod clock;
pub mod fit;
pub mod machine;
pub mod page;
pub mod plot;
mod run;
mod samples;
mod table;

pub use clock::Clock;
pub use run::{Plan, Run, bench_folder};
pub use samples::{Samples, take_turns};
pub use table::{Table, number};
