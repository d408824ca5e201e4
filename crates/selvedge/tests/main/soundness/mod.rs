//! The reduction finds what the exhaustive strategy finds, with one run for each trace.

#![cfg(feature = "check")]

pub(crate) mod machine;
pub(crate) mod program;
pub(crate) mod reference;
pub(crate) mod steps;
pub(crate) mod traces;

use program::{Op, Program, SMALL};
use selvedge::sync::Arc;
use selvedge::sync::atomic::AtomicPtr;
use selvedge::sync::atomic::Ordering::{AcqRel, Acquire, SeqCst};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::atomic::Ordering;
use traces::Counting;

type Seen = BTreeSet<Outcome<Vec<Vec<u32>>>>;

/// Explorations of what programs mean: a yield that waits for a change that never comes is a livelock, even if nothing comes after it.
fn explorer() -> Explorer {
    Explorer::new().spin_for_ever(true)
}

/// How large a program may be that is compared.
#[derive(Clone, Copy)]
struct Most {
    /// Runs that are made by brute force.
    runs: u64,
    /// States that the reference stores.
    states: usize,
}

/// For the smallest programs, none of which is left out.
const SMALLEST: Most = Most { runs: 20_000, states: 20_000 };

/// For random programs: there are many, so most are small and few are large.
fn most(random: &mut Random) -> Most {
    let runs = match random.below(100) {
        Some(0) => 20_000,
        Some(1..10) => 2_000,
        _ => 500,
    };
    Most { runs, states: 10_000 }
}

/// For random programs that are too large for brute force: the runs are those of the reduction.
fn most_of_large(random: &mut Random) -> Most {
    match random.below(20) {
        Some(0) => Most { runs: 3_000, states: 100_000 },
        _ => Most { runs: 300, states: 10_000 },
    }
}

/// All outcomes, how many runs and how many traces there are; nothing if there are too many runs.
fn by_brute_force(program: &Program, memory: MemoryModel, max_runs: u64) -> Option<(Seen, usize, usize)> {
    let (counting, traces) = Counting::new();
    let explorer =
        self::explorer().memory(memory).strategy(Strategy::custom(counting)).max_executions(max_runs);
    let report = explorer.explore(|| program.run());
    if report.limit().is_some() {
        return None;
    }
    let traces = traces.lock().expect("whole").len();
    Some((seen(&report), report.executions(), traces))
}

fn seen(report: &Report<Vec<Vec<u32>>>) -> Seen {
    report.outcomes().keys().cloned().collect()
}

/// Was the program small enough to be compared? If there was a difference, what it is.
type Compared = Result<bool, String>;

