//! An atomic of `std` with a controlled side: what all atomics do, whatever the type of their values.

use super::Ordering;
use super::access::{
    Identity, announce, announce_exchange, announce_store, check_load_ordering, check_store_ordering,
    drain_and_take_committed, peek_in_run, record_exchange,
};
use super::bits::Bits;
use crate::control::memory::Link;
use crate::control::memory::View;
use crate::control::{Execution, Persistence, Stop, Tag};
use crate::controlled::{current, current_for};
use selvedge_explore::{Kind, ObjectId};

/// An atomic of `std`, and its identity in explorations.
///
/// If it is a `static`, the value is in the run, as bits, and each operation is performed on an atomic that
/// is made of them for that.
pub(super) struct ControlledAtomic<A> {
    /// Has the value in memory at the last access. A later commit is applied at the next access. If this is
    /// a `static`: has the value outside of explorations.
    pub(super) inner: A,
    /// Has the value that it was made with. Never changes.
    initial: A,
    pub(super) tag: Tag,
    pub(super) link: Link,
}

/// Why a run is refused.
const NO_EXCLUSIVE: &str = "the value of a static atomic lives in the run, so that there is no exclusive reference to it; \
     make the atomic inside of the explored body";

/// The atomics of `std`.
pub(super) trait StdAtomic {
    type Value: Bits;

    fn new(value: Self::Value) -> Self;

    fn load(&self, order: Ordering) -> Self::Value;

    fn store(&self, value: Self::Value, order: Ordering);

