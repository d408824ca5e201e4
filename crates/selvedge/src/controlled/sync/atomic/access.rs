//! Announcements of accesses to atomics, and stores that are not in the atomic itself.

use crate::control::memory::AtomicState;
use crate::control::memory::Values;
use crate::control::object::is_constant_address;
use crate::control::{AT_ONCE, ActionSpec, Execution, ObjectKind, Pending, Persistence, Sync, Tag};
use crate::controlled::{current, current_for};
use selvedge_explore::{Action, Kind, ObjectId};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// What a run has to know of an atomic.
#[derive(Clone, Copy)]
pub(super) struct Identity<'a> {
    pub(super) tag: &'a Tag,
    pub(super) values: Values,
    /// The value that the atomic was made with, as bits.
    pub(super) initial: u64,
}

/// Announces an access to an atomic. `None` outside of explorations.
#[track_caller]
#[inline]
pub(super) fn announce<'e>(identity: Identity<'_>, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
    let execution = current_for(identity.tag, Persistence::KeepsState)?;
    let object = object(execution, identity);
    execution.visible_simple(ActionSpec::at_once(kind), Some(object), None, Location::caller());
    Some((execution, object))
}

/// Announces a compare-exchange with this expected value.
#[track_caller]
#[inline]
pub(super) fn announce_exchange<'e>(
    identity: Identity<'_>,
    expected: u64,
) -> Option<(&'e Execution, ObjectId)> {
    let execution = current_for(identity.tag, Persistence::KeepsState)?;
    let object = object(execution, identity);
    execution.visible_exchange(object, expected, Location::caller());
    Some((execution, object))
}

/// Announces a store. Returns also whether it goes to the thread's store buffer.
#[track_caller]
#[inline]
pub(super) fn announce_store<'e>(
    identity: Identity<'_>,
    order: Ordering,
) -> Option<(&'e Execution, ObjectId, bool)> {
    let execution = current_for(identity.tag, Persistence::KeepsState)?;
    let object = object(execution, identity);
    let has_buffers = execution.has_buffers();
    let drains = has_buffers && order == Ordering::SeqCst;
    let is_buffered = has_buffers && !drains;
    let spec = ActionSpec { drains, is_buffered, ..ActionSpec::at_once(Kind::Store) };
    let alternative = execution.visible_simple(spec, Some(object), None, Location::caller());
    Some((execution, object, is_buffered && alternative != AT_ONCE))
}

#[inline]
fn object(execution: &Execution, identity: Identity<'_>) -> ObjectId {
    execution.known(identity.tag).unwrap_or_else(|| register(execution, identity))
}

/// Registers the atomic with the run that uses it for the first time.
#[inline(never)]
fn register(execution: &Execution, Identity { tag, values, initial }: Identity<'_>) -> ObjectId {
    // A pointer to a heap was made at run time, in the memory of a `static`; an earlier run may have freed
    // what it points to.
    let persistence = if values == Values::Pointer && !is_constant_address(initial as usize) {
        Persistence::KeepsState
    } else {
        Persistence::KeepsStateUnlessStatic
    };
    execution.object(tag, ObjectKind::Atomic, persistence, || Sync::Atomic(AtomicState::of(values, initial)))
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
    Some((execution, execution.known(tag)?))
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
pub(in crate::controlled::sync) fn peek_in_run(tag: &Tag) -> Option<u64> {
    let execution = current()?;
    let object = execution.known(tag)?;
    execution.peek(object).or_else(|| tag.is_renewed().then(|| execution.static_value(object)))
}
