//! The implementation of production's `MVar` and interrupts, explored: small programs, generated
//! exhaustively, have exactly the expected outcomes, for two and three threads and under each relaxed memory
//! model.
//!
//! The references are a naive model ([`model`]) and, for programs without throws, the controlled `MVar`.
#![cfg(feature = "check")]

mod lent;
mod model;

use model::{DONE, End, FIRST, INTERRUPTED, MASKS, Mask, NOTHING, OPS, Op, Program, ends, value_of};
use selvedge::private::production::{self, interrupt};
use selvedge::sync::{Arc, MVar};
use selvedge::thread::{self, Thread};
use selvedge::{Explorer, MemoryModel, Outcome};
use std::collections::BTreeSet;

/// The operations of the controlled and the production variable.
trait Variable: Send + Sync + 'static {
    fn from_value(value: Option<u8>) -> Self;
    fn perform(&self, op: Op, value: u8) -> u8;
    fn final_value(&self) -> Option<u8>;
}

macro_rules! variable {
    ($type:ty) => {
        impl Variable for $type {
            fn from_value(value: Option<u8>) -> Self {
                value.map_or_else(Self::empty, Self::new)
            }

            fn perform(&self, op: Op, value: u8) -> u8 {
                match op {
                    Op::Put => {
                        self.put(value);
                        DONE
                    }
                    Op::Take => self.take(),
                    Op::Read => self.read(),
                    Op::TryPut => self.try_put(value).map_or(NOTHING, |()| DONE),
                    Op::TryTake => self.try_take().unwrap_or(NOTHING),
                    Op::TryRead => self.try_read().unwrap_or(NOTHING),
                    Op::Throw(_) => unreachable!("done by the caller"),
                }
            }

            fn final_value(&self) -> Option<u8> {
                self.try_take()
            }
        }
    };
}

variable!(MVar<u8>);
variable!(production::MVar<u8>);

/// Executes one thread. Returns the results of its operations.
fn perform(
    variable: &impl Variable,
    number: usize,
    (mask, ops): &(Mask, Vec<Op>),
    targets: &[Thread],
) -> Vec<u8> {
    let mut results = Vec::new();
    let mut run = || {
        for (step, op) in ops.iter().enumerate() {
            results.push(match op {
                Op::Throw(to) => {
                    interrupt::throw_to(&targets[*to], INTERRUPTED);
                    DONE
                }
                op => variable.perform(*op, value_of(number, step)),
            });
        }
    };
    let caught = interrupt::catch::<u8, _>(|| match mask {
        Mask::Unmasked => run(),
        Mask::Interruptible => interrupt::mask(|_| run()),
        Mask::Uninterruptible => interrupt::uninterruptible_mask(|_| run()),
    });
    results.extend(caught.err());
    results
}

/// The program as a body. A thread can throw to the threads before it; the body can throw to all.
fn body<V: Variable>(program: &Program) -> (Vec<Vec<u8>>, Option<u8>) {
    let variable = Arc::new(V::from_value(program.is_full.then_some(FIRST)));
    let mut targets = vec![thread::current()];
    let mut handles = Vec::new();
    for (number, thread) in program.threads.iter().enumerate().skip(1) {
        let (variable, thread, earlier) = (variable.clone(), thread.clone(), targets.clone());
        let handle = interrupt::spawn(move || perform(&*variable, number, &thread, &earlier));
        targets.push(handle.thread().clone());
        handles.push(handle);
    }
    let mut results = vec![perform(&*variable, 0, &program.threads[0], &targets)];
    results.extend(handles.into_iter().map(|handle| handle.join().unwrap()));
    let final_value = interrupt::uninterruptible_mask(|_| variable.final_value());
    (results, final_value)
}

fn explore<V: Variable>(program: &Program, memory: MemoryModel) -> BTreeSet<End> {
    let shared = program.clone();
    let report = Explorer::new().memory(memory).explore(move || body::<V>(&shared));
    assert!(report.is_complete(), "{program:?}");
    let end = |outcome: &Outcome<_>| match outcome {
        Outcome::Returned(end) => Some(Clone::clone(end)),
        Outcome::Deadlock => None,
        other => panic!("{program:?} ended with {other:?}"),
    };
    report.outcomes().keys().map(end).collect()
}

/// The production variable has the outcomes of the model, and so has the controlled variable if no thread
/// throws. Returns the number of outcomes.
fn check(program: &Program, memory: MemoryModel) -> usize {
    let expected = ends(program);
    assert_eq!(explore::<production::MVar<u8>>(program, memory), expected, "production: {program:?}");
    let throws = |(_, ops): &(Mask, Vec<Op>)| ops.iter().any(|op| matches!(op, Op::Throw(_)));
    if !program.threads.iter().any(throws) {
        assert_eq!(explore::<MVar<u8>>(program, memory), expected, "controlled: {program:?}");
    }
    expected.len()
}

