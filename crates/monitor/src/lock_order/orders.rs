//! Orders of several runs, judged together.
//!
//! Stolz and Huch (§1): information from several runs tells of behaviour that no single run shows. Between
//! runs a lock is known by its name, or else by the location where it was made. A name that several locks
//! of one run share says too little: orders with such locks are left out, and counted.
//!
//! Two acquisitions of different runs can wait at once if a run that has acquisitions like both, by threads
//! with the same names, says so. If no run has both, they can unless the threads have the same name, and no
//! run has several threads with that name.
//!
//! Promise: merging a run with itself adds no cycle.

use super::clock::Clock;
use super::finding::{Cycle, Suppressed};
use super::history::{Acquisition, Evidence, History, LockSet};
use super::ids::{Access, CodeLocation, Hold, HolderId, LockId};
use super::recorder::{LockNames, LockSelector, State};
use super::search::{AcquisitionIndex, Overlap, overlap_in_one_run};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The orders of runs, as they are kept in a file: [`Display`](std::fmt::Display) writes the text,
/// [`FromStr`](std::str::FromStr) reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orders {
    pub(super) allowed: Vec<Allowance>,
    pub(super) runs: Vec<Run>,
}

/// An order of two locks that is no part of a deadlock, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    pub(super) first: String,
    pub(super) second: String,
    pub(super) why: String,
}

/// The orders of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// The names of the threads and tasks.
    pub(super) holders: Vec<String>,
    pub(super) acquisitions: Vec<KeptAcquisition>,
    /// Orders with locks that share a name.
    pub(super) ambiguous: u64,
}

/// An acquisition, by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptAcquisition {
    /// An index of the run's holders.
    pub(super) holder: usize,
    pub(super) segment: u32,
    /// For other holders, the last segment that came before.
    pub(super) after: Vec<(usize, u32)>,
    pub(super) held: Vec<KeptLock>,
    pub(super) wanted: KeptLock,
}

/// A lock that was held or wanted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeptLock {
    pub(super) name: String,
    pub(super) access: Access,
    pub(super) at: CodeLocation,
}

impl Orders {
    /// Adds the runs and allowances of others; what is there already is not added again.
    pub fn merge(&mut self, other: &Orders) {
        for run in &other.runs {
            if !self.runs.contains(run) {
                self.runs.push(run.clone());
            }
        }
        for allowance in &other.allowed {
            if !self.allowed.contains(allowance) {
                self.allowed.push(allowance.clone());
            }
        }
    }

    /// The number of runs.
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// The potential deadlocks of the runs together, smallest first.
    pub fn cycles(&self) -> Vec<Cycle> {
        let mut cycles = self.judged().told;
        cycles.sort_by_key(|cycle| (cycle.steps.len(), cycle.locks()));
        cycles
    }

    /// The cycles that are no deadlocks, each with the reason.
    pub fn suppressed(&self) -> Vec<Suppressed> {
        self.judged().suppressed()
    }

    /// The limits that were reached, and what was left out.
    pub fn notes(&self) -> Vec<String> {
        let ambiguous: u64 = self.runs.iter().map(|run| run.ambiguous).sum();
        let mut notes = self.judged().notes();
        if ambiguous > 0 {
            notes.push(format!("{ambiguous} orders are left out: their locks share a name with others"));
        }
        notes
    }

    /// The orders of the run that this history is of.
    pub(super) fn of_run(
        history: &History,
        locks: &LockNames,
        allowed: &[(LockSelector, LockSelector, String)],
    ) -> Orders {
        let shared = shared_names(history, locks);
        let mut run = Run::default();
        let mut numbers: FxHashMap<HolderId, usize> = FxHashMap::default();
        let acquisitions = history.entries().flat_map(|entry| &entry.acquisitions);
        for acquisition in acquisitions {
            numbers.entry(acquisition.holder).or_insert_with(|| {
                run.holders.push(acquisition.name.to_string());
                run.holders.len() - 1
            });
        }
        for entry in history.entries() {
            let mut names =
                entry.set.held.iter().chain([&entry.set.wanted]).map(|hold| locks.lasting_name(hold.lock));
            if names.any(|name| shared.contains(&name)) {
                run.ambiguous += 1;
                continue;
            }
            let kept =
                entry.acquisitions.iter().map(|acquisition| keep(&entry.set, acquisition, locks, &numbers));
            run.acquisitions.extend(kept);
        }
        let name = |selector: &LockSelector| match selector {
            LockSelector::Id(id) => locks.lasting_name(*id),
            LockSelector::Name(name) => name.clone(),
        };
        let allowance = |(first, second, why): &(LockSelector, LockSelector, String)| Allowance {
            first: name(first),
            second: name(second),
            why: why.clone(),
        };
        Orders { allowed: allowed.iter().map(allowance).collect(), runs: vec![run] }
    }

    fn judged(&self) -> State {
        let mut state = State::default();
        let by_name = |name: &String| LockSelector::Name(name.clone());
        let allowed = self
            .allowed
            .iter()
            .map(|allowance| (by_name(&allowance.first), by_name(&allowance.second), allowance.why.clone()));
        state.allowed = allowed.collect();
        let mut locks = Locks::default();
        let holders = HoldersOfRuns::new(&self.runs);
        for (run_index, run) in self.runs.iter().enumerate() {
            for kept in &run.acquisitions {
                let holder = |index: usize| holders.id(run_index, index);
                let (set, acquisition) = unkeep(kept, &run.holders, &mut locks, &mut state.locks, &holder);
                state.record_by(set, acquisition, &|history, a, b| holders.overlap(history, a, b));
            }
        }
        state
    }
}

