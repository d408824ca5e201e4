//! Exceptions inside of explorations: exact outcomes, and Figure 7 of Walker's thesis rule by rule.

#![cfg(feature = "check")]

use selvedge::interrupt::{self, Killed, Masking};
use selvedge::sync::{Arc, MVar, Mutex};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, thread};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm(u32);

/// Explores exhaustively, and by the reduction under every memory model; all must agree. Returns the
/// outcomes.
#[track_caller]
fn outcomes<T>(body: impl Fn() -> T + Send + Sync) -> Vec<Outcome<T>>
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    let explore = |memory, strategy| -> Report<T> {
        let report = Explorer::new().memory(memory).strategy(strategy).explore(&body);
        assert!(report.is_complete(), "{report}");
        report
    };
    let keys = |report: &Report<T>| report.outcomes().keys().cloned().collect::<Vec<_>>();
    let all = keys(&explore(MemoryModel::Sc, Strategy::exhaustive()));
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let report = explore(memory, Strategy::systematic());
        assert_eq!(keys(&report), all, "{memory:?}: {report}");
    }
    all
}

fn returned<T>(values: impl IntoIterator<Item = T>) -> Vec<Outcome<T>> {
    values.into_iter().map(Outcome::Returned).collect()
}

#[test]
fn a_throw_unwinds_to_the_nearest_handler_of_its_type() {
    let body = || {
        interrupt::catch::<Alarm, _>(|| {
            interrupt::catch::<Killed, _>(|| interrupt::throw(Alarm(1))).unwrap_or(());
        })
        .map_err(|alarm| alarm.0)
    };
    assert_eq!(outcomes(body), returned([Err(1)]));
}

#[test]
fn an_uncaught_throw_ends_the_run_as_interrupted() {
    assert_eq!(outcomes(|| interrupt::throw(Alarm(2))), [Outcome::<()>::Interrupted("Alarm(2)".to_owned())]);
}

#[test]
fn a_waiting_thread_is_interrupted() {
    let body = || {
        let variable = MVar::<u32>::empty();
        let waiter =
            thread::spawn(move || interrupt::catch::<Alarm, _>(|| variable.take()).map_err(|alarm| alarm.0));
        interrupt::throw_to(waiter.thread(), Alarm(3));
        waiter.join().unwrap()
    };
    assert_eq!(outcomes(body), returned([Err(3)]));
}

#[test]
fn an_exception_arrives_before_or_after_the_operation_at_an_interruption_point() {
    let body = || {
        let variable = Arc::new(MVar::empty());
        let same = variable.clone();
        let other = thread::spawn(move || {
            let _ = interrupt::catch::<Killed, _>(|| same.put(1));
        });
        interrupt::kill(other.thread());
        other.join().unwrap();
        variable.try_take()
    };
    assert_eq!(outcomes(body), returned([None, Some(1)]));
}

#[test]
fn a_value_put_while_its_taker_is_interrupted_stays() {
    let body = || {
        let variable = Arc::new(MVar::empty());
        let same = variable.clone();
        let taker = thread::spawn(move || interrupt::catch::<Killed, _>(|| same.take()).ok());
        let same = variable.clone();
        let putter = thread::spawn(move || same.put(1));
        interrupt::kill(taker.thread());
        putter.join().unwrap();
        (taker.join().unwrap(), variable.try_take())
    };
    assert_eq!(outcomes(body), returned([(None, Some(1)), (Some(1), None)]));
}

#[test]
fn a_lent_value_is_put_back_when_its_borrower_is_interrupted() {
    let body = || {
        let variable = Arc::new(MVar::new(1));
        let same = variable.clone();
        let borrower = thread::spawn(move || {
            let _ = interrupt::catch::<Killed, _>(|| {
                same.with(|value| {
                    *value += 1;
                    interrupt::point();
                    *value += 1;
                });
            });
        });
        interrupt::kill(borrower.thread());
        borrower.join().unwrap();
        variable.try_take()
    };
    assert_eq!(outcomes(body), returned([Some(1), Some(2), Some(3)]));
}

#[test]
fn a_masked_thread_is_interrupted_only_while_it_waits() {
    let body = || {
        let (one, other) = (MVar::new(1), MVar::<u32>::empty());
        let masked = thread::spawn(move || {
            interrupt::mask(|_| {
                let first = interrupt::catch::<Killed, _>(|| one.take()).ok();
                (first, interrupt::catch::<Killed, _>(|| other.take()).ok())
            })
        });
        thread::sleep(std::time::Duration::from_millis(1));
        interrupt::kill(masked.thread());
        masked.join().unwrap()
    };
    // Before the mask, the thread reaches no interruption point.
    assert_eq!(outcomes(body), returned([(Some(1), None)]));
}

