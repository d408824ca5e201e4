//! Loops with a timed wait or a sleep: they may time out again and again, so there are runs of any length.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::mpsc::{self, RecvTimeoutError};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Bounds, Explorer, Limit, MemoryModel, Outcome, Report, Strategy, contained, thread};
use std::collections::BTreeSet;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_millis(10);

/// Waits for a flag behind a lock. Returns the number of timeouts, at most 3.
fn wait() -> usize {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let (mut is_set, mut late) = (pair.0.lock().unwrap(), 0);
    while !*is_set {
        let (guard, result) = pair.1.wait_timeout(is_set, TIMEOUT).unwrap();
        is_set = guard;
        late += usize::from(result.timed_out());
    }
    drop(is_set);
    setter.join().unwrap();
    late.min(3)
}

/// Polls an atomic flag, with a pause in between. Returns the number of loads that saw it unset, at most 3.
fn poll_with_pause(pause: fn()) -> usize {
    let is_set = Arc::new(AtomicBool::new(false));
    let (other, waiter) = (is_set.clone(), thread::current());
    let setter = thread::spawn(move || {
        other.store(true, SeqCst);
        waiter.unpark();
    });
    let mut polls = 0;
    while !is_set.load(SeqCst) {
        polls += 1;
        pause();
    }
    setter.join().unwrap();
    polls.min(3)
}

fn park() -> usize {
    poll_with_pause(|| thread::park_timeout(TIMEOUT))
}

fn sleep() -> usize {
    poll_with_pause(|| thread::sleep(TIMEOUT))
}

const BODIES: [fn() -> usize; 3] = [wait, park, sleep];

/// All runs with at most two pre-emptions.
fn bounded() -> Strategy {
    Strategy::systematic().bounded(Bounds { preemptions: Some(2), ..Bounds::NONE })
}

fn values(report: &Report<usize>) -> Vec<usize> {
    assert!(report.outcomes().keys().all(Outcome::is_returned), "{report}");
    report.values().copied().collect()
}

fn has_note(report: &Report<impl Ord>, text: &str) -> bool {
    report.notes().iter().any(|note| note.contains(text))
}

#[test]
fn random_runs_end_and_time_out_any_number_of_times() {
    let (seed, runs) = (1, 1000);
    let strategies = || {
        [
            Strategy::random(seed, runs),
            Strategy::pct(3, seed, runs),
            Strategy::swarm(seed, runs),
            Strategy::pos(seed, runs),
        ]
    };
    for body in [wait, park] {
        for strategy in strategies() {
            let name = strategy.to_string();
            let report = Explorer::new().strategy(strategy).explore(body);
            assert_eq!(values(&report), [0, 1, 2, 3], "by {name}");
        }
    }
}

#[test]
fn a_bound_on_yields_makes_the_set_of_runs_finite() {
    for (yields, expected) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0, 1, 2])] {
        let bounds = Bounds { yields: Some(yields), ..Bounds::NONE };
        let report = Explorer::new().strategy(Strategy::systematic().bounded(bounds)).explore(wait);
        assert_eq!((values(&report), report.is_complete()), (expected, false));
        assert!(report.notes().is_empty(), "{report}");
    }
}

#[test]
fn timed_loops_are_explored_by_deepening_and_never_complete() {
    for body in BODIES {
        for strategy in [Strategy::systematic, bounded] {
            let report = Explorer::new().strategy(strategy()).explore(body);
            assert_eq!((values(&report), report.limit()), (vec![0, 1, 2, 3], None), "{report}");
            assert!(
                !report.is_complete() && has_note(&report, "more than 100 times at one place"),
                "{report}"
            );
        }
    }
}

#[test]
fn a_run_limit_ends_the_deepening_and_the_unfinished_bound_is_not_noted() {
    for body in BODIES {
        for strategy in [Strategy::systematic, bounded, Strategy::exhaustive] {
            let report = Explorer::new().strategy(strategy()).max_executions(500).explore(body);
            assert_eq!((values(&report), report.executions() <= 500), (vec![0, 1, 2, 3], true), "{report}");
            let has_last_note = has_note(&report, "100 times at one place");
            assert_eq!(has_last_note, report.limit().is_none(), "{report}");
            assert!(has_note(&report, "at one place"), "{report}");
        }
    }
}

#[test]
fn several_workers_find_the_same_outcomes_as_one() {
    for body in BODIES {
        let one = Explorer::new().max_executions(10_000).explore(body);
        let two = Explorer::new().workers(2).max_executions(10_000).explore(body);
        assert_eq!((values(&two), two.limit(), two.notes()), (values(&one), None, one.notes()));
    }
}

