//! Events: the visible actions of threads.
//!
//! A thread announces an [`Action`] before it executes it. An [`Event`] is an announced action with its
//! thread, its place in the source, and its [`Effect`] once it is executed. Work between two visible actions
//! is invisible to other threads and has no event.

use crate::ids::{EventId, ObjectId, ThreadId};
use std::fmt;
use std::panic::Location;

macro_rules! kinds {
    ($($kind:ident $text:literal $doc:literal,)*) => {
        /// The kind of an action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $(#[doc = $doc] $kind,)*
        }

        impl Kind {
            /// All kinds, in order.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// The name in traces: the name of the action in the source, if it has one there.
            pub fn text(self) -> &'static str {
                match self {
                    $(Kind::$kind => $text,)*
                }
            }
        }
    };
}

kinds! {
    Return "return" "The body of the run returns.",
    Spawn "spawn" "Starts a thread.",
    Join "join" "Waits for the end of a thread.",
    IsFinished "is_finished" "Reads whether a thread has ended.",
    Yield "yield" "Lets other threads run first.",
    Deadline "deadline" "Fixes when a timed wait ends: reads the clock.",
    Sleep "sleep" "Sleeps until the deadline, while other threads run.",
    Now "now" "Reads the clock.",
    Parallelism "available_parallelism" "Reads the number of threads that run at once.",
    SetParallelism "set_available_parallelism" "Sets the number of threads that run at once.",
    Park "park" "Waits for the thread's token, and takes it.",
    Unpark "unpark" "Gives a thread its token.",
    Contain "contain" "Waits for the end of a contained part of the run, whatever its outcome.",
    Choose "choose" "Takes one of several alternatives.",
    Effect "effect" "Executes code that is one step: input and output, a use of an object that is not explored.",
    Load "load" "Reads an atomic.",
    Store "store" "Writes an atomic.",
    Update "update" "Reads and writes an atomic in one step.",
    Commit "commit" "Moves a store from a thread's store buffer to memory.",
    Fence "fence" "Orders memory accesses.",
    Lock "lock" "Takes a mutex, or waits for it.",
    TryLock "try_lock" "Takes a mutex if it is free.",
    Unlock "unlock" "Releases a mutex.",
    ReadLock "read_lock" "Takes a read lock, or waits for it.",
    TryReadLock "try_read_lock" "Takes a read lock if no thread has the write lock or waits for it.",
    WriteLock "write_lock" "Takes a write lock, or waits for it.",
    WaitToWrite "wait_to_write" "Begins to wait for a write lock: new readers wait, too.",
    TryWriteLock "try_write_lock" "Takes a write lock if no thread has the lock.",
    UnlockRead "unlock_read" "Releases a read lock.",
    UnlockWrite "unlock_write" "Releases a write lock.",
    Downgrade "downgrade" "Turns a write lock into a read lock.",
    IsPoisoned "is_poisoned" "Reads whether a thread panicked while it held the lock.",
    ClearPoison "clear_poison" "Clears the mark that a thread panicked while it held the lock.",
    Wait "wait" "Releases a lock and waits for a notification.",
    Wake "wake" "Takes a notification; taking the lock again is a `lock`.",
    NotifyOne "notify_one" "Notifies one waiting thread.",
    NotifyAll "notify_all" "Notifies all waiting threads.",
    TimeOut "time_out" "A wait ends by its timeout.",
    Spurious "spurious" "A wait ends by a spurious wake-up.",
    Begin "begin" "Begins a one-time initialisation, or waits until it is complete.",
    Complete "complete" "Completes a one-time initialisation.",
    Abort "abort" "A one-time initialisation fails.",
    IsComplete "is_complete" "Reads whether a one-time initialisation is complete.",
    Await "await" "Waits until a one-time initialisation is complete.",
    Arrive "arrive" "Arrives at a barrier.",
    Pass "pass" "Leaves a barrier.",
    Offer "offer" "Arrives at a channel without capacity, where sender and receiver meet.",
    Send "send" "Sends a message, or waits for room.",
    TrySend "try_send" "Sends a message if there is room.",
    Receive "receive" "Receives a message, or waits for one.",
    TryReceive "try_receive" "Receives a message if there is one.",
    Disconnect "disconnect" "Drops the receiver of a channel.",
    Leave "leave" "Drops a sender of a channel.",
    Put "put" "Fills an `MVar`, or waits until it is empty.",
    Take "take" "Empties an `MVar`, or waits until it is full.",
    Read "read" "Reads an `MVar`, or waits until it is full.",
    TryPut "try_put" "Fills an `MVar` if it is empty.",
    TryTake "try_take" "Empties an `MVar` if it is full.",
    TryRead "try_read" "Reads an `MVar` if it is full.",
    CloneArc "clone" "Adds an owner of a reference-counted value.",
    DropArc "drop" "Removes an owner of a reference-counted value; the last one drops the value.",
    IntoInner "into_inner" "Removes an owner; the last one takes the value.",
    TryUnwrap "try_unwrap" "Takes the value if there is no other owner.",
    MakeMut "make_mut" "Takes the value, or keeps it, if there is no other owner.",
    GetMut "get_mut" "Reads whether there is no other owner and no weak reference.",
    InitArc "new_cyclic" "A value gets its first owner, after weak references to it.",
    Upgrade "upgrade" "Adds an owner if there is one.",
    CloneWeak "clone_weak" "Adds a weak reference.",
    DropWeak "drop_weak" "Removes a weak reference.",
    StrongCount "strong_count" "Reads the number of owners.",
    WeakCount "weak_count" "Reads the number of weak references.",
    Atomically "atomically" "Executes a transaction, or waits until it does not retry.",
    Throw "throw_to" "Throws an exception to a thread, or waits until the thread can take it.",
    Raise "raise" "An exception from another thread arrives.",
    InterruptionPoint "point" "Takes an exception, if there is one.",
    SetProp "set" "A proposition holds from now on.",
    ReleaseProp "release" "A proposition does not hold any more.",
    PulseProp "pulse" "A proposition holds for one state.",
    CheckFormula "check" "A formula is judged from now on.",
    Step "step" "A step of a model.",
}

