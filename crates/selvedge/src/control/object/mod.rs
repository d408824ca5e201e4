//! What threads share, as far as the order of their steps matters: who has a lock, how many messages wait.
//!
//! An object is known from its first use in a run on. Its [`Tag`] remembers its number together with the run's, so
//! that one that carries state from one run to the next is noticed.

use crate::control::execution::{Carries, Execution};
use crate::control::memory::Cell;
mod condvar;

pub(crate) use condvar::Waiters;

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
    Cell(crate::control::race::Accesses),
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
            Sort::Cell => Sync::Cell(crate::control::race::Accesses::default()),
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

    /// The execution that the caller is a thread of. Where there is none, the object must not belong to a run that is under way,
    /// if it carries anything.
    #[inline]
    #[track_caller]
    pub(crate) fn current<'e>(&self, carries: Carries) -> Option<&'e Execution> {
        let current = crate::control::fiber::current();
        if current.is_none() && carries == Carries::State {
            let known_as = self.known_as.load(Ordering::Relaxed);
            if known_as != 0 {
                crate::control::diagnose::use_of(known_as >> OBJECT_BITS, self, Location::caller());
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
