//! A holder of locks: a thread or a task, with the locks that it has taken.
//!
//! Promise: a request with a known order touches the memory of the holder alone. Only a new order, a spawn,
//! a join, a wait, and a release by another holder take the lock of the recorder. The holder of the calling
//! thread has a still shorter path for known orders: [`fast`](super::fast).

use super::clock::Clock;
use super::fast::{HeldLock, KnownStep, tell_release};
use super::history::{Acquisition, Evidence, LockSet};
use super::ids::{Access, CodeLocation, Hold, HolderId, LockId, LockTag, PackedHold};
use super::known::{KnownOrders, Node};
use super::recorder::Recorder;
use super::waits::{Goal, WaitEntry};
use std::backtrace::Backtrace;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Entries of a clock beyond this are looked through for holders without recorded acquisitions.
const MAX_UNCHECKED_ENTRIES: usize = 16;

/// A thread or a task, with the locks that it holds. It belongs to the thread or task, and moves with it.
///
/// A watched lock calls, in this order: [`requests`](Holder::requests) before it may block;
/// [`waits_for`](Holder::waits_for) if it does block; [`acquires`](Holder::acquires) once it has the lock;
/// [`releases`](Holder::releases) before it gives it back. An attempt that does not block, such as
/// `try_lock`, calls the last two alone.
#[derive(Debug)]
pub struct Holder {
    recorder: Arc<Recorder>,
    shared: Arc<HolderShared>,
    /// Counts spawned children, from 1.
    pub(super) segment: u32,
    has_recorded: bool,
    clock: Arc<Clock>,
    clock_limit: usize,
    /// Elsewhere while the thread takes known orders: [`fast`](super::fast).
    pub(super) held: Vec<HeldLock>,
    known: KnownOrders,
}

/// What others may know of a holder.
#[derive(Debug)]
pub(super) struct HolderShared {
    pub(super) id: HolderId,
    pub(super) name: Arc<str>,
    /// Locks that other holders released; the flag says whether there are any.
    released: Mutex<Vec<LockId>>,
    has_released: AtomicBool,
    /// What came before the end of the holder.
    end: OnceLock<Clock>,
}

impl HolderShared {
    /// Another holder released this lock. The caller has the recorder's lock.
    pub(super) fn release(&self, lock: LockId) {
        self.released.lock().unwrap_or_else(PoisonError::into_inner).push(lock);
        self.has_released.store(true, Ordering::Release);
        tell_release(self.id);
    }
}

/// Stands for a holder where it is joined.
#[derive(Clone, Debug)]
pub struct JoinTicket(Arc<HolderShared>);

/// A wait, until it is dropped.
#[derive(Debug)]
#[must_use = "the wait ends when this is dropped"]
pub struct Waiting {
    recorder: Arc<Recorder>,
    holder: HolderId,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.recorder.state().waits.end(self.holder);
    }
}

impl Holder {
    pub(super) fn new(recorder: Arc<Recorder>, name: &str, clock: Arc<Clock>) -> Holder {
        let shared = Arc::new(HolderShared {
            id: HolderId::next(),
            name: name.into(),
            released: Mutex::default(),
            has_released: AtomicBool::new(false),
            end: OnceLock::new(),
        });
        recorder.state().holders.insert(shared.id, Arc::downgrade(&shared));
        Holder {
            recorder,
            shared,
            segment: 1,
            has_recorded: false,
            clock,
            clock_limit: MAX_UNCHECKED_ENTRIES,
            held: Vec::new(),
            known: KnownOrders::new(),
        }
    }

