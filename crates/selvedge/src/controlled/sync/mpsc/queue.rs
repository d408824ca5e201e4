//! A channel of a run.
//!
//! If the channel has a buffer, bounded or unbounded, sending and receiving are one visible action each.
//! Without a buffer (`sync_channel(0)`) sender and receiver meet in a rendezvous: each announces its arrival
//! (`Offer`), and the thread that arrives first waits for the other. A `try_send` succeeds only if the
//! receiver has arrived, as in `std`.
//!
//! Happens-before: a message carries the vector clock of its sender. In a bounded channel, the receive that
//! frees a slot of the buffer happens before the send that uses the slot. A disconnection happens before
//! every operation that observes it.
//!
//! After its run each end of a channel behaves as if the other end were disconnected.

use super::super::ObjectInRun;
use crate::control::object::ChannelState;
use crate::control::{Execution, ObjectKind, Pending, Persistence, Stop, Sync, TIME_OUT, Tag};
use crate::controlled::{current, current_for};
use selvedge_explore::{Action, Kind, Site, VectorClock};
use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

/// The queue of a new channel, if the calling thread is a thread of a run.
#[track_caller]
pub(super) fn in_run<T>(capacity: Option<usize>) -> Option<Handle<T>> {
    current().map(|execution| Arc::new(Queue::new(execution, capacity)))
}

/// Ends the run of the calling thread, if there is one: it uses a channel of `std`.
pub(super) fn refuse_in_run() {
    if let Some(execution) = current() {
        execution.end_run(Stop::Refused(
            "a channel that was made outside of the exploration is used inside of it, where no thread could wait \
             for the other end; make it inside of the explored body"
                .to_owned(),
        ));
    }
}

/// A channel that belongs to a run, for each of its ends.
pub(super) type Handle<T> = Arc<Queue<T>>;

/// A channel that belongs to a run.
pub(super) struct Queue<T> {
    tag: Tag,
    capacity: Option<usize>,
    /// Never locked while code of the program runs.
    messages: std::sync::Mutex<Messages<T>>,
}

struct Messages<T> {
    queue: VecDeque<Message<T>>,
    /// The number of messages sent so far.
    sent: u64,
    /// The receives that freed a slot of the buffer which no send has used yet: number of the message, and
    /// clock.
    freed_slots: VecDeque<(u64, VectorClock)>,
    /// Clocks for reuse.
    spare_clocks: Vec<VectorClock>,
}

struct Message<T> {
    value: T,
    /// Counted from 1.
    number: u64,
    clock: VectorClock,
    /// Does the sender wait until the message is received?
    is_offer: bool,
}

/// An end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Sender,
    Receiver,
}

impl<T> Queue<T> {
    #[track_caller]
    fn new(execution: &Execution, capacity: Option<usize>) -> Queue<T> {
        let messages = Messages {
            queue: VecDeque::new(),
            sent: 0,
            freed_slots: VecDeque::new(),
            spare_clocks: Vec::new(),
        };
        let queue = Queue { tag: Tag::new(), capacity, messages: std::sync::Mutex::new(messages) };
        let ends = || Sync::Channel(ChannelState::new(capacity));
        execution.object(&queue.tag, ObjectKind::Channel, Persistence::KeepsState, ends);
        queue
    }

