//! The virtual clock. Expected outcomes are worked out by hand.
#![cfg(feature = "check")]

use crate::common;

use common::check_values;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::thread;
use selvedge::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::collections::HashSet;

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
    // Two threads sleep for one and two seconds; meanwhile the body reads the clock.
    check_values(
        || {
            let start = Instant::now();
            let sleepers = [1, 2].map(|seconds| thread::spawn(move || thread::sleep(SECOND * seconds)));
            let seconds = start.elapsed().as_secs();
            sleepers.into_iter().for_each(|sleeper| sleeper.join().unwrap());
            (seconds, start.elapsed().as_secs())
        },
        &[(0, 3), (1, 3), (2, 3), (3, 3)],
    );
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
