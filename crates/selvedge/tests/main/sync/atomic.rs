//! Operations of the atomics that take more than one action.

use super::returns;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::thread;

#[test]
fn an_update_by_a_function_is_never_lost() {
    returns(
        || {
            let number = Arc::new(AtomicU32::new(1));
            let other = number.clone();
            let thread = thread::spawn(move || other.update(SeqCst, SeqCst, |value| value * 10));
            let mine = number.update(SeqCst, SeqCst, |value| value + 1);
            (mine, thread.join().unwrap(), number.load(SeqCst))
        },
        [(1, 2, 20), (10, 1, 11)],
    );
}

#[test]
fn an_update_calls_its_function_again_after_a_store_in_between() {
    // The number of calls of the function: one, or a second after the other thread's store. A refused value
    // is not written.
    returns(
        || {
            let number = Arc::new(AtomicU32::new(0));
            let other = number.clone();
            let thread = thread::spawn(move || other.store(7, SeqCst));
            let mut calls = 0;
            let result = number.try_update(SeqCst, SeqCst, |value| {
                calls += 1;
                (value == 0).then_some(1)
            });
            thread.join().unwrap();
            (calls, result, number.load(SeqCst))
        },
        [(1, Ok(0), 7), (1, Err(7), 7), (2, Err(7), 7)],
    );
}
