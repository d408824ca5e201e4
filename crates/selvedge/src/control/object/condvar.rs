//! A condition variable: its waiting threads and their notifications.
//!
//! A notification is a token that any thread may take that waited when it came; the scheduler chooses which
//! thread does. There are never more tokens than threads that may take them.

use super::kinds::KindSet;
use selvedge_explore::{Kind, ObjectId, ThreadId};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Wake]);

/// These enable or disable the threads that wait for a notification or for the mutex, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet =
    KindSet::of(&[Kind::Wait, Kind::Wake, Kind::NotifyOne, Kind::NotifyAll]);

/// The waiting threads, and the notifications that no thread has taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiters {
    /// Each waiting thread, and since when it waits.
    waiting: Vec<(ThreadId, u64)>,
    /// When each token came that is left; the oldest first.
    tokens: Vec<u64>,
    now: u64,
    /// The mutex that the waiting threads gave back.
    mutex: Option<ObjectId>,
}

impl Waiters {
    /// A thread begins to wait.
    pub(crate) fn wait(&mut self, thread: ThreadId) {
        self.now += 1;
        self.waiting.push((thread, self.now));
    }

    /// Is this the mutex that all threads have waited with so far? The first mutex is.
    pub(crate) fn belongs_to(&mut self, mutex: ObjectId) -> bool {
        *self.mutex.get_or_insert(mutex) == mutex
    }

    /// One of the waiting threads may go on.
    pub(crate) fn notify_one(&mut self) {
        if self.tokens.len() < self.waiting.len() {
            self.now += 1;
            self.tokens.push(self.now);
        }
    }

    /// All threads that wait now may go on.
    pub(crate) fn notify_all(&mut self) {
        self.now += 1;
        while self.tokens.len() < self.waiting.len() {
            self.tokens.push(self.now);
        }
    }

    fn since(&self, thread: ThreadId) -> Option<u64> {
        self.waiting.iter().find(|(waiter, _)| *waiter == thread).map(|(_, since)| *since)
    }

    /// Is there a token for this thread?
    pub(crate) fn can_wake(&self, thread: ThreadId) -> bool {
        self.since(thread).is_some_and(|since| self.tokens.iter().any(|token| *token > since))
    }

    /// The thread takes a token and waits no longer.
    pub(crate) fn wake(&mut self, thread: ThreadId) {
        if let Some(since) = self.since(thread)
            && let Some(token) = self.tokens.iter().position(|token| *token > since)
        {
            // The oldest token that it may take: the tokens that are left suffice for the same threads as
            // before.
            self.tokens.remove(token);
        }
        self.waiting.retain(|(waiter, _)| *waiter != thread);
    }

