//! What a thread does, as far as others can notice.
//!
//! A thread announces an action before it does it; an event is an announced action with its thread and its place in
//! the source. Work between two visible actions is nobody's business and has no event.

use crate::ids::{EventId, ObjectId, ThreadId};
use std::fmt;
use std::panic::Location;

macro_rules! kinds {
    ($($kind:ident $text:literal $doc:literal,)*) => {
        /// What kind of thing is done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $(#[doc = $doc] $kind,)*
        }

        impl Kind {
            /// All kinds, in order.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// Its name in traces: what the action is called in the source, where it has a name there.
            pub fn text(self) -> &'static str {
                match self {
                    $(Kind::$kind => $text,)*
                }
            }
        }
    };
}

kinds! {
    Return "return" "The body of the run returns; what still runs is stopped.",
    Spawn "spawn" "A thread begins.",
    Join "join" "Waits for a thread's end.",
    IsFinished "is_finished" "Asks whether a thread has ended.",
    Yield "yield" "Lets others go first.",
    Sleep "sleep" "Lets others go first, for a time.",
    Now "now" "Reads the clock.",
    Parallelism "available_parallelism" "Asks how many threads run at once.",
    SetParallelism "set_available_parallelism" "Says how many threads run at once.",
    Park "park" "Waits for a token, and takes it.",
    Unpark "unpark" "Gives a thread its token.",
    Contain "contain" "Waits for the end of a part of the run, whatever that is.",
    Choose "choose" "Goes on in one of several ways.",
    Load "load" "Reads an atomic.",
    Store "store" "Writes an atomic.",
    Update "update" "Reads and writes an atomic at once.",
    Commit "commit" "A store leaves its thread's buffer for memory.",
    Fence "fence" "Orders memory.",
    Lock "lock" "Takes a lock, or waits for it.",
    TryLock "try_lock" "Takes a lock if it is free.",
    Unlock "unlock" "Gives a lock back.",
    ReadLock "read_lock" "Takes a lock with others who read.",
    TryReadLock "try_read_lock" "Takes a lock with others who read, if nobody writes.",
    WriteLock "write_lock" "Takes a lock alone.",
    TryWriteLock "try_write_lock" "Takes a lock alone, if nobody has it.",
    UnlockRead "unlock_read" "A reader gives the lock back.",
    UnlockWrite "unlock_write" "The writer gives the lock back.",
    Downgrade "downgrade" "The writer keeps the lock as a reader.",
    IsPoisoned "is_poisoned" "Asks whether somebody panicked who had the lock.",
    ClearPoison "clear_poison" "Forgets that somebody panicked who had the lock.",
    Wait "wait" "Gives a lock up and waits to be notified.",
    Wake "wake" "Takes a notification; taking the lock again is a `lock`.",
    NotifyOne "notify_one" "Notifies one of those who wait.",
    NotifyAll "notify_all" "Notifies all who wait.",
    TimeOut "time_out" "A wait ends because its time is up.",
    Spurious "spurious" "A wait ends for no reason.",
    Begin "begin" "Begins what happens once, or waits until it has happened.",
    Complete "complete" "What happens once has happened.",
    Abort "abort" "What should happen once has failed.",
    IsComplete "is_complete" "Asks whether what happens once has happened.",
    Await "await" "Waits until what happens once has happened.",
    Arrive "arrive" "Comes to a barrier.",
    Pass "pass" "Leaves a barrier.",
    Offer "offer" "Comes to a channel without room, where sender and receiver must meet.",
    Send "send" "Sends a message, or waits for room.",
    TrySend "try_send" "Sends a message if there is room.",
    Receive "receive" "Receives a message, or waits for one.",
    TryReceive "try_receive" "Receives a message if there is one.",
    Disconnect "disconnect" "The receiver of a channel goes away.",
    Leave "leave" "A sender of a channel goes away.",
    Put "put" "Fills a variable, or waits until it is empty.",
    Take "take" "Empties a variable, or waits until it is full.",
    Read "read" "Looks into a variable, or waits until it is full.",
    TryPut "try_put" "Fills a variable if it is empty.",
    TryTake "try_take" "Empties a variable if it is full.",
    TryRead "try_read" "Looks into a variable if it is full.",
    Atomically "atomically" "A transaction, or waits until it does not retry.",
    Throw "throw_to" "Throws an exception to a thread, or waits until that can take it.",
    Raise "raise" "What another thread has thrown arrives.",
    Point "point" "Takes an exception, if there is one.",
    Step "step" "A step of a model.",
}

impl Kind {
    /// The kind with this name.
    pub fn named(text: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.text() == text)
    }
}

