//! ferret: a pipeline of six stages (PARSEC).
//!
//! Stages hand items on by bounded queues; the four in the middle have two threads each. The last one
//! decides that all is done when the input has ended and it has taken as many items as were given, both
//! read without a lock. The bug: the first stage says that the input has ended after its last item. If it
//! is held back until that item has passed all stages, the last stage waits for another item for ever.
//! Without it, the first stage says so before. Left out: images, and all work on them.

use crate::parts::{Racy, join_one, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

pub(crate) const FERRET: Program = Program {
    name: "ferret",
    suite: Suite::Parsec,
    threads: 11,
    steps: 24453,
    failure: Failure::Deadlock,
    buggy: || run(false),
    correct: || run(true),
};

const STAGES: usize = 6;
const WORKERS: usize = 2;
const ITEMS: i64 = 3;
const ROOM: usize = 2;

#[derive(Default)]
struct Queue {
    items: Mutex<VecDeque<i64>>,
    is_not_empty: Condvar,
    is_not_full: Condvar,
}

impl Queue {
    fn put(&self, item: i64) {
        let mut items = wait_while(&self.is_not_full, lock(&self.items), |items| items.len() == ROOM);
        items.push_back(item);
        self.is_not_empty.notify_one();
    }

    fn take(&self) -> i64 {
        let mut items = wait_while(&self.is_not_empty, lock(&self.items), VecDeque::is_empty);
        let item = items.pop_front().unwrap_or_default();
        self.is_not_full.notify_one();
        item
    }
}

struct Pipeline {
    /// Queue i is between the stages i and i + 1.
    queues: [Queue; STAGES - 1],
    has_input_ended: Racy,
    given: Racy,
}

impl Pipeline {
    fn load(&self, ends_before_last: bool) {
        for item in 1..=ITEMS {
            self.given.add(1);
            if ends_before_last && item == ITEMS {
                self.has_input_ended.set(1);
            }
            self.queues[0].put(item);
        }
        self.has_input_ended.set(1);
    }

    fn hand_on(&self, stage: usize) {
        loop {
            self.queues[stage].put(self.queues[stage - 1].take());
        }
    }

    fn write(&self) {
        let mut taken = 0;
        while !(self.has_input_ended.get() == 1 && taken == self.given.get()) {
            self.queues[STAGES - 2].take();
            taken += 1;
        }
        assert_eq!(taken, ITEMS, "items are missing");
    }
}

fn run(ends_before_last: bool) {
    let queues = std::array::from_fn(|_| Queue::default());
    let pipeline = Arc::new(Pipeline { queues, has_input_ended: Racy::new(0), given: Racy::new(0) });
    spawn(&pipeline, move |pipeline| pipeline.load(ends_before_last));
    for stage in 1..STAGES - 1 {
        for _ in 0..WORKERS {
            spawn(&pipeline, move |pipeline| pipeline.hand_on(stage));
        }
    }
    // The threads in the middle never end; the process does.
    join_one(spawn(&pipeline, Pipeline::write));
}