    /// The thread waits no longer, without a token.
    pub(crate) fn leave(&mut self, thread: ThreadId) {
        self.waiting.retain(|(waiter, _)| *waiter != thread);
        // A token that no thread is left for is lost.
        let mut left: Vec<u64> = Vec::with_capacity(self.tokens.len());
        for token in &self.tokens {
            let takers = self.waiting.iter().filter(|(_, since)| since < token).count();
            if left.len() < takers {
                left.push(*token);
            }
        }
        self.tokens = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn waiters(count: u32) -> Waiters {
        let mut waiters = Waiters::default();
        (0..count).for_each(|thread| waiters.wait(ThreadId(thread)));
        waiters
    }

    fn can_wake(waiters: &Waiters, count: u32) -> Vec<u32> {
        (0..count).filter(|thread| waiters.can_wake(ThreadId(*thread))).collect()
    }

    #[test]
    fn any_waiting_thread_may_take_a_notification_but_only_one_does() {
        let mut all = waiters(3);
        all.notify_one();
        assert_eq!(can_wake(&all, 3), [0, 1, 2]);
        all.wake(ThreadId(1));
        assert_eq!(can_wake(&all, 3), [0_u32; 0]);
    }

    #[test]
    fn a_thread_that_waits_later_may_not_take_an_earlier_notification() {
        let mut all = waiters(2);
        all.notify_one();
        all.wait(ThreadId(2));
        assert_eq!(can_wake(&all, 3), [0, 1]);
        all.notify_one();
        assert_eq!(can_wake(&all, 3), [0, 1, 2]);
        all.wake(ThreadId(0));
        assert_eq!(can_wake(&all, 3), [1, 2]);
        all.wake(ThreadId(1));
        assert_eq!(can_wake(&all, 3), [0_u32; 0], "two notifications, two wake-ups");
    }

    /// Each waiting thread, and whether a notification has picked it.
    type Assignment = BTreeMap<u32, bool>;

    /// The naive semantics: each notification picks a waiting thread when it comes. All possible picks are
    /// kept.
    struct Naive(BTreeSet<Assignment>);

    impl Naive {
        fn change(&mut self, change: impl Fn(Assignment) -> Vec<Assignment>) {
            self.0 = std::mem::take(&mut self.0).into_iter().flat_map(change).collect();
        }

        fn wait(&mut self, thread: u32) {
            self.change(|picks| vec![picks.into_iter().chain([(thread, false)]).collect()]);
        }

        fn notify_one(&mut self) {
            self.change(|picks| {
                let left = picks.iter().filter(|(_, is_picked)| !**is_picked);
                let alternatives: Vec<Assignment> = left
                    .map(|(thread, _)| picks.clone().into_iter().chain([(*thread, true)]).collect())
                    .collect();
                if alternatives.is_empty() { vec![picks] } else { alternatives }
            });
        }

        fn notify_all(&mut self) {
            self.change(|picks| vec![picks.into_keys().map(|thread| (thread, true)).collect()]);
        }

        fn can_wake(&self, thread: u32) -> bool {
            self.0.iter().any(|picks| picks.get(&thread) == Some(&true))
        }

        /// Removes the thread from the picks in which it was picked, or was not.
        fn remove(&mut self, thread: u32, was_picked: bool) {
            self.0.retain(|picks| picks.get(&thread) == Some(&was_picked));
            self.change(|mut picks| {
                picks.remove(&thread);
                vec![picks]
            });
        }

        /// The thread times out. A notification is lost by that only if no other thread can have been
        /// picked.
        fn leave(&mut self, thread: u32) {
            let can_be_unpicked = self.0.iter().any(|picks| picks.get(&thread) == Some(&false));
            self.remove(thread, !can_be_unpicked);
        }
    }

    #[test]
    fn tokens_and_naive_notifications_wake_the_same_threads() {
        let mut random = selvedge_explore::Random(1);
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        for _ in 0..5_000 {
            let (mut tokens, mut naive) = (Waiters::default(), Naive([Assignment::new()].into()));
            for _ in 0..12 {
                let thread = below(4) as u32;
                let waits = tokens.since(ThreadId(thread)).is_some();
                match below(6) {
                    0 => {
                        tokens.notify_all();
                        naive.notify_all();
                    }
                    1 | 2 => {
                        tokens.notify_one();
                        naive.notify_one();
                    }
                    3 if waits => {
                        tokens.leave(ThreadId(thread));
                        naive.leave(thread);
                    }
                    _ if tokens.can_wake(ThreadId(thread)) => {
                        tokens.wake(ThreadId(thread));
                        naive.remove(thread, true);
                    }
                    _ if !waits => {
                        tokens.wait(ThreadId(thread));
                        naive.wait(thread);
                    }
                    _ => {}
                }
                for thread in 0..4 {
                    assert_eq!(tokens.can_wake(ThreadId(thread)), naive.can_wake(thread), "{tokens:?}");
                }
            }
        }
    }

    #[test]
    fn a_notification_without_a_waiting_thread_is_lost() {
        let mut all = waiters(0);
        all.notify_one();
        all.notify_all();
        all.wait(ThreadId(0));
        assert_eq!(can_wake(&all, 1), [0_u32; 0]);
    }

    #[test]
    fn a_notification_outlives_a_leaving_thread_only_if_another_may_take_it() {
        let mut all = waiters(2);
        all.notify_one();
        all.leave(ThreadId(0));
        assert_eq!(can_wake(&all, 2), [1]);
        all.leave(ThreadId(1));
        all.wait(ThreadId(0));
        assert_eq!(can_wake(&all, 1), [0_u32; 0]);
    }
}
