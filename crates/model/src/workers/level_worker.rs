//! The workers of a level: each does the places of the level in its partitions, and stores the states that
//! belong there, whichever worker finds them.
//!
//! Steps are collected by the partition of their targets. Those of other workers are sent in batches; own
//! ones are stored after a few places, so that many lookups overlap. What is done with a place and with a
//! step is the [task](LevelTask) of the level.
//!
//! Promise: returns when all steps of the level are stored, or all workers are to stop.

use super::batch::Batch;
use super::mailbox::Mailboxes;
use super::quota::StateQuota;
use super::{StopSignal, lock, run_workers};
use crate::search::{Limit, Meter, Stats};
use crate::sync::atomic::Ordering;
use crate::sync::{Counter, Mutex, thread};
use crate::system::System;
use std::ops::Range;

/// The sizes of a search: smaller ones in tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The largest number of places in a level that one worker does alone.
    pub(super) small_level: usize,
    /// The number of places that a worker does before it stores the targets of their steps.
    pub(super) places: usize,
    /// The number of steps that are sent together.
    pub(super) batch: usize,
    /// A worker sends no more while so many batches wait for a partition.
    pub(super) most_waiting: usize,
}

impl Sizes {
    pub(super) const USUAL: Sizes = Sizes { small_level: 512, places: 32, batch: 256, most_waiting: 64 };
}

/// A part of the states of a search, which one worker at a time uses.
pub(super) trait Divided: Send {
    /// The number of places of the level here.
    fn level_len(&self) -> usize {
        self.level().len()
    }

    /// The places of the level: what is to be expanded.
    fn level(&self) -> Range<u32>;

    /// Its number among the partitions, and its states, nodes and bytes.
    fn figures(&self) -> (usize, Figures);
}

/// The figures of a partition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) states: usize,
    pub(super) nodes: usize,
    pub(super) bytes: usize,
}

/// What a worker does with the places of a level and with the steps to its states.
pub(super) trait LevelTask {
    type Partition: Divided;
    /// What there is of a step beside the state that it leads to.
    type Item: Copy + Send;
    type Result: Send;
    /// May a worker alone go on with the places that it has found itself? They are a level then.
    const GOES_ON: bool;

    /// Expands a place, and adds the steps to the batches of their partitions. Returns their number.
    fn expand(
        &mut self,
        partition: &mut Self::Partition,
        place: u32,
        found: &mut [Batch<Self::Item>],
    ) -> usize;

    /// Stores the targets of steps. False if one is above the limit.
    fn store(
        &mut self,
        partition: &mut Self::Partition,
        batch: &Batch<Self::Item>,
        quota: Option<&StateQuota>,
    ) -> bool;

    fn finish(self) -> Self::Result;
}

/// The data that all workers share.
#[derive(Debug)]
pub(super) struct Shared<I> {
    pub(super) sizes: Sizes,
    pub(super) signal: StopSignal,
    mail: Mailboxes<I>,
    /// `None` where there is no limit, and nothing to count at every state.
    pub(super) quota: Option<StateQuota>,
    /// By partition, what its worker has told.
    told: Vec<Told>,
}

/// The figures of a partition, in a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Told {
    states: Counter,
    nodes: Counter,
    bytes: Counter,
}

impl<I> Shared<I> {
    /// For so many partitions.
    pub(super) fn new(sizes: Sizes, partitions: usize, most_states: Option<usize>) -> Shared<I> {
        Shared {
            sizes,
            signal: StopSignal::default(),
            mail: Mailboxes::new(partitions),
            quota: most_states.map(StateQuota::new),
            told: (0..partitions).map(|_| Told::default()).collect(),
        }
    }

    /// Begins anew, with so many partitions.
    pub(super) fn divide(&mut self, partitions: usize) {
        self.mail = Mailboxes::new(partitions);
        self.told = (0..partitions).map(|_| Told::default()).collect();
    }

    /// Tells the figures of a partition.
    pub(super) fn tell(&self, partition: &impl Divided) {
        let (number, figures) = partition.figures();
        let told = &self.told[number];
        told.states.store(figures.states, Ordering::Relaxed);
        told.nodes.store(figures.nodes, Ordering::Relaxed);
        told.bytes.store(figures.bytes, Ordering::Relaxed);
    }

    /// The figures of all partitions, as their workers have told them.
    fn figures<S: System>(&self, system: &S, so_far: Stats) -> Stats {
        let sum = |figure: fn(&Told) -> usize| self.told.iter().map(figure).sum::<usize>();
        Stats {
            states: sum(|told| told.states.load(Ordering::Relaxed)),
            product_states: sum(|told| told.nodes.load(Ordering::Relaxed)),
            bytes: so_far.bytes + sum(|told| told.bytes.load(Ordering::Relaxed)) + system.table_bytes(),
            ..so_far
        }
    }
}

/// A level of a search, and what is known of the search so far: the figures that partitions do not have.
pub(super) struct Level<'s, 'm, S> {
    pub(super) system: &'s S,
    pub(super) workers: usize,
    pub(super) so_far: Stats,
    pub(super) meter: &'s mut Meter<'m>,
}

