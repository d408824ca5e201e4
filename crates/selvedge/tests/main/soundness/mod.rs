//! The reduction finds the outcomes that the exhaustive strategy finds, with one run for each Mazurkiewicz
//! trace.

#![cfg(feature = "check")]

pub(crate) mod bounded;
mod daemons;
pub(crate) mod looks;
pub(crate) mod machine;
pub(crate) mod program;
pub(crate) mod reference;
mod run;
mod statics;
pub(crate) mod steps;
pub(crate) mod traces;
mod unjoined;

use program::{Op, Program, SMALL};
use selvedge::sync::Arc;
use selvedge::sync::atomic::AtomicPtr;
use selvedge::sync::atomic::Ordering::{AcqRel, Acquire, SeqCst};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::atomic::Ordering;
use traces::TraceCounter;

type Outcomes = BTreeSet<Outcome<Vec<Vec<u32>>>>;

/// An explorer by the plain semantics of programs: a yield that waits for a change that never comes is a
/// livelock, even if no step comes after it.
fn explorer() -> Explorer {
    Explorer::new().spin_for_ever(true)
}

/// The size up to which programs are compared.
#[derive(Clone, Copy)]
struct SizeLimit {
    /// Runs of the exhaustive search.
    runs: u64,
    /// States that the reference stores.
    states: usize,
}

/// For the smallest programs, none of which is left out.
const SMALLEST: SizeLimit = SizeLimit { runs: 20_000, states: 20_000 };

/// For random programs: there are many, so most are small and few are large.
fn draw_size_limit(random: &mut Random) -> SizeLimit {
    let runs = match random.below(100) {
        Some(0) => 20_000,
        Some(1..10) => 2_000,
        _ => 500,
    };
    SizeLimit { runs, states: 10_000 }
}

/// For random programs that are too large for exhaustive search: `runs` limits the runs of the reduction.
fn draw_large_size_limit(random: &mut Random) -> SizeLimit {
    match random.below(20) {
        Some(0) => SizeLimit { runs: 3_000, states: 100_000 },
        _ => SizeLimit { runs: 300, states: 10_000 },
    }
}

/// All outcomes, the number of runs, and the number of traces, by exhaustive search; `None` if there are too
/// many runs.
fn explore_exhaustively(
    program: &Program,
    memory: MemoryModel,
    max_runs: u64,
) -> Option<(Outcomes, usize, usize)> {
    let (counting, traces) = TraceCounter::new();
    // The strategy does not find out by itself whether deadlines make a difference.
    let explorer = self::explorer().deadlines(program.needs_deadlines());
    let explorer = explorer.memory(memory).strategy(Strategy::custom(counting)).max_executions(max_runs);
    let report = explorer.explore(|| program.run());
    if report.limit().is_some() {
        return None;
    }
    let traces = traces.lock().expect("not poisoned").len();
    Some((outcomes_of(&report), report.executions(), traces))
}

fn outcomes_of(report: &Report<Vec<Vec<u32>>>) -> Outcomes {
    report.outcomes().keys().cloned().collect()
}

/// `Ok`: was the program small enough to be compared? `Err`: the difference.
type Compared = Result<bool, String>;

