//! Channels with capacity: `channel` and `sync_channel(n)` for n > 0.

use super::{check, explore, returns};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use selvedge::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError, channel, sync_channel};
use selvedge::{Outcome, thread};
use std::time::Duration;

const SOON: Duration = Duration::from_millis(10);

#[test]
fn messages_of_one_sender_keep_their_order_and_messages_of_two_interleave() {
    returns(
        || {
            let (sender, receiver) = channel();
            let other = sender.clone();
            thread::spawn(move || [1, 2].map(|message| sender.send(message).unwrap()));
            thread::spawn(move || other.send(3).unwrap());
            receiver.into_iter().collect::<Vec<_>>()
        },
        [vec![1, 2, 3], vec![1, 3, 2], vec![3, 1, 2]],
    );
}

#[test]
fn a_receiver_waits_as_long_as_there_is_a_sender() {
    let waits = || {
        let (_sender, receiver) = channel::<()>();
        receiver.recv().is_ok()
    };
    check(waits, &[Outcome::Deadlock]);
    let goes_on = || {
        let (sender, receiver) = channel::<()>();
        let thread = thread::spawn(move || drop(sender));
        let result = receiver.recv().is_ok();
        thread.join().unwrap();
        result
    };
    returns(goes_on, [false]);
}

#[test]
fn a_sent_message_outlives_its_sender() {
    returns(
        || {
            let (sender, receiver) = channel();
            sender.send(1).unwrap();
            drop(sender);
            (
                receiver.recv().ok(),
                receiver.recv().is_err(),
                receiver.try_recv() == Err(TryRecvError::Disconnected),
            )
        },
        [(Some(1), true, true)],
    );
}

#[test]
fn a_send_without_a_receiver_returns_the_message() {
    returns(
        || {
            let (sender, receiver) = channel();
            let thread = thread::spawn(move || drop(receiver));
            let result = sender.send(7).map_err(|SendError(message)| message);
            thread.join().unwrap();
            (result, sender.send(8).is_err())
        },
        [(Ok(()), true), (Err(7), true)],
    );
}

#[test]
fn unreceived_messages_are_dropped_with_the_receiver() {
    struct Counted(Arc<AtomicU32>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    returns(
        || {
            let count = Arc::new(AtomicU32::new(0));
            let (sender, receiver) = channel();
            assert!(sender.send(Counted(count.clone())).is_ok());
            assert!(sender.send(Counted(count.clone())).is_ok());
            drop(receiver);
            count.load(SeqCst)
        },
        [2],
    );
}

#[test]
fn try_recv_never_waits() {
    returns(
        || {
            let (sender, receiver) = channel();
            let thread = thread::spawn(move || sender.send(1).unwrap());
            let result = receiver.try_recv();
            thread.join().unwrap();
            assert!(matches!(result, Ok(1) | Err(TryRecvError::Empty)));
            (result.ok(), receiver.try_iter().collect::<Vec<_>>())
        },
        [(None, vec![1]), (Some(1), vec![])],
    );
}

#[test]
fn waiting_for_a_message_can_time_out() {
    returns(
        || {
            let (sender, receiver) = channel();
            let thread = thread::spawn(move || sender.send(1).unwrap());
            let result = receiver.recv_timeout(SOON);
            thread.join().unwrap();
            assert!(matches!(result, Ok(1) | Err(RecvTimeoutError::Timeout)));
            result.ok()
        },
        [None, Some(1)],
    );
    // If there is a message, or no sender, the receiver does not time out.
    returns(
        || {
            let (sender, receiver) = channel();
            sender.send(1).unwrap();
            drop(sender);
            (
                receiver.recv_timeout(SOON).ok(),
                receiver.recv_timeout(SOON) == Err(RecvTimeoutError::Disconnected),
            )
        },
        [(Some(1), true)],
    );
}

#[test]
fn a_sender_waits_for_room() {
    let without_receive = || {
        let (sender, _receiver) = sync_channel(1);
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    };
    check(without_receive, &[Outcome::Deadlock]);
    // The second send comes after the receive that makes room for it; the first need not wait.
    returns(
        || {
            let (sender, receiver) = sync_channel(1);
            let received = Arc::new(AtomicBool::new(false));
            let flag = received.clone();
            let thread = thread::spawn(move || {
                sender.send(1).unwrap();
                let after_first = flag.load(SeqCst);
                sender.send(2).unwrap();
                (after_first, flag.load(SeqCst))
            });
            received.store(true, SeqCst);
            let messages = (receiver.recv().unwrap(), receiver.recv().unwrap());
            (messages, thread.join().unwrap())
        },
        [((1, 2), (false, true)), ((1, 2), (true, true))],
    );
}

#[test]
fn a_sender_that_waits_for_room_learns_that_the_receiver_is_gone() {
    returns(
        || {
            let (sender, receiver) = sync_channel(1);
            sender.send(1).unwrap();
            let thread = thread::spawn(move || drop(receiver));
            let result = sender.send(2).map_err(|SendError(message)| message);
            thread.join().unwrap();
            result
        },
        [Err(2)],
    );
}

#[test]
fn try_send_never_waits() {
    returns(
        || {
            let (sender, receiver) = sync_channel(1);
            let first = sender.try_send(1);
            let second = sender.try_send(2);
            drop(receiver);
            let third = sender.try_send(3);
            (first.is_ok(), second == Err(TrySendError::Full(2)), third == Err(TrySendError::Disconnected(3)))
        },
        [(true, true, true)],
    );
}

#[test]
fn a_channel_of_stopped_threads_blocks_no_thread() {
    // Deadlock with full and empty channels: all ends are dropped while their threads unwind.
    let report = explore(|| {
        let (sender, receiver) = sync_channel(1);
        let (back, answers) = channel::<u8>();
        let thread = thread::spawn(move || {
            let _back = back;
            (0..3).for_each(|message| sender.send(message).unwrap());
        });
        let _answer = answers.recv();
        drop((receiver, thread));
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Deadlock]);
    assert!(report.notes().is_empty());
}
