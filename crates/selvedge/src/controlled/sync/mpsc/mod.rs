//! As [`std::sync::mpsc`]. The error types are `std`'s own.
//!
//! A channel that is created inside an exploration belongs to its run (`queue`). A channel that is created
//! outside is `std`'s; inside an exploration a thread may send into it if it is unbounded, because the
//! result does not depend on other threads. All other uses of it end the run.
//!
//! Outside of explorations, with the feature `watch`, a recorded path shows that a thread sends or receives:
//! as a state without a change, before the message is sent and after it is received, so that the sender's
//! state comes first.

#[cfg(feature = "check")]
mod queue;
#[cfg(not(feature = "check"))]
#[path = "no_queue.rs"]
mod queue;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::watched;
use queue::{End, Handle};
use std::fmt;
use std::time::Duration;

/// As [`std::sync::mpsc::Sender`].
pub struct Sender<T>(Flavour<std::sync::mpsc::Sender<T>, T>);

/// As [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T>(Flavour<std::sync::mpsc::SyncSender<T>, T>);

/// As [`std::sync::mpsc::Receiver`].
pub struct Receiver<T>(Flavour<std::sync::mpsc::Receiver<T>, T>);

/// An end of a channel: `std`'s, or of a channel that belongs to a run.
enum Flavour<P, T> {
    Std(P),
    Controlled(Handle<T>),
}

/// As [`std::sync::mpsc::channel`].
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if let Some(queue) = queue::in_run(None) {
        return (Sender(Flavour::Controlled(queue.clone())), Receiver(Flavour::Controlled(queue)));
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    (Sender(Flavour::Std(sender)), Receiver(Flavour::Std(receiver)))
}

/// As [`std::sync::mpsc::sync_channel`].
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if let Some(queue) = queue::in_run(Some(bound)) {
        return (SyncSender(Flavour::Controlled(queue.clone())), Receiver(Flavour::Controlled(queue)));
    }
    let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
    (SyncSender(Flavour::Std(sender)), Receiver(Flavour::Std(receiver)))
}

/// The calling thread is about to send into a channel of `std`, which no thread of a run may wait for.
fn about_to_send<P>(end: &P) -> &P {
    queue::refuse_in_run();
    watched::step();
    end
}

/// The calling thread receives from a channel of `std`, which no thread of a run may wait for.
fn receive<P, T, E>(end: &P, receive: impl FnOnce(&P) -> Result<T, E>) -> Result<T, E> {
    queue::refuse_in_run();
    let received = receive(end);
    if received.is_ok() {
        watched::step();
    }
    received
}

impl<T> Sender<T> {
    /// Sends a message.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Flavour::Std(sender) => {
                watched::step();
                sender.send(t)
            }
            Flavour::Controlled(queue) => queue.send(t),
        }
    }
}

impl<T> SyncSender<T> {
    /// Sends a message. Waits until the buffer has a free slot.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Flavour::Std(sender) => about_to_send(sender).send(t),
            Flavour::Controlled(queue) => queue.send(t),
        }
    }

    /// Sends a message, if the buffer has a free slot or the receiver waits.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            Flavour::Std(sender) => about_to_send(sender).try_send(t),
            Flavour::Controlled(queue) => queue.try_send(t),
        }
    }
}

impl<T> Receiver<T> {
    /// Receives a message, if there is one.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            Flavour::Std(receiver) => receive(receiver, |end| end.try_recv()),
            Flavour::Controlled(queue) => queue.try_receive(),
        }
    }

    /// Waits for a message.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            Flavour::Std(receiver) => receive(receiver, |end| end.recv()),
            Flavour::Controlled(queue) => queue.receive(None).map_err(|_| RecvError),
        }
    }

    /// Waits for a message, with a timeout. Inside an exploration this may time out at any step at which
    /// there is no message.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            Flavour::Std(receiver) => receive(receiver, |end| end.recv_timeout(timeout)),
            Flavour::Controlled(queue) => queue.receive(Some(timeout)),
        }
    }

    /// An iterator that waits for messages, until all senders are disconnected.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { rx: self }
    }

    /// An iterator over the messages that are available without waiting.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { rx: self }
    }
}

impl<P: Clone, T> Flavour<P, T> {
    fn clone_sender(&self) -> Flavour<P, T> {
        match self {
            Flavour::Std(sender) => Flavour::Std(sender.clone()),
            Flavour::Controlled(queue) => {
                queue.add_sender();
                Flavour::Controlled(queue.clone())
            }
        }
    }
}

impl<P, T> Flavour<P, T> {
    #[track_caller]
    fn disconnect(&self, end: End) {
        if let Flavour::Controlled(queue) = self {
            queue.disconnect(end);
        }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender(self.0.clone_sender())
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> SyncSender<T> {
        SyncSender(self.0.clone_sender())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.disconnect(End::Sender);
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.0.disconnect(End::Sender);
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.disconnect(End::Receiver);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// As [`std::sync::mpsc::Iter`].
#[derive(Debug)]
pub struct Iter<'a, T: 'a> {
    rx: &'a Receiver<T>,
}

/// As [`std::sync::mpsc::TryIter`].
#[derive(Debug)]
pub struct TryIter<'a, T: 'a> {
    rx: &'a Receiver<T>,
}

/// As [`std::sync::mpsc::IntoIter`].
#[derive(Debug)]
pub struct IntoIter<T> {
    rx: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { rx: self }
    }
}
