//! stack: a stack whose consumer looks at a flag (ESBMC's examples).
//!
//! One thread pushes ten times and sets a flag at each push; the other pops ten times if the flag is set.
//! The
//! bug: the flag stays set, so there can be more pops than pushes so far. Without it, the consumer looks at
//! the number of elements. Nothing is left out.

use crate::parts::{join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const STACK: Program = Program {
    name: "stack",
    suite: Suite::Cs,
    threads: 3,
    steps: 43,
    failure: Failure::Assertion,
    buggy: || stack(|stack| stack.has_pushed),
    correct: || stack(|stack| !stack.elements.is_empty()),
};

const SIZE: usize = 10;

#[derive(Default)]
struct Stack {
    elements: Vec<usize>,
    has_pushed: bool,
}

fn stack(may_pop: fn(&Stack) -> bool) {
    let shared = Arc::new(Mutex::new(Stack::default()));
    let producer = spawn(&shared, |shared| {
        for element in 0..SIZE {
            let mut stack = lock(shared);
            assert!(stack.elements.len() < SIZE, "overflow");
            stack.elements.push(element);
            stack.has_pushed = true;
        }
    });
    let consumer = spawn(&shared, move |shared| {
        for _ in 0..SIZE {
            let mut stack = lock(shared);
            if may_pop(&stack) {
                assert!(stack.elements.pop().is_some(), "underflow");
            }
        }
    });
    join([producer, consumer]);
}
