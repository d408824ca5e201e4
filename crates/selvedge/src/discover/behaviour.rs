//! The behaviours of a ground term: how it ended, and what is observed then (Walker's thesis, §7.1).
//!
//! An explored body makes the state of the seed, runs the term beside the interference in a contained part,
//! and observes in its second function: after a deadlock or a panic too. The part ends with the term, and
//! what the interference has done by then counts. A data race or too many steps end the whole run: a
//! behaviour without an observation. A run in which the observation itself blocks or panics is left out and
//! counted.

use super::limits::Limits;
use super::signature::{Datum, Signature, Value, Vocabulary};
use super::term::ground::{Program, ProgramArgument};
use crate::explorer::TestName;
use crate::{Explorer, Keep, Outcome, Report, Strategy, contained, contained_then, thread};
use std::fmt::{self, Debug};
use std::sync::Arc;

/// How a term failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// No thread could go on.
    Deadlock,
    /// A panic, with its message, or an exception that was thrown to the term.
    Panicked(String),
    /// A data race, too many steps, or a violated formula: the run ended without an observation.
    Stopped(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Deadlock => f.write_str("deadlock"),
            Failure::Panicked(what) => write!(f, "panicked: {what}"),
            Failure::Stopped(what) => f.write_str(what),
        }
    }
}

/// One behaviour of a term, without the types of Rust.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) failure: Option<Failure>,
    pub(crate) observation: Option<Datum>,
    /// What the term returned, if it is compared.
    pub(crate) result: Option<Datum>,
    /// The whole state, if it is asked for; `Err` if it cannot be seen.
    pub(crate) state: Option<Result<Datum, ()>>,
}

impl Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.observation {
            Some(observation) => write!(f, "({observation:?}, ")?,
            None => f.write_str("(not observed, ")?,
        }
        match (&self.failure, &self.result) {
            (Some(failure), _) => write!(f, "{failure})"),
            (None, Some(result)) => write!(f, "returned {result:?})"),
            (None, None) => f.write_str("returned)"),
        }
    }
}

/// What a run is made of.
#[derive(Clone)]
pub(crate) struct Experiment {
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) program: Arc<Program>,
    pub(crate) seed: Datum,
    /// The number of the interference; 0 is none.
    pub(crate) interference: usize,
    /// Whether results are recorded.
    pub(crate) wants_result: bool,
    /// Whether the whole state is recorded.
    pub(crate) wants_state: bool,
}

/// A signature without its types: what runs terms.
pub(crate) trait World: Send + Sync {
    /// One run, inside of an exploration.
    fn run(&self, experiment: &Experiment) -> Seen;

    /// Whether the whole state can be seen.
    fn sees_state(&self) -> bool;
}

/// A signature that threads share.
pub(crate) struct SharedSignature<S, X, O>(pub(crate) Arc<Signature<S, X, O>>);

impl<S, X, O> World for SharedSignature<S, X, O>
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    fn run(&self, experiment: &Experiment) -> Seen {
        let (signature, seed) = (&self.0, experiment.seed.get::<X>());
        let state = Arc::new((signature.make)(seed));
        contained_then(
            || {
                if experiment.interference > 0 {
                    let (signature, state, seed) =
                        (signature.clone(), state.clone(), experiment.seed.clone());
                    let number = experiment.interference - 1;
                    thread::spawn(move || (signature.interferences[number].1)(&state, seed.get::<X>()));
                }
                execute(signature, &state, experiment, &experiment.program, &mut Vec::new())
            },
            |outcome| {
                let observation = Some(Datum::new((signature.observe)(&state, seed)));
                let state = signature.back_to_seed.as_ref().filter(|_| experiment.wants_state).map(|see| {
                    match contained(|| see(&state, seed)) {
                        Outcome::Returned(state) => Ok(state),
                        _ => Err(()),
                    }
                });
                let (failure, result) = match outcome {
                    Outcome::Returned(result) => (None, Some(result).filter(|_| experiment.wants_result)),
                    Outcome::Deadlock => (Some(Failure::Deadlock), None),
                    other => (Some(Failure::Panicked(panic_text(&other))), None),
                };
                Seen { failure, observation, result, state }
            },
        )
    }

    fn sees_state(&self) -> bool {
        self.0.back_to_seed.is_some()
    }
}