/// Compares the reduction with exhaustive search, and both with the reference, if it covers the whole
/// program.
fn compare(program: &Program, memory: MemoryModel, limit: SizeLimit) -> Compared {
    let is_known = program.threads.iter().flatten().all(Op::is_known_to_reference);
    let judged = if is_known { reference::judge(program, memory, limit.states) } else { None };
    if is_known && judged.as_ref().is_none_or(|judged| judged.runs > limit.runs) {
        return Ok(false);
    }
    let Some((expected, runs, traces)) = explore_exhaustively(program, memory, limit.runs) else {
        return Ok(false);
    };
    if let Some(judged) = &judged {
        check_equal("outcomes, by brute force and by the reference", &expected, &judged.outcomes())?;
        let has_other_steps = program.threads.iter().flatten().any(Op::has_other_steps_than_reference);
        // The reference lets time pass by steps of its own.
        if program.joins && !has_other_steps && !program.needs_deadlines() {
            check_equal("runs, by brute force and by the reference", &(runs as u64), &judged.runs)?;
        }
    }
    compare_deadlines(program, memory, limit, &expected)?;
    let report = explorer().memory(memory).strategy(Strategy::systematic()).explore(|| program.run());
    check_equal("outcomes, by the reduction and by brute force", &outcomes_of(&report), &expected)?;
    check_equal("completeness", &report.is_complete(), &true)?;
    if program.joins {
        let figures = report.figures().expect("figures");
        // If it is ambiguous whether one run leads to another, some traces are run twice.
        let runs = report.executions();
        let runs = if figures.ambiguous_reversals == 0 { runs } else { runs.min(traces) };
        check_equal("runs, one for each trace", &runs, &traces)?;
        // If the clock is read beside a timed wait, some runs are given up.
        let reads_clock = program.threads.iter().flatten().any(|op| matches!(op, Op::ReadClock));
        if figures.ambiguous_reversals == 0 && !reads_clock {
            check_equal("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
        }
    }
    Ok(true)
}

/// If a program with timed waits does not read the clock: it has the same outcomes if its waits end by their
/// deadlines.
fn compare_deadlines(
    program: &Program,
    memory: MemoryModel,
    limit: SizeLimit,
    expected: &Outcomes,
) -> Result<(), String> {
    if !program.has_timed_waits() || program.reads_clock() {
        return Ok(());
    }
    let report = explorer().deadlines(true).memory(memory).max_executions(limit.runs);
    let report = report.explore(|| program.run());
    if report.limit().is_none() {
        check_equal("outcomes, with deadlines and without", &outcomes_of(&report), expected)?;
    }
    let is_known = program.threads.iter().flatten().all(Op::is_known_to_reference);
    if is_known && let Some(judged) = reference::judge_with(program, memory, limit.states, true) {
        check_equal("outcomes, by a reference with deadlines", &judged.outcomes(), expected)?;
    }
    Ok(())
}

/// Compares the reduction with the reference.
fn compare_large(program: &Program, memory: MemoryModel, limit: SizeLimit) -> Compared {
    if !program.threads.iter().flatten().all(Op::is_known_to_reference) {
        return Ok(false);
    }
    let Some(judged) = reference::judge(program, memory, limit.states) else { return Ok(false) };
    let explorer = self::explorer().memory(memory).strategy(Strategy::systematic());
    let report = explorer.max_executions(limit.runs).explore(|| program.run());
    if report.limit().is_some() {
        return Ok(false);
    }
    check_equal(
        "outcomes, by the reduction and by the reference",
        &outcomes_of(&report),
        &judged.outcomes(),
    )?;
    check_equal("completeness", &report.is_complete(), &true)?;
    // Otherwise the numbers of objects differ from run to run, and some runs are given up.
    if program.joins && program.uses_all_first {
        let figures = report.figures().expect("figures");
        check_equal("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
    }
    Ok(true)
}

/// Compares the outcomes under the three memory models: each is a subset of the outcomes under the next
/// weaker model.
fn compare_models(program: &Program) -> Compared {
    let outcomes = MODELS.map(|memory| {
        let report = explorer().memory(memory).max_executions(100).explore(|| program.run());
        report.limit().is_none().then(|| outcomes_of(&report))
    });
    let [Some(sc), Some(tso), Some(pso)] = outcomes else { return Ok(false) };
    check_equal("outcomes under TSO, and those of SC with them", &tso, &(&tso | &sc))?;
    check_equal("outcomes under PSO, and those of TSO with them", &pso, &(&pso | &tso))?;
    Ok(true)
}

fn check_equal<T: PartialEq + Debug>(what: &str, actual: &T, expected: &T) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("{what}:\n  {actual:?}\n  {expected:?}")) }
}

/// Compares `count` random programs, with at most these many operations a thread for 2, 3 and 4 threads.
fn compare_many(
    number: u64,
    count: usize,
    max_ops: [usize; 3],
    compare: impl Fn(&Program, &mut Random) -> Compared,
) {
    compare_generated(number, count, |random| Program::draw(random, max_ops), compare);
}

