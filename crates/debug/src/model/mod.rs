//! Models as a target: any [`System`], with what its language adds.
//!
//! States are stored once, as packed words. They have one form throughout a session, whatever propositions
//! are asked for: the steps are those of one system, without reduction; a formula has a system of its own,
//! which labels. Where a language cannot label the states of another system, its states are made once more
//! by the same steps (`Labeller::Own`).
//!
//! Promise: the moves of a state are the system's steps, in their order.

mod plain;
mod show;
mod table;

pub use plain::Plain;

use crate::engine::{Listener, Progress};
use crate::target::{GivenRun, Move, Question, QuestionId, StateId, Target, TargetError};
use crate::view::{Completion, MoveView, ProgramView, StateView, Transfer, ValueView};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::{
    Budget, Counterexample, Limits, Options, ProcessId, States, Stats, Steps, System, Verdict, Word, check,
};
use std::cell::{Cell, RefCell};
use std::time::Duration;
use table::Table;

/// What the debugger needs of a model beyond its steps.
pub trait Model {
    /// The states and steps.
    type System: System;

    /// Reads a formula, and makes a system that labels states with its propositions.
    ///
    /// # Errors
    /// What is wrong with the formula.
    fn read(&self, text: &str) -> Result<Reading<Self::System>, Vec<Diagnostic>>;

    /// What does not change: texts, flow graphs. Names and numbers of processes are added.
    fn program(&self) -> ProgramView;

    /// Makes states equal that differ only in the process that moved last.
    fn forget_last_mover(&self, _system: &Self::System, _state: &mut [Word]) {}

    /// Where a process is, as nodes of its flow graph.
    fn control(&self, _system: &Self::System, _state: &[Word], _process: usize) -> ControlView {
        ControlView::default()
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// Why it has none.
    fn evaluate(&self, system: &Self::System, text: &str, state: &[Word]) -> Result<String, String> {
        let value = system.show(state).into_iter().find(|(name, _)| name == text);
        value.map(|(_, value)| value).ok_or_else(|| format!("there is no value `{text}`"))
    }

    /// What formulas are made of.
    fn completions(&self) -> Vec<Completion> {
        Vec::new()
    }

    /// What a step with this text passes between processes, if its text says so.
    fn transfer(&self, _step: &str) -> Option<Transfer> {
        None
    }

    /// Can a formula say that a value is this one, as `turn = 1`?
    fn has_comparisons(&self) -> bool {
        false
    }
}

/// A formula that a model has read.
pub struct Reading<S> {
    /// The formula over numbered propositions.
    pub formula: Formula<Prop>,
    /// The propositions as text, by number.
    pub propositions: Vec<String>,
    /// The system whose labels have them.
    pub system: S,
    /// Are its states those of the system without propositions, word by word?
    pub shares_states: bool,
}

/// Where a process is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlView {
    /// The nodes where control stands.
    pub at: Vec<u32>,
    /// The nodes that can be executed next.
    pub next: Vec<u32>,
    /// The line of the next statement.
    pub line: Option<u32>,
}

/// A model that is debugged.
pub struct ModelTarget<M: Model> {
    model: M,
    system: M::System,
    table: Table,
    steps: Steps<<M::System as System>::Action>,
    questions: Vec<Asked<M::System>>,
    given: Option<GivenRun>,
    title: String,
    /// Are there processes from the beginning, whose control is shown beside the values?
    has_fixed_processes: bool,
}

struct Asked<S> {
    system: S,
    labeller: Labeller,
}

/// How the states of a question's system are found.
enum Labeller {
    /// They are the states of the table.
    Shared,
    /// They are made by the same steps, and kept by the number of the state.
    Own(Vec<Option<Box<[Word]>>>),
}

impl<M: Model> ModelTarget<M> {
    /// The model, with its system without propositions.
    pub fn new(model: M, system: M::System) -> ModelTarget<M> {
        let (table, steps) = (Table::new(system.words()), Steps::new(system.words()));
        let ProgramView { title, processes, .. } = model.program();
        let has_fixed_processes = !processes.is_empty();
        let questions = Vec::new();
        ModelTarget { model, system, table, steps, questions, given: None, title, has_fixed_processes }
    }

