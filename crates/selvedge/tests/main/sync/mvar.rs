//! `MVar`.

use super::{check, returns};
use selvedge::sync::{Arc, MVar};
use selvedge::{Outcome, thread};

#[test]
fn taking_from_an_empty_mvar_blocks_and_so_does_reading_it() {
    check(|| MVar::<()>::empty().take(), &[Outcome::Deadlock]);
    check(|| MVar::<()>::empty().read(), &[Outcome::Deadlock]);
}

#[test]
fn putting_into_a_full_mvar_blocks() {
    check(|| MVar::new(1).put(2), &[Outcome::Deadlock]);
}

#[test]
fn a_value_is_taken_once_and_read_often() {
    returns(
        || {
            let mvar = MVar::new(1);
            let values = [mvar.read(), mvar.read(), mvar.take()];
            (values, mvar.try_read(), mvar.try_take())
        },
        [([1, 1, 1], None, None)],
    );
}

#[test]
fn try_put_and_try_take_never_wait_and_a_failed_put_returns_the_value() {
    returns(
        || {
            let mvar = MVar::empty();
            (mvar.try_put(1), mvar.try_put(2), mvar.try_read(), mvar.try_take(), mvar.try_take())
        },
        [(Ok(()), Err(2), Some(1), Some(1), None)],
    );
}

#[test]
fn the_first_taker_gets_the_value_and_the_other_waits_for_ever() {
    check(
        || {
            let mvar = Arc::new(MVar::new(1));
            let other = mvar.clone();
            let thread = thread::spawn(move || other.take());
            let mine = mvar.take();
            (mine, thread.join().unwrap())
        },
        &[Outcome::Deadlock],
    );
    returns(
        || {
            let mvar = Arc::new(MVar::new(1));
            let other = mvar.clone();
            let thread = thread::spawn(move || other.try_take());
            let mine = mvar.try_take();
            (mine, thread.join().unwrap())
        },
        [(None, Some(1)), (Some(1), None)],
    );
}

#[test]
fn increments_by_take_and_put_are_never_lost() {
    returns(
        || {
            let mvar = Arc::new(MVar::new(0));
            let threads = [(); 2].map(|()| {
                let mvar = mvar.clone();
                thread::spawn(move || mvar.put(mvar.take() + 1))
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            mvar.take()
        },
        [2],
    );
}

#[test]
fn two_puts_come_in_either_order() {
    returns(
        || {
            let mvar = Arc::new(MVar::empty());
            for value in [1, 2] {
                let mvar = mvar.clone();
                thread::spawn(move || mvar.put(value));
            }
            (mvar.take(), mvar.take())
        },
        [(1, 2), (2, 1)],
    );
}

#[test]
fn a_reader_leaves_the_value_to_the_taker() {
    // The reader comes before the taker, or after it; then it waits for ever.
    check(
        || {
            let mvar = Arc::new(MVar::empty());
            let other = mvar.clone();
            let reader = thread::spawn(move || other.read());
            mvar.put(3);
            let taken = mvar.take();
            (taken, reader.join().unwrap())
        },
        &[Outcome::Returned((3, 3)), Outcome::Deadlock],
    );
}
