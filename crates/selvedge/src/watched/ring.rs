//! A bounded queue of events: many producers, one consumer, and an order that one counter gives.
//!
//! An event takes a ticket from the counter, and is written to the slot of its ticket. As in Vyukov's
//! bounded queue, a slot says which ticket it is free for. Other than there, the ticket comes first, and a
//! slot is one word: the free mark of a ticket (odd), or a pointer to the event (even). The producer of
//! ticket `t` waits until the slot has the mark of `t`, and writes its event. The consumer reads the event,
//! and writes the mark of the ticket one round later, `t + capacity`. So a slot changes hands by its own
//! word alone, and coherence, the order of all writes to one location, is enough: each write of a slot
//! follows the write that its writer has read.
//!
//! # The order
//! If one event happens before another, its ticket is smaller: tickets are updates of one location, and
//! relaxed ones are coherent, too. Events that are not ordered by the program get tickets in some order.
//!
//! # Orderings
//! An event must not order the accesses of the program's threads: a monitor that did could hide a data race
//! from the hardware, from a sanitizer and from its user. Happens-before between two producers needs an
//! acquire load by the second one. There is none:
//!
//! | operation | ordering | reason |
//! |---|---|---|
//! | producer: takes a ticket | relaxed | the number alone matters |
//! | producer: waits for the mark | relaxed | nothing is read through it: it writes the same location |
//! | producer: writes the event | release | the consumer reads what the pointer points to |
//! | consumer: reads the event | acquire | the same: the one edge, from a producer to the consumer |
//! | consumer: writes the mark | relaxed | it must release nothing: see below |
//! | producer: counts a dropped event | relaxed | the number alone matters |
//!
//! With a release store of the mark and an acquire load by the producer, which a queue with data in its
//! slots needs, an event would happen before every event one round later. Three orders remain: an acquire
//! fence of the program after an event makes relaxed loads of that event acquire what they read, as it does
//! for all loads before it; the allocator may reuse memory of an event that the consumer has freed; and a
//! processor may execute an atomic update as a stronger barrier than it was asked for.
//!
//! # A full ring
//! [`Ring::push`] waits. It spins, yields, and sleeps for short times; it does not park, because `unpark`
//! and `park` would order the consumer's thread before the producer's. [`Ring::push_or_drop`] takes a ticket
//! only if its slot is free, by a compare-exchange; otherwise the event is dropped and counted, so the
//! consumer never waits for a ticket without an event. A consumer that has taken an event out and then
//! reads [`Ring::dropped`] sees all drops that happen before that event.
//!
//! Promise: the consumer gets the event of each ticket once, in the order of tickets; no event is lost or
//! doubled; a producer's events keep their order. Explored by this crate itself (`ring_tests.rs`): all
//! interleavings of small programs under SC, TSO and PSO, with data races by the orderings that are written
//! here. Loads that read old values, which these models lack, are covered by the argument above alone.

#![allow(unsafe_code)]

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicPtr, AtomicUsize};
use std::sync::Arc;
use std::time::Duration;

/// Makes a ring with room for this number of events, rounded up to a power of two. The second part of
/// the result is its only consumer.
pub(super) fn ring<T: Send>(capacity: usize) -> (Arc<Ring<T>>, Consumer<T>) {
    const { assert!(align_of::<T>() > 1, "the lowest bit of a pointer tells events from free marks") };
    let capacity = capacity.max(1).next_power_of_two();
    let slots = (0..capacity).map(|ticket| AtomicPtr::new(free_mark(ticket))).collect();
    let ring = Ring { slots, tail: Padded(AtomicUsize::new(0)), dropped: AtomicUsize::new(0) };
    let ring = Arc::new(ring);
    (ring.clone(), Consumer { ring, head: 0 })
}

/// What producers use.
pub(super) struct Ring<T> {
    slots: Box<[AtomicPtr<T>]>,
    /// The next ticket.
    tail: Padded<AtomicUsize>,
    /// The number of events that were dropped.
    dropped: AtomicUsize,
}

/// Takes events out. There is one consumer for each ring.
pub(super) struct Consumer<T> {
    ring: Arc<Ring<T>>,
    /// The ticket of the next event.
    head: usize,
}

/// A cache line of its own, because all producers write it.
#[repr(align(128))]
struct Padded<T>(T);

