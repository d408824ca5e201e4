//! Thread-local values of the threads of a run.
//!
//! A key is the address of its `static`. A value is made at its first use and dropped when its thread ends,
//! in the reverse order of making, as in std. A destructor may use other values, and make them; a dropped
//! value is not made again. Values without a destructor are never dropped.
//!
//! Promise: no borrow of the state is held while a value is made, used or dropped, all of which is the
//! program's code.

use crate::control::exception::{is_stop, message};
use crate::control::{Execution, State, Stop};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// A thread-local value.
pub(in crate::control) struct Local {
    key: usize,
    /// None if it was dropped.
    value: Option<Rc<dyn Any>>,
    needs_drop: bool,
}

/// The value was dropped.
#[derive(Debug)]
pub(crate) struct Gone;

/// The running thread's value of this key; made now if it does not exist.
pub(in crate::control) fn local<T: 'static>(
    execution: &Execution,
    key: usize,
    make: impl FnOnce() -> T,
) -> Result<Rc<T>, Gone> {
    let known = find(&execution.state.borrow(), key);
    if let Some(known) = known {
        return known;
    }
    let value = Rc::new(make());
    let mut state = execution.state.borrow_mut();
    let running = state.running;
    let locals = &mut state.threads[running].locals;
    let local = Local { key, value: Some(value.clone()), needs_drop: std::mem::needs_drop::<T>() };
    // Its initialiser may have made it, too; as in std, the value that is completed last stays.
    let before = match locals.iter_mut().find(|local| local.key == key) {
        Some(slot) => Some(std::mem::replace(slot, local)),
        None => {
            locals.push(local);
            None
        }
    };
    drop(state);
    drop(before);
    Ok(value)
}

/// Drops the values of the running thread, which is at its end.
#[inline]
pub(in crate::control) fn drop_locals(execution: &Execution) {
    let has_none = {
        let state = execution.state.borrow();
        state.threads[state.running].locals.is_empty()
    };
    if !has_none {
        drop_all(execution);
    }
}

fn drop_all(execution: &Execution) {
    loop {
        let last = take_last(&mut execution.state.borrow_mut());
        let Some(value) = last else { break };
        let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) else { continue };
        if is_stop(&*payload) {
            continue;
        }
        let message = message(&*payload);
        let note =
            format!("{message} (in the destructor of a thread-local value, where a panic ends the process)");
        // The run is over; the values that are left are dropped when the thread is unwound.
        let _stopped = catch_unwind(AssertUnwindSafe(|| execution.end_run(Stop::Stuck(note))));
    }
    let state = &mut *execution.state.borrow_mut();
    // None of these has a destructor.
    state.threads[state.running].locals.clear();
}

fn find<T: 'static>(state: &State, key: usize) -> Option<Result<Rc<T>, Gone>> {
    let local = state.threads[state.running].locals.iter().find(|local| local.key == key)?;
    let value = local.value.clone().map(|value| value.downcast().expect("a key has one type"));
    Some(value.ok_or(Gone))
}

/// Takes the value that was made last, of the values that have a destructor.
fn take_last(state: &mut State) -> Option<Rc<dyn Any>> {
    let locals = &mut state.threads[state.running].locals;
    let last = locals.iter_mut().rev().find(|local| local.needs_drop && local.value.is_some());
    last.and_then(|local| local.value.take())
}
