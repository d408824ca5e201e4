//! Failure reports, and contained parts of a body.
#![cfg(feature = "check")]

use selvedge::predicate::{
    always_same, always_true, gives, gives_values, never_deadlocks, sometimes_deadlocks,
};
use selvedge::runs::{Event, Kind, Random, ThreadId, Trace};
use selvedge::sync::atomic::{
    AtomicBool, AtomicI8, AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::SeqCst,
};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Keep, MemoryModel, Outcome, Strategy, contained, thread};

fn lock_in_opposite_order() {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (c, d) = (a.clone(), b.clone());
    let thread = thread::spawn(move || drop((d.lock().unwrap(), c.lock().unwrap())));
    drop((a.lock().unwrap(), b.lock().unwrap()));
    thread.join().unwrap();
}

/// The message of the panic in `work`.
fn message(work: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(work).expect_err("it should panic");
    payload.downcast_ref::<String>().cloned().expect("a text")
}

#[test]
fn a_deadlock_report_names_each_waiting_thread_its_lock_and_the_holder() {
    let text = message(|| selvedge::autocheck(lock_in_opposite_order));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("error[run::deadlock]: every thread is blocked"));
    let (main, other) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    assert!(main.starts_with("  main      waits for mutex#"), "{text}");
    assert!(main.contains("held by `thread 1`  crates/selvedge/tests/main/reports.rs:"), "{text}");
    assert!(other.starts_with("  thread 1  waits for mutex#") && other.contains("held by `main`"), "{text}");
    assert!(text.contains("  schedule  S0--P1-\n"), "{text}");
    assert!(text.contains("= help: replay with `SELVEDGE_REPLAY="), "{text}");
}

#[test]
fn autocheck_prints_three_verdicts_and_a_schedule_for_each_outcome() {
    let text = message(|| {
        selvedge::autocheck(|| {
            lock_in_opposite_order();
            5
        });
    });
    let verdicts = "
autocheck: 3 runs, complete
  [fail] no run deadlocks
         deadlock  S0--P1-
  [pass] no run panics or fails in another way
  [fail] all runs have the same result
         returned 5  S0";
    assert!(text.contains(verdicts), "{text}");
    assert!(text.trim_end().ends_with("deadlock  S0--P1-"), "{text}");
}

/// The destructor reads and changes the counter while its thread unwinds.
#[test]
fn the_row_of_the_last_step_shows_what_that_step_read() {
    struct SetsToSeven<'c>(&'c AtomicU32);
    impl Drop for SetsToSeven<'_> {
        fn drop(&mut self) {
            self.0.store(7, SeqCst);
            assert_eq!(self.0.load(SeqCst), 7);
        }
    }
    let text = message(|| {
        selvedge::autocheck(|| {
            let counter = AtomicU32::new(5);
            let _sets = SetsToSeven(&counter);
            let read = counter.load(SeqCst);
            assert_eq!(read, 6);
        });
    });
    assert!(text.contains("left: 5"), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("0 ")).unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert!(words.contains(&"load") && words.contains(&"5"), "{row}\n{text}");
}

#[test]
fn a_store_and_the_commit_that_follows_it_are_one_row() {
    let text = message(|| {
        selvedge::autocheck(|| {
            let x = Arc::new(AtomicU32::new(0));
            let y = x.clone();
            let thread = thread::spawn(move || (y.store(1, Relaxed), y.store(2, Relaxed)));
            thread.join().unwrap();
            assert_eq!(x.load(Relaxed), 3);
        });
    });
    let actions: Vec<&str> =
        text.lines().filter(|line| line.contains("store, commit  atomic#")).map(str::trim).collect();
    assert_eq!(actions.len(), 2, "{text}");
    assert!(actions[0].starts_with("1-2 ") && actions[1].starts_with("3-4 "), "{text}");
}

#[test]
fn a_run_outside_of_tests_is_replayed_by_the_same_command() {
    let on_thread = std::thread::Builder::new().name("no test".to_owned());
    let spawned = on_thread.spawn(|| message(|| selvedge::autocheck(lock_in_opposite_order)));
    let text = spawned.expect("a thread").join().expect("a message");
    let help = "  = help: to replay, set `SELVEDGE_REPLAY=no-test-deadlock.trace` and repeat the command\n";
    assert!(text.contains(help), "{text}");
}

#[test]
fn rows_that_repeat_are_folded() {
    let report = Explorer::new().max_steps(42).explore(|| {
        let x = AtomicU32::new(0);
        while x.load(SeqCst) == 0 && x.fetch_add(0, SeqCst) == 0 {}
    });
    let trace = &report.outcomes()[&Outcome::StepLimit];
    let table = trace.table().to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert_eq!(lines[3], "  … the 2 rows above, 20 more times (steps 2 to 41) …");
}

