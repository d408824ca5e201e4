//! The context switch. All that is unsafe about coroutines is in this file.
//!
//! Promise: a fiber runs only inside [`Fiber::resume`], on the thread of the operating system that made it; stacks of fibers
//! that are done are used again.

#![allow(unsafe_code)]

use corosensei::stack::{DefaultStack, Stack as _};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::mem::ManuallyDrop;

/// A thread of a program: a stack of its own, and where on it control is.
pub(crate) struct Fiber {
    coroutine: ManuallyDrop<Coroutine<(), (), ()>>,
}

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
        let entry = move |yielder: &Yielder<(), ()>, ()| function(Suspender(yielder));
        // SAFETY: an execution resumes every fiber until it is done before a run ends (`teardown`), or leaks it with its
        // stack; the frames that it borrows from are below those of the run's driver, or of a scope that waits for it.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(stack.0, entry) };
        Fiber { coroutine: ManuallyDrop::new(coroutine) }
    }

    /// Lets it run until it suspends or is done.
    #[inline]
    pub(crate) fn resume(&mut self) -> Resumed {
        match self.coroutine.resume(()) {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => Resumed::Done,
        }
    }

    /// The stack of a fiber that is done.
    pub(crate) fn into_stack(self) -> Stack {
        Stack(ManuallyDrop::into_inner(self.coroutine).into_stack())
    }

    /// Never comes back to it: its stack, and all that is on it, stays as it is for ever.
    pub(crate) fn leak(self) {
        // The coroutine is in a `ManuallyDrop`, so nothing happens here; the name says so at the place of call.
    }
}

/// Room for a fiber's calls.
pub(crate) struct Stack(DefaultStack);

impl Stack {
    /// A stack of at least so many bytes.
    pub(crate) fn new(bytes: usize) -> Stack {
        Stack(
            DefaultStack::new(bytes).expect("the operating system has no memory for another thread's stack"),
        )
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> usize {
        self.0.base().get() - self.0.limit().get()
    }
}
