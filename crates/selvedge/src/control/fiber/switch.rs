//! The context switch. All unsafe code of coroutines is in this file.
//!
//! Promise: a fiber runs only inside [`Resumable::resume`], on the thread of the operating system that made
//! it; the stack of a fiber that is done is used again.

#![allow(unsafe_code)]

use super::stack::Stack;
#[cfg(unix)]
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::ptr::NonNull;

/// A thread of a program: a stack of its own, and where on it control is.
///
/// The coroutine stays at its address while it runs, so that the fiber itself can be moved meanwhile. A
/// fiber is not dropped: its stack is [taken back](Fiber::into_stack), or it is leaked.
pub(crate) struct Fiber {
    /// Made from a box; the fiber is its only owner.
    seat: NonNull<Seat>,
}

/// The address of a coroutine, allocated once for each stack.
pub(super) type Seat = Option<Coroutine<(), (), ()>>;

const SEATED: &str = "a fiber has a coroutine";

/// A pointer to a fiber that can be resumed, while the fiber itself is in its thread's slot.
#[derive(Clone, Copy)]
pub(crate) struct Resumable(NonNull<Seat>);

/// Why a fiber returned control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resumed {
    Suspended,
    Done,
}

impl Fiber {
    /// A fiber that will run the function, which must not unwind.
    ///
    /// # Safety
    /// All that the function borrows must live until the fiber is done, [forgotten](Fiber::forget) or
    /// [leaked](Fiber::leak).
    pub(crate) unsafe fn new<'f>(stack: Stack, function: impl FnOnce(Suspender) + 'f) -> Fiber {
        let Stack { stack, mut seat } = stack;
        let entry = move |yielder: &Yielder<(), ()>, ()| function(Suspender(yielder));
        // SAFETY: the caller promises that the borrows of the function outlive the fiber.
        *seat = Some(unsafe { Coroutine::with_stack_unchecked(stack, entry) });
        Fiber { seat: NonNull::from(Box::leak(seat)) }
    }

    /// The same fiber, to be resumed.
    #[inline]
    pub(crate) fn resumable(&self) -> Resumable {
        Resumable(self.seat)
    }

    /// The stack of a fiber that is done.
    pub(crate) fn into_stack(self) -> Stack {
        // SAFETY: `new` made the pointer from a box, and the fiber, its only owner, is consumed here.
        let mut seat = unsafe { Box::from_raw(self.seat.as_ptr()) };
        Stack { stack: seat.take().expect(SEATED).into_stack(), seat }
    }

    /// Ends the fiber where it is. No value on its stack is dropped, and the stack is used again.
    ///
    /// # Safety
    /// No thread may use a value on this stack any more.
    pub(crate) unsafe fn forget(self) -> Stack {
        // SAFETY: as in `into_stack`.
        let mut seat = unsafe { Box::from_raw(self.seat.as_ptr()) };
        let mut coroutine = seat.take().expect(SEATED);
        // SAFETY: the values on the stack are leaked, as by `mem::forget`; the caller promises that they are
        // not used.
        unsafe { coroutine.force_reset() };
        Stack { stack: coroutine.into_stack(), seat }
    }

    /// Leaves the fiber where it is for ever: its stack, with all values on it, is never used again.
    pub(crate) fn leak(self) {
        // The seat is behind a pointer, so that no destructor runs here; the name says so at the call.
    }
}

impl Resumable {
    /// Lets the fiber run until it suspends or is done.
    ///
    /// # Safety
    /// The fiber must still exist, and must not be running.
    #[inline]
    pub(crate) unsafe fn resume(mut self) -> Resumed {
        // SAFETY: the seat exists until `Fiber::into_stack`, and a fiber that is not running has no other
        // user of it: both are promised by the caller.
        match unsafe { self.0.as_mut() }.as_mut().expect(SEATED).resume(()) {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => Resumed::Done,
        }
    }
}

/// Executes a function, which must not unwind, on this stack, and returns here.
#[cfg(unix)]
pub(super) fn on_stack(stack: &mut DefaultStack, function: impl FnOnce()) {
    corosensei::on_stack(stack, function);
}

/// The way of a fiber to return control. Valid while the fiber is not done.
#[derive(Clone, Copy)]
pub(crate) struct Suspender(*const Yielder<(), ()>);

impl Suspender {
    /// Of a fiber that has not begun.
    pub(crate) const NONE: Suspender = Suspender(std::ptr::null());

    /// Returns control to the caller of [`Resumable::resume`]; returns here when the fiber is resumed again.
    ///
    /// # Safety
    /// Must be called on the fiber that the suspender was given to.
    #[inline]
    pub(crate) unsafe fn suspend(self) {
        assert!(!self.0.is_null(), "a fiber that has not begun cannot give control back");
        // SAFETY: the yielder lives at the base of the stack of its fiber, which is the running one, as the
        // caller promises.
        unsafe { (*self.0).suspend(()) }
    }

    /// Calls the function on the stack of the caller of [`Resumable::resume`], and returns here.
    ///
    /// # Safety
    /// Must be called on the fiber that the suspender was given to, and the function must not suspend.
    #[inline]
    pub(crate) unsafe fn on_driver_stack<R>(self, function: impl FnOnce() -> R) -> R {
        assert!(!self.0.is_null(), "a fiber that has not begun has no driver");
        let function = OnDriverStack(function);
        // SAFETY: as in `suspend`, the yielder is alive.
        unsafe { (*self.0).on_parent_stack(|| function.call()) }
    }
}

/// A function that is called on the driver's stack.
struct OnDriverStack<F>(F);

// SAFETY: the function stays on its thread of the operating system. The bound that this satisfies keeps
// fibers from suspending on a foreign stack, which the caller of `on_driver_stack` promises not to do.
unsafe impl<F> Send for OnDriverStack<F> {}

impl<F: FnOnce() -> R, R> OnDriverStack<F> {
    #[inline]
    fn call(self) -> R {
        (self.0)()
    }
}
