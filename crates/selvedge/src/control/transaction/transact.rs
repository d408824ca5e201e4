//! The announcement of a transaction, and the previews of waiting threads.

#![allow(unsafe_code)]

use super::preview::{AnnouncedTransaction, Preview, Variable};
use crate::control::Execution;
use crate::control::state::AtomicSection;
use crate::control::thread::{Pending, Status, Thread};
use selvedge_explore::{Action, Kind, Site, ThreadId};
use std::panic::Location;

/// A bit for a variable that this thread makes.
pub(in crate::control) fn variable_bit(thread: &mut Thread, path_code: u64) -> u32 {
    let made = &mut thread.transactions.variables_made;
    *made += 1;
    // Far from the bits of other threads that make few variables.
    (*made - 1).wrapping_add((path_code as u32).wrapping_sub(1).wrapping_mul(17)) % 64
}

/// Announces a transaction, and waits until its thread is chosen, when it does not retry.
pub(in crate::control) fn transact(
    execution: &Execution,
    preview: &mut dyn FnMut() -> Preview,
    is_guarded: bool,
    place: &'static Location<'static>,
) {
    let first = within_transaction(execution, &mut *preview);
    let preview: *mut (dyn FnMut() -> Preview + '_) = preview;
    // SAFETY: only the lifetime changes. `_withdraws` takes the pointer out of the thread's slot when this
    // function is left, by a return or by unwinding, so that no thread uses it after the borrow that it is
    // made from; and this function does not use the borrow while the pointer is there.
    let preview = unsafe {
        std::mem::transmute::<*mut (dyn FnMut() -> Preview + '_), *mut (dyn FnMut() -> Preview + 'static)>(
            preview,
        )
    };
    let action = Action { footprint: first.footprint(), is_guarded, ..Action::new(Kind::Atomically) };
    let thread = {
        let state = &mut *execution.state.borrow_mut();
        let announced = AnnouncedTransaction { preview, last: first };
        state.threads[state.running].transactions.announced = Some(announced);
        state.running
    };
    let _withdraws = Withdraws { execution, thread };
    let pending = execution.at_point(Pending::new(action, Site::Rust(place)));
    execution.visible(pending);
}

/// The running thread's transaction has changed these variables: threads that have read any of them preview
/// theirs again.
pub(in crate::control) fn variables_changed(execution: &Execution, changed: &[Variable]) {
    let (count, running) = {
        let state = execution.state.borrow();
        (state.threads.ids().len(), state.running)
    };
    for place in 0..count {
        let thread = execution.state.borrow().threads.ids()[place];
        let preview = {
            let state = execution.state.borrow();
            let slot = &state.threads[thread];
            let announced = slot.transactions.announced.as_ref();
            let is_waiting = slot.status == Status::Live && thread != running;
            let affected = announced.filter(|announced| is_waiting && announced.last.is_affected_by(changed));
            affected.map(|announced| announced.preview)
        };
        let Some(preview) = preview else { continue };
        execution.state.borrow_mut().running = thread;
        // SAFETY: the pointer is there, so its thread waits in `transact`, which borrows the function.
        let now = within_transaction(execution, || unsafe { (*preview)() });
        let mut state = execution.state.borrow_mut();
        state.running = running;
        let slot = &mut state.threads[thread];
        slot.pending.action.footprint = now.footprint();
        if let Some(announced) = &mut slot.transactions.announced {
            announced.last = now;
        }
    }
}

/// Executes code of a transaction, in which no other action may be visible.
pub(in crate::control) fn within_transaction<R>(execution: &Execution, work: impl FnOnce() -> R) -> R {
    execution.within_section(AtomicSection::Transaction, work)
}

/// Takes the transaction out of its thread's slot when it is dropped.
struct Withdraws<'e> {
    execution: &'e Execution,
    thread: ThreadId,
}

impl Drop for Withdraws<'_> {
    fn drop(&mut self) {
        self.execution.state.borrow_mut().threads[self.thread].transactions.withdraw();
    }
}
