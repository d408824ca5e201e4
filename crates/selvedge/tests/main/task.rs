//! Tasks: exact outcomes of explorations, with and without the reduction; and the law that Walker found to
//! be broken.

#![cfg(feature = "check")]

use selvedge::interrupt::{self, Killed, Thrown};
use selvedge::sync::{Arc, MVar};
use selvedge::task::{self, Either};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, stm, thread};
use std::sync::Mutex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm(u32);

/// The limit on runs of the search without reduction.
const MAX_RUNS: u64 = 2_000;

/// Explores under every memory model, by the reduction and, up to the limit, without it; all must agree.
/// Returns the outcomes.
#[track_caller]
fn outcomes<T>(body: impl Fn() -> T + Send + Sync) -> Vec<Outcome<T>>
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    let explore = |memory| -> Report<T> {
        let report = Explorer::new().memory(memory).strategy(Strategy::systematic()).explore(&body);
        assert!(report.is_complete(), "{report}");
        report
    };
    let keys = |report: &Report<T>| report.outcomes().keys().cloned().collect::<Vec<_>>();
    let all = keys(&explore(MemoryModel::Sc));
    let every = Explorer::new().strategy(Strategy::exhaustive()).max_executions(MAX_RUNS).explore(&body);
    assert!(keys(&every).iter().all(|outcome| all.contains(outcome)), "{every}");
    if every.limit().is_none() {
        assert_eq!(keys(&every), all, "{every}");
    }
    for memory in [MemoryModel::Tso, MemoryModel::Pso] {
        assert_eq!(keys(&explore(memory)), all, "{memory:?}");
    }
    all
}

fn returned<T>(values: impl IntoIterator<Item = T>) -> Vec<Outcome<T>> {
    values.into_iter().map(Outcome::Returned).collect()
}

fn never() {
    MVar::<()>::empty().take();
}

/// The end of a task as a short text.
fn end_text<T: std::fmt::Debug>(result: thread::Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(payload) => match payload.downcast::<Thrown>() {
            Ok(thrown) => format!("{thrown:?}"),
            Err(panic) => format!("panic {}", panic.downcast_ref::<&str>().unwrap()),
        },
    }
}

fn returned_texts<const N: usize>(texts: [&str; N]) -> Vec<Outcome<String>> {
    returned(texts.map(str::to_owned))
}

/// The same for bodies that may panic or throw.
#[track_caller]
fn end_texts<T: std::fmt::Debug>(body: impl Fn() -> T + Send + Sync) -> Vec<Outcome<String>> {
    outcomes(|| end_text(std::panic::catch_unwind(std::panic::AssertUnwindSafe(&body))))
}

#[test]
fn a_wait_returns_what_the_task_returns_and_throws_what_it_throws() {
    assert_eq!(end_texts(|| task::spawn(|| 1).wait()), returned_texts(["1"]));
    assert_eq!(
        end_texts(|| task::spawn(|| -> () { interrupt::throw(Alarm(1)) }).wait()),
        returned_texts(["Alarm(1)"])
    );
    assert_eq!(end_texts(|| task::spawn(|| -> () { panic!("oh") }).wait()), returned_texts(["panic oh"]));
    assert_eq!(
        outcomes(|| end_text(task::spawn(|| -> () { panic!("oh") }).join())),
        returned_texts(["panic oh"])
    );
}

#[test]
fn try_join_does_not_wait() {
    let body = || match task::spawn(|| 1).try_join() {
        Ok(result) => (true, result.unwrap()),
        Err(task) => (false, task.wait()),
    };
    assert_eq!(outcomes(body), returned([(false, 1), (true, 1)]));
}

#[test]
fn a_dropped_task_goes_on_and_its_panic_is_an_outcome() {
    let body = || {
        let signal = Arc::new(MVar::empty());
        let same = signal.clone();
        drop(task::spawn(move || same.put(1)));
        signal.take()
    };
    assert_eq!(outcomes(body), returned([1]));
    let report = selvedge::explore(|| {
        let signal = Arc::new(MVar::empty());
        let same = signal.clone();
        drop(task::spawn(move || {
            same.put(1);
            panic!("unheard");
        }));
        signal.take();
    });
    let has_panic =
        |outcome: &Outcome<()>| matches!(outcome, Outcome::Panicked(text) if text.contains("unheard"));
    assert!(report.outcomes().keys().any(has_panic), "{report}");
}