    /// The same, beginning with a run of another system of the model, whose steps are in the same order.
    ///
    /// # Errors
    /// If the run is none of the model.
    pub fn with_run<S: System>(
        mut self,
        system: &S,
        run: &Counterexample<S::Action>,
        title: String,
    ) -> Result<ModelTarget<M>, TargetError> {
        let ends = run.ends();
        let steps = run.prefix.iter().chain(run.cycle.iter().take(if ends { 0 } else { run.cycle.len() }));
        let states: Vec<&[Word]> = steps.clone().map(|step| &*step.state).collect();
        let actions: Vec<Option<S::Action>> = steps.map(|step| step.action).collect();
        let cycle = (!ends && !run.cycle.is_empty()).then(|| run.prefix.len() - 1);
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        let lost = || TargetError("the run is none of this model".to_owned());
        let first = initial.iter().position(|state| state == states[0]).ok_or_else(lost)?;
        let mut moves = Vec::new();
        let mut here = Steps::new(system.words());
        for place in 1..states.len() {
            here.clear();
            system.successors(states[place - 1], &mut here);
            let is_taken =
                |(action, to): (S::Action, &[Word])| Some(action) == actions[place] && to == states[place];
            moves.push(here.iter().position(is_taken).ok_or_else(lost)? as u32);
        }
        self.given = Some(GivenRun { initial: first, moves, cycle, title });
        Ok(self)
    }

    fn successors(&mut self, state: StateId) {
        self.steps.clear();
        self.system.successors(self.table.get(state), &mut self.steps);
    }
}

impl<M: Model> Target for ModelTarget<M> {
    fn program(&mut self) -> ProgramView {
        self.program_view()
    }

    fn initial(&mut self) -> Result<Vec<StateId>, TargetError> {
        let mut states = States::new(self.system.words());
        self.system.initial(&mut states);
        let mut known = Vec::new();
        for (number, state) in states.iter().enumerate() {
            let id = self.table.add(state, None, number as u32);
            if !known.contains(&id) {
                known.push(id);
            }
        }
        Ok(known)
    }

    fn moves(&mut self, state: StateId, out: &mut Vec<Move>) -> Result<(), TargetError> {
        self.successors(state);
        for (number, (action, to)) in self.steps.iter().enumerate() {
            let to = self.table.add(to, Some(state), number as u32);
            out.push(Move { process: self.system.process(action).map(|process| process.0), to });
        }
        Ok(())
    }

    fn class(&mut self, state: StateId) -> StateId {
        let ModelTarget { model, system, table, .. } = self;
        table.class(state, |words| model.forget_last_mover(system, words))
    }

    fn question(&mut self, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let Reading { formula, propositions, system, shares_states } = self.model.read(text)?;
        let labeller = if shares_states { Labeller::Shared } else { Labeller::Own(Vec::new()) };
        let id = QuestionId(self.questions.len() as u32);
        self.questions.push(Asked { system, labeller });
        Ok(Question { id, formula, propositions })
    }

    fn label(&mut self, question: QuestionId, state: StateId) -> Result<Letter, TargetError> {
        let ModelTarget { table, questions, .. } = self;
        let Asked { system, labeller } = &mut questions[question.0 as usize];
        Ok(match labeller {
            Labeller::Shared => system.label(table.get(state)),
            Labeller::Own(states) => system.label(own_state(system, states, table, state)?),
        })
    }

    fn view(&mut self, state: StateId) -> StateView {
        self.state_view(state)
    }

    fn values(&mut self, state: StateId) -> Vec<ValueView> {
        self.value_views(state)
    }

    fn describe(&mut self, state: StateId, number: u32) -> MoveView {
        self.successors(state);
        self.move_view(state, number)
    }

    fn evaluate(&mut self, expression: &str, state: StateId) -> Result<String, String> {
        self.model.evaluate(&self.system, expression, self.table.get(state))
    }

    fn completions(&mut self) -> Vec<Completion> {
        self.model.completions()
    }

    fn given_run(&mut self) -> Option<GivenRun> {
        self.given.take()
    }

