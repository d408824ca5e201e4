//! Several workers find the outcomes that one worker finds, with the same number of runs.

#![cfg(feature = "check")]

use crate::soundness::program;
mod team;

use program::{Op, Program};
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Keep, Limit, MemoryModel, Outcome, Report, Strategy, thread};
use selvedge_explore::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Programs with more traces than this are not compared.
const MAX_TRACES: u64 = 500;

/// Twenty times as many if `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

/// Another seed if `SELVEDGE_SEED` is set.
fn seed(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Compares one worker with several. Returns whether the program was small enough and has more than a few
/// runs.
fn compare(program: &Program, memory: MemoryModel, name: &str) -> bool {
    let explorer = || Explorer::new().spin_for_ever(true).memory(memory).simplify(false);
    let one = explorer().max_executions(MAX_TRACES).explore(|| program.run());
    if one.limit().is_some() || one.executions() < 4 {
        return false;
    }
    for workers in [2, 3, 4] {
        let many = explorer().workers(workers).explore(|| program.run());
        let name = format!("{name} under {memory:?}, {workers} workers: {program:#?}\n{one}\n{many}");
        assert!(many.outcomes().keys().eq(one.outcomes().keys()), "{name}");
        assert!(many.is_complete(), "{name}");
        if program.joins {
            assert_eq!(many.executions(), one.executions(), "{name}");
        }
    }
    true
}

fn compare_many(seed: u64, memory: MemoryModel) {
    let mut random = Random(seed);
    let (mut compared, mut drawn) = (0, 0);
    while compared < count(400) {
        let program = Program::draw(&mut random, [4, 3, 2]);
        drawn += 1;
        compared += usize::from(compare(&program, memory, &format!("seed {seed}, program {drawn}")));
    }
}

#[test]
fn several_workers_make_as_many_runs_as_one_under_sc() {
    compare_many(seed(21), MODELS[0]);
}

#[test]
fn several_workers_make_as_many_runs_as_one_under_tso() {
    compare_many(seed(22), MODELS[1]);
}

#[test]
fn several_workers_make_as_many_runs_as_one_under_pso() {
    compare_many(seed(23), MODELS[2]);
}

/// The result of a comparison of orders in which workers make their runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    NotCompared,
    /// The workers reported that they may have missed a trace.
    Inconclusive,
    Equal,
}

/// Each trace is run exactly once, whichever worker makes the next run, and whichever worker gives work
/// away.
fn compare_orders(program: &Program, memory: MemoryModel, name: &str) -> Comparison {
    // A custom strategy does not find out by itself whether deadlines make a difference.
    let explorer = || {
        let explorer = Explorer::new().spin_for_ever(true).memory(memory).simplify(false);
        explorer.deadlines(program.needs_deadlines())
    };
    let one = explorer().max_executions(MAX_TRACES / 4).explore(|| program.run());
    if one.limit().is_some() || one.executions() < 4 || !program.joins {
        return Comparison::NotCompared;
    }
    for seed in 0..20 {
        let (team, runs) = team::Team::new(seed);
        explorer().strategy(Strategy::custom(team)).explore(|| program.run());
        let runs = runs.lock().expect("not poisoned");
        if runs.is_empty() {
            return Comparison::Inconclusive;
        }
        let name = || format!("{name} under {memory:?}, order {seed}: {program:#?}");
        assert_eq!(runs.len(), one.executions(), "{}", name());
        assert!(runs.values().all(|times| *times == 1), "{}", name());
    }
    Comparison::Equal
}

fn compare_orders_of_many(seed: u64, memory: MemoryModel) {
    let mut random = Random(seed);
    let (mut compared, mut doubts, mut drawn) = (0, 0, 0);
    while compared < count(150) {
        let program = match drawn % 2 {
            0 => Program::draw(&mut random, [4, 3, 2]),
            _ => Program::draw_of_few_kinds(&mut random),
        };
        drawn += 1;
        match compare_orders(&program, memory, &format!("seed {seed}, program {drawn}")) {
            Comparison::NotCompared => {}
            Comparison::Inconclusive => doubts += 1,
            Comparison::Equal => compared += 1,
        }
    }
    assert!(doubts * 10 < compared, "doubts are rare: {doubts} beside {compared}");
}

#[test]
fn every_order_of_workers_runs_each_trace_once_under_sc() {
    compare_orders_of_many(seed(31), MODELS[0]);
}

#[test]
fn every_order_of_workers_runs_each_trace_once_under_tso() {
    compare_orders_of_many(seed(32), MODELS[1]);
}

#[test]
fn every_order_of_workers_runs_each_trace_once_under_pso() {
    compare_orders_of_many(seed(33), MODELS[2]);
}