/// Two threads wait in loops: there are too many runs to explore all, even of the fourth unroll bound.
fn two_waiting_loops() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let wait = |pair: Arc<(Mutex<bool>, Condvar)>| {
        let mut is_set = pair.0.lock().unwrap();
        while !*is_set {
            is_set = pair.1.wait_timeout(is_set, TIMEOUT).unwrap().0;
        }
    };
    let waiters = [pair.clone(), pair.clone()].map(|pair| thread::spawn(move || wait(pair)));
    *pair.0.lock().unwrap() = true;
    pair.1.notify_all();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}

#[test]
fn a_failure_at_a_small_unroll_bound_is_found_beside_waiting_threads() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        thread::spawn(move || other.store(true, SeqCst));
        // A depth-first search would explore this failure last.
        assert!(!is_set.load(SeqCst));
        two_waiting_loops();
    };
    for strategy in [Strategy::systematic, bounded] {
        let report = Explorer::new().strategy(strategy()).max_executions(5_000).explore(body);
        assert_eq!(report.limit(), Some(Limit::Executions), "{report}");
        assert!(report.outcomes().keys().any(|outcome| matches!(outcome, Outcome::Panicked(_))), "{report}");
    }
}

/// The timeouts of two threads that wait for each other: one for the first flag, and the other for the
/// second, which is set after the first.
fn timeouts_of_two_dependent_waits() -> Vec<usize> {
    let flags = Arc::new((Mutex::new(0), Condvar::new()));
    let wait = |flags: &(Mutex<usize>, Condvar), value| {
        let (mut flag, mut late) = (flags.0.lock().unwrap(), 0);
        while *flag < value {
            let (guard, result) = flags.1.wait_timeout(flag, TIMEOUT).unwrap();
            (flag, late) = (guard, late + usize::from(result.timed_out()));
        }
        late
    };
    let other = flags.clone();
    let second = thread::spawn(move || {
        let late = wait(&other, 1);
        *other.0.lock().unwrap() = 2;
        late
    });
    *flags.0.lock().unwrap() = 1;
    flags.1.notify_one();
    vec![wait(&flags, 2), second.join().unwrap()]
}

/// The timeouts of a receiver before each message, and before it learns that there are no more.
fn timeouts_of_a_receiver() -> Vec<usize> {
    let (sender, receiver) = mpsc::channel();
    let sends = thread::spawn(move || (0..2).for_each(|_| sender.send(()).unwrap()));
    let mut late = vec![0];
    loop {
        match receiver.recv_timeout(TIMEOUT) {
            Ok(()) => late.push(0),
            Err(RecvTimeoutError::Timeout) => *late.last_mut().unwrap() += 1,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    sends.join().unwrap();
    late
}

/// The outcomes in which no thread timed out more often than this, in total.
fn outcomes_within(
    strategy: Strategy,
    body: fn() -> Vec<usize>,
    is_one_thread: bool,
    max_timeouts: usize,
) -> BTreeSet<Vec<usize>> {
    let report = Explorer::new().strategy(strategy).max_executions(60_000).explore(body);
    assert!(report.outcomes().keys().all(Outcome::is_returned), "{report}");
    let explored =
        (1..=100).filter(|explored| has_note(&report, &format!("more than {explored} times"))).max();
    assert!(
        explored >= Some(max_timeouts) || max_timeouts == 1 && has_note(&report, "more than once"),
        "{report}"
    );
    let is_within = |late: &&Vec<usize>| {
        let most_of_one =
            if is_one_thread { late.iter().sum() } else { late.iter().copied().max().unwrap_or(0) };
        most_of_one <= max_timeouts
    };
    report.values().filter(is_within).cloned().collect()
}

#[test]
fn at_each_unroll_bound_the_reduction_finds_what_exhaustive_search_finds() {
    for (body, is_one_thread, max_timeouts, count) in [
        (timeouts_of_two_dependent_waits as fn() -> Vec<usize>, false, 1, 4),
        (timeouts_of_a_receiver, true, 3, 20),
    ] {
        let reduced = outcomes_within(Strategy::systematic(), body, is_one_thread, max_timeouts);
        assert_eq!(reduced, outcomes_within(Strategy::exhaustive(), body, is_one_thread, max_timeouts));
        assert_eq!(reduced.len(), count, "{reduced:?}");
    }
}

#[test]
fn a_bounded_loop_is_explored_completely() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        let setter = thread::spawn(move || other.store(true, SeqCst));
        let polls = (0..5).take_while(|_| !is_set.load(SeqCst)).inspect(|_| thread::park_timeout(TIMEOUT));
        let polls = polls.count();
        setter.join().unwrap();
        polls
    };
    let report = Explorer::new().explore(body);
    assert!(report.is_complete() && report.notes().is_empty(), "{report}");
    assert_eq!((values(&report), report.executions()), (vec![0, 1, 2, 3, 4, 5], 6));
}

