//! The insides of the production `MVar` and of interrupts, explored: small programs, generated exhaustively, come to
//! exactly what they should, for two and three threads and under each memory model that is not sequential.
//!
//! Judged by a naive model ([`model`]) and, where nobody throws, by the controlled `MVar`.
#![cfg(feature = "check")]

mod lent;
mod model;

use model::{DONE, End, FIRST, INTERRUPTED, MASKS, Mask, NOTHING, OPS, Op, Program, ends, value_of};
use selvedge::private::production::{self, interrupt};
use selvedge::sync::{Arc, MVar};
use selvedge::thread::{self, Thread};
use selvedge::{Explorer, MemoryModel, Outcome};
use std::collections::BTreeSet;

/// What both variables can do.
trait Variable: Send + Sync + 'static {
    fn of(value: Option<u8>) -> Self;
    fn perform(&self, op: Op, value: u8) -> u8;
    fn left(&self) -> Option<u8>;
}

macro_rules! variable {
    ($type:ty) => {
        impl Variable for $type {
            fn of(value: Option<u8>) -> Self {
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

            fn left(&self) -> Option<u8> {
                self.try_take()
            }
        }
    };
}

variable!(MVar<u8>);
variable!(production::MVar<u8>);

/// What one thread does, and says.
fn perform(
    variable: &impl Variable,
    number: usize,
    (mask, ops): &(Mask, Vec<Op>),
    known: &[Thread],
) -> Vec<u8> {
    let mut said = Vec::new();
    let mut run = || {
        for (step, op) in ops.iter().enumerate() {
            said.push(match op {
                Op::Throw(to) => {
                    interrupt::throw_to(&known[*to], INTERRUPTED);
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
    said.extend(caught.err());
    said
}

/// The program, as a body. A thread knows those before it; the body knows all.
fn body<V: Variable>(program: &Program) -> (Vec<Vec<u8>>, Option<u8>) {
    let variable = Arc::new(V::of(program.is_full.then_some(FIRST)));
    let mut known = vec![thread::current()];
    let mut handles = Vec::new();
    for (number, thread) in program.threads.iter().enumerate().skip(1) {
        let (variable, thread, their_known) = (variable.clone(), thread.clone(), known.clone());
        let handle = interrupt::spawn(move || perform(&*variable, number, &thread, &their_known));
        known.push(handle.thread().clone());
        handles.push(handle);
    }
    let mut said = vec![perform(&*variable, 0, &program.threads[0], &known)];
    said.extend(handles.into_iter().map(|handle| handle.join().unwrap()));
    let left = interrupt::uninterruptible_mask(|_| variable.left());
    (said, left)
}

fn explored<V: Variable>(program: &Program, memory: MemoryModel) -> BTreeSet<End> {
    let its = program.clone();
    let report = Explorer::new().memory(memory).explore(move || body::<V>(&its));
    assert!(report.is_complete(), "{program:?}");
    let end = |outcome: &Outcome<_>| match outcome {
        Outcome::Returned(end) => Some(Clone::clone(end)),
        Outcome::Deadlock => None,
        other => panic!("{program:?} came to {other:?}"),
    };
    report.outcomes().keys().map(end).collect()
}

/// The production variable comes to what the model says, and so does the controlled one if nobody throws. Returns how
/// many ends there are.
fn check(program: &Program, memory: MemoryModel) -> usize {
    let expected = ends(program);
    assert_eq!(explored::<production::MVar<u8>>(program, memory), expected, "production: {program:?}");
    let throws = |(_, ops): &(Mask, Vec<Op>)| ops.iter().any(|op| matches!(op, Op::Throw(_)));
    if !program.threads.iter().any(throws) {
        assert_eq!(explored::<MVar<u8>>(program, memory), expected, "controlled: {program:?}");
    }
    expected.len()
}

/// How many threads of which lengths, and every how manieth program is checked; twenty times as many with `SELVEDGE_LONG=1`.
struct Family<'a> {
    lengths: &'a [usize],
    throws: bool,
    stride: usize,
}

/// The choices of one step: of a thread's number, with throws only to those that it knows.
fn alphabet(number: usize, threads: usize, throws: bool) -> Vec<Op> {
    let known = if number == 0 { 1..threads } else { 0..number };
    let throws = known.filter(|_| throws).map(Op::Throw);
    OPS.into_iter().chain(throws).collect()
}

impl Family<'_> {
    /// The program of this number, or nothing if there are fewer.
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

    /// Returns how many were checked, and how many of these came to more than one end.
    fn check(&self, memory: MemoryModel) -> (usize, usize) {
        let stride =
            if std::env::var_os("SELVEDGE_LONG").is_some() { self.stride.div_ceil(20) } else { self.stride };
        let programs = (0..).step_by(stride).map_while(|number| self.program(number));
        let ends: Vec<usize> = programs.map(|program| check(&program, memory)).collect();
        (ends.len(), ends.iter().filter(|ends| **ends > 1).count())
    }
}

const MODELS: [MemoryModel; 2] = [MemoryModel::Tso, MemoryModel::Pso];

/// Programs that always come to the same show little.
fn assert_varied((checked, varied): (usize, usize)) {
    assert!(4 * varied > checked, "only {varied} of {checked} programs come to different ends");
}

#[test]
fn two_threads_with_two_operations_each_come_to_what_they_should() {
    let family = Family { lengths: &[2, 2], throws: false, stride: 1 };
    for memory in MODELS {
        let (checked, varied) = family.check(memory);
        assert_eq!(checked, 2 * 6_usize.pow(4));
        assert_varied((checked, varied));
    }
}

#[test]
fn three_threads_with_one_operation_each_come_to_what_they_should() {
    let family = Family { lengths: &[1, 1, 1], throws: false, stride: 1 };
    for memory in MODELS {
        let (checked, varied) = family.check(memory);
        assert_eq!(checked, 2 * 6_usize.pow(3));
        assert_varied((checked, varied));
    }
}

#[test]
fn three_threads_with_several_operations_come_to_what_they_should() {
    for lengths in [[2, 1, 1], [2, 2, 1]] {
        let family = Family { lengths: &lengths, throws: false, stride: 31 };
        for memory in MODELS {
            assert_varied(family.check(memory));
        }
    }
}

#[test]
fn two_threads_that_throw_come_to_what_they_should() {
    for (lengths, stride) in [([1, 1], 1), ([2, 1], 1), ([1, 2], 1), ([2, 2], 23)] {
        let family = Family { lengths: &lengths, throws: true, stride };
        for memory in MODELS {
            assert_varied(family.check(memory));
        }
    }
}

#[test]
fn three_threads_that_throw_come_to_what_they_should() {
    for (lengths, stride) in [([1, 1, 1], 7), ([2, 1, 1], 997)] {
        let family = Family { lengths: &lengths, throws: true, stride };
        for memory in MODELS {
            assert_varied(family.check(memory));
        }
    }
}

/// What the families above have found, each mended since.
#[test]
fn programs_that_went_wrong_once_come_to_what_they_should() {
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
