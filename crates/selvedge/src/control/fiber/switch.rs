//! The context switch. All that is unsafe about coroutines is in this file.
//!
//! Promise: a fiber runs only inside [`Fiber::resume`], on the thread of the operating system that made it; stacks of fibers
//! that are done are used again.

#![allow(unsafe_code)]

use corosensei::stack::{DefaultStack, Stack as _};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::ptr::NonNull;

/// A thread of a program: a stack of its own, and where on it control is.
///
/// What changes while it runs stays where it is, so that a fiber can be moved meanwhile. It is not dropped: either its stack is
/// [taken back](Fiber::into_stack), or it is leaked.
pub(crate) struct Fiber {
    /// Made of a box, which nobody else has.
    seat: NonNull<Seat>,
}

/// A fiber that can be resumed, while something else has the fiber itself.
#[derive(Clone, Copy)]
pub(crate) struct Resumable(NonNull<Seat>);

impl Resumable {
    /// Lets it run until it suspends or is done. The fiber must not be resumed already, nor be gone.
    #[inline]
    pub(crate) fn resume(mut self) -> Resumed {
        // SAFETY: the seat lives until `Fiber::into_stack`, which callers call when the fiber is done. Nobody else comes to it
        // while the fiber runs: an execution resumes only who has suspended or not begun.
        match unsafe { self.0.as_mut() }.as_mut().expect(SEATED).resume(()) {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => Resumed::Done,
        }
    }
}

/// A place for a coroutine, used again with its stack.
type Seat = Option<Coroutine<(), (), ()>>;

const SEATED: &str = "a fiber has a coroutine";

/// What a fiber needs to give control back. Valid while the fiber is not done.
#[derive(Clone, Copy)]
pub(crate) struct Suspender(*const Yielder<(), ()>);

impl Suspender {
    /// Of a fiber that has not begun.
    pub(crate) const NONE: Suspender = Suspender(std::ptr::null());

    /// Gives control back to whoever resumed the fiber; returns when it is resumed again.
    ///
    /// Must be called on the fiber that the suspender was given to.
    #[inline]
    pub(crate) fn suspend(self) {
        assert!(!self.0.is_null(), "a fiber that has not begun cannot give control back");
        // SAFETY: `Fiber::new` hands the suspender to the fiber's own function, and the execution keeps it with that
        // thread; the yielder lives at the base of the fiber's stack, which is alive while code runs on it.
        unsafe { (*self.0).suspend(()) }
    }

    /// Calls the function on the stack of whoever resumed the fiber, and returns here. It must not suspend.
    ///
    /// Must be called on the fiber that the suspender was given to.
    #[inline]
    pub(crate) fn on_driver_stack<R>(self, function: impl FnOnce() -> R) -> R {
        assert!(!self.0.is_null(), "a fiber that has not begun has no driver");
        let function = OnDriverStack(function);
        // SAFETY: as in `suspend`, the yielder is alive.
        unsafe { (*self.0).on_parent_stack(|| function.call()) }
    }
}

/// What is called on the driver's stack.
struct OnDriverStack<F>(F);

// SAFETY: the function stays on its thread of the operating system. The bound that this satisfies is there to keep fibers from
// suspending on a stack that is not theirs, which the callers of `on_driver_stack` do not.
unsafe impl<F> Send for OnDriverStack<F> {}

impl<F: FnOnce() -> R, R> OnDriverStack<F> {
    #[inline]
    fn call(self) -> R {
        (self.0)()
    }
}

/// Did a fiber come to its end?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resumed {
    Suspended,
    Done,
}

impl Fiber {
    /// A fiber that will run the function, which must not unwind.
    ///
    /// What the function borrows must live until the fiber is done or [leaked](Fiber::leak); the caller sees to that.
    pub(crate) fn new<'f>(stack: Stack, function: impl FnOnce(Suspender) + 'f) -> Fiber {
        let Stack { stack, mut seat } = stack;
        let entry = move |yielder: &Yielder<(), ()>, ()| function(Suspender(yielder));
        // SAFETY: an execution resumes every fiber until it is done before a run ends (`teardown`), or leaks it with its
        // stack; the frames that it borrows from are below those of the run's driver, or of a scope that waits for it.
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
        // SAFETY: `new` made the pointer of a box, and the fiber, which is gone from here on, is the only one to have it.
        let mut seat = unsafe { Box::from_raw(self.seat.as_ptr()) };
        Stack { stack: seat.take().expect(SEATED).into_stack(), seat }
    }

    /// Ends it where it is. Nothing that is on its stack is dropped, and the stack is used again.
    ///
    /// Nobody may come back to what is there; the caller sees to that.
    pub(crate) fn forget(self) -> Stack {
        // SAFETY: as in `into_stack`.
        let mut seat = unsafe { Box::from_raw(self.seat.as_ptr()) };
        let mut coroutine = seat.take().expect(SEATED);
        // SAFETY: what is on the stack is leaked, as by `mem::forget`, at the end of a run (`teardown`), when all who could have borrowed from it
        // are forgotten too or have ended: threads of the run, whose scopes and handles do not outlive it.
        unsafe { coroutine.force_reset() };
        Stack { stack: coroutine.into_stack(), seat }
    }

    /// Never comes back to it: its stack, and all that is on it, stays as it is for ever.
    pub(crate) fn leak(self) {
        // The seat is behind a pointer, so nothing happens here; the name says so at the place of call.
    }
}

/// Where a stack is: from the page below it that nobody may touch up to its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) limit: usize,
    pub(crate) base: usize,
}

/// Room for a fiber's calls.
pub(crate) struct Stack {
    stack: DefaultStack,
    seat: Box<Seat>,
}

impl Stack {
    /// A stack of at least so many bytes.
    pub(crate) fn new(bytes: usize) -> Stack {
        let stack = DefaultStack::new(bytes);
        let stack = stack.expect("the operating system has no memory for another thread's stack");
        Stack { stack, seat: Box::new(None) }
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> usize {
        self.stack.base().get() - self.stack.limit().get()
    }

    /// Where it is.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { limit: self.stack.limit().get(), base: self.stack.base().get() }
    }
}
