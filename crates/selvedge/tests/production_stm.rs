//! The insides of production transactions, explored: what they can do is what they could do one after another.
//!
//! Each run has a world of its own. A thread's patience is how often its transactions fail before they become the senior: with none,
//! they are from the beginning.

#![cfg(feature = "check")]

mod transactions;

use MemoryModel::{Pso, Tso};
use Op::*;
use selvedge::private::production::stm::World;
use selvedge::stm::TVar;
use selvedge::sync::Arc;
use selvedge::{Explorer, MemoryModel, Outcome, thread};
use std::collections::BTreeSet;
use transactions::{Op, Program, Result, run_thread, serially};

fn run(program: &Program, patience: &[u32]) -> Result {
    let world = Arc::new(World::new());
    let variables: Arc<[TVar<u8>]> = program.variables.iter().map(|value| TVar::new(*value)).collect();
    let run = |number: usize| {
        let (world, variables, patience) = (world.clone(), variables.clone(), patience[number]);
        let transactions = program.threads[number].clone();
        move || run_thread(&transactions, &variables, |body| world.atomically(patience, body))
    };
    let threads: Vec<_> = (1..program.threads.len()).map(|number| thread::spawn(run(number))).collect();
    let mut reads = vec![run(0)()];
    reads.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
    (reads, variables.iter().map(TVar::load).collect())
}

/// The explored outcomes are those of all serial orders, no more and no fewer: where none of these is stuck, no wake-up is lost.
#[track_caller]
fn check(variables: &[u8], threads: &[&[Vec<Op>]], patience: &[u32]) {
    let threads = threads.iter().map(|transactions| transactions.to_vec()).collect();
    let program = Program { variables: variables.to_vec(), threads };
    let expected: BTreeSet<Outcome<Result>> =
        serially(&program).into_iter().map(|end| end.map_or(Outcome::Deadlock, Outcome::Returned)).collect();
    for memory in [Tso, Pso] {
        let started = std::time::Instant::now();
        let report = Explorer::new().memory(memory).max_steps(2_000).explore(|| run(&program, patience));
        println!(
            "{program:?}, patience {patience:?}, {memory:?}: {} runs, {:?}",
            report.executions(),
            started.elapsed()
        );
        assert!(report.is_complete(), "{program:?}, patience {patience:?}, {memory:?}: {report}");
        let found: BTreeSet<_> = report.outcomes().keys().cloned().collect();
        assert_eq!(found, expected, "{program:?}, patience {patience:?}, {memory:?}: {report}");
    }
}

/// One transaction of each kind over two variables.
fn kinds() -> Vec<Vec<Op>> {
    vec![
        vec![Read(0), Read(1)],
        vec![Write(0, 1), Write(1, 1)],
        vec![Add(0)],
        vec![Add(1), Add(0)],
        vec![Read(0), Write(1, 2)],
        vec![Read(1), Write(0, 2)],
        vec![Take(0), Add(1)],
        vec![OrElse(vec![Take(0)], vec![Take(1)])],
        vec![OrElse(vec![Write(0, 3), Take(1)], vec![Read(0), Add(0)])],
        vec![Catch(vec![Add(0), Throw], vec![Read(0), Add(1)])],
        vec![Read(1), Add(0), Throw],
        vec![Write(0, 2), OrElse(vec![Take(1)], vec![Take(0), Add(1)])],
    ]
}

/// Any two of these, beginning with these variables.
fn any_two(variables: &[u8]) {
    for first in kinds() {
        for second in kinds() {
            for patience in [[1, 1], [0, 1]] {
                check(variables, &[&[first.clone()], &[second.clone()]], &patience);
            }
        }
    }
}

#[test]
fn any_two_transactions_are_as_one_after_the_other() {
    any_two(&[0, 0]);
}

#[test]
fn any_two_transactions_are_as_one_after_the_other_where_one_can_take() {
    any_two(&[0, 1]);
}

#[test]
fn those_who_are_the_senior_from_the_beginning_take_turns() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Add(0)]]], &[0, 0, 0]);
    check(&[0, 0], &[&[vec![Take(0), Add(1)]], &[vec![Take(1)]], &[vec![Add(0)]]], &[0, 0, 0]);
}

#[test]
fn a_chain_of_three_who_wait_is_woken() {
    check(&[0, 0], &[&[vec![Take(0), Add(1)]], &[vec![Take(1)]], &[vec![Add(0)]]], &[1, 1, 1]);
}

#[test]
fn three_threads_two_of_which_write() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Read(0)]]], &[1, 1, 1]);
    check(&[0, 0], &[&[vec![Write(0, 1)]], &[vec![Write(1, 1)]], &[vec![Read(0), Read(1)]]], &[1, 1, 1]);
    check(
        &[0, 0],
        &[&[vec![Read(0), Write(1, 1)]], &[vec![Read(1), Write(0, 1)]], &[vec![Read(0)]]],
        &[1, 1, 1],
    );
}

#[test]
fn one_of_two_who_wait_for_one_value_waits_on() {
    check(&[0], &[&[vec![Take(0)]], &[vec![Take(0)]], &[vec![Add(0)]]], &[1, 1, 1]);
}

#[test]
fn three_threads_one_of_which_is_the_senior() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Read(0)]]], &[0, 1, 1]);
    check(
        &[0, 0],
        &[&[vec![Read(0), Read(1)]], &[vec![Write(0, 1), Write(1, 1)]], &[vec![Read(0)]]],
        &[0, 1, 1],
    );
}

#[test]
fn a_thread_sees_its_own_last_commit() {
    check(&[0], &[&[vec![Add(0)], vec![Read(0)]], &[vec![Add(0)]]], &[1, 1]);
    check(&[0, 0], &[&[vec![Add(0)], vec![Take(1)]], &[vec![Take(0)], vec![Add(1)]]], &[1, 1]);
}
