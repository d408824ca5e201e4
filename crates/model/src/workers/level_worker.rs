//! A worker of a search by levels: it expands the states of its partitions, and stores the states that
//! belong there, whichever worker finds them.
//!
//! Steps are collected by the partition of their targets. Those of other workers are sent in batches; own
//! ones are stored after a few states, so that many lookups overlap.
//!
//! Promise: returns when all steps of the level are stored, or all workers are to stop.

use super::StopSignal;
use super::levels::ParallelVisitor;
use super::mailbox::Mailboxes;
use super::partition::{Batch, Parent, Partition, partition_of};
use super::quota::StateQuota;
use crate::search::Limit;
use crate::store::{StateId, hash};
use crate::sync::atomic::Ordering;
use crate::sync::{Counter, thread};
use crate::system::{Steps, System};

/// The sizes of a search: smaller ones in tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The largest number of states in a level that one worker does alone.
    pub(super) small_level: usize,
    /// The number of states that a worker expands before it stores the targets of their steps.
    pub(super) states: usize,
    /// The number of steps that are sent together.
    pub(super) batch: usize,
    /// A worker sends no more while so many batches wait for a partition.
    pub(super) most_waiting: usize,
}

impl Sizes {
    pub(super) const USUAL: Sizes = Sizes { small_level: 512, states: 32, batch: 256, most_waiting: 64 };
}

/// The data that all workers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) sizes: Sizes,
    pub(super) signal: StopSignal,
    pub(super) mail: Mailboxes,
    /// `None` where there is no limit, and nothing to count at every state.
    pub(super) quota: Option<StateQuota>,
    /// By partition, what its worker has told.
    pub(super) told: Vec<Told>,
}

/// The figures of a partition, in a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Told {
    pub(super) states: Counter,
    pub(super) bytes: Counter,
}

/// A worker's result of a level.
#[derive(Default)]
pub(super) struct LevelResult {
    pub(super) transitions: usize,
    /// The states of this level whose steps the visitor needs, and the states of the next level that it
    /// needs.
    pub(super) expanded: Vec<StateId>,
    pub(super) discovered: Vec<StateId>,
}

impl LevelResult {
    pub(super) fn with(mut self, other: LevelResult) -> LevelResult {
        self.transitions += other.transitions;
        self.expanded.extend(other.expanded);
        self.discovered.extend(other.discovered);
        self
    }
}

/// A worker's partitions, its buffers, and its result so far.
pub(super) struct Worker<'a, S: System, V> {
    system: &'a S,
    visitor: &'a V,
    shared: &'a Shared,
    /// By number; `None` where another worker has it.
    partitions: Vec<Option<&'a mut Partition>>,
    /// By partition, steps that are not stored or sent yet.
    found: Vec<Batch>,
    /// Batches that were stored: their memory is used again.
    spare: Vec<Batch>,
    steps: Steps<S::Action>,
    result: LevelResult,
}

impl<'a, S: System, V: ParallelVisitor<S>> Worker<'a, S, V> {
    /// A worker of these partitions, by number.
    pub(super) fn new(
        system: &'a S,
        visitor: &'a V,
        shared: &'a Shared,
        partitions: Vec<Option<&'a mut Partition>>,
    ) -> Self {
        let width = system.words();
        Worker {
            system,
            visitor,
            shared,
            found: partitions.iter().map(|_| Batch::new(width)).collect(),
            partitions,
            spare: Vec::new(),
            steps: Steps::new(width),
            result: LevelResult::default(),
        }
    }

    /// The same worker, with the partitions of others.
    pub(super) fn with_partitions(
        mut self,
        others: impl Iterator<Item = Vec<Option<&'a mut Partition>>>,
    ) -> Self {
        for (number, partition) in others.flat_map(|part| part.into_iter().enumerate()) {
            if partition.is_some() {
                self.partitions[number] = partition;
            }
        }
        self
    }

