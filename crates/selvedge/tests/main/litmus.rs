//! Litmus tests: the exact outcomes of small programs under each memory model, with each ordering, with and
//! without fences.
//!
//! The names follow Alglave, Maranget and Tautschnig, Herding Cats, TOPLAS 2014. The sets are worked
//! out by hand from the models: under TSO a store may be seen after later loads of its thread, under PSO
//! after later stores to other locations too; nothing else is ever reordered, and all threads see stores in
//! the same order. The exploration and an independent reference must both find exactly these sets.

#![cfg(feature = "check")]

use crate::soundness::program;
use crate::soundness::reference;

use program::{Op, Program};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicU32, Ordering, fence};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy, thread};
use std::collections::BTreeSet;

/// A litmus test: the threads, the observed values, and the allowed outcomes.
struct Litmus {
    name: &'static str,
    /// `x=1` stores, `a=x` loads.
    threads: &'static [&'static str],
    /// The registers and the locations of the final memory that form an outcome.
    observed: &'static str,
    sc: &'static str,
    tso: &'static str,
    pso: &'static str,
}

const LITMUS: &[Litmus] = &[
    Litmus {
        name: "SB",
        threads: &["x=1; a=y", "y=1; b=x"],
        observed: "ab",
        sc: "01 10 11",
        tso: "00 01 10 11",
        pso: "00 01 10 11",
    },
    Litmus {
        name: "LB",
        threads: &["a=x; y=1", "b=y; x=1"],
        observed: "ab",
        sc: "00 01 10",
        tso: "00 01 10",
        pso: "00 01 10",
    },
    Litmus {
        name: "MP",
        threads: &["x=1; y=1", "a=y; b=x"],
        observed: "ab",
        sc: "00 01 11",
        tso: "00 01 11",
        pso: "00 01 10 11",
    },
    Litmus {
        name: "S",
        threads: &["x=2; y=1", "a=y; x=1"],
        observed: "ax",
        sc: "01 02 11",
        tso: "01 02 11",
        pso: "01 02 11 12",
    },
    Litmus {
        name: "R",
        threads: &["x=1; y=1", "y=2; a=x"],
        observed: "ay",
        sc: "01 11 12",
        tso: "01 02 11 12",
        pso: "01 02 11 12",
    },
    Litmus {
        name: "2+2W",
        threads: &["x=1; y=2", "y=1; x=2"],
        observed: "xy",
        sc: "12 21 22",
        tso: "12 21 22",
        pso: "11 12 21 22",
    },
    Litmus {
        name: "IRIW",
        threads: &["x=1", "y=1", "a=x; b=y", "c=y; d=x"],
        observed: "abcd",
        sc: "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111",
        tso: "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111",
        pso: "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111",
    },
    Litmus {
        name: "CoRR",
        threads: &["x=1; x=2", "a=x; b=x"],
        observed: "ab",
        sc: "00 01 02 11 12 22",
        tso: "00 01 02 11 12 22",
        pso: "00 01 02 11 12 22",
    },
    Litmus {
        name: "WRC",
        threads: &["x=1", "a=x; y=1", "b=y; c=x"],
        observed: "abc",
        sc: "000 001 010 011 100 101 111",
        tso: "000 001 010 011 100 101 111",
        pso: "000 001 010 011 100 101 111",
    },
];

/// The orderings of a program, and the fence between any two accesses of a thread.
struct Variant {
    store: Ordering,
    load: Ordering,
    fence: Option<Ordering>,
    /// The models to which TSO and PSO are equivalent for this variant.
    behaves_as: [MemoryModel; 2],
}

use MemoryModel::{Pso, Sc, Tso};
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

const VARIANTS: &[Variant] = &[
    Variant { store: Relaxed, load: Relaxed, fence: None, behaves_as: [Tso, Pso] },
    // Under PSO every release store waits for all earlier stores, so they are seen in program order.
    Variant { store: Release, load: Acquire, fence: None, behaves_as: [Tso, Tso] },
    Variant { store: SeqCst, load: SeqCst, fence: None, behaves_as: [Sc, Sc] },
    // Only `SeqCst` stores drain the buffer; `SeqCst` loads do not.
    Variant { store: Relaxed, load: SeqCst, fence: None, behaves_as: [Tso, Pso] },
    Variant { store: SeqCst, load: Relaxed, fence: None, behaves_as: [Sc, Sc] },
    Variant { store: Relaxed, load: Relaxed, fence: Some(Acquire), behaves_as: [Tso, Pso] },
    Variant { store: Relaxed, load: Relaxed, fence: Some(Release), behaves_as: [Tso, Tso] },
    Variant { store: Relaxed, load: Relaxed, fence: Some(AcqRel), behaves_as: [Tso, Tso] },
    Variant { store: Relaxed, load: Relaxed, fence: Some(SeqCst), behaves_as: [Sc, Sc] },
];

type Outcomes = BTreeSet<String>;

impl Litmus {
    fn expected(&self, model: MemoryModel) -> Outcomes {
        let text = match model {
            Sc => self.sc,
            Tso => self.tso,
            Pso => self.pso,
        };
        text.split(' ').map(str::to_owned).collect()
    }

