//! Atomic references on threads of the operating system: no change is lost under load, and the outcomes of
//! real runs are among the explored outcomes, even under sequential consistency, because `arc-swap` is that
//! strong.

use selvedge::runs::Random;
use selvedge::sync::{Arc, AtomicRef, Ticket};
use selvedge::{Explorer, MemoryModel, Strategy, thread};
use std::collections::BTreeSet;

const THREADS: u32 = 4;
const ROUNDS: u32 = 500;

/// Runs the function on several threads at once. Returns their results.
fn on_all_threads<R: Send>(work: impl Fn(u32) -> R + Sync) -> Vec<R> {
    let start = std::sync::Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        let (work, start) = (&work, &start);
        let spawn = |number| {
            scope.spawn(move || {
                start.wait();
                work(number)
            })
        };
        let handles: Vec<_> = (0..THREADS).map(spawn).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    })
}

#[test]
fn no_change_is_lost() {
    let (modified, exchanged) = (AtomicRef::new(0), AtomicRef::new(vec![0; 2]));
    on_all_threads(|_| {
        for _ in 0..ROUNDS {
            modified.modify(|value| (value + 1, ()));
            modified.modify_cas(|value| (value + 1, ()));
            let mut ticket = exchanged.ticket();
            while let Err(newer) = exchanged.compare_exchange(&ticket, vec![ticket[0] + 1, ticket[1] + 2]) {
                ticket = newer;
            }
        }
    });
    assert_eq!((*modified.load(), &**exchanged.load()), (2 * THREADS * ROUNDS, &[2000, 4000][..]));
}

#[test]
fn every_value_is_swapped_out_once() {
    let reference = AtomicRef::new(u32::MAX);
    let swap = |number| (0..ROUNDS).map(|round| *reference.swap(number * ROUNDS + round)).collect();
    let mut out: Vec<u32> = on_all_threads::<Vec<u32>>(swap).concat();
    out.push(*reference.into_inner());
    out.sort_unstable();
    let every: Vec<u32> = (0..THREADS * ROUNDS).chain([u32::MAX]).collect();
    assert_eq!(out, every);
}

#[test]
fn a_version_stays_whole_while_it_is_replaced() {
    let reference = AtomicRef::new([0; 8]);
    on_all_threads(|number| {
        let mut last = 0;
        for round in 1..=ROUNDS {
            if number == 0 {
                reference.store([round; 8]);
            } else {
                let seen = reference.load();
                assert!(seen.iter().all(|part| *part == seen[0]) && seen[0] >= last);
                last = seen[0];
            }
        }
    });
}

const PROGRAMS: usize = 24;
const REAL_RUNS: usize = 60;
const OPS: usize = 7;

/// An operation of a thread on one of two references: the numbers of both.
type Op = (usize, usize);
type Program = [Vec<Op>; 2];
type Seen = [Vec<u32>; 2];

/// Executes an operation. Returns its observation.
fn perform(
    refs: &[AtomicRef<u32>; 2],
    tickets: &mut [Option<Ticket<u32>>; 2],
    (op, at): Op,
    own: u32,
) -> u32 {
    let reference = &refs[at];
    match op {
        0 => *reference.load(),
        1 => {
            reference.store(own);
            0
        }
        2 => *reference.swap(own + 1),
        3 => reference.modify(|value| (value * 2 + own, *value)),
        4 => reference.modify_cas(|value| (value + 1, *value)),
        5 => **tickets[at].insert(reference.ticket()),
        _ => {
            let ticket = tickets[at].take().unwrap_or_else(|| reference.ticket());
            let result = reference.compare_exchange(&ticket, own + 2);
            result.map_or_else(|current| *current + 100, |new| *new)
        }
    }
}

fn perform_all(refs: &[AtomicRef<u32>; 2], ops: &[Op], own: u32) -> Vec<u32> {
    let mut tickets = [None, None];
    ops.iter().map(|op| perform(refs, &mut tickets, *op, own)).collect()
}

fn refs() -> [AtomicRef<u32>; 2] {
    [AtomicRef::new(0), AtomicRef::new(0)]
}

fn explored(program: &Program) -> BTreeSet<Seen> {
    let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::exhaustive());
    let report = explorer.explore(|| {
        let refs = Arc::new(refs());
        let [mine, theirs] = program.clone();
        let other = refs.clone();
        let thread = thread::spawn(move || perform_all(&other, &theirs, 20));
        [perform_all(&refs, &mine, 10), thread.join().unwrap()]
    });
    assert!(report.is_complete());
    report.outcomes().keys().map(|outcome| outcome.returned().expect("it ends").clone()).collect()
}

fn real(program: &Program) -> Seen {
    let (refs, start) = (refs(), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        let (refs, start) = (&refs, &start);
        let handles = [(0, 10), (1, 20)].map(|(number, own)| {
            scope.spawn(move || {
                start.wait();
                perform_all(refs, &program[number], own)
            })
        });
        handles.map(|handle| handle.join().unwrap())
    })
}

#[test]
fn outcomes_of_real_runs_are_among_the_explored_outcomes_even_under_sc() {
    let mut random = Random(6);
    let mut below = |bound| random.below(bound).unwrap_or(0);
    let mut outcomes = 0;
    for _ in 0..PROGRAMS {
        let program: Program = [(); 2].map(|()| (0..3).map(|_| (below(OPS), below(2))).collect());
        let explored = explored(&program);
        outcomes += explored.len();
        for _ in 0..REAL_RUNS {
            let real = real(&program);
            assert!(explored.contains(&real), "{program:?} gave {real:?}, not one of {explored:?}");
        }
    }
    assert!(outcomes > 2 * PROGRAMS, "programs whose outcome is always the same show little: {outcomes}");
}
