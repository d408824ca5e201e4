//! `holds(thread, lock)` in a run: changed by locks, if a formula mentions it.
//!
//! The steps come after the lock is taken and before it is given back. So they are as far apart as the
//! acquisitions are, and programs without such formulas have no more steps than before.
//!
//! Promise: a formula that mentions `holds` sees all locks of the run, or the run is refused: if a lock was
//! taken before the formula is checked, its hold was no step, and no order of the two would be explored.

use crate::control::{Execution, State, Stop};
use crate::watched::locks::{Watch, lock_value};
use selvedge_explore::{Kind, ObjectId, ThreadId};
use selvedge_monitor::{Fact, Property, Value};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

const NAME: &str = "holds";

/// What is known of `holds` in a run.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// Does a formula mention `holds`?
    is_mentioned: bool,
    /// The first lock that was taken without a step.
    first_untold: Option<&'static Location<'static>>,
    /// The names of locks, by their objects.
    names: HashMap<ObjectId, Arc<str>>,
    /// The last thread that has taken the value of an `MVar`, by its object, until a thread puts a value.
    takers: HashMap<ObjectId, Taker>,
    /// The threads whose hold ended before it was told.
    withdrawn: Vec<ThreadId>,
}

#[derive(Debug)]
struct Taker {
    thread: ThreadId,
    fact: Fact,
    is_told: bool,
}

impl Holds {
    pub(super) fn clear(&mut self) {
        let Holds { is_mentioned, first_untold, names, takers, withdrawn } = self;
        (*is_mentioned, *first_untold) = (false, None);
        names.clear();
        takers.clear();
        withdrawn.clear();
    }

    /// The name that the program gave a lock.
    #[cfg(feature = "debug")]
    pub(super) fn name(&self, lock: ObjectId) -> Option<Arc<str>> {
        self.names.get(&lock).cloned()
    }

    /// Has the hold that this thread tells ended before? Then the change is void.
    pub(super) fn is_withdrawn(&mut self, thread: ThreadId) -> bool {
        let position = self.withdrawn.iter().position(|withdrawn| *withdrawn == thread);
        position.map(|position| self.withdrawn.swap_remove(position)).is_some()
    }
}

impl Execution {
    /// A formula is about to be checked.
    pub(super) fn ask_for_holds(&self, name: &str, property: &Property<Fact>) {
        // A template may take any proposition; it gets `holds` if a formula mentions it.
        if matches!(property, Property::Template(_)) || !property.may_mention(NAME) {
            return;
        }
        let first_untold = {
            let holds = &mut self.state.borrow_mut().propositions.holds;
            holds.is_mentioned = true;
            holds.first_untold
        };
        if let Some(at) = first_untold {
            self.end_run(Stop::Refused(format!(
                "the formula `{name}` mentions `holds`, but a lock was taken before, at {}:{}; check the formula at the \
                 beginning of the body",
                at.file(),
                at.line()
            )));
        }
    }

    /// Does a formula of the run mention `holds`?
    #[inline]
    pub(crate) fn mentions_holds(&self) -> bool {
        self.state.borrow().propositions.holds.is_mentioned
    }

    /// The running thread has taken a lock.
    #[inline]
    pub(crate) fn begin_to_hold(&self, watch: &Watch, object: ObjectId, at: &'static Location<'static>) {
        if self.tells_holds(watch, at) {
            self.tell_hold(Kind::SetProp, watch, object, at);
        }
    }

    /// The running thread is about to give back a lock that it has taken.
    #[inline]
    pub(crate) fn end_hold(&self, watch: &Watch, object: ObjectId, at: &'static Location<'static>) {
        if self.mentions_holds() && watch.is_present() {
            self.tell_hold(Kind::ReleaseProp, watch, object, at);
        }
    }

    /// The running thread has taken the value of an `MVar`: it holds the variable until a thread puts a
    /// value.
    #[inline]
    pub(crate) fn take_to_hold(&self, watch: &Watch, object: ObjectId, at: &'static Location<'static>) {
        if self.tells_holds(watch, at) {
            let fact = self.hold(watch, object);
            let taker = Taker { thread: self.state.borrow().running, fact: fact.clone(), is_told: false };
            self.state.borrow_mut().propositions.holds.takers.insert(object, taker);
            self.change_proposition(Kind::SetProp, fact, at);
            let State { propositions, running, .. } = &mut *self.state.borrow_mut();
            if let Some(taker) = propositions.holds.takers.get_mut(&object) {
                taker.is_told |= taker.thread == *running;
            }
        }
    }

    /// The running thread is about to put a value into an `MVar`. If it has taken the last one, its hold
    /// ends.
    #[inline]
    pub(crate) fn begin_to_put(&self, object: ObjectId, at: &'static Location<'static>) {
        self.end_hold_of_taker(object, at, |taker, running| taker == running);
    }

    /// The running thread has put a value into an `MVar`, which ends the hold of another thread.
    #[inline]
    pub(crate) fn end_put(&self, object: ObjectId, at: &'static Location<'static>) {
        self.end_hold_of_taker(object, at, |_, _| true);
    }

    #[inline]
    fn end_hold_of_taker(
        &self,
        object: ObjectId,
        at: &'static Location<'static>,
        is_concerned: impl FnOnce(ThreadId, ThreadId) -> bool,
    ) {
        let taker = {
            let State { propositions, running, .. } = &mut *self.state.borrow_mut();
            let holds = &mut propositions.holds;
            match holds.takers.get(&object) {
                Some(taker) if is_concerned(taker.thread, *running) => holds.takers.remove(&object),
                _ => None,
            }
        };
        let Some(taker) = taker else { return };
        if !taker.is_told {
            self.state.borrow_mut().propositions.holds.withdrawn.push(taker.thread);
        }
        self.change_proposition(Kind::ReleaseProp, taker.fact, at);
    }

    /// Names a lock in this run.
    pub(crate) fn name_lock(&self, object: ObjectId, name: &str) {
        self.state.borrow_mut().propositions.holds.names.insert(object, name.into());
    }

    /// Is the acquisition of a lock a step? If not, it is noted.
    #[inline]
    fn tells_holds(&self, watch: &Watch, at: &'static Location<'static>) -> bool {
        let holds = &mut self.state.borrow_mut().propositions.holds;
        if !holds.is_mentioned && watch.is_present() {
            holds.first_untold.get_or_insert(at);
        }
        holds.is_mentioned && watch.is_present()
    }

    fn tell_hold(&self, kind: Kind, watch: &Watch, object: ObjectId, at: &'static Location<'static>) {
        self.change_proposition(kind, self.hold(watch, object), at);
    }

    /// The proposition that the running thread holds the lock.
    fn hold(&self, watch: &Watch, object: ObjectId) -> Fact {
        let State { propositions, threads, running, .. } = &*self.state.borrow();
        let path = threads.path(*running);
        let thread = path.parse().map_or_else(|_| path.into(), Value::Int);
        let name = propositions.holds.names.get(&object).cloned().map(Value::Text);
        let lock = name.or_else(|| lock_value(watch)).unwrap_or_else(|| (object.index() + 1).into());
        Fact::new(NAME, [thread, lock])
    }
}
