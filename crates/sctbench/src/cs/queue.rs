//! queue: a queue whose two sides take turns (ESBMC's examples).
//!
//! The producer puts one number, then one in each of 19 rounds if the flag lets it; the consumer takes one
//! in each of 20 rounds if the flag lets it, and asserts that it is the one that was stored in that round.
//! The
//! bug: a round in which the flag is not set is lost. Without it, a round waits for the flag. Nothing is
//! left out.

use crate::parts::{join, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

pub(crate) const QUEUE: Program = Program {
    name: "queue",
    suite: Suite::Cs,
    threads: 3,
    steps: 83,
    failure: Failure::Assertion,
    buggy: || queue(false),
    correct: || queue(true),
};

const SIZE: usize = 20;

struct State {
    queue: VecDeque<usize>,
    stored: [usize; SIZE],
    may_put: bool,
    may_take: bool,
}

impl State {
    fn put(&mut self, round: usize) {
        assert!(self.queue.len() < SIZE, "the queue is full");
        self.queue.push_back(round + 1);
        self.stored[round] = round + 1;
    }
}

struct Shared {
    state: Mutex<State>,
    turn: Condvar,
}

fn queue(waits: bool) {
    let state = State { queue: VecDeque::new(), stored: [0; SIZE], may_put: true, may_take: false };
    let shared = Arc::new(Shared { state: Mutex::new(state), turn: Condvar::new() });
    let producer = spawn(&shared, move |shared| {
        lock(&shared.state).put(0);
        for round in 1..SIZE {
            let mut state = lock(&shared.state);
            if waits {
                state = wait_while(&shared.turn, state, |state| !state.may_put);
            }
            if state.may_put {
                state.put(round);
                (state.may_put, state.may_take) = (false, true);
                shared.turn.notify_one();
            }
        }
    });
    let consumer = spawn(&shared, move |shared| {
        // Without the bug, the last number has no put after it that would set the flag.
        let rounds = if waits { SIZE - 1 } else { SIZE };
        for round in 0..rounds {
            let mut state = lock(&shared.state);
            if waits {
                state = wait_while(&shared.turn, state, |state| !state.may_take);
            }
            if state.may_take {
                assert_eq!(state.queue.pop_front(), Some(state.stored[round]), "another number");
                (state.may_put, state.may_take) = (true, false);
                shared.turn.notify_one();
            }
        }
    });
    join([producer, consumer]);
}
