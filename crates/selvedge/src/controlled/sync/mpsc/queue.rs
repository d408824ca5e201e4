//! A channel of a run.
//!
//! With room, or room without end, sending and receiving are one action each. Without room (`sync_channel(0)`) sender and
//! receiver must meet: each comes (`Offer`), and who comes first waits for the other. A `try_send` succeeds only if the
//! receiver has come, as in std.
//!
//! Happens-before: a message carries its sender's clock; where room is bounded, the receive that made room comes before the
//! send that used it; a disconnection comes before whoever notices it.
//!
//! When its run is over, a channel's ends are as if the other one were gone.

use crate::control::object::{Ends, Known};
use crate::control::{Carries, Execution, Pending, Sort, Sync, TIME_OUT, Tag, current};
use selvedge_explore::{Action, Kind, ObjectId, Site, VectorClock};
use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// A channel that belongs to a run.
pub(super) struct Queue<T> {
    tag: Tag,
    capacity: Option<usize>,
    /// Locked for moments only, in which no code of the program's runs.
    messages: std::sync::Mutex<Messages<T>>,
}

struct Messages<T> {
    queue: VecDeque<Message<T>>,
    /// How many were sent, ever.
    sent: u64,
    /// The clocks of receives that made room, with their numbers, until a send uses that room.
    room: VecDeque<(u64, VectorClock)>,
    /// Clocks to be used again.
    spare: Vec<VectorClock>,
}

struct Message<T> {
    value: T,
    /// From 1.
    number: u64,
    clock: VectorClock,
    /// Does its sender wait until it is received?
    is_offer: bool,
}

/// An end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Sender,
    Receiver,
}

type Here<'e> = (&'e Execution, ObjectId);

impl<T> Queue<T> {
    #[track_caller]
    pub(super) fn new(execution: &Execution, capacity: Option<usize>) -> Queue<T> {
        let messages = Messages { queue: VecDeque::new(), sent: 0, room: VecDeque::new(), spare: Vec::new() };
        let queue = Queue { tag: Tag::new(), capacity, messages: std::sync::Mutex::new(messages) };
        let ends = || Sync::Channel(Ends::new(capacity));
        execution.object(&queue.tag, Sort::Channel, Carries::State, ends);
        queue
    }

