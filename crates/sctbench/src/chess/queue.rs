//! A work-stealing queue after Cilk's THE protocol (Frigo, Leiserson and Randall, The Implementation of the
//! Cilk-5 Multithreaded Language, PLDI 1998), as CHESS tests it.
//!
//! The owner pushes and pops at the tail without a lock; thieves steal at the head under a lock. Owner and
//! thief meet only at the last item: then the owner takes the lock, too. When there is no room, the owner
//! makes the array larger under the lock. One place must stay free: a thief that has moved the head has not
//! yet read its item.

use super::stack_record::Record;
use crate::parts::{Racy, lock};
use selvedge::sync::{Mutex, MutexGuard};
use selvedge::thread;

/// The number of sizes of the array: 2, 4, 8 and 16.
const SIZES: usize = 4;

/// A work-stealing queue of numbers.
pub(crate) struct Queue {
    head: Racy,
    tail: Racy,
    /// The arrays of all sizes, and the number of the current one. The owner replaces it under the lock.
    arrays: [Vec<Racy>; SIZES],
    size: Racy,
    lock: Lock,
    /// How many places `push` keeps free: 1, or 0 with the bug.
    free_places: i64,
    record: Option<Record>,
}

/// A lock, or a spin lock that yields after each failed exchange.
enum Lock {
    Mutex(Mutex<()>),
    Spin(Racy),
}

/// Holds the lock.
enum Held<'l> {
    Mutex { _guard: MutexGuard<'l, ()> },
    Spin(&'l Racy),
}

impl Lock {
    #[track_caller]
    fn take(&self) -> Held<'_> {
        match self {
            Lock::Mutex(mutex) => Held::Mutex { _guard: lock(mutex) },
            Lock::Spin(is_held) => {
                while is_held.exchange(1) == 1 {
                    thread::yield_now();
                }
                Held::Spin(is_held)
            }
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Held::Spin(is_held) = self {
            is_held.set(0);
        }
    }
}

/// How a queue is built.
#[derive(Clone, Copy)]
pub(crate) struct Build {
    pub(crate) spins: bool,
    pub(crate) keeps_place_free: bool,
    pub(crate) record: Option<bool>,
}

impl Queue {
    /// An empty queue for two items.
    pub(crate) fn new(build: Build) -> Queue {
        let array = |size: usize| (0..2 << size).map(|_| Racy::new(-1)).collect();
        Queue {
            head: Racy::new(0),
            tail: Racy::new(0),
            arrays: std::array::from_fn(array),
            size: Racy::new(0),
            lock: if build.spins { Lock::Spin(Racy::new(0)) } else { Lock::Mutex(Mutex::new(())) },
            free_places: i64::from(build.keeps_place_free),
            record: build.record.map(Record::new),
        }
    }

    /// The array and its length.
    #[track_caller]
    fn array(&self) -> (&[Racy], i64) {
        let array = &self.arrays[self.size.get() as usize];
        (array, array.len() as i64)
    }

    /// The owner pushes an item.
    pub(crate) fn push(&self, owner: usize, item: i64) {
        let _call = self.record.as_ref().map(|record| record.call(owner));
        let tail = self.tail.get();
        let (array, length) = self.array();
        if tail < self.head.get() + length - self.free_places {
            array[(tail % length) as usize].set(item);
            self.tail.set(tail + 1);
        } else {
            self.push_locked(item);
        }
    }

    fn push_locked(&self, item: i64) {
        let _held = self.lock.take();
        let (array, length) = self.array();
        let (head, tail) = (self.head.get(), self.tail.get());
        let count = tail - head;
        if count >= length - 1 {
            let larger = self.size.get() + 1;
            let new = &self.arrays[larger as usize];
            for index in 0..count {
                let moved = array[((head + index) % length) as usize].get();
                new[index as usize].set(moved);
            }
            self.size.set(larger);
            self.head.set(0);
            self.tail.set(count);
        }
        let (array, length) = self.array();
        let tail = self.tail.get();
        array[(tail % length) as usize].set(item);
        self.tail.set(tail + 1);
    }

    /// The owner pops the item that it pushed last.
    pub(crate) fn pop(&self, owner: usize) -> Option<i64> {
        let _call = self.record.as_ref().map(|record| record.call(owner));
        let tail = self.tail.get() - 1;
        self.tail.exchange(tail);
        if self.head.get() <= tail {
            let (array, length) = self.array();
            return Some(array[(tail % length) as usize].get());
        }
        self.tail.set(tail + 1);
        self.pop_locked()
    }

    fn pop_locked(&self) -> Option<i64> {
        let _held = self.lock.take();
        let tail = self.tail.get() - 1;
        self.tail.exchange(tail);
        if self.head.get() <= tail {
            let (array, length) = self.array();
            return Some(array[(tail % length) as usize].get());
        }
        // The queue is empty: back to the beginning.
        self.head.set(0);
        self.tail.set(0);
        None
    }

    /// A thief steals the oldest item.
    pub(crate) fn steal(&self, thief: usize) -> Option<i64> {
        let _call = self.record.as_ref().map(|record| record.call(thief));
        let _held = self.lock.take();
        let head = self.head.get();
        self.head.exchange(head + 1);
        if head < self.tail.get() {
            let (array, length) = self.array();
            return Some(array[(head % length) as usize].get());
        }
        self.head.set(head);
        None
    }
}