    /// Expands the level; calls `on_states` now and then with the numbers of states and steps since the last
    /// call.
    pub(super) fn work(mut self, on_states: &mut dyn FnMut(usize, usize)) -> LevelResult {
        let own: Vec<usize> =
            (0..self.partitions.len()).filter(|at| self.partitions[*at].is_some()).collect();
        for number in &own {
            let level = self.partition(*number).level.clone();
            for first in level.clone().step_by(self.shared.sizes.states) {
                let end = level.end.min(first + self.shared.sizes.states as u32);
                let before = self.result.transitions;
                for local in first..end {
                    self.expand(*number, local);
                }
                self.store_found();
                self.send_found(self.shared.sizes.batch);
                self.store_received();
                self.tell();
                on_states((end - first) as usize, self.result.transitions - before);
                if self.shared.signal.is_stopped() {
                    return self.result;
                }
            }
        }
        self.send_found(1);
        self.shared.mail.finish(own.len());
        while !self.shared.signal.is_stopped() {
            // Looked at before the mail is taken: nothing is sent behind it.
            let have_all_finished = self.shared.mail.have_all_finished();
            let is_idle = !self.store_received();
            if have_all_finished {
                break;
            }
            if is_idle {
                thread::yield_now();
            }
        }
        self.tell();
        self.result
    }

    fn partition(&mut self, number: usize) -> &mut Partition {
        self.partitions[number].as_mut().expect("an own partition")
    }

    /// Expands a state, and collects the targets of its steps.
    #[inline]
    fn expand(&mut self, number: usize, local: u32) {
        let partition = self.partitions[number].as_ref().expect("an own partition");
        let (id, state) = (partition.id(local), partition.states.get(StateId(local)));
        self.steps.clear();
        self.system.successors(state, &mut self.steps);
        self.result.transitions += self.steps.len();
        if self.visitor.needs_steps(self.system, state, &self.steps) {
            self.result.expanded.push(id);
        }
        let parent = Parent::new(id, hash(state));
        for (_, target) in self.steps.iter() {
            let hash = hash(target);
            self.found[partition_of(hash, self.partitions.len())].push(target, hash, parent);
        }
    }

    /// Stores the states that were found and are its own.
    fn store_found(&mut self) {
        for number in 0..self.partitions.len() {
            if self.partitions[number].is_some() && self.found[number].len() > 0 {
                let batch = std::mem::replace(&mut self.found[number], Batch::new(0));
                self.found[number] = self.store(number, batch);
            }
        }
    }

    /// Stores the states of a batch; returns the batch, empty.
    fn store(&mut self, number: usize, mut batch: Batch) -> Batch {
        let (system, visitor, discovered) = (self.system, self.visitor, &mut self.result.discovered);
        let partition = self.partitions[number].as_mut().expect("an own partition");
        let is_below_limit = partition.insert(&batch, self.shared.quota.as_ref(), |id, state| {
            if visitor.needs_state(system, state) {
                discovered.push(id);
            }
        });
        if !is_below_limit {
            self.shared.signal.stop_by(Limit::States);
        }
        batch.clear();
        batch
    }

    /// Sends the batches of at least so many steps that are not its own.
    fn send_found(&mut self, least: usize) {
        for number in 0..self.partitions.len() {
            if self.partitions[number].is_some() || self.found[number].len() < least {
                continue;
            }
            // While it waits for the other worker, the other one may wait for it.
            while self.shared.mail.has(number, self.shared.sizes.most_waiting)
                && !self.shared.signal.is_stopped()
            {
                if !self.store_received() {
                    thread::yield_now();
                }
            }
            let empty = self.spare.pop().unwrap_or_else(|| Batch::new(self.system.words()));
            self.shared.mail.send(number, std::mem::replace(&mut self.found[number], empty));
        }
    }

    /// Stores what other workers have sent. Returns whether there was anything.
    fn store_received(&mut self) -> bool {
        let mut is_any = false;
        for number in 0..self.partitions.len() {
            if self.partitions[number].is_none() || !self.shared.mail.has(number, 1) {
                continue;
            }
            while let Some(batch) = self.shared.mail.take(number) {
                let batch = self.store(number, batch);
                self.spare.push(batch);
                is_any = true;
            }
        }
        is_any
    }

    /// Tells the figures of its partitions.
    fn tell(&self) {
        for partition in self.partitions.iter().flatten() {
            self.shared.tell(partition);
        }
    }
}

impl Shared {
    /// Tells the figures of a partition.
    pub(super) fn tell(&self, partition: &Partition) {
        let told = &self.told[partition.number()];
        told.states.store(partition.states.len(), Ordering::Relaxed);
        told.bytes.store(partition.memory(), Ordering::Relaxed);
    }
}