impl Kind {
    /// Does it change which propositions hold?
    pub fn changes_proposition(self) -> bool {
        matches!(self, Kind::SetProp | Kind::ReleaseProp | Kind::PulseProp)
    }

    /// Is it about propositions or formulas?
    pub fn concerns_formulas(self) -> bool {
        self.changes_proposition() || self == Kind::CheckFormula
    }

    /// The kind with this name.
    pub fn named(text: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.text() == text)
    }
}

/// An action as its thread announces it. The outcome of its execution is an [`Effect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The kind of the action.
    pub kind: Kind,
    /// For a store: goes to the thread's store buffer, from which a [`Kind::Commit`] moves it to memory.
    pub is_buffered: bool,
    /// Waits until the thread's store buffers are empty. For a commit: until earlier stores of the thread
    /// are committed, see `preceding_stores`.
    pub drains: bool,
    /// For a commit: the number of buffered stores of its thread, from the start of the run, that are
    /// committed before.
    pub preceding_stores: u32,
    /// For a load: the store that it reads from.
    pub reads_from: ReadsFrom,
    /// The thread has several alternatives: a choice, or a wait with a timeout.
    pub has_alternatives: bool,
    /// The announcement does not say which objects the action waits for: a yield that waits for a change of
    /// several objects, not all of which have a bit in its footprint, or an exception for a thread that can
    /// take it only while it waits.
    pub waits_for_unknown: bool,
    /// For a step of a model or a transaction: it has a guard, so other threads can disable it.
    pub is_guarded: bool,
    /// For a return: no other thread goes on after it. Otherwise the run continues, and the return only
    /// fixes its outcome.
    pub is_final: bool,
    /// The thread can take an exception instead of executing this action, whether the action is enabled or
    /// not.
    pub is_interruption_point: bool,
    /// The object of the action.
    pub object: Option<ObjectId>,
    /// A second object: the lock that a wait releases.
    pub second: Option<ObjectId>,
    /// The thread that the action is applied to: the one that is spawned, joined, unparked.
    pub target: Option<ThreadId>,
    /// For a step of a model or a transaction: the variables that it reads and writes, one bit each. For a
    /// yield that waits for a change of several objects: it reads these, one bit each. For a change of a
    /// proposition: it writes the formulas that mention the proposition, one bit each.
    pub footprint: Footprint,
    /// For a compare-and-exchange: the value that it expects. For a change of a proposition: the
    /// proposition, as a number that is the same in all runs.
    pub expected: Option<u64>,
}

