//! Channels without capacity, `sync_channel(0)`: sender and receiver meet.

use super::{check, returns};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, channel, sync_channel,
};
use selvedge::{Outcome, thread};
use std::time::Duration;

const SOON: Duration = Duration::from_millis(10);

#[test]
fn neither_end_goes_on_alone() {
    check(
        || {
            let (sender, _receiver) = sync_channel(0);
            sender.send(()).is_ok()
        },
        &[Outcome::Deadlock],
    );
    check(
        || {
            let (_sender, receiver) = sync_channel::<()>(0);
            receiver.recv().is_ok()
        },
        &[Outcome::Deadlock],
    );
}

/// Has the receiver arrived when the sender goes on?
fn has_receiver_arrived_after_send(room: usize) -> impl Fn() -> bool + Send + Sync {
    move || {
        let (sender, receiver) = sync_channel(room);
        let came = Arc::new(AtomicBool::new(false));
        let flag = came.clone();
        let thread = thread::spawn(move || {
            flag.store(true, SeqCst);
            receiver.recv().unwrap();
        });
        sender.send(()).unwrap();
        let seen = came.load(SeqCst);
        thread.join().unwrap();
        seen
    }
}

#[test]
fn the_sender_goes_on_after_the_receiver_has_arrived() {
    returns(has_receiver_arrived_after_send(0), [true]);
    returns(has_receiver_arrived_after_send(1), [false, true]);
}

#[test]
fn messages_of_two_senders_come_in_either_order_and_both_go_on() {
    returns(
        || {
            let (sender, receiver) = sync_channel(0);
            let other = sender.clone();
            let threads = [(sender, 1), (other, 2)]
                .map(|(sender, message)| thread::spawn(move || sender.send(message).is_ok()));
            let messages = [receiver.recv().unwrap(), receiver.recv().unwrap()];
            (messages, threads.map(|thread| thread.join().unwrap()))
        },
        [([1, 2], [true, true]), ([2, 1], [true, true])],
    );
}

#[test]
fn try_send_succeeds_only_if_the_receiver_waits() {
    // With a receiver at the other end: it waits already, or it does not yet, and then there is no later
    // send.
    returns(
        || {
            let (sender, receiver) = sync_channel(0);
            let thread = thread::spawn(move || receiver.recv().ok());
            let result = sender.try_send(1);
            assert!(matches!(result, Ok(()) | Err(TrySendError::Full(1))));
            drop(sender);
            (result.is_ok(), thread.join().unwrap())
        },
        [(false, None), (true, Some(1))],
    );
    // It is not enough that the receiver is about to arrive.
    returns(
        || {
            let (sender, receiver) = sync_channel(0);
            let (signal, signals) = channel();
            let thread = thread::spawn(move || {
                signal.send(()).unwrap();
                receiver.recv().ok()
            });
            signals.recv().unwrap();
            let is_sent = sender.try_send(1).is_ok();
            drop(sender);
            (is_sent, thread.join().unwrap())
        },
        [(false, None), (true, Some(1))],
    );
    returns(
        || {
            let (sender, receiver) = sync_channel(0);
            let with_idle_receiver = sender.try_send(1) == Err(TrySendError::Full(1));
            drop(receiver);
            (with_idle_receiver, sender.try_send(1) == Err(TrySendError::Disconnected(1)))
        },
        [(true, true)],
    );
}

#[test]
fn try_recv_succeeds_only_if_a_sender_waits() {
    returns(
        || {
            let (sender, receiver) = sync_channel(0);
            let thread = thread::spawn(move || sender.send(1).is_ok());
            let result = receiver.try_recv();
            drop(receiver);
            assert!(matches!(result, Ok(1) | Err(TryRecvError::Empty)));
            (result.ok(), thread.join().unwrap())
        },
        [(None, false), (Some(1), true)],
    );
}

#[test]
fn a_waiting_send_returns_its_message_when_the_receiver_is_dropped() {
    returns(
        || {
            let (sender, receiver) = sync_channel(0);
            let thread = thread::spawn(move || sender.send(1).unwrap_err().0);
            drop(receiver);
            thread.join().unwrap()
        },
        [1],
    );
}

#[test]
fn a_waiting_receiver_learns_that_the_senders_are_gone() {
    returns(
        || {
            let (sender, receiver) = sync_channel::<()>(0);
            let thread = thread::spawn(move || drop(sender));
            let result = receiver.recv().is_err();
            thread.join().unwrap();
            result
        },
        [true],
    );
}

/// The received message, and whether the send succeeded.
fn send_and_receive(
    send: fn(&SyncSender<u8>) -> bool,
    receive: fn(&Receiver<u8>) -> Option<u8>,
) -> impl Fn() -> (Option<u8>, bool) + Send + Sync {
    move || {
        let (sender, receiver) = sync_channel(0);
        let thread = thread::spawn(move || send(&sender));
        let received = receive(&receiver);
        drop(receiver);
        (received, thread.join().unwrap())
    }
}

#[test]
fn a_message_is_received_if_and_only_if_its_send_succeeded() {
    let receive_soon = |receiver: &Receiver<u8>| {
        let result = receiver.recv_timeout(SOON);
        assert!(matches!(result, Ok(1) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)));
        result.ok()
    };
    returns(
        send_and_receive(|sender| sender.send(1).is_ok(), receive_soon),
        [(None, false), (Some(1), true)],
    );
    returns(
        send_and_receive(|sender| sender.try_send(1).is_ok(), receive_soon),
        [(None, false), (Some(1), true)],
    );
    returns(
        send_and_receive(|sender| sender.send(1).is_ok(), |receiver| receiver.recv().ok()),
        [(Some(1), true)],
    );
}
