//! What all holders share: the history, the verdicts on cycles, and what is told.

use super::finding::{
    Cycle, CycleStep, Deadlock, Finding, HolderName, LockName, Reason, Suppressed, Wait, WaitGoal,
};
use super::history::{Acquisition, History, LockSet};
use super::holder::HolderShared;
use super::ids::{CodeLocation, HolderId, LockId};
use super::search::{
    AcquisitionIndex, Candidate, CycleKey, CycleVerdict, Overlap, OverlapFunction, cycles_through,
    overlap_in_one_run,
};
use super::waits::{Goal, WaitEntry, WaitGraph};
use crate::reaction::Reaction;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The suppressed cycles that are kept; more are only counted.
const MAX_SUPPRESSED: usize = 10_000;

/// The shared part of a [`LockOrder`](super::LockOrder).
#[derive(Debug, Default)]
pub(super) struct Recorder {
    state: Mutex<State>,
    reaction: Mutex<Reaction<Finding>>,
    pub(super) omits_backtraces: AtomicBool,
}

/// What is known, behind one lock.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) history: History,
    pub(super) locks: LockNames,
    pub(super) holders: FxHashMap<HolderId, Weak<HolderShared>>,
    pub(super) waits: WaitGraph,
    /// Each cycle, with its best verdict so far.
    cycles: FxHashMap<CycleKey, Standing>,
    pub(super) allowed: Vec<(LockSelector, LockSelector, String)>,
    pub(super) told: Vec<Cycle>,
    pub(super) deadlocks: Vec<Deadlock>,
    /// Told as soon as the lock is given back.
    pending: VecDeque<Finding>,
    cut_searches: u64,
    left_out: u64,
}

#[derive(Debug)]
enum Standing {
    Suppressed { verdict: CycleVerdict, suppressed: Suppressed },
    Told,
}

impl Recorder {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn captures_backtraces(&self) -> bool {
        !self.omits_backtraces.load(Ordering::Relaxed)
    }

    pub(super) fn set_reaction(&self, reaction: Reaction<Finding>) {
        *self.reaction.lock().unwrap_or_else(PoisonError::into_inner) = reaction;
    }

    /// Tells what was found, without the lock of the state. A thread that is told something and finds more
    /// tells that afterwards; so does a thread that tells while another one finds more.
    pub(super) fn tell(&self) {
        while !self.state().pending.is_empty() {
            let mut reaction = match self.reaction.try_lock() {
                Ok(reaction) => reaction,
                Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(std::sync::TryLockError::WouldBlock) => return,
            };
            loop {
                let Some(finding) = self.state().pending.pop_front() else { break };
                reaction.handle(&finding);
            }
        }
    }

    /// A lock that `holder` took was released by another holder.
    pub(super) fn release(&self, lock: LockId, holder: HolderId) {
        let mut state = self.state();
        if let Some(shared) = state.holders.get(&holder).and_then(Weak::upgrade) {
            shared.release(lock);
            state.waits.release(holder, lock);
        }
    }
}

impl State {
    /// Records an acquisition and settles the cycles that it closes.
    pub(super) fn record(&mut self, set: LockSet, acquisition: Acquisition) {
        self.record_by(set, acquisition, &overlap);
    }

    /// The same, by another notion of acquisitions that can wait at once.
    pub(super) fn record_by(
        &mut self,
        set: LockSet,
        acquisition: Acquisition,
        overlap: &OverlapFunction<'_>,
    ) {
        let Some((order, position)) = self.history.record(set, acquisition) else { return };
        let start = AcquisitionIndex { order, position };
        let cycles = &self.cycles;
        let is_told = |key: &[LockId]| matches!(cycles.get(key), Some(Standing::Told));
        let result = cycles_through(&mut self.history, start, overlap, &is_told);
        self.cut_searches += u64::from(result.is_cut);
        for candidate in result.candidates {
            self.settle(candidate);
        }
    }

