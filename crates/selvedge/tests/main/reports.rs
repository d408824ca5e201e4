//! What people read, and parts that are contained.
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

fn opposite() {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (c, d) = (a.clone(), b.clone());
    let thread = thread::spawn(move || drop((d.lock().unwrap(), c.lock().unwrap())));
    drop((a.lock().unwrap(), b.lock().unwrap()));
    thread.join().unwrap();
}

/// The message that the work panics with.
fn message(work: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(work).expect_err("it should panic");
    payload.downcast_ref::<String>().cloned().expect("a text")
}

#[test]
fn a_deadlock_is_told_with_who_waits_for_what_and_who_has_it() {
    let text = message(|| selvedge::autocheck(opposite));
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
fn a_saved_trace_is_read_back() {
    let text = message(|| selvedge::autocheck(opposite));
    let path = text.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let saved = std::fs::read_to_string(path).expect("a file");
    let recording = selvedge::runs::Recording::parse(&saved).expect("a trace");
    assert_eq!(recording.get("outcome"), Some("deadlock"));
    let report = Explorer::new().strategy(Strategy::replay(recording)).explore(opposite);
    report.assert(&gives([Outcome::Deadlock]));
    assert!(!report.is_complete(), "a replay is one run");
}

#[test]
fn a_replay_of_another_program_says_where_they_differ() {
    let text = message(|| selvedge::autocheck(opposite));
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
fn nondeterminism_is_told_with_the_values() {
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
fn claims_are_judged_by_what_was_seen() {
    let report = selvedge::explore(|| {
        opposite();
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
fn what_is_not_kept_counts_but_is_not_reported() {
    let all = selvedge::explore(opposite);
    let some = Explorer::new().explore_keeping(opposite, |outcome| match outcome {
        Outcome::Deadlock => Keep::Outcome,
        _ => Keep::Nothing,
    });
    assert_eq!(all.executions(), some.executions());
    assert_eq!(some.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Deadlock]);
    assert!(some.outcomes().values().all(selvedge::runs::Trace::is_empty));
}

#[test]
fn a_contained_deadlock_can_be_looked_at_afterwards() {
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
fn limits_end_an_exploration_and_it_is_said() {
    let report = Explorer::new().max_executions(2).explore(opposite);
    assert_eq!((report.executions(), report.is_complete()), (2, false));
    assert_eq!(report.extent(), "2 runs by systematic, stopped by the limit of executions; not complete");
}

#[test]
fn a_run_without_an_end_is_cut_off() {
    let report = Explorer::new().max_steps(50).explore(|| {
        loop {
            thread::yield_now();
        }
    });
    report.assert(&gives([Outcome::<()>::StepLimit]));
    assert!(!report.is_complete());
}

/// What can be done to an atomic; each says in words what it read and wrote.
fn act(what: usize, value: i8, on: &AtomicI8) -> String {
    let order = if what < 3 { SeqCst } else { Relaxed };
    let exchanged = |found: i8| format!("{found} -> {value}");
    match what % 3 {
        0 => on.load(order).to_string(),
        1 => {
            on.store(value, order);
            value.to_string()
        }
        _ if what < 3 => exchanged(on.swap(value, order)),
        _ => match on.compare_exchange(0, value, order, Relaxed) {
            Ok(found) => exchanged(found),
            Err(found) => found.to_string(),
        },
    }
}

/// The values that are shown for the accesses of a thread.
fn shown(trace: &Trace, thread: u32) -> Vec<String> {
    let steps = trace.steps().iter().zip(&trace.values);
    let is_its = |kind, of| of == ThreadId(thread) && matches!(kind, Kind::Load | Kind::Store | Kind::Update);
    steps
        .filter(|(step, _)| is_its(step.event.action.kind, step.event.thread()))
        .map(|(_, value)| value.clone())
        .collect()
}

#[test]
fn the_values_that_are_shown_are_those_that_the_program_read_and_wrote() {
    let mut random = Random(11);
    let mut below = |bound| random.below(bound).unwrap_or(0);
    let (mut own, mut failed) = (0, 0);
    for number in 0..900 {
        let plan: [[(usize, i8, usize); 3]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| (below(6), below(4) as i8 - 1, below(2))));
        let memory = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso][number % 3];
        let report = Explorer::new().memory(memory).explore(|| {
            let atomics = [AtomicI8::new(0), AtomicI8::new(0)];
            let run = |of: usize| plan[of].map(|(what, value, on)| act(what, value, &atomics[on]));
            thread::scope(|scope| {
                let other = scope.spawn(|| run(1));
                [run(0), other.join().unwrap()]
            })
        });
        assert!(report.is_complete());
        for (outcome, trace) in report.outcomes() {
            let Outcome::Returned(told) = outcome else { panic!("{outcome}") };
            assert_eq!(shown(trace, 0), told[0], "{memory:?} {plan:?}\n{}", trace.table());
            assert_eq!(shown(trace, 1), told[1], "{memory:?} {plan:?}\n{}", trace.table());
            let events = trace.steps().iter().map(|step| &step.event);
            let from_buffer = |event: &&Event| event.action.reads_from == selvedge::runs::ReadsFrom::Buffer;
            own += events.clone().filter(from_buffer).count();
            failed += events.filter(|event| event.effect.read_only).count();
        }
    }
    assert!(own > 50 && failed > 500, "{own} loads from buffers, {failed} exchanges failed");
}

#[test]
fn values_are_shown_as_what_they_are() {
    let report = selvedge::explore(|| {
        let (flag, pointer) = (AtomicBool::new(false), AtomicPtr::new(std::ptr::null_mut::<u8>()));
        flag.fetch_not(SeqCst);
        pointer.load(SeqCst);
        let signed = AtomicI8::new(-128);
        signed.fetch_sub(1, SeqCst);
    });
    let trace = &report.outcomes()[&Outcome::Returned(())];
    assert_eq!(shown(trace, 0), ["false -> true", "null", "-128 -> 127"]);
}
