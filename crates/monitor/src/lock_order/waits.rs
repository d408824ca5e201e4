//! The wait-for graph: deadlocks that happen.
//!
//! A holder that is about to block says what it waits for, and what it holds. All holders of a deadlock
//! have done so when it closes, so holders that run say nothing, and pay nothing.
//!
//! Promise: a cycle of holders that wait for locks held by the next, or to join the next, is told by the
//! last of them, and nothing else is told as a deadlock, with one exception. A reader counts as blocked by
//! a writer that waits. Between the announcement of that writer and its place in the queue of the lock, the
//! reader may still slip in; the deadlock was then possible, and did not happen.

use super::history::LockSet;
use super::ids::{CodeLocation, Hold, HolderId, LockId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a holder waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Lock(Hold),
    EndOf(HolderId),
}

/// A holder that waits.
#[derive(Clone, Debug)]
pub(super) struct WaitEntry {
    pub(super) name: Arc<str>,
    pub(super) goal: Goal,
    pub(super) at: CodeLocation,
    pub(super) held: Vec<Hold>,
}

impl WaitEntry {
    fn blocks(&self, wanted: Hold) -> bool {
        match self.goal {
            Goal::Lock(goal) => LockSet { held: self.held.clone().into(), wanted: goal }.blocks(wanted),
            Goal::EndOf(_) => self.held.iter().any(|hold| hold.excludes(wanted)),
        }
    }
}

/// The holders that wait.
#[derive(Debug, Default)]
pub(super) struct WaitGraph {
    waiting: FxHashMap<HolderId, WaitEntry>,
}

impl WaitGraph {
    /// The holder waits from now on. Returns the holders of a deadlock that this closes: each waits for the
    /// next.
    pub(super) fn begin(&mut self, holder: HolderId, entry: WaitEntry) -> Option<Vec<HolderId>> {
        self.waiting.insert(holder, entry);
        let mut path = vec![holder];
        let mut visited = FxHashSet::default();
        self.closes(holder, &mut path, &mut visited).then_some(path)
    }

    /// The holder waits no more.
    pub(super) fn end(&mut self, holder: HolderId) {
        self.waiting.remove(&holder);
    }

    /// Another holder released a lock that this one had taken.
    pub(super) fn release(&mut self, holder: HolderId, lock: LockId) {
        if let Some(entry) = self.waiting.get_mut(&holder)
            && let Some(index) = entry.held.iter().rposition(|hold| hold.lock == lock)
        {
            entry.held.remove(index);
        }
    }

    pub(super) fn entry(&self, holder: HolderId) -> &WaitEntry {
        &self.waiting[&holder]
    }

    fn closes(&self, start: HolderId, path: &mut Vec<HolderId>, visited: &mut FxHashSet<HolderId>) -> bool {
        let last = *path.last().expect("a path has a start");
        for next in self.blockers(last) {
            if next == start {
                return true;
            }
            if visited.insert(next) {
                path.push(next);
                if self.closes(start, path, visited) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// The waiting holders that the holder waits for, in the order of their numbers.
    fn blockers(&self, holder: HolderId) -> Vec<HolderId> {
        let mut blockers: Vec<HolderId> = match self.waiting[&holder].goal {
            Goal::EndOf(other) => self.waiting.contains_key(&other).then_some(other).into_iter().collect(),
            Goal::Lock(wanted) => {
                let blocking = self.waiting.iter().filter(|(_, entry)| entry.blocks(wanted));
                blocking.map(|(other, _)| *other).collect()
            }
        };
        blockers.sort_unstable();
        blockers
    }
}
