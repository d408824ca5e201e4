//! Many threads and many runs do not need more memory.

use crate::{all, outcomes};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Keep, Outcome, Strategy, thread};
use std::io::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// The resident memory of this process, in bytes; `None` if the system does not say.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[test]
fn a_run_can_have_a_hundred_thousand_threads_one_after_the_other() {
    let report = Explorer::new().strategy(Strategy::random(1, 1)).max_steps(1_000_000).explore(|| {
        let counter = Arc::new(AtomicU32::new(0));
        for _ in 0..100_000 {
            let counter = counter.clone();
            thread::spawn(move || counter.fetch_add(1, SeqCst)).join().unwrap();
        }
        counter.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(100_000)]);
}

#[test]
fn a_run_can_have_a_thousand_threads_at_once() {
    let report = Explorer::new().strategy(Strategy::random(1, 3)).explore(|| {
        let gate = Arc::new(Mutex::new(0));
        let closed = gate.lock().unwrap();
        let threads: Vec<_> = (0..1000)
            .map(|_| {
                let gate = gate.clone();
                thread::spawn(move || *gate.lock().unwrap() += 1)
            })
            .collect();
        drop(closed);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        *gate.lock().unwrap()
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(1000)]);
}

#[test]
fn a_thousand_threads_can_be_torn_down() {
    let report = all(|| {
        let gate = Arc::new(Mutex::new(0));
        let _closed = gate.lock().unwrap();
        for _ in 0..1000 {
            let gate = gate.clone();
            thread::spawn(move || *gate.lock().unwrap() += 1);
        }
        // All threads wait, so this is the only run.
        drop(gate.lock());
    });
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert_eq!(report.executions(), 1);
}

/// Random runs that return, deadlock or leave threads behind.
fn return_or_deadlock() -> u32 {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (c, d) = (a.clone(), b.clone());
    let thread = thread::spawn(move || drop((d.lock().unwrap(), c.lock().unwrap())));
    let x = Arc::new(AtomicU32::new(0));
    let y = x.clone();
    thread::Builder::new().name("left".to_owned()).spawn(move || y.store(1, SeqCst)).unwrap();
    drop((a.lock().unwrap(), b.lock().unwrap()));
    thread.join().unwrap();
    x.load(SeqCst)
}

/// Makes this many runs in one exploration. After the first tenth of them, memory does not grow.
#[track_caller]
fn memory_is_flat(runs: u64, strategy: Strategy, body: fn() -> u32) {
    let (run_count, before, after) = (AtomicU64::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let explorer = Explorer::new().strategy(strategy).max_executions(runs);
    let report = explorer.explore_keeping(body, |_| {
        let run_count = run_count.fetch_add(1, SeqCst) + 1;
        if run_count == runs / 10 || run_count == runs {
            let measured = if run_count == runs { &after } else { &before };
            measured.store(resident().unwrap_or(0), SeqCst);
        }
        Keep::All
    });
    assert_eq!(report.executions() as u64, runs);
    let (before, after) = (before.into_inner(), after.into_inner());
    let (tenth, kib) = (runs / 10, |bytes: usize| bytes / 1024);
    let message = format!("{} KiB after {tenth} runs, {} KiB after {runs}", kib(before), kib(after));
    std::io::stderr().write_all(format!("resident: {message}\n").as_bytes()).expect("standard error");
    // A leak of a single byte a run would show, with an allocator that gives at least sixteen bytes.
    let allowed = 2 << 20;
    assert!(after <= before + allowed, "{message}");
}

/// The number of runs in everyday tests; a million if `SELVEDGE_LONG` is set.
fn runs() -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 1_000_000 } else { 200_000 }
}

#[test]
#[ignore = "measures the memory of the process, so it runs in one of its own: see below"]
fn child_flat_at_random() {
    memory_is_flat(runs(), Strategy::random(1, runs()), return_or_deadlock);
}

#[test]
#[ignore = "measures the memory of the process, so it runs in one of its own: see below"]
fn child_flat_exhaustively() {
    let body = || (0..17).map(|_| selvedge::choose(10) as u32).sum();
    memory_is_flat(runs(), Strategy::exhaustive(), body);
}

#[test]
fn memory_stays_flat_over_many_runs() {
    for child in ["scale::child_flat_at_random", "scale::child_flat_exhaustively"] {
        let output = crate::children::in_child(child);
        assert!(output.status.success(), "{child}: {}", crate::children::text(&output));
    }
}
