//! Enabledness: which kinds of actions an object allows without waiting, recorded with each event.
//!
//! Race reversal needs to know the effect of an action at an earlier point of the run. Most actions on one
//! object depend on each other, so an action that moves before another one meets the object in the state
//! that the other one met. Each event records that state ([`Effect::observed`](crate::Effect::observed)), as
//! far as it decides whether an action is enabled and whether it changes the object.

use crate::counts::Counts;
use crate::event::{Action, Event, Kind};

/// The enabled actions of a lock, a channel, an `MVar`, a one-time initialisation or a park token, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Enabledness(pub u64);

impl Enabledness {
    /// The mutex is free.
    pub const LOCK: u64 = 1;
    /// A read lock can be taken.
    pub const READ_LOCK: u64 = 1 << 1;
    /// A write lock can be taken.
    pub const WRITE_LOCK: u64 = 1 << 2;
    /// A send does not wait: it succeeds or fails at once.
    pub const SEND: u64 = 1 << 3;
    /// A `try_send` succeeds.
    pub const TRY_SEND: u64 = 1 << 4;
    /// The receiver is dropped.
    pub const RECEIVER_GONE: u64 = 1 << 5;
    /// A receive does not wait: it succeeds or fails at once.
    pub const RECEIVE: u64 = 1 << 6;
    /// The channel holds a message.
    pub const MESSAGE: u64 = 1 << 7;
    /// The `MVar` is empty.
    pub const PUT: u64 = 1 << 8;
    /// The `MVar` is full.
    pub const TAKE: u64 = 1 << 9;
    /// No thread executes the one-time initialisation.
    pub const BEGIN: u64 = 1 << 10;
    /// The one-time initialisation is complete.
    pub const COMPLETE: u64 = 1 << 11;
    /// The parked thread has its token.
    pub const TOKEN: u64 = 1 << 12;
    /// Readers hold the lock, so that a writer can begin to wait.
    pub const WAIT_TO_WRITE: u64 = 1 << 13;
    /// Readers hold the lock, and a writer waits for it.
    pub const WRITER_WAITS: u64 = 1 << 14;

    fn has(self, bits: u64) -> bool {
        self.0 & bits != 0
    }

    /// Is an action of this kind enabled? `None` if that depends on the thread that executes it.
    pub fn enables(self, kind: Kind) -> Option<bool> {
        Some(match kind {
            Kind::Lock => self.has(Enabledness::LOCK),
            Kind::ReadLock => self.has(Enabledness::READ_LOCK),
            Kind::WriteLock => self.has(Enabledness::WRITE_LOCK),
            Kind::WaitToWrite => self.has(Enabledness::WRITE_LOCK | Enabledness::WAIT_TO_WRITE),
            Kind::Send => self.has(Enabledness::SEND),
            Kind::Receive => self.has(Enabledness::RECEIVE),
            Kind::Put => self.has(Enabledness::PUT),
            Kind::Take | Kind::Read => self.has(Enabledness::TAKE),
            Kind::Begin => self.has(Enabledness::BEGIN),
            Kind::Park => self.has(Enabledness::TOKEN),
            Kind::Wake | Kind::Pass | Kind::Await | Kind::Join | Kind::Contain | Kind::Yield => return None,
            Kind::Atomically | Kind::Throw => return None,
            _ => true,
        })
    }
}

/// Can other threads disable the action? A wait with alternatives is always enabled, by its timeout.
pub fn may_block(action: &Action) -> bool {
    match action.kind {
        Kind::Step | Kind::Atomically => action.is_guarded,
        _ if action.has_alternatives => false,
        Kind::Lock | Kind::ReadLock | Kind::WriteLock | Kind::WaitToWrite => true,
        Kind::Send | Kind::Receive => true,
        Kind::Put | Kind::Take | Kind::Read | Kind::Begin | Kind::Park | Kind::Wake => true,
        Kind::Pass | Kind::Await | Kind::Join | Kind::Contain | Kind::Throw => true,
        Kind::Return => action.is_final,
        Kind::Yield => action.object.is_some() || action.waits_for_unknown || action.awaited_objects() != 0,
        _ => false,
    }
}

/// Would the event leave its object unchanged, if the object were in the observed state?
pub fn would_be_read_only(event: &Event, observed: u64) -> bool {
    let (action, state) = (&event.action, Enabledness(observed));
    let owners = Counts::from_bits(observed);
    match action.kind {
        Kind::Update => action.expected.is_some_and(|expected| expected != observed),
        Kind::TryLock => !state.has(Enabledness::LOCK),
        Kind::TrySend => state.has(Enabledness::RECEIVER_GONE) || !state.has(Enabledness::TRY_SEND),
        Kind::Send => state.has(Enabledness::RECEIVER_GONE),
        Kind::TryReceive | Kind::Receive => !state.has(Enabledness::MESSAGE),
        Kind::TryPut => !state.has(Enabledness::PUT),
        Kind::TryTake => !state.has(Enabledness::TAKE),
        Kind::Begin => state.has(Enabledness::COMPLETE),
        Kind::Upgrade => owners.strong == 0,
        Kind::TryUnwrap => owners.strong != 1,
        // With weak references the value moves to another allocation; without, nothing changes.
        Kind::MakeMut => owners.strong != 1 || owners.weak == 0,
        _ => event.effect.read_only,
    }
}
