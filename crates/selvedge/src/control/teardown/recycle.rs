//! What one exploration leaves for the next on the same thread of the operating system: stacks above all,
//! and the space of lists.
//!
//! Promise: no value of a program is in it; stacks have the size that is asked for.

use crate::control::diagnose::Heartbeat;
use crate::control::execution::{Execution, Settings};
use crate::control::fiber::StackPool;
use crate::control::object::Object;
use crate::control::thread::Thread;
use selvedge_explore::Trace;
use std::cell::Cell;

/// At most this many stacks, threads and objects are kept.
const MAX_SLOTS: usize = 64;

/// Space for at most this many steps is kept.
const MAX_STEPS: usize = 10_000;

thread_local! {
    static RECYCLED: Cell<Option<Box<Recycled>>> = const { Cell::new(None) };
}

/// The space of finished explorations.
#[derive(Default)]
pub(in crate::control) struct Recycled {
    /// The size of the stacks that was asked for.
    stack_bytes: usize,
    pub(in crate::control) stacks: StackPool,
    pub(in crate::control) threads: Vec<Thread>,
    pub(in crate::control) objects: Vec<Object>,
    pub(in crate::control) trace: Trace,
}

impl Recycled {
    /// The space for an exploration with these settings. The heartbeat learns the stacks.
    pub(in crate::control) fn take(settings: &Settings, heartbeat: &Heartbeat) -> Recycled {
        let mut recycled = RECYCLED.take().map_or_else(Recycled::default, |recycled| *recycled);
        if recycled.stack_bytes != settings.stack_bytes {
            recycled.stacks = StackPool::default();
        }
        recycled.stack_bytes = settings.stack_bytes;
        recycled.stacks.bounds().for_each(|bounds| heartbeat.add_stack(bounds));
        recycled
    }

    /// The space of an execution.
    fn of(execution: &mut Execution) -> Recycled {
        let state = execution.state.get_mut();
        let mut objects = state.objects.take_slots();
        objects.truncate(MAX_SLOTS);
        let mut trace = std::mem::take(execution.trace.get_mut());
        trace.clear();
        trace.shrink_to(MAX_STEPS);
        Recycled {
            stack_bytes: execution.settings.stack_bytes,
            stacks: std::mem::take(&mut state.threads.stacks).smallest(MAX_SLOTS),
            threads: state.threads.take_slots(MAX_SLOTS),
            objects,
            trace,
        }
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        if self.state.get_mut().is_broken || std::thread::panicking() {
            return;
        }
        let recycled = Box::new(Recycled::of(self));
        // At the end of the operating system's thread there is no next exploration.
        let _ = RECYCLED.try_with(|place| place.set(Some(recycled)));
    }
}
