//! Tasks: exact outcomes of explorations, with the reduction and without; and the law that Walker found broken.

#![cfg(feature = "check")]

use selvedge::interrupt::{self, Killed, Thrown};
use selvedge::sync::{Arc, MVar};
use selvedge::task::{self, Either};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, stm, thread};
use std::sync::Mutex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm(u32);

/// No more runs than these are made by brute force.
const MOST_RUNS: u64 = 2_000;

/// Explores under every model, by the reduction and, as far as that comes, without; all must agree. Returns the outcomes.
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
    let every = Explorer::new().strategy(Strategy::exhaustive()).max_executions(MOST_RUNS).explore(&body);
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

/// In a word, how a task ended.
fn word<T: std::fmt::Debug>(result: thread::Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(payload) => match payload.downcast::<Thrown>() {
            Ok(thrown) => format!("{thrown:?}"),
            Err(panic) => format!("panic {}", panic.downcast_ref::<&str>().unwrap()),
        },
    }
}

fn words<const N: usize>(words: [&str; N]) -> Vec<Outcome<String>> {
    returned(words.map(str::to_owned))
}

/// The same with the ends of the bodies as words.
#[track_caller]
fn ends<T: std::fmt::Debug>(body: impl Fn() -> T + Send + Sync) -> Vec<Outcome<String>> {
    outcomes(|| word(std::panic::catch_unwind(std::panic::AssertUnwindSafe(&body))))
}

#[test]
fn a_wait_returns_what_the_task_returns_and_throws_what_it_throws() {
    assert_eq!(ends(|| task::spawn(|| 1).wait()), words(["1"]));
    assert_eq!(ends(|| task::spawn(|| -> () { interrupt::throw(Alarm(1)) }).wait()), words(["Alarm(1)"]));
    assert_eq!(ends(|| task::spawn(|| -> () { panic!("oh") }).wait()), words(["panic oh"]));
    assert_eq!(outcomes(|| word(task::spawn(|| -> () { panic!("oh") }).join())), words(["panic oh"]));
}

#[test]
fn a_task_is_asked_without_waiting() {
    let body = || match task::spawn(|| 1).try_join() {
        Ok(result) => (true, result.unwrap()),
        Err(task) => (false, task.wait()),
    };
    assert_eq!(outcomes(body), returned([(false, 1), (true, 1)]));
}

#[test]
fn a_task_that_is_dropped_goes_on_and_its_panic_is_not_lost() {
    let body = || {
        let told = Arc::new(MVar::empty());
        let same = told.clone();
        drop(task::spawn(move || same.put(1)));
        told.take()
    };
    assert_eq!(outcomes(body), returned([1]));
    let report = selvedge::explore(|| {
        let told = Arc::new(MVar::empty());
        let same = told.clone();
        drop(task::spawn(move || {
            same.put(1);
            panic!("unheard");
        }));
        told.take();
    });
    let is_told =
        |outcome: &Outcome<()>| matches!(outcome, Outcome::Panicked(text) if text.contains("unheard"));
    assert!(report.outcomes().keys().any(is_told), "{report}");
}

#[test]
fn who_is_cancelled_has_ended_and_its_destructors_have_run() {
    let body = || {
        // std's own: the run has no step in a destructor, where nobody else could go first.
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
        let ended = word(task.join());
        (ended, log.lock().unwrap().clone())
    };
    assert_eq!(outcomes(body), returned([("Killed".to_owned(), vec!["dropped", "cancelled"])]));
}

#[test]
fn a_task_is_cancelled_before_it_begins_or_where_it_waits_or_too_late() {
    let body = || {
        let log = Arc::new(MVar::new(Vec::new()));
        let same = log.clone();
        let task = task::spawn(move || {
            same.with(|log| log.push("begun"));
            same.with(|log| log.push("done"));
            7
        });
        task.cancel();
        (word(task.join()), log.take())
    };
    let killed = |log: Vec<&'static str>| ("Killed".to_owned(), log);
    let done = ("7".to_owned(), vec!["begun", "done"]);
    assert_eq!(outcomes(body), returned([done, killed(vec![]), killed(vec!["begun"])]));
}

#[test]
fn no_exception_comes_between_the_end_of_the_function_and_what_is_told_of_it() {
    // The function has no interruption point of its own: it is not begun, or its value is there.
    let body = || {
        let task = task::spawn(|| 1);
        interrupt::throw_to(task.thread(), Alarm(2));
        word(task.join())
    };
    assert_eq!(outcomes(body), words(["1", "Alarm(2)"]));
}

