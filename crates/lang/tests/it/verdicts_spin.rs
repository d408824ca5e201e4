//! Generated programs against Debian's `spin`: the same verdict on each of several formulas, with and
//! without weak fairness.
//!
//! Programs may block (`await`). In both checkers a run without a next step stutters in its last state for
//! ever; weak fairness demands nothing for a process that is blocked infinitely often. Two of three programs
//! have a process that idles for ever: fairness is compared on these, since `pan -f` overlooks violations on
//! runs that have ended (two processes of one `x := 1` each, of which `F G x = 9` cannot hold). Formulas are
//! random, without `X`, over control points and variables.
//!
//! Each program has its own seed, so that a program with different verdicts can be generated again;
//! `SELVEDGE_SEED` is added to all seeds.

use crate::common::formulas::{Observation, Operators, formula, holds, selvedge};
use crate::common::generate::{Block, Generated, Random, Statement, generate};
use crate::common::promela::{Pan, is_translated, promela};
use crate::common::{program, search, system};
use selvedge_lang::GraphProgram;
use selvedge_ltl::Formula;
use selvedge_model::Fairness;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many programs are compared.
const PROGRAMS: usize = 200;

/// How many programs are compared if `SELVEDGE_LONG` is set; half of their formulas are deeper.
const PROGRAMS_IN_LONG_RUNS: usize = 2000;

/// How many formulas are checked of each program.
const FORMULAS: usize = 10;

/// How many formulas are tried to find a formula whose verdict depends on fairness.
const TRIES: usize = 20;

/// Programs have at least and at most so many states.
const STATES: std::ops::RangeInclusive<usize> = 10..=3000;

/// How often each case occurred.
#[derive(Debug, Default)]
struct Tally {
    formulas: usize,
    verdicts: usize,
    holds: usize,
    violated: usize,
    holds_of_fair_runs_only: usize,
    /// Formulas that SPIN could not translate in time, and that were replaced by others.
    untranslated: usize,
    /// Formulas that SPIN's search did not decide within its depth.
    undecided: usize,
    differences: Vec<String>,
}

impl Tally {
    fn count(&mut self, always: bool, weak: bool) {
        self.formulas += 1;
        self.holds += usize::from(always);
        self.violated += usize::from(!weak);
        self.holds_of_fair_runs_only += usize::from(weak && !always);
    }

    fn add(&mut self, other: Tally) {
        self.formulas += other.formulas;
        self.verdicts += other.verdicts;
        self.holds += other.holds;
        self.violated += other.violated;
        self.holds_of_fair_runs_only += other.holds_of_fair_runs_only;
        self.untranslated += other.untranslated;
        self.undecided += other.undecided;
        self.differences.extend(other.differences);
    }
}

/// A program to be compared, with its own random numbers.
struct Subject {
    random: Random,
    generated: Generated,
    text: String,
    program: GraphProgram,
    /// Does one process idle for ever, so that no run ends?
    is_endless: bool,
}

impl Subject {
    fn new(number: usize, seed: u64) -> Subject {
        let mut random = Random(seed.wrapping_add(number as u64).wrapping_mul(0x9E37_79B9));
        let is_endless = !number.is_multiple_of(3);
        loop {
            let mut generated = generate(&mut random, true);
            if is_endless {
                generated.processes.push(idle());
            }
            let text = generated.selvedge();
            if STATES.contains(&search(&system(&text, true), 1_000_000).states.len()) {
                let program = program(&text);
                return Subject { random, generated, text, program, is_endless };
            }
        }
    }

    /// A random formula. Few verdicts depend on fairness, so for every other formula several are tried,
    /// until our verdict does.
    fn formula(&mut self, number: usize, is_long: bool, tally: &mut Tally) -> Formula<Observation> {
        // SPIN's translator is slow on deeper formulas, so in short runs each program gets only one.
        let depth = match number {
            4 => 3,
            0 | 2 | 8 if is_long => 3,
            6 if is_long => 4,
            _ => 1 + number as u64 / 2 % 2,
        };
        let tries = if number.is_multiple_of(2) { 1 } else { TRIES };
        let mut last = None;
        for _ in 0..tries {
            let formula = self.translated(depth, tally);
            let ours = |fairness| holds(&self.program, &formula, false, fairness);
            let matters = tries > 1 && ours(Fairness::None) != ours(Fairness::Strong);
            last = Some(formula);
            if matters {
                break;
            }
        }
        last.expect("at least one try")
    }

    /// A formula that SPIN translates in time.
    fn translated(&mut self, depth: u64, tally: &mut Tally) -> Formula<Observation> {
        loop {
            let formula = formula(&mut self.random, &self.generated, Operators::WithoutNext, depth);
            if depth < 3 || is_translated(&formula) {
                return formula;
            }
            tally.untranslated += 1;
        }
    }
}

/// A process that moves for ever and changes nothing.
fn idle() -> Block {
    let nothing = Block { statements: vec![Statement::Skip], is_trailing: false };
    Block { statements: vec![Statement::Repeat(nothing)], is_trailing: false }
}

/// Compares the program of this number.
fn compare(number: usize, seed: u64, is_long: bool, tally: &mut Tally) {
    let mut subject = Subject::new(number, seed);
    let formulas: Vec<Formula<Observation>> =
        (0..FORMULAS).map(|number| subject.formula(number, is_long, tally)).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("verdicts_spin_{seed}_{number}"));
    let promela = promela(&subject.generated, &formulas);
    let pan = Pan::new(folder, &promela);
    for (index, formula) in formulas.iter().enumerate() {
        let ours = |fairness| holds(&subject.program, formula, false, fairness);
        let (always, weak) = (ours(Fairness::None), ours(Fairness::Weak));
        tally.count(always, weak);
        for (is_fair, ours) in [(false, always), (true, weak)] {
            if is_fair && !subject.is_endless {
                continue;
            }
            let theirs = pan.holds(index, is_fair);
            tally.verdicts += usize::from(theirs.is_some());
            tally.undecided += usize::from(theirs.is_none());
            if theirs.is_some_and(|theirs| theirs != ours) {
                let (text, formula) = (&subject.text, selvedge(formula));
                let what = format!("program {number}, f{index}, we: {ours}, fair: {is_fair}");
                tally.differences.push(format!("{text}{formula}\n{what}\n{promela}"));
            }
        }
    }
}

#[test]
fn generated_programs_have_the_verdicts_of_spin() {
    let is_long = std::env::var_os("SELVEDGE_LONG").is_some();
    let seed = std::env::var("SELVEDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(6);
    let programs = if is_long { PROGRAMS_IN_LONG_RUNS } else { PROGRAMS };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= programs {
                return tally;
            }
            compare(number, seed, is_long, &mut tally);
        }
    };
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            tally.add(worker.join().expect("a worker that does not panic"));
        }
    });
    let differences = std::mem::take(&mut tally.differences);
    println!("{programs} programs, {} differences: {tally:?}", differences.len());
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n\n"));
    let asked = tally.formulas;
    assert!(tally.holds > asked / 5, "{tally:?}");
    assert!(tally.violated > asked / 5, "{tally:?}");
    assert!(tally.holds_of_fair_runs_only > asked / 30, "{tally:?}");
    let deep = if is_long { asked / 2 } else { asked / 10 };
    assert!(tally.untranslated < deep / 4, "{tally:?}");
    assert!(tally.undecided < asked / 500, "{tally:?}");
}
