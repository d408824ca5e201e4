//! Transactions inside of explorations: the outcomes of random programs are compared with all serial orders
//! and with all runs; two solutions of the prisoners' puzzle.

#![cfg(feature = "check")]

use crate::common::{falsely_within_bounds, lost_within_bounds};
use crate::soundness::traces;
use crate::transactions;

use Op::*;
use selvedge::stm::{TVar, atomically, guard, retry};
use selvedge::sync::Arc;
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use traces::TraceCounter;
use transactions::{Op, Program, Result, run_thread, serially};

/// The limit of runs by brute force.
const MAX_RUNS: u64 = 2_000;

fn run(program: &Program) -> Result {
    let variables: Arc<[TVar<u8>]> = program.variables.iter().map(|value| TVar::new(*value)).collect();
    let threads = program.threads.iter().cloned().map(|transactions| {
        let variables = variables.clone();
        thread::spawn(move || run_thread(&transactions, &variables, |body| atomically(body)))
    });
    let threads: Vec<_> = threads.collect();
    let reads = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    (reads, variables.iter().map(TVar::load).collect())
}

fn draw_op(random: &mut Random, variables: usize, depth: usize) -> Op {
    let mut below = |bound: usize| random.below(bound).unwrap_or(0);
    let variable = below(variables);
    let choice = below(if depth == 0 { 9 } else { 12 });
    let draw_some = |random: &mut Random| {
        let length = random.below(2).unwrap_or(0) + 1;
        (0..length).map(|_| draw_op(random, variables, depth - 1)).collect()
    };
    match choice {
        0..=2 => Read(variable),
        3..=4 => Write(variable, 1),
        5..=6 => Add(variable),
        7..=8 => Take(variable),
        9 => OrElse(draw_some(random), draw_some(random)),
        10 => Catch(draw_some(random), draw_some(random)),
        _ => Throw,
    }
}

fn draw(random: &mut Random) -> Program {
    let mut below = |bound: usize| random.below(bound).unwrap_or(0);
    let (variables, threads) = (below(3) + 1, below(3) + 2);
    let values = (0..variables).map(|_| below(2) as u8).collect();
    let transaction = |random: &mut Random| {
        let length = random.below(3).unwrap_or(0) + 1;
        (0..length).map(|_| draw_op(random, variables, 1)).collect()
    };
    let thread = |random: &mut Random| {
        let length = random.below(5 - threads).unwrap_or(0) + 1;
        (0..length).map(|_| transaction(random)).collect()
    };
    Program { variables: values, threads: (0..threads).map(|_| thread(random)).collect() }
}

fn outcomes(report: &Report<Result>) -> BTreeSet<Outcome<Result>> {
    report.outcomes().keys().cloned().collect()
}

/// Compares with all serial orders, and with all runs if there are at most [`MAX_RUNS`] runs. Returns
/// whether there are.
fn compare(program: &Program, name: &str) -> bool {
    let expected: BTreeSet<Outcome<Result>> =
        serially(program).into_iter().map(|end| end.map_or(Outcome::Deadlock, Outcome::Returned)).collect();
    let report = Explorer::new().explore(|| run(program));
    assert!(report.is_complete(), "{name}: {program:?}\n{report}");
    assert_eq!(outcomes(&report), expected, "{name}: {program:?}\n{report}");
    let (counting, traces) = TraceCounter::new();
    let all = Explorer::new().strategy(Strategy::custom(counting)).max_executions(MAX_RUNS);
    let all = all.explore(|| run(program));
    if all.limit().is_some() {
        return false;
    }
    assert_eq!(outcomes(&all), expected, "{name}: {program:?}\n{all}");
    assert_eq!(
        report.executions(),
        traces.lock().unwrap().len(),
        "one run a trace, {name}: {program:?}\n{report}"
    );
    true
}

#[test]
fn transactions_are_serialisable_and_each_trace_is_run_once() {
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 40_000 } else { 2_000 };
    let mut random = Random(11);
    let fully_compared =
        (0..count).filter(|number| compare(&draw(&mut random), &format!("program {number}"))).count();
    assert!(fully_compared * 2 > count, "most programs are small enough: {fully_compared} of {count}");
}

#[test]
fn the_reduction_within_bounds_finds_every_outcome_of_transactions_within_them() {
    let mut random = Random(12);
    for number in 0..500 {
        let (program, preemptions) = (draw(&mut random), random.below(3));
        let bounds = Bounds { preemptions, ..Bounds::NONE };
        let explore = |strategy: Strategy| {
            let explorer = Explorer::new().strategy(strategy.bounded(bounds)).max_executions(MAX_RUNS);
            explorer.explore(|| run(&program))
        };
        let all = explore(Strategy::exhaustive());
        if all.limit().is_none() {
            let report = explore(Strategy::systematic());
            let lost = lost_within_bounds(&report, &all, Outcome::clone);
            assert!(lost.is_empty(), "program {number}: {program:?} has {lost:?}");
            let more = falsely_within_bounds(&report, &all, Outcome::clone);
            assert!(more.is_empty(), "program {number}: {program:?} has no {more:?} within bounds");
        }
    }
}

