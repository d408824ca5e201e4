//! How memory behaves, and what makes a thread wait until its stores are in memory.
//!
//! Walker's thesis, §5.4.2: stores wait in buffers, and their commits are steps of phantom threads, so that a scheduler
//! decides when a store is seen by others as it decides everything else.

use selvedge_explore::Kind;

/// How memory behaves inside of an exploration.
///
/// Under [`Tso`](MemoryModel::Tso) and [`Pso`](MemoryModel::Pso) a store goes to a buffer of its thread first. The thread
/// itself reads its newest store from there; others see it when it is *committed* to memory, at some later step. Stores
/// to one location are always committed in the order in which their thread made them.
///
/// | what a thread does | meanwhile, its buffers |
/// |---|---|
/// | store, `Relaxed` or `Release` | take the store. Under PSO a `Release` store is committed after all earlier ones of its thread |
/// | store, `SeqCst` | must be empty; the store is in memory at once |
/// | load, of any ordering | are looked at first |
/// | store to an `AtomicRef` | take the store; as a `Relaxed` one |
/// | `load` and `ticket` of an `AtomicRef` | are looked at first |
/// | `swap`, `modify`, `modify_cas`, `compare_exchange` of an `AtomicRef`, if it fails too | must be empty |
/// | read-modify-write, of any ordering; an exchange that fails too | must be empty |
/// | `fence(SeqCst)` | must be empty |
/// | `fence(Release)`, `fence(AcqRel)` | stay. Under PSO what is stored after it is committed after what was stored before it |
/// | `fence(Acquire)` | stay |
/// | lock, unlock, wait, notify, send, receive, once, barrier, `MVar`: any use of these | must be empty |
/// | spawn, join, park, unpark | must be empty |
/// | yield, spin, sleep, read the clock, choose, ask whether a thread has ended, `available_parallelism` and its setting | stay |
/// | end | are emptied: who joins it waits for that; it counts as ended then |
///
/// *Must be empty* means that the thread waits until its stores have been committed. What is in buffers when the body
/// returns is lost: nobody could tell.
///
/// What these models cannot show: a load that is done before an earlier load, or after a later store, as ARM and POWER do
/// it and Rust permits for `Relaxed`. What is right under PSO may still be wrong there. Data races do not depend on the
/// model: they are judged by the orderings, as Rust's own rules have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryModel {
    /// Sequential consistency: every store is seen at once by all.
    Sc,
    /// Total store order, as x86 has it: each thread has one buffer, first in, first out.
    #[default]
    Tso,
    /// Partial store order, as SPARC had it: each thread has one buffer for each location, so that stores to different
    /// locations can be seen in another order than they were made.
    Pso,
}

impl MemoryModel {
    /// Do stores wait in buffers?
    #[inline]
    pub(crate) fn has_buffers(self) -> bool {
        self != MemoryModel::Sc
    }
}

/// Does an action of this kind wait until its thread's buffers are empty? Of stores and fences, the ordering decides:
/// whoever announces one says so.
#[inline]
pub(in crate::control) fn drains(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Load
            | Kind::Store
            | Kind::Fence
            | Kind::Commit
            | Kind::Yield
            | Kind::Sleep
            | Kind::Now
            | Kind::Parallelism
            | Kind::SetParallelism
            | Kind::Choose
            | Kind::IsFinished
            | Kind::Contain
            | Kind::Return
            | Kind::Step
    )
}
