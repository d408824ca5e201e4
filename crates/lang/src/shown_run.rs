//! A run as texts, made by whichever system took its steps.
//!
//! A command prints runs of a program's system, and runs with which the program
//! [confirms](crate::Program::confirm) them, which another system may have taken.

use selvedge_ltl::{Letter, Prop};
use selvedge_model::{Counterexample, Step, System};

/// A run as texts, in the form of a [`Counterexample`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownRun {
    /// The initial state, and the steps from there.
    pub prefix: Vec<ShownStep>,
    /// The steps that repeat for ever; a single one without an action in a run that ends.
    pub cycle: Vec<ShownStep>,
}

/// A step as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownStep {
    /// The process that moves, or two that meet; `None` in an initial state, in a run that has ended, and
    /// where no process moves.
    pub process: Option<String>,
    /// The place of the action in the source: `12`, or `other.erl:12` in another file.
    pub place: Option<String>,
    /// What the step does; `None` in an initial state, and in a run that has ended.
    pub action: Option<String>,
    /// The text that the step prints; empty if the action has all of it, `None` if it prints nothing.
    pub printed: Option<String>,
    /// The state that the step leads to: names and values.
    pub state: Vec<(String, String)>,
    /// The propositions that hold there, and with `?` the propositions whose value is unknown.
    pub holding: Vec<String>,
}

impl ShownRun {
    /// The texts of a run; `propositions` are the texts of the propositions, by number.
    pub fn new<S: System>(system: &S, run: &Counterexample<S::Action>, propositions: &[String]) -> ShownRun {
        let propositions: Vec<_> = (0..).map(Prop).zip(propositions.iter().map(String::as_str)).collect();
        let show = |number| ShownStep::new(system, run, number, &propositions);
        let count = run.prefix.len();
        let cycle = (count..count + run.cycle.len()).map(show).collect();
        ShownRun { prefix: (0..count).map(show).collect(), cycle }
    }

    /// Has the run ended? Then it stutters in its last state.
    pub fn ends(&self) -> bool {
        matches!(self.cycle.as_slice(), [ShownStep { action: None, .. }])
    }
}

impl ShownStep {
    /// The texts of the step with this number, counted through prefix and cycle.
    pub fn new<S: System>(
        system: &S,
        run: &Counterexample<S::Action>,
        number: usize,
        propositions: &[(Prop, &str)],
    ) -> ShownStep {
        let step = step_of(run, number);
        ShownStep {
            process: step.action.and_then(|action| system.mover_names(action)),
            place: step.action.and_then(|action| place(system, action)),
            action: step.action.map(|action| system.describe(action)),
            printed: printed_by(system, run, number),
            state: system.show(&step.state),
            holding: holding(system.label(&step.state), propositions),
        }
    }
}

/// The text that the step with this number prints, if its action prints.
pub fn printed_by<S: System>(system: &S, run: &Counterexample<S::Action>, number: usize) -> Option<String> {
    system.printed(&step_of(run, number.checked_sub(1)?).state, step_of(run, number).action?)
}

fn step_of<A>(run: &Counterexample<A>, number: usize) -> &Step<A> {
    match number.checked_sub(run.prefix.len()) {
        None => &run.prefix[number],
        Some(number) => &run.cycle[number],
    }
}

fn place<S: System>(system: &S, action: S::Action) -> Option<String> {
    let line = system.source_line(action)?;
    Some(match system.source_file(action) {
        Some(file) => format!("{file}:{line}"),
        None => line.to_string(),
    })
}

fn holding(letter: Letter, propositions: &[(Prop, &str)]) -> Vec<String> {
    let texts = propositions.iter().filter_map(|(prop, text)| match letter.value(*prop) {
        Some(true) => Some((*text).to_owned()),
        Some(false) => None,
        None => Some(format!("{text}?")),
    });
    texts.collect()
}
