//! An atomic of `std` with a controlled side: what all atomics do, whatever the type of their values.

use super::Ordering;
use super::access::{
    announce, announce_exchange, announce_store, check_load_ordering, check_store_ordering,
    drain_and_take_committed, peek_buffered, record_exchange,
};
use super::bits::Bits;
use crate::control::memory::Link;
use crate::control::memory::View;
use crate::control::{Execution, Persistence, Tag};
use crate::controlled::current_for;
use selvedge_explore::{Kind, ObjectId};

/// An atomic of `std`, and its identity in explorations.
pub(super) struct ControlledAtomic<A> {
    /// Has the value in memory at the last access. A later commit is applied at the next access.
    pub(super) inner: A,
    pub(super) tag: Tag,
    pub(super) link: Link,
}

/// The atomics of `std`.
pub(super) trait StdAtomic {
    type Value: Bits;

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
    pub(super) const fn new(inner: A) -> ControlledAtomic<A> {
        ControlledAtomic { inner, tag: Tag::new(), link: Link::new() }
    }
}

impl<A: StdAtomic> ControlledAtomic<A> {
    #[track_caller]
    #[inline]
    pub(super) fn load(&self, order: Ordering) -> A::Value {
        if let Some((execution, object)) = announce(&self.tag, A::Value::VALUES, Kind::Load) {
            if execution.has_buffers() {
                match execution.view(object) {
                    View::Itself => {}
                    View::News(bits) => self.inner.store(A::Value::from_bits(bits), Ordering::Relaxed),
                    View::Own(bits) => {
                        check_load_ordering(order);
                        return A::Value::from_bits(bits);
                    }
                }
            }
            execution.observe(self.bits());
            execution.loaded(object, order);
        }
        self.inner.load(order)
    }

    #[track_caller]
    #[inline]
    pub(super) fn store(&self, value: A::Value, order: Ordering) {
        let announced = announce_store(&self.tag, A::Value::VALUES, order);
        let Some((execution, object, is_buffered)) = announced else {
            return self.inner.store(value, order);
        };
        self.apply_commit(execution, object);
        check_store_ordering(order);
        if is_buffered {
            if let Some(shadow) = execution.buffer(object, value.to_bits(), self.bits(), order) {
                self.link.set(shadow);
            }
            return;
        }
        execution.observe(self.bits());
        execution.stored(object, order, false);
        // All threads of a run are on one thread of the operating system, so any ordering will do.
        self.inner.store(value, Ordering::Release);
        execution.write_through(object, self.bits());
    }

    /// Announces a read-modify-write, and performs it by the function.
    #[track_caller]
    #[inline]
    pub(super) fn read_modify_write(
        &self,
        order: Ordering,
        function: impl FnOnce(&A) -> A::Value,
    ) -> A::Value {
        let announced = announce(&self.tag, A::Value::VALUES, Kind::Update);
        let Some((execution, object)) = announced else { return function(&self.inner) };
        self.apply_commit(execution, object);
        execution.observe(self.bits());
        execution.loaded(object, order);
        execution.stored(object, order, true);
        let before = function(&self.inner);
        execution.write_through(object, self.bits());
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
        let announced = announce_exchange(&self.tag, A::Value::VALUES, current.to_bits());
        if let Some((execution, object)) = announced {
            self.apply_commit(execution, object);
        }
        let result = self.inner.compare_exchange(current, new, success, failure);
        if let Some((execution, object)) = announced {
            let (Ok(before) | Err(before)) = result;
            execution.observe(before.to_bits());
            if result.is_ok() {
                execution.write_through(object, self.bits());
                record_exchange(execution, object, success);
            } else {
                execution.loaded(object, failure);
                execution.failed_exchange(current.to_bits(), new.to_bits());
            }
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
        if let Some(bits) = drain_and_take_committed(&self.tag) {
            *self.inner.get_mut() = A::Value::from_bits(bits);
        }
        self.inner.get_mut()
    }

    /// The value that a load of the running thread would return. This is no visible action.
    pub(super) fn peek(&self) -> A::Value {
        peek_buffered(&self.tag).map_or_else(|| self.inner.load(Ordering::Relaxed), A::Value::from_bits)
    }

    /// The value of `inner`, as bits. This is no visible action.
    #[inline]
    fn bits(&self) -> u64 {
        self.inner.load(Ordering::Relaxed).to_bits()
    }

    /// Stores the last commit since the last access to `inner`.
    #[inline]
    fn apply_commit(&self, execution: &Execution, object: ObjectId) {
        if execution.has_buffers()
            && let Some(bits) = execution.take_committed(object)
        {
            self.inner.store(A::Value::from_bits(bits), Ordering::Relaxed);
        }
    }
}
