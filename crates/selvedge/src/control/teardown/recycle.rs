//! What one exploration leaves for the next on the same thread of the operating system: stacks above all, and room in lists.
//!
//! Promise: nothing of what a program did is in it; stacks have the size that is asked for.

use crate::control::diagnose::Heartbeat;
use crate::control::execution::{Execution, Settings};
use crate::control::fiber::Stack;
use crate::control::object::Object;
use crate::control::state::State;
use crate::control::thread::{Status, Thread};
use selvedge_explore::Trace;
use std::cell::Cell;

/// So many stacks, threads and objects are kept at most.
const MAX_KEPT: usize = 64;

/// Room for so many steps is kept at most.
const MAX_ROOM: usize = 10_000;

thread_local! {
    static KEPT: Cell<Option<Box<Recycled>>> = const { Cell::new(None) };
}

/// What is kept.
#[derive(Default)]
pub(in crate::control) struct Recycled {
    /// The size that was asked for.
    stack_bytes: usize,
    pub(in crate::control) stacks: Vec<Stack>,
    pub(in crate::control) threads: Vec<Thread>,
    pub(in crate::control) objects: Vec<Object>,
    pub(in crate::control) trace: Trace,
}

impl Recycled {
    /// What is there for an exploration with these settings. Its stacks are told to the heartbeat.
    pub(in crate::control) fn take(settings: &Settings, heartbeat: &Heartbeat) -> Recycled {
        let mut kept = KEPT.take().map_or_else(Recycled::default, |kept| *kept);
        if kept.stack_bytes != settings.stack_bytes {
            kept.stacks.clear();
        }
        kept.stack_bytes = settings.stack_bytes;
        kept.stacks.iter().for_each(|stack| heartbeat.add_stack(stack.bounds()));
        kept
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if state.is_broken || std::thread::panicking() {
            return;
        }
        let kept = state.keep(self.settings.stack_bytes, std::mem::take(self.trace.get_mut()));
        // Where the thread ends, nobody needs it any more.
        let _ = KEPT.try_with(|place| place.set(Some(Box::new(kept))));
    }
}

impl State {
    fn keep(&mut self, stack_bytes: usize, mut trace: Trace) -> Recycled {
        self.clear(0);
        let mut stacks = std::mem::take(&mut self.stacks);
        // A thread may have asked for a larger one.
        let smallest = stacks.iter().map(Stack::bytes).min().unwrap_or(0);
        stacks.retain(|stack| stack.bytes() == smallest);
        stacks.truncate(MAX_KEPT);
        let mut threads = std::mem::take(&mut self.threads);
        threads.retain(|thread| thread.status == Status::Ended);
        threads.truncate(MAX_KEPT);
        threads.iter_mut().for_each(Thread::forget);
        let mut objects = std::mem::take(&mut self.objects);
        objects.truncate(MAX_KEPT);
        trace.clear();
        trace.shrink_to(MAX_ROOM);
        Recycled { stack_bytes, stacks, threads, objects, trace }
    }
}