/// Beside a claimed sequence, threads have other alternatives; not every sleeping thread wakes up there.
#[test]
fn alternatives_beside_a_claimed_sequence_are_explored_once() {
    let waits = vec![
        vec![Op::NotifyAll(1), Op::WaitATime(1)],
        vec![Op::WaitFor(2)],
        vec![Op::WaitATime(1), Op::Lock(2)],
    ];
    let spawn = |op| Op::Spawn(Box::new(op));
    let spawns = vec![
        vec![Op::Store(0, 1, Ordering::Relaxed), Op::Choose],
        vec![spawn(Op::Store(0, 2, Ordering::Relaxed)), Op::Unpark(2), Op::Unpark(0)],
        vec![spawn(Op::Add(0, Ordering::AcqRel))],
    ];
    // Here the workers cannot always decide whether one sequence leads to another: object numbers differ
    // from run to run.
    let late = vec![
        vec![Op::WaitATime(1), Op::NotifyOne(0)],
        vec![Op::Lock(0)],
        vec![Op::NotifyOne(1)],
        vec![Op::NotifyOne(0)],
    ];
    // A sequence may be inserted behind another one before it is known that all alternatives of one of its
    // threads are explored.
    let alternatives =
        vec![vec![spawn(Op::ReadClock)], vec![Op::ParkATime], vec![Op::Unpark(1)], vec![Op::Unpark(2)]];
    for threads in [waits, spawns, late, alternatives] {
        let program = Program { threads, room: 2, joins: true, uses_all_first: false };
        for memory in MODELS {
            assert_ne!(compare_orders(&program, memory, "by hand"), Comparison::NotCompared);
        }
        // If the workers know all objects, they know enough to explore each of these programs without doubt.
        let program = Program { uses_all_first: true, ..program };
        if !program.threads.iter().flatten().any(Op::spawns) {
            assert_eq!(compare_orders(&program, MODELS[0], "by hand"), Comparison::Equal);
        }
    }
}

#[test]
fn an_inconclusive_exploration_is_repeated_with_one_worker() {
    let threads = vec![
        vec![Op::Fence(Ordering::SeqCst), Op::NotifyOne(0), Op::Exchange(0, 0, 1)],
        vec![Op::TryReceive, Op::WaitATime(0)],
        vec![Op::Exchange(0, 0, 1), Op::NotifyOne(0), Op::NotifyOne(0)],
    ];
    let program = Program { threads, room: 1, joins: true, uses_all_first: false };
    let mut doubts = 0;
    for _ in 0..20 {
        let report = Explorer::new().spin_for_ever(true).workers(4).simplify(false).explore(|| {
            // The other workers go on meanwhile: on a busy machine, one worker could make all runs alone.
            std::thread::sleep(std::time::Duration::from_micros(20));
            program.run()
        });
        assert_eq!(report.executions(), 618, "{report}");
        assert!(report.is_complete(), "{report}");
        doubts += usize::from(report.notes().iter().any(|note| note.contains("again with one worker")));
    }
    assert!(doubts > 0, "no exploration was repeated with one worker");
}

/// Runs this many threads with their numbers, and joins all.
fn spawn_all(threads: usize, work: impl Fn(usize) + Send + Sync) {
    thread::scope(|scope| {
        let work = &work;
        for number in 0..threads {
            scope.spawn(move || work(number));
        }
    });
}

/// Threads that each read, add one and write back: increments can be lost.
fn increments(threads: usize, times: usize) -> usize {
    let x = AtomicUsize::new(0);
    spawn_all(threads, |_| {
        for _ in 0..times {
            let read = x.load(Ordering::SeqCst);
            x.store(read + 1, Ordering::SeqCst);
        }
    });
    x.load(Ordering::SeqCst)
}

#[test]
fn without_reduction_too_each_run_is_made_once() {
    let explore = |workers| {
        let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::exhaustive());
        explorer.workers(workers).explore(|| increments(2, 2))
    };
    let one = explore(1);
    for workers in [2, 3, 4] {
        let many = explore(workers);
        assert!(many.is_complete());
        assert_eq!(many.executions(), one.executions(), "{workers} workers");
        assert!(many.outcomes().keys().eq(one.outcomes().keys()), "{workers} workers");
    }
}

#[test]
fn random_runs_do_not_depend_on_the_number_of_workers() {
    let strategies: [fn() -> Strategy; 3] =
        [|| Strategy::random(7, 300), || Strategy::swarm(7, 300), || Strategy::pos(7, 300)];
    for strategy in strategies {
        let explore = |workers| {
            let explorer = Explorer::new().strategy(strategy()).max_executions(200).workers(workers);
            explorer.explore(|| increments(3, 2))
        };
        let one = explore(1);
        assert_eq!((one.executions(), one.limit()), (200, Some(Limit::Executions)));
        for workers in [2, 3, 4] {
            let many = explore(workers);
            assert_eq!(many.outcomes(), one.outcomes(), "{workers} workers: {many}");
            assert_eq!((many.executions(), many.limit()), (200, Some(Limit::Executions)));
        }
    }
}

#[test]
fn runs_that_depend_on_earlier_runs_have_one_worker_and_the_report_says_so() {
    let explore = |workers| {
        Explorer::new().strategy(Strategy::pct(3, 7, 100)).workers(workers).explore(|| increments(2, 2))
    };
    let (one, many) = (explore(1), explore(4));
    assert_eq!((many.outcomes(), many.executions()), (one.outcomes(), 100));
    assert_eq!(
        many.notes(),
        ["pct(3, 7, 100) runs with one worker, not 4: each of its runs may depend on those before"]
    );
}

