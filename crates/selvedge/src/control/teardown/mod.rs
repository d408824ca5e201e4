//! The end of a run: threads are stopped and unwound; stacks and slots are recycled.

mod recycle;
mod stop;
mod unwind;

pub(in crate::control) use recycle::Recycled;
pub(in crate::control) use stop::Stopped;
