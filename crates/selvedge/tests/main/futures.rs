//! Futures on threads. Outcomes are worked out by hand.
#![cfg(feature = "check")]

use crate::common;

use common::{check, check_values};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Outcome, future, thread};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A value that arrives later, and the waker of the future that waits for it.
#[derive(Default)]
struct Slot {
    state: Mutex<(Option<u32>, Option<Waker>)>,
}

impl Slot {
    fn fill(&self, value: u32) {
        let waker = {
            let mut state = self.state.lock().unwrap();
            state.0 = Some(value);
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The value of a slot as a future. If `forgets_waker`, it does not register its waker.
struct SlotFuture {
    slot: Arc<Slot>,
    forgets_waker: bool,
}

impl Future for SlotFuture {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        let mut state = self.slot.state.lock().unwrap();
        if let Some(value) = state.0 {
            return Poll::Ready(value);
        }
        if !self.forgets_waker {
            state.1 = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

fn wait_for_another_thread(forgets_waker: bool) -> u32 {
    let slot = Arc::new(Slot::default());
    let filled = SlotFuture { slot: slot.clone(), forgets_waker };
    let other = thread::spawn(move || slot.fill(7));
    let value = future::block_on(filled);
    other.join().unwrap();
    value
}

#[test]
fn a_future_is_ready_whether_its_slot_is_filled_before_or_after_the_first_poll() {
    check_values(|| wait_for_another_thread(false), &[7]);
}

#[test]
fn a_future_that_forgets_its_waker_waits_for_ever_if_it_is_polled_first() {
    check(|| wait_for_another_thread(true), &[Outcome::Returned(7), Outcome::Deadlock]);
}

#[test]
fn spawned_futures_interleave_and_their_handles_are_futures() {
    // Two increments that are not atomic: an increment can be lost.
    check_values(
        || {
            let counter = Arc::new(AtomicU32::new(0));
            let increment = |counter: Arc<AtomicU32>| async move {
                counter.store(counter.load(SeqCst) + 1, SeqCst);
            };
            let other = future::spawn(increment(counter.clone()));
            future::block_on(async {
                increment(counter.clone()).await;
                other.await.unwrap();
            });
            counter.load(SeqCst)
        },
        &[1, 2],
    );
}

#[test]
fn a_panic_of_a_spawned_future_is_an_error() {
    check_values(
        || {
            let joined = future::spawn(async { panic!("oh") }).join().is_err();
            let awaited = future::block_on(future::spawn(async { panic!("oh") })).is_err();
            (joined, awaited)
        },
        &[(true, true)],
    );
}

/// Is ready at its second poll. The first poll parks the thread, which consumes the token.
struct ParkingFuture {
    was_polled: bool,
}

impl Future for ParkingFuture {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.was_polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        thread::park();
        Poll::Pending
    }
}

#[test]
fn a_future_that_consumes_the_park_token_does_not_lose_its_wake_up() {
    check_values(|| future::block_on(ParkingFuture { was_polled: false }), &[()]);
    future::block_on(ParkingFuture { was_polled: false });
}

#[test]
fn outside_of_explorations_futures_run_on_real_threads() {
    for _ in 0..200 {
        assert_eq!(wait_for_another_thread(false), 7);
        let three = future::spawn(async { 3 });
        assert_eq!(
            future::block_on(async { three.await.unwrap() + future::spawn(async { 4 }).await.unwrap() }),
            7
        );
    }
    let handle = future::spawn(async { std::thread::current().id() });
    assert_ne!(handle.join().unwrap(), std::thread::current().id());
}
