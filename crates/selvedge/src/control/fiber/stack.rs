//! Stacks of fibers: made once, and used by one fiber after another.
//!
//! Promise: a stack that is taken from the pool has at least the size that is asked for.

use super::switch::Seat;
use corosensei::stack::{DefaultStack, Stack as _};

/// The addresses of a stack: from the guard page below it up to its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) limit: usize,
    pub(crate) base: usize,
}

/// Memory for the frames of a fiber, and for its coroutine.
pub(crate) struct Stack {
    pub(super) stack: DefaultStack,
    pub(super) seat: Box<Seat>,
}

impl Stack {
    fn new(bytes: usize) -> Stack {
        let stack = DefaultStack::new(bytes);
        let stack = stack.expect("the operating system has no memory for another thread's stack");
        Stack { stack, seat: Box::new(None) }
    }

    fn bytes(&self) -> usize {
        self.stack.base().get() - self.stack.limit().get()
    }

    fn bounds(&self) -> Bounds {
        Bounds { limit: self.stack.limit().get(), base: self.stack.base().get() }
    }
}

/// Stacks that no fiber uses.
#[derive(Default)]
pub(in crate::control) struct StackPool(Vec<Stack>);

impl StackPool {
    /// A stack of at least this size. A new one is reported.
    pub(in crate::control) fn take(&mut self, bytes: usize, report: impl FnOnce(Bounds)) -> Stack {
        if let Some(fitting) = self.0.iter().rposition(|stack| stack.bytes() >= bytes) {
            return self.0.swap_remove(fitting);
        }
        new_stack(bytes, report)
    }

    /// A fiber does not need its stack any more.
    pub(in crate::control) fn put(&mut self, stack: Stack) {
        self.0.push(stack);
    }

    /// Where each stack is.
    pub(in crate::control) fn bounds(&self) -> impl Iterator<Item = Bounds> {
        self.0.iter().map(Stack::bounds)
    }

    /// The stacks of the smallest size, at most this many: a thread may have asked for a larger one.
    pub(in crate::control) fn smallest(mut self, most: usize) -> StackPool {
        let smallest = self.0.iter().map(Stack::bytes).min().unwrap_or(0);
        self.0.retain(|stack| stack.bytes() == smallest);
        self.0.truncate(most);
        self
    }
}

#[cold]
fn new_stack(bytes: usize, report: impl FnOnce(Bounds)) -> Stack {
    let stack = Stack::new(bytes);
    report(stack.bounds());
    stack
}
