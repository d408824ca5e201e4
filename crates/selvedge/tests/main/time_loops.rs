//! Loops that wait with a time, or sleep: they may be late again and again, so that there are runs of any length.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::mpsc::{self, RecvTimeoutError};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Bounds, Explorer, Limit, MemoryModel, Outcome, Report, Strategy, contained, thread};
use std::collections::BTreeSet;
use std::time::Duration;

const A_TIME: Duration = Duration::from_millis(10);

/// Waits for a flag behind a lock. Returns how often the time was up, counted to 3.
fn wait() -> usize {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let (mut is_set, mut late) = (pair.0.lock().unwrap(), 0);
    while !*is_set {
        let (guard, result) = pair.1.wait_timeout(is_set, A_TIME).unwrap();
        is_set = guard;
        late += usize::from(result.timed_out());
    }
    drop(is_set);
    setter.join().unwrap();
    late.min(3)
}

/// Waits for an atomic flag. Returns how often it looked, counted to 3.
fn wait_by(pause: fn()) -> usize {
    let is_set = Arc::new(AtomicBool::new(false));
    let (other, waiter) = (is_set.clone(), thread::current());
    let setter = thread::spawn(move || {
        other.store(true, SeqCst);
        waiter.unpark();
    });
    let mut looks = 0;
    while !is_set.load(SeqCst) {
        looks += 1;
        pause();
    }
    setter.join().unwrap();
    looks.min(3)
}

fn park() -> usize {
    wait_by(|| thread::park_timeout(A_TIME))
}

fn sleep() -> usize {
    wait_by(|| thread::sleep(A_TIME))
}

const BODIES: [fn() -> usize; 3] = [wait, park, sleep];

/// All runs that have at most two pre-emptions.
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
fn by_chance_they_end_and_are_late_any_number_of_times() {
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
fn within_a_bound_on_yields_there_is_an_end_to_their_runs() {
    for (yields, expected) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0, 1, 2])] {
        let bounds = Bounds { yields: Some(yields), ..Bounds::NONE };
        let report = Explorer::new().strategy(Strategy::systematic().bounded(bounds)).explore(wait);
        assert_eq!((values(&report), report.is_complete()), (expected, false));
        assert!(report.notes().is_empty(), "{report}");
    }
}

#[test]
fn they_are_explored_in_rounds_which_are_never_all() {
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
fn a_budget_ends_the_rounds_and_the_last_one_is_not_told() {
    for body in BODIES {
        for strategy in [Strategy::systematic, bounded, Strategy::exhaustive] {
            let report = Explorer::new().strategy(strategy()).max_executions(500).explore(body);
            assert_eq!((values(&report), report.executions() <= 500), (vec![0, 1, 2, 3], true), "{report}");
            let is_told = has_note(&report, "100 times at one place");
            assert_eq!(is_told, report.limit().is_none(), "{report}");
            assert!(has_note(&report, "at one place"), "{report}");
        }
    }
}

#[test]
fn several_workers_find_the_same() {
    for body in BODIES {
        let one = Explorer::new().max_executions(10_000).explore(body);
        let two = Explorer::new().workers(2).max_executions(10_000).explore(body);
        assert_eq!((values(&two), two.limit(), two.notes()), (values(&one), None, one.notes()));
    }
}

/// Two threads wait in loops: there are too many runs to make all, even of the fourth round.
fn two_wait() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let wait = |pair: Arc<(Mutex<bool>, Condvar)>| {
        let mut is_set = pair.0.lock().unwrap();
        while !*is_set {
            is_set = pair.1.wait_timeout(is_set, A_TIME).unwrap().0;
        }
    };
    let waiters = [pair.clone(), pair.clone()].map(|pair| thread::spawn(move || wait(pair)));
    *pair.0.lock().unwrap() = true;
    pair.1.notify_all();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}

#[test]
fn what_needs_little_patience_is_found_although_others_wait() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        thread::spawn(move || other.store(true, SeqCst));
        // Depth first, that would be looked at last.
        assert!(!is_set.load(SeqCst));
        two_wait();
    };
    for strategy in [Strategy::systematic, bounded] {
        let report = Explorer::new().strategy(strategy()).max_executions(5_000).explore(body);
        assert_eq!(report.limit(), Some(Limit::Executions), "{report}");
        assert!(report.outcomes().keys().any(|outcome| matches!(outcome, Outcome::Panicked(_))), "{report}");
    }
}