#[test]
fn a_bounded_loop_of_many_iterations_runs_to_its_end() {
    let body = || (0..200).inspect(|_| thread::sleep(TIMEOUT)).count();
    let report = Explorer::new().explore(body);
    assert_eq!((values(&report), report.is_complete()), (vec![200], false), "{report}");
}

/// If the flag is set too early, it is lost, and the loop never ends.
fn may_wait_for_ever() {
    let (flag, is_lost) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (other, lost) = (flag.clone(), is_lost.clone());
    let setter = thread::spawn(move || other.store(!lost.load(SeqCst), SeqCst));
    is_lost.store(true, SeqCst);
    while !flag.load(SeqCst) {
        thread::park_timeout(TIMEOUT);
    }
    setter.join().unwrap();
}

#[test]
fn a_loop_that_never_ends_reaches_the_step_limit() {
    for strategy in [Strategy::systematic, bounded] {
        let explorer = Explorer::new().strategy(strategy()).max_steps(1000);
        let report = explorer.explore(may_wait_for_ever);
        let outcomes: Vec<&Outcome<()>> = report.outcomes().keys().collect();
        assert_eq!(outcomes, [&Outcome::Returned(()), &Outcome::StepLimit], "{report}");
    }
    let for_ever = || (0..usize::MAX).for_each(|_| thread::park_timeout(TIMEOUT));
    let report = Explorer::new().max_steps(1000).explore(for_ever);
    assert!(report.outcomes().keys().eq([&Outcome::StepLimit]), "{report}");
}

#[test]
fn a_thread_blocked_by_the_bound_does_not_end_a_contained_part() {
    let body = || contained(|| assert!(wait() < 4));
    let report = Explorer::new().max_executions(1000).explore(body);
    assert!(report.outcomes().keys().eq([&Outcome::Returned(Outcome::Returned(()))]), "{report}");
}

#[test]
fn a_long_run_of_one_thread_is_not_compared_with_all_its_earlier_steps() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        let _setter = thread::spawn(move || other.store(true, SeqCst));
        while !is_set.load(SeqCst) {}
    };
    let bounds = Bounds { preemptions: Some(0), ..Bounds::NONE };
    // A comparison of each step with all earlier steps would take billions of comparisons.
    let explorer = Explorer::new().strategy(Strategy::systematic().bounded(bounds)).max_executions(3);
    let report = explorer.max_steps(200_000).explore(body);
    assert!(report.outcomes().contains_key(&Outcome::StepLimit), "{report}");
}

/// Polls a flag behind a lock, and yields in between.
fn poll() -> usize {
    let flag = Arc::new(Mutex::new(false));
    let other = flag.clone();
    let setter = thread::spawn(move || *other.lock().unwrap() = true);
    let polls = (0..).find(|_| {
        let is_set = *flag.lock().unwrap();
        if !is_set {
            thread::yield_now();
        }
        is_set
    });
    setter.join().unwrap();
    polls.map_or(0, |polls| polls.min(3))
}

#[test]
fn yielding_loops_that_do_more_than_read_are_explored_by_deepening_too() {
    let report = Explorer::new().explore(poll);
    assert_eq!((values(&report), report.is_complete()), (vec![0, 1, 2, 3], false), "{report}");
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        thread::spawn(move || other.store(true, SeqCst));
        let seen = is_set.load(SeqCst);
        poll();
        assert!(!seen);
    };
    let report = Explorer::new().stop_at_failure(true).explore(body);
    assert!(report.outcomes().keys().any(|outcome| matches!(outcome, Outcome::Panicked(_))), "{report}");
    assert!(report.executions() < 1000, "{report}");
}

#[test]
fn loops_that_only_read_are_explored_completely() {
    let body = || {
        let (turn, seen) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (other, its) = (turn.clone(), seen.clone());
        let counter = thread::spawn(move || {
            for round in 0..80 {
                while its.load(SeqCst) < round {
                    thread::yield_now();
                }
                other.store(round + 1, SeqCst);
            }
        });
        for round in 0..80 {
            while turn.load(SeqCst) <= round {
                thread::yield_now();
            }
            seen.store(round + 1, SeqCst);
        }
        counter.join().unwrap();
    };
    // Both yield up to 160 times at one source location; only the first yield of each round need not
    // wait.
    let report = Explorer::new().memory(MemoryModel::Sc).max_executions(200).explore(body);
    assert!(report.notes().is_empty(), "{report}");
}
