//! Checking one property, and looking for deadlocks and errors; the results as plain data, for text and JSON alike.

use super::simulate::counted;
use super::{Arguments, progress, story};
use crate::failure::Failure;
use selvedge_lang::machine::Options as MachineOptions;
use selvedge_lang::parallel::{Atom, Expect, ParallelSystem, Program, Property};
use selvedge_ltl::buchi::TranslateError;
use selvedge_ltl::{Alphabet, Binary, Formula, Unary};
use selvedge_model::Counterexample;
use selvedge_model::System;
use selvedge_model::{Budget, CheckError, Limit, Options, Report, Stats, Failures, Verdict};
use serde_json::{Value, json};
use std::time::Instant;

/// A property with its verdict.
pub(super) struct Checked {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) verdict: &'static str,
    pub(super) limit: Option<Limit>,
    pub(super) expect: Option<Expect>,
    pub(super) stats: Stats,
    pub(super) story: Option<Story>,
    /// What never happens, if the property holds only because of that.
    pub(super) vacuous: Option<String>,
}

/// A run, as text and for programs.
pub(super) struct Story {
    pub(super) text: String,
    pub(super) value: Value,
}

/// What can get stuck, or go wrong.
#[derive(Default)]
pub(super) struct Surveyed {
    pub(super) deadlocks: Vec<(String, Story)>,
    pub(super) deadlock_count: usize,
    pub(super) errors: Vec<(String, Story)>,
    pub(super) limit: Option<Limit>,
    pub(super) states: usize,
}

impl Checked {
    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Does it hold, or turn out as its `expect` says?
    pub(super) fn is_as_it_should(&self) -> bool {
        match self.expect {
            Some(Expect::Violated) => self.verdict == "violated",
            _ => self.verdict == "holds",
        }
    }

    /// The verdict and the figures in one line.
    pub(super) fn line(&self) -> String {
        let verdict = match (self.verdict, self.limit, self.expect) {
            ("limit", Some(limit), _) => format!("stopped by the limit of {limit}, no violation so far"),
            ("violated", _, Some(Expect::Violated)) => "violated, as expected".to_owned(),
            ("holds", _, Some(Expect::Violated)) => "HOLDS, but is expected to be violated".to_owned(),
            ("holds", ..) => "holds".to_owned(),
            (other, ..) => other.to_uppercase(),
        };
        let Stats { states, transitions, automaton_states, time, .. } = self.stats;
        let (states, transitions) =
            (counted(states as u64, "state"), counted(transitions as u64, "transition"));
        let seconds = time.as_secs_f64();
        format!("{verdict:21}  {states}, {transitions}, automaton of {automaton_states}, {seconds:.2} s")
    }
}

