//! Erlang programs, through the public interface.

mod evaluation;
mod generated;
mod library;
mod limits;
mod processes;
mod propositions;
mod systematic;

use selvedge_lang::erlang::{ErlangProgram, read};
use selvedge_lang::{Delivery, ErlangOptions, NoSources, Program, ReadOptions, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Fairness, Options, Steps, System, Verdict, check};
use std::collections::{BTreeSet, VecDeque};

/// The program of a text, whose module is `t`.
pub(super) fn program(text: &str, options: &ErlangOptions) -> ErlangProgram {
    let source = Source::new("t.erl", format!("-module(t).\n-export([main/0]).\n{text}"));
    let options = ReadOptions { settings: &[], erlang: options, finder: &NoSources };
    let (program, diagnostics) = read(&source, &options);
    let texts: Vec<String> = diagnostics.iter().map(|one| one.render(&source, false)).collect();
    program.unwrap_or_else(|| panic!("{}\n{text}", texts.join("\n")))
}

/// The messages about a text that is no program.
pub(super) fn refused(text: &str) -> String {
    let source = Source::new("t.erl", format!("-module(t).\n-export([main/0]).\n{text}"));
    let options = ReadOptions { settings: &[], erlang: &ErlangOptions::default(), finder: &NoSources };
    let (program, diagnostics) = read(&source, &options);
    assert!(program.is_none(), "the text is accepted: {text}");
    diagnostics.iter().map(|one| one.render(&source, false) + "\n").collect()
}

/// `holds`, `violated`, `may-be-violated` or `limit`.
pub(super) fn verdict(
    program: &ErlangProgram,
    formula: &str,
    fairness: Fairness,
    reduction: bool,
) -> &'static str {
    let formula = program.formula(formula).unwrap_or_else(|errors| panic!("{formula}: {errors:?}"));
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let options = Options { fairness, reduction, ..Options::default() };
    match check(&system, &numbered, options).expect("a verdict").verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::MayBeViolated(_) => "may-be-violated",
        Verdict::Limit(_) => "limit",
    }
}

/// The verdict on a formula, the same with and without reduction.
#[track_caller]
pub(super) fn expect_verdict(text: &str, options: &ErlangOptions, formula: &str, expected: &str) {
    let program = program(text, options);
    for reduction in [false, true] {
        let found = verdict(&program, formula, Fairness::None, reduction);
        assert_eq!(found, expected, "{formula} with reduction {reduction} on\n{text}");
    }
}

pub(super) fn concrete() -> ErlangOptions {
    ErlangOptions::default()
}

pub(super) fn fifo() -> ErlangOptions {
    ErlangOptions { delivery: Delivery::Fifo, ..ErlangOptions::default() }
}

pub(super) fn under(domains: &[&str]) -> ErlangOptions {
    let domains = domains.iter().map(|domain| (*domain).to_owned()).collect();
    ErlangOptions { domains, ..ErlangOptions::default() }
}

/// The reasons with which the first process can end, and `stuck` for a state without steps in which it
/// lives.
pub(crate) fn outcomes(program: &ErlangProgram, reduction: bool) -> BTreeSet<String> {
    let system = program.system(&[], SystemOptions::default()).expect("a system");
    let mut initial = selvedge_model::States::new(1);
    system.initial(&mut initial);
    let mut pending: VecDeque<u64> = initial.iter().map(|state| state[0]).collect();
    let (mut seen, mut outcomes) = (BTreeSet::new(), BTreeSet::new());
    let mut steps = Steps::new(1);
    while let Some(state) = pending.pop_front() {
        if !seen.insert(state) {
            continue;
        }
        assert!(seen.len() < 300_000, "the program has too many states");
        steps.clear();
        if reduction {
            system.reduced_successors(selvedge_model::Preserve::States, &[state], &mut steps);
        } else {
            system.successors(&[state], &mut steps);
        }
        let lives = |state: &[u64]| system.show(state).iter().any(|(name, _)| name == "@0");
        if steps.is_empty() && lives(&[state]) {
            outcomes.insert(if system.is_cut(&[state]) { "cut" } else { "stuck" }.to_owned());
        }
        for (action, next) in steps.iter() {
            let is_first = system.process(action).is_some_and(|process| process.0 == 0);
            let text = system.describe(action);
            let reason = text.strip_prefix("ends: ").or_else(|| text.strip_prefix("crashes: "));
            match reason {
                Some(reason) if is_first => {
                    outcomes.insert(reason.to_owned());
                }
                _ => pending.push_back(next[0]),
            }
        }
    }
    outcomes
}