#[test]
fn a_cancel_is_too_late_for_a_task_that_catches_it() {
    let body = || {
        let task = task::spawn(|| interrupt::catch::<Killed, _>(never).is_err());
        task.cancel();
        word(task.join())
    };
    assert_eq!(outcomes(body), words(["Killed", "true"]));
}

#[test]
fn a_race_is_won_by_either_and_the_loser_has_ended() {
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
fn who_never_ends_loses() {
    assert_eq!(outcomes(|| task::race(|| 1, never)), returned([Either::Left(1)]));
    assert_eq!(outcomes(|| task::race(never, || 2)), returned([Either::Right(2)]));
}

#[test]
fn the_failure_of_the_winner_goes_on() {
    assert_eq!(ends(|| task::race(|| interrupt::throw(Alarm(3)), never)), words(["Alarm(3)"]));
    assert_eq!(ends(|| task::race(never, || panic!("oh"))), words(["panic oh"]));
    assert_eq!(ends(|| task::race(|| interrupt::throw(Alarm(3)), || 1)), words(["Alarm(3)", "Right(1)"]));
}

#[test]
fn both_return_or_one_failure_goes_on_and_the_other_is_cancelled() {
    assert_eq!(outcomes(|| task::both(|| 1, || 2)), returned([(1, 2)]));
    assert_eq!(ends(|| task::both(|| interrupt::throw(Alarm(4)), never)), words(["Alarm(4)"]));
    assert_eq!(ends(|| task::both(never, || panic!("oh"))), words(["panic oh"]));
    assert_eq!(ends(|| task::both(|| 1, || interrupt::throw(Alarm(5)))), words(["Alarm(5)"]));
    assert_eq!(
        ends(|| task::both(|| interrupt::throw(Alarm(4)), || interrupt::throw(Alarm(5)))),
        words(["Alarm(4)", "Alarm(5)"])
    );
}

/// One that waits in a race, or for both, is interrupted, and both sides have ended when it is.
fn interrupted(wait: fn(Arc<MVar<Vec<u32>>>)) {
    let body = move || {
        let log = Arc::new(MVar::new(Vec::new()));
        let same = log.clone();
        let waiter = task::spawn(move || wait(same));
        waiter.cancel();
        let ended = word(waiter.join());
        (ended, log.take())
    };
    // Not begun; or both sides began, or one, or none, and what began was ended.
    let killed = |log: &[u32]| ("Killed".to_owned(), log.to_vec());
    let all = outcomes(body);
    let expected = [killed(&[]), killed(&[1]), killed(&[1, 2]), killed(&[2]), killed(&[2, 1])];
    assert_eq!(all, returned(expected));
}

/// Says when it is ended, with the log as it is then.
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
fn a_wait_for_two_that_is_interrupted_ends_both() {
    interrupted(|log| {
        task::race(until_killed(&log, 1), until_killed(&log, 2));
    });
    interrupted(|log| {
        task::both(until_killed(&log, 1), until_killed(&log, 2));
    });
}

#[test]
fn waits_are_put_together_by_transactions() {
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

/// Listing 61: the function is chosen by whoever comes first to the flag.
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

/// One after the other: Listing 59.
fn ap<A, B>(left: Side<A>, right: Side<B>) -> (A, B) {
    let left = left();
    (left, right())
}

fn concurrently<A: Send + 'static, B: Send + 'static>(left: Side<A>, right: Side<B>) -> (A, B) {
    task::both(left, right)
}

#[test]
fn both_at_once_is_not_one_after_the_other_where_they_interfere() {
    // Listing 62 prints "a" for the second, but by Listings 59 and 61, and the text, the first function is the only one to be seen.
    assert_eq!(outcomes(|| choose(concurrently)), returned(["", "a"]));
    assert_eq!(outcomes(|| choose(ap)), returned([""]));
}

/// Listing 63, for which Déjà Fu makes 30 schedules without bounds (Table 7).
#[test]
fn the_broken_law_is_found_in_two_runs() {
    let report = selvedge::explore(|| choose(concurrently) == choose(ap));
    assert!(report.is_complete(), "{report}");
    assert_eq!(report.values().collect::<Vec<_>>(), [&false, &true]);
    assert_eq!(report.executions(), 2, "{report}");
}

#[test]
fn both_at_once_is_one_after_the_other_where_they_do_not_interfere() {
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
