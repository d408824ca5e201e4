//! Small programs of transactions, and a naive serial semantics: one transaction after another, in every
//! order.

use selvedge::interrupt::Thrown;
use selvedge::stm::{Stm, TVar, Transaction, catch, guard, or_else, throw};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// An operation of a transaction. Its numbers denote variables and values.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Read(usize),
    Write(usize, u8),
    Add(usize),
    /// Retries unless the variable is more than 0, and subtracts one.
    Take(usize),
    OrElse(Vec<Op>, Vec<Op>),
    Throw,
    Catch(Vec<Op>, Vec<Op>),
}

/// The transactions of each thread, in program order.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) variables: Vec<u8>,
    pub(crate) threads: Vec<Vec<Vec<Op>>>,
}

/// The reads of each transaction of each thread, with the final values of the variables.
pub(crate) type Result = (Vec<Vec<Read>>, Vec<u8>);

/// The reads of a transaction, or nothing if it threw an exception.
pub(crate) type Read = Option<Vec<u8>>;

/// The exception of `Op::Throw`.
#[derive(Debug)]
struct Oh;

/// All results of serial executions; `None` if some threads wait for ever.
pub(crate) fn serially(program: &Program) -> BTreeSet<Option<Result>> {
    let mut ends = BTreeSet::new();
    let reads = vec![Vec::new(); program.threads.len()];
    extend_serial_execution(program, &reads, &program.variables, &mut ends);
    ends
}

fn extend_serial_execution(
    program: &Program,
    reads: &[Vec<Read>],
    variables: &[u8],
    ends: &mut BTreeSet<Option<Result>>,
) {
    let mut is_stuck = true;
    for (number, thread) in program.threads.iter().enumerate() {
        let Some(ops) = thread.get(reads[number].len()) else { continue };
        let (mut seen, mut after) = (Vec::new(), variables.to_vec());
        let ended = run_naively(ops, &mut after, &mut seen);
        if matches!(ended, Err(Failure::Retry)) {
            continue;
        }
        is_stuck = false;
        let mut reads = reads.to_vec();
        match ended {
            Ok(()) => reads[number].push(Some(seen)),
            Err(_) => {
                reads[number].push(None);
                after = variables.to_vec();
            }
        }
        extend_serial_execution(program, &reads, &after, ends);
    }
    if is_stuck {
        let is_over = program.threads.iter().zip(reads).all(|(thread, reads)| thread.len() == reads.len());
        ends.insert(is_over.then(|| (reads.to_vec(), variables.to_vec())));
    }
}

enum Failure {
    Retry,
    Thrown,
}

/// Figures 9 to 11, with a list of numbers as the heap.
fn run_naively(ops: &[Op], heap: &mut Vec<u8>, seen: &mut Vec<u8>) -> std::result::Result<(), Failure> {
    for op in ops {
        match op {
            Op::Read(variable) => seen.push(heap[*variable]),
            Op::Write(variable, value) => heap[*variable] = *value,
            Op::Add(variable) => heap[*variable] += 1,
            Op::Take(variable) if heap[*variable] == 0 => return Err(Failure::Retry),
            Op::Take(variable) => heap[*variable] -= 1,
            Op::OrElse(first, second) => {
                let before = (heap.clone(), seen.clone());
                match run_naively(first, heap, seen) {
                    Err(Failure::Retry) => {
                        (*heap, *seen) = before;
                        run_naively(second, heap, seen)?;
                    }
                    other => other?,
                }
            }
            Op::Throw => return Err(Failure::Thrown),
            Op::Catch(body, handler) => {
                let before = (heap.clone(), seen.clone());
                match run_naively(body, heap, seen) {
                    Err(Failure::Thrown) => {
                        (*heap, *seen) = before;
                        run_naively(handler, heap, seen)?;
                    }
                    other => other?,
                }
            }
        }
    }
    Ok(())
}

/// The same as a transaction.
pub(crate) fn transact(
    tx: &mut Transaction,
    variables: &[TVar<u8>],
    ops: &[Op],
    seen: &mut Vec<u8>,
) -> Stm<()> {
    for op in ops {
        match op {
            Op::Read(variable) => seen.push(variables[*variable].read(tx)?),
            Op::Write(variable, value) => variables[*variable].write(tx, *value)?,
            Op::Add(variable) => variables[*variable].modify(tx, |value| value + 1)?,
            Op::Take(variable) => {
                guard(variables[*variable].read(tx)? > 0)?;
                variables[*variable].modify(tx, |value| value - 1)?;
            }
            Op::OrElse(first, second) => {
                let mut also_seen = seen.clone();
                *seen = or_else(
                    tx,
                    |tx| {
                        transact(tx, variables, first, seen)?;
                        Ok(seen.clone())
                    },
                    |tx| {
                        transact(tx, variables, second, &mut also_seen)?;
                        Ok(also_seen)
                    },
                )?;
            }
            Op::Throw => throw(Oh)?,
            Op::Catch(body, handler) => {
                let mut also_seen = seen.clone();
                *seen = catch(
                    tx,
                    |tx| {
                        transact(tx, variables, body, seen)?;
                        Ok(seen.clone())
                    },
                    |tx, Oh| {
                        transact(tx, variables, handler, &mut also_seen)?;
                        Ok(also_seen)
                    },
                )?;
            }
        }
    }
    Ok(())
}

/// Runs one thread of the program with this `atomically`. Returns its reads.
pub(crate) fn run_thread(
    transactions: &[Vec<Op>],
    variables: &[TVar<u8>],
    atomically: impl Fn(&dyn Fn(&mut Transaction) -> Stm<Vec<u8>>) -> Vec<u8>,
) -> Vec<Read> {
    let run = |ops: &Vec<Op>| {
        atomically(&|tx| {
            let mut seen = Vec::new();
            transact(tx, variables, ops, &mut seen)?;
            Ok(seen)
        })
    };
    let reads = transactions.iter().map(|ops| match catch_unwind(AssertUnwindSafe(|| run(ops))) {
        Ok(seen) => Some(seen),
        Err(payload) => match payload.downcast::<Thrown>() {
            Ok(thrown) if thrown.is::<Oh>() => None,
            Ok(thrown) => panic!("{thrown:?} was thrown"),
            Err(payload) => resume_unwind(payload),
        },
    });
    reads.collect()
}
