//! A channel: messages in order, from many senders to one receiver.

use super::kinds::{KindSet, enabled_bits};
use selvedge_explore::{Enabledness, Kind};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Send, Kind::Receive]);

/// These enable or disable threads that wait for the channel, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet = KindSet::of(&[
    Kind::Offer,
    Kind::Send,
    Kind::TrySend,
    Kind::Receive,
    Kind::TryReceive,
    Kind::Disconnect,
    Kind::Leave,
]);

/// The messages of a channel, counted, and its two ends.
#[derive(Clone, Debug)]
pub(crate) struct ChannelState {
    /// How many messages were sent and not received.
    pub(crate) messages: usize,
    /// How many messages there may be; 0 if sender and receiver must meet.
    pub(crate) capacity: Option<usize>,
    /// How many messages were received so far.
    pub(crate) received: u64,
    pub(crate) senders: usize,
    pub(crate) has_receiver: bool,
    /// If sender and receiver must meet: has the receiver come first, and no sender met it yet?
    pub(crate) receiver_waits: bool,
}

impl ChannelState {
    /// One sender, one receiver, and no message.
    pub(crate) fn new(capacity: Option<usize>) -> ChannelState {
        ChannelState {
            messages: 0,
            capacity,
            received: 0,
            senders: 1,
            has_receiver: true,
            receiver_waits: false,
        }
    }

    /// Can a message be sent without waiting, or is it certain that no thread will receive it?
    pub(super) fn can_send(&self, number: u64) -> bool {
        match self.capacity {
            _ if !self.has_receiver => true,
            None => true,
            // The message was offered before; the send is done when it was received.
            Some(0) => self.received >= number,
            Some(capacity) => self.messages < capacity,
        }
    }

    /// Would a try to send be one that sends?
    fn can_try_send(&self) -> bool {
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

    /// The enabled actions.
    pub(super) fn enabled_actions(&self) -> u64 {
        enabled_bits([
            (self.can_send(u64::MAX), Enabledness::SEND),
            (self.can_try_send(), Enabledness::TRY_SEND),
            (!self.has_receiver, Enabledness::RECEIVER_GONE),
            (self.can_receive(), Enabledness::RECEIVE),
            (self.messages > 0, Enabledness::MESSAGE),
        ])
    }

    /// What a thread waits for, in words.
    pub(super) fn awaited(&self, kind: Kind, name: &str) -> String {
        match (kind, self.capacity) {
            (Kind::Receive, _) => format!("waits for a message from {name}"),
            (_, Some(0)) => format!("waits until its message is received from {name}"),
            _ => format!("waits for room in {name}"),
        }
    }
}
