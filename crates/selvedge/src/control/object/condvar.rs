//! Those who wait on a condition variable.
//!
//! A notification is a token that any of those may take who waited when it came: which one it is, is the scheduler's
//! choice. Tokens are never more than those who may take them.

use selvedge_explore::{ObjectId, ThreadId};

/// Who waits, and the notifications that are left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiters {
    /// Who waits, and since when.
    waiting: Vec<(ThreadId, u64)>,
    /// When each token that is left came; the oldest first.
    tokens: Vec<u64>,
    now: u64,
    /// The mutex that they gave up.
    mutex: Option<ObjectId>,
}

impl Waiters {
    /// A thread begins to wait.
    pub(crate) fn wait(&mut self, thread: ThreadId) {
        self.now += 1;
        self.waiting.push((thread, self.now));
    }

    /// Is this the mutex that all have waited with so far? The first one is.
    pub(crate) fn belongs_to(&mut self, mutex: ObjectId) -> bool {
        *self.mutex.get_or_insert(mutex) == mutex
    }

    /// One of those who wait now may go on.
    pub(crate) fn notify_one(&mut self) {
        if self.tokens.len() < self.waiting.len() {
            self.now += 1;
            self.tokens.push(self.now);
        }
    }

    /// All who wait now may go on.
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
            // The oldest that it may take: those that are left then suffice for the same others as before.
            self.tokens.remove(token);
        }
        self.waiting.retain(|(waiter, _)| *waiter != thread);
    }

    /// The thread waits no longer, without a token.
    pub(crate) fn leave(&mut self, thread: ThreadId) {
        self.waiting.retain(|(waiter, _)| *waiter != thread);
        // A token that nobody is left for is gone.
        let mut kept: Vec<u64> = Vec::with_capacity(self.tokens.len());
        for token in &self.tokens {
            let takers = self.waiting.iter().filter(|(_, since)| since < token).count();
            if kept.len() < takers {
                kept.push(*token);
            }
        }
        self.tokens = kept;
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
    fn any_of_those_who_wait_may_take_a_notification_but_one_only() {
        let mut all = waiters(3);
        all.notify_one();
        assert_eq!(can_wake(&all, 3), [0, 1, 2]);
        all.wake(ThreadId(1));
        assert_eq!(can_wake(&all, 3), []);
    }

    #[test]
    fn who_comes_later_may_not_take_an_earlier_notification() {
        let mut all = waiters(2);
        all.notify_one();
        all.wait(ThreadId(2));
        assert_eq!(can_wake(&all, 3), [0, 1]);
        all.notify_one();
        assert_eq!(can_wake(&all, 3), [0, 1, 2]);
        all.wake(ThreadId(0));
        assert_eq!(can_wake(&all, 3), [1, 2]);
        all.wake(ThreadId(1));
        assert_eq!(can_wake(&all, 3), [], "two notifications, two wake-ups");
    }

    /// Who waits, and whether a notification has picked them.
    type Picks = BTreeMap<u32, bool>;

    /// Those who wait, seen naively: each notification picks one of them when it comes. All ways to pick are kept.
    struct Naive(BTreeSet<Picks>);

    impl Naive {
        fn change(&mut self, change: impl Fn(Picks) -> Vec<Picks>) {
            self.0 = std::mem::take(&mut self.0).into_iter().flat_map(change).collect();
        }

        fn wait(&mut self, thread: u32) {
            self.change(|picks| vec![picks.into_iter().chain([(thread, false)]).collect()]);
        }

        fn notify_one(&mut self) {
            self.change(|picks| {
                let left = picks.iter().filter(|(_, is_picked)| !**is_picked);
                let alternatives: Vec<Picks> = left
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

        /// Removes it from those ways to pick in which it was picked, or was not.
        fn remove(&mut self, thread: u32, was_picked: bool) {
            self.0.retain(|picks| picks.get(&thread) == Some(&was_picked));
            self.change(|mut picks| {
                picks.remove(&thread);
                vec![picks]
            });
        }

        /// Its time is up. A notification is lost by that only if nobody else can have been picked.
        fn leave(&mut self, thread: u32) {
            let can_be_unpicked = self.0.iter().any(|picks| picks.get(&thread) == Some(&false));
            self.remove(thread, !can_be_unpicked);
        }
    }

    #[test]
    fn tokens_are_notifications_that_pick_their_waiters_late() {
        let mut random = selvedge_explore::Random(1);
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        for _ in 0..5_000 {
            let (mut tokens, mut naive) = (Waiters::default(), Naive([Picks::new()].into()));
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
    fn a_notification_that_nobody_waits_for_is_lost() {
        let mut all = waiters(0);
        all.notify_one();
        all.notify_all();
        all.wait(ThreadId(0));
        assert_eq!(can_wake(&all, 1), []);
    }

    #[test]
    fn a_notification_outlives_one_who_leaves_only_if_somebody_else_may_take_it() {
        let mut all = waiters(2);
        all.notify_one();
        all.leave(ThreadId(0));
        assert_eq!(can_wake(&all, 2), [1]);
        all.leave(ThreadId(1));
        all.wait(ThreadId(0));
        assert_eq!(can_wake(&all, 1), []);
    }
}