#[test]
fn cancel_returns_after_the_task_has_ended_and_its_destructors_have_run() {
    let body = || {
        // A mutex of std: locking it in the destructor is no step of the run, so no other thread can come
        // between.
        let log = Arc::new(Mutex::new(Vec::new()));
        struct Last(Arc<Mutex<Vec<&'static str>>>);
        impl Drop for Last {
            fn drop(&mut self) {
                self.0.lock().unwrap().push("dropped");
            }
        }
        let last = Last(log.clone());
        let task = task::spawn(move || {
            let _last = last;
            never();
        });
        task.cancel();
        log.lock().unwrap().push("cancelled");
        let ended = end_text(task.join());
        (ended, log.lock().unwrap().clone())
    };
    assert_eq!(outcomes(body), returned([("Killed".to_owned(), vec!["dropped", "cancelled"])]));
}

#[test]
fn a_task_is_cancelled_before_it_begins_or_at_a_wait_or_after_its_end() {
    let body = || {
        let log = Arc::new(MVar::new(Vec::new()));
        let same = log.clone();
        let task = task::spawn(move || {
            same.with(|log| log.push("begun"));
            same.with(|log| log.push("done"));
            7
        });
        task.cancel();
        (end_text(task.join()), log.take())
    };
    let killed = |log: Vec<&'static str>| ("Killed".to_owned(), log);
    let done = ("7".to_owned(), vec!["begun", "done"]);
    assert_eq!(outcomes(body), returned([done, killed(vec![]), killed(vec!["begun"])]));
}

#[test]
fn no_exception_comes_between_the_end_of_the_function_and_its_result() {
    // The function has no interruption point of its own: it has not begun, or its value is there.
    let body = || {
        let task = task::spawn(|| 1);
        interrupt::throw_to(task.thread(), Alarm(2));
        end_text(task.join())
    };
    assert_eq!(outcomes(body), returned_texts(["1", "Alarm(2)"]));
}

#[test]
fn a_task_can_catch_its_cancellation() {
    let body = || {
        let task = task::spawn(|| interrupt::catch::<Killed, _>(never).is_err());
        task.cancel();
        end_text(task.join())
    };
    assert_eq!(outcomes(body), returned_texts(["Killed", "true"]));
}

#[test]
fn either_side_of_a_race_can_win_and_the_loser_has_ended() {
    let body = || {
        let ended = Arc::new(MVar::new(0));
        let runner = |ended: Arc<MVar<u32>>, number: u32| {
            move || {
                ended.with(|sum| *sum += number);
                number
            }
        };
        let winner = task::race(runner(ended.clone(), 1), runner(ended.clone(), 10));
        (winner, ended.take())
    };
    let (left, right) = (Either::Left(1), Either::Right(10));
    assert_eq!(outcomes(body), returned([(left, 1), (left, 11), (right, 10), (right, 11)]));
}

#[test]
fn a_side_that_never_ends_loses_the_race() {
    assert_eq!(outcomes(|| task::race(|| 1, never)), returned([Either::Left(1)]));
    assert_eq!(outcomes(|| task::race(never, || 2)), returned([Either::Right(2)]));
}

#[test]
fn a_failure_of_the_winner_is_rethrown() {
    assert_eq!(end_texts(|| task::race(|| interrupt::throw(Alarm(3)), never)), returned_texts(["Alarm(3)"]));
    assert_eq!(end_texts(|| task::race(never, || panic!("oh"))), returned_texts(["panic oh"]));
    assert_eq!(
        end_texts(|| task::race(|| interrupt::throw(Alarm(3)), || 1)),
        returned_texts(["Alarm(3)", "Right(1)"])
    );
}

#[test]
fn both_return_or_one_failure_is_rethrown_and_the_other_side_is_cancelled() {
    assert_eq!(outcomes(|| task::both(|| 1, || 2)), returned([(1, 2)]));
    assert_eq!(end_texts(|| task::both(|| interrupt::throw(Alarm(4)), never)), returned_texts(["Alarm(4)"]));
    assert_eq!(end_texts(|| task::both(never, || panic!("oh"))), returned_texts(["panic oh"]));
    assert_eq!(end_texts(|| task::both(|| 1, || interrupt::throw(Alarm(5)))), returned_texts(["Alarm(5)"]));
    assert_eq!(
        end_texts(|| task::both(|| interrupt::throw(Alarm(4)), || interrupt::throw(Alarm(5)))),
        returned_texts(["Alarm(4)", "Alarm(5)"])
    );
}

/// A thread that waits in `race` or `both` is interrupted. When it has ended, both sides have ended.
fn both_sides_end_when_interrupted(wait: fn(Arc<MVar<Vec<u32>>>)) {
    let body = move || {
        let log = Arc::new(MVar::new(Vec::new()));
        let same = log.clone();
        let waiter = task::spawn(move || wait(same));
        waiter.cancel();
        let ended = end_text(waiter.join());
        (ended, log.take())
    };
    // The waiter has not begun; or both sides, one side or no side began, and every side that began has
    // ended.
    let killed = |log: &[u32]| ("Killed".to_owned(), log.to_vec());
    let all = outcomes(body);
    let expected = [killed(&[]), killed(&[1]), killed(&[1, 2]), killed(&[2]), killed(&[2, 1])];
    assert_eq!(all, returned(expected));
}

/// Waits until it is killed, and then appends its number to the log.
fn until_killed(log: &Arc<MVar<Vec<u32>>>, number: u32) -> impl FnOnce() + Send + 'static {
    let log = log.clone();
    move || {
        interrupt::mask(|restore| {
            let killed = interrupt::catch::<Killed, _>(|| restore.run(never)).unwrap_err();
            interrupt::uninterruptible_mask(|_| log.with(|log| log.push(number)));
            interrupt::throw(killed)
        });
    }
}

