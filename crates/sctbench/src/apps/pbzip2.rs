//! pbzip2: parallel compression (SCTBench's version of pbzip2 0.9.4).
//!
//! Main fills a queue, two consumers take from it until it is empty and filled, a writer writes the blocks
//! in order. The bug: main waits for the writer alone, then frees the queue and its lock, which a consumer
//! still uses. Without it, main waits for the consumers, too. Left out: files and compression.

use crate::parts::{Racy, crash, join, join_one, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

pub(crate) const PBZIP2: Program = Program {
    name: "pbzip2",
    suite: Suite::ConVul,
    threads: 4,
    steps: 54,
    failure: Failure::Crash,
    buggy: || compress(false),
    correct: || compress(true),
};

const BLOCKS: usize = 3;
const CONSUMERS: usize = 2;

struct Fifo {
    /// Freed memory has 1 here.
    is_lock_freed: Racy,
    is_queue_freed: Racy,
    /// The blocks, and whether all are there.
    queue: Mutex<(VecDeque<usize>, bool)>,
    is_not_empty: Condvar,
    output: Mutex<[bool; BLOCKS]>,
    is_output: Condvar,
}

impl Fifo {
    fn consume(&self) {
        loop {
            if self.is_lock_freed.get() == 1 {
                crash("the lock of the queue is freed");
            }
            let is_waiting = |queue: &(VecDeque<usize>, bool)| queue.0.is_empty() && !queue.1;
            let mut queue = wait_while(&self.is_not_empty, lock(&self.queue), is_waiting);
            if self.is_queue_freed.get() == 1 {
                crash("the queue is freed");
            }
            let Some(block) = queue.0.pop_front() else { return };
            drop(queue);
            lock(&self.output)[block] = true;
            self.is_output.notify_one();
        }
    }

    fn write(&self) {
        for block in 0..BLOCKS {
            drop(wait_while(&self.is_output, lock(&self.output), |output| !output[block]));
        }
    }

    fn produce(&self) {
        for block in 0..BLOCKS {
            lock(&self.queue).0.push_back(block);
            self.is_not_empty.notify_one();
        }
        lock(&self.queue).1 = true;
        self.is_not_empty.notify_all();
    }
}

fn compress(joins_consumers: bool) {
    let fifo = Arc::new(Fifo {
        is_lock_freed: Racy::new(0),
        is_queue_freed: Racy::new(0),
        queue: Mutex::default(),
        is_not_empty: Condvar::new(),
        output: Mutex::default(),
        is_output: Condvar::new(),
    });
    let consumers: Vec<_> = (0..CONSUMERS).map(|_| spawn(&fifo, Fifo::consume)).collect();
    let writer = spawn(&fifo, Fifo::write);
    fifo.produce();
    join_one(writer);
    if joins_consumers {
        join(consumers);
    }
    fifo.is_lock_freed.set(1);
    fifo.is_queue_freed.set(1);
    // The process ends some time later.
    fifo.is_queue_freed.get();
}