    fn compare_exchange(
        &self,
        current: Self::Value,
        new: Self::Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Self::Value, Self::Value>;

    fn compare_exchange_weak(
        &self,
        current: Self::Value,
        new: Self::Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Self::Value, Self::Value>;

    fn get_mut(&mut self) -> &mut Self::Value;
}

impl<A> ControlledAtomic<A> {
    #[track_caller]
    #[inline]
    pub(super) const fn new(inner: A, initial: A) -> ControlledAtomic<A> {
        ControlledAtomic { inner, initial, tag: Tag::new(), link: Link::new() }
    }
}

impl<A: StdAtomic> ControlledAtomic<A> {
    #[inline]
    fn identity(&self) -> Identity<'_> {
        let initial = self.initial.load(Ordering::Relaxed).to_bits();
        Identity { tag: &self.tag, values: A::Value::VALUES, initial }
    }

    /// Performs an operation on the value that the atomic has in the run.
    #[inline]
    fn in_run<R>(&self, execution: &Execution, object: ObjectId, operation: impl FnOnce(&A) -> R) -> R {
        if !self.tag.is_renewed() {
            return operation(&self.inner);
        }
        let atomic = A::new(A::Value::from_bits(execution.static_value(object)));
        let result = operation(&atomic);
        execution.set_static_value(object, atomic.load(Ordering::Relaxed).to_bits());
        result
    }

    /// The value that the atomic has in the run, as bits. This is no visible action.
    #[inline]
    fn bits(&self, execution: &Execution, object: ObjectId) -> u64 {
        self.in_run(execution, object, |inner| inner.load(Ordering::Relaxed).to_bits())
    }

    #[track_caller]
    #[inline]
    pub(super) fn load(&self, order: Ordering) -> A::Value {
        let Some((execution, object)) = announce(self.identity(), Kind::Load) else {
            return self.inner.load(order);
        };
        if execution.has_buffers() {
            match execution.view(object) {
                View::Itself => {}
                View::News(bits) => self.apply(execution, object, bits),
                View::Own(bits) => {
                    check_load_ordering(order);
                    return A::Value::from_bits(bits);
                }
            }
        }
        execution.observe(self.bits(execution, object));
        execution.loaded(object, order);
        self.in_run(execution, object, |inner| inner.load(order))
    }

    #[track_caller]
    #[inline]
    pub(super) fn store(&self, value: A::Value, order: Ordering) {
        let announced = announce_store(self.identity(), order);
        let Some((execution, object, is_buffered)) = announced else {
            return self.inner.store(value, order);
        };
        self.apply_commit(execution, object);
        check_store_ordering(order);
        if is_buffered {
            let in_memory = self.bits(execution, object);
            if let Some(shadow) = execution.buffer(object, value.to_bits(), in_memory, order) {
                self.link.set(shadow);
            }
            return;
        }
        execution.observe(self.bits(execution, object));
        execution.stored(object, order, false);
        // All threads of a run are on one thread of the operating system, so any ordering will do.
        self.in_run(execution, object, |inner| inner.store(value, Ordering::Release));
        execution.write_through(object, value.to_bits());
    }

    /// Announces a read-modify-write, and performs it by the function.
    #[track_caller]
    #[inline]
    pub(super) fn read_modify_write(
        &self,
        order: Ordering,
        function: impl FnOnce(&A) -> A::Value,
    ) -> A::Value {
        let announced = announce(self.identity(), Kind::Update);
        let Some((execution, object)) = announced else { return function(&self.inner) };
        self.apply_commit(execution, object);
        execution.observe(self.bits(execution, object));
        execution.loaded(object, order);
        execution.stored(object, order, true);
        let before = self.in_run(execution, object, function);
        execution.write_through(object, self.bits(execution, object));
        before
    }

    #[track_caller]
    pub(super) fn compare_exchange(
        &self,
        current: A::Value,
        new: A::Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<A::Value, A::Value> {
        let exchange = |inner: &A| inner.compare_exchange(current, new, success, failure);
        let announced = announce_exchange(self.identity(), current.to_bits());
        let Some((execution, object)) = announced else { return exchange(&self.inner) };
        self.apply_commit(execution, object);
        let result = self.in_run(execution, object, exchange);
        let (Ok(before) | Err(before)) = result;
        execution.observe(before.to_bits());
        if result.is_ok() {
            execution.write_through(object, new.to_bits());
            record_exchange(execution, object, success);
        } else {
            execution.loaded(object, failure);
            execution.failed_exchange(current.to_bits(), new.to_bits());
        }
        result
    }

    /// Inside an exploration this does not fail spuriously.
    #[track_caller]
    pub(super) fn compare_exchange_weak(
        &self,
        current: A::Value,
        new: A::Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<A::Value, A::Value> {
        if current_for(&self.tag, Persistence::KeepsState).is_some() {
            return self.compare_exchange(current, new, success, failure);
        }
        self.inner.compare_exchange_weak(current, new, success, failure)
    }

    #[track_caller]
    pub(super) fn try_update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut function: impl FnMut(A::Value) -> Option<A::Value>,
    ) -> Result<A::Value, A::Value> {
        let mut previous = self.load(fetch_order);
        while let Some(next) = function(previous) {
            match self.compare_exchange_weak(previous, next, set_order, fetch_order) {
                Ok(before) => return Ok(before),
                Err(current) => previous = current,
            }
        }
        Err(previous)
    }

    /// Drains the thread's store buffer, so that the reference is to the last value.
    #[track_caller]
    pub(super) fn get_mut(&mut self) -> &mut A::Value {
        if self.tag.is_renewed()
            && let Some(execution) = current()
        {
            execution.end_run(Stop::Refused(NO_EXCLUSIVE.to_owned()));
        }
        if let Some(bits) = drain_and_take_committed(&self.tag) {
            *self.inner.get_mut() = A::Value::from_bits(bits);
        }
        self.inner.get_mut()
    }

    /// The value that a load of the running thread would return. This is no visible action.
    pub(super) fn peek(&self) -> A::Value {
        peek_in_run(&self.tag).map_or_else(|| self.inner.load(Ordering::Relaxed), A::Value::from_bits)
    }

    /// Stores a committed value where the atomic has its value in the run.
    #[inline]
    fn apply(&self, execution: &Execution, object: ObjectId, bits: u64) {
        self.in_run(execution, object, |inner| inner.store(A::Value::from_bits(bits), Ordering::Relaxed));
    }

    /// Stores the last commit since the last access there.
    #[inline]
    fn apply_commit(&self, execution: &Execution, object: ObjectId) {
        if execution.has_buffers()
            && let Some(bits) = execution.take_committed(object)
        {
            self.apply(execution, object, bits);
        }
    }
}