/// A clock that starts now; the searches themselves read none.
pub(super) fn with_budget<T>(arguments: &Arguments, work: impl FnOnce(Budget<'_>) -> T) -> T {
    let start = Instant::now();
    let clock = || start.elapsed();
    let progress: Option<&dyn Fn(&Stats)> = if progress::is_wanted() { Some(&progress::show) } else { None };
    work(Budget {
        limits: arguments.limits(),
        clock: &clock,
        progress,
        compress: arguments.compress,
        workers: usize::from(arguments.workers),
    })
}

pub(super) fn check(
    program: &Program,
    property: &Property,
    arguments: &Arguments,
) -> Result<Checked, Failure> {
    let (system, report, atoms) = decide(program, &property.name, &property.formula, arguments)?;
    told(program, property, (&system, &report, &atoms), arguments)
}

/// The verdict on a property, for text and JSON; the texts of its propositions tell the run.
pub(super) fn told(
    program: &Program,
    property: &Property,
    (system, report, atoms): (&ParallelSystem, &Report<<ParallelSystem as System>::Action>, &[String]),
    arguments: &Arguments,
) -> Result<Checked, Failure> {
    let (verdict, limit, run) = match &report.verdict {
        Verdict::Holds => ("holds", None, None),
        Verdict::Violated(run) => ("violated", None, Some(run)),
        Verdict::MayBeViolated(run) => ("may-be-violated", None, Some(run)),
        Verdict::Limit(limit) => ("limit", Some(*limit), None),
    };
    let vacuous = if verdict == "holds" { never_happens(program, property, arguments)? } else { None };
    Ok(Checked {
        name: property.name.clone(),
        formula: property.formula.to_string(),
        verdict,
        limit,
        expect: property.expect,
        stats: report.stats,
        story: run.map(|run| tell(system, run, atoms)).transpose()?,
        vacuous,
    })
}

/// A formula's verdict, with the system that it was decided on and the texts of its propositions.
pub(crate) type Decided = (ParallelSystem, Report<<ParallelSystem as System>::Action>, Vec<String>);

pub(super) fn decide(
    program: &Program,
    name: &str,
    formula: &Formula<Atom>,
    arguments: &Arguments,
) -> Result<Decided, Failure> {
    let mut alphabet: Alphabet<Atom> = Alphabet::default();
    let numbered =
        alphabet.number(formula).map_err(|error| Failure::Usage(format!("property {name} has {error}")))?;
    let system = system(program, alphabet.names(), arguments)?;
    let report = with_budget(arguments, |budget| {
        let options = Options { fairness: arguments.fairness(), reduction: !arguments.no_reduction, budget };
        selvedge_model::check(&system, &numbered, options)
    });
    let report = report.map_err(|error| refusal(name, error))?;
    let atoms = alphabet.names().iter().map(ToString::to_string).collect();
    Ok((system, report, atoms))
}

/// For a property that holds and says `if a then b`: the `a` that never is, so that `b` was never put to the test.
fn never_happens(
    program: &Program,
    property: &Property,
    arguments: &Arguments,
) -> Result<Option<String>, Failure> {
    let (condition, never) = match &property.formula {
        Formula::Binary(Binary::Implies, condition, _) => (condition, !(**condition).clone()),
        Formula::Unary(Unary::Always, inner) => match &**inner {
            Formula::Binary(Binary::Implies, condition, _) => (condition, (!(**condition).clone()).always()),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let (_, report, _) = decide(program, &property.name, &never, arguments)?;
    Ok((report.verdict == Verdict::Holds).then(|| condition.to_string()))
}

pub(super) fn system(
    program: &Program,
    atoms: &[Atom],
    arguments: &Arguments,
) -> Result<ParallelSystem, Failure> {
    let options = MachineOptions { exact: arguments.exact };
    program.system(atoms, options).map_err(|diagnostic| Failure::Usage(diagnostic.message))
}

pub(super) fn refusal(name: &str, error: CheckError) -> Failure {
    match error {
        CheckError::Translate(TranslateError::TooLarge(_)) => {
            Failure::Limit(format!("property {name}: {error}"))
        }
        _ => Failure::Usage(format!("property {name}: {error}")),
    }
}

/// Deadlocks and errors, for text and JSON.
pub(super) fn surveyed(
    system: &ParallelSystem,
    survey: Failures<<ParallelSystem as System>::Action>,
) -> Result<Surveyed, Failure> {
    let tell_all = |runs: Vec<(String, Counterexample<_>)>| -> Result<Vec<(String, Story)>, Failure> {
        runs.into_iter().map(|(message, run)| Ok((message, tell(system, &run, &[])?))).collect()
    };
    let deadlocks = survey.deadlocks.into_iter().map(|run| (story::deadlock(system, &run), run));
    Ok(Surveyed {
        deadlocks: tell_all(deadlocks.collect())?,
        deadlock_count: survey.deadlock_count,
        errors: tell_all(survey.errors)?,
        limit: survey.limit,
        states: survey.stats.states,
    })
}

fn tell<S: System>(system: &S, run: &Counterexample<S::Action>, atoms: &[String]) -> Result<Story, Failure> {
    let mut text = Vec::new();
    story::write(system, run, atoms, &mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(Story { text, value: value(system, run) })
}

/// A run for programs.
pub(super) fn value<S: System>(system: &S, run: &Counterexample<S::Action>) -> Value {
    let steps = |steps: &[selvedge_model::Step<S::Action>]| -> Vec<Value> {
        let value = |step: &selvedge_model::Step<S::Action>| {
            let state: serde_json::Map<String, Value> = system
                .show(&step.state)
                .into_iter()
                .map(|(name, value)| (name, Value::String(value)))
                .collect();
            let process = step.action.map(|action| system.process_name(system.process(action)));
            let action = step.action.map_or_else(
                || if run.ends() { "stutter" } else { "" }.to_owned(),
                |action| system.describe(action),
            );
            json!({"process": process, "action": action, "state": state})
        };
        steps.iter().map(value).collect()
    };
    json!({"prefix": steps(&run.prefix), "cycle": steps(&run.cycle)})
}