/// How often two threads were late that wait for one another: one for the first flag, and the other for the second, which is set after that.
fn one_after_the_other() -> Vec<usize> {
    let flags = Arc::new((Mutex::new(0), Condvar::new()));
    let wait = |flags: &(Mutex<usize>, Condvar), value| {
        let (mut is, mut late) = (flags.0.lock().unwrap(), 0);
        while *is < value {
            let (guard, result) = flags.1.wait_timeout(is, A_TIME).unwrap();
            (is, late) = (guard, late + usize::from(result.timed_out()));
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

/// How often a receiver was late before each message, and before it knew that there are no more.
fn receive() -> Vec<usize> {
    let (sender, receiver) = mpsc::channel();
    let sends = thread::spawn(move || (0..2).for_each(|_| sender.send(()).unwrap()));
    let mut late = vec![0];
    loop {
        match receiver.recv_timeout(A_TIME) {
            Ok(()) => late.push(0),
            Err(RecvTimeoutError::Timeout) => *late.last_mut().unwrap() += 1,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    sends.join().unwrap();
    late
}

/// What an exploration found of which no thread was late more often than that, in all.
fn found(
    strategy: Strategy,
    body: fn() -> Vec<usize>,
    is_one_thread: bool,
    most: usize,
) -> BTreeSet<Vec<usize>> {
    let report = Explorer::new().strategy(strategy).max_executions(60_000).explore(body);
    assert!(report.outcomes().keys().all(Outcome::is_returned), "{report}");
    let made = (1..=100).filter(|made| has_note(&report, &format!("more than {made} times"))).max();
    assert!(made >= Some(most) || most == 1 && has_note(&report, "more than once"), "{report}");
    let is_within = |late: &&Vec<usize>| {
        let most_of_one =
            if is_one_thread { late.iter().sum() } else { late.iter().copied().max().unwrap_or(0) };
        most_of_one <= most
    };
    report.values().filter(is_within).cloned().collect()
}

#[test]
fn a_round_makes_all_that_brute_force_makes() {
    for (body, is_one_thread, most, count) in
        [(one_after_the_other as fn() -> Vec<usize>, false, 1, 4), (receive, true, 3, 20)]
    {
        let reduced = found(Strategy::systematic(), body, is_one_thread, most);
        assert_eq!(reduced, found(Strategy::exhaustive(), body, is_one_thread, most));
        assert_eq!(reduced.len(), count, "{reduced:?}");
    }
}

#[test]
fn a_loop_that_gives_up_is_explored_completely() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        let setter = thread::spawn(move || other.store(true, SeqCst));
        let looks = (0..5).take_while(|_| !is_set.load(SeqCst)).inspect(|_| thread::park_timeout(A_TIME));
        let looks = looks.count();
        setter.join().unwrap();
        looks
    };
    let report = Explorer::new().explore(body);
    assert!(report.is_complete() && report.notes().is_empty(), "{report}");
    assert_eq!((values(&report), report.executions()), (vec![0, 1, 2, 3, 4, 5], 6));
}

#[test]
fn a_loop_that_gives_up_late_is_seen_to_its_end() {
    let body = || (0..200).inspect(|_| thread::sleep(A_TIME)).count();
    let report = Explorer::new().explore(body);
    assert_eq!((values(&report), report.is_complete()), (vec![200], false), "{report}");
}

/// Where the flag is set before anybody waits, it is lost.
fn may_wait_for_ever() {
    let (flag, is_lost) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (other, lost) = (flag.clone(), is_lost.clone());
    let setter = thread::spawn(move || other.store(!lost.load(SeqCst), SeqCst));
    is_lost.store(true, SeqCst);
    while !flag.load(SeqCst) {
        thread::park_timeout(A_TIME);
    }
    setter.join().unwrap();
}

#[test]
fn a_loop_that_never_ends_takes_too_many_steps() {
    for strategy in [Strategy::systematic, bounded] {
        let explorer = Explorer::new().strategy(strategy()).max_steps(1000);
        let report = explorer.explore(may_wait_for_ever);
        let outcomes: Vec<&Outcome<()>> = report.outcomes().keys().collect();
        assert_eq!(outcomes, [&Outcome::Returned(()), &Outcome::StepLimit], "{report}");
    }
    let for_ever = || (0..usize::MAX).for_each(|_| thread::park_timeout(A_TIME));
    let report = Explorer::new().max_steps(1000).explore(for_ever);
    assert!(report.outcomes().keys().eq([&Outcome::StepLimit]), "{report}");
}

#[test]
fn who_is_held_back_is_not_the_end_of_a_contained_part() {
    let body = || contained(|| assert!(wait() < 4));
    let report = Explorer::new().max_executions(1000).explore(body);
    assert!(report.outcomes().keys().eq([&Outcome::Returned(Outcome::Returned(()))]), "{report}");
}

#[test]
fn a_thread_that_goes_on_alone_for_long_does_not_look_back_at_all_of_it() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        let _setter = thread::spawn(move || other.store(true, SeqCst));
        while !is_set.load(SeqCst) {}
    };
    let bounds = Bounds { preemptions: Some(0), ..Bounds::NONE };
    // By looking back at each step from each, that would be billions of looks.
    let explorer = Explorer::new().strategy(Strategy::systematic().bounded(bounds)).max_executions(3);
    let report = explorer.max_steps(200_000).explore(body);
    assert!(report.outcomes().contains_key(&Outcome::StepLimit), "{report}");
}

/// Looks at a flag behind a lock, and lets others go first by yielding.
fn poll() -> usize {
    let flag = Arc::new(Mutex::new(false));
    let other = flag.clone();
    let setter = thread::spawn(move || *other.lock().unwrap() = true);
    let looks = (0..).find(|_| {
        let is_set = *flag.lock().unwrap();
        if !is_set {
            thread::yield_now();
        }
        is_set
    });
    setter.join().unwrap();
    looks.map_or(0, |looks| looks.min(3))
}

#[test]
fn loops_that_yield_and_do_more_than_look_are_explored_in_rounds_too() {
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
fn loops_that_only_look_are_explored_completely() {
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
    // Both yield up to 160 times at one place; only the first yield of each round need not wait.
    let report = Explorer::new().memory(MemoryModel::Sc).max_executions(200).explore(body);
    assert!(report.notes().is_empty(), "{report}");
}