    /// Its number.
    #[inline]
    pub fn id(&self) -> HolderId {
        self.shared.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The locks that it holds, in the order of their acquisition.
    pub fn held(&mut self) -> Vec<LockId> {
        self.receive_releases();
        self.held.iter().map(HeldLock::lock).collect()
    }

    /// It is about to take a lock, and to block until it has it.
    #[inline]
    #[track_caller]
    pub fn requests(&mut self, lock: &LockTag, access: Access) {
        self.requests_at(lock, access, Location::caller());
    }

    /// The same, with the location of the request.
    #[inline]
    pub fn requests_at(&mut self, lock: &LockTag, access: Access, at: &'static Location<'static>) {
        self.receive_releases();
        // A writer that holds nothing still keeps readers out.
        if self.held.is_empty() && access != Access::Write {
            return;
        }
        let wanted = Hold { lock: lock.id(), access };
        let node = self.node();
        if !self.known.is_recorded(node, wanted.packed(), self.segment) {
            self.record(node, wanted, lock.made_at(), at);
        }
    }

    /// The step from the held locks to a further one, if it is recorded.
    pub(super) fn known_step(&mut self, wanted: PackedHold) -> Option<KnownStep> {
        let node = self.node();
        let is_recorded = self.known.is_recorded(node, wanted, self.segment);
        let (base, top) = self.held.last().map_or((Some(node), None), |top| (top.base, Some(top.hold)));
        is_recorded.then_some(KnownStep { base, top, wanted, node, segment: self.segment })
    }

    /// The node of the empty sequence of locks.
    pub(super) fn root(&self) -> Node {
        self.known.root()
    }

    /// It has taken a lock.
    #[inline]
    #[track_caller]
    pub fn acquires(&mut self, lock: &LockTag, access: Access) {
        self.acquires_at(lock, access, Location::caller());
    }

    /// The same, with the location of the acquisition.
    #[inline]
    pub fn acquires_at(&mut self, lock: &LockTag, access: Access, at: &'static Location<'static>) {
        let hold = Hold { lock: lock.id(), access }.packed();
        self.held.push(HeldLock { hold, base: None, taken_at: at, made_at: lock.made_at() });
    }

    /// It is about to give back a lock that was taken by the holder `by`: itself, or another one, whose
    /// guard moved or whose hold it ends, as a `put` ends the hold of the last `take` of an `MVar`.
    #[inline]
    pub fn releases(&mut self, lock: &LockTag, by: HolderId) {
        let lock = lock.id();
        if by != self.id() {
            self.recorder.release(lock, by);
            return;
        }
        match self.held.last() {
            Some(last) if last.hold.is_of(lock) => {
                self.held.pop();
            }
            _ => self.remove(self.held.iter().rposition(|held| held.hold.is_of(lock))),
        }
    }

    /// It is about to block for a lock. If that closes a deadlock, the deadlock is told before.
    #[track_caller]
    pub fn waits_for(&mut self, lock: &LockTag, access: Access) -> Waiting {
        self.waits_for_at(lock, access, Location::caller())
    }

    /// The same, with the location of the wait.
    pub fn waits_for_at(
        &mut self,
        lock: &LockTag,
        access: Access,
        at: &'static Location<'static>,
    ) -> Waiting {
        let goal = Goal::Lock(Hold { lock: lock.id(), access });
        let made_at: Vec<_> = self.held.iter().map(|held| (held.lock(), held.made_at)).collect();
        self.recorder.state().locks.introduce(made_at.into_iter().chain([(lock.id(), lock.made_at())]));
        self.wait(goal, at)
    }

    /// It is about to block until another holder ends.
    #[track_caller]
    pub fn waits_to_join(&mut self, child: &JoinTicket) -> Waiting {
        self.waits_to_join_at(child, Location::caller())
    }

    /// The same, with the location of the wait.
    pub fn waits_to_join_at(&mut self, child: &JoinTicket, at: &'static Location<'static>) -> Waiting {
        self.wait(Goal::EndOf(child.0.id), at)
    }

    /// It spawns a child: what it did before comes before all that the child does.
    pub fn spawns(&mut self, name: &str) -> Holder {
        let mut clock = (*self.clock).clone();
        if self.has_recorded {
            clock.raise(self.id(), self.segment);
        }
        // Without an earlier acquisition the new segment makes no difference; it is counted all the same.
        self.segment += 1;
        Holder::new(self.recorder.clone(), name, Arc::new(clock))
    }

    /// Stands for this holder where it is joined.
    pub fn ticket(&self) -> JoinTicket {
        JoinTicket(self.shared.clone())
    }

    /// It has joined another holder: all that the other did comes before what it does from now on. A holder
    /// that has not ended orders nothing.
    pub fn joins(&mut self, other: &JoinTicket) {
        let Some(end) = other.0.end.get() else { return };
        if end.len() == 0 {
            return;
        }
        let mut clock = (*self.clock).clone();
        clock.join(end);
        if clock.len() > self.clock_limit {
            let state = self.recorder.state();
            clock.retain(|holder| state.history.has_acquisitions_of(holder));
            self.clock_limit = MAX_UNCHECKED_ENTRIES.max(2 * clock.len());
        }
        self.clock = Arc::new(clock);
    }

    /// Takes out the locks that other holders released.
    #[inline]
    pub(super) fn receive_releases(&mut self) {
        if self.shared.has_released.load(Ordering::Acquire) {
            self.take_out_released();
        }
    }

    #[cold]
    fn take_out_released(&mut self) {
        self.shared.has_released.store(false, Ordering::Relaxed);
        let released =
            std::mem::take(&mut *self.shared.released.lock().unwrap_or_else(PoisonError::into_inner));
        for lock in released {
            // The oldest: since the release, the holder may have taken the lock again.
            self.remove(self.held.iter().position(|held| held.hold.is_of(lock)));
        }
    }

    /// A lock that is not held was taken before it was watched.
    fn remove(&mut self, index: Option<usize>) {
        let Some(index) = index else { return };
        self.held.remove(index);
        // The sequences before the later locks are others now.
        self.forget_nodes(index);
    }

    fn forget_nodes(&mut self, from: usize) {
        self.held[from..].iter_mut().for_each(|held| held.base = None);
    }

    /// The node of the lock tree for all held locks.
    fn node(&mut self) -> Node {
        let known = self.held.iter().rposition(|held| held.base.is_some()).unwrap_or(0);
        let mut node = self.held.get(known).and_then(|held| held.base).unwrap_or(self.known.root());
        for held in &mut self.held[known..] {
            held.base = Some(node);
            node = self.known.child(node, held.hold);
        }
        node
    }

    #[cold]
    fn record(
        &mut self,
        node: Node,
        wanted: Hold,
        made_at: &'static Location<'static>,
        at: &'static Location<'static>,
    ) {
        let mut held = self.held.clone();
        held.sort_by_key(|held| held.hold.unpacked());
        held.dedup_by_key(|held| held.lock());
        let set = LockSet { held: held.iter().map(|held| held.hold.unpacked()).collect(), wanted };
        {
            let mut state = self.recorder.state();
            let made_at = held.iter().map(|held| (held.lock(), held.made_at)).chain([(wanted.lock, made_at)]);
            state.locks.introduce(made_at);
            let is_captured = self.recorder.captures_backtraces() && !state.history.is_known(&set);
            let evidence = Evidence {
                held_at: held.iter().map(|held| held.taken_at.into()).collect(),
                wanted_at: at.into(),
                backtrace: is_captured.then(Backtrace::force_capture),
            };
            let acquisition = Acquisition {
                holder: self.id(),
                name: self.shared.name.clone(),
                segment: self.segment,
                clock: self.clock.clone(),
                evidence: Arc::new(evidence),
            };
            state.record(set, acquisition);
        }
        self.has_recorded = true;
        if self.known.is_full() {
            self.known = KnownOrders::new();
            self.forget_nodes(0);
        } else {
            self.known.set_recorded(node, wanted.packed(), self.segment);
        }
        self.recorder.tell();
    }

    fn wait(&mut self, goal: Goal, at: &'static Location<'static>) -> Waiting {
        let recorder = self.recorder.clone();
        {
            let mut state = recorder.state();
            // Under the recorder's lock, so that no release by another holder is lost between.
            self.receive_releases();
            let held = self.held.iter().map(|held| held.hold.unpacked()).collect();
            state.wait(
                self.id(),
                WaitEntry { name: self.shared.name.clone(), goal, at: CodeLocation::from(at), held },
            );
        }
        let waiting = Waiting { recorder: recorder.clone(), holder: self.id() };
        recorder.tell();
        waiting
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let mut clock = (*self.clock).clone();
        if self.has_recorded {
            clock.raise(self.id(), self.segment);
        }
        let _ = self.shared.end.set(clock);
        let mut state = self.recorder.state();
        state.holders.remove(&self.shared.id);
        state.waits.end(self.shared.id);
    }
}