/// Compares the reduction with brute force, and both with the reference, if that knows all of the program.
fn compare(program: &Program, memory: MemoryModel, most: Most) -> Compared {
    let is_known = program.threads.iter().flatten().all(Op::is_known_to_reference);
    let judged = if is_known { reference::judge(program, memory, most.states) } else { None };
    if is_known && judged.as_ref().is_none_or(|judged| judged.runs > most.runs) {
        return Ok(false);
    }
    let Some((expected, runs, traces)) = by_brute_force(program, memory, most.runs) else { return Ok(false) };
    if let Some(judged) = &judged {
        same("outcomes, by brute force and by the reference", &expected, &judged.outcomes())?;
        if program.joins && !program.threads.iter().flatten().any(Op::is_counted_otherwise) {
            same("runs, by brute force and by the reference", &(runs as u64), &judged.runs)?;
        }
    }
    let report = explorer().memory(memory).strategy(Strategy::systematic()).explore(|| program.run());
    same("outcomes, by the reduction and by brute force", &seen(&report), &expected)?;
    same("completeness", &report.is_complete(), &true)?;
    if program.joins {
        let figures = report.figures().expect("figures");
        // Where it cannot be told whether one run leads to another, some are made twice.
        let runs = report.executions();
        let runs = if figures.ambiguous_reversals == 0 { runs } else { runs.min(traces) };
        same("runs, one for each trace", &runs, &traces)?;
        // Where several threads spawn others, these have other numbers from run to run, and some runs are given up; and so are some
        // where the clock is read beside who waits for a time.
        let is_told = !program.threads.iter().flatten().any(|op| op.spawns() || matches!(op, Op::ReadClock));
        if figures.ambiguous_reversals == 0 && is_told {
            same("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
        }
    }
    Ok(true)
}

/// Compares the reduction with the reference.
fn compare_large(program: &Program, memory: MemoryModel, most: Most) -> Compared {
    if !program.threads.iter().flatten().all(Op::is_known_to_reference) {
        return Ok(false);
    }
    let Some(judged) = reference::judge(program, memory, most.states) else { return Ok(false) };
    let explorer = self::explorer().memory(memory).strategy(Strategy::systematic());
    let report = explorer.max_executions(most.runs).explore(|| program.run());
    if report.limit().is_some() {
        return Ok(false);
    }
    same("outcomes, by the reduction and by the reference", &seen(&report), &judged.outcomes())?;
    same("completeness", &report.is_complete(), &true)?;
    // Otherwise the numbers of objects or threads differ from run to run, and some runs are given up.
    let is_told = program.uses_all_first && !program.threads.iter().flatten().any(Op::spawns);
    if program.joins && is_told {
        let figures = report.figures().expect("figures");
        same("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
    }
    Ok(true)
}

/// Compares the reduction within bounds with all runs within the same bounds.
fn compare_bounded(program: &Program, memory: MemoryModel, bounds: Bounds) -> Compared {
    let explore = |strategy: Strategy| {
        let explorer = self::explorer().memory(memory).strategy(strategy.bounded(bounds));
        explorer.max_executions(1_000).explore(|| program.run())
    };
    let all = explore(Strategy::exhaustive());
    if all.limit().is_some() {
        return Ok(false);
    }
    let report = explore(Strategy::systematic());
    same(
        &format!("outcomes within {bounds:?}, by the reduction and by brute force"),
        &seen(&report),
        &seen(&all),
    )?;
    same("no more runs", &report.executions().max(all.executions()), &all.executions())?;
    Ok(true)
}

/// Compares what there is under each model.
fn compare_models(program: &Program) -> Compared {
    let outcomes = MODELS.map(|memory| {
        let report = explorer().memory(memory).max_executions(100).explore(|| program.run());
        report.limit().is_none().then(|| seen(&report))
    });
    let [Some(sc), Some(tso), Some(pso)] = outcomes else { return Ok(false) };
    same("outcomes under TSO, and those of SC with them", &tso, &(&tso | &sc))?;
    same("outcomes under PSO, and those of TSO with them", &pso, &(&pso | &tso))?;
    Ok(true)
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}:\n  {found:?}\n  {expected:?}")) }
}

/// Compares so many random programs, with at most so many operations for each of 2, 3 and 4 threads.
fn compare_many(
    number: u64,
    count: usize,
    most: [usize; 3],
    compare: impl Fn(&Program, &mut Random) -> Compared,
) {
    compare_as_drawn(number, count, |random| Program::draw(random, most), compare);
}

/// Compares so many random programs that are drawn like this, each if it is small enough.
fn compare_as_drawn(
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
                smallest(program, |program| { compare(program, &mut limits.clone()).err() })
            ),
        }
    }
    assert!(compared * 4 > drawn, "many programs are small enough: {compared} of {drawn}");
}

/// Drops operations while there is a difference. Returns the program that is left, and the difference.
fn smallest(mut program: Program, difference: impl Fn(&Program) -> Option<String>) -> String {
    while let Some(smaller) = program.smaller().into_iter().find(|smaller| difference(smaller).is_some()) {
        program = smaller;
    }
    format!("{program:?}\n{}", difference(&program).unwrap_or_default())
}

/// How many programs of each test: ten times as many where `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 10 } else { usual }
}

/// The seed of a test: other programs where `SELVEDGE_SEED` is a number.
fn seed(number: u64) -> u64 {
    let other =
        std::env::var("SELVEDGE_SEED").map_or(0, |text| text.parse().expect("SELVEDGE_SEED is a number"));
    number + 1_000 * other
}

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

