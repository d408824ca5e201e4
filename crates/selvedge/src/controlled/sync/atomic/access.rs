//! Announcements of accesses to atomics, and stores that are not in the atomic itself.

use crate::control::memory::AtomicState;
use crate::control::memory::Values;
use crate::control::object::Known;
use crate::control::{AT_ONCE, ActionSpec, Execution, ObjectKind, Pending, Persistence, Sync, Tag};
use crate::controlled::{current, current_for};
use selvedge_explore::{Action, Kind, ObjectId};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// Announces an access to an atomic. `None` outside of explorations.
#[track_caller]
#[inline]
pub(super) fn announce<'e>(tag: &Tag, values: Values, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
    let execution = current_for(tag, Persistence::KeepsState)?;
    let object = object(execution, tag, values);
    execution.visible_simple(ActionSpec::at_once(kind), Some(object), None, Location::caller());
    Some((execution, object))
}

/// Announces a compare-exchange with this expected value.
#[track_caller]
#[inline]
pub(super) fn announce_exchange<'e>(
    tag: &Tag,
    values: Values,
    expected: u64,
) -> Option<(&'e Execution, ObjectId)> {
    let execution = current_for(tag, Persistence::KeepsState)?;
    let object = object(execution, tag, values);
    execution.visible_exchange(object, expected, Location::caller());
    Some((execution, object))
}

/// Announces a store. Returns also whether it goes to the thread's store buffer.
#[track_caller]
#[inline]
pub(super) fn announce_store<'e>(
    tag: &Tag,
    values: Values,
    order: Ordering,
) -> Option<(&'e Execution, ObjectId, bool)> {
    let execution = current_for(tag, Persistence::KeepsState)?;
    let object = object(execution, tag, values);
    let has_buffers = execution.has_buffers();
    let drains = has_buffers && order == Ordering::SeqCst;
    let is_buffered = has_buffers && !drains;
    let spec = ActionSpec { drains, is_buffered, ..ActionSpec::at_once(Kind::Store) };
    let alternative = execution.visible_simple(spec, Some(object), None, Location::caller());
    Some((execution, object, is_buffered && alternative != AT_ONCE))
}

#[inline]
fn object(execution: &Execution, tag: &Tag, values: Values) -> ObjectId {
    execution
        .object(tag, ObjectKind::Atomic, Persistence::KeepsState, || Sync::Atomic(AtomicState::of(values)))
}

/// Records the orderings of an exchange that has succeeded.
pub(super) fn record_exchange(execution: &Execution, object: ObjectId, success: Ordering) {
    execution.loaded(object, success);
    execution.stored(object, success, true);
}

/// Panics at the orderings that `std` refuses for a load.
pub(super) fn check_load_ordering(order: Ordering) {
    match order {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => {}
    }
}

/// Panics at the orderings that `std` refuses for a store.
pub(super) fn check_store_ordering(order: Ordering) {
    match order {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => {}
    }
}

/// The execution, if it has store buffers, and the object of this tag in it.
fn in_buffered_run<'e>(tag: &Tag) -> Option<(&'e Execution, ObjectId)> {
    let execution = current().filter(|execution| execution.has_buffers())?;
    let run = execution.state.borrow().run;
    match tag.known(run) {
        Known::InThisRun(object) => Some((execution, object)),
        Known::Never | Known::InAnotherRun => None,
    }
}

/// Drains the store buffer of the running thread, which has exclusive access to the atomic. Returns the
/// committed value, if the atomic itself does not have it yet.
#[track_caller]
pub(in crate::controlled::sync) fn drain_and_take_committed(tag: &Tag) -> Option<u64> {
    let (execution, object) = in_buffered_run(tag)?;
    let has_stored = {
        let state = execution.state.borrow();
        state.buffers.has_stored(state.running)
    };
    if has_stored {
        execution.visible(Pending::here(Action { drains: true, ..Action::new(Kind::Fence) }));
    }
    execution.settle(object)
}

/// The value that a load of the running thread would return, if the atomic itself does not have it. This is
/// no visible action.
pub(in crate::controlled::sync) fn peek_buffered(tag: &Tag) -> Option<u64> {
    let (execution, object) = in_buffered_run(tag)?;
    execution.peek(object)
}
