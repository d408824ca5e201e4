//! The virtual clock. Expected outcomes are worked out by hand.
#![cfg(feature = "check")]

use crate::common;

use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex, mpsc};
use selvedge::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use selvedge::{Explorer, Strategy, thread};
use std::collections::HashSet;

/// The body returns exactly these values, by the exhaustive and by the systematic strategy.
#[track_caller]
fn check_values<T>(body: impl Fn() -> T + Send + Sync, expected: &[T])
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    common::check_values(&body, expected);
    let report = selvedge::explore(&body);
    let mut expected: Vec<&T> = expected.iter().collect();
    expected.sort();
    assert_eq!((report.values().collect(), report.is_complete()), (expected, true), "{report}");
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn only_a_sleep_advances_the_clock() {
    check_values(
        || {
            let start = Instant::now();
            let nothing = start.elapsed();
            thread::sleep(SECOND);
            thread::sleep(SECOND / 2);
            (nothing, start.elapsed(), Instant::now() - start)
        },
        &[(Duration::ZERO, SECOND * 3 / 2, SECOND * 3 / 2)],
    );
}

#[test]
fn the_clock_shows_the_sleeps_that_came_before() {
    // Two threads sleep for one and two seconds; meanwhile the body reads the clock. They begin together, or
    // one begins when the time of the other is up.
    check_values(
        || {
            let start = Instant::now();
            let sleepers = [1, 2].map(|seconds| thread::spawn(move || thread::sleep(SECOND * seconds)));
            let seconds = start.elapsed().as_secs();
            sleepers.into_iter().for_each(|sleeper| sleeper.join().unwrap());
            (seconds, start.elapsed().as_secs())
        },
        &[(0, 2), (0, 3), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)],
    );
}

/// The seconds on the clock after threads have slept for so many seconds each.
fn after_sleeps(seconds: &[u32]) -> u64 {
    let start = Instant::now();
    let sleep = |seconds: &u32| {
        let time = SECOND * *seconds;
        thread::spawn(move || thread::sleep(time))
    };
    let sleepers: Vec<_> = seconds.iter().map(sleep).collect();
    sleepers.into_iter().for_each(|sleeper| sleeper.join().unwrap());
    start.elapsed().as_secs()
}

#[test]
fn sleeps_of_one_and_two_seconds_take_two_seconds_together_and_three_at_most() {
    check_values(|| after_sleeps(&[1, 2]), &[2, 3]);
    check_values(|| after_sleeps(&[1, 1]), &[1, 2]);
    // The third begins together with one of the others, or after one or both of them.
    check_values(|| after_sleeps(&[1, 2, 4]), &[4, 5, 6, 7]);
}

#[test]
fn sleeps_take_one_run_if_no_thread_reads_the_clock() {
    let report = selvedge::explore(|| {
        let sleepers = [1, 2, 3].map(|seconds| thread::spawn(move || thread::sleep(SECOND * seconds)));
        sleepers.into_iter().for_each(|sleeper| sleeper.join().unwrap());
    });
    assert_eq!((report.executions(), report.is_complete()), (1, true), "{report}");
}

#[test]
fn reads_of_the_clock_take_one_run_if_no_thread_waits() {
    let report = selvedge::explore(|| {
        let readers = [1, 2, 3].map(|_| thread::spawn(Instant::now));
        readers.into_iter().for_each(|reader| drop(reader.join()));
    });
    assert_eq!((report.executions(), report.is_complete()), (1, true), "{report}");
}

#[test]
fn a_later_deadline_passes_after_an_earlier_one_whose_thread_may_run_later() {
    // Each thread reads the clock after its sleep. If they begin together, the first reads 1, or 2 if it
    // runs late; the second reads 2.
    check_values(
        || {
            let start = Instant::now();
            let sleepers = [1, 2].map(|seconds| {
                thread::spawn(move || {
                    thread::sleep(SECOND * seconds);
                    start.elapsed().as_secs()
                })
            });
            sleepers.map(|sleeper| sleeper.join().unwrap())
        },
        &[[1, 2], [1, 3], [2, 2], [3, 2], [3, 3]],
    );
}