/// What a panic or an exception says.
fn panic_text(outcome: &Outcome<Datum>) -> String {
    match outcome {
        Outcome::Panicked(message) => message.clone(),
        other => other.to_string(),
    }
}

/// Runs a term. The list has the results that later operations use.
fn execute<S, X, O>(
    signature: &Arc<Signature<S, X, O>>,
    state: &Arc<S>,
    experiment: &Experiment,
    program: &Program,
    bound: &mut Vec<Datum>,
) -> Datum
where
    S: Send + Sync + 'static,
    X: Value,
    O: Send + Sync + 'static,
{
    match program {
        Program::Nothing => Datum::new(()),
        Program::Call(op, arguments) => {
            let arguments: Vec<Datum> =
                arguments.iter().map(|argument| evaluate(argument, experiment, bound)).collect();
            (signature.ops[*op].op.call)(state, &arguments)
        }
        Program::Then(first, second) => {
            execute(signature, state, experiment, first, bound);
            execute(signature, state, experiment, second, bound)
        }
        Program::Bind(first, second) => {
            let result = execute(signature, state, experiment, first, bound);
            bound.push(result);
            let result = execute(signature, state, experiment, second, bound);
            bound.pop();
            result
        }
        Program::Beside(left, right) => {
            let other = {
                let (signature, state, experiment) = (signature.clone(), state.clone(), experiment.clone());
                let (left, mut bound) = (left.clone(), bound.clone());
                thread::spawn(move || drop(execute(&signature, &state, &experiment, &left, &mut bound)))
            };
            execute(signature, state, experiment, right, bound);
            if let Err(payload) = other.join() {
                std::panic::resume_unwind(payload);
            }
            Datum::new(())
        }
    }
}

fn evaluate(argument: &ProgramArgument, experiment: &Experiment, bound: &[Datum]) -> Datum {
    match argument {
        ProgramArgument::Value(value) => value.clone(),
        ProgramArgument::Bound(index) => bound[bound.len() - 1 - index].clone(),
        ProgramArgument::Apply(function, arguments) => {
            let arguments: Vec<Datum> =
                arguments.iter().map(|argument| evaluate(argument, experiment, bound)).collect();
            (experiment.vocabulary.pures[*function].call)(&arguments)
        }
    }
}

/// The behaviours of one experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Explored {
    /// Without duplicates, in order.
    pub(crate) seen: Vec<Seen>,
    pub(crate) runs: usize,
    /// How many runs could not be observed.
    pub(crate) unobserved: usize,
    pub(crate) is_complete: bool,
}

/// The exploration of an experiment.
pub(crate) fn explorer(limits: &Limits, name: &TestName) -> Explorer {
    let strategy = if limits.is_exhaustive { Strategy::exhaustive() } else { Strategy::systematic() };
    Explorer::new()
        .strategy(strategy)
        .memory(limits.memory)
        .max_executions(limits.max_runs)
        .max_steps(limits.max_steps)
        .progress(false)
        .simplify(false)
        .named(name)
}

/// Explores an experiment.
pub(crate) fn explore(world: &dyn World, experiment: &Experiment, explorer: Explorer) -> Explored {
    let report = explorer.explore_keeping(|| world.run(experiment), |_| Keep::Outcome);
    explored(&report)
}

/// The behaviours that a report has.
pub(crate) fn explored(report: &Report<Seen>) -> Explored {
    let (mut seen, mut unobserved) = (Vec::new(), 0);
    for (outcome, runs) in report.counts() {
        match behaviour(outcome) {
            Some(behaviour) => seen.push(behaviour),
            None => unobserved += runs,
        }
    }
    seen.sort();
    seen.dedup();
    Explored { seen, runs: report.executions(), unobserved, is_complete: report.is_complete() }
}

/// The behaviour of a run with this outcome; `None` if it could not be observed.
pub(crate) fn behaviour(outcome: &Outcome<Seen>) -> Option<Seen> {
    match outcome {
        Outcome::Returned(seen) => Some(seen.clone()),
        Outcome::Deadlock | Outcome::Panicked(_) | Outcome::Interrupted(_) => None,
        stopped => {
            let failure = Some(Failure::Stopped(stopped.to_string()));
            Some(Seen { failure, observation: None, result: None, state: None })
        }
    }
}
