//! The first test of the README: it fails, as two increments that are not atomic can overlap.

use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::thread;

#[selvedge::test]
#[should_panic = "left: 1"]
fn two_increments_make_two() {
    let counter = AtomicU32::new(0);
    let increment = || counter.store(counter.load(SeqCst) + 1, SeqCst);
    thread::scope(|scope| {
        scope.spawn(increment);
        increment();
    });
    assert_eq!(counter.load(SeqCst), 2);
}