    /// Announces an action on the channel. `None` outside of its run.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<ObjectInRun<'e>> {
        let execution = current_for(&self.tag, Persistence::KeepsState)?;
        let ends = || Sync::Channel(ChannelState::new(self.capacity));
        let object = execution.object(&self.tag, ObjectKind::Channel, Persistence::KeepsState, ends);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some(ObjectInRun { execution, object })
    }

    fn messages(&self) -> MutexGuard<'_, Messages<T>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }

    /// Sends a message; waits for a free slot of the buffer, or for the receiver.
    #[track_caller]
    pub(super) fn send(&self, value: T) -> Result<(), SendError<T>> {
        let kind = if self.is_rendezvous() { Kind::Offer } else { Kind::Send };
        let Some(channel) = self.announce(kind) else { return Err(SendError(value)) };
        if !with_ends(channel, |ends| ends.has_receiver) {
            return Err(SendError(observe_disconnection(channel, value)));
        }
        let is_offer = self.is_rendezvous() && !self.meet_receiver(channel);
        let number = self.push(channel, value, is_offer);
        if !is_offer {
            return Ok(());
        }
        let send = Pending::here(Action::on(Kind::Send, channel.object));
        channel.execution.visible(Pending { since: number, ..send });
        match self.withdraw(channel, number) {
            Some(value) => Err(SendError(observe_disconnection(channel, value))),
            None => {
                self.messages().use_freed_slot(channel.execution, number);
                Ok(())
            }
        }
    }

    /// Sends a message, if a slot of the buffer is free or the receiver waits.
    #[track_caller]
    pub(super) fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let Some(channel) = self.announce(Kind::TrySend) else {
            return Err(TrySendError::Disconnected(value));
        };
        let (has_receiver, messages) = with_ends(channel, |ends| (ends.has_receiver, ends.messages));
        if !has_receiver {
            return Err(TrySendError::Disconnected(observe_disconnection(channel, value)));
        }
        let has_slot = match self.capacity {
            Some(0) => self.meet_receiver(channel),
            capacity => capacity.is_none_or(|capacity| messages < capacity),
        };
        if !has_slot {
            channel.execution.read_only();
            return Err(TrySendError::Full(value));
        }
        self.push(channel, value, false);
        Ok(())
    }

    /// Meets the receiver, if it has arrived and no other sender has met it.
    fn meet_receiver(&self, channel: ObjectInRun<'_>) -> bool {
        let waits = with_ends(channel, |ends| std::mem::take(&mut ends.receiver_waits));
        if waits {
            channel.execution.acquire(channel.object);
        }
        waits
    }

    fn push(&self, channel: ObjectInRun<'_>, value: T, is_offer: bool) -> u64 {
        let mut messages = self.messages();
        let number = messages.sent + 1;
        messages.sent = number;
        if let Some(capacity @ 1..) = self.capacity
            && number > capacity as u64
        {
            messages.use_freed_slot(channel.execution, number - capacity as u64);
        }
        let mut clock = messages.spare_clocks.pop().unwrap_or_default();
        channel.execution.send_clock(&mut clock);
        messages.queue.push_back(Message { value, number, clock, is_offer });
        with_ends(channel, |ends| ends.messages += 1);
        number
    }

    /// Withdraws a message, unless it was received.
    fn withdraw(&self, channel: ObjectInRun<'_>, number: u64) -> Option<T> {
        let mut messages = self.messages();
        let position = messages.queue.iter().position(|message| message.number == number)?;
        let message = messages.queue.remove(position)?;
        with_ends(channel, |ends| ends.messages -= 1);
        Some(message.value)
    }

    /// Receives a message, if there is one.
    #[track_caller]
    pub(super) fn try_receive(&self) -> Result<T, TryRecvError> {
        let Some(channel) = self.announce(Kind::TryReceive) else {
            return self.pop_after_run().ok_or(TryRecvError::Disconnected);
        };
        if let Some(value) = self.pop(channel) {
            return Ok(value);
        }
        match with_ends(channel, |ends| ends.senders) {
            0 => Err(observe_disconnection(channel, TryRecvError::Disconnected)),
            _ => {
                channel.execution.read_only();
                Err(TryRecvError::Empty)
            }
        }
    }

    /// Waits for a message, or for the timeout, if there is one.
    #[track_caller]
    pub(super) fn receive(&self, timeout: Option<Duration>) -> Result<T, RecvTimeoutError> {
        let Some(execution) = current_for(&self.tag, Persistence::KeepsState) else {
            return self.pop_after_run().ok_or(RecvTimeoutError::Disconnected);
        };
        let deadline = timeout.map(|timeout| execution.fix_deadline(timeout));
        if self.is_rendezvous()
            && let Some(channel) = self.announce(Kind::Offer)
        {
            if with_ends(channel, |ends| ends.can_receive()) {
                return self
                    .pop(channel)
                    .ok_or_else(|| observe_disconnection(channel, RecvTimeoutError::Disconnected));
            }
            with_ends(channel, |ends| ends.receiver_waits = true);
            execution.release(channel.object);
        }
        let ends = || Sync::Channel(ChannelState::new(self.capacity));
        let object = execution.object(&self.tag, ObjectKind::Channel, Persistence::KeepsState, ends);
        let channel = ObjectInRun { execution, object };
        let receive = Pending::here(Action::on(Kind::Receive, object)).or_timeout(deadline.is_some());
        let alternative = execution.visible(receive);
        with_ends(channel, |ends| ends.receiver_waits = false);
        if let Some(value) = self.pop(channel) {
            return Ok(value);
        }
        match (alternative, deadline) {
            (TIME_OUT, Some(deadline)) => {
                execution.reach(deadline);
                Err(RecvTimeoutError::Timeout)
            }
            _ => Err(observe_disconnection(channel, RecvTimeoutError::Disconnected)),
        }
    }

    fn pop(&self, channel: ObjectInRun<'_>) -> Option<T> {
        let mut messages = self.messages();
        let Message { value, number, mut clock, is_offer } = messages.queue.pop_front()?;
        channel.execution.receive_clock(&clock);
        if is_offer || self.capacity.is_some_and(|capacity| capacity > 0) {
            channel.execution.send_clock(&mut clock);
            messages.freed_slots.push_back((number, clock));
        } else {
            messages.spare_clocks.push(clock);
        }
        with_ends(channel, |ends| {
            ends.messages -= 1;
            ends.received += 1;
        });
        Some(value)
    }

    /// A message that was not received before the run ended.
    fn pop_after_run(&self) -> Option<T> {
        self.messages().queue.pop_front().map(|message| message.value)
    }

    /// Counts another sender. This is no visible action: as there is a sender already, no thread observes
    /// it.
    pub(super) fn add_sender(&self) {
        if let Some(channel) = self.in_current_run() {
            with_ends(channel, |ends| ends.senders += 1);
        }
    }

    /// Disconnects one end.
    pub(super) fn disconnect(&self, end: End) {
        let Some(channel) = self.in_current_run() else { return };
        {
            // The end disconnects also if the thread is stopped at the announcement.
            let _disconnection = Disconnection { channel, end };
            let kind = if end == End::Sender { Kind::Leave } else { Kind::Disconnect };
            // A destructor does not know its call site.
            channel.execution.visible(Pending::new(Action::on(kind, channel.object), Site::Unknown));
        }
        if end == End::Receiver && !self.is_rendezvous() {
            // Destructors of messages are code of the program, so they run when the queue is unlocked.
            let unread = std::mem::take(&mut self.messages().queue);
            with_ends(channel, |ends| ends.messages = 0);
            drop(unread);
        }
    }

    fn in_current_run<'e>(&self) -> Option<ObjectInRun<'e>> {
        let execution = current()?;
        let object = execution.known(&self.tag)?;
        Some(ObjectInRun { execution, object })
    }
}