#[test]
fn a_wait_whose_time_is_up_can_still_be_notified() {
    // The other thread reads that the time is up, and then notifies. The wait may have timed out by then.
    check_values(
        || {
            let start = Instant::now();
            let pair = Arc::new((Mutex::new(false), Condvar::new()));
            let other = pair.clone();
            let notifier = thread::spawn(move || {
                let seconds = start.elapsed().as_secs();
                *other.0.lock().unwrap() = true;
                other.1.notify_one();
                seconds
            });
            let guard = pair.0.lock().unwrap();
            let result = pair.1.wait_timeout_while(guard, SECOND, |is_set| !*is_set).unwrap().1;
            (notifier.join().unwrap(), result.timed_out())
        },
        &[(0, false), (0, true), (1, false), (1, true)],
    );
}

#[test]
fn a_message_may_come_when_the_time_of_the_receiver_is_up() {
    check_values(
        || {
            let start = Instant::now();
            let (sender, receiver) = mpsc::channel();
            let sends = thread::spawn(move || {
                thread::sleep(SECOND * 2);
                let _ = sender.send(());
            });
            let is_received = receiver.recv_timeout(SECOND).is_ok();
            let seconds = start.elapsed().as_secs();
            drop(receiver);
            sends.join().unwrap();
            (is_received, seconds)
        },
        // A receiver that times out reads at least 1; a message comes after 2 seconds at least.
        &[(false, 1), (false, 2), (false, 3), (true, 2), (true, 3)],
    );
}

#[test]
fn wait_timeout_while_has_one_deadline_for_all_its_waits() {
    check_values(
        || {
            let start = Instant::now();
            let pair = Arc::new((Mutex::new(()), Condvar::new()));
            let other = pair.clone();
            let notifier = thread::spawn(move || other.1.notify_all());
            let guard = pair.0.lock().unwrap();
            let (guard, result) = pair.1.wait_timeout_while(guard, SECOND, |()| true).unwrap();
            drop(guard);
            notifier.join().unwrap();
            (result.timed_out(), start.elapsed())
        },
        &[(true, SECOND)],
    );
}

#[test]
fn time_passes_while_threads_can_run() {
    // The sleeping thread does nothing more before the body has read the clock twice.
    check_values(
        || {
            let start = Instant::now();
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            let sleeper = thread::spawn(move || {
                thread::sleep(SECOND);
                other.store(true, SeqCst);
            });
            let seconds = [0; 2].map(|_| start.elapsed().as_secs());
            let has_run = flag.load(SeqCst);
            sleeper.join().unwrap();
            (seconds, has_run)
        },
        &[([0, 0], false), ([0, 1], false), ([0, 1], true), ([1, 1], false), ([1, 1], true), ([0, 0], true)],
    );
}

#[test]
fn a_loop_that_sleeps_until_some_time_has_passed_ends() {
    let report = selvedge::explore(|| {
        let start = Instant::now();
        let mut rounds = 0;
        while start.elapsed() < SECOND * 3 {
            thread::sleep(SECOND);
            rounds += 1;
        }
        rounds
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&3]);
    assert_eq!((report.executions(), report.is_complete()), (1, true), "{report}");
}

#[test]
fn random_runs_let_time_pass_too() {
    for strategy in [Strategy::random(1, 500), Strategy::pct(3, 1, 500), Strategy::swarm(1, 500)] {
        let report = Explorer::new().strategy(strategy).explore(|| after_sleeps(&[1, 2]));
        assert_eq!(report.values().collect::<Vec<_>>(), [&2, &3], "{report}");
    }
}

