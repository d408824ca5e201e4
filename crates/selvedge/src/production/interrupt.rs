//! Exceptions: values that unwind a thread without a panic.

use std::any::Any;
use std::fmt;

/// What can be thrown: anything that can be sent and shown.
pub trait Exception: Any + Send + fmt::Debug {}

impl<E: Any + Send + fmt::Debug> Exception for E {}

/// An exception on its way, as the payload of an unwinding thread.
pub struct Thrown(Box<dyn Exception>);

impl Thrown {
    /// This exception, on its way.
    pub fn new(exception: impl Exception) -> Thrown {
        Thrown(Box::new(exception))
    }

    /// Is it an exception of this type?
    pub fn is<E: Exception>(&self) -> bool {
        let exception: &dyn Any = &*self.0;
        exception.is::<E>()
    }

    /// The exception, if it is of this type.
    pub fn downcast<E: Exception>(self) -> Result<E, Thrown> {
        if !self.is::<E>() {
            return Err(self);
        }
        let exception: Box<dyn Any> = self.0;
        Ok(*exception.downcast().expect("its type was looked at"))
    }

    /// Unwinds the calling thread.
    pub(crate) fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
