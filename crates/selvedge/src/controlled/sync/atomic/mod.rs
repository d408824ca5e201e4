//! As [`std::sync::atomic`].
//!
//! Inside of explorations stores go through buffers, as the [memory model](crate::MemoryModel) has it; the orderings decide
//! what waits for them, and what is a data race.
//!
//! Every stable method of std's is here but `from_ptr`: a controlled atomic knows more than its value, so it cannot be made of a
//! place that holds the value alone. `fetch_update`, `try_update` and `update` are a load and exchanges, as in std, so others
//! can come between.

mod access;

use crate::control::memory::Link;
use crate::control::memory::View;
use crate::control::{ActionSpec, Carries, Execution, Tag, current};
use access::{Bits, access, announce_exchange, announce_store, check_load, check_store, exchanged, of_bits};
use selvedge_explore::{Kind, ObjectId};
use std::fmt;
use std::panic::Location;

pub(super) use access::{glance, settled};
pub use std::sync::atomic::Ordering;

/// As [`std::sync::atomic::fence`].
#[track_caller]
pub fn fence(order: Ordering) {
    if let Some(execution) = current() {
        let drains = execution.has_buffers() && order == Ordering::SeqCst;
        let spec = ActionSpec { drains, ..ActionSpec::at_once(Kind::Fence) };
        execution.visible_simple(spec, None, None, Location::caller());
        execution.fenced(order);
        if matches!(order, Ordering::Release | Ordering::AcqRel) && execution.has_buffers() {
            execution.fence_stores();
        }
    }
    std::sync::atomic::fence(order);
}

pub use std::sync::atomic::compiler_fence;