/// An action as its thread announces it: what it does, and to what. What became of it is its [`Effect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// What is done.
    pub kind: Kind,
    /// A store: does it go to the thread's buffer, from which a [`Kind::Commit`] brings it to memory?
    pub is_buffered: bool,
    /// Does it wait until the thread's buffers are empty? Of a commit: until earlier stores of the thread have been
    /// committed, see `held_by`.
    pub drains: bool,
    /// Of a commit: it comes after the commits of the first so many buffered stores that its thread made in the run.
    pub held_by: u32,
    /// A load: whose store does it read?
    pub source: Source,
    /// Can it go several ways: a choice, a wait with an end of its time?
    pub is_plural: bool,
    /// A yield that waits for a change of several things that its thread has looked at, of which some have no bit in its footprint, or an exception
    /// for a thread that can take it only while it waits: which things decide, is not told.
    pub waits_for_any: bool,
    /// A step of a model, a transaction: may it have to wait for what others do?
    pub is_guarded: bool,
    /// Can an exception be thrown to the thread that is about to do this, whether it has to wait or not?
    pub is_point: bool,
    /// What it is done to.
    pub object: Option<ObjectId>,
    /// What it is done to beside: the lock that a wait gives up.
    pub second: Option<ObjectId>,
    /// The thread that it is done to: the one that is spawned, joined, unparked.
    pub target: Option<ThreadId>,
    /// For a step of a model and a transaction: the variables that it reads and writes, one bit each. For a yield that waits for a change of several
    /// objects: it reads these, one bit each.
    pub footprint: Footprint,
    /// For an exchange: the value that it looks for.
    pub expected: Option<u64>,
}

/// What became of an action: known once it is executed, and [`Effect::PENDING`] before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effect {
    /// The action changed nothing: an exchange that failed, a `try_lock` of a lock that was taken.
    pub read_only: bool,
    /// No thread that waits for a change goes on by it: an update that stored the old value, a sender that
    /// left and was not the last.
    pub wakes_no_waiter: bool,
    /// The run ended by it, though other threads could have gone on.
    pub ends_run: bool,
    /// The object just before: an atomic's value in memory, or the actions that were possible without waiting
    /// ([`Open`](crate::Open)).
    pub observed: u64,
}

impl Effect {
    /// Before the action is executed.
    pub const PENDING: Effect =
        Effect { read_only: false, wakes_no_waiter: false, ends_run: false, observed: 0 };
}

/// Whose store a load reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// Somebody else's, or the value that was there first.
    #[default]
    Memory,
    /// The thread's own, from memory: nobody has written there since it was committed.
    Own,
    /// The thread's own, from its buffer.
    Buffer,
}

/// Variables, as bits. Where there are more than 64, several share a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// Those that are read.
    pub reads: u64,
    /// Those that are written.
    pub writes: u64,
}

impl Footprint {
    /// Nobody knows which.
    pub const ANY: Footprint = Footprint { reads: u64::MAX, writes: u64::MAX };

    /// Can what was done there make a difference to who reads and writes here?
    pub fn is_changed_by(self, other: Footprint) -> bool {
        other.writes & (self.reads | self.writes) != 0
    }
}

impl Action {
    /// An action without an object.
    pub const fn new(kind: Kind) -> Action {
        Action {
            kind,
            is_buffered: false,
            drains: false,
            held_by: 0,
            source: Source::Memory,
            is_plural: false,
            waits_for_any: false,
            is_guarded: false,
            is_point: false,
            object: None,
            second: None,
            target: None,
            footprint: Footprint { reads: 0, writes: 0 },
            expected: None,
        }
    }

    /// An action on an object.
    pub const fn on(kind: Kind, object: ObjectId) -> Action {
        Action { object: Some(object), ..Action::new(kind) }
    }

    /// An action on a thread.
    pub const fn to(kind: Kind, target: ThreadId) -> Action {
        Action { target: Some(target), ..Action::new(kind) }
    }

    /// The objects that it is about.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let mut left = self.awaits();
        let awaited = std::iter::from_fn(move || {
            let next = (left != 0).then(|| ObjectId::at(left.trailing_zeros() as usize));
            left &= left.wrapping_sub(1);
            next
        });
        [self.object, self.second].into_iter().flatten().chain(awaited)
    }

    /// The objects that a yield waits for, where they are several: one bit each, of the first 64.
    #[inline]
    pub fn awaits(&self) -> u64 {
        if self.kind == Kind::Yield { self.footprint.reads } else { 0 }
    }

    /// A step of a model.
    pub const fn step(footprint: Footprint) -> Action {
        Action { footprint, ..Action::new(Kind::Step) }
    }
}

/// Where in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Site {
    /// Nobody knows.
    #[default]
    Unknown,
    /// In a Rust program.
    Rust(&'static Location<'static>),
    /// In the source of a model.
    Line(u32),
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::Unknown => write!(f, "-"),
            Site::Rust(location) => write!(f, "{}:{}", location.file(), location.line()),
            Site::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// An action that a thread can execute next, or has executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The thread, and which of its alternatives.
    pub id: EventId,
    /// The action that the thread announced.
    pub action: Action,
    /// What became of the action.
    pub effect: Effect,
    /// The place in the source.
    pub site: Site,
}

impl Event {
    /// An event that is not executed yet.
    #[inline(always)]
    pub const fn pending(id: EventId, action: Action, site: Site) -> Event {
        Event { id, action, effect: Effect::PENDING, site }
    }

    /// The thread of the event.
    #[inline]
    pub fn thread(&self) -> ThreadId {
        self.id.thread
    }
}
