//! crossbeam_deque, treiber_aba, threadpool_join: containers and pools of work.
//!
//! crossbeam_deque (RUSTSEC-2021-0093): a thief takes a batch from the front by one exchange, while the
//! owner pops from the back without one: an item of the batch is taken twice.
//!
//! treiber_aba (the textbook's): a pop reads the head and its next, and exchanges the head although it was
//! popped and pushed again: a node that is in use becomes the head.
//!
//! threadpool_join (the crate `threadpool`, before its release 1.7): a worker is counted as active after
//! its job is no longer counted as queued; a join between the two ends too early.

use super::program;
use crate::parts::{Racy, join, spawn};
use crate::{Failure, Program};
use selvedge::thread;
use std::sync::Arc;

pub(super) const CROSSBEAM_DEQUE: Program =
    program("crossbeam_deque", (2, 25), Failure::Assertion, || deque(2), || deque(1));

pub(super) const TREIBER_ABA: Program =
    program("treiber_aba", (3, 20), Failure::Assertion, || treiber(false), || treiber(true));

pub(super) const THREADPOOL_JOIN: Program =
    program("threadpool_join", (2, 8), Failure::Assertion, || pool_join(false), || pool_join(true));

const ITEMS: i64 = 4;

struct Deque {
    front: Racy,
    back: Racy,
    taken: [Racy; ITEMS as usize],
}

impl Deque {
    fn take(&self, item: i64) {
        assert_eq!(self.taken[item as usize].fetch_add(1), 0, "an item is taken twice");
    }

    /// Half of the items, in batches of this size at most.
    fn steal(&self, batch: i64) {
        let mut left = (self.back.get() - self.front.get() + 1) / 2;
        while left > 0 {
            let front = self.front.get();
            let size = batch.min(left);
            if self.back.get() - front < size || !self.front.replace(front, front + size) {
                return;
            }
            (front..front + size).for_each(|item| self.take(item));
            left -= size;
        }
    }

    fn pop(&self) {
        let back = self.back.get() - 1;
        self.back.exchange(back);
        let front = self.front.get();
        if back > front {
            self.take(back);
            return;
        }
        if back == front && self.front.replace(front, front + 1) {
            self.take(back);
        }
        self.back.set(back + 1);
    }
}

fn deque(batch: i64) {
    let taken = std::array::from_fn(|_| Racy::new(0));
    let deque = Arc::new(Deque { front: Racy::new(0), back: Racy::new(ITEMS), taken });
    let thief = spawn(&deque, move |deque| deque.steal(batch));
    for _ in 0..ITEMS - 1 {
        deque.pop();
    }
    join([thief]);
}

const NODES: usize = 3;
const NONE: i64 = NODES as i64;
const TAG: i64 = 16;

/// The head is a node, and a tag times [`TAG`] that counts exchanges, if there is one.
struct Stack {
    head: Racy,
    next: [Racy; NODES],
    owned: [Racy; NODES],
    has_tag: bool,
}

impl Stack {
    fn exchange(&self, old: i64, node: i64) -> bool {
        let tag = if self.has_tag { (old / TAG + 1) * TAG } else { 0 };
        self.head.replace(old, tag + node)
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.get();
            let node = head % TAG;
            if node == NONE {
                return None;
            }
            let next = self.next[node as usize].get();
            if self.exchange(head, next) {
                assert_eq!(self.owned[node as usize].fetch_add(1), 0, "two threads own one node");
                return Some(node as usize);
            }
        }
    }

    fn push(&self, node: usize) {
        self.owned[node].fetch_add(-1);
        loop {
            let head = self.head.get();
            self.next[node].set(head % TAG);
            if self.exchange(head, node as i64) {
                return;
            }
        }
    }
}

fn treiber(has_tag: bool) {
    let stack = Arc::new(Stack {
        head: Racy::new(0),
        next: std::array::from_fn(|node| Racy::new(node as i64 + 1)),
        owned: std::array::from_fn(|_| Racy::new(0)),
        has_tag,
    });
    let one = spawn(&stack, |stack| {
        stack.pop();
        stack.pop();
    });
    let other = spawn(&stack, |stack| {
        let first = stack.pop();
        stack.pop();
        first.into_iter().for_each(|node| stack.push(node));
    });
    join([one, other]);
}

struct Pool {
    queued: Racy,
    active: Racy,
    is_done: Racy,
}

fn pool_join(is_active_first: bool) {
    let pool = Arc::new(Pool { queued: Racy::new(1), active: Racy::new(0), is_done: Racy::new(0) });
    let worker = spawn(&pool, move |pool| {
        if is_active_first {
            pool.active.fetch_add(1);
            pool.queued.fetch_add(-1);
        } else {
            pool.queued.fetch_add(-1);
            pool.active.fetch_add(1);
        }
        pool.is_done.set(1);
        pool.active.fetch_add(-1);
    });
    while pool.queued.get() > 0 || pool.active.get() > 0 {
        thread::yield_now();
    }
    assert_eq!(pool.is_done.get(), 1, "the job is not done");
    join([worker]);
}