#[test]
fn an_interrupted_race_or_both_ends_its_two_sides() {
    both_sides_end_when_interrupted(|log| {
        task::race(until_killed(&log, 1), until_killed(&log, 2));
    });
    both_sides_end_when_interrupted(|log| {
        task::both(until_killed(&log, 1), until_killed(&log, 2));
    });
}

#[test]
fn waits_for_tasks_compose_in_transactions() {
    let body = || {
        let tasks = [task::spawn(never), task::spawn(|| ())];
        let first = stm::atomically(|tx| {
            stm::or_else(tx, |tx| tasks[0].finished(tx).map(|()| 0), |tx| tasks[1].finished(tx).map(|()| 1))
        });
        tasks[0].cancel();
        first
    };
    assert_eq!(outcomes(body), returned([1]));
}

type Side<T> = Box<dyn FnOnce() -> T + Send>;
type Function = fn(u8) -> &'static str;

/// Listing 61: the order of the two sides decides which function is chosen.
fn choose(combine: fn(Side<Function>, Side<u8>) -> (Function, u8)) -> &'static str {
    let flag = Arc::new(MVar::empty());
    let same = flag.clone();
    let function = move || {
        let was_empty = flag.try_put(()).is_ok();
        let (f, g): (Function, Function) = (|_| "", |_| "a");
        if was_empty { f } else { g }
    };
    let argument = move || {
        let _ = same.try_put(());
        0
    };
    let (function, argument) = combine(Box::new(function), Box::new(argument));
    function(argument)
}

/// Sequential composition: Listing 59.
fn ap<A, B>(left: Side<A>, right: Side<B>) -> (A, B) {
    let left = left();
    (left, right())
}

fn concurrently<A: Send + 'static, B: Send + 'static>(left: Side<A>, right: Side<B>) -> (A, B) {
    task::both(left, right)
}

#[test]
fn concurrent_composition_differs_from_sequential_if_the_sides_interfere() {
    // Listing 62 prints "a" for the second, but by Listings 59 and 61, and the text, only the first function
    // can be chosen.
    assert_eq!(outcomes(|| choose(concurrently)), returned(["", "a"]));
    assert_eq!(outcomes(|| choose(ap)), returned([""]));
}

/// Listing 63, for which Déjà Fu makes 30 schedules without bounds (Table 7).
#[test]
fn the_violation_of_the_law_is_found_in_two_runs() {
    let report = selvedge::explore(|| choose(concurrently) == choose(ap));
    assert!(report.is_complete(), "{report}");
    assert_eq!(report.values().collect::<Vec<_>>(), [&false, &true]);
    assert_eq!(report.executions(), 2, "{report}");
}

#[test]
fn concurrent_composition_equals_sequential_if_the_sides_are_independent() {
    // Listing 60, for all functions from {0, 1} to {0, 1} and all arguments.
    type Combine = fn(Side<[u8; 2]>, Side<u8>) -> ([u8; 2], u8);
    for case in 0..8_u8 {
        let run = move |combine: Combine| {
            let table = [case & 1, case >> 1 & 1];
            let (function, argument) = combine(Box::new(move || table), Box::new(move || case >> 2));
            function[usize::from(argument)]
        };
        assert_eq!(outcomes(move || run(concurrently)), outcomes(move || run(ap)));
    }
}