impl<S: System> Level<'_, '_, S> {
    /// Divides the level among the workers, and checks the limits meanwhile. Returns the results of all.
    pub(super) fn work<T: LevelTask>(
        self,
        shared: &mut Shared<T::Item>,
        partitions: &mut [T::Partition],
        task: impl Fn() -> T + Sync,
    ) -> Vec<T::Result> {
        let Level { system, workers, mut so_far, meter } = self;
        shared.mail.begin();
        let shared = &*shared;
        let places: usize = partitions.iter().map(Divided::level_len).sum();
        let workers = if places <= shared.sizes.small_level { 1 } else { workers.min(partitions.len()) };
        let width = system.words();
        let parts = divide(partitions, workers);
        let worker = |number: usize| {
            let part = lock(&parts[number]).take().expect("each part is taken once");
            Worker::new(task(), shared, width, part)
        };
        let lead = |idle: &[usize]| {
            // The first worker takes the partitions of workers that could not be started.
            let others = idle.iter().filter_map(|number| lock(&parts[*number]).take());
            let worker = worker(0).with_partitions(others);
            worker.work(&mut |places, steps| {
                so_far.transitions += steps;
                // The other workers do about as much. The number of states is checked where states are
                // stored.
                for _ in 0..places * workers {
                    meter.tick();
                }
                if meter.is_due()
                    && let Some(limit) = meter.read(shared.figures(system, so_far))
                {
                    shared.signal.stop_by(limit);
                }
            })
        };
        let help = |number| worker(number).work(&mut |_, _| {});
        run_workers(&shared.signal, workers, help, lead)
    }
}

/// By partition, the partition; `None` where another worker has it.
type Part<'p, P> = Vec<Option<&'p mut P>>;

/// Divides the partitions among so many workers.
fn divide<P>(partitions: &mut [P], workers: usize) -> Vec<Mutex<Option<Part<'_, P>>>> {
    let count = partitions.len();
    let mut parts: Vec<Part<'_, P>> = (0..workers).map(|_| (0..count).map(|_| None).collect()).collect();
    for (number, partition) in partitions.iter_mut().enumerate() {
        parts[number % workers][number] = Some(partition);
    }
    parts.into_iter().map(|part| Mutex::new(Some(part))).collect()
}

/// A worker's task, its partitions and its buffers.
struct Worker<'a, T: LevelTask> {
    task: T,
    shared: &'a Shared<T::Item>,
    width: usize,
    /// By number; `None` where another worker has it.
    partitions: Part<'a, T::Partition>,
    /// By partition, steps that are not stored or sent yet.
    found: Vec<Batch<T::Item>>,
    /// Batches that were stored: their memory is used again.
    spare: Vec<Batch<T::Item>>,
}

impl<'a, T: LevelTask> Worker<'a, T> {
    /// A worker of these partitions, by number.
    fn new(task: T, shared: &'a Shared<T::Item>, width: usize, partitions: Part<'a, T::Partition>) -> Self {
        let found = partitions.iter().map(|_| Batch::new(width)).collect();
        Worker { task, shared, width, partitions, found, spare: Vec::new() }
    }

    /// The same worker, with the partitions of others.
    fn with_partitions(mut self, others: impl Iterator<Item = Part<'a, T::Partition>>) -> Self {
        for (number, partition) in others.flat_map(|part| part.into_iter().enumerate()) {
            if partition.is_some() {
                self.partitions[number] = partition;
            }
        }
        self
    }

    /// Does the level; calls `on_places` now and then with the numbers of places and steps since the last
    /// call.
    fn work(mut self, on_places: &mut dyn FnMut(usize, usize)) -> T::Result {
        let own: Vec<usize> =
            (0..self.partitions.len()).filter(|at| self.partitions[*at].is_some()).collect();
        let mut is_done = self.expand_level(&own, on_places);
        // Alone, it waits for no other worker.
        while T::GOES_ON && is_done && own.len() == self.partitions.len() {
            let places: usize = own.iter().map(|number| self.level_of(*number).len()).sum();
            if !(1..=self.shared.sizes.small_level).contains(&places) {
                break;
            }
            is_done = self.expand_level(&own, on_places);
        }
        if is_done {
            self.wait_for_others(own.len());
        }
        self.tell();
        self.task.finish()
    }

    fn level_of(&self, number: usize) -> Range<u32> {
        self.partitions[number].as_ref().expect("an own partition").level()
    }

    /// Expands the places of the level in its partitions. False if all workers are to stop.
    fn expand_level(&mut self, own: &[usize], on_places: &mut dyn FnMut(usize, usize)) -> bool {
        for number in own {
            let level = self.level_of(*number);
            for first in level.clone().step_by(self.shared.sizes.places) {
                let end = level.end.min(first + self.shared.sizes.places as u32);
                let mut steps = 0;
                for place in first..end {
                    let partition = self.partitions[*number].as_mut().expect("an own partition");
                    steps += self.task.expand(partition, place, &mut self.found);
                }
                self.store_found();
                self.send_found(self.shared.sizes.batch);
                self.store_received();
                self.tell();
                on_places((end - first) as usize, steps);
                if self.shared.signal.is_stopped() {
                    return false;
                }
            }
        }
        true
    }

    /// Stores what others send, until all have sent everything.
    fn wait_for_others(&mut self, own: usize) {
        self.send_found(1);
        self.shared.mail.finish(own);
        while !self.shared.signal.is_stopped() {
            // Read before the mail is taken: a worker that has finished sends nothing more.
            let have_all_finished = self.shared.mail.have_all_finished();
            let is_idle = !self.store_received();
            if have_all_finished {
                break;
            }
            if is_idle {
                thread::yield_now();
            }
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
    fn store(&mut self, number: usize, mut batch: Batch<T::Item>) -> Batch<T::Item> {
        let partition = self.partitions[number].as_mut().expect("an own partition");
        if !self.task.store(partition, &batch, self.shared.quota.as_ref()) {
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
            let empty = self.spare.pop().unwrap_or_else(|| Batch::new(self.width));
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
            self.shared.tell(&**partition);
        }
    }
}
