//! The insides of production transactions, explored: what they can do is what they could do one after another.
//!
//! Each run has a world of its own. A thread's patience is how often its transactions fail before they become the senior: with none,
//! they are from the beginning.

#![cfg(feature = "check")]

use crate::transactions;

use MemoryModel::{Pso, Tso};
use Op::*;
use selvedge::private::production::interrupt::{self, Killed};
use selvedge::private::{Attempt, AttemptEnd, TestDomain};
use selvedge::stm::{Stm, TVar, Transaction, guard, or_else, retry, throw};
use selvedge::sync::Arc;
use selvedge::{Explorer, MemoryModel, Outcome, thread};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::from_ref;
use transactions::{Op, Program, Result, run_thread, serially};

/// No run takes so many steps.
const MAX_STEPS: usize = 2_000;

/// A test that needs more is not for every day.
const MAX_RUNS: u64 = 50_000;

fn run(program: &Program, patience: &[u32]) -> Result {
    let world = Arc::new(TestDomain::new());
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
        let report = Explorer::new()
            .memory(memory)
            .max_steps(MAX_STEPS)
            .max_executions(MAX_RUNS)
            .explore(|| run(&program, patience));
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
fn any_two(variables: &[u8], patience: &[u32]) {
    for first in kinds() {
        for second in kinds() {
            check(variables, &[from_ref(&first), from_ref(&second)], patience);
        }
    }
}

#[test]
fn any_two_transactions_are_as_one_after_the_other() {
    any_two(&[0, 0], &[1, 1]);
}

#[test]
fn any_two_transactions_are_as_one_after_the_other_where_one_can_take() {
    any_two(&[0, 1], &[1, 1]);
}

#[test]
fn any_two_transactions_one_of_which_is_the_senior_are_as_one_after_the_other() {
    any_two(&[0, 1], &[0, 1]);
}

#[test]
fn a_senior_who_waits_is_woken() {
    check(&[0], &[&[vec![Take(0)]], &[vec![Add(0)]]], &[0, 1]);
    check(&[0, 0], &[&[vec![OrElse(vec![Take(0)], vec![Take(1)])]], &[vec![Add(0)]]], &[0, 1]);
    check(&[0, 0], &[&[vec![OrElse(vec![Take(0)], vec![Take(1)])]], &[vec![Add(1)]]], &[0, 1]);
}

#[test]
fn those_who_are_the_senior_from_the_beginning_take_turns() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Add(0)]]], &[0, 0, 0]);
    check(&[0, 0], &[&[vec![Take(0), Add(1)]], &[vec![Take(1)]], &[vec![Add(0)]]], &[0, 0, 0]);
}

#[test]
fn a_thread_sees_its_own_last_commit() {
    check(&[0], &[&[vec![Add(0)], vec![Read(0)]], &[vec![Add(0)]]], &[1, 1]);
    check(&[0, 0], &[&[vec![Add(0)], vec![Take(1)]], &[vec![Take(0)], vec![Add(1)]]], &[1, 1]);
}

#[test]
fn a_chain_of_three_who_wait_is_woken() {
    check(&[0, 0], &[&[vec![Take(0), Add(1)]], &[vec![Take(1)]], &[vec![Add(0)]]], &[1, 1, 1]);
}

#[test]
fn two_who_wait_for_one_change_are_both_woken() {
    check(&[0], &[&[vec![Take(0)]], &[vec![Take(0)]], &[vec![Write(0, 2)]]], &[0, 0, 0]);
}

#[test]
fn one_of_two_who_wait_for_one_value_waits_for_ever() {
    check(&[0], &[&[vec![Take(0)]], &[vec![Take(0)]], &[vec![Write(0, 1)]]], &[0, 0, 0]);
}

#[test]
fn three_threads_write_and_read() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Read(0)]], &[vec![Read(0)]]], &[1, 1, 1]);
    check(&[0, 0], &[&[vec![Add(0)]], &[vec![Read(0), Read(1)]], &[vec![Add(1)]]], &[1, 1, 1]);
    check(&[0, 0], &[&[vec![Write(0, 1)]], &[vec![Write(1, 1)]], &[vec![Read(0), Read(1)]]], &[1, 1, 1]);
    check(
        &[0, 0],
        &[&[vec![Write(0, 1), Write(1, 1)]], &[vec![Read(0), Read(1)]], &[vec![Read(1)]]],
        &[1, 1, 1],
    );
}

