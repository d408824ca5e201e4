//! Loops with hints that make progress: a yield waits only after a round that repeats an earlier one. The
//! outcomes are those of the same loops without hints, explored as far as a number of rounds.

#![cfg(feature = "check")]

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicU32, Ordering::*};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, hint, thread};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use std::fmt::Debug;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// What a loop does between two rounds.
#[derive(Clone, Copy, Debug)]
enum Pause {
    /// So many hints.
    Hints(u32),
    /// Twice as many hints each time, as `crossbeam`'s `Backoff`.
    Doubling,
    /// Nothing; after so many rounds the loop gives up.
    Free(u32),
}

impl Pause {
    /// Between two rounds, of which this is the number of the first. `None` if the loop gives up.
    fn pause(self, round: u32) -> Option<()> {
        match self {
            Pause::Hints(hints) => (0..hints).for_each(|_| hint::spin_loop()),
            Pause::Doubling => (0..1 << round.min(3)).for_each(|_| hint::spin_loop()),
            Pause::Free(rounds) if round + 1 >= rounds => return None,
            Pause::Free(_) => {}
        }
        Some(())
    }
}

/// An operation of a thread.
#[derive(Clone, Copy, Debug)]
enum Op {
    Load(usize),
    Store(usize, u32),
    Add(usize),
    /// A load and a store: an increment that can be lost.
    AddInTwoSteps(usize),
    /// Exchanges until an exchange succeeds; each failed exchange hands back the value for the next one.
    Exchange(usize),
    /// The same, with a pause between the load and the first exchange.
    LoadPauseExchange(usize),
    /// Waits for this value.
    Await(usize, u32),
    /// Waits until one of the two atomics is not 0; each round looks at one of them.
    AwaitInTurn(usize, usize),
    /// Waits for 1, and then for 2, by the same loop.
    AwaitPhases(usize),
}

/// The values that the operation observes in the end, as a number; `None` if a loop gave up.
fn execute(op: Op, memory: &[AtomicU32; 2], pause: Pause) -> Option<u32> {
    let exchange = |x: usize, pauses_first: bool| {
        let mut seen = memory[x].load(Relaxed);
        let mut round = 0;
        if pauses_first {
            pause.pause(0)?;
        }
        while let Err(now) = memory[x].compare_exchange(seen, seen + 1, AcqRel, Acquire) {
            seen = now;
            pause.pause(round)?;
            round += 1;
        }
        Some(round.min(3) * 10 + seen)
    };
    let wait_for = |x: usize, value: u32| {
        let mut round = 0;
        while memory[x].load(Acquire) != value {
            pause.pause(round)?;
            round += 1;
        }
        Some(value)
    };
    match op {
        Op::Load(x) => Some(memory[x].load(Acquire)),
        Op::Store(x, value) => {
            memory[x].store(value, Release);
            Some(0)
        }
        Op::Add(x) => Some(memory[x].fetch_add(1, AcqRel)),
        Op::AddInTwoSteps(x) => {
            let read = memory[x].load(Relaxed);
            memory[x].store(read + 1, SeqCst);
            Some(read)
        }
        Op::Exchange(x) => exchange(x, false),
        Op::LoadPauseExchange(x) => exchange(x, true),
        Op::Await(x, value) => wait_for(x, value),
        Op::AwaitPhases(x) => wait_for(x, 1).and_then(|_| wait_for(x, 2)),
        Op::AwaitInTurn(x, y) => {
            let (mut at, mut round) = (x, 0);
            loop {
                match memory[at].load(Acquire) {
                    0 => pause.pause(round)?,
                    value => return Some(10 * at as u32 + value),
                }
                round += 1;
                at = x + y - at;
            }
        }
    }
}

/// What each thread observed, and the final values; `None` if a loop gave up.
type Seen = Option<(Vec<Vec<u32>>, [u32; 2])>;

fn run(threads: &[Vec<Op>], pause: Pause) -> Seen {
    let memory = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let handles: Vec<_> = threads
        .iter()
        .map(|ops| {
            let (ops, memory) = (ops.clone(), memory.clone());
            thread::spawn(move || ops.into_iter().map(|op| execute(op, &memory, pause)).collect())
        })
        .collect();
    let seen: Vec<Option<Vec<u32>>> = handles.into_iter().map(|handle| handle.join().unwrap()).collect();
    let seen: Option<Vec<Vec<u32>>> = seen.into_iter().collect();
    Some((seen?, [0, 1].map(|x| memory[x].load(SeqCst))))
}

