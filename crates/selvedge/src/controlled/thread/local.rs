//! Thread-local values.
//!
//! A key is a `static` that contains a key of `std`, for threads outside of explorations. Inside an
//! exploration each thread of a run has its own values: they are created in each run anew, and dropped when
//! the thread ends.

use crate::control::Execution;
use crate::controlled::current;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

/// As [`std::thread_local!`].
///
/// ```
/// use std::cell::{Cell, RefCell};
///
/// selvedge::thread_local! {
///     static COUNT: Cell<u32> = const { Cell::new(1) };
///     pub static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());
/// }
/// COUNT.set(COUNT.get() + 1);
/// assert_eq!(COUNT.get(), 2);
/// NAMES.with_borrow_mut(|names| names.push("one".to_owned()));
/// ```
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = const $value:block; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attribute])* $vis static $name: $type = const $value);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = const $value:block) => {
        $(#[$attribute])*
        $vis static $name: $crate::thread::LocalKey<$type> = {
            fn make() -> $type {
                #[allow(clippy::declare_interior_mutable_const, reason = "each use makes a new value")]
                const VALUE: $type = $value;
                VALUE
            }
            ::std::thread_local!(static OF_STD: $type = const $value);
            $crate::thread::LocalKey::new(&OF_STD, make)
        };
    };
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = $value:expr; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attribute])* $vis static $name: $type = $value);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = $value:expr) => {
        $(#[$attribute])*
        $vis static $name: $crate::thread::LocalKey<$type> = {
            fn make() -> $type {
                $value
            }
            ::std::thread_local!(static OF_STD: $type = make());
            $crate::thread::LocalKey::new(&OF_STD, make)
        };
    };
}

/// As [`std::thread::LocalKey`]; made by [`thread_local!`](crate::thread_local).
pub struct LocalKey<T: 'static> {
    std_key: &'static std::thread::LocalKey<T>,
    make: fn() -> T,
}

/// As [`std::thread::AccessError`].
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AccessError;

impl<T: 'static> LocalKey<T> {
    /// For [`thread_local!`](crate::thread_local). A key must be a `static`: its address identifies it.
    #[doc(hidden)]
    pub const fn new(std_key: &'static std::thread::LocalKey<T>, make: fn() -> T) -> LocalKey<T> {
        LocalKey { std_key, make }
    }

    /// The value of the running thread in a run.
    fn value_in_run(
        &'static self,
        execution: &Execution,
        make: impl FnOnce() -> T,
    ) -> Result<Rc<T>, AccessError> {
        let key = std::ptr::from_ref(self).addr();
        execution.local(key, make).map_err(|_| AccessError)
    }

    /// As [`std::thread::LocalKey::with`].
    ///
    /// # Panics
    /// If the value is already destroyed, as in `std`.
    #[track_caller]
    pub fn with<F, R>(&'static self, function: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.try_with(function).unwrap_or_else(|error| panic_destroyed(error))
    }

    /// As [`std::thread::LocalKey::try_with`].
    ///
    /// # Errors
    /// If the value is already destroyed.
    pub fn try_with<F, R>(&'static self, function: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        match current() {
            None => self.std_key.try_with(function).map_err(|_| AccessError),
            Some(execution) => self.value_in_run(execution, self.make).map(|value| function(&value)),
        }
    }

    /// Sets the content of the value. If the value does not exist yet, creates it with this content.
    #[track_caller]
    fn set_or_create<S>(
        &'static self,
        execution: &Execution,
        content: S,
        create: impl FnOnce(S) -> T,
        set: impl FnOnce(&T, S),
    ) {
        let content = Cell::new(Some(content));
        let value = self.value_in_run(execution, || create(content.take().expect("created once")));
        let value = value.unwrap_or_else(|error| panic_destroyed(error));
        if let Some(content) = content.take() {
            set(&value, content);
        }
    }
}

#[track_caller]
fn panic_destroyed(error: AccessError) -> ! {
    panic!("cannot access a Thread Local Storage value during or after destruction: {error:?}")
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// As [`std::thread::LocalKey::set`].
    #[track_caller]
    pub fn set(&'static self, value: T) {
        match current() {
            None => self.std_key.set(value),
            Some(execution) => self.set_or_create(execution, value, Cell::new, |cell, value| cell.set(value)),
        }
    }

    /// As [`std::thread::LocalKey::get`].
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// As [`std::thread::LocalKey::take`].
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// As [`std::thread::LocalKey::replace`].
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// As [`std::thread::LocalKey::with_borrow`].
    #[track_caller]
    pub fn with_borrow<F, R>(&'static self, function: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| function(&cell.borrow()))
    }

    /// As [`std::thread::LocalKey::with_borrow_mut`].
    #[track_caller]
    pub fn with_borrow_mut<F, R>(&'static self, function: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| function(&mut cell.borrow_mut()))
    }

    /// As [`std::thread::LocalKey::set`].
    #[track_caller]
    pub fn set(&'static self, value: T) {
        match current() {
            None => self.std_key.set(value),
            Some(execution) => {
                self.set_or_create(execution, value, RefCell::new, |cell, value| {
                    drop(cell.replace(value));
                });
            }
        }
    }

    /// As [`std::thread::LocalKey::take`].
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// As [`std::thread::LocalKey::replace`].
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt("already destroyed", f)
    }
}

impl std::error::Error for AccessError {}