    /// The outcomes of all runs. The body of the run executes the last thread of the program.
    fn run(&self, variant: &'static Variant, model: MemoryModel) -> Outcomes {
        let (threads, observed) = (self.threads, self.observed);
        let report = Explorer::new().memory(model).strategy(Strategy::systematic()).explore(move || {
            let memory = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
            let (last, others) = threads.split_last().unwrap();
            let handles: Vec<_> = others
                .iter()
                .map(|program| {
                    let memory = memory.clone();
                    thread::spawn(move || execute(program, variant, &memory))
                })
                .collect();
            let mut registers = execute(last, variant, &memory);
            registers.extend(handles.into_iter().flat_map(|handle| handle.join().unwrap()));
            let observe = |name: char| match registers.iter().find(|(register, _)| *register == name) {
                Some((_, value)) => value.to_string(),
                None => memory[location(name)].load(Relaxed).to_string(),
            };
            observed.chars().map(observe).collect::<String>()
        });
        assert!(report.is_complete());
        let returned = |outcome: &Outcome<String>| outcome.returned().expect("a program that ends").clone();
        report.outcomes().keys().map(returned).collect()
    }
}

impl Litmus {
    /// The outcomes of the same program by the reference.
    fn reference_outcomes(&self, variant: &Variant, model: MemoryModel) -> Outcomes {
        let threads: Vec<Vec<Op>> = self.threads.iter().map(|program| ops(program, variant)).collect();
        let program = Program { threads, room: 0, joins: true, uses_all_first: false };
        let judged = reference::judge(&program, model, 100_000).expect("few states");
        let show = |(outcome, memory): &reference::End| {
            let values = outcome.returned().expect("a program that ends");
            let registers =
                self.threads.iter().zip(values).flat_map(|(program, values)| loads(program).zip(values));
            let registers: Vec<(char, &u32)> = registers.collect();
            let observe = |name: char| match registers.iter().find(|(register, _)| *register == name) {
                Some((_, value)) => value.to_string(),
                None => memory[location(name)].to_string(),
            };
            self.observed.chars().map(observe).collect::<String>()
        };
        judged.ends.iter().map(show).collect()
    }
}

/// The registers that a thread loads to, in order.
fn loads(program: &str) -> impl Iterator<Item = char> {
    program.split("; ").map(sides).filter(|(_, right)| !right.is_ascii_digit()).map(|(left, _)| left)
}

/// One thread of a program, as operations of the reference.
fn ops(program: &str, variant: &Variant) -> Vec<Op> {
    let access = |statement: &str| match sides(statement) {
        (left, right) if right.is_ascii_digit() => {
            Op::Store(location(left), right.to_digit(10).unwrap(), variant.store)
        }
        (_, right) => Op::Load(location(right), variant.load),
    };
    let with_fence = |statement: &str| variant.fence.map(Op::Fence).into_iter().chain([access(statement)]);
    // A fence stands between any two accesses, not before the first.
    program.split("; ").flat_map(with_fence).skip(usize::from(variant.fence.is_some())).collect()
}

/// The two sides of a statement.
fn sides(statement: &str) -> (char, char) {
    let (left, right) = statement.split_once('=').unwrap();
    (left.chars().next().unwrap(), right.chars().next().unwrap())
}

fn location(name: char) -> usize {
    usize::from(name == 'y')
}

/// Runs one thread of a program. Returns the loaded values by register.
fn execute(program: &str, variant: &Variant, memory: &[AtomicU32; 2]) -> Vec<(char, u32)> {
    let mut loaded = Vec::new();
    for (number, statement) in program.split("; ").enumerate() {
        if let Some(order) = variant.fence
            && number > 0
        {
            fence(order);
        }
        let (left, right) = sides(statement);
        match right.to_digit(10) {
            Some(value) => memory[location(left)].store(value, variant.store),
            None => loaded.push((left, memory[location(right)].load(variant.load))),
        }
    }
    loaded
}

#[test]
fn every_litmus_test_has_exactly_the_outcomes_of_its_model() {
    for litmus in LITMUS {
        for variant in VARIANTS {
            let expected_as = [Sc, variant.behaves_as[0], variant.behaves_as[1]];
            for (model, behaves_as) in [Sc, Tso, Pso].into_iter().zip(expected_as) {
                let Variant { store, load, fence, .. } = variant;
                let (name, expected) = (litmus.name, litmus.expected(behaves_as));
                let about =
                    format!("{name} under {model:?}, stores {store:?}, loads {load:?}, fence {fence:?}");
                assert_eq!(litmus.run(variant, model), expected, "{about}");
                assert_eq!(litmus.reference_outcomes(variant, model), expected, "by the reference: {about}");
            }
        }
    }
}

#[test]
fn every_outcome_under_sc_happens_under_tso_and_every_outcome_under_tso_under_pso() {
    for litmus in LITMUS {
        let [sc, tso, pso] = [Sc, Tso, Pso].map(|model| litmus.run(&VARIANTS[0], model));
        assert!(sc.is_subset(&tso), "{}: {sc:?} {tso:?}", litmus.name);
        assert!(tso.is_subset(&pso), "{}: {tso:?} {pso:?}", litmus.name);
    }
}