#[test]
fn three_threads_do_not_skew() {
    check(
        &[0, 0],
        &[&[vec![Read(0), Write(1, 1)]], &[vec![Read(1), Write(0, 1)]], &[vec![Read(0)]]],
        &[1, 1, 1],
    );
}

#[test]
fn one_commit_wakes_those_who_wait_for_different_variables() {
    check(&[0, 0], &[&[vec![Take(0)]], &[vec![Take(1)]], &[vec![Write(0, 1), Write(1, 1)]]], &[1, 1, 1]);
}

#[test]
fn three_threads_one_of_which_is_the_senior() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Read(0)]], &[vec![Read(0)]]], &[0, 1, 1]);
    check(&[0, 0], &[&[vec![Add(0), Add(1)]], &[vec![Read(0)]], &[vec![Read(1)]]], &[0, 1, 1]);
    check(&[0, 0], &[&[vec![Read(0), Read(1)]], &[vec![Write(0, 2)]], &[vec![Write(1, 1)]]], &[0, 1, 1]);
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Write(0, 5)]]], &[0, 0, 1]);
}

#[test]
fn who_sleeps_is_woken_or_interrupted() {
    for (patience, memory) in [(1, Tso), (1, Pso), (0, Tso)] {
        let body = || {
            let (world, variable) = (Arc::new(TestDomain::new()), TVar::new(0_u8));
            let (mine, yours) = (world.clone(), variable.clone());
            let sleeper = interrupt::spawn(move || {
                interrupt::catch::<Killed, _>(|| {
                    mine.atomically(patience, |tx| {
                        guard(yours.read(tx)? > 0)?;
                        yours.write(tx, 0)
                    });
                })
            });
            world.atomically(1, |tx| variable.write(tx, 1));
            interrupt::kill(sleeper.thread());
            (sleeper.join().unwrap().is_ok(), variable.load())
        };
        let report =
            Explorer::new().memory(memory).max_steps(MAX_STEPS).max_executions(MAX_RUNS).explore(body);
        assert!(report.is_complete(), "{report}");
        // Either it took the value, or it was interrupted and left it.
        let expected = [(false, 1), (true, 0)].map(Outcome::Returned);
        assert!(report.outcomes().keys().eq(&expected), "{report}");
    }
}

#[test]
fn a_senior_that_panics_leaves_nothing_reserved() {
    let body = || {
        let (world, variable) = (Arc::new(TestDomain::new()), TVar::new(1_u8));
        let panics = || {
            world.atomically(0, |tx| -> Stm<()> {
                variable.write(tx, 2)?;
                std::panic::resume_unwind(Box::new("oh"))
            });
        };
        let has_panicked = catch_unwind(AssertUnwindSafe(panics)).is_err();
        // One who never becomes the senior can write.
        world.atomically(u32::MAX, |tx| variable.modify(tx, |value| value + 2));
        (has_panicked, variable.load())
    };
    let report = Explorer::new().max_steps(MAX_STEPS).explore(body);
    assert!(report.is_complete() && report.outcomes().keys().eq(&[Outcome::Returned((true, 3))]), "{report}");
}

#[test]
fn an_attempt_where_nobody_else_is_changes_nothing_before_it_is_applied() {
    let variables = [TVar::new(0), TVar::new(0), TVar::new(0)];
    let (attempt, ended) = Attempt::run(|tx| {
        let first = |tx: &mut Transaction| {
            variables[1].write(tx, 9)?;
            guard(variables[0].read(tx)? > 0)
        };
        or_else(tx, first, |tx| variables[2].modify(tx, |value| value + 1))
    });
    assert!(matches!(ended, AttemptEnd::Returned(())));
    assert_eq!(attempt.sizes(), (2, 1));
    assert_eq!(variables.each_ref().map(TVar::load), [0, 0, 0]);
    attempt.commit();
    assert_eq!(variables.each_ref().map(TVar::load), [0, 0, 1]);
    let (attempt, ended) = Attempt::run(|tx| variables[2].read(tx).and_then(|_| retry::<()>()));
    assert!(matches!(ended, AttemptEnd::Retry));
    assert_eq!(attempt.sizes(), (1, 0));
    drop(attempt);
    let (_, ended) = Attempt::run(|_| throw::<()>(7_u8));
    assert!(matches!(ended, AttemptEnd::Thrown(exception) if exception.is::<u8>()));
}