#[test]
fn runs_are_replayed_at_the_same_times() {
    let report = selvedge::explore(|| after_sleeps(&[1, 2]));
    for (outcome, trace) in report.outcomes() {
        let again = Explorer::new()
            .strategy(Strategy::replay(trace.recording(&[])))
            .explore(|| after_sleeps(&[1, 2]));
        assert!(again.outcomes().keys().eq([outcome]), "{again}");
    }
}

#[test]
fn several_workers_let_time_pass_as_one_does() {
    let explore = |workers| Explorer::new().workers(workers).explore(|| after_sleeps(&[1, 2, 4]));
    let (one, two) = (explore(1), explore(2));
    assert_eq!((two.executions(), two.is_complete()), (one.executions(), true), "{two}");
    assert!(one.values().eq(two.values()), "{two}");
}

#[test]
#[should_panic(expected = "deadlines make a difference")]
fn a_body_that_reads_the_clock_beside_timed_waits_needs_deadlines() {
    Explorer::new().deadlines(false).explore(|| after_sleeps(&[1]));
}

#[test]
fn a_sleep_lets_other_threads_run() {
    check_values(
        || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            thread::spawn(move || other.store(true, SeqCst));
            thread::sleep(SECOND);
            flag.load(SeqCst)
        },
        // However long the thread sleeps, the other may be slower.
        &[false, true],
    );
}

#[test]
fn a_timed_out_park_advances_the_clock() {
    check_values(
        || {
            let start = Instant::now();
            let main = thread::current();
            thread::spawn(move || main.unpark());
            thread::park_timeout(SECOND);
            start.elapsed()
        },
        &[Duration::ZERO, SECOND],
    );
}

#[test]
fn instants_support_arithmetic() {
    check_values(
        || {
            let start = Instant::now();
            let later = start + SECOND;
            let mut same = later;
            same -= SECOND;
            same += SECOND;
            assert_eq!(same, later);
            assert!(start < later && later - SECOND == start);
            assert_eq!(later.duration_since(start), SECOND);
            assert_eq!(start.duration_since(later), Duration::ZERO);
            assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
            assert_eq!(start.checked_duration_since(later), None);
            assert_eq!(start.checked_add(Duration::MAX), None);
            assert_eq!(start.checked_sub(Duration::MAX), None);
            assert!(
                start.checked_sub(Duration::from_secs(3600)).is_some(),
                "the machine has been up for a while"
            );
            HashSet::from([start, start, later]).len()
        },
        &[2],
    );
}

#[test]
fn the_system_time_begins_in_the_year_2000_and_advances_with_the_clock() {
    check_values(
        || {
            let start = SystemTime::now();
            thread::sleep(SECOND);
            let elapsed = start.elapsed().unwrap();
            let error = start.duration_since(start + SECOND).unwrap_err();
            (start.duration_since(UNIX_EPOCH).unwrap().as_secs(), elapsed, error.duration())
        },
        &[(946_684_800, SECOND, SECOND)],
    );
}

#[test]
fn every_run_begins_at_the_same_time() {
    let seen = std::sync::Mutex::new(HashSet::new());
    selvedge::explore(|| {
        let other = thread::spawn(|| thread::sleep(SECOND));
        seen.lock().unwrap().insert(format!("{:?}", Instant::now()));
        other.join().unwrap();
    });
    assert_eq!(seen.lock().unwrap().len(), 2, "before the sleep or after it");
}

#[test]
fn outside_explorations_clocks_are_those_of_std() {
    let (real, start) = (std::time::Instant::now(), Instant::now());
    thread::sleep(Duration::from_millis(20));
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(20) && elapsed <= real.elapsed());
    assert!(start + elapsed > start && (start + elapsed) - elapsed == start);
    let now = std::time::SystemTime::now();
    assert!(SystemTime::from(now) <= SystemTime::now());
    assert_eq!(std::time::SystemTime::from(SystemTime::from(now)), now);
}
