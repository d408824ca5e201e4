//! Batches of steps on their way to the worker that stores their targets.
//!
//! Promise: a batch that was sent is taken once. When a worker has seen that all have finished, everything
//! that was sent to it is in its mailbox. `explored` shows that for every interleaving of small searches.

use super::batch::Batch;
use super::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::VecDeque;

/// A mailbox for each partition.
#[derive(Debug)]
pub(super) struct Mailboxes<I> {
    boxes: Vec<Mailbox<I>>,
    /// The number of partitions whose workers send nothing more in this level.
    finished: AtomicUsize,
}

#[derive(Debug)]
struct Mailbox<I> {
    batches: Mutex<VecDeque<Batch<I>>>,
    /// The number of batches, for a look without the lock.
    waiting: AtomicUsize,
}

impl<I> Mailboxes<I> {
    pub(super) fn new(partitions: usize) -> Mailboxes<I> {
        let mailbox = |_| Mailbox { batches: Mutex::new(VecDeque::new()), waiting: AtomicUsize::new(0) };
        let boxes = (0..partitions).map(mailbox).collect();
        Mailboxes { boxes, finished: AtomicUsize::new(0) }
    }

    /// Are so many batches waiting for the partition?
    pub(super) fn has(&self, partition: usize, batches: usize) -> bool {
        self.boxes[partition].waiting.load(Ordering::Relaxed) >= batches
    }

    pub(super) fn send(&self, partition: usize, batch: Batch<I>) {
        let Mailbox { batches, waiting } = &self.boxes[partition];
        let mut batches = lock(batches);
        batches.push_back(batch);
        waiting.store(batches.len(), Ordering::Relaxed);
    }

    /// The oldest batch for the partition.
    pub(super) fn take(&self, partition: usize) -> Option<Batch<I>> {
        let Mailbox { batches, waiting } = &self.boxes[partition];
        let mut batches = lock(batches);
        let batch = batches.pop_front();
        waiting.store(batches.len(), Ordering::Relaxed);
        batch
    }

    /// The workers of so many partitions more have sent everything.
    pub(super) fn finish(&self, partitions: usize) {
        self.finished.fetch_add(partitions, Ordering::AcqRel);
    }

    /// Have all workers sent everything?
    pub(super) fn have_all_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire) == self.boxes.len()
    }

    /// Another level begins.
    pub(super) fn begin(&mut self) {
        *self.finished.get_mut() = 0;
    }
}