/// The effect of an executed action; [`Effect::PENDING`] before the execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effect {
    /// The action changed nothing: an exchange that failed, a `try_lock` of a lock that was taken.
    pub read_only: bool,
    /// The action wakes no thread that waits for a change: an update that stored the old value, a dropped
    /// sender that was not the last.
    pub wakes_no_waiter: bool,
    /// The action ended the run, although other threads were enabled.
    pub ends_run: bool,
    /// After the action the run has another outcome if the body returns: a thread failed whose end no thread
    /// has observed, or a thread observed such a failure by a join.
    pub affects_outcome: bool,
    /// The state of the object just before the action: the value of an atomic in memory, or the enabled
    /// kinds of actions ([`Enabledness`](crate::Enabledness)), or the owners of a value
    /// ([`Counts`](crate::Counts)).
    pub observed: u64,
}

impl Effect {
    /// Before the action is executed.
    pub const PENDING: Effect = Effect {
        read_only: false,
        wakes_no_waiter: false,
        ends_run: false,
        affects_outcome: false,
        observed: 0,
    };
}

/// The store that a load reads from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadsFrom {
    /// A store of another thread, or the initial value.
    #[default]
    Memory,
    /// A store of the same thread, in memory: no thread has written there since its commit.
    Own,
    /// A store of the same thread, in its store buffer.
    Buffer,
}

/// Sets of variables, as bits. With more than 64 variables, several share a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// The variables that are read.
    pub reads: u64,
    /// The variables that are written.
    pub writes: u64,
}

impl Footprint {
    /// Every variable: the footprint of an action with unknown variables.
    pub const ANY: Footprint = Footprint { reads: u64::MAX, writes: u64::MAX };

    /// Does an action with the other footprint write a variable of this one?
    pub fn is_affected_by(self, other: Footprint) -> bool {
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
            preceding_stores: 0,
            reads_from: ReadsFrom::Memory,
            has_alternatives: false,
            waits_for_unknown: false,
            is_guarded: false,
            is_final: false,
            is_interruption_point: false,
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

    /// The objects that the action reads or writes.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let mut remaining = self.awaited_objects();
        let awaited = std::iter::from_fn(move || {
            let next = (remaining != 0).then(|| ObjectId::at(remaining.trailing_zeros() as usize));
            remaining &= remaining.wrapping_sub(1);
            next
        });
        [self.object, self.second].into_iter().flatten().chain(awaited)
    }

    /// The objects that a yield waits for, if they are several: one bit each, of the first 64.
    #[inline]
    pub fn awaited_objects(&self) -> u64 {
        if self.kind == Kind::Yield { self.footprint.reads } else { 0 }
    }

    /// A step of a model.
    pub const fn step(footprint: Footprint) -> Action {
        Action { footprint, ..Action::new(Kind::Step) }
    }
}

/// A place in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Site {
    /// Unknown.
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
    /// The thread, and the number of its alternative.
    pub id: EventId,
    /// The action that the thread announced.
    pub action: Action,
    /// The effect of the action.
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