    fn settle(&mut self, candidate: Candidate) {
        if let Some(Standing::Suppressed { verdict, .. }) = self.cycles.get(&candidate.key)
            && !candidate.verdict.is_nearer_than(*verdict)
        {
            return;
        }
        let cycle = name_cycle(&self.history, &self.locks, &candidate.acquisitions);
        let reason = match candidate.verdict {
            CycleVerdict::OneHolder => Some(Reason::OneHolder),
            CycleVerdict::Gate(lock) => Some(Reason::Gate(self.locks.name(lock))),
            CycleVerdict::Ordered => Some(Reason::Ordered),
            CycleVerdict::Possible => self.allowance(&candidate.key).map(Reason::Allowed),
        };
        let Some(reason) = reason else {
            self.cycles.insert(candidate.key, Standing::Told);
            self.told.push(cycle.clone());
            self.pending.push_back(Finding::Cycle(cycle));
            return;
        };
        if self.cycles.len() >= MAX_SUPPRESSED && !self.cycles.contains_key(&candidate.key) {
            self.left_out += 1;
            return;
        }
        let suppressed = Suppressed { cycle, reason };
        self.cycles.insert(candidate.key, Standing::Suppressed { verdict: candidate.verdict, suppressed });
    }

    /// Why the cycle is allowed, if it is: by one of its orders.
    fn allowance(&self, key: &[LockId]) -> Option<String> {
        let pairs = (0..key.len()).map(|index| (key[index], key[(index + 1) % key.len()]));
        let is_allowed = |(a, b): (LockId, LockId)| {
            let matches = |(first, second, _): &&(LockSelector, LockSelector, String)| {
                self.locks.matches(a, first) && self.locks.matches(b, second)
            };
            self.allowed.iter().find(matches).map(|(_, _, why)| why.clone())
        };
        pairs.into_iter().find_map(is_allowed)
    }

    /// A holder waits. A deadlock that this closes is to be told.
    pub(super) fn wait(&mut self, holder: HolderId, entry: WaitEntry) {
        let Some(holders) = self.waits.begin(holder, entry) else { return };
        let wait = |index: usize| {
            let next = holders[(index + 1) % holders.len()];
            let entry = self.waits.entry(holders[index]);
            let next_entry = self.waits.entry(next);
            let next = HolderName { id: next, text: next_entry.name.clone() };
            let goal = match entry.goal {
                Goal::EndOf(_) => WaitGoal::Join(next),
                Goal::Lock(wanted) if next_entry.held.iter().any(|hold| hold.excludes(wanted)) => {
                    WaitGoal::Lock {
                        lock: self.locks.name(wanted.lock),
                        access: wanted.access,
                        held_by: next,
                    }
                }
                Goal::Lock(wanted) => {
                    WaitGoal::BehindWriter { lock: self.locks.name(wanted.lock), writer: next }
                }
            };
            let holder = HolderName { id: holders[index], text: entry.name.clone() };
            Wait { holder, goal, at: entry.at.clone() }
        };
        let deadlock = Deadlock { waits: (0..holders.len()).map(wait).collect() };
        self.deadlocks.push(deadlock.clone());
        self.pending.push_back(Finding::Deadlock(deadlock));
    }

    pub(super) fn suppressed(&self) -> Vec<Suppressed> {
        let suppressed = self.cycles.iter().filter_map(|(key, standing)| match standing {
            Standing::Suppressed { suppressed, .. } => Some((key.len(), key, suppressed)),
            Standing::Told => None,
        });
        let mut suppressed: Vec<_> = suppressed.collect();
        suppressed.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        suppressed.into_iter().map(|(_, _, suppressed)| suppressed.clone()).collect()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |count: u64, text: &str| {
            if count > 0 {
                notes.push(format!("{count} {text}"));
            }
        };
        note(self.history.dropped, "acquisitions were dropped: one order was shown by too many holders");
        note(self.cut_searches, "searches for cycles were cut short: cycles may be missing");
        note(self.left_out, "suppressed cycles are not listed: there are too many");
        notes
    }
}

