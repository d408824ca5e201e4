//! Thread-local values of the threads of a run.
//!
//! A key is known by the address of its `static`. Values are made at their first use and dropped when their thread ends, the one
//! that was made last first, as std does it. A destructor may use other values, and make them; one that is gone
//! stays gone. Values without a destructor are never gone.
//!
//! Promise: no borrow of the state is held while a value is made, used or dropped, all of which is the program's code.

use crate::control::exception;
use crate::control::execution::{Execution, Stop};
use crate::control::state::State;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// A thread-local value.
pub(crate) struct Local {
    key: usize,
    /// None when it is gone.
    value: Option<Rc<dyn Any>>,
    needs_drop: bool,
}

/// The value is gone.
#[derive(Debug)]
pub(crate) struct Gone;

impl Execution {
    /// The running thread's value under this key; made now if it has not been.
    pub(crate) fn local<T: 'static>(&self, key: usize, make: impl FnOnce() -> T) -> Result<Rc<T>, Gone> {
        let found = self.state.borrow().find_local(key);
        if let Some(found) = found {
            return found;
        }
        let value = Rc::new(make());
        let mut state = self.state.borrow_mut();
        let running = state.running.index();
        let locals = &mut state.threads[running].locals;
        let local = Local { key, value: Some(value.clone()), needs_drop: std::mem::needs_drop::<T>() };
        // It may have been made while it was made; as in std, the one that is done last stays.
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
    pub(crate) fn drop_locals(&self) {
        let has_none = {
            let state = self.state.borrow();
            state.threads[state.running.index()].locals.is_empty()
        };
        if !has_none {
            self.drop_all_locals();
        }
    }

    fn drop_all_locals(&self) {
        loop {
            let last = self.state.borrow_mut().last_local();
            let Some(value) = last else { break };
            let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) else { continue };
            if exception::is_stop(&*payload) {
                continue;
            }
            let message = exception::message(&*payload);
            let note = format!(
                "{message} (in the destructor of a thread-local value, where a panic ends the process)"
            );
            // The run is over; what is left of this thread's values is dropped when it is unwound.
            let _stopped = catch_unwind(AssertUnwindSafe(|| self.end_run(Stop::Stuck(note))));
        }
        let mut state = self.state.borrow_mut();
        let running = state.running.index();
        // Nothing of these has a destructor.
        state.threads[running].locals.clear();
    }
}

impl State {
    fn find_local<T: 'static>(&self, key: usize) -> Option<Result<Rc<T>, Gone>> {
        let local = self.threads[self.running.index()].locals.iter().find(|local| local.key == key)?;
        let value = local.value.clone().map(|value| value.downcast().expect("a key has one type"));
        Some(value.ok_or(Gone))
    }

    /// Takes the value that was made last, of those that are left and have a destructor.
    fn last_local(&mut self) -> Option<Rc<dyn Any>> {
        let locals = &mut self.threads[self.running.index()].locals;
        let last = locals.iter_mut().rev().find(|local| local.needs_drop && local.value.is_some());
        last.and_then(|local| local.value.take())
    }
}