#[test]
fn a_saved_trace_is_read_back() {
    let text = message(|| selvedge::autocheck(lock_in_opposite_order));
    let path = text.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let saved = std::fs::read_to_string(path).expect("a file");
    let recording = selvedge::runs::Recording::parse(&saved).expect("a trace");
    assert_eq!(recording.get("outcome"), Some("deadlock"));
    let report = Explorer::new().strategy(Strategy::replay(recording)).explore(lock_in_opposite_order);
    report.assert(&gives([Outcome::Deadlock]));
    assert!(!report.is_complete(), "a replay is one run");
}

#[test]
fn a_replay_of_another_program_says_where_they_differ() {
    let text = message(|| selvedge::autocheck(lock_in_opposite_order));
    let path = text.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let recording =
        selvedge::runs::Recording::parse(&std::fs::read_to_string(path).expect("a file")).expect("a trace");
    let report = Explorer::new().strategy(Strategy::replay(recording)).explore(|| {
        let a = Mutex::new(0);
        drop(a.lock());
    });
    let note = &report.notes()[0];
    assert!(note.starts_with("the replay differs at step 0 of thread 0: expected spawn at "), "{note}");
    assert!(note.contains("but lock at "), "{note}");
}

#[test]
fn a_report_of_nondeterminism_lists_the_values() {
    let text = message(|| {
        selvedge::autocheck(|| {
            let x = Arc::new(AtomicU32::new(0));
            let y = x.clone();
            let thread = thread::spawn(move || y.store(1, SeqCst));
            let seen = x.load(SeqCst);
            thread.join().unwrap();
            seen
        });
    });
    assert!(
        text.starts_with("error[run::nondeterminism]: the result depends on the schedule: 0, 1\n"),
        "{text}"
    );
}

#[test]
fn claims_are_judged_by_the_outcomes() {
    let report = selvedge::explore(|| {
        lock_in_opposite_order();
        1
    });
    assert!(sometimes_deadlocks().holds(&report));
    assert!(!never_deadlocks().holds(&report) && !always_same().holds(&report));
    assert!(!always_true(|value| *value == 1).holds(&report), "a deadlock returns nothing");
    report.assert(&gives([Outcome::Returned(1), Outcome::Deadlock]));
    assert!(!gives([Outcome::Returned(1)]).holds(&report));
    assert!(!gives([Outcome::Returned(1), Outcome::Deadlock, Outcome::StepLimit]).holds(&report));
    let text = message(|| report.assert(&never_deadlocks()));
    assert!(text.starts_with("the claim fails: never deadlocks\nerror[run::deadlock]"), "{text}");
}

#[test]
fn runs_with_discarded_outcomes_are_counted_and_not_reported() {
    let all = selvedge::explore(lock_in_opposite_order);
    let kept = Explorer::new().explore_keeping(lock_in_opposite_order, |outcome| match outcome {
        Outcome::Deadlock => Keep::Outcome,
        _ => Keep::Nothing,
    });
    assert_eq!(all.executions(), kept.executions());
    assert_eq!(kept.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Deadlock]);
    assert!(kept.outcomes().values().all(selvedge::runs::Trace::is_empty));
}

#[test]
fn the_body_goes_on_after_a_contained_deadlock() {
    let report = selvedge::explore(|| {
        let count = Arc::new(AtomicU32::new(0));
        let inside = count.clone();
        let outcome = contained(move || {
            let lock = Mutex::new(());
            let _held = lock.lock();
            inside.fetch_add(1, SeqCst);
            drop(lock.lock());
        });
        (outcome == Outcome::Deadlock, count.load(SeqCst))
    });
    report.assert(&gives_values([(true, 1)]));
    assert!(report.is_complete());
}

#[test]
fn a_contained_part_is_explored_and_ends_with_its_body() {
    let report = selvedge::explore(|| {
        let seen = contained(|| {
            let x = Arc::new(AtomicU32::new(0));
            let y = x.clone();
            thread::spawn(move || {
                y.store(1, SeqCst);
                y.store(2, SeqCst);
            });
            x.load(SeqCst)
        });
        let panicked = contained(|| panic!("inside"));
        (seen, panicked)
    });
    let panicked: Outcome<()> = Outcome::Panicked("inside".to_owned());
    report.assert(&gives_values((0..=2).map(|value| (Outcome::Returned(value), panicked.clone()))));
}

