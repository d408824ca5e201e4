//! A store in many parts, each behind its own lock.
//!
//! What belongs to a state is in the part that its hash chooses, so workers seldom meet. A number is that of the part
//! below and the number within the part above; parts fill evenly, so the numbers leave few gaps.
//!
//! Promise: numbers are stable and different; a part that is full says so before a number is wrong.

use super::lock;
use crate::store::{StateId, hash};
use crate::system::Word;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

const SHARD_BITS: u32 = 6;

/// How many parts there are.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;

/// A part has numbers up to this one.
pub(crate) const MAX_LOCAL: usize = (1 << (32 - SHARD_BITS)) - 2;

/// The parts.
#[derive(Debug)]
pub(crate) struct Shards<T> {
    parts: Vec<Mutex<T>>,
}

impl<T> Shards<T> {
    pub(crate) fn new(make: impl Fn() -> T) -> Shards<T> {
        Shards { parts: (0..SHARDS).map(|_| Mutex::new(make())).collect() }
    }

    #[inline]
    pub(crate) fn lock(&self, shard: usize) -> MutexGuard<'_, T> {
        lock(&self.parts[shard])
    }

    /// The parts, one after the other.
    pub(crate) fn each(&self) -> impl Iterator<Item = MutexGuard<'_, T>> {
        self.parts.iter().map(lock)
    }

    /// The parts without their locks.
    pub(crate) fn into_inner(self) -> Vec<T> {
        let open = |part: Mutex<T>| part.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.parts.into_iter().map(open).collect()
    }
}

/// How many states there are, and whether there may be one more.
#[derive(Debug)]
pub(crate) struct Room {
    taken: AtomicUsize,
    most: usize,
}

impl Room {
    pub(crate) fn new(most: Option<usize>) -> Room {
        Room { taken: AtomicUsize::new(0), most: most.unwrap_or(usize::MAX) }
    }

    /// Takes room for a state that is new, if there is any.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        let is_taken = self.taken.fetch_add(1, Ordering::Relaxed) < self.most;
        if !is_taken {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
        is_taken
    }

    /// How much is taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed).min(self.most)
    }
}

/// The part of a state with this hash.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    // The table within the part uses the lower bits.
    (hash >> (64 - SHARD_BITS)) as usize
}

/// The part of a state.
#[inline]
pub(crate) fn shard_of_state(state: &[Word]) -> usize {
    shard_of(hash(state))
}

/// The number of what has this number within the part.
#[inline]
pub(crate) fn global(shard: usize, local: u32) -> u32 {
    local << SHARD_BITS | shard as u32
}

/// The part, and the number within.
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

    #[test]
    fn numbers_are_those_of_their_parts() {
        for shard in 0..SHARDS {
            for number in [0, 1, 77, MAX_LOCAL as u32] {
                assert_eq!(local(global(shard, number)), (shard, number));
            }
        }
    }

    #[test]
    fn parts_fill_evenly() {
        let mut counts = [0; SHARDS];
        for value in 0..640_000_u64 {
            counts[shard_of_state(&[value, value * value])] += 1;
        }
        assert!(counts.iter().all(|count| (9_000..11_000).contains(count)), "{counts:?}");
    }
}
