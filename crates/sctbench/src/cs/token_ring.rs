//! token_ring: a value goes round three threads (ESBMC's examples).
//!
//! Under one lock each thread computes its value of the one before and sets a flag; a fourth asserts, once
//! all flags are set, that the values are equal. The bug: the threads run in any order. Without it, a
//! thread does nothing before its turn. Main waits for none of them. Nothing is left out.

use crate::parts::{lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const TOKEN_RING: Program = Program {
    name: "token_ring",
    suite: Suite::Cs,
    threads: 5,
    steps: 11,
    failure: Failure::Assertion,
    buggy: || token_ring(false),
    correct: || token_ring(true),
};

struct Ring {
    values: [u32; 3],
    are_set: [bool; 3],
}

fn token_ring(takes_turns: bool) {
    let ring = Arc::new(Mutex::new(Ring { values: [1, 2, 1], are_set: [false; 3] }));
    for at in 0..3 {
        spawn(&ring, move |ring| {
            let mut ring = lock(ring);
            if takes_turns && at > 0 && !ring.are_set[at - 1] {
                return;
            }
            ring.values[at] = if at == 0 { (ring.values[2] + 1) % 4 } else { ring.values[at - 1] };
            ring.are_set[at] = true;
        });
    }
    spawn(&ring, |ring| {
        let ring = lock(ring);
        if ring.are_set == [true; 3] {
            let [one, two, three] = ring.values;
            assert!(one == two && two == three, "{:?}", ring.values);
        }
    });
}