#[test]
fn the_reduction_finds_all_in_every_program_of_two_threads_with_one_operation_each() {
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
fn the_reduction_finds_all_that_brute_force_finds_under_sc() {
    compare_random(1, 7000, MemoryModel::Sc);
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_tso() {
    compare_random(3, 7000, MemoryModel::Tso);
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_pso() {
    compare_random(4, 6000, MemoryModel::Pso);
}

fn compare_random(number: u64, usual: usize, memory: MemoryModel) {
    compare_many(number, count(usual), SMALL, |program, random| compare(program, memory, most(random)));
}

#[test]
fn the_reduction_finds_all_that_the_reference_finds_in_large_programs() {
    for (number, memory) in (10..).zip(MODELS) {
        compare_many(number, count(250), [4, 4, 4], |program, random| {
            let uses_all_first = random.below(2) == Some(0);
            compare_large(&Program { uses_all_first, ..program.clone() }, memory, most_of_large(random))
        });
    }
}

#[test]
fn the_reduction_within_bounds_finds_all_that_is_within_them() {
    for (number, memory) in (5..).zip(MODELS) {
        compare_many(number, count(700), SMALL, |program, random| {
            compare_bounded(program, memory, draw_bounds(random))
        });
    }
}

fn draw_bounds(random: &mut Random) -> Bounds {
    let mut bound = |most: usize| random.below(2).unwrap_or(0).checked_sub(1).and(random.below(most));
    Bounds { preemptions: bound(4), yields: bound(2), length: bound(30) }
}

#[test]
fn the_body_returns_early_where_its_return_would_come_too_late() {
    let store = Op::Store(0, 1, Ordering::Release);
    let threads = vec![vec![store, Op::Unpark(1), Op::Choose, Op::Yield]];
    let program = Program { threads, room: 2, joins: false, uses_all_first: false };
    for (memory, length) in MODELS.into_iter().flat_map(|memory| (0..12).map(move |length| (memory, length)))
    {
        let bounds = Bounds { length: Some(length), ..Bounds::NONE };
        assert_eq!(compare_bounded(&program, memory, bounds), Ok(true), "under {memory:?}");
    }
}

#[test]
fn who_waits_for_its_own_stores_is_left_for_others_at_no_cost() {
    let threads = vec![
        vec![Op::LoadRef(2)],
        vec![Op::ModifyRef(2), Op::StoreRef(0, 2), Op::ExchangeRef(2, 1)],
        vec![Op::LoadRef(0), Op::StoreRef(2, 1)],
    ];
    let program = Program { threads, room: 2, joins: true, uses_all_first: false };
    for (memory, most) in MODELS.into_iter().flat_map(|memory| (0..3).map(move |most| (memory, most))) {
        let bounds = Bounds { preemptions: Some(most), ..Bounds::NONE };
        assert!(compare_bounded(&program, memory, bounds).is_ok(), "under {memory:?}");
    }
}

#[test]
fn a_writer_comes_before_readers_of_whom_none_would_make_way_without_the_other() {
    let threads = vec![vec![Op::ReadBoth(0, 1)], vec![Op::ReadBoth(1, 0)], vec![Op::ReadBoth(0, 1)]];
    let program = Program { threads, room: 0, joins: true, uses_all_first: false };
    for memory in MODELS {
        assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

#[test]
fn what_can_happen_under_a_stronger_model_can_happen_under_a_weaker_one() {
    compare_many(8, count(1000), SMALL, |program, _| compare_models(program));
}

#[test]
fn all_ways_of_who_waits_for_a_time_are_told_from_the_clock() {
    let threads = vec![vec![Op::Unpark(0), Op::ParkATime], vec![Op::ReadClock]];
    let program = Program { threads, room: 0, joins: true, uses_all_first: false };
    for memory in MODELS {
        assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

/// Threads that wait for a time, and the clock, to be drawn more often than elsewhere.
const TIMES: [Op; 11] = [
    Op::ReadClock,
    Op::ReadClock,
    Op::Sleep,
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
fn the_reduction_finds_all_where_time_passes() {
    compare_drawn(40, count(300), MemoryModel::Sc, |random| Program::draw_of(random, &TIMES));
}

#[test]
fn the_reduction_within_bounds_finds_all_where_time_passes() {
    for (number, memory) in (50..).zip(MODELS) {
        let draw = |random: &mut Random| Program::draw_of_two_threads(random, &TIMES);
        compare_as_drawn(number, count(200), draw, |program, random| {
            compare_bounded(program, memory, draw_bounds(random))
        });
    }
}

#[test]
fn the_reduction_finds_all_in_programs_of_few_kinds_of_operations() {
    for (number, memory) in (41..).zip(MODELS) {
        compare_drawn(number, count(200), memory, Program::draw_of_few_kinds);
    }
}

/// Each thread that uses a channel has a sender, which goes when the thread ends.
#[test]
fn the_reduction_finds_all_where_senders_go() {
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
        compare_drawn(number, count(200), memory, |random| {
            let room = random.below(3).unwrap_or(0);
            Program { room, ..Program::draw_of(random, &ops) }
        });
        compare_drawn(number + 3, count(200), memory, |random| {
            let room = random.below(3).unwrap_or(0);
            Program { room, ..Program::draw_of_two_threads(random, &ops) }
        });
    }
}

#[test]
fn the_reduction_finds_all_where_yields_wait_for_several_things() {
    use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
    let looks =
        [Op::Load(0, Relaxed), Op::Load(1, Acquire), Op::Load(2, SeqCst), Op::TryLock(0), Op::TryReceive];
    let changes = [Op::Store(0, 1, Relaxed), Op::Store(1, 1, Release), Op::Store(2, 1, SeqCst)];
    let keeps = [Op::Exchange(0, 1, 1), Op::Exchange(1, 0, 1), Op::Swap(2, 1), Op::Swap(0, 0)];
    let others = [Op::Add(0, Relaxed), Op::Lock(0), Op::Send(1), Op::Yield, Op::Yield, Op::Yield, Op::Yield];
    let ops: Vec<Op> = [&looks[..], &looks[..3], &changes, &keeps, &others].concat();
    for (number, memory) in (50..).zip(MODELS) {
        compare_drawn(number, count(300), memory, |random| Program::draw_of(random, &ops));
        compare_drawn(number + 3, count(300), memory, |random| Program::draw_of_two_threads(random, &ops));
    }
}

/// The exchange succeeds where it writes what was there; who waits at a yield for a change goes on by the store alone.
#[test]
fn who_writes_what_was_there_lets_nobody_go_on() {
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
            let most = Most { runs: 100_000, states: 100_000 };
            assert_eq!(compare_large(&program, memory, most), Ok(true), "{memory:?} {uses_all_first}");
        }
    }
}

/// Whether a store is committed before its thread looks at it or after that makes no difference to whom waits for a change; nor what others
/// committed before.
#[test]
fn a_store_that_is_seen_in_the_buffer_is_no_news_when_it_is_committed() {
    use std::sync::atomic::Ordering::Relaxed;
    let looks = vec![Op::Store(0, 1, Relaxed), Op::Yield, Op::Load(0, Relaxed), Op::Yield];
    for threads in [vec![looks.clone()], vec![looks, vec![Op::Store(0, 2, Relaxed)]]] {
        let program = Program { threads, room: 1, joins: true, uses_all_first: true };
        for memory in MODELS {
            assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "{memory:?}");
        }
    }
}

/// Compares so many random programs that are drawn like this.
fn compare_drawn(number: u64, count: usize, memory: MemoryModel, draw: impl Fn(&mut Random) -> Program) {
    let seed = seed(number);
    let mut random = Random(seed);
    for number in 0..count {
        let program = draw(&mut random);
        let compare = |program: &Program| compare(program, memory, Most { runs: 2_000, ..SMALLEST });
        if compare(&program).is_err() {
            panic!("seed {seed}, program {number}: {}", smallest(program, |program| compare(program).err()));
        }
    }
}

#[test]
fn who_waits_changes_the_lock_that_is_given_up() {
    let threads = vec![vec![Op::WaitATime(0)], vec![Op::TryLock(0), Op::Yield]];
    let program = Program { threads, room: 1, joins: true, uses_all_first: false };
    for memory in MODELS {
        assert_eq!(compare(&program, memory, SMALLEST), Ok(true), "under {memory:?}");
    }
}

/// Objects have numbers in the order in which a run meets them. It makes no difference whether threads are the first to meet them.
fn compare_late(program: &Program, max_runs: u64) -> Compared {
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
    same("completeness", &late.is_complete(), &true)?;
    same("outcomes where threads meet objects first", &seen(&late), &seen(&early))?;
    // Where it cannot be told whether one run leads to another, some are made twice.
    let is_exact = late.figures().expect("figures").ambiguous_reversals == 0;
    let runs = if is_exact { late.executions() } else { late.executions().min(early.executions()) };
    same("runs where threads meet objects first", &runs, &early.executions())?;
    Ok(true)
}

#[test]
fn it_makes_no_difference_who_is_the_first_to_use_an_object() {
    let number = 50;
    compare_many(number, count(600), SMALL, |program, _| compare_late(program, 1_000));
}

#[test]
fn what_follows_the_end_of_a_reversal_may_be_another_object() {
    use Op::{Lock, NotifyOne, Wait, WaitATime, WaitFor};
    let threads = vec![
        vec![Lock(2), NotifyOne(0)],
        vec![WaitFor(2), NotifyOne(0)],
        vec![NotifyOne(0), Wait(2)],
        vec![WaitATime(2)],
    ];
    let program = Program { threads, room: 1, joins: true, uses_all_first: false };
    assert_eq!(compare_late(&program, 1_000), Ok(true));
}

#[test]
fn what_cannot_be_compared_is_not_left_out() {
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
        assert_eq!(compare_late(&program, 5_000), Ok(true), "{program:?}");
    }
}

#[test]
fn a_load_that_is_done_before_its_store_is_committed_makes_way() {
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
fn what_follows_the_end_of_a_reversal_is_what_its_thread_does_then() {
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
fn values_that_are_others_in_each_run_lose_nothing() {
    let report = selvedge::explore(|| {
        let shared = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(0_u32))));
        // Whether a pointer is the first one tells as much as what it points to.
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
