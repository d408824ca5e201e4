//! Generated programs against Debian's `spin`: the same verdict on each of several formulas, with and without weak fairness.
//!
//! Programs may block (`await`). In both checkers a run that can go no further stays where it is for ever; a process that is blocked
//! again and again is owed nothing by weak fairness. Of three programs two have a process that idles for ever: fairness is
//! compared on those, since `pan -f` overlooks violations on runs that have ended (two processes of one `x := 1` each, of which
//! `F G x = 9` cannot hold). Formulas are random, without `X`, over control points and variables.

mod common;

use common::formulas::{Observation, Operators, formula, holds, selvedge};
use common::generate::{Block, Generated, Random, Statement, generate};
use common::promela::{Pan, promela};
use common::{program, search, system};
use selvedge_lang::parallel::Program;
use selvedge_ltl::Formula;
use selvedge_model::Fairness;
use std::path::Path;

/// How many programs are compared; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 36;

/// How many formulas are checked of each program.
const FORMULAS: usize = 10;

/// How many formulas are tried to find one to which fairness matters.
const TRIES: usize = 60;

/// Programs have at least and at most so many states.
const STATES: std::ops::RangeInclusive<usize> = 10..=3000;

/// How often things came out so.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    violated: usize,
    holds_of_fair_runs_only: usize,
}

impl Tally {
    fn count(&mut self, always: bool, weak: bool) {
        self.holds += usize::from(always);
        self.violated += usize::from(!weak);
        self.holds_of_fair_runs_only += usize::from(weak && !always);
    }
}

/// A random formula. Fairness seldom matters to one, so every other one is looked for until, by our account, it does.
fn about(
    random: &mut Random,
    generated: &Generated,
    program: &Program,
    number: usize,
) -> Formula<Observation> {
    // SPIN's translator can take minutes over deeper formulas, so each program gets only one.
    let depth = if number == 4 { 3 } else { 1 + number as u64 / 2 % 2 };
    let tries = if number.is_multiple_of(2) { 1 } else { TRIES };
    let mut last = None;
    for _ in 0..tries {
        let formula = formula(random, generated, Operators::WithoutNext, depth);
        let ours = |fairness| holds(program, &formula, false, fairness);
        let matters = ours(Fairness::None) != ours(Fairness::Strong);
        last = Some(formula);
        if matters {
            break;
        }
    }
    last.expect("at least one try")
}

/// A process that goes on for ever and changes nothing.
fn idle() -> Block {
    let nothing = Block { statements: vec![Statement::Skip], is_trailing: false };
    Block { statements: vec![Statement::Repeat(nothing)], is_trailing: false }
}

#[test]
fn generated_programs_have_the_verdicts_of_spin() {
    let is_long = std::env::var_os("SELVEDGE_LONG").is_some();
    let mut random = Random(6);
    let (mut tally, mut differences, mut compared) = (Tally::default(), Vec::new(), 0);
    while compared < if is_long { 20 * PROGRAMS } else { PROGRAMS } {
        let mut generated = generate(&mut random, true);
        // Fairness is compared where no run ends: SPIN's -f misses some accepting cycles of the claim on a run that has ended.
        let is_endless = compared % 3 != 0;
        if is_endless {
            generated.processes.push(idle());
        }
        let text = generated.selvedge();
        if !STATES.contains(&search(&system(&text, true), 1_000_000).states.len()) {
            continue;
        }
        compared += 1;
        let program = program(&text);
        let formulas: Vec<Formula<Observation>> =
            (0..FORMULAS).map(|number| about(&mut random, &generated, &program, number)).collect();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("verdicts_spin_{compared}"));
        let promela = promela(&generated, &formulas);
        let pan = Pan::new(folder, &promela);
        for (number, formula) in formulas.iter().enumerate() {
            let ours = |fairness| holds(&program, formula, false, fairness);
            let (always, weak) = (ours(Fairness::None), ours(Fairness::Weak));
            tally.count(always, weak);
            for (is_fair, ours) in [(false, always), (true, weak)] {
                if (is_endless || !is_fair) && pan.holds(number, is_fair) != ours {
                    let formula = selvedge(formula);
                    differences.push(format!("{text}{formula}\nwe: {ours}, fair: {is_fair}\n{promela}"));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n\n"));
    let asked = compared * FORMULAS;
    assert!(tally.holds > asked / 5, "{tally:?} of {asked}");
    assert!(tally.violated > asked / 5, "{tally:?} of {asked}");
    assert!(tally.holds_of_fair_runs_only > asked / 30, "{tally:?} of {asked}");
}