#[test]
fn a_transaction_that_waits_for_ever_is_a_deadlock_that_names_its_variables() {
    let report = selvedge::explore(|| {
        let variable = TVar::new(0);
        atomically(|tx| guard(variable.read(tx)? > 0));
    });
    let deadlock = &report.outcomes()[&Outcome::Deadlock];
    assert_eq!(report.outcomes().len(), 1);
    let state = &deadlock.endings[0].state;
    assert!(state.starts_with("retries, and waits for a change of tvar#1"), "{state}");
}

#[test]
fn a_panic_in_a_transaction_is_an_outcome() {
    let body = || {
        let variable = TVar::new(0);
        let same = variable.clone();
        let other = thread::spawn(move || atomically(|tx| same.write(tx, 1)));
        let seen = atomically(|tx| {
            let value = variable.read(tx)?;
            assert_eq!(value, 0, "changed");
            Ok(value)
        });
        other.join().unwrap();
        seen
    };
    let report = selvedge::explore(body);
    let kinds: Vec<bool> = report.outcomes().keys().map(Outcome::is_returned).collect();
    assert_eq!(kinds, [true, false], "{report}");
    assert!(report.is_complete(), "{report}");
}

#[test]
fn a_visible_action_inside_of_a_transaction_is_refused() {
    let explored = std::panic::catch_unwind(|| {
        selvedge::explore(|| {
            let (variable, lock) = (TVar::new(0), selvedge::sync::Mutex::new(()));
            atomically(|tx| {
                let _guard = lock.lock();
                variable.read(tx)
            })
        })
    });
    let message = *explored.expect_err("refused").downcast::<String>().expect("a message");
    assert!(message.contains("a transaction had to lock"), "{message}");
}

/// The perfect solution: the leader counts how often another prisoner has turned on the light. Returns when
/// every prisoner was in the room.
fn prison(prisoners: usize) {
    let light = TVar::new(false);
    for _ in 1..prisoners {
        let light = light.clone();
        thread::spawn(move || {
            atomically(|tx| if light.read(tx)? { retry() } else { light.write(tx, true) });
        });
    }
    for _ in 1..prisoners {
        atomically(|tx| if light.read(tx)? { light.write(tx, false) } else { retry() });
    }
}

#[test]
fn the_perfect_solution_of_the_prisoners_never_fails_and_takes_few_runs() {
    // Déjà Fu makes 1, 1, 4 and 48 runs (Table 3b): there a transaction that retries is a step. Here it
    // waits, so the scheduler chooses only the order in which the other prisoners come: (n - 1)! runs.
    let runs: Vec<usize> = (1..=5)
        .map(|prisoners| {
            let report = selvedge::explore(|| prison(prisoners));
            assert!(report.is_complete(), "{report}");
            assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(())], "{report}");
            report.executions()
        })
        .collect();
    assert_eq!(runs, [1, 1, 2, 6, 24]);
}

/// The probabilistic solution: every prisoner comes again and again, and after many days the leader declares
/// that all were in the room. Returns how many of the other prisoners were.
fn gamble(prisoners: usize, days_each: usize) -> usize {
    let (days, visits) = (TVar::new(0), TVar::new(vec![false; prisoners]));
    for number in 1..prisoners {
        let (days, visits) = (days.clone(), visits.clone());
        thread::spawn(move || {
            loop {
                atomically(|tx| {
                    days.modify(tx, |days| days + 1)?;
                    visits.modify(tx, |mut visits| {
                        visits[number] = true;
                        visits
                    })
                });
            }
        });
    }
    atomically(|tx| {
        guard(days.read(tx)? >= (prisoners - 1) * days_each)?;
        Ok(visits.read(tx)?.iter().filter(|has_come| **has_come).count())
    })
}

#[test]
fn the_probabilistic_solution_of_the_prisoners_hardly_ever_fails() {
    // As in Table 2: in each of a hundred random runs, all prisoners have come.
    for prisoners in 1..=8 {
        let report = Explorer::new().strategy(Strategy::random(1, 100)).explore(|| gamble(prisoners, 10));
        assert_eq!(report.values().collect::<Vec<_>>(), [&(prisoners - 1)], "{report}");
    }
    // After one day for each prisoner, some may not have come.
    let report = Explorer::new().strategy(Strategy::random(1, 100)).explore(|| gamble(3, 1));
    assert_eq!(report.values().collect::<Vec<_>>(), [&1, &2], "{report}");
}

#[test]
fn the_prisoners_take_the_same_number_of_runs_under_every_memory_model() {
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let report = Explorer::new().memory(memory).explore(|| prison(4));
        assert_eq!((report.executions(), report.is_complete()), (6, true), "{memory:?}");
    }
}