#[test]
fn a_contained_part_does_not_begin_among_other_threads() {
    let report = selvedge::explore(|| {
        let lock = Arc::new(Mutex::new(()));
        let other = lock.clone();
        let _held = lock.lock();
        let _thread = thread::spawn(move || drop(other.lock()));
        contained(|| ()).is_returned()
    });
    let text = "selvedge: `contained` cannot begin while other threads are alive; join them first";
    report.assert(&gives([Outcome::Panicked(text.to_owned())]));
}

#[test]
fn a_limit_ends_an_exploration_and_the_report_says_so() {
    let report = Explorer::new().max_executions(2).explore(lock_in_opposite_order);
    assert_eq!((report.executions(), report.is_complete()), (2, false));
    assert_eq!(report.extent(), "2 runs by systematic, stopped by the limit of executions; not complete");
}

#[test]
fn an_endless_run_is_cut_off() {
    let report = Explorer::new().max_steps(50).explore(|| {
        loop {
            thread::yield_now();
        }
    });
    report.assert(&gives([Outcome::<()>::StepLimit]));
    assert!(!report.is_complete());
}

/// Performs an operation on an atomic. Returns the values that it read and wrote, as a trace shows them.
fn perform(operation: usize, value: i8, atomic: &AtomicI8) -> String {
    let order = if operation < 3 { SeqCst } else { Relaxed };
    let exchanged = |old: i8| format!("{old} -> {value}");
    match operation % 3 {
        0 => atomic.load(order).to_string(),
        1 => {
            atomic.store(value, order);
            value.to_string()
        }
        _ if operation < 3 => exchanged(atomic.swap(value, order)),
        _ => match atomic.compare_exchange(0, value, order, Relaxed) {
            Ok(old) => exchanged(old),
            Err(old) => old.to_string(),
        },
    }
}

/// The values that a trace shows for the accesses of a thread.
fn shown_values(trace: &Trace, thread: u32) -> Vec<String> {
    let steps = trace.steps().iter().zip(&trace.values);
    let is_access =
        |kind, of| of == ThreadId(thread) && matches!(kind, Kind::Load | Kind::Store | Kind::Update);
    steps
        .filter(|(step, _)| is_access(step.event.action.kind, step.event.thread()))
        .map(|(_, value)| value.clone())
        .collect()
}

#[test]
fn a_trace_shows_the_values_that_the_program_reads_and_writes() {
    let mut random = Random(11);
    let mut below = |bound| random.below(bound).unwrap_or(0);
    let (mut from_buffers, mut failed) = (0, 0);
    for number in 0..900 {
        let plan: [[(usize, i8, usize); 3]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| (below(6), below(4) as i8 - 1, below(2))));
        let memory = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso][number % 3];
        let report = Explorer::new().memory(memory).explore(|| {
            let atomics = [AtomicI8::new(0), AtomicI8::new(0)];
            let run = |thread: usize| {
                plan[thread].map(|(operation, value, location)| perform(operation, value, &atomics[location]))
            };
            thread::scope(|scope| {
                let other = scope.spawn(|| run(1));
                [run(0), other.join().unwrap()]
            })
        });
        assert!(report.is_complete());
        for (outcome, trace) in report.outcomes() {
            let Outcome::Returned(recorded) = outcome else { panic!("{outcome}") };
            assert_eq!(shown_values(trace, 0), recorded[0], "{memory:?} {plan:?}\n{}", trace.table());
            assert_eq!(shown_values(trace, 1), recorded[1], "{memory:?} {plan:?}\n{}", trace.table());
            let events = trace.steps().iter().map(|step| &step.event);
            let is_from_buffer =
                |event: &&Event| event.action.reads_from == selvedge::runs::ReadsFrom::Buffer;
            from_buffers += events.clone().filter(is_from_buffer).count();
            failed += events.filter(|event| event.effect.read_only).count();
        }
    }
    assert!(
        from_buffers > 50 && failed > 500,
        "{from_buffers} loads from buffers, {failed} exchanges failed"
    );
}

#[test]
fn values_are_shown_by_their_types() {
    let report = selvedge::explore(|| {
        let (flag, pointer) = (AtomicBool::new(false), AtomicPtr::new(std::ptr::null_mut::<u8>()));
        flag.fetch_not(SeqCst);
        pointer.load(SeqCst);
        let signed = AtomicI8::new(-128);
        signed.fetch_sub(1, SeqCst);
    });
    let trace = &report.outcomes()[&Outcome::Returned(())];
    assert_eq!(shown_values(trace, 0), ["false -> true", "null", "-128 -> 127"]);
}
