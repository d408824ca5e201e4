//! A store in many shards, each behind its own lock.
//!
//! The hash of a state chooses its shard, so two workers seldom need the same lock. The low bits of a number
//! are those of the shard, the high bits the number within the shard. Shards fill evenly, so the numbers
//! leave few gaps.
//!
//! Promise: numbers are stable and different; a full shard reports a limit before a number wraps.

use super::lock;
use crate::store::StateId;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard, PoisonError};

const SHARD_BITS: u32 = 6;

/// The number of shards.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;

/// The greatest number within a shard. The highest bit of a number is left to the search.
pub(crate) const MAX_LOCAL: usize = (1 << (31 - SHARD_BITS)) - 2;

/// The shards.
#[derive(Debug)]
pub(crate) struct Shards<T> {
    shards: Vec<Mutex<T>>,
}

impl<T> Shards<T> {
    pub(crate) fn new(make: impl Fn() -> T) -> Shards<T> {
        Shards { shards: (0..SHARDS).map(|_| Mutex::new(make())).collect() }
    }

    #[inline]
    pub(crate) fn lock(&self, shard: usize) -> MutexGuard<'_, T> {
        lock(&self.shards[shard])
    }

    /// The shards, one after the other.
    pub(crate) fn each(&self) -> impl Iterator<Item = MutexGuard<'_, T>> {
        (0..SHARDS).map(|shard| self.lock(shard))
    }

    /// The shards without their locks.
    pub(crate) fn into_inner(self) -> Vec<T> {
        let open = |shard: Mutex<T>| shard.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.shards.into_iter().map(open).collect()
    }
}

/// Counts the states, and refuses those above the limit.
#[derive(Debug)]
pub(crate) struct StateQuota {
    taken: AtomicUsize,
    most: usize,
}

impl StateQuota {
    pub(crate) fn new(most: Option<usize>) -> StateQuota {
        StateQuota { taken: AtomicUsize::new(0), most: most.unwrap_or(usize::MAX) }
    }

    /// Counts states that are stored whatever the limit.
    pub(crate) fn add(&self, states: usize) {
        self.taken.fetch_add(states, Ordering::Relaxed);
    }

    /// Is there no limit? Then states may be [added](StateQuota::add) many at once, which costs less.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.most == usize::MAX
    }

    /// Counts a new state, unless the limit is reached.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        let is_taken = self.taken.fetch_add(1, Ordering::Relaxed) < self.most;
        if !is_taken {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
        is_taken
    }

    /// So many states are known from another process.
    pub(crate) fn set(&self, states: usize) {
        self.taken.store(states, Ordering::Relaxed);
    }

    /// A state that was counted is not new after all.
    pub(crate) fn give_back(&self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }

    /// The number of states.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed).min(self.most)
    }
}

/// The shard of a state with this hash.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    // The table within the shard uses the lower bits.
    (hash >> (64 - SHARD_BITS)) as usize
}

/// The number of the element with this number within the shard.
#[inline]
pub(crate) fn global(shard: usize, local: u32) -> u32 {
    local << SHARD_BITS | shard as u32
}

/// The shard, and the number within.
#[inline]
pub(crate) fn local(number: u32) -> (usize, u32) {
    (number as usize & (SHARDS - 1), number >> SHARD_BITS)
}

/// [`global`], of a state.
#[inline]
pub(crate) fn global_state(shard: usize, id: StateId) -> StateId {
    StateId(global(shard, id.0))
}

/// [`local`], of a state.
#[inline]
pub(crate) fn local_state(id: StateId) -> (usize, StateId) {
    let (shard, local) = local(id.0);
    (shard, StateId(local))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash;

    #[test]
    fn a_number_determines_its_shard_and_the_number_within() {
        for shard in 0..SHARDS {
            for number in [0, 1, 77, MAX_LOCAL as u32] {
                assert_eq!(local(global(shard, number)), (shard, number));
            }
        }
    }

    #[test]
    fn shards_fill_evenly() {
        let mut counts = [0; SHARDS];
        for value in 0..640_000_u64 {
            counts[shard_of(hash(&[value, value * value]))] += 1;
        }
        assert!(counts.iter().all(|count| (9_000..11_000).contains(count)), "{counts:?}");
    }
}