#[test]
fn the_shown_runs_do_not_depend_on_the_timing_of_workers() {
    let explore = || Explorer::new().memory(MemoryModel::Sc).workers(3).explore(|| increments(2, 3));
    let first = explore();
    assert_eq!(first.executions(), 328);
    for _ in 0..10 {
        assert_eq!(explore().outcomes(), first.outcomes());
    }
}

#[test]
fn a_limit_holds_for_all_workers_together() {
    let report = Explorer::new().max_executions(100).workers(4).explore(|| increments(3, 2));
    assert_eq!((report.executions() + report.given_up(), report.limit()), (100, Some(Limit::Executions)));
    assert!(!report.is_complete());
    let report = Explorer::new().max_time(std::time::Duration::ZERO).workers(2).explore(|| increments(2, 2));
    assert_eq!((report.executions(), report.limit()), (0, Some(Limit::Time)));
}

#[test]
fn the_filter_decides_which_outcomes_and_traces_are_kept() {
    let explorer = Explorer::new().memory(MemoryModel::Sc).workers(3);
    let report: Report<usize> = explorer.explore_keeping(
        || increments(2, 2),
        |outcome| match outcome.returned() {
            Some(2) => Keep::All,
            Some(3) => Keep::Outcome,
            _ => Keep::Nothing,
        },
    );
    let outcomes: Vec<(usize, bool)> = report
        .outcomes()
        .iter()
        .filter_map(|(outcome, trace)| Some((*outcome.returned()?, trace.is_empty())))
        .collect();
    assert_eq!((outcomes, report.executions()), (vec![(2, false), (3, true)], 34));
}

#[test]
fn the_first_failure_stops_all_workers() {
    let body = || assert_eq!(increments(3, 2), 6);
    let report = Explorer::new().stop_at_failure(true).workers(4).explore(body);
    assert!(report.outcomes().keys().any(|outcome| matches!(outcome, Outcome::Panicked(_))), "{report}");
    assert!(!report.is_complete() && report.limit().is_none(), "{report}");
}

/// The message with which an exploration with several workers is refused.
fn refusal(body: impl Fn() + Send + Sync) -> String {
    let refused = catch_unwind(AssertUnwindSafe(|| Explorer::new().workers(3).explore(body)));
    let payload = refused.expect_err("it is refused");
    payload
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| payload.downcast_ref::<&str>().unwrap().to_string())
}

#[test]
fn an_object_that_runs_of_several_workers_share_is_refused() {
    let count = AtomicUsize::new(0);
    let message = refusal(|| {
        increments(2, 2);
        count.fetch_add(1, Ordering::SeqCst);
    });
    assert!(message.contains("carries its state") || message.contains("used by several runs"), "{message}");
    let lock = Mutex::new(());
    let message = refusal(|| {
        let _guard = lock.lock();
        increments(2, 2);
    });
    assert!(message.contains("this mutex") && message.contains("is used by several runs"), "{message}");
    static LOCK: Mutex<[u8; 0]> = Mutex::new([]);
    let message = refusal(|| {
        let _guard = LOCK.lock();
        increments(2, 2);
    });
    assert!(
        message.contains("this static mutex") && message.contains("is used by several runs"),
        "{message}"
    );
}

#[test]
fn a_program_that_is_not_deterministic_is_refused() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let message = refusal(|| {
        if calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) % 7 == 6 {
            thread::yield_now();
        }
        increments(2, 3);
    });
    assert!(message.contains("the program is not deterministic"), "{message}");
}

#[test]
fn a_body_that_panics_in_runs_of_several_workers_is_an_outcome() {
    let body = || {
        let value = increments(2, 2);
        assert!(value > 2, "lost some");
        value
    };
    let report = Explorer::new().memory(MemoryModel::Sc).workers(4).explore(body);
    assert_eq!(report.executions(), 34);
    assert!(report.is_complete());
    assert!(report.outcomes().contains_key(&Outcome::Panicked("lost some".to_owned())), "{report}");
}

#[test]
fn deadlocks_are_found_by_several_workers() {
    let body = || {
        let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
        spawn_all(2, |number| {
            let _one = locks[number].lock().unwrap();
            let _other = locks[1 - number].lock().unwrap();
        });
    };
    let report = Explorer::new().workers(2).explore(body);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(()), &Outcome::Deadlock]);
    let one = Explorer::new().explore(body);
    assert_eq!(report.executions(), one.executions());
}

#[selvedge::test(workers = 2)]
fn a_test_can_have_several_workers() {
    increments(2, 2);
}

#[cfg(unix)]
#[test]
fn several_workers_have_no_child_processes() {
    let refused = catch_unwind(|| Explorer::new().in_child_process(true).workers(2).explore(|| ()));
    let payload = refused.expect_err("it is refused");
    let message = payload.downcast_ref::<&str>().expect("a message");
    assert!(message.contains("works with one worker"), "{message}");
}
