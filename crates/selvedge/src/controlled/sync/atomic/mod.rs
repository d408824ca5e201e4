//! As [`std::sync::atomic`].
//!
//! Inside an exploration stores go through store buffers, as the [memory model](crate::MemoryModel) says.
//! The orderings decide which operations drain the buffers, and which accesses are data races.
//!
//! All stable methods of `std`'s types are here, except `from_ptr`: a controlled atomic has more data than
//! its value, so it cannot be made from a pointer to the value. `fetch_update`, `try_update` and `update`
//! are a load and exchanges, as in `std`, so other threads can run between them.

mod access;
mod bits;
mod controlled;

use crate::control::ActionSpec;
use crate::controlled::current;
use bits::from_bits;
use controlled::{ControlledAtomic, StdAtomic};
use selvedge_explore::Kind;
use std::fmt;
use std::panic::Location;

pub(super) use access::{drain_and_take_committed, peek_in_run};
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

/// As [`std::sync::atomic::spin_loop_hint`]. Inside an exploration the thread yields.
#[track_caller]
#[deprecated(note = "use `hint::spin_loop` instead")]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// Defines an atomic type with the methods that all atomics have. Each method is one of
/// [`ControlledAtomic`].
macro_rules! atomic {
    ($(#[$doc:meta])* $name:ident $([$param:ident])?, $value:ty, $from_bits:expr) => {
        $(#[$doc])*
        pub struct $name $(<$param>)? (ControlledAtomic<std::sync::atomic::$name $(<$param>)?>);

        impl $(<$param>)? $name $(<$param>)? {
            /// An atomic with this value.
            #[track_caller]
            #[inline]
            pub const fn new(value: $value) -> Self {
                Self(ControlledAtomic::new(
                    std::sync::atomic::$name::new(value),
                    std::sync::atomic::$name::new(value),
                ))
            }

            /// The value, by an exclusive reference. Inside an exploration this drains the thread's store
            /// buffer.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// Consumes the atomic, and returns the value.
            pub const fn into_inner(self) -> $value {
                let ControlledAtomic { inner, tag, link, .. } = self.0;
                match link.into_value(tag.into_run()) {
                    Some(bits) => $from_bits(bits),
                    None => inner.into_inner(),
                }
            }

            /// A pointer to the value. Inside an exploration with store buffers, a committed store is
            /// visible there after the next access to the atomic. A `static` has another value in a run,
            /// and there is no pointer to that.
            pub const fn as_ptr(&self) -> *mut $value {
                self.0.inner.as_ptr()
            }

            /// Loads the value.
            #[track_caller]
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            /// Stores a value.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
            }

            /// Stores a value, and returns the previous one.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.0.read_modify_write(order, |inner| inner.swap(value, order))
            }

            /// Stores `new`, if the value is `current`. Returns the previous value.
            #[track_caller]
            #[deprecated(note = "use `compare_exchange` or `compare_exchange_weak` instead")]
            #[allow(deprecated)]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    order => order,
                };
                self.compare_exchange(current, new, order, failure).unwrap_or_else(|previous| previous)
            }

            /// Stores `new`, if the value is `current`. Returns the previous value.
            ///
            /// # Errors
            /// The value, if it is not `current`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.0.compare_exchange(current, new, success, failure)
            }

            /// As `compare_exchange`, but may fail spuriously; inside an exploration it does not.
            ///
            /// # Errors
            /// The value, if the exchange has failed.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.0.compare_exchange_weak(current, new, success, failure)
            }

            /// Loads the value and tries to exchange it for the function's result; repeats that if another
            /// thread has changed the value meanwhile. Returns the previous value.
            ///
            /// # Errors
            /// The value for which the function has returned `None`.
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
                self.0.try_update(set_order, fetch_order, f)
            }

            /// As `fetch_update`, for a function that always has a result.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                let result = self.0.try_update(set_order, fetch_order, |value| Some(f(value)));
                result.unwrap_or_else(|value| value)
            }

            /// The same as `fetch_update`.
            ///
            /// # Errors
            /// The value for which the function has returned `None`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.0.try_update(set_order, fetch_order, f)
            }
        }

        impl $(<$param>)? fmt::Debug for $name $(<$param>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // No visible action: no program should depend on the output.
                fmt::Debug::fmt(&self.0.peek(), f)
            }
        }

        impl $(<$param>)? From<$value> for $name $(<$param>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$param>)? StdAtomic for std::sync::atomic::$name $(<$param>)? {
            type Value = $value;

            #[inline]
            fn new(value: $value) -> Self {
                Self::new(value)
            }

            #[inline]
            fn load(&self, order: Ordering) -> $value {
                self.load(order)
            }

            #[inline]
            fn store(&self, value: $value, order: Ordering) {
                self.store(value, order);
            }

            #[inline]
            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            #[inline]
            fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange_weak(current, new, success, failure)
            }

            #[inline]
            fn get_mut(&mut self) -> &mut $value {
                self.get_mut()
            }
        }
    };
}

/// Defines read-modify-write methods of an atomic type.
macro_rules! fetch {
    ($name:ident $([$param:ident])?, $value:ty, $operand:ty: $($(#[$doc:meta])* $method:ident,)*) => {
        impl $(<$param>)? $name $(<$param>)? {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, value: $operand, order: Ordering) -> $value {
                    self.0.read_modify_write(order, |inner| inner.$method(value, order))
                }
            )*
        }
    };
}

/// Defines atomic types of integers.
macro_rules! integer {
    ($($name:ident $value:ident,)*) => {
        $(
            atomic! {
                #[doc = concat!("As [`std::sync::atomic::", stringify!($name), "`].")]
                $name, $value, from_bits::$value
            }

            fetch! { $name, $value, $value:
                /// Adds, with wrap-around; returns the previous value.
                fetch_add,
                /// Subtracts, with wrap-around; returns the previous value.
                fetch_sub,
                /// Bitwise and; returns the previous value.
                fetch_and,
                /// Bitwise nand; returns the previous value.
                fetch_nand,
                /// Bitwise or; returns the previous value.
                fetch_or,
                /// Bitwise exclusive or; returns the previous value.
                fetch_xor,
                /// Maximum; returns the previous value.
                fetch_max,
                /// Minimum; returns the previous value.
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
    AtomicBool, bool, from_bits::bool
}

fetch! { AtomicBool, bool, bool:
    /// Logical and; returns the previous value.
    fetch_and,
    /// Logical nand; returns the previous value.
    fetch_nand,
    /// Logical or; returns the previous value.
    fetch_or,
    /// Logical exclusive or; returns the previous value.
    fetch_xor,
}

impl AtomicBool {
    /// Logical not; returns the previous value.
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
    AtomicPtr[T], *mut T, from_bits::pointer
}

fetch! { AtomicPtr[T], *mut T, usize:
    /// Adds a number of values to the pointer; returns the previous value.
    fetch_ptr_add,
    /// Subtracts a number of values from the pointer; returns the previous value.
    fetch_ptr_sub,
    /// Adds a number of bytes to the pointer; returns the previous value.
    fetch_byte_add,
    /// Subtracts a number of bytes from the pointer; returns the previous value.
    fetch_byte_sub,
    /// Bitwise or of the address; returns the previous value.
    fetch_or,
    /// Bitwise and of the address; returns the previous value.
    fetch_and,
    /// Bitwise exclusive or of the address; returns the previous value.
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
        fmt::Pointer::fmt(&self.0.peek(), f)
    }
}
