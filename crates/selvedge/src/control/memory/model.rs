//! Memory models, and the actions before which a thread waits until its stores are in memory.
//!
//! Walker's thesis, §5.4.2: stores wait in buffers, and their commits are steps of phantom threads, so that
//! the scheduler decides when other threads see a store, as it decides everything else.

use selvedge_explore::Kind;
use std::fmt;

/// How memory behaves inside of an exploration.
///
/// Under [`Tso`](MemoryModel::Tso) and [`Pso`](MemoryModel::Pso) a store goes to a buffer of its thread
/// first. The thread itself reads its newest store from there; other threads see it when it is *committed*
/// to memory, at some later step. Stores to one location are always committed in program order.
///
/// | action of a thread | its buffers |
/// |---|---|
/// | store, `Relaxed` or `Release` | take the store. Under PSO, `Release`: committed after all earlier |
/// | store, `SeqCst` | must be empty; the store is in memory at once |
/// | load, of any ordering | are searched first |
/// | store to an `AtomicRef` | take the store; as a `Relaxed` one |
/// | `load` and `ticket` of an `AtomicRef` | are searched first |
/// | `swap`, `modify`, `modify_cas`, `compare_exchange` of an `AtomicRef`, if it fails too | must be empty |
/// | read-modify-write, of any ordering; an exchange that fails too | must be empty |
/// | `fence(SeqCst)` | must be empty |
/// | `fence(Release)`, `fence(AcqRel)` | stay. Under PSO: no later store commits before an earlier one |
/// | `fence(Acquire)` | stay |
/// | lock, unlock, wait, notify, send, receive, once, barrier, `MVar`: any use of these | must be empty |
/// | clone, drop and other changes of the counts of a `tracked::Arc`, but for `upgrade` | must be empty |
/// | `upgrade`, `strong_count`, `weak_count` | stay |
/// | spawn, join, park, unpark, `effect` | must be empty |
/// | `atomically`, `throw_to`, `kill`, `point` | must be empty |
/// | yield, spin, sleep, clock, choose, `is_finished`, `available_parallelism` and its setting | stay |
/// | end | are emptied: a joining thread waits for that; the thread counts as ended then |
///
/// *Must be empty* means that the thread waits until its stores have been committed. Stores that are in
/// buffers when the body returns are lost: no thread observes them.
///
/// These models do not show a load that is executed before an earlier load, or after a later store, as on
/// ARM and POWER; Rust permits both for `Relaxed`. A program that is right under PSO may still be wrong
/// there. Data races do not depend on the model: they are judged by the orderings, by the rules of the Rust
/// memory model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryModel {
    /// Sequential consistency: all threads see every store at once.
    Sc,
    /// Total store order, as on x86: each thread has one buffer, first in, first out.
    #[default]
    Tso,
    /// Partial store order, as on SPARC: each thread has one buffer for each location, so that stores to
    /// different locations can be seen in another order than program order.
    Pso,
}

/// The name in options and trace files: `sc`, `tso`, `pso`.
impl fmt::Display for MemoryModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
        })
    }
}

impl MemoryModel {
    /// The model with this name.
    pub(crate) fn named(name: &str) -> Option<MemoryModel> {
        let models = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
        models.into_iter().find(|model| model.to_string() == name)
    }

    /// Do stores wait in buffers?
    #[inline]
    pub(crate) fn has_buffers(self) -> bool {
        self != MemoryModel::Sc
    }
}

/// Does an action of this kind wait until its thread's buffers are empty? For stores and fences the ordering
/// decides: their announcement says so.
#[inline]
pub(in crate::control) fn drains(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Load
            | Kind::Store
            | Kind::Fence
            | Kind::Commit
            | Kind::Yield
            | Kind::Deadline
            | Kind::Sleep
            | Kind::Now
            | Kind::Parallelism
            | Kind::SetParallelism
            | Kind::Choose
            | Kind::IsFinished
            | Kind::Contain
            | Kind::Return
            | Kind::Upgrade
            | Kind::StrongCount
            | Kind::WeakCount
            | Kind::Step
            | Kind::SetProp
            | Kind::ReleaseProp
            | Kind::PulseProp
            | Kind::CheckFormula
    )
}
