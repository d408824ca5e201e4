//! What of the atomics takes more than one action.

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
fn an_update_looks_again_if_somebody_came_between() {
    // How often the function was asked: once, or a second time after the other's store. What it refuses is not written.
    returns(
        || {
            let number = Arc::new(AtomicU32::new(0));
            let other = number.clone();
            let thread = thread::spawn(move || other.store(7, SeqCst));
            let mut asked = 0;
            let result = number.try_update(SeqCst, SeqCst, |value| {
                asked += 1;
                (value == 0).then_some(1)
            });
            thread.join().unwrap();
            (asked, result, number.load(SeqCst))
        },
        [(1, Ok(0), 7), (1, Err(7), 7), (2, Err(7), 7)],
    );
}
