//! What threads share, as far as the order of their steps matters: who has a lock, how many messages wait.
//!
//! An object is known from its first use in a run on. Its [`Tag`] remembers its number together with the run's, so
//! that one that carries state from one run to the next is noticed.

use super::buffers::Cell;
use super::execution::Execution;
use selvedge_explore::{ObjectId, ThreadId, VectorClock};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

/// What sort of thing an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Atomic,
    Ref,
    Mutex,
    RwLock,
    Condvar,
    Once,
    Barrier,
    Channel,
    MVar,
    TVar,
    Cell,
}

impl Sort {
    /// Its name in messages.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Sort::Atomic => "atomic",
            Sort::Ref => "ref",
            Sort::Mutex => "mutex",
            Sort::RwLock => "rwlock",
            Sort::Condvar => "condvar",
            Sort::Once => "once",
            Sort::Barrier => "barrier",
            Sort::Channel => "channel",
            Sort::MVar => "mvar",
            Sort::TVar => "tvar",
            Sort::Cell => "cell",
        }
    }
}

/// The state of an object that decides who can go on. The representation makes its sort a byte that is read at once.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Sync {
    /// An atomic, and what is known of its value: nobody ever waits for it. An atomic reference is one of version numbers.
    Atomic(Cell),
    /// A lock, and who has it.
    Mutex { owner: Option<ThreadId> },
    /// A lock for one writer or many readers; what happened before readers gave it back, which only writers see.
    RwLock { writer: Option<ThreadId>, readers: Vec<ThreadId>, read: VectorClock },
    /// Those who wait, and the notifications that they may take.
    Condvar(Waiters),
    /// Something that happens once, and who is doing it; how often it failed.
    Once { running: Option<ThreadId>, is_complete: bool, failures: u64 },
    /// Threads that wait for one another: who has come, how often all had come.
    Barrier { arrived: Vec<ThreadId>, generation: u64 },
    /// Messages that were sent and not received, and who is left at the two ends.
    Channel(Ends),
    /// A variable that is full or empty.
    MVar { is_full: bool },
    /// A variable of transactions: these know themselves whether they have to wait.
    TVar,
    /// Data that is accessed without any order of its own.
    Cell(super::races::Accesses),
}

impl Sync {
    /// An object as it is before its first use.
    pub(crate) fn first(sort: Sort) -> Sync {
        match sort {
            Sort::Atomic | Sort::Ref => Sync::Atomic(Cell::default()),
            Sort::Mutex => Sync::Mutex { owner: None },
            Sort::RwLock => Sync::RwLock { writer: None, readers: Vec::new(), read: VectorClock::new() },
            Sort::Condvar => Sync::Condvar(Waiters::default()),
            Sort::Once => Sync::Once { running: None, is_complete: false, failures: 0 },
            Sort::Barrier => Sync::Barrier { arrived: Vec::new(), generation: 0 },
            Sort::Channel => Sync::Channel(Ends::new(None)),
            Sort::MVar => Sync::MVar { is_full: false },
            Sort::TVar => Sync::TVar,
            Sort::Cell => Sync::Cell(super::races::Accesses::default()),
        }
    }
}

/// A channel, as its two ends see it.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// How many messages are there.
    pub(crate) messages: usize,
    /// How many there may be; 0 where sender and receiver must meet.
    pub(crate) capacity: Option<usize>,
    /// How many messages were received so far.
    pub(crate) received: u64,
    pub(crate) senders: usize,
    pub(crate) has_receiver: bool,
    /// Where sender and receiver must meet: has the receiver come first, and nobody met it yet?
    pub(crate) receiver_waits: bool,
}

impl Ends {
    /// One sender, one receiver, and nothing between.
    pub(crate) fn new(capacity: Option<usize>) -> Ends {
        Ends { messages: 0, capacity, received: 0, senders: 1, has_receiver: true, receiver_waits: false }
    }

    /// Can a message be sent without waiting, or is it certain that it cannot be received?
    pub(crate) fn can_send(&self, number: u64) -> bool {
        match self.capacity {
            _ if !self.has_receiver => true,
            None => true,
            // The message has been offered before; it is sent when it has been received.
            Some(0) => self.received >= number,
            Some(capacity) => self.messages < capacity,
        }
    }

    /// Would a try to send be one that sends?
    pub(crate) fn can_try_send(&self) -> bool {
        match self.capacity {
            None => true,
            Some(0) => self.receiver_waits,
            Some(capacity) => self.messages < capacity,
        }
    }

