//! Exceptions and masking states: shared by the production and the controlled version.

use std::any::Any;
use std::fmt;
use std::panic::resume_unwind;

/// A type of exceptions: everything that is [`Send`], [`Debug`](fmt::Debug) and `'static`.
///
/// Implemented for all such types.
pub trait Exception: Any + Send + fmt::Debug {}

impl<E: Any + Send + fmt::Debug> Exception for E {}

/// A thrown exception: the payload of the unwinding. If the thread does not catch it, `join` returns it as
/// the `Err`.
///
/// ```
/// use selvedge::interrupt::{self, Killed, Thrown};
///
/// let thread = interrupt::spawn(|| -> () { interrupt::throw(Killed) });
/// let payload = thread.join().unwrap_err();
/// assert!(payload.downcast_ref::<Thrown>().unwrap().is::<Killed>());
/// ```
pub struct Thrown(Box<dyn Exception>);

impl Thrown {
    pub(crate) fn new(exception: impl Exception) -> Thrown {
        Thrown(Box::new(exception))
    }

    fn as_any(&self) -> &dyn Any {
        // Upcast the exception and not the box, which is itself an `Exception`.
        let exception: &dyn Exception = &*self.0;
        exception
    }

    /// Is the exception of this type?
    #[must_use]
    pub fn is<E: Exception>(&self) -> bool {
        self.as_any().is::<E>()
    }

    /// The exception, if it is of this type.
    #[must_use]
    pub fn downcast_ref<E: Exception>(&self) -> Option<&E> {
        self.as_any().downcast_ref()
    }

    /// The exception.
    ///
    /// # Errors
    /// The thrown exception itself, if it is of another type.
    pub fn downcast<E: Exception>(self) -> Result<E, Thrown> {
        if !self.is::<E>() {
            return Err(self);
        }
        let exception: Box<dyn Any> = self.0;
        Ok(*exception.downcast().expect("it is of this type"))
    }

    /// Unwinds the calling thread with this payload, without the panic hook.
    pub(crate) fn raise(self) -> ! {
        resume_unwind(Box::new(self))
    }
}

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// The exception that `kill` throws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Killed;

impl fmt::Display for Killed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("killed by another thread")
    }
}

impl std::error::Error for Killed {}

/// The masking state of a thread: where exceptions of other threads can interrupt it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Masking {
    /// At every interruption point.
    #[default]
    Unmasked,
    /// Only where an operation waits.
    Interruptible,
    /// Nowhere.
    Uninterruptible,
}