    fn every_run(
        &mut self,
        question: QuestionId,
        formula: &Formula<Prop>,
        state: StateId,
        listener: &mut dyn Listener,
    ) -> Result<bool, TargetError> {
        let ModelTarget { table, questions, .. } = self;
        let Asked { system, labeller } = &mut questions[question.0 as usize];
        let start = match labeller {
            Labeller::Shared => table.get(state).to_vec(),
            Labeller::Own(states) => own_state(system, states, table, state)?.to_vec(),
        };
        check_from(&From { system: &*system, start: &start }, formula, listener)
    }

    fn next_state(&mut self) -> Option<StateId> {
        Some(self.table.next())
    }

    fn forget(&mut self, from: StateId) {
        self.table.forget(from);
        for asked in &mut self.questions {
            if let Labeller::Own(states) = &mut asked.labeller {
                states.truncate(from.0 as usize);
            }
        }
    }
}

/// A state of a question's system, made by the steps that led to the state of this number first.
fn own_state<'a, S: System>(
    system: &S,
    states: &'a mut Vec<Option<Box<[Word]>>>,
    table: &Table,
    state: StateId,
) -> Result<&'a [Word], TargetError> {
    let lost = || TargetError("a state is not reached by the same steps".to_owned());
    let mut todo = vec![state];
    while let Some(id) = todo.last().copied() {
        let place = id.0 as usize;
        if states.len() <= place {
            states.resize(place + 1, None);
        }
        if states[place].is_some() {
            todo.pop();
            continue;
        }
        let (parent, number) = table.origin(id);
        let made: Option<Box<[Word]>> = match parent {
            None => {
                let mut initial = States::new(system.words());
                system.initial(&mut initial);
                initial.iter().nth(number as usize).map(Into::into)
            }
            Some(parent) => match states.get(parent.0 as usize).and_then(Option::as_deref) {
                None => {
                    todo.push(parent);
                    continue;
                }
                Some(from) => {
                    let mut steps = Steps::new(system.words());
                    system.successors(from, &mut steps);
                    ((number as usize) < steps.len()).then(|| steps.get(number as usize).1.into())
                }
            },
        };
        states[place] = Some(made.ok_or_else(lost)?);
    }
    states[state.0 as usize].as_deref().ok_or_else(lost)
}

/// Does every run of the system satisfy the formula? The listener can cancel: then the time is up.
fn check_from<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    listener: &mut dyn Listener,
) -> Result<bool, TargetError> {
    let cancelled = Cell::new(false);
    let listener = RefCell::new(listener);
    let now = Cell::new(Duration::ZERO);
    let clock = || {
        // The clock has to move, or no progress is reported.
        now.set(now.get() + Duration::from_millis(1));
        if cancelled.get() { Duration::MAX } else { now.get() }
    };
    let report = |stats: &Stats| {
        let progress = Progress { visited: stats.states as u64, depth: stats.depth, found: 0 };
        cancelled.set(!listener.borrow_mut().progress(progress));
    };
    let limits = Limits { states: None, bytes: Some(MAX_BYTES), time: Some(Duration::from_secs(1 << 40)) };
    let budget = Budget { limits, clock: &clock, progress: Some(&report), ..Budget::default() };
    let options = Options { reduction: false, budget, ..Options::default() };
    let report = check(system, formula, options).map_err(|error| TargetError(error.to_string()))?;
    match report.verdict {
        Verdict::Holds => Ok(true),
        Verdict::Violated(_) | Verdict::MayBeViolated(_) => Ok(false),
        _ => Err(TargetError("the check was stopped before its end".to_owned())),
    }
}

/// The memory that a check from a state may take.
const MAX_BYTES: usize = 2 << 30;

/// The same system, beginning in another state.
struct From<'a, S> {
    system: &'a S,
    start: &'a [Word],
}

impl<S: System> System for From<'_, S> {
    type Action = S::Action;

    fn words(&self) -> usize {
        self.system.words()
    }

    fn processes(&self) -> usize {
        self.system.processes()
    }

    fn initial(&self, out: &mut States) {
        out.push(self.start);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<S::Action>) {
        self.system.successors(state, out);
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.system.label(state)
    }

    fn process(&self, action: S::Action) -> Option<ProcessId> {
        self.system.process(action)
    }

    fn partner(&self, action: S::Action) -> Option<ProcessId> {
        self.system.partner(action)
    }

    fn describe(&self, action: S::Action) -> String {
        self.system.describe(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.system.show(state)
    }
}
