//! What a kind of action means for other threads, from the tables of the primitives.

use super::{barrier, channel, condvar, mutex, mvar, once, park, rwlock, thread_end};
use selvedge_explore::Kind;

/// A set of kinds, as one number: membership is one bit test.
#[derive(Clone, Copy)]
pub(super) struct KindSet(u128);

const _: () = assert!(Kind::ALL.len() <= 128, "a set of kinds is one number");

impl KindSet {
    pub(super) const fn of(kinds: &[Kind]) -> KindSet {
        let (mut bits, mut index) = (0, 0);
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u32;
            index += 1;
        }
        KindSet(bits)
    }

    const fn and(self, other: KindSet) -> KindSet {
        KindSet(self.0 | other.0)
    }

    #[inline(always)]
    const fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }
}

/// Kinds that belong to no object: a yield may spin, a transaction may retry, a throw waits for its target.
const BLOCKING_WITHOUT_OBJECT: KindSet = KindSet::of(&[Kind::Yield, Kind::Throw, Kind::Atomically]);

const BLOCKING: KindSet = BLOCKING_WITHOUT_OBJECT
    .and(mutex::BLOCKING)
    .and(rwlock::BLOCKING)
    .and(condvar::BLOCKING)
    .and(once::BLOCKING)
    .and(barrier::BLOCKING)
    .and(channel::BLOCKING)
    .and(mvar::BLOCKING)
    .and(park::BLOCKING)
    .and(thread_end::BLOCKING);

const CONCERNS_ONLY_WAITERS: KindSet = mutex::CONCERNS_ONLY_WAITERS
    .and(rwlock::CONCERNS_ONLY_WAITERS)
    .and(condvar::CONCERNS_ONLY_WAITERS)
    .and(once::CONCERNS_ONLY_WAITERS)
    .and(barrier::CONCERNS_ONLY_WAITERS)
    .and(channel::CONCERNS_ONLY_WAITERS)
    .and(mvar::CONCERNS_ONLY_WAITERS);

/// May a thread have to wait before an action of this kind?
#[inline(always)]
pub(in crate::control) fn can_block(kind: Kind) -> bool {
    BLOCKING.has(kind)
}

/// Of the other threads, does an action of this kind enable or disable only the waiters of its objects?
#[inline(always)]
pub(in crate::control) fn concerns_only_waiters(kind: Kind) -> bool {
    CONCERNS_ONLY_WAITERS.has(kind)
}

/// The bits of the actions that are enabled.
pub(super) fn enabled_bits<const N: usize>(actions: [(bool, u64); N]) -> u64 {
    actions.iter().filter(|(is_enabled, _)| *is_enabled).map(|(_, bit)| bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_can_block_if_a_table_has_it() {
        assert!(can_block(Kind::Lock) && can_block(Kind::Join) && can_block(Kind::Read));
        assert!(!can_block(Kind::TryLock) && !can_block(Kind::Load) && !can_block(Kind::Sleep));
    }
}
