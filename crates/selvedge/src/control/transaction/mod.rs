//! Transactions of a run: one action each, which waits until the transaction would not retry.
//!
//! Walker's thesis, §5.4.1 and Figure 8. What a transaction does depends on the variables that it reads, so it is tried before its thread announces it, and
//! again whenever somebody has changed a variable that it read: that tells whether it would have to wait, and which
//! variables it would read and write. Trying changes nothing; when its thread is chosen the transaction is done once more,
//! for good. A thread whose transaction retries is thus blocked, and an attempt in vain is no step of the run (in
//! the thesis it is one, and costs schedules).
//!
//! Promise: while a thread waits, what is known of its transaction is what it would do now.

#![allow(unsafe_code)]

use crate::control::execution::Execution;
use crate::control::state::State;
use crate::control::thread::{Pending, Status};
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Kind, ObjectId, Site, ThreadId};
use std::panic::Location;

/// What a transaction would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    /// Would it retry?
    pub(crate) would_retry: bool,
    /// What it would read.
    pub(crate) reads: Vec<Variable>,
    /// What it would write.
    pub(crate) writes: Vec<Variable>,
    /// It would panic, and nobody knows what it had read by then.
    pub(crate) would_panic: bool,
}

/// A variable of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) object: ObjectId,
    /// Its bit in footprints: the same in all runs in which its maker did the same.
    pub(crate) bit: u32,
}

/// A transaction that a thread has announced.
pub(crate) struct Announced {
    /// Tries it. Good while its thread waits: the function is in a frame of that thread's stack.
    glance: *mut (dyn FnMut() -> Glance + 'static),
    last: Glance,
}

impl Glance {
    fn footprint(&self) -> Footprint {
        if self.would_panic {
            return Footprint::ANY;
        }
        let bits = |variables: &[Variable]| variables.iter().fold(0, |bits, var| bits | 1 << (var.bit % 64));
        Footprint { reads: bits(&self.reads), writes: bits(&self.writes) }
    }

    /// May it do something else, now that these have changed?
    fn is_concerned_by(&self, changed: &[Variable]) -> bool {
        let has_read = |variable: &Variable| self.reads.iter().any(|read| read.object == variable.object);
        self.would_panic || changed.iter().any(has_read)
    }
}

impl Execution {
    /// A bit for a variable that the running thread makes.
    pub(crate) fn variable_bit(&self) -> u32 {
        let mut state = self.state.borrow_mut();
        let running = state.running;
        let made = &mut state.threads[running.index()].variables_made;
        *made += 1;
        // Far from those of others who make few.
        (*made - 1).wrapping_add(running.0.wrapping_mul(17)) % 64
    }

    /// Announces a transaction, and waits until it is chosen, when it does not retry.
    pub(crate) fn transact(
        &self,
        glance: &mut dyn FnMut() -> Glance,
        is_guarded: bool,
        place: &'static Location<'static>,
    ) {
        let first = self.within_transaction(&mut *glance);
        let glance: *mut (dyn FnMut() -> Glance + '_) = glance;
        // SAFETY: only the lifetime changes. `_closes` takes the pointer out of the thread's slot when this function is left,
        // however that is, so nobody uses it after the borrow that it is made of; and nobody else does while it is there.
        let glance = unsafe {
            std::mem::transmute::<*mut (dyn FnMut() -> Glance + '_), *mut (dyn FnMut() -> Glance + 'static)>(
                glance,
            )
        };
        let action = Action { footprint: first.footprint(), is_guarded, ..Action::new(Kind::Atomically) };
        let thread = {
            let mut state = self.state.borrow_mut();
            let running = state.running;
            let announced = Announced { glance, last: first };
            state.threads[running.index()].transaction = Some(announced);
            running
        };
        let _closes = Closes { execution: self, thread };
        let pending = self.at_point(Pending::new(action, Site::Rust(place)));
        self.visible(pending);
    }

    /// The running thread's transaction has changed these variables: who has read any of them tries again.
    pub(crate) fn variables_changed(&self, changed: &[Variable]) {
        let (count, running) = {
            let state = self.state.borrow();
            (state.thread_count, state.running)
        };
        for index in 0..count {
            let glance = {
                let state = self.state.borrow();
                let slot = &state.threads[index];
                let announced = slot.transaction.as_ref().filter(|_| slot.status == Status::Live);
                let concerns = |announced: &&Announced| announced.last.is_concerned_by(changed);
                announced
                    .filter(|_| index != running.index())
                    .filter(concerns)
                    .map(|announced| announced.glance)
            };
            let Some(glance) = glance else { continue };
            self.state.borrow_mut().running = ThreadId(index as u32);
            // SAFETY: the pointer is there, so its thread waits in `transact`, which borrows what it points to; see there.
            let found = self.within_transaction(|| unsafe { (*glance)() });
            let mut state = self.state.borrow_mut();
            state.running = running;
            let slot = &mut state.threads[index];
            slot.pending.action.footprint = found.footprint();
            if let Some(announced) = &mut slot.transaction {
                announced.last = found;
            }
        }
    }

    /// Runs code of a transaction: nothing else may be visible in it.
    pub(crate) fn within_transaction<R>(&self, work: impl FnOnce() -> R) -> R {
        struct Leaves<'e>(&'e Execution, bool);
        impl Drop for Leaves<'_> {
            fn drop(&mut self) {
                self.0.state.borrow_mut().unusual.in_transaction = self.1;
            }
        }
        let before = std::mem::replace(&mut self.state.borrow_mut().unusual.in_transaction, true);
        let _leaves = Leaves(self, before);
        work()
    }
}

/// Nobody can try the transaction any more.
struct Closes<'e> {
    execution: &'e Execution,
    thread: ThreadId,
}

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.execution.state.borrow_mut().threads[self.thread.index()].transaction = None;
    }
}

impl State {
    /// Would the transaction that this thread has announced go through?
    pub(in crate::control) fn can_transact(&self, thread: ThreadId) -> bool {
        let announced = self.threads[thread.index()].transaction.as_ref();
        announced.is_none_or(|announced| !announced.last.would_retry)
    }

    /// The variables that a thread's transaction waits for, in words.
    pub(in crate::control) fn awaited_variables(&self, thread: ThreadId) -> String {
        let announced = self.threads[thread.index()].transaction.as_ref();
        let reads = announced.map_or(&[][..], |announced| &announced.last.reads);
        let names = reads.iter().map(|read| self.objects[read.object.index()].display_name(read.object));
        match names.collect::<Vec<String>>() {
            names if names.is_empty() => "retries, and has read nothing that could change".to_owned(),
            names => format!("retries, and waits for a change of {}", names.join(", ")),
        }
    }
}