fn values<T: Ord + Clone + Debug + Send + 'static>(report: &Report<T>) -> BTreeSet<T> {
    report.values().cloned().collect()
}

/// More rounds than any loop of these programs needs.
const ROUNDS: u32 = 6;

/// Compares loops with hints with the same loops without. Returns whether the program was small enough.
#[track_caller]
fn compare(threads: &[Vec<Op>], memory: MemoryModel, pause: Pause) -> bool {
    let explore = |pause: Pause, runs: u64| {
        let explorer = Explorer::new().memory(memory).spin_for_ever(true).max_executions(runs);
        explorer.explore(|| run(threads, pause))
    };
    let free = explore(Pause::Free(ROUNDS), 20_000);
    if !free.is_complete() {
        return false;
    }
    let with_hints = explore(pause, 20_000);
    assert!(with_hints.is_complete(), "{threads:?} {pause:?} under {memory:?}: {with_hints}");
    let (mut expected, found) = (values(&free), values(&with_hints));
    expected.remove(&None);
    assert_eq!(found, expected, "{threads:?} {pause:?} under {memory:?}");
    true
}

#[test]
fn loops_with_hints_have_the_outcomes_of_free_loops() {
    use Op::*;
    let ops = [
        Load(0),
        Store(0, 1),
        Store(0, 2),
        Store(1, 1),
        Add(0),
        AddInTwoSteps(0),
        Exchange(0),
        Exchange(0),
        LoadPauseExchange(0),
        LoadPauseExchange(0),
        Await(0, 1),
        Await(1, 1),
        AwaitInTurn(0, 1),
        AwaitPhases(0),
    ];
    let mut random = Random(16);
    let mut below = |bound: usize| random.below(bound).unwrap_or(0);
    let (mut compared, mut drawn) = (0, 0);
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 2_000 } else { 150 };
    while compared < count {
        let most = [3, 2][below(2)];
        let threads: Vec<Vec<Op>> =
            (0..5 - most).map(|_| (0..=below(most)).map(|_| ops[below(ops.len())]).collect()).collect();
        let pause = [Pause::Hints(1), Pause::Hints(2), Pause::Doubling][below(3)];
        compared += usize::from(compare(&threads, MODELS[below(3)], pause));
        drawn += 1;
    }
    assert!(compared * 2 > drawn, "many programs are small enough: {compared} of {drawn}");
}

/// A counter that one thread exchanges in a loop with a hint between, and another one loads and stores.
fn counter() -> (u32, u32) {
    let counter = Arc::new(AtomicU32::new(0));
    let other = counter.clone();
    let thread = thread::spawn(move || {
        for _ in 0..2 {
            other.store(other.load(Relaxed) + 1, SeqCst);
        }
    });
    let (mut seen, mut failures) = (counter.load(Relaxed), 0);
    while let Err(now) = counter.compare_exchange_weak(seen, seen + 1, AcqRel, Relaxed) {
        (seen, failures) = (now, failures + 1);
        hint::spin_loop();
    }
    thread.join().unwrap();
    (failures, counter.load(Relaxed))
}

/// The second increment of the other thread overwrites an exchange that has failed before.
#[test]
fn a_lost_update_after_a_failed_exchange_with_a_hint_is_found() {
    for memory in MODELS {
        let report = Explorer::new().memory(memory).explore(counter);
        let expected = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        assert_eq!(report.values().copied().collect::<Vec<_>>(), expected, "{report}");
        assert!(report.is_complete() && report.notes().is_empty(), "{report}");
        assert_eq!(report.executions(), 10, "{memory:?}");
    }
}

/// Explores a program completely. Returns the number of runs.
#[track_caller]
fn runs<T: Ord + Clone + Debug + Send + 'static>(
    body: fn() -> T,
    memory: MemoryModel,
    expected: &[Outcome<T>],
) -> usize {
    let report = Explorer::new().memory(memory).strategy(Strategy::systematic()).explore(body);
    assert!(report.is_complete() && report.notes().is_empty(), "{report}");
    assert!(report.outcomes().keys().eq(expected), "{report}");
    report.executions()
}

/// Increments a counter by exchanges, with a pause after each one that fails.
fn exchange(counter: &AtomicU32, pause: Pause) {
    let (mut seen, mut round) = (counter.load(Relaxed), 0);
    while let Err(now) = counter.compare_exchange_weak(seen, seen + 1, AcqRel, Relaxed) {
        seen = now;
        pause.pause(round).expect("does not give up");
        round += 1;
    }
}

