//! The implementation of production's transactions, explored: they are serialisable.
//!
//! Each run has a domain of its own. `max_failures` says for each thread how often its transactions fail
//! before they get priority: with 0 they have it from the beginning.

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

/// More steps than any run takes.
const MAX_STEPS: usize = 2_000;

/// A limit, so that a test that has grown too long fails.
const MAX_RUNS: u64 = 50_000;

fn run(program: &Program, max_failures: &[u32], domain: TestDomain) -> Result {
    let domain = Arc::new(domain);
    let variables: Arc<[TVar<u8>]> = program.variables.iter().map(|value| TVar::new(*value)).collect();
    let run = |number: usize| {
        let (domain, variables, max_failures) = (domain.clone(), variables.clone(), max_failures[number]);
        let transactions = program.threads[number].clone();
        move || run_thread(&transactions, &variables, |body| domain.atomically(max_failures, body))
    };
    let threads: Vec<_> = (1..program.threads.len()).map(|number| thread::spawn(run(number))).collect();
    let mut reads = vec![run(0)()];
    reads.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
    (reads, variables.iter().map(TVar::load).collect())
}

/// The explored outcomes are exactly the outcomes of all serial orders. So no wake-up is lost if no serial
/// order is stuck.
#[track_caller]
fn check(variables: &[u8], threads: &[&[Vec<Op>]], max_failures: &[u32]) {
    check_in(TestDomain::new, variables, threads, max_failures);
}

/// The same, in a domain of this kind.
#[track_caller]
fn check_in(domain: fn() -> TestDomain, variables: &[u8], threads: &[&[Vec<Op>]], max_failures: &[u32]) {
    let threads = threads.iter().map(|transactions| transactions.to_vec()).collect();
    let program = Program { variables: variables.to_vec(), threads };
    let expected: BTreeSet<Outcome<Result>> =
        serially(&program).into_iter().map(|end| end.map_or(Outcome::Deadlock, Outcome::Returned)).collect();
    for memory in [Tso, Pso] {
        let report = Explorer::new()
            .memory(memory)
            .max_steps(MAX_STEPS)
            .max_executions(MAX_RUNS)
            .explore(|| run(&program, max_failures, domain()));
        assert!(report.is_complete(), "{program:?}, max_failures {max_failures:?}, {memory:?}: {report}");
        let outcomes: BTreeSet<_> = report.outcomes().keys().cloned().collect();
        assert_eq!(outcomes, expected, "{program:?}, max_failures {max_failures:?}, {memory:?}: {report}");
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

/// Checks all pairs of the kinds of transactions, with these initial values.
fn check_all_pairs(variables: &[u8], max_failures: &[u32]) {
    for first in kinds() {
        for second in kinds() {
            check(variables, &[from_ref(&first), from_ref(&second)], max_failures);
        }
    }
}

#[test]
fn any_two_transactions_are_serialisable() {
    check_all_pairs(&[0, 0], &[1, 1]);
}

#[test]
fn any_two_transactions_are_serialisable_with_an_enabled_take() {
    check_all_pairs(&[0, 1], &[1, 1]);
}

#[test]
fn any_two_transactions_are_serialisable_if_one_has_priority() {
    check_all_pairs(&[0, 1], &[0, 1]);
}

/// Some that take turns have priority, too. A transaction that sleeps leaves its turn to others.
#[test]
fn any_two_transactions_are_serialisable_if_they_take_turns() {
    for first in kinds() {
        for second in kinds() {
            let threads = [from_ref(&first), from_ref(&second)];
            check_in(|| TestDomain::new().taking_turns(), &[0, 1], &threads, &[1, 1]);
            check_in(|| TestDomain::new().taking_turns(), &[0, 0], &threads, &[0, 1]);
        }
    }
}

#[test]
fn a_sleeping_priority_transaction_is_woken() {
    check(&[0], &[&[vec![Take(0)]], &[vec![Add(0)]]], &[0, 1]);
    check(&[0, 0], &[&[vec![OrElse(vec![Take(0)], vec![Take(1)])]], &[vec![Add(0)]]], &[0, 1]);
    check(&[0, 0], &[&[vec![OrElse(vec![Take(0)], vec![Take(1)])]], &[vec![Add(1)]]], &[0, 1]);
}

#[test]
fn transactions_that_all_want_priority_commit_one_after_another() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Add(0)]]], &[0, 0, 0]);
    check(&[0, 0], &[&[vec![Take(0), Add(1)]], &[vec![Take(1)]], &[vec![Add(0)]]], &[0, 0, 0]);
}

#[test]
fn a_thread_sees_its_own_last_commit() {
    check(&[0], &[&[vec![Add(0)], vec![Read(0)]], &[vec![Add(0)]]], &[1, 1]);
    check(&[0, 0], &[&[vec![Add(0)], vec![Take(1)]], &[vec![Take(0)], vec![Add(1)]]], &[1, 1]);
}

