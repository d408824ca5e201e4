//! What all atomics do in an exploration: they announce their accesses, and are bits there.

use crate::control::memory::Cell;
use crate::control::memory::Values;
use crate::control::object::Known;
use crate::control::{AT_ONCE, ActionSpec, Carries, Execution, Pending, Sort, Sync, Tag, current};
use selvedge_explore::{Action, Kind, ObjectId};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// Announces an access of an atomic. Returns the execution and the object where there is one.
#[track_caller]
#[inline]
pub(super) fn access<'e>(tag: &Tag, values: Values, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
    let execution = tag.current(Carries::State)?;
    let object = object(execution, tag, values);
    execution.visible_simple(ActionSpec::at_once(kind), Some(object), None, Location::caller());
    Some((execution, object))
}

/// Announces an exchange that looks for a value.
#[track_caller]
#[inline]
pub(super) fn announce_exchange<'e>(
    tag: &Tag,
    values: Values,
    expected: u64,
) -> Option<(&'e Execution, ObjectId)> {
    let execution = tag.current(Carries::State)?;
    let object = object(execution, tag, values);
    execution.visible_exchange(object, expected, Location::caller());
    Some((execution, object))
}

#[inline]
fn object(execution: &Execution, tag: &Tag, values: Values) -> ObjectId {
    execution.object(tag, Sort::Atomic, Carries::State, || Sync::Atomic(Cell::of(values)))
}

/// Announces a store. Says whether it goes to the thread's buffer.
#[track_caller]
#[inline]
pub(super) fn announce_store<'e>(
    tag: &Tag,
    values: Values,
    order: Ordering,
) -> Option<(&'e Execution, ObjectId, bool)> {
    let execution = tag.current(Carries::State)?;
    let object = object(execution, tag, values);
    let has_buffers = execution.has_buffers();
    let drains = has_buffers && order == Ordering::SeqCst;
    let is_buffered = has_buffers && !drains;
    let spec = ActionSpec { drains, is_buffered, ..ActionSpec::at_once(Kind::Store) };
    let alternative = execution.visible_simple(spec, Some(object), None, Location::caller());
    Some((execution, object, is_buffered && alternative != AT_ONCE))
}

/// Refuses what std refuses.
pub(super) fn check_load(order: Ordering) {
    match order {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => {}
    }
}

pub(super) fn check_store(order: Ordering) {
    match order {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => {}
    }
}

/// A value as bits; equal where the values are.
pub(super) trait Bits {
    /// What the bits mean.
    const VALUES: Values;

    fn bits(self) -> u64;
}

macro_rules! bits {
    ($values:ident: $($value:ty)*) => {
        $(
            impl Bits for $value {
                const VALUES: Values = Values::$values;

                #[inline]
                fn bits(self) -> u64 {
                    self as u64
                }
            }
        )*
    };
}

bits! { Bool: bool }
bits! { Signed: i8 i16 i32 i64 isize }
bits! { Unsigned: u8 u16 u32 u64 usize }

/// Values of bits. Functions of their own, not the trait's, because `into_inner` is `const`.
pub(super) mod of_bits {
    macro_rules! of_bits {
        ($($value:ident)*) => {
            $(
                #[inline]
                pub(in super::super) const fn $value(bits: u64) -> $value {
                    bits as $value
                }
            )*
        };
    }

    of_bits! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

    #[inline]
    pub(in super::super) const fn bool(bits: u64) -> bool {
        bits != 0
    }

    #[inline]
    pub(in super::super) const fn pointer<T>(bits: u64) -> *mut T {
        // The cast is `with_exposed_provenance_mut`, which is not `const`: `Bits` has exposed the pointer.
        bits as usize as *mut T
    }
}

impl<T> Bits for *mut T {
    const VALUES: Values = Values::Pointer;

    #[inline]
    fn bits(self) -> u64 {
        // What is made of these bits again, after they have been in a buffer, may point to what this one points to.
        self.expose_provenance() as u64
    }
}

/// The execution in which stores wait in buffers, and the object that the atomic of a tag is there.
fn in_buffers<'e>(tag: &Tag) -> Option<(&'e Execution, ObjectId)> {
    let execution = current().filter(|execution| execution.has_buffers())?;
    let run = execution.state.borrow().run;
    match tag.known(run) {
        Known::As(object) => Some((execution, object)),
        Known::New | Known::Before => None,
    }
}

/// The running thread has an atomic alone. Returns what it is, if that is not in the atomic.
#[track_caller]
pub(in crate::controlled::sync) fn settled(tag: &Tag) -> Option<u64> {
    let (execution, object) = in_buffers(tag)?;
    let has_stored = {
        let state = execution.state.borrow();
        state.buffers.has_stored(state.running)
    };
    if has_stored {
        execution.visible(Pending::here(Action { drains: true, ..Action::new(Kind::Fence) }));
    }
    execution.settle(object)
}

/// What the running thread would read, if that is not in the atomic.
pub(in crate::controlled::sync) fn glance(tag: &Tag) -> Option<u64> {
    let (execution, object) = in_buffers(tag)?;
    execution.glance(object)
}

pub(super) fn exchanged(
    execution: &Execution,
    object: ObjectId,
    done: bool,
    success: Ordering,
    failure: Ordering,
) {
    if done {
        execution.loaded(object, success);
        execution.stored(object, success, true);
    } else {
        execution.loaded(object, failure);
        execution.read_only();
    }
}