/// Programs with threads of these lengths. Every program with a multiple of `stride` as its number is
/// checked; twenty times as many with `SELVEDGE_LONG=1`.
struct Family<'a> {
    lengths: &'a [usize],
    throws: bool,
    stride: usize,
}

/// The possible operations of the thread with this number, with throws only to threads that it knows.
fn alphabet(number: usize, threads: usize, throws: bool) -> Vec<Op> {
    let known = if number == 0 { 1..threads } else { 0..number };
    let throws = known.filter(|_| throws).map(Op::Throw);
    OPS.into_iter().chain(throws).collect()
}

impl Family<'_> {
    /// The program with this number; `None` if there are fewer programs.
    fn program(&self, number: usize) -> Option<Program> {
        let mut rest = number;
        let mut choose = |choices: usize| {
            let choice = rest % choices;
            rest /= choices;
            choice
        };
        let is_full = choose(2) == 1;
        let thread = |(index, length): (usize, &usize)| {
            let mask = if self.throws { MASKS[choose(MASKS.len())] } else { Mask::Unmasked };
            let alphabet = alphabet(index, self.lengths.len(), self.throws);
            (mask, (0..*length).map(|_| alphabet[choose(alphabet.len())]).collect())
        };
        let threads = self.lengths.iter().enumerate().map(thread).collect();
        (rest == 0).then_some(Program { is_full, threads })
    }

    /// Returns the number of checked programs, and the number of programs among them with several outcomes.
    fn check(&self, memory: MemoryModel) -> (usize, usize) {
        let stride =
            if std::env::var_os("SELVEDGE_LONG").is_some() { self.stride.div_ceil(20) } else { self.stride };
        let programs = (0..).step_by(stride).map_while(|number| self.program(number));
        let ends: Vec<usize> = programs.map(|program| check(&program, memory)).collect();
        (ends.len(), ends.iter().filter(|ends| **ends > 1).count())
    }
}

const MODELS: [MemoryModel; 2] = [MemoryModel::Tso, MemoryModel::Pso];

/// Programs with a single outcome test little.
fn assert_varied((checked, varied): (usize, usize)) {
    assert!(4 * varied > checked, "only {varied} of {checked} programs have several outcomes");
}

#[test]
fn two_threads_with_two_operations_each_have_the_outcomes_of_the_model() {
    let family = Family { lengths: &[2, 2], throws: false, stride: 1 };
    for memory in MODELS {
        let (checked, varied) = family.check(memory);
        assert_eq!(checked, 2 * 6_usize.pow(4));
        assert_varied((checked, varied));
    }
}

#[test]
fn three_threads_with_one_operation_each_have_the_outcomes_of_the_model() {
    let family = Family { lengths: &[1, 1, 1], throws: false, stride: 1 };
    for memory in MODELS {
        let (checked, varied) = family.check(memory);
        assert_eq!(checked, 2 * 6_usize.pow(3));
        assert_varied((checked, varied));
    }
}

#[test]
fn three_threads_with_several_operations_have_the_outcomes_of_the_model() {
    for lengths in [[2, 1, 1], [2, 2, 1]] {
        let family = Family { lengths: &lengths, throws: false, stride: 31 };
        for memory in MODELS {
            assert_varied(family.check(memory));
        }
    }
}

#[test]
fn two_threads_that_throw_have_the_outcomes_of_the_model() {
    for (lengths, stride) in [([1, 1], 1), ([2, 1], 1), ([1, 2], 1), ([2, 2], 23)] {
        let family = Family { lengths: &lengths, throws: true, stride };
        for memory in MODELS {
            assert_varied(family.check(memory));
        }
    }
}

#[test]
fn three_threads_that_throw_have_the_outcomes_of_the_model() {
    for (lengths, stride) in [([1, 1, 1], 7), ([2, 1, 1], 997)] {
        let family = Family { lengths: &lengths, throws: true, stride };
        for memory in MODELS {
            assert_varied(family.check(memory));
        }
    }
}

/// Programs in which the families above found differences that are now fixed.
#[test]
fn programs_that_failed_once_have_the_outcomes_of_the_model() {
    use Mask::{Interruptible, Unmasked};
    let served_one_by_one = [
        (Unmasked, vec![Op::Read, Op::Throw(1)]),
        (Interruptible, vec![Op::Take]),
        (Interruptible, vec![Op::Put]),
    ];
    let thrown_to_at_the_end = [
        (Interruptible, vec![Op::TryTake, Op::Throw(1)]),
        (Interruptible, vec![Op::TryTake]),
        (Interruptible, vec![Op::Throw(0)]),
    ];
    for memory in MODELS {
        check(&Program { is_full: false, threads: served_one_by_one.to_vec() }, memory);
        check(&Program { is_full: true, threads: thrown_to_at_the_end.to_vec() }, memory);
    }
}