#[test]
fn a_chain_of_three_sleeping_transactions_is_woken() {
    check(&[0, 0], &[&[vec![Take(0), Add(1)]], &[vec![Take(1)]], &[vec![Add(0)]]], &[1, 1, 1]);
}

#[test]
fn one_commit_wakes_two_transactions_that_sleep_on_a_variable() {
    check(&[0], &[&[vec![Take(0)]], &[vec![Take(0)]], &[vec![Write(0, 2)]]], &[0, 0, 0]);
}

#[test]
fn one_of_two_transactions_that_take_one_value_sleeps_for_ever() {
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
fn three_threads_have_no_write_skew() {
    check(
        &[0, 0],
        &[&[vec![Read(0), Write(1, 1)]], &[vec![Read(1), Write(0, 1)]], &[vec![Read(0)]]],
        &[1, 1, 1],
    );
}

#[test]
fn one_commit_wakes_transactions_that_sleep_on_different_variables() {
    check(&[0, 0], &[&[vec![Take(0)]], &[vec![Take(1)]], &[vec![Write(0, 1), Write(1, 1)]]], &[1, 1, 1]);
}

#[test]
fn three_threads_are_serialisable_if_some_have_priority() {
    check(&[0], &[&[vec![Add(0)]], &[vec![Read(0)]], &[vec![Read(0)]]], &[0, 1, 1]);
    check(&[0, 0], &[&[vec![Add(0), Add(1)]], &[vec![Read(0)]], &[vec![Read(1)]]], &[0, 1, 1]);
    check(&[0, 0], &[&[vec![Read(0), Read(1)]], &[vec![Write(0, 2)]], &[vec![Write(1, 1)]]], &[0, 1, 1]);
    check(&[0], &[&[vec![Add(0)]], &[vec![Add(0)]], &[vec![Write(0, 5)]]], &[0, 0, 1]);
}

#[test]
fn a_sleeping_transaction_is_woken_or_interrupted() {
    for (max_failures, memory) in [(1, Tso), (1, Pso), (0, Tso)] {
        let body = || {
            let (domain, variable) = (Arc::new(TestDomain::new()), TVar::new(0_u8));
            let (shared_domain, shared) = (domain.clone(), variable.clone());
            let sleeper = interrupt::spawn(move || {
                interrupt::catch::<Killed, _>(|| {
                    shared_domain.atomically(max_failures, |tx| {
                        guard(shared.read(tx)? > 0)?;
                        shared.write(tx, 0)
                    });
                })
            });
            domain.atomically(1, |tx| variable.write(tx, 1));
            interrupt::kill(sleeper.thread());
            (sleeper.join().unwrap().is_ok(), variable.load())
        };
        let report =
            Explorer::new().memory(memory).max_steps(MAX_STEPS).max_executions(MAX_RUNS).explore(body);
        assert!(report.is_complete(), "{report}");
        // Either the transaction took the value, or it was interrupted and left it.
        let expected = [(false, 1), (true, 0)].map(Outcome::Returned);
        assert!(report.outcomes().keys().eq(&expected), "{report}");
    }
}

#[test]
fn a_priority_transaction_that_panics_leaves_nothing_reserved() {
    let body = || {
        let (domain, variable) = (Arc::new(TestDomain::new()), TVar::new(1_u8));
        let panics = || {
            domain.atomically(0, |tx| -> Stm<()> {
                variable.write(tx, 2)?;
                std::panic::resume_unwind(Box::new("oh"))
            });
        };
        let has_panicked = catch_unwind(AssertUnwindSafe(panics)).is_err();
        // A transaction that never gets priority can write.
        domain.atomically(u32::MAX, |tx| variable.modify(tx, |value| value + 2));
        (has_panicked, variable.load())
    };
    let report = Explorer::new().max_steps(MAX_STEPS).explore(body);
    assert!(report.is_complete() && report.outcomes().keys().eq(&[Outcome::Returned((true, 3))]), "{report}");
}

#[test]
fn an_attempt_changes_nothing_before_its_commit() {
    let variables = [TVar::new(0), TVar::new(0), TVar::new(0)];
    let (attempt, end) = Attempt::run(|tx| {
        let first = |tx: &mut Transaction| {
            variables[1].write(tx, 9)?;
            guard(variables[0].read(tx)? > 0)
        };
        or_else(tx, first, |tx| variables[2].modify(tx, |value| value + 1))
    });
    assert!(matches!(end, AttemptEnd::Returned(())));
    assert_eq!(attempt.sizes(), (2, 1));
    assert_eq!(variables.each_ref().map(TVar::load), [0, 0, 0]);
    attempt.commit();
    assert_eq!(variables.each_ref().map(TVar::load), [0, 0, 1]);
    let (attempt, end) = Attempt::run(|tx| variables[2].read(tx).and_then(|_| retry::<()>()));
    assert!(matches!(end, AttemptEnd::Retry));
    assert_eq!(attempt.sizes(), (1, 0));
    drop(attempt);
    let (_, end) = Attempt::run(|_| throw::<()>(7_u8));
    assert!(matches!(end, AttemptEnd::Thrown(exception) if exception.is::<u8>()));
}
