//! A bounded queue: a mutex and two condition variables, as in textbooks.
//!
//! The queue holds two elements. Its seed is a list of which the first two count. Beside it another
//! thread pushes 7, or pops.

use selvedge::discover::Signature;
use selvedge::sync::{Condvar, Mutex};
use std::collections::VecDeque;

/// How many elements the queue holds.
const CAPACITY: usize = 2;

/// A queue of bounded length.
pub(crate) struct BoundedQueue {
    items: Mutex<VecDeque<i64>>,
    not_empty: Condvar,
    not_full: Condvar,
}

impl BoundedQueue {
    /// A queue with the first elements of the list.
    pub(crate) fn of(items: &[i64]) -> BoundedQueue {
        let items = items.iter().copied().take(CAPACITY).collect();
        BoundedQueue { items: Mutex::new(items), not_empty: Condvar::new(), not_full: Condvar::new() }
    }

    /// Waits until there is room.
    pub(crate) fn push(&self, item: i64) {
        let items = self.items.lock().unwrap();
        let mut items = self.not_full.wait_while(items, |items| items.len() == CAPACITY).unwrap();
        items.push_back(item);
        self.not_empty.notify_one();
    }

    /// Waits until there is an element.
    pub(crate) fn pop(&self) -> i64 {
        let items = self.items.lock().unwrap();
        let mut items = self.not_empty.wait_while(items, |items| items.is_empty()).unwrap();
        let item = items.pop_front().unwrap();
        self.not_full.notify_one();
        item
    }

    /// Whether there was room.
    pub(crate) fn try_push(&self, item: i64) -> bool {
        let mut items = self.items.lock().unwrap();
        let has_room = items.len() < CAPACITY;
        if has_room {
            items.push_back(item);
            self.not_empty.notify_one();
        }
        has_room
    }

    /// The element, if there was one.
    pub(crate) fn try_pop(&self) -> Option<i64> {
        let item = self.items.lock().unwrap().pop_front();
        if item.is_some() {
            self.not_full.notify_one();
        }
        item
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.items.lock().unwrap().len()
    }

    fn items(&self) -> Vec<i64> {
        self.items.lock().unwrap().iter().copied().collect()
    }
}

/// The queue's operations, with `|||`.
pub(crate) fn bounded_queue() -> Signature<BoundedQueue, Vec<i64>, Vec<i64>> {
    type Q = BoundedQueue;
    Signature::new(|items: &Vec<i64>| Q::of(items), |q: &Q, _seed| q.items())
        .named("bounded queue")
        .op("push", |q: &Q, x: i64| q.push(x))
        .op("pop", |q: &Q| q.pop())
        .op("try_push", |q: &Q, x: i64| q.try_push(x))
        .op("try_pop", |q: &Q| q.try_pop())
        .op("len", |q: &Q| q.len())
        .parallel()
        .back_to_seed(|q: &Q, _seed| q.items())
        .interfere("push 7", |q: &Q, _seed| q.push(7))
        .interfere("pop", |q: &Q, _seed| {
            q.pop();
        })
}