    /// Announces an action on the channel, in its run.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<Here<'e>> {
        let execution = self.tag.current(Carries::State)?;
        let ends = || Sync::Channel(Ends::new(self.capacity));
        let object = execution.object(&self.tag, Sort::Channel, Carries::State, ends);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    fn messages(&self) -> MutexGuard<'_, Messages<T>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn must_meet(&self) -> bool {
        self.capacity == Some(0)
    }

    /// Sends a message; waits for room, or for the receiver.
    #[track_caller]
    pub(super) fn send(&self, value: T) -> Result<(), SendError<T>> {
        let kind = if self.must_meet() { Kind::Offer } else { Kind::Send };
        let Some(here) = self.announce(kind) else { return Err(SendError(value)) };
        if !with_ends(here, |ends| ends.has_receiver) {
            return Err(SendError(without(here, value)));
        }
        let is_offer = self.must_meet() && !self.meets_receiver(here);
        let number = self.push(here, value, is_offer);
        if !is_offer {
            return Ok(());
        }
        let (execution, object) = here;
        let send = Pending::here(Action::on(Kind::Send, object));
        execution.visible(Pending { since: number, ..send });
        match self.withdraw(here, number) {
            Some(value) => Err(SendError(without(here, value))),
            None => {
                self.messages().use_room(execution, number);
                Ok(())
            }
        }
    }

    /// Sends a message if there is room, or the receiver waits.
    #[track_caller]
    pub(super) fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let Some(here) = self.announce(Kind::TrySend) else { return Err(TrySendError::Disconnected(value)) };
        let (has_receiver, messages) = with_ends(here, |ends| (ends.has_receiver, ends.messages));
        if !has_receiver {
            return Err(TrySendError::Disconnected(without(here, value)));
        }
        let has_room = match self.capacity {
            Some(0) => self.meets_receiver(here),
            capacity => capacity.is_none_or(|capacity| messages < capacity),
        };
        if !has_room {
            here.0.read_only();
            return Err(TrySendError::Full(value));
        }
        self.push(here, value, false);
        Ok(())
    }

    /// Has the receiver come first, and nobody met it yet? Then it has been met now.
    fn meets_receiver(&self, here: Here<'_>) -> bool {
        let waits = with_ends(here, |ends| std::mem::take(&mut ends.receiver_waits));
        if waits {
            here.0.acquire(here.1);
        }
        waits
    }

    fn push(&self, here: Here<'_>, value: T, is_offer: bool) -> u64 {
        let mut messages = self.messages();
        let number = messages.sent + 1;
        messages.sent = number;
        if let Some(capacity @ 1..) = self.capacity
            && number > capacity as u64
        {
            messages.use_room(here.0, number - capacity as u64);
        }
        let mut clock = messages.spare.pop().unwrap_or_default();
        here.0.send_clock(&mut clock);
        messages.queue.push_back(Message { value, number, clock, is_offer });
        with_ends(here, |ends| ends.messages += 1);
        number
    }

    /// Takes a message back, unless it has been received.
    fn withdraw(&self, here: Here<'_>, number: u64) -> Option<T> {
        let mut messages = self.messages();
        let place = messages.queue.iter().position(|message| message.number == number)?;
        let message = messages.queue.remove(place)?;
        with_ends(here, |ends| ends.messages -= 1);
        Some(message.value)
    }

    /// A message, if there is one.
    #[track_caller]
    pub(super) fn try_receive(&self) -> Result<T, TryRecvError> {
        let Some(here) = self.announce(Kind::TryReceive) else {
            return self.left_over().ok_or(TryRecvError::Disconnected);
        };
        if let Some(value) = self.pop(here) {
            return Ok(value);
        }
        match with_ends(here, |ends| ends.senders) {
            0 => Err(without(here, TryRecvError::Disconnected)),
            _ => {
                here.0.read_only();
                Err(TryRecvError::Empty)
            }
        }
    }

    /// Waits for a message, or for the end of the time, if it has one.
    #[track_caller]
    pub(super) fn receive(&self, timeout: Option<Duration>) -> Result<T, RecvTimeoutError> {
        let Some(execution) = self.tag.current(Carries::State) else {
            return self.left_over().ok_or(RecvTimeoutError::Disconnected);
        };
        if self.must_meet()
            && let Some(here) = self.announce(Kind::Offer)
        {
            if with_ends(here, |ends| ends.can_receive()) {
                return self.pop(here).ok_or_else(|| without(here, RecvTimeoutError::Disconnected));
            }
            with_ends(here, |ends| ends.receiver_waits = true);
            execution.release(here.1);
        }
        let ends = || Sync::Channel(Ends::new(self.capacity));
        let object = execution.object(&self.tag, Sort::Channel, Carries::State, ends);
        let here = (execution, object);
        let receive = Pending::here(Action::on(Kind::Receive, object)).or_timeout(timeout.is_some());
        let alternative = execution.visible(receive);
        with_ends(here, |ends| ends.receiver_waits = false);
        if let Some(value) = self.pop(here) {
            return Ok(value);
        }
        match (alternative, timeout) {
            (TIME_OUT, Some(timeout)) => {
                execution.time_passes(timeout);
                Err(RecvTimeoutError::Timeout)
            }
            _ => Err(without(here, RecvTimeoutError::Disconnected)),
        }
    }

    fn pop(&self, here: Here<'_>) -> Option<T> {
        let mut messages = self.messages();
        let Message { value, number, mut clock, is_offer } = messages.queue.pop_front()?;
        here.0.receive_clock(&clock);
        if is_offer || self.capacity.is_some_and(|capacity| capacity > 0) {
            here.0.send_clock(&mut clock);
            messages.room.push_back((number, clock));
        } else {
            messages.spare.push(clock);
        }
        with_ends(here, |ends| {
            ends.messages -= 1;
            ends.received += 1;
        });
        Some(value)
    }

    /// What is there when the run is over.
    fn left_over(&self) -> Option<T> {
        self.messages().queue.pop_front().map(|message| message.value)
    }

    /// Another sender. Nobody can tell when it came, as there is one already.
    pub(super) fn add_sender(&self) {
        if let Some(here) = self.in_its_run() {
            with_ends(here, |ends| ends.senders += 1);
        }
    }

    /// An end goes away.
    pub(super) fn disconnect(&self, end: End) {
        let Some(here) = self.in_its_run() else { return };
        {
            // Whatever becomes of this thread at its announcement, the end goes.
            let _gone = Gone { here, end };
            let kind = if end == End::Sender { Kind::Leave } else { Kind::Disconnect };
            // A destructor does not know where it is called from.
            here.0.visible(Pending::new(Action::on(kind, here.1), Site::Unknown));
        }
        if end == End::Receiver && !self.must_meet() {
            // Their destructors are the program's code, so they run when the queue is not locked any more.
            let unread = std::mem::take(&mut self.messages().queue);
            with_ends(here, |ends| ends.messages = 0);
            drop(unread);
        }
    }

    fn in_its_run<'e>(&self) -> Option<Here<'e>> {
        let execution = current()?;
        let run = execution.state.borrow().run;
        match self.tag.known(run) {
            Known::As(object) => Some((execution, object)),
            Known::New | Known::Before => None,
        }
    }
}

impl<T> Messages<T> {
    /// The running thread uses the room that the receive of this number made.
    fn use_room(&mut self, execution: &Execution, number: u64) {
        if let Some(place) = self.room.iter().position(|(receive, _)| *receive == number)
            && let Some((_, clock)) = self.room.remove(place)
        {
            execution.receive_clock(&clock);
            self.spare.push(clock);
        }
    }
}

/// The other end is gone: nothing was changed. Gives the value on.
fn without<V>((execution, object): Here<'_>, value: V) -> V {
    execution.acquire(object);
    execution.read_only();
    value
}

fn with_ends<R>((execution, object): Here<'_>, work: impl FnOnce(&mut Ends) -> R) -> R {
    execution.with_sync(object, |sync, _| match sync {
        Sync::Channel(ends) => work(ends),
        _ => unreachable!("a channel's number is that of a channel"),
    })
}

/// An end that goes.
struct Gone<'e> {
    here: Here<'e>,
    end: End,
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.here.0.release(self.here.1);
        with_ends(self.here, |ends| match self.end {
            End::Sender => ends.senders -= 1,
            End::Receiver => ends.has_receiver = false,
        });
    }
}
