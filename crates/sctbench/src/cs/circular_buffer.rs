//! circular_buffer: numbers through a circular buffer, by turns (ESBMC's examples).
//!
//! Each side has seven rounds under one lock and acts if the flag of its turn is set. The bug: a round in
//! which the flag is not set is lost, and the numbers of rounds drift apart. Without it, a round waits for
//! its turn. Nothing is left out.

use crate::parts::{join, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::sync::Arc;

pub(crate) const CIRCULAR_BUFFER: Program = Program {
    name: "circular_buffer",
    suite: Suite::Cs,
    threads: 3,
    steps: 31,
    failure: Failure::Assertion,
    buggy: || circular_buffer(false),
    correct: || circular_buffer(true),
};

const ROUNDS: usize = 7;
const PLACES: usize = 10;

#[derive(Default)]
struct Buffer {
    places: [usize; PLACES],
    first: usize,
    next: usize,
    /// Whether it is the receiver's turn.
    is_filled: bool,
}

#[derive(Default)]
struct Shared {
    buffer: Mutex<Buffer>,
    turn: Condvar,
}

fn circular_buffer(waits: bool) {
    let shared = Arc::new(Shared::default());
    let sender = spawn(&shared, move |shared| {
        for round in 0..ROUNDS {
            let mut buffer = lock(&shared.buffer);
            if waits {
                buffer = wait_while(&shared.turn, buffer, |buffer| buffer.is_filled);
            }
            if !buffer.is_filled {
                let next = buffer.next;
                buffer.places[next] = round;
                buffer.next = (next + 1) % PLACES;
                buffer.is_filled = true;
                shared.turn.notify_one();
            }
        }
    });
    let receiver = spawn(&shared, move |shared| {
        for round in 0..ROUNDS {
            let mut buffer = lock(&shared.buffer);
            if waits {
                buffer = wait_while(&shared.turn, buffer, |buffer| !buffer.is_filled);
            }
            if buffer.is_filled {
                let first = buffer.first;
                assert_eq!(buffer.places[first], round, "the number of another round");
                buffer.first = (first + 1) % PLACES;
                buffer.is_filled = false;
                shared.turn.notify_one();
            }
        }
    });
    join([sender, receiver]);
}