    /// Is there a message, or is it certain that none will come?
    pub(crate) fn can_receive(&self) -> bool {
        self.messages > 0 || self.senders == 0
    }
}

/// Those who wait on a condition variable.
///
/// A notification is a token that any of those may take who waited when it came: which one it is, is the scheduler's
/// choice. Tokens are never more than those who may take them.
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

/// An object of the present run.
pub(crate) struct Object {
    pub(crate) sort: Sort,
    pub(crate) sync: Sync,
    /// What happened before the last release of it, by Rust's own rules.
    pub(crate) clock: VectorClock,
    /// How often it has been changed, for those who wait for that.
    pub(crate) changes: u32,
    /// Where it was made, if it knows.
    pub(crate) made: Option<&'static Location<'static>>,
    /// The user's name for it.
    pub(crate) name: Option<String>,
}

impl Object {
    pub(crate) fn new(sort: Sort, sync: Sync, made: Option<&'static Location<'static>>) -> Object {
        Object { sort, sync, clock: VectorClock::new(), changes: 0, made, name: None }
    }

    /// Makes the slot ready for another object.
    #[inline]
    pub(crate) fn begin(&mut self, sort: Sort, sync: Sync, made: Option<&'static Location<'static>>) {
        self.sort = sort;
        self.sync = sync;
        self.clock.clear();
        self.changes = 0;
        self.made = made;
        self.name = None;
    }

    /// Its name for people.
    pub(crate) fn display_name(&self, id: ObjectId) -> String {
        let sort = self.sort.text();
        match (&self.name, self.made) {
            (Some(name), _) => format!("{sort} `{name}`"),
            (None, Some(made)) => format!("{sort}#{} ({}:{})", id.number(), made.file(), made.line()),
            (None, None) => format!("{sort}#{}", id.number()),
        }
    }
}

/// The part of a shared object that the execution knows it by: run and number.
#[derive(Debug)]
pub(crate) struct Tag {
    /// 0 before the first use; otherwise the run's number above, the object's number below.
    known_as: AtomicU64,
    made: Option<&'static Location<'static>>,
}

/// Bits for the object's number.
const OBJECT_BITS: u32 = 24;

/// What a tag knows of its object in a run.
pub(crate) enum Known {
    /// It is this one.
    As(ObjectId),
    /// It has never been used in a run.
    New,
    /// It has been used in another run.
    Before,
}

impl Tag {
    /// Of an object that is made at the caller's place.
    #[track_caller]
    pub(crate) const fn new() -> Tag {
        Tag { known_as: AtomicU64::new(0), made: Some(Location::caller()) }
    }

    pub(crate) fn made(&self) -> Option<&'static Location<'static>> {
        self.made
    }

    /// The run that the object was last used in, of one that is taken apart; 0 where it was never used.
    pub(crate) const fn into_run(self) -> u64 {
        self.known_as.into_inner() >> OBJECT_BITS
    }

    #[inline]
    pub(crate) fn known(&self, run: u64) -> Known {
        let known_as = self.known_as.load(Ordering::Relaxed);
        if known_as >> OBJECT_BITS == run {
            let number = known_as & ((1 << OBJECT_BITS) - 1);
            Known::As(ObjectId::at(number as usize))
        } else if known_as == 0 {
            Known::New
        } else {
            Known::Before
        }
    }

    /// The execution that the caller is a thread of. Where there is none, the object must not belong to a run that is under way.
    #[inline]
    #[track_caller]
    pub(crate) fn current<'e>(&self) -> Option<&'e Execution> {
        let current = super::context::current();
        if current.is_none() {
            let known_as = self.known_as.load(Ordering::Relaxed);
            if known_as != 0 {
                super::foreign::use_of(known_as >> OBJECT_BITS, self, Location::caller());
            }
        }
        current
    }

    /// Is this the first run that ever uses the object? Of several that ask at the same time one is.
    pub(crate) fn claim(&self, run: u64) -> bool {
        let claimed = run << OBJECT_BITS;
        self.known_as.compare_exchange(0, claimed, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// From now on, in this run, the object is this one.
    pub(crate) fn remember(&self, run: u64, object: ObjectId) {
        assert!(object.index() < 1 << OBJECT_BITS, "a run has at most {} shared objects", 1 << OBJECT_BITS);
        self.known_as.store(run << OBJECT_BITS | object.index() as u64, Ordering::Relaxed);
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
                let ways: Vec<Picks> = left
                    .map(|(thread, _)| picks.clone().into_iter().chain([(*thread, true)]).collect())
                    .collect();
                if ways.is_empty() { vec![picks] } else { ways }
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
