//! Channels in a build without the feature `check`: none belongs to a run.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

/// A channel that belongs to a run: there is none. Threads may share it as they may share the real one.
pub(super) struct Handle<T>(Infallible, PhantomData<Mutex<T>>);

/// An end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Sender,
    Receiver,
}

/// The calling thread is not a thread of a run.
#[inline(always)]
pub(super) fn in_run<T>(_capacity: Option<usize>) -> Option<Handle<T>> {
    None
}

/// Nothing to refuse.
#[inline(always)]
pub(super) fn refuse_in_run() {}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        match self.0 {}
    }
}

impl<T> Handle<T> {
    pub(super) fn send(&self, _value: T) -> Result<(), SendError<T>> {
        match self.0 {}
    }

    pub(super) fn try_send(&self, _value: T) -> Result<(), TrySendError<T>> {
        match self.0 {}
    }

    pub(super) fn try_receive(&self) -> Result<T, TryRecvError> {
        match self.0 {}
    }

    pub(super) fn receive(&self, _timeout: Option<Duration>) -> Result<T, RecvTimeoutError> {
        match self.0 {}
    }

    pub(super) fn add_sender(&self) {
        match self.0 {}
    }

    pub(super) fn disconnect(&self, _end: End) {
        match self.0 {}
    }
}
