//! How often the transactions of a thread have failed lately, and when the next one waits for its turn.
//!
//! Where transactions meet all the time, attempts side by side are work for nothing: all but one fail. Yoo
//! and Lee, Adaptive Transaction Scheduling for Transactional Memory Systems, SPAA 2008: each thread keeps
//! its *contention intensity*, which rises with each failure and falls with each commit. While it is high,
//! the transactions of the thread take turns with those of other such threads: one lock, for one attempt.
//! Transactions of other threads go on beside them.
//!
//! Promise: the lock is about speed alone. A transaction that has its turn commits as all others do, so a
//! wrong intensity costs time and nothing else.

/// The contention intensity of a thread.
#[derive(Clone, Copy, Default)]
pub(super) struct Contention(u32);

/// So much is a failure worth: a thread takes turns if more than one attempt of so many fails.
const FAILURE: u32 = 16;

/// The greatest intensity: a thread that no longer meets others stops taking turns after so many commits.
const MAX: u32 = 8 * FAILURE;

/// From this intensity on a thread takes turns: after two failures that are close to each other.
pub(super) const HIGH: u32 = FAILURE + FAILURE / 2;

impl Contention {
    #[inline]
    pub(super) fn is_at_least(self, intensity: u32) -> bool {
        self.0 >= intensity
    }

    #[inline]
    pub(super) fn commit(&mut self) {
        self.0 = self.0.saturating_sub(1);
    }

    #[cold]
    pub(super) fn fail(&mut self) {
        self.0 = (self.0 + FAILURE).min(MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_fails_now_and_then_never_takes_turns() {
        let mut contention = Contention::default();
        for _ in 0..100 {
            contention.fail();
            (0..FAILURE).for_each(|_| contention.commit());
            assert!(!contention.is_at_least(HIGH));
        }
    }

    #[test]
    fn a_thread_that_fails_often_takes_turns_until_it_has_committed_for_a_while() {
        let mut contention = Contention::default();
        (0..100).for_each(|_| contention.fail());
        let commits = (0..).find(|_| {
            contention.commit();
            !contention.is_at_least(HIGH)
        });
        assert_eq!(commits, Some(MAX - HIGH));
    }
}
