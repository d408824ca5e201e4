//! What can be thrown, and when a thread takes it.
use std::any::Any;
use std::fmt;

/// When a thread takes exceptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Masking {
    /// At every point.
    #[default]
    Unmasked,
    /// Where it waits.
    Interruptible,
    /// Never.
    Uninterruptible,
}

/// What can be thrown.
pub trait Exception: Any + Send + fmt::Debug {}
impl<E: Any + Send + fmt::Debug> Exception for E {}

/// What was thrown.
pub struct Thrown(Box<dyn Exception>);

impl Thrown {
    pub(crate) fn new(exception: impl Exception) -> Thrown {
        Thrown(Box::new(exception))
    }
    /// Is it one of these?
    pub fn is<E: Exception>(&self) -> bool {
        let any: &dyn Any = &*self.0;
        any.is::<E>()
    }
    /// The exception.
    pub fn downcast<E: Exception>(self) -> Result<E, Thrown> {
        if self.is::<E>() {
            let any: Box<dyn Any> = self.0;
            Ok(*any.downcast().expect("it is one"))
        } else {
            Err(self)
        }
    }
}

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Thrown by `kill`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Killed;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
/// Throws.
pub fn throw(exception: impl Exception) -> ! {
    resume_unwind(Box::new(Thrown::new(exception)))
}
/// Catches.
pub fn catch<E: Exception, T>(work: impl FnOnce() -> T) -> Result<T, E> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => Ok(value),
        Err(payload) => match payload.downcast::<Thrown>() {
            Ok(thrown) => match thrown.downcast::<E>() {
                Ok(exception) => Err(exception),
                Err(thrown) => resume_unwind(Box::new(thrown)),
            },
            Err(payload) => resume_unwind(payload),
        },
    }
}
/// Temporary.
pub struct Restore;
impl Restore {
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}
pub fn throw_to(_: &std::thread::Thread, _: impl Exception) {
    panic!("outside")
}
pub fn masking_state() -> Masking {
    panic!("outside")
}
pub fn mask<T>(work: impl FnOnce(&Restore) -> T) -> T {
    work(&Restore)
}
pub fn uninterruptible_mask<T>(work: impl FnOnce(&Restore) -> T) -> T {
    work(&Restore)
}
pub fn point() {}
pub fn yield_now() {}
pub fn park() {}
pub fn sleep(_: std::time::Duration) {}
pub fn spawn<F, T>(f: F) -> std::thread::JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    std::thread::spawn(f)
}
pub fn spawn_with_unmask<F, T>(f: F) -> std::thread::JoinHandle<T>
where
    F: FnOnce(&Restore) -> T + Send + 'static,
    T: Send + 'static,
{
    std::thread::spawn(|| f(&Restore))
}