fn overlap(history: &History, a: AcquisitionIndex, b: AcquisitionIndex) -> Overlap {
    let acquisition = |index: AcquisitionIndex| &history.entry(index.order).acquisitions[index.position];
    overlap_in_one_run(acquisition(a), acquisition(b))
}

/// The cycle with names and locations. It begins with the holder of the smallest lock.
pub(super) fn name_cycle(history: &History, locks: &LockNames, chain: &[AcquisitionIndex]) -> Cycle {
    let step = |index: usize| {
        let previous = chain[(index + chain.len() - 1) % chain.len()];
        let wanted = history.entry(previous.order).set.wanted;
        let entry = history.entry(chain[index].order);
        let acquisition = &entry.acquisitions[chain[index].position];
        let held = entry.set.held.iter().position(|hold| hold.excludes(wanted));
        let name =
            |held: usize| (locks.name(entry.set.held[held].lock), acquisition.evidence.held_at[held].clone());
        CycleStep {
            holder: HolderName { id: acquisition.holder, text: acquisition.name.clone() },
            holds: held.map(name),
            wants: locks.name(entry.set.wanted.lock),
            access: entry.set.wanted.access,
            wanted_at: acquisition.evidence.wanted_at.clone(),
            first: entry.first.clone(),
        }
    };
    let mut steps: Vec<CycleStep> = (0..chain.len()).map(step).collect();
    let smallest = (0..steps.len()).min_by_key(|index| {
        let previous = &steps[(index + steps.len() - 1) % steps.len()];
        (previous.wants.id, steps[*index].holds.is_none())
    });
    steps.rotate_left(smallest.unwrap_or(0));
    Cycle { steps }
}

/// A lock, by its number or by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockSelector {
    /// One lock.
    Id(LockId),
    /// All locks with this name.
    Name(String),
}

impl From<LockId> for LockSelector {
    fn from(id: LockId) -> Self {
        LockSelector::Id(id)
    }
}

impl From<&str> for LockSelector {
    fn from(name: &str) -> Self {
        LockSelector::Name(name.to_owned())
    }
}

/// The names of locks, and where they were made.
#[derive(Debug, Default)]
pub(super) struct LockNames {
    names: FxHashMap<LockId, Arc<str>>,
    made_at: FxHashMap<LockId, CodeLocation>,
}

impl LockNames {
    pub(super) fn set(&mut self, lock: LockId, name: &str) {
        self.names.insert(lock, name.into());
    }

    pub(super) fn introduce(&mut self, locks: impl Iterator<Item = (LockId, &'static Location<'static>)>) {
        for (lock, made_at) in locks {
            self.made_at.entry(lock).or_insert_with(|| made_at.into());
        }
    }

    pub(super) fn forget(&mut self, lock: LockId) {
        self.names.remove(&lock);
        self.made_at.remove(&lock);
    }

    pub(super) fn name(&self, lock: LockId) -> LockName {
        let text = match (self.names.get(&lock), self.made_at.get(&lock)) {
            (Some(name), _) => format!("`{name}`"),
            (None, Some(made_at)) => format!("lock {} (made at {made_at})", lock.0),
            (None, None) => format!("lock {}", lock.0),
        };
        LockName { id: lock, text }
    }

    /// What the lock is called in other runs, too: its name, or else the location where it was made.
    pub(super) fn lasting_name(&self, lock: LockId) -> String {
        match (self.names.get(&lock), self.made_at.get(&lock)) {
            (Some(name), _) => name.to_string(),
            (None, Some(made_at)) => made_at.to_string(),
            (None, None) => String::new(),
        }
    }

    fn matches(&self, lock: LockId, selector: &LockSelector) -> bool {
        match selector {
            LockSelector::Id(id) => *id == lock,
            LockSelector::Name(name) => self.lasting_name(lock) == *name,
        }
    }
}
