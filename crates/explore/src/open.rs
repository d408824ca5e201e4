//! What could be done to an object without waiting: enough of its state to tell how an action would have turned out had it
//! come earlier.
//!
//! Most actions on an object depend on each other, so where one is moved before another, it meets the object as that other
//! one met it. What each action found is therefore written down with it ([`Effect::observed`](crate::Effect::observed)).

use crate::event::{Action, Event, Kind};

/// What could be done to a lock, a channel, a variable, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Open(pub u64);

impl Open {
    /// A lock could be taken.
    pub const LOCK: u64 = 1;
    /// A lock could be taken with others who read.
    pub const READ_LOCK: u64 = 1 << 1;
    /// A lock could be taken alone.
    pub const WRITE_LOCK: u64 = 1 << 2;
    /// A message could be sent without waiting, or never.
    pub const SEND: u64 = 1 << 3;
    /// A try to send would send.
    pub const TRY_SEND: u64 = 1 << 4;
    /// Nobody will receive any more.
    pub const GONE: u64 = 1 << 5;
    /// A message could be received without waiting, or never.
    pub const RECEIVE: u64 = 1 << 6;
    /// There was a message.
    pub const MESSAGE: u64 = 1 << 7;
    /// A variable was empty.
    pub const PUT: u64 = 1 << 8;
    /// A variable was full.
    pub const TAKE: u64 = 1 << 9;
    /// Nobody was at what happens once.
    pub const BEGIN: u64 = 1 << 10;
    /// What happens once had happened.
    pub const COMPLETE: u64 = 1 << 11;
    /// A thread had a token to go on after parking.
    pub const TOKEN: u64 = 1 << 12;

    fn has(self, bits: u64) -> bool {
        self.0 & bits != 0
    }

    /// Could an action of this kind be done without waiting? `None` where that depends on who does it.
    pub fn allows(self, kind: Kind) -> Option<bool> {
        Some(match kind {
            Kind::Lock => self.has(Open::LOCK),
            Kind::ReadLock => self.has(Open::READ_LOCK),
            Kind::WriteLock => self.has(Open::WRITE_LOCK),
            Kind::Send => self.has(Open::SEND),
            Kind::Receive => self.has(Open::RECEIVE),
            Kind::Put => self.has(Open::PUT),
            Kind::Take | Kind::Read => self.has(Open::TAKE),
            Kind::Begin => self.has(Open::BEGIN),
            Kind::Park => self.has(Open::TOKEN),
            Kind::Wake | Kind::Pass | Kind::Await | Kind::Join | Kind::Contain | Kind::Yield => return None,
            Kind::Atomically | Kind::Throw => return None,
            _ => true,
        })
    }
}

/// May the action have to wait for others? What can go several ways always can go one: its time is up.
pub fn can_wait(action: &Action) -> bool {
    match action.kind {
        Kind::Step | Kind::Atomically => action.is_guarded,
        _ if action.is_plural => false,
        Kind::Lock | Kind::ReadLock | Kind::WriteLock | Kind::Send | Kind::Receive => true,
        Kind::Put | Kind::Take | Kind::Read | Kind::Begin | Kind::Park | Kind::Wake => true,
        Kind::Pass | Kind::Await | Kind::Join | Kind::Contain | Kind::Return | Kind::Throw => true,
        Kind::Yield => action.object.is_some() || action.waits_for_any || action.awaits() != 0,
        _ => false,
    }
}

/// Would the action only look, if it found this?
pub fn would_be_read_only(event: &Event, observed: u64) -> bool {
    let (action, open) = (&event.action, Open(observed));
    match action.kind {
        Kind::Update => action.expected.is_some_and(|expected| expected != observed),
        Kind::TryLock => !open.has(Open::LOCK),
        Kind::TryReadLock => !open.has(Open::READ_LOCK),
        Kind::TryWriteLock => !open.has(Open::WRITE_LOCK),
        Kind::TrySend => open.has(Open::GONE) || !open.has(Open::TRY_SEND),
        Kind::Send => open.has(Open::GONE),
        Kind::TryReceive | Kind::Receive => !open.has(Open::MESSAGE),
        Kind::TryPut => !open.has(Open::PUT),
        Kind::TryTake => !open.has(Open::TAKE),
        Kind::Begin => open.has(Open::COMPLETE),
        _ => event.effect.read_only,
    }
}
