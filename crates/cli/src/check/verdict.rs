//! The results of a file, as data for text and JSON alike.

use super::trace_table;
use crate::failure::Failure;
use selvedge_lang::{Expect, ProgramSystem};
use selvedge_model::{Counterexample, Failures, Limit, Stats, Step, System, Word};
use serde_json::{Map, Value, json};

/// A property with its verdict.
pub(super) struct CheckedProperty {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) expect: Option<Expect>,
    pub(super) verdict: PropertyVerdict,
    pub(super) stats: Stats,
}

/// What the search says of a property.
pub(super) enum PropertyVerdict {
    /// Every run satisfies the property.
    Holds {
        /// The condition that is never true, if the property says "if this, then that": it holds vacuously.
        vacuous: Option<String>,
    },
    /// This run violates the property.
    Violated(RenderedRun),
    /// This run violates the property if its unknown propositions are as they may be.
    MayBeViolated(RenderedRun),
    /// A limit stopped the search, with no violation so far.
    Limited(Limit),
}

/// A run, as a table and for programs.
pub(super) struct RenderedRun {
    pub(super) table: String,
    pub(super) json: Value,
}

/// The deadlocks and run-time errors that are reachable.
#[derive(Default)]
pub(super) struct DeadlocksAndErrors {
    /// Each with its description.
    pub(super) deadlocks: Vec<(String, RenderedRun)>,
    pub(super) deadlock_count: usize,
    pub(super) errors: Vec<(String, RenderedRun)>,
    /// The limit that stopped the search.
    pub(super) limit: Option<Limit>,
    pub(super) states: usize,
}

impl CheckedProperty {
    pub(super) fn is_limited(&self) -> bool {
        matches!(self.verdict, PropertyVerdict::Limited(_))
    }

    /// Does the property hold, or turn out as its `expect` says?
    pub(super) fn is_as_expected(&self) -> bool {
        match self.expect {
            Some(Expect::Violated) => matches!(self.verdict, PropertyVerdict::Violated(_)),
            Some(Expect::MayBeViolated) => matches!(self.verdict, PropertyVerdict::MayBeViolated(_)),
            Some(Expect::Holds) | None => matches!(self.verdict, PropertyVerdict::Holds { .. }),
        }
    }

    pub(super) fn counterexample(&self) -> Option<&RenderedRun> {
        match &self.verdict {
            PropertyVerdict::Violated(run) | PropertyVerdict::MayBeViolated(run) => Some(run),
            PropertyVerdict::Holds { .. } | PropertyVerdict::Limited(_) => None,
        }
    }

    /// The condition that is never true, if the property holds vacuously.
    pub(super) fn vacuous_condition(&self) -> Option<&str> {
        match &self.verdict {
            PropertyVerdict::Holds { vacuous } => vacuous.as_deref(),
            _ => None,
        }
    }
}

impl RenderedRun {
    /// `propositions` are the texts of the propositions, by number.
    pub(super) fn new<S: ProgramSystem>(
        system: &S,
        run: &Counterexample<S::Action>,
        propositions: &[String],
    ) -> Result<RenderedRun, Failure> {
        let mut table = Vec::new();
        trace_table::write(system, run, propositions, &mut table)?;
        let table = String::from_utf8_lossy(&table).into_owned();
        Ok(RenderedRun { table, json: run_json(system, run) })
    }
}

impl DeadlocksAndErrors {
    pub(super) fn new<S: ProgramSystem>(
        system: &S,
        failures: Failures<S::Action>,
    ) -> Result<DeadlocksAndErrors, Failure> {
        type Described<A> = Vec<(String, Counterexample<A>)>;
        let render = |runs: Described<S::Action>| -> Result<Vec<(String, RenderedRun)>, Failure> {
            runs.into_iter()
                .map(|(message, run)| Ok((message, RenderedRun::new(system, &run, &[])?)))
                .collect()
        };
        let describe = |run| (trace_table::describe_deadlock(system, &run), run);
        Ok(DeadlocksAndErrors {
            deadlocks: render(failures.deadlocks.into_iter().map(describe).collect())?,
            deadlock_count: failures.deadlock_count,
            errors: render(failures.errors)?,
            limit: failures.limit,
            states: failures.stats.states,
        })
    }
}

/// A run for programs.
pub(super) fn run_json<S: System>(system: &S, run: &Counterexample<S::Action>) -> Value {
    let step_json = |step: &Step<S::Action>| {
        let process =
            step.action.and_then(|action| system.process(action)).map(|process| system.process_name(process));
        let action = step.action.map_or_else(
            || if run.ends() { "stutter" } else { "" }.to_owned(),
            |action| system.describe(action),
        );
        json!({"process": process, "action": action, "state": state_json(system, &step.state)})
    };
    let steps_json = |steps: &[Step<S::Action>]| steps.iter().map(step_json).collect::<Vec<_>>();
    json!({"prefix": steps_json(&run.prefix), "cycle": steps_json(&run.cycle)})
}

/// The values of a state, by name.
pub(super) fn state_json<S: System>(system: &S, state: &[Word]) -> Map<String, Value> {
    system.show(state).into_iter().map(|(name, value)| (name, Value::from(value))).collect()
}
