//! A barrier: threads wait for each other until all have arrived.

use super::kinds::KindSet;
use super::sync::Sync;
use super::table::{Object, ObjectTable};
use crate::control::thread::ThreadTable;
use selvedge_explore::{Kind, ObjectId, ThreadId};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Pass]);

/// These enable threads that wait at the barrier, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet = KindSet::of(&[Kind::Arrive, Kind::Pass]);

/// The threads that have arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct BarrierState {
    arrived: Vec<ThreadId>,
    /// How often all threads had arrived.
    generation: u64,
}

impl BarrierState {
    /// Have all threads of the generation arrived in which the waiting thread did?
    #[inline(always)]
    pub(super) fn can_pass(&self, generation: u64) -> bool {
        self.generation > generation
    }
}

/// After an arrival at this barrier: do the threads that have arrived go on waiting?
#[cold]
pub(in crate::control) fn is_barrier_closed(objects: &ObjectTable, barrier: Option<ObjectId>) -> bool {
    barrier.is_some_and(
        |barrier| matches!(&objects[barrier].sync, Sync::Barrier(barrier) if !barrier.arrived.is_empty()),
    )
}

/// How a thread arrives at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// All threads have arrived.
    Last,
    /// Not all threads have arrived; until they have, the barrier's generation is this.
    Waits { generation: u64 },
}

/// The running thread arrives. If it is the last, all threads that arrived acquire all that any of them did
/// before.
pub(in crate::control) fn arrive_at_barrier(
    object: &mut Object,
    threads: &mut ThreadTable,
    running: ThreadId,
    size: usize,
) -> Arrival {
    let Sync::Barrier(barrier) = &mut object.sync else {
        unreachable!("a barrier's number is that of a barrier")
    };
    barrier.arrived.push(running);
    let clock = &mut threads[running].clock;
    object.clock.join(clock);
    clock.tick(running.index());
    if barrier.arrived.len() < size {
        return Arrival::Waits { generation: barrier.generation };
    }
    for thread in barrier.arrived.drain(..) {
        threads[thread].clock.join(&object.clock);
    }
    object.clock.clear();
    barrier.generation += 1;
    Arrival::Last
}
