//! safestack: a stack of array cells without locks (Vyukov's posting to CHESS's forum, 2010).
//!
//! `pop` marks the head's cell by exchanging its next with -1, then exchanges the head. The bug: a thread
//! that stands between these steps can exchange a head that has meanwhile been popped, pushed and marked
//! again; two threads then own one cell. It needs five pre-emptions. Without it, a lock makes each call one
//! step. Nothing is left out.

use crate::parts::{Racy, join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use selvedge::thread;
use std::sync::Arc;

pub(crate) const SAFESTACK: Program = Program {
    name: "safestack",
    suite: Suite::Misc,
    threads: 4,
    steps: 117,
    failure: Failure::Assertion,
    buggy: || own_cells(false),
    correct: || own_cells(true),
};

const CELLS: usize = 3;
const THREADS: i64 = 3;
const ROUNDS: usize = 2;
const NONE: i64 = -1;

struct Stack {
    head: Racy,
    count: Racy,
    next: [Racy; CELLS],
    owner: [Racy; CELLS],
    calls: Option<Mutex<()>>,
}

impl Stack {
    fn pop(&self) -> Option<usize> {
        let _held = self.calls.as_ref().map(|calls| lock(calls));
        while self.count.get() > 1 {
            let head = self.head.get();
            let next = self.next[head as usize].exchange(NONE);
            if next != NONE {
                if self.head.replace(head, next) {
                    self.count.fetch_add(-1);
                    return Some(head as usize);
                }
                self.next[head as usize].exchange(next);
            }
            // The original retries at once, for ever if the scheduler lets it.
            thread::yield_now();
        }
        None
    }

    fn push(&self, cell: usize) {
        let _held = self.calls.as_ref().map(|calls| lock(calls));
        loop {
            let head = self.head.get();
            self.next[cell].set(head);
            if self.head.replace(head, cell as i64) {
                break;
            }
        }
        self.count.fetch_add(1);
    }

    fn use_cells(&self, thread: i64) {
        for _ in 0..ROUNDS {
            let cell = loop {
                match self.pop() {
                    Some(cell) => break cell,
                    None => thread::yield_now(),
                }
            };
            self.owner[cell].set(thread);
            assert_eq!(self.owner[cell].get(), thread, "two threads own one cell");
            self.push(cell);
        }
    }
}

fn own_cells(is_locked: bool) {
    let next = |cell: usize| Racy::new(if cell + 1 < CELLS { cell as i64 + 1 } else { NONE });
    let stack = Arc::new(Stack {
        head: Racy::new(0),
        count: Racy::new(CELLS as i64),
        next: std::array::from_fn(next),
        owner: std::array::from_fn(|_| Racy::new(NONE)),
        calls: is_locked.then(|| Mutex::new(())),
    });
    let threads: Vec<_> =
        (0..THREADS).map(|thread| spawn(&stack, move |stack| stack.use_cells(thread))).collect();
    join(threads);
}
