//! Lock order: potential deadlocks of one run, and deadlocks as they happen.
//!
//! A program that takes two locks in both orders can deadlock, even if this run does not. Every blocking
//! acquisition with other locks in hand shows an order; cycles of orders are told, unless the acquisitions
//! cannot wait at once: `search` says when, and which papers that follows. Suppressed cycles are listed
//! with the reason.
//!
//! ```
//! use selvedge_monitor::Reaction;
//! use selvedge_monitor::lock_order::{Access, Holder, LockOrder, LockTag};
//! fn take_both(holder: &mut Holder, first: &LockTag, second: &LockTag) {
//!     for lock in [first, second] {
//!         holder.requests(lock, Access::Lock);
//!         holder.acquires(lock, Access::Lock);
//!     }
//!     for lock in [second, first] {
//!         holder.releases(lock, holder.id());
//!     }
//! }
//! let order = LockOrder::new();
//! order.on_finding(Reaction::Keep);
//! let (queue, log) = (LockTag::new(), LockTag::new());
//! order.name_lock(&queue, "queue");
//! order.name_lock(&log, "log");
//! let mut main = order.holder("main");
//! let mut worker = main.spawns("worker");
//! take_both(&mut main, &queue, &log);
//! take_both(&mut worker, &log, &queue);
//! let cycles = order.cycles();
//! assert_eq!(cycles[0].steps[0].holds.as_ref().unwrap().0.text, "`queue`");
//! assert_eq!(cycles[0].steps[0].wants.text, "`log`");
//! assert_eq!(&*cycles[0].steps[1].holder.text, "worker");
//! ```
//!
//! Orders can be kept in a file and judged together with those of other runs: [`Orders`].
//!
//! Promise: every cycle of acquisitions of the run that can wait at once, as far as spawn, join and gates
//! tell, is told once, when its last acquisition is requested, before the program may block. Limits on
//! memory and on searches are in [`LockOrder::notes`] once they are reached.

mod clock;
mod current;
mod fast;
mod finding;
mod history;
mod holder;
mod ids;
mod known;
mod orders;
mod orders_text;
mod recorder;
mod search;
mod waits;

pub use current::{
    acquires, global, install, is_watched, releases, releases_last, takes, watch, with_current,
};
pub use finding::{
    Cycle, CycleStep, Deadlock, Finding, HolderName, LockName, Reason, Suppressed, Wait, WaitGoal,
};
pub use holder::{Holder, JoinTicket, Waiting};
pub use ids::{Access, CodeLocation, HolderId, LockId, LockTag};
pub use orders::Orders;
pub use orders_text::OrdersError;
pub use recorder::LockSelector;

use crate::reaction::Reaction;
use clock::Clock;
use recorder::Recorder;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Records the acquisitions of all holders, and tells what can deadlock. Clones share one record.
#[derive(Clone, Debug, Default)]
pub struct LockOrder {
    recorder: Arc<Recorder>,
}

impl LockOrder {
    /// A recorder without a history.
    pub fn new() -> LockOrder {
        LockOrder::default()
    }

    /// What to do about cycles and deadlocks: by default, they are written to standard error.
    pub fn on_finding(&self, reaction: Reaction<Finding>) {
        self.recorder.set_reaction(reaction);
    }

    /// Captures the stack where an order is new, or not. By default, it does.
    pub fn capture_backtraces(&self, is_wanted: bool) {
        self.recorder.omits_backtraces.store(!is_wanted, Ordering::Relaxed);
    }

    /// A holder that no watched holder spawned: the main thread, or a thread that is met only now. Nothing
    /// orders it with other holders until it is joined.
    pub fn holder(&self, name: &str) -> Holder {
        Holder::new(self.recorder.clone(), name, Arc::new(Clock::default()))
    }

    /// Names a lock, for messages, [`allow`](LockOrder::allow) and [`Orders`].
    pub fn name_lock(&self, lock: &LockTag, name: &str) {
        self.recorder.state().locks.set(lock.id(), name);
    }

    /// Taking `second` while `first` is held is no part of a deadlock, and this is why. A lock is given by
    /// its number or its name; one without a name is found by the location where it was made, too.
    /// Cycles that are told already stay told.
    pub fn allow(&self, first: impl Into<LockSelector>, second: impl Into<LockSelector>, why: &str) {
        self.recorder.state().allowed.push((first.into(), second.into(), why.to_owned()));
    }

    /// The lock is gone: no holder will take it again. Its orders make room, and are in no new cycle. A
    /// program that keeps making locks calls this, or its history grows with them.
    pub fn forget(&self, lock: &LockTag) {
        let mut state = self.recorder.state();
        state.history.forget(lock.id());
        state.locks.forget(lock.id());
    }

    /// The potential deadlocks so far.
    pub fn cycles(&self) -> Vec<Cycle> {
        self.recorder.state().told.clone()
    }

    /// The cycles that are no deadlocks, each with the reason, the smallest first.
    pub fn suppressed(&self) -> Vec<Suppressed> {
        self.recorder.state().suppressed()
    }

    /// The deadlocks that happened.
    pub fn deadlocks(&self) -> Vec<Deadlock> {
        self.recorder.state().deadlocks.clone()
    }

    /// The limits that were reached: where this is not empty, cycles may be missing.
    pub fn notes(&self) -> Vec<String> {
        self.recorder.state().notes()
    }

    /// The orders of this run, to be kept and to be judged with those of other runs.
    pub fn orders(&self) -> Orders {
        let state = self.recorder.state();
        Orders::of_run(&state.history, &state.locks, &state.allowed)
    }
}