impl<T: Send> Ring<T> {
    /// Takes a ticket, and writes the event. Waits while the ring is full.
    #[inline]
    pub(super) fn push(&self, event: Box<T>) {
        let ticket = self.tail.0.fetch_add(1, Relaxed);
        let mut backoff = Backoff::default();
        while self.slot(ticket).load(Relaxed) != free_mark(ticket) {
            backoff.wait();
        }
        self.write(ticket, event);
    }

    /// The same, but if the ring is full, the event is dropped and counted. Returns whether it was written.
    #[inline]
    pub(super) fn push_or_drop(&self, event: Box<T>) -> bool {
        let written = self.try_push(event);
        if written.is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
        written.is_ok()
    }

    /// The same, but if the ring is full, no ticket is taken, and the event comes back.
    #[inline]
    pub(super) fn try_push(&self, event: Box<T>) -> Result<(), Box<T>> {
        let mut ticket = self.tail.0.load(Relaxed);
        loop {
            let is_free = self.slot(ticket).load(Relaxed) == free_mark(ticket);
            // A slot that is not free for this ticket is used by the round before, unless the ticket was
            // taken since it was loaded.
            let latest = if is_free {
                self.tail.0.compare_exchange_weak(ticket, ticket.wrapping_add(1), Relaxed, Relaxed)
            } else {
                Err(self.tail.0.load(Relaxed))
            };
            match latest {
                Ok(_) => {
                    self.write(ticket, event);
                    return Ok(());
                }
                Err(latest) if !is_free && latest == ticket => return Err(event),
                Err(latest) => ticket = latest,
            }
        }
    }

    /// The number of tickets that were taken. Events that happen before this call are among them.
    #[inline]
    pub(super) fn tickets(&self) -> usize {
        self.tail.0.load(Relaxed)
    }

    /// The number of events that were dropped. Drops that happen before this call are among them.
    #[inline]
    pub(super) fn dropped(&self) -> usize {
        self.dropped.load(Relaxed)
    }

    /// Writes the event of a ticket, whose slot is free for it.
    #[inline]
    fn write(&self, ticket: usize, event: Box<T>) {
        self.slot(ticket).store(Box::into_raw(event), Release);
    }

    #[inline]
    fn slot(&self, ticket: usize) -> &AtomicPtr<T> {
        &self.slots[ticket & (self.slots.len() - 1)]
    }
}

impl<T: Send> Consumer<T> {
    /// The next event, if it is written.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Box<T>> {
        let slot = self.ring.slot(self.head);
        let word = slot.load(Acquire);
        if is_free_mark(word) {
            return None;
        }
        slot.store(free_mark(self.head.wrapping_add(self.ring.slots.len())), Relaxed);
        self.head = self.head.wrapping_add(1);
        // SAFETY: `word` is no mark, so `Ring::write` made it of a box. Only this consumer reads events, and
        // the slot has a mark now, so the box is owned here.
        Some(unsafe { Box::from_raw(word) })
    }

    /// The number of events that were taken out.
    #[inline]
    pub(super) fn popped(&self) -> usize {
        self.head
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            let word = *slot.get_mut();
            if !is_free_mark(word) {
                // SAFETY: `Ring::write` made it of a box, and no producer or consumer is left.
                drop(unsafe { Box::from_raw(word) });
            }
        }
    }
}

/// The word of a slot that is free for this ticket.
#[inline]
fn free_mark<T>(ticket: usize) -> *mut T {
    std::ptr::without_provenance_mut(ticket.wrapping_mul(2).wrapping_add(1))
}

#[inline]
fn is_free_mark<T>(word: *mut T) -> bool {
    word.addr() % 2 == 1
}

/// Waiting without a lock: spins, then yields, then sleeps.
#[derive(Default)]
pub(super) struct Backoff {
    rounds: u32,
}

impl Backoff {
    const SPINS: u32 = 64;
    const YIELDS: u32 = 64;
    const SLEEP: Duration = Duration::from_micros(50);

    pub(super) fn wait(&mut self) {
        match self.rounds {
            0..Self::SPINS => crate::hint::spin_loop(),
            _ if self.rounds < Self::SPINS + Self::YIELDS => crate::thread::yield_now(),
            _ => crate::thread::sleep(Self::SLEEP),
        }
        self.rounds = self.rounds.saturating_add(1);
    }
}
