//! Memory stays flat over more than a million traces. A process of its own, so that other tests do not
//! change its memory.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
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

/// The same with a static counter, under a static lock.
fn shuffled_on_statics(one: usize, other: usize) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    static LAST: Mutex<usize> = Mutex::new(0);
    let count = |times: usize| {
        thread::spawn(move || {
            (0..times).for_each(|_| _ = COUNT.fetch_add(1, SeqCst));
        })
    };
    let threads = [count(one), count(other)];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    *LAST.lock().unwrap() += COUNT.load(SeqCst);
}

/// The number of all runs.
fn runs(body: impl Fn() + Send + Sync) -> usize {
    let report = Explorer::new().memory(MemoryModel::Sc).explore(body);
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
    assert_eq!(runs(|| shuffled(6, 6)), 924);
    assert_eq!(runs(|| shuffled_on_statics(6, 6)), 924);
    let before = memory();
    assert_eq!(runs(|| shuffled(one, other)), expected);
    assert_eq!(runs(|| shuffled_on_statics(one, other)), expected);
    if let (Some(before), Some(after)) = (before, memory()) {
        println!("from {before} to {after} KiB");
        assert!(after < before + 1024, "from {before} to {after} KiB");
    }
}