/// Compares `count` random programs of this generator, skipping programs that are too large.
fn compare_generated(
    number: u64,
    count: usize,
    draw: impl Fn(&mut Random) -> Program,
    compare: impl Fn(&Program, &mut Random) -> Compared,
) {
    let seed = seed(number);
    let mut random = Random(seed);
    let (mut compared, mut drawn) = (0, 0);
    while compared < count {
        let program = draw(&mut random);
        drawn += 1;
        let limits = random.clone();
        match compare(&program, &mut random) {
            Ok(is_compared) => compared += usize::from(is_compared),
            Err(_) => panic!(
                "seed {seed}, program {drawn}: {}",
                shrink(program, |program| { compare(program, &mut limits.clone()).err() })
            ),
        }
    }
    assert!(compared * 4 > drawn, "many programs are small enough: {compared} of {drawn}");
}

/// Removes operations as long as there is a difference. Returns the shrunk program, and the difference.
fn shrink(mut program: Program, difference: impl Fn(&Program) -> Option<String>) -> String {
    while let Some(smaller) = program.smaller().into_iter().find(|smaller| difference(smaller).is_some()) {
        program = smaller;
    }
    format!("{program:?}\n{}", difference(&program).unwrap_or_default())
}

/// The number of programs of each test: ten times as many if `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 10 } else { usual }
}

/// The seed of a test: shifted by `SELVEDGE_SEED` if that is set.
fn seed(number: u64) -> u64 {
    let other =
        std::env::var("SELVEDGE_SEED").map_or(0, |text| text.parse().expect("SELVEDGE_SEED is a number"));
    number + 1_000 * other
}

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

#[test]
fn the_reduction_finds_all_outcomes_of_every_program_of_two_threads_with_one_operation_each() {
    let ops = program::all_ops();
    for one in &ops {
        for other in &ops {
            let threads = vec![vec![one.clone()], vec![other.clone()]];
            let program = Program { threads, room: 1, joins: true, uses_all_first: false };
            for memory in MODELS {
                assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "{program:?} under {memory:?}");
            }
        }
    }
}

#[test]
fn the_reduction_finds_what_exhaustive_search_finds_under_sc() {
    compare_random(1, 7000, MemoryModel::Sc);
}

#[test]
fn the_reduction_finds_what_exhaustive_search_finds_under_tso() {
    compare_random(3, 7000, MemoryModel::Tso);
}

#[test]
fn the_reduction_finds_what_exhaustive_search_finds_under_pso() {
    compare_random(4, 6000, MemoryModel::Pso);
}

fn compare_random(number: u64, usual: usize, memory: MemoryModel) {
    compare_many(number, count(usual), SMALL, |program, random| {
        compare(program, memory, draw_size_limit(random))
    });
}

#[test]
fn the_reduction_finds_what_the_reference_finds_in_large_programs() {
    for (number, memory) in (10..).zip(MODELS) {
        compare_many(number, count(250), [4, 4, 4], |program, random| {
            let uses_all_first = random.below(2) == Some(0);
            compare_large(
                &Program { uses_all_first, ..program.clone() },
                memory,
                draw_large_size_limit(random),
            )
        });
    }
}

