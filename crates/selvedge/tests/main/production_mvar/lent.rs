//! `with` and `modify` of both variables, and the interruption points beside `MVar`'s, explored.

use super::MODELS;
use super::model::{MASKS, Mask};
use interrupt::Killed;
use selvedge::private::production::{self, interrupt};
use selvedge::sync::{Arc, MVar};
use selvedge::{Explorer, Outcome, thread};
use std::fmt::Debug;
use std::time::Duration;

/// Under each model, the body has exactly these outcomes.
#[track_caller]
fn check<T>(body: impl Fn() -> T + Copy + Send + Sync + 'static, expected: &[Outcome<T>])
where
    T: Ord + Clone + Debug + Send + 'static,
{
    for memory in MODELS {
        let report = Explorer::new().memory(memory).explore(body);
        assert!(report.is_complete());
        assert_eq!(report.outcomes().keys().cloned().collect::<Vec<_>>(), expected);
    }
}

#[track_caller]
fn check_values<T>(body: impl Fn() -> T + Copy + Send + Sync + 'static, expected: impl IntoIterator<Item = T>)
where
    T: Ord + Clone + Debug + Send + 'static,
{
    check(body, &expected.into_iter().map(Outcome::Returned).collect::<Vec<_>>());
}

/// The same tests for the controlled and the production variable.
macro_rules! lent {
    ($name:ident, $mvar:ty) => {
        mod $name {
            use super::*;

            #[test]
            fn increments_are_never_lost() {
                check_values(
                    || {
                        let mvar = Arc::new(<$mvar>::new(0));
                        let other = mvar.clone();
                        let thread = thread::spawn(move || other.with(|value| *value += 1));
                        let before = mvar.modify(|value| (value + 1, *value));
                        thread.join().unwrap();
                        (before, mvar.take())
                    },
                    [(0, 2), (1, 2)],
                );
            }

            #[test]
            fn a_value_goes_back_when_the_function_unwinds() {
                check_values(
                    || {
                        let mvar = Arc::new(<$mvar>::new(1));
                        let other = mvar.clone();
                        let thread = thread::spawn(move || -> () {
                            other.with(|value| {
                                *value += 1;
                                interrupt::throw("out")
                            })
                        });
                        let seen = mvar.read();
                        (seen, thread.join().is_err(), mvar.try_take())
                    },
                    [(1, true, Some(2)), (2, true, Some(2))],
                );
            }

            #[test]
            fn a_value_that_goes_back_waits_until_a_value_put_meanwhile_is_taken() {
                check(
                    || {
                        let mvar = Arc::new(<$mvar>::new(1));
                        let other = mvar.clone();
                        let thread = thread::spawn(move || other.with(|value| *value += 1));
                        let is_put = mvar.try_put(9).is_ok();
                        let seen = is_put.then(|| mvar.take());
                        thread.join().unwrap();
                        (seen, mvar.try_take())
                    },
                    &[Outcome::Returned((None, Some(2))), Outcome::Returned((Some(9), Some(2)))],
                );
            }
        }
    };
}

lent!(controlled, MVar<u32>);
lent!(in_production, production::MVar<u32>);

#[test]
fn an_interruption_does_not_lose_a_lent_value() {
    check_values(
        || {
            let mvar = Arc::new(production::MVar::new(1));
            let other = mvar.clone();
            let borrower = interrupt::spawn(move || {
                interrupt::catch::<Killed, _>(|| other.with(|value| other.put(*value + 10))).is_err()
            });
            let target = borrower.thread().clone();
            let killer = thread::spawn(move || interrupt::kill(&target));
            let taken = mvar.take();
            let is_interrupted = borrower.join().unwrap();
            killer.join().unwrap();
            (taken, mvar.try_take(), is_interrupted)
        },
        // The borrower is interrupted before its put. Or it puts 11; then the old value goes back,
        // uninterrupted.
        [(1, None, true), (11, Some(1), false)],
    );
}

/// In each masking state, can an exception interrupt a thread that executes `point` once?
#[track_caller]
fn check_interruption(point: fn(), expected: [&[bool]; 3]) {
    for (mask, expected) in MASKS.into_iter().zip(expected) {
        let body = move || {
            let thread = interrupt::spawn(move || {
                interrupt::catch::<Killed, _>(|| match mask {
                    Mask::Unmasked => point(),
                    Mask::Interruptible => interrupt::mask(|_| point()),
                    Mask::Uninterruptible => interrupt::uninterruptible_mask(|_| point()),
                })
                .is_err()
            });
            interrupt::kill(thread.thread());
            thread.join().unwrap()
        };
        check_values(body, expected.iter().copied());
    }
}

#[test]
fn a_point_interrupts_only_an_unmasked_thread() {
    check_interruption(interrupt::point, [&[false, true], &[false], &[false]]);
    check_interruption(interrupt::yield_now, [&[false, true], &[false], &[false]]);
}

#[test]
fn a_sleep_may_be_over_before_it_is_interrupted() {
    let sleep = || interrupt::sleep(Duration::from_secs(1));
    check_interruption(sleep, [&[false, true], &[false, true], &[false]]);
}

#[test]
fn a_park_without_a_token_waits_until_it_is_interrupted() {
    for masks in [false, true] {
        let body = move || {
            let park = move || if masks { interrupt::mask(|_| interrupt::park()) } else { interrupt::park() };
            let thread = interrupt::spawn(move || interrupt::catch::<Killed, _>(park).is_err());
            interrupt::kill(thread.thread());
            thread.join().unwrap()
        };
        check_values(body, [true]);
    }
}

#[test]
fn a_park_counts_as_a_wait_even_with_a_token() {
    let park = || {
        thread::current().unpark();
        interrupt::park();
    };
    check_interruption(park, [&[false, true], &[false, true], &[false]]);
}
