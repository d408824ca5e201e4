//! aget: a download in parts, saved on a signal (ConVul's and SCTBench's version of aget 0.4).
//!
//! A downloader writes a chunk, adds to its offset, then under a lock to the total. The thread that gets
//! the signal copies all offsets, then reads the total, and asserts that they agree. The bug: a download
//! comes between the copy and the read, or the copy between the two additions. Without it, one lock covers
//! both. Left out: files, sockets and the resumption.

use crate::parts::{Racy, join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const AGET: Program = Program {
    name: "aget",
    suite: Suite::ConVul,
    threads: 4,
    steps: 24,
    failure: Failure::Assertion,
    buggy: || download(false),
    correct: || download(true),
};

const DOWNLOADERS: usize = 2;
const CHUNKS: i64 = 2;
const CHUNK: i64 = 100;

struct Shared {
    offsets: [Racy; DOWNLOADERS],
    total: Mutex<i64>,
}

fn download(is_locked: bool) {
    let shared = Shared { offsets: std::array::from_fn(|_| Racy::new(0)), total: Mutex::new(0) };
    let shared = Arc::new(shared);
    let mut threads: Vec<_> = (0..DOWNLOADERS)
        .map(|number| {
            spawn(&shared, move |shared| {
                for _ in 0..CHUNKS {
                    let held = is_locked.then(|| lock(&shared.total));
                    shared.offsets[number].add(CHUNK);
                    *held.unwrap_or_else(|| lock(&shared.total)) += CHUNK;
                }
            })
        })
        .collect();
    threads.push(spawn(&shared, move |shared| {
        let held = is_locked.then(|| lock(&shared.total));
        let offsets: i64 = shared.offsets.iter().map(Racy::get).sum();
        let total = *held.unwrap_or_else(|| lock(&shared.total));
        assert_eq!(offsets, total, "the offsets and the total disagree");
    }));
    join(threads);
}