#[test]
fn a_writer_is_reversed_before_two_readers_together() {
    let threads = vec![vec![Op::ReadBoth(0, 1)], vec![Op::ReadBoth(1, 0)], vec![Op::ReadBoth(0, 1)]];
    let program = Program { threads, room: 0, joins: true, uses_all_first: false };
    for memory in MODELS {
        assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

#[test]
fn a_weaker_memory_model_has_all_outcomes_of_a_stronger_one() {
    compare_many(8, count(1000), SMALL, |program, _| compare_models(program));
}

#[test]
fn a_read_of_the_clock_depends_on_both_ends_of_a_timed_wait() {
    let threads = vec![vec![Op::Unpark(0), Op::ParkATime], vec![Op::ReadClock]];
    let program = Program { threads, room: 0, joins: true, uses_all_first: false };
    for memory in MODELS {
        assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

/// Timed waits and the clock, drawn more often here than elsewhere.
const TIMES: [Op; 12] = [
    Op::ReadClock,
    Op::ReadClock,
    Op::Sleep(1),
    Op::Sleep(2),
    Op::ReceiveATime,
    Op::Send(1),
    Op::TrySend(2),
    Op::WaitATime(0),
    Op::NotifyOne(0),
    Op::ParkATime,
    Op::Unpark(0),
    Op::Lock(0),
];

#[test]
fn the_reduction_finds_all_outcomes_of_programs_with_timed_waits() {
    compare_all_generated(40, count(300), MemoryModel::Sc, |random| Program::draw_of(random, &TIMES));
}

#[test]
fn the_reduction_finds_all_outcomes_of_programs_of_few_kinds_of_operations() {
    for (number, memory) in (41..).zip(MODELS) {
        compare_all_generated(number, count(200), memory, Program::draw_of_few_kinds);
    }
}

/// Each thread that uses a channel has a sender, which is dropped when the thread ends.
#[test]
fn the_reduction_finds_all_outcomes_when_senders_are_dropped() {
    let ops = [
        Op::Send(1),
        Op::Send(2),
        Op::TrySend(3),
        Op::Receive,
        Op::Receive,
        Op::TryReceive,
        Op::ReceiveATime,
        Op::Yield,
        Op::Store(0, 1, Ordering::Relaxed),
    ];
    for (number, memory) in (60..).zip(MODELS) {
        compare_all_generated(number, count(200), memory, |random| {
            let room = random.below(3).unwrap_or(0);
            Program { room, ..Program::draw_of(random, &ops) }
        });
        compare_all_generated(number + 3, count(200), memory, |random| {
            let room = random.below(3).unwrap_or(0);
            Program { room, ..Program::draw_of_two_threads(random, &ops) }
        });
    }
}

#[test]
fn the_reduction_finds_all_outcomes_when_writers_wait_for_readers() {
    let ops = [
        Op::Read(0),
        Op::ReadTwice(0),
        Op::Write(0),
        Op::Write(0),
        Op::TryRead(0),
        Op::TryWrite(0),
        Op::Downgrade(0),
        Op::ReadBoth(0, 1),
        Op::ReadBoth(1, 0),
        Op::Yield,
        Op::Store(0, 1, Ordering::Relaxed),
    ];
    for (number, memory) in (80..).zip(MODELS) {
        compare_all_generated(number, count(300), memory, |random| Program::draw_of(random, &ops));
        compare_all_generated(number + 3, count(300), memory, |random| {
            Program::draw_of_two_threads(random, &ops)
        });
    }
}

#[test]
fn a_reader_is_reversed_before_two_writers_that_wait_together() {
    let threads = vec![vec![Op::Read(0)], vec![Op::Write(0)], vec![Op::Write(0)], vec![Op::TryRead(0)]];
    let program = Program { threads, room: 0, joins: true, uses_all_first: true };
    for memory in MODELS {
        assert_eq!(compare_large(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

#[test]
fn the_reduction_finds_all_outcomes_when_yields_wait_for_several_objects() {
    use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
    let reads =
        [Op::Load(0, Relaxed), Op::Load(1, Acquire), Op::Load(2, SeqCst), Op::TryLock(0), Op::TryReceive];
    let changes = [Op::Store(0, 1, Relaxed), Op::Store(1, 1, Release), Op::Store(2, 1, SeqCst)];
    let unchanged_writes = [Op::Exchange(0, 1, 1), Op::Exchange(1, 0, 1), Op::Swap(2, 1), Op::Swap(0, 0)];
    let others = [Op::Add(0, Relaxed), Op::Lock(0), Op::Send(1), Op::Yield, Op::Yield, Op::Yield, Op::Yield];
    let ops: Vec<Op> = [&reads[..], &reads[..3], &changes, &unchanged_writes, &others].concat();
    for (number, memory) in (50..).zip(MODELS) {
        compare_all_generated(number, count(300), memory, |random| Program::draw_of(random, &ops));
        compare_all_generated(number + 3, count(300), memory, |random| {
            Program::draw_of_two_threads(random, &ops)
        });
    }
}

/// The exchange succeeds and stores the old value; only the store wakes the thread that waits at its yield.
#[test]
fn an_update_that_stores_the_old_value_wakes_no_spinning_thread() {
    use std::sync::atomic::Ordering::Relaxed;
    let threads = vec![
        vec![Op::Store(0, 1, Ordering::Release)],
        vec![Op::Load(2, Relaxed), Op::Load(0, SeqCst), Op::Yield],
        vec![Op::Yield, Op::Store(2, 1, Ordering::Release), Op::Load(0, Acquire)],
        vec![Op::Load(0, Relaxed), Op::Exchange(2, 1, 1)],
    ];
    for uses_all_first in [false, true] {
        let program = Program { threads: threads.clone(), room: 1, joins: true, uses_all_first };
        for memory in MODELS {
            let limit = SizeLimit { runs: 100_000, states: 100_000 };
            assert_eq!(compare_large(&program, memory, limit), Ok(true), "{memory:?} {uses_all_first}");
        }
    }
}

/// A thread's own store gives its yield no reason to go on, whether it is committed before or after the
/// thread reads it, and whatever other threads committed before.
#[test]
fn the_commit_of_an_own_store_wakes_no_spinning_thread() {
    use std::sync::atomic::Ordering::Relaxed;
    let reads = vec![Op::Store(0, 1, Relaxed), Op::Yield, Op::Load(0, Relaxed), Op::Yield];
    for threads in [vec![reads.clone()], vec![reads, vec![Op::Store(0, 2, Relaxed)]]] {
        let program = Program { threads, room: 1, joins: true, uses_all_first: true };
        for memory in MODELS {
            assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "{memory:?}");
        }
    }
}

/// Compares `count` random programs of this generator.
fn compare_all_generated(
    number: u64,
    count: usize,
    memory: MemoryModel,
    draw: impl Fn(&mut Random) -> Program,
) {
    let seed = seed(number);
    let mut random = Random(seed);
    for number in 0..count {
        let program = draw(&mut random);
        let compare = |program: &Program| compare(program, memory, SizeLimit { runs: 2_000, ..SMALLEST });
        if compare(&program).is_err() {
            panic!("seed {seed}, program {number}: {}", shrink(program, |program| compare(program).err()));
        }
    }
}

#[test]
fn a_wait_changes_the_lock_that_it_releases() {
    let threads = vec![vec![Op::WaitATime(0)], vec![Op::TryLock(0), Op::Yield]];
    let program = Program { threads, room: 1, joins: true, uses_all_first: false };
    for memory in MODELS {
        assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

/// A run numbers objects in the order of their first use. The outcomes do not depend on whether the body or
/// a thread uses an object first.
fn compare_first_uses(program: &Program, max_runs: u64) -> Compared {
    let explore = |uses_all_first| {
        let program = Program { uses_all_first, joins: true, ..program.clone() };
        let explorer = self::explorer().memory(MemoryModel::Sc).simplify(false).max_executions(max_runs);
        explorer.explore(|| program.run())
    };
    let early = explore(true);
    if early.limit().is_some() {
        return Ok(false);
    }
    let late = explore(false);
    check_equal("completeness", &late.is_complete(), &true)?;
    check_equal("outcomes where threads meet objects first", &outcomes_of(&late), &outcomes_of(&early))?;
    // If it is ambiguous whether one run leads to another, some traces are run twice.
    let is_exact = late.figures().expect("figures").ambiguous_reversals == 0;
    let runs = if is_exact { late.executions() } else { late.executions().min(early.executions()) };
    check_equal("runs where threads meet objects first", &runs, &early.executions())?;
    Ok(true)
}

#[test]
fn the_first_user_of_an_object_makes_no_difference() {
    let number = 50;
    compare_many(number, count(600), SMALL, |program, _| compare_first_uses(program, 1_000));
}

#[test]
fn the_event_after_a_race_reversal_may_have_another_object() {
    use Op::{Lock, NotifyOne, Wait, WaitATime, WaitFor};
    let threads = vec![
        vec![Lock(2), NotifyOne(0)],
        vec![WaitFor(2), NotifyOne(0)],
        vec![NotifyOne(0), Wait(2)],
        vec![WaitATime(2)],
    ];
    let program = Program { threads, room: 1, joins: true, uses_all_first: false };
    assert_eq!(compare_first_uses(&program, 1_000), Ok(true));
}

#[test]
fn ambiguous_race_reversals_are_explored() {
    use Op::{Lock, NotifyAll, NotifyOne, Wait, WaitATime, WaitFor, Yield};
    let programs = [
        vec![
            vec![NotifyOne(2)],
            vec![NotifyOne(1), NotifyOne(2), Lock(2)],
            vec![NotifyOne(2), NotifyAll(1), NotifyOne(1)],
        ],
        vec![vec![NotifyOne(1), Wait(1)], vec![WaitFor(0)], vec![NotifyOne(0)], vec![Wait(1), Wait(0)]],
        vec![
            vec![NotifyOne(1), NotifyOne(0)],
            vec![NotifyOne(2), NotifyOne(1)],
            vec![NotifyOne(0), Lock(0)],
            vec![NotifyOne(1), Wait(2)],
        ],
        vec![
            vec![NotifyOne(1), Yield],
            vec![NotifyAll(0), NotifyOne(1)],
            vec![WaitATime(1), WaitFor(0)],
            vec![Yield, WaitFor(1)],
        ],
    ];
    let store = Op::Spawn(Box::new(Op::Store(1, 2, Ordering::Relaxed)));
    let spawned = vec![
        vec![store],
        vec![Op::Exchange(0, 1, 1), Op::ReadBoth(1, 0)],
        vec![Op::Send(2)],
        vec![Op::Write(0), Op::Swap(0, 1)],
    ];
    for threads in programs.into_iter().chain([spawned]) {
        let program = Program { threads, room: 2, joins: true, uses_all_first: false };
        assert_eq!(compare_first_uses(&program, 5_000), Ok(true), "{program:?}");
    }
}

#[test]
fn a_load_of_a_buffered_store_is_reversed() {
    use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    let threads = vec![
        vec![Op::Store(0, 2, Relaxed), Op::Store(1, 2, Relaxed), Op::Swap(1, 2)],
        vec![Op::Load(1, SeqCst), Op::Add(0, AcqRel), Op::Load(1, Acquire)],
        vec![Op::Store(1, 2, Release), Op::Load(1, Acquire)],
    ];
    let program = Program { threads, room: 0, joins: true, uses_all_first: false };
    let report = explorer().memory(MemoryModel::Pso).simplify(false).explore(|| program.run());
    assert_eq!((report.executions(), report.is_complete()), (112, true), "{report}");
}

#[test]
fn the_event_after_a_race_reversal_is_the_next_event_of_its_thread() {
    use Op::{LockBoth, ReadBoth, TryLock, TryRead};
    let threads = vec![
        vec![LockBoth(0, 1)],
        vec![LockBoth(0, 2)],
        vec![LockBoth(0, 0), ReadBoth(1, 2)],
        vec![TryRead(2), TryLock(2)],
    ];
    let program = Program { threads, room: 1, joins: true, uses_all_first: true };
    for memory in MODELS {
        assert_eq!(compare_large(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

#[test]
fn values_that_differ_between_runs_lose_no_outcome() {
    let report = selvedge::explore(|| {
        let shared = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(0_u32))));
        // To know whether a pointer is the first one is to know the value it points to.
        let first = shared.load(SeqCst).expose_provenance();
        let read = |shared: &Arc<AtomicPtr<u32>>| {
            let shared = shared.clone();
            thread::spawn(move || shared.load(Acquire).addr() == first)
        };
        let one = read(&shared);
        let other = shared.clone();
        let writer = thread::spawn(move || {
            let old = other.load(Acquire);
            other.compare_exchange(old, Box::into_raw(Box::new(1)), AcqRel, Acquire).is_ok()
        });
        let two = read(&shared);
        let (one, two) = (one.join().unwrap(), two.join().unwrap());
        assert!(writer.join().unwrap());
        (one, two)
    });
    assert!(report.is_complete());
    let all = [(false, false), (false, true), (true, false), (true, true)];
    assert_eq!(report.values().copied().collect::<Vec<_>>(), all);
    assert_eq!(report.executions(), 4);
}
