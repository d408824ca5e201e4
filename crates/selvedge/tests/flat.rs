//! Memory stays flat over more than a million traces. A process of its own, so that other tests do not
//! change its memory.

#![cfg(feature = "check")]

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Explorer, MemoryModel, thread};

/// Two threads that increment a counter this many times each: there are as many traces as ways to shuffle
/// the increments.
fn shuffled(one: usize, other: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let count = |times: usize| {
        let x = x.clone();
        thread::spawn(move || (0..times).for_each(|_| _ = x.fetch_add(1, SeqCst)))
    };
    let threads = [count(one), count(other)];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// The number of all runs.
fn runs(one: usize, other: usize) -> usize {
    let report = Explorer::new().memory(MemoryModel::Sc).explore(|| shuffled(one, other));
    assert!(report.is_complete(), "{report}");
    report.executions()
}

/// The resident memory of the process, in KiB; `None` if the system does not say.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

#[test]
fn memory_does_not_grow_with_the_number_of_runs() {
    // With `SELVEDGE_LONG` there are 1,352,078 runs, more than 2^20.
    let is_long = std::env::var_os("SELVEDGE_LONG").is_some();
    let (one, other, expected) = if is_long { (11, 12, 1_352_078) } else { (8, 8, 12_870) };
    assert_eq!(runs(6, 6), 924);
    let before = memory();
    assert_eq!(runs(one, other), expected);
    if let (Some(before), Some(after)) = (before, memory()) {
        println!("from {before} to {after} KiB");
        assert!(after < before + 1024, "from {before} to {after} KiB");
    }
}