/// Two threads, and the body, increment a counter by exchanges.
fn three_exchangers(pause: Pause) -> u32 {
    let counter = Arc::new(AtomicU32::new(0));
    let threads =
        [counter.clone(), counter.clone()].map(|counter| thread::spawn(move || exchange(&counter, pause)));
    exchange(&counter, pause);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    counter.load(Relaxed)
}

/// Alternates between two flags, of which another thread sets the second.
fn polls_in_turn() -> usize {
    let flags = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let other = flags.clone();
    let thread = thread::spawn(move || other[1].store(1, Release));
    let mut at = 0;
    while flags[at].load(Acquire) == 0 {
        hint::spin_loop();
        at = 1 - at;
    }
    thread.join().unwrap();
    at
}

/// Two threads that back off and exchange a lock, with an increment in two steps inside of it.
fn backoff_lock() -> u32 {
    let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
    let work = |shared: &(AtomicU32, AtomicU32)| {
        let mut round = 0;
        while shared.0.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {
            Pause::Doubling.pause(round).expect("does not give up");
            round += 1;
        }
        shared.1.store(shared.1.load(Relaxed) + 1, Relaxed);
        shared.0.store(0, Release);
    };
    let other = shared.clone();
    let thread = thread::spawn(move || work(&other));
    work(&shared);
    thread.join().unwrap();
    shared.1.load(Relaxed)
}

/// These programs are explored completely, because a loop that makes progress does not wait, and a loop that
/// repeats a round does. `docs/memory.md` has this table.
#[test]
fn loops_with_hints_are_explored_completely() {
    let three = [Outcome::Returned(3)];
    let [sc, tso] = [MemoryModel::Sc, MemoryModel::Tso];
    let found = [
        [sc, tso].map(|memory| runs(|| three_exchangers(Pause::Hints(1)), memory, &three)),
        [sc, tso].map(|memory| runs(|| three_exchangers(Pause::Doubling), memory, &three)),
        [sc, tso].map(|memory| runs(polls_in_turn, memory, &[Outcome::Returned(1)])),
        [sc, tso].map(|memory| runs(backoff_lock, memory, &[Outcome::Returned(2)])),
    ];
    assert_eq!(found, [[48, 48], [48, 48], [3, 3], [7, 7]]);
}

/// The thread that waits has read 1 before, when it waited for the first time.
#[test]
fn a_value_that_was_read_in_an_earlier_phase_is_a_change() {
    let body = || {
        let phase = Arc::new(AtomicU32::new(0));
        let other = phase.clone();
        let thread = thread::spawn(move || [1, 0, 1, 0].map(|value| other.store(value, Release)));
        let wait_for = |value: u32| {
            while phase.load(Acquire) != value {
                hint::spin_loop();
            }
        };
        [1, 0, 1, 0].into_iter().for_each(wait_for);
        thread.join().unwrap();
    };
    for memory in MODELS {
        let report = Explorer::new().memory(memory).spin_for_ever(true).explore(body);
        assert!(report.is_complete(), "{report}");
        // A phase that the waiting thread misses is a livelock.
        assert!(report.outcomes().keys().eq(&[Outcome::Returned(()), Outcome::Deadlock]), "{report}");
    }
}

/// A thread adds 4 and subtracts it again, round by round, until a flag is set. Returns what another thread
/// reads meanwhile.
fn observe_rounds<const LOADS: usize>() -> [u32; LOADS] {
    let shared = Arc::new((AtomicU32::new(1), AtomicU32::new(0)));
    let other = shared.clone();
    let thread = thread::spawn(move || {
        while other.1.load(SeqCst) == 0 {
            other.0.fetch_add(4, SeqCst);
            other.0.fetch_sub(4, SeqCst);
            hint::spin_loop();
        }
    });
    let seen = [(); LOADS].map(|()| shared.0.load(SeqCst));
    shared.1.store(1, SeqCst);
    thread.join().unwrap();
    seen
}

/// If a round that undoes its own change were a round of looks, the thread would wait after two equal
/// rounds, and the third 5 would be missed.
#[test]
fn a_round_that_undoes_its_change_is_observed_as_often_as_another_thread_looks() {
    let explorer = Explorer::new().memory(MemoryModel::Sc).max_executions(20_000);
    let report = explorer.explore(observe_rounds::<5>);
    assert!(report.outcomes().contains_key(&Outcome::Returned([5, 1, 5, 1, 5])), "{report}");
    assert!(!report.is_complete(), "{report}");
}