/// The names that several locks of the history have.
fn shared_names(history: &History, locks: &LockNames) -> FxHashSet<String> {
    let mut lock_by_name: FxHashMap<String, LockId> = FxHashMap::default();
    let mut shared = FxHashSet::default();
    for entry in history.entries() {
        for hold in entry.set.held.iter().chain([&entry.set.wanted]) {
            let name = locks.lasting_name(hold.lock);
            if *lock_by_name.entry(name.clone()).or_insert(hold.lock) != hold.lock {
                shared.insert(name);
            }
        }
    }
    shared
}

fn keep(
    set: &LockSet,
    acquisition: &Acquisition,
    locks: &LockNames,
    numbers: &FxHashMap<HolderId, usize>,
) -> KeptAcquisition {
    let lock = |hold: &Hold, at: &CodeLocation| KeptLock {
        name: locks.lasting_name(hold.lock),
        access: hold.access,
        at: at.clone(),
    };
    let after =
        acquisition.clock.iter().filter_map(|(holder, segment)| Some((*numbers.get(&holder)?, segment)));
    KeptAcquisition {
        holder: numbers[&acquisition.holder],
        segment: acquisition.segment,
        after: after.collect(),
        held: set.held.iter().zip(&acquisition.evidence.held_at).map(|(hold, at)| lock(hold, at)).collect(),
        wanted: lock(&set.wanted, &acquisition.evidence.wanted_at),
    }
}

/// Locks by name.
#[derive(Debug, Default)]
struct Locks(FxHashMap<String, LockId>);

impl Locks {
    fn hold(&mut self, lock: &KeptLock, names: &mut LockNames) -> Hold {
        let next = self.0.len() as u64 + 1;
        let id = *self.0.entry(lock.name.clone()).or_insert_with(|| {
            names.set(LockId::new(next), &lock.name);
            LockId::new(next)
        });
        Hold { lock: id, access: lock.access }
    }
}

fn unkeep(
    kept: &KeptAcquisition,
    names: &[String],
    locks: &mut Locks,
    lock_names: &mut LockNames,
    holder: &dyn Fn(usize) -> HolderId,
) -> (LockSet, Acquisition) {
    let mut held: Vec<(Hold, CodeLocation)> =
        kept.held.iter().map(|lock| (locks.hold(lock, lock_names), lock.at.clone())).collect();
    held.sort();
    held.dedup_by_key(|(hold, _)| hold.lock);
    let wanted = locks.hold(&kept.wanted, lock_names);
    let (held, held_at): (Vec<_>, Vec<_>) = held.into_iter().unzip();
    let mut clock = Clock::default();
    for (index, segment) in &kept.after {
        clock.raise(holder(*index), *segment);
    }
    let evidence = Evidence { held_at: held_at.into(), wanted_at: kept.wanted.at.clone(), backtrace: None };
    let acquisition = Acquisition {
        holder: holder(kept.holder),
        name: names[kept.holder].as_str().into(),
        segment: kept.segment,
        clock: Arc::new(clock),
        evidence: Arc::new(evidence),
    };
    (LockSet { held: held.into(), wanted }, acquisition)
}

/// The holders of all runs, numbered through.
struct HoldersOfRuns {
    /// The number of the first holder of each run, and one more.
    first: Vec<u64>,
    /// Names that several holders of one run have.
    several: FxHashSet<String>,
}

impl HoldersOfRuns {
    fn new(runs: &[Run]) -> HoldersOfRuns {
        let mut holders = HoldersOfRuns { first: vec![1], several: FxHashSet::default() };
        for run in runs {
            let last = *holders.first.last().expect("it begins with one");
            holders.first.push(last + run.holders.len() as u64);
            let mut seen = FxHashSet::default();
            holders.several.extend(run.holders.iter().filter(|name| !seen.insert(*name)).cloned());
        }
        holders
    }

    fn id(&self, run: usize, index: usize) -> HolderId {
        HolderId::new(self.first[run] + index as u64)
    }

    fn run(&self, holder: HolderId) -> usize {
        self.first.partition_point(|first| *first <= holder.0.get()) - 1
    }

    fn overlap(&self, history: &History, a: AcquisitionIndex, b: AcquisitionIndex) -> Overlap {
        let of = |index: AcquisitionIndex| &history.entry(index.order).acquisitions[index.position];
        let (first, second) = (of(a), of(b));
        if self.run(first.holder) == self.run(second.holder) {
            return overlap_in_one_run(first, second);
        }
        let seen = self.seen_together(history, a, second).chain(self.seen_together(history, b, first)).max();
        let can_differ = first.name != second.name || self.several.contains(&*first.name);
        seen.unwrap_or(if can_differ { Overlap::Possible } else { Overlap::SameHolder })
    }

    /// What the run of `other` says of acquisitions like `index`.
    fn seen_together<'a>(
        &'a self,
        history: &'a History,
        index: AcquisitionIndex,
        other: &'a Acquisition,
    ) -> impl Iterator<Item = Overlap> + 'a {
        let list = &history.entry(index.order).acquisitions;
        let name = &list[index.position].name;
        let run = self.run(other.holder);
        let like = list.iter().filter(move |like| self.run(like.holder) == run && like.name == *name);
        like.map(move |like| overlap_in_one_run(like, other))
    }
}