#[test]
fn a_masked_thread_may_be_interrupted_while_it_waits_and_not_once_it_can_proceed() {
    let body = || {
        let variable = Arc::new(MVar::empty());
        let same = variable.clone();
        let taker =
            thread::spawn(move || interrupt::mask(|_| interrupt::catch::<Killed, _>(|| same.take()).ok()));
        let same = variable.clone();
        let putter = thread::spawn(move || same.put(1));
        interrupt::kill(taker.thread());
        putter.join().unwrap();
        (taker.join().unwrap(), variable.try_take())
    };
    assert_eq!(outcomes(body), returned([(None, Some(1)), (Some(1), None)]));
}

#[test]
fn an_uninterruptible_thread_is_not_interrupted_and_the_throwing_thread_waits() {
    let body = || {
        let (go, done) = (Arc::new(MVar::<()>::empty()), Arc::new(MVar::empty()));
        let (one, other) = (go.clone(), done.clone());
        let thread = thread::spawn(move || {
            interrupt::uninterruptible_mask(|restore| {
                one.take();
                other.put(());
                interrupt::catch::<Killed, _>(|| restore.run(interrupt::point)).is_err()
            })
        });
        let putter = thread::spawn(move || go.put(()));
        interrupt::kill(thread.thread());
        let was_done = done.try_take().is_some();
        putter.join().unwrap();
        (was_done, thread.join().unwrap())
    };
    assert_eq!(outcomes(body), returned([(true, false), (true, true)]));
}

#[test]
fn two_threads_that_throw_to_each_other_do_not_deadlock() {
    let body = || {
        let handle = Arc::new(MVar::<thread::Thread>::empty());
        let same = handle.clone();
        let one = thread::spawn(move || {
            let other = same.take();
            interrupt::catch::<Killed, _>(|| interrupt::kill(&other)).is_err()
        });
        let first = one.thread().clone();
        let other = thread::spawn(move || interrupt::catch::<Killed, _>(|| interrupt::kill(&first)).is_err());
        handle.put(other.thread().clone());
        (one.join().is_ok_and(|was| was), other.join().is_ok_and(|was| was))
    };
    let all = outcomes(body);
    assert!(all.contains(&Outcome::Returned((true, false))), "{all:?}");
    assert!(all.contains(&Outcome::Returned((false, true))), "{all:?}");
    assert!(!all.contains(&Outcome::Deadlock), "{all:?}");
}

#[test]
fn a_killed_thread_is_an_error_at_its_join_and_no_outcome_without_a_join() {
    let joined = || {
        let thread = interrupt::spawn(|| MVar::<()>::empty().take());
        interrupt::kill(thread.thread());
        thread.join().unwrap_err().downcast::<interrupt::Thrown>().unwrap().is::<Killed>()
    };
    assert_eq!(outcomes(joined), returned([true]));
    let unjoined = || {
        let thread = interrupt::spawn(|| MVar::<()>::empty().take());
        interrupt::kill(thread.thread());
    };
    assert_eq!(outcomes(unjoined), returned([()]));
    let thrown = || {
        let thread = interrupt::spawn(|| MVar::<()>::empty().take());
        interrupt::throw_to(thread.thread(), Alarm(4));
        while !thread.is_finished() {
            thread::yield_now();
        }
    };
    assert_eq!(outcomes(thrown), [Outcome::Interrupted("Alarm(4)".to_owned())]);
}

#[test]
fn a_thread_of_interrupt_spawn_inherits_the_masking_state_and_a_thread_of_std_begins_unmasked() {
    let body = || {
        interrupt::mask(|restore| {
            let inherits = interrupt::spawn(interrupt::masking_state).join().unwrap();
            let begins = thread::spawn(interrupt::masking_state).join().unwrap();
            let unmasks = interrupt::spawn_with_unmask(|unmask| unmask.run(interrupt::masking_state));
            let restored = restore.run(interrupt::masking_state);
            [inherits, begins, unmasks.join().unwrap(), restored, interrupt::masking_state()]
        })
        .map(|masking| masking == Masking::Interruptible)
    };
    assert_eq!(outcomes(body), returned([[true, false, false, false, true]]));
}

#[test]
fn guards_are_released_while_an_exception_unwinds() {
    let body = || {
        let lock = Arc::new(Mutex::new(0));
        let same = lock.clone();
        let holder = thread::spawn(move || {
            let _guard = same.lock();
            interrupt::park();
        });
        interrupt::kill(holder.thread());
        let was_killed = holder.join().is_err();
        (was_killed, lock.is_poisoned())
    };
    let report = selvedge::explore(body);
    let all: Vec<_> = report.outcomes().keys().cloned().collect();
    assert_eq!(all, returned([(true, true)]), "{report}");
}
