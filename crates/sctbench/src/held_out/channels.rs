//! crossbeam_channel, tokio_oneshot, shuttle_bounded_buffer: channels.
//!
//! crossbeam_channel (RUSTSEC-2025-0024): the receiver that disconnects waits for the first block if a
//! sender has taken a place in it, but takes it by a load instead of an exchange: the end of the channel
//! frees it again.
//!
//! tokio_oneshot (RUSTSEC-2021-0124): a sender marks the value as sent although the channel is closed, and
//! takes it back, while the receiver sees the mark and takes it, too.
//!
//! shuttle_bounded_buffer (shuttle's demonstrations; a puzzle by Hillel Wayne): producers and a consumer
//! wait at one condition variable and wake one thread each; a producer can wake a producer, and all wait
//! for ever.

use super::program;
use crate::parts::{Racy, crash, join, lock, spawn, wait_while};
use crate::{Failure, Program};
use selvedge::sync::{Condvar, Mutex};
use selvedge::thread;
use std::sync::Arc;

pub(super) const CROSSBEAM_CHANNEL: Program = program(
    "crossbeam_channel",
    (4, 20),
    Failure::Crash,
    || disconnect(|head| head.get()),
    || disconnect(|head| head.exchange(0)),
);

pub(super) const TOKIO_ONESHOT: Program =
    program("tokio_oneshot", (2, 6), Failure::Assertion, || oneshot(false), || oneshot(true));

pub(super) const SHUTTLE_BOUNDED_BUFFER: Program = program(
    "shuttle_bounded_buffer",
    (4, 30),
    Failure::Deadlock,
    || bounded_buffer(Condvar::notify_one),
    || bounded_buffer(Condvar::notify_all),
);

/// The first block of a channel; pointers are 0 or 1. The tail is odd once the channel is disconnected.
struct Channel {
    head_block: Racy,
    tail_block: Racy,
    tail: Racy,
    freed: Racy,
}

impl Channel {
    fn send(&self) {
        loop {
            let tail = self.tail.get();
            if tail % 2 == 1 {
                return;
            }
            if self.tail_block.get() == 0 && self.tail_block.replace(0, 1) {
                self.head_block.set(1);
            }
            if self.tail.replace(tail, tail + 2) {
                return;
            }
        }
    }

    fn disconnect(&self, take_late: fn(&Racy) -> i64) {
        let tail = self.tail.fetch_add(1);
        let mut block = self.head_block.exchange(0);
        while tail > 0 && block == 0 {
            thread::yield_now();
            block = take_late(&self.head_block);
        }
        self.free(block);
    }

    fn free(&self, block: i64) {
        if block != 0 && self.freed.fetch_add(1) > 0 {
            crash("the block is freed twice");
        }
    }
}

fn disconnect(take_late: fn(&Racy) -> i64) {
    let zero = || Racy::new(0);
    let channel = Channel { head_block: zero(), tail_block: zero(), tail: zero(), freed: zero() };
    let channel = Arc::new(channel);
    join([
        spawn(&channel, Channel::send),
        spawn(&channel, Channel::send),
        spawn(&channel, move |channel| channel.disconnect(take_late)),
    ]);
    channel.free(channel.head_block.get());
}

const SENT: i64 = 1;
const CLOSED: i64 = 2;

struct Oneshot {
    state: Racy,
    taken: Racy,
}

impl Oneshot {
    fn take(&self) {
        assert_eq!(self.taken.fetch_add(1), 0, "the value is taken twice");
    }

    fn send(&self, looks_first: bool) {
        let before = if looks_first {
            loop {
                let state = self.state.get();
                if state & CLOSED != 0 || self.state.replace(state, state | SENT) {
                    break state;
                }
            }
        } else {
            self.state.fetch_add(SENT)
        };
        if before & CLOSED != 0 {
            self.take();
        }
    }
}

fn oneshot(looks_first: bool) {
    let shared = Arc::new(Oneshot { state: Racy::new(0), taken: Racy::new(0) });
    let sender = spawn(&shared, move |shared| shared.send(looks_first));
    shared.state.fetch_add(CLOSED);
    if shared.state.get() & SENT != 0 {
        shared.take();
    }
    join([sender]);
}

const PRODUCERS: usize = 2;
const ITEMS: usize = 2;

#[derive(Default)]
struct Buffer {
    is_full: Mutex<bool>,
    changed: Condvar,
}

fn bounded_buffer(notify: fn(&Condvar)) {
    let buffer = Arc::new(Buffer::default());
    let mut threads: Vec<_> = (0..PRODUCERS)
        .map(|_| {
            spawn(&buffer, move |buffer| {
                for _ in 0..ITEMS {
                    *wait_while(&buffer.changed, lock(&buffer.is_full), |is_full| *is_full) = true;
                    notify(&buffer.changed);
                }
            })
        })
        .collect();
    threads.push(spawn(&buffer, move |buffer| {
        for _ in 0..PRODUCERS * ITEMS {
            *wait_while(&buffer.changed, lock(&buffer.is_full), |is_full| !*is_full) = false;
            notify(&buffer.changed);
        }
    }));
    join(threads);
}