impl<T> Messages<T> {
    /// The running thread uses the slot that the receive of this message has freed.
    fn use_freed_slot(&mut self, execution: &Execution, number: u64) {
        if let Some(position) = self.freed_slots.iter().position(|(receive, _)| *receive == number)
            && let Some((_, clock)) = self.freed_slots.remove(position)
        {
            execution.receive_clock(&clock);
            self.spare_clocks.push(clock);
        }
    }
}

/// The running thread observes that the other end is disconnected, and changes nothing. Returns the value.
fn observe_disconnection<V>(channel: ObjectInRun<'_>, value: V) -> V {
    channel.execution.acquire(channel.object);
    channel.execution.read_only();
    value
}

fn with_ends<R>(channel: ObjectInRun<'_>, work: impl FnOnce(&mut ChannelState) -> R) -> R {
    channel.execution.with_sync(channel.object, |sync, _| match sync {
        Sync::Channel(ends) => work(ends),
        _ => unreachable!("the object of a channel is a channel"),
    })
}

/// Disconnects an end of a channel when it is dropped.
struct Disconnection<'e> {
    channel: ObjectInRun<'e>,
    end: End,
}

impl Drop for Disconnection<'_> {
    fn drop(&mut self) {
        self.channel.execution.release(self.channel.object);
        with_ends(self.channel, |ends| match self.end {
            End::Sender => ends.senders -= 1,
            End::Receiver => ends.has_receiver = false,
        });
    }
}