/// As [`std::sync::atomic::spin_loop_hint`]. In an exploration the thread yields.
#[track_caller]
#[deprecated(note = "use `hint::spin_loop` instead")]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// The methods that all atomics have.
macro_rules! atomic {
    ($(#[$doc:meta])* $name:ident $([$param:ident])?, $value:ty, $from_bits:expr) => {
        $(#[$doc])*
        pub struct $name $(<$param>)? {
            inner: std::sync::atomic::$name $(<$param>)?,
            tag: Tag,
            link: Link,
        }

        impl $(<$param>)? $name $(<$param>)? {
            /// A new atomic.
            #[track_caller]
            #[inline]
            pub const fn new(value: $value) -> Self {
                Self { inner: std::sync::atomic::$name::new(value), tag: Tag::new(), link: Link::new() }
            }

            /// The value, by a reference that nobody else has. In an exploration, a thread that has stores in its
            /// buffer waits until they are in memory.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                if let Some(value) = settled(&self.tag) {
                    *self.inner.get_mut() = $from_bits(value);
                }
                self.inner.get_mut()
            }

            /// The value.
            pub const fn into_inner(self) -> $value {
                let Self { inner, tag, link } = self;
                match link.into_value(tag.into_run()) {
                    Some(value) => $from_bits(value),
                    None => inner.into_inner(),
                }
            }

            /// Where the value is. In an exploration with store buffers, a store is there after the next access that
            /// follows its commit.
            pub const fn as_ptr(&self) -> *mut $value {
                self.inner.as_ptr()
            }

            /// The value as bits, without a visible action.
            #[inline]
            fn now(&self) -> u64 {
                self.inner.load(Ordering::Relaxed).bits()
            }

            /// Brings here what was committed since the last access.
            #[inline]
            fn catch_up(&self, execution: &Execution, object: ObjectId) {
                if execution.has_buffers()
                    && let Some(value) = execution.news(object)
                {
                    self.inner.store($from_bits(value), Ordering::Relaxed);
                }
            }

            /// Announces a read and write at once, and does it.
            #[track_caller]
            #[inline]
            fn change(&self, order: Ordering, change: impl FnOnce() -> $value) -> $value {
                let Some((execution, object)) = access(&self.tag, <$value>::VALUES, Kind::Update) else { return change() };
                self.catch_up(execution, object);
                execution.found(self.now());
                execution.loaded(object, order);
                execution.stored(object, order, true);
                let found = change();
                self.wrote(execution, object);
                found
            }

            #[inline]
            fn wrote(&self, execution: &Execution, object: ObjectId) {
                execution.wrote(object, self.now());
            }

            /// What the running thread sees, without a visible action; outside of explorations, what is there.
            fn glance(&self) -> $value {
                let seen = glance(&self.tag);
                seen.map_or_else(|| self.inner.load(Ordering::Relaxed), |value| $from_bits(value))
            }

            /// Reads it.
            #[track_caller]
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                if let Some((execution, object)) = access(&self.tag, <$value>::VALUES, Kind::Load) {
                    if execution.has_buffers() {
                        match execution.view(object) {
                            View::Itself => {}
                            View::News(value) => self.inner.store($from_bits(value), Ordering::Relaxed),
                            View::Own(value) => {
                                check_load(order);
                                return $from_bits(value);
                            }
                        }
                    }
                    execution.found(self.now());
                    execution.loaded(object, order);
                }
                self.inner.load(order)
            }

            /// Writes it.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                let Some((execution, object, is_buffered)) = announce_store(&self.tag, <$value>::VALUES, order) else {
                    return self.inner.store(value, order);
                };
                self.catch_up(execution, object);
                check_store(order);
                if is_buffered {
                    if let Some(shadow) = execution.buffer(object, value.bits(), self.now(), order) {
                        self.link.set(shadow);
                    }
                    return;
                }
                execution.found(self.now());
                execution.stored(object, order, false);
                // All threads of a run are on one thread of the operating system: an order for others is not needed.
                self.inner.store(value, Ordering::Release);
                self.wrote(execution, object);
            }

            /// Writes it, and returns what it was.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.change(order, || self.inner.swap(value, order))
            }

            /// Writes it if it is `current`. Returns what it was.
            #[track_caller]
            #[deprecated(note = "use `compare_exchange` or `compare_exchange_weak` instead")]
            #[allow(deprecated)]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    order => order,
                };
                self.compare_exchange(current, new, order, failure).unwrap_or_else(|found| found)
            }

            /// Writes it if it is `current`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let accessed = announce_exchange(&self.tag, <$value>::VALUES, current.bits());
                if let Some((execution, object)) = accessed {
                    self.catch_up(execution, object);
                }
                let result = self.inner.compare_exchange(current, new, success, failure);
                if let Some((execution, object)) = accessed {
                    if result.is_ok() {
                        self.wrote(execution, object);
                    }
                    let (Ok(found) | Err(found)) = result;
                    execution.found(found.bits());
                    exchanged(execution, object, result.is_ok(), success, failure);
                }
                result
            }

            /// Writes it if it is `current`. Never fails otherwise, in an exploration.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if self.tag.current(Carries::State).is_some() {
                    return self.compare_exchange(current, new, success, failure);
                }
                self.inner.compare_exchange_weak(current, new, success, failure)
            }

            /// Reads it, and tries to write what the function makes of it until nobody came between.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                self.try_update(set_order, fetch_order, f)
            }

            /// Reads it, and writes what the function makes of it; again, until nobody came between.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                let result = self.try_update(set_order, fetch_order, |value| Some(f(value)));
                result.unwrap_or_else(|value| value)
            }

            /// The same as `fetch_update`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut previous = self.load(fetch_order);
                while let Some(next) = f(previous) {
                    match self.compare_exchange_weak(previous, next, set_order, fetch_order) {
                        Ok(before) => return Ok(before),
                        Err(found) => previous = found,
                    }
                }
                Err(previous)
            }
        }

        impl $(<$param>)? fmt::Debug for $name $(<$param>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // A look from outside: no visible action, as no program should depend on it.
                fmt::Debug::fmt(&self.glance(), f)
            }
        }

        impl $(<$param>)? From<$value> for $name $(<$param>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

/// Methods that read, change and write at once.
macro_rules! fetch {
    ($name:ident $([$param:ident])?, $value:ty, $operand:ty: $($(#[$doc:meta])* $method:ident,)*) => {
        impl $(<$param>)? $name $(<$param>)? {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, value: $operand, order: Ordering) -> $value {
                    self.change(order, || self.inner.$method(value, order))
                }
            )*
        }
    };
}

macro_rules! integer {
    ($($name:ident $value:ident,)*) => {
        $(
            atomic! { #[doc = concat!("As [`std::sync::atomic::", stringify!($name), "`].")] $name, $value, of_bits::$value }

            fetch! { $name, $value, $value:
                /// Adds, wrapping around; returns what it was.
                fetch_add,
                /// Subtracts, wrapping around; returns what it was.
                fetch_sub,
                /// Bitwise and; returns what it was.
                fetch_and,
                /// Bitwise nand; returns what it was.
                fetch_nand,
                /// Bitwise or; returns what it was.
                fetch_or,
                /// Bitwise exclusive or; returns what it was.
                fetch_xor,
                /// The larger of the two; returns what it was.
                fetch_max,
                /// The smaller of the two; returns what it was.
                fetch_min,
            }

            impl Default for $name {
                #[track_caller]
                fn default() -> Self {
                    Self::new(<$value>::default())
                }
            }
        )*
    };
}

integer! {
    AtomicI8 i8, AtomicU8 u8, AtomicI16 i16, AtomicU16 u16, AtomicI32 i32, AtomicU32 u32,
    AtomicI64 i64, AtomicU64 u64, AtomicIsize isize, AtomicUsize usize,
}

atomic! {
    /// As [`std::sync::atomic::AtomicBool`].
    AtomicBool, bool, of_bits::bool
}

fetch! { AtomicBool, bool, bool:
    /// Logical and; returns what it was.
    fetch_and,
    /// Logical nand; returns what it was.
    fetch_nand,
    /// Logical or; returns what it was.
    fetch_or,
    /// Logical exclusive or; returns what it was.
    fetch_xor,
}

impl AtomicBool {
    /// Logical not; returns what it was.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        Self::new(false)
    }
}

atomic! {
    /// As [`std::sync::atomic::AtomicPtr`].
    AtomicPtr[T], *mut T, of_bits::pointer
}

fetch! { AtomicPtr[T], *mut T, usize:
    /// Moves it forward by so many values; returns what it was.
    fetch_ptr_add,
    /// Moves it back by so many values; returns what it was.
    fetch_ptr_sub,
    /// Moves it forward by so many bytes; returns what it was.
    fetch_byte_add,
    /// Moves it back by so many bytes; returns what it was.
    fetch_byte_sub,
    /// Bitwise or of its address; returns what it was.
    fetch_or,
    /// Bitwise and of its address; returns what it was.
    fetch_and,
    /// Bitwise exclusive or of its address; returns what it was.
    fetch_xor,
}

/// As [`std::sync::atomic::ATOMIC_BOOL_INIT`].
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);

/// As [`std::sync::atomic::ATOMIC_ISIZE_INIT`].
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);

/// As [`std::sync::atomic::ATOMIC_USIZE_INIT`].
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.glance(), f)
    }
}
