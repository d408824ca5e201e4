//! The engine: the stack, the current position, and what each command does to them.
//!
//! The thread that owns the target owns the engine. A search tells a [`Listener`] how far it is, and asks it
//! whether to go on.
//!
//! Promise: a command that cannot be carried out changes nothing, and says why.

mod alternatives;
mod completion;
mod export;
mod listener;
mod look_back;
mod show;
mod stack;
mod strips;
mod timeline;

pub use listener::{Listener, Progress};

use crate::protocol::{Command, DiagnosticView, Message};
use crate::search::{Outcome, Search, Stop};
use crate::snapshot::{Answer, LimitKind, Mode, SearchOptions};
use crate::target::{GivenRun, Move, Question, StateId, Target, TargetError};
use crate::view::ProgramView;
use selvedge_ltl::finite::{DEFAULT_LIMIT, Dfa};
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::{Binary, Formula, Prop, Unary};
use stack::{Stack, Step};
use strips::JudgedFormula;

/// A session.
pub struct Engine {
    target: Box<dyn Target>,
    program: ProgramView,
    initial: Vec<StateId>,
    /// The initial state that the run begins in.
    chosen: usize,
    stack: Stack,
    position: usize,
    revision: u64,
    judged: Vec<JudgedFormula>,
    expressions: Vec<String>,
    /// What the last command found.
    answer: Option<Answer>,
}

impl Engine {
    /// A session at its beginning: in the first initial state, or at the end of the target's given run.
    ///
    /// # Errors
    /// If the target has no state to begin in, or its run is none.
    pub fn new(mut target: Box<dyn Target>) -> Result<Engine, TargetError> {
        let initial = target.initial()?;
        let first = *initial.first().ok_or_else(|| TargetError("there is no initial state".to_owned()))?;
        let program = target.program();
        let mut engine = Engine {
            target,
            program,
            initial,
            chosen: 0,
            stack: Stack::new(first),
            position: 0,
            revision: 0,
            judged: Vec::new(),
            expressions: Vec::new(),
            answer: None,
        };
        if let Some(run) = engine.target.given_run() {
            engine.follow(run)?;
        }
        Ok(engine)
    }

    /// The messages that a session begins with: `program` and `snapshot`.
    pub fn open(&mut self) -> [Message; 2] {
        [Message::Program { program: Box::new(self.program.clone()) }, self.snapshot()]
    }

    /// Carries a command out.
    pub fn handle(&mut self, command: &Command, listener: &mut dyn Listener) -> Message {
        match self.carry_out(command, listener) {
            Ok(message) => message,
            Err(text) => Message::Error { text },
        }
    }

    /// What is debugged.
    pub fn target(&mut self) -> &mut dyn Target {
        &mut *self.target
    }

    fn carry_out(&mut self, command: &Command, listener: &mut dyn Listener) -> Result<Message, String> {
        if let Some(message) = self.ask(command, listener)? {
            return Ok(message);
        }
        self.refuse_branches(command)?;
        let answer = match command {
            Command::Step { formula, options } => Some(self.step(formula, *options, listener)?),
            Command::Backtrack => Some(self.backtrack(listener)?),
            Command::Remove => Some(self.remove()),
            Command::Clear { initial } => self.clear(*initial).map(|()| None)?,
            Command::Move { number } => Some(self.take(*number)?),
            Command::Simple { process } => Some(self.simple(*process)?),
            Command::Look { position } => {
                self.position = (*position).min(self.stack.length());
                None
            }
            Command::Choose { alternative } => Some(self.choose(*alternative)?),
            Command::Judge { formulas } => self.judge(formulas).map(|()| None)?,
            Command::Expressions { texts } => {
                self.expressions.clone_from(texts);
                None
            }
            Command::LastState { formula } => Some(self.last_state(formula)?),
            Command::LastChange { path } => Some(self.last_change(path)?),
            Command::NoReturn { formula } => Some(self.no_return(formula, listener)?),
            _ => Some(Answer::Said { text: "nothing is being searched".to_owned() }),
        };
        self.revision += 1;
        self.answer = answer;
        Ok(self.snapshot())
    }

    /// In a recording a formula finds a later position, and nothing else can be done.
    fn refuse_branches(&self, command: &Command) -> Result<(), String> {
        let is_branch = matches!(
            command,
            Command::Backtrack
                | Command::Remove
                | Command::Clear { .. }
                | Command::Move { .. }
                | Command::Simple { .. }
                | Command::Choose { .. }
        );
        if self.program.can_branch || !is_branch {
            return Ok(());
        }
        let command = self.program.branch_command.as_ref();
        let how = command.map_or_else(String::new, |command| format!("; other runs are made by `{command}`"));
        Err(format!("a recording has this run alone{how}"))
    }

    /// The answers to commands that change nothing.
    fn ask(&mut self, command: &Command, listener: &mut dyn Listener) -> Result<Option<Message>, String> {
        Ok(Some(match command {
            Command::Timeline { from, to } => Message::Timeline { timeline: self.timeline(*from, *to)? },
            Command::Alternatives { first, count } => {
                Message::Alternatives { alternatives: self.alternatives(*first, *count, listener)? }
            }
            Command::Validate { formula } => self.validate(formula),
            Command::Complete { formula, offset } => self.complete(formula, *offset),
            Command::Export { format } => self.export(format)?,
            _ => return Ok(None),
        }))
    }

    fn step(
        &mut self,
        formula: &str,
        options: SearchOptions,
        listener: &mut dyn Listener,
    ) -> Result<Answer, String> {
        let question = self.question(formula)?;
        let start = if self.program.can_branch { self.stack.end() } else { self.stack.states[self.position] };
        let mut search = Search::new(&question, start, options);
        let outcome = search.next(&mut *self.target, listener);
        if let Outcome::Alternative(path) = outcome {
            let found = Answer::FoundStep {
                length: path.moves.len(),
                alternative: 1,
                visited: search.visited,
                is_at_limit: path.is_at_limit,
            };
            if !self.program.can_branch {
                self.position += path.moves.len();
                return Ok(found);
            }
            let step = Step::new(formula.to_owned(), Some(options), search, path);
            self.stack.push(&mut *self.target, step).map_err(|error| error.to_string())?;
            self.position = self.stack.length();
            return Ok(found);
        }
        let is_unsatisfiable = is_unsatisfiable(&question.formula);
        no_step(&outcome, &search, is_unsatisfiable)
    }

    fn backtrack(&mut self, listener: &mut dyn Listener) -> Result<Answer, String> {
        let Some(step) = self.stack.steps.last_mut() else { return Ok(stack_is_empty()) };
        let next = step.chosen + 1;
        if next == step.alternatives.len() {
            let outcome = step.search.next(&mut *self.target, listener);
            match outcome {
                Outcome::Alternative(path) => step.alternatives.push(path),
                Outcome::Exhausted { .. } => {
                    let answer = no_step(&outcome, &step.search, false)?;
                    self.stack.pop();
                    self.position = self.stack.length();
                    return Ok(answer);
                }
                Outcome::Stopped(_) => {
                    let answer = no_step(&outcome, &step.search, false)?;
                    let chosen = step.chosen;
                    // A memoryless search has forgotten the states of the run.
                    self.stack.choose(&mut *self.target, chosen).map_err(|error| error.to_string())?;
                    return Ok(answer);
                }
            }
        }
        self.choose(next + 1)
    }

    fn choose(&mut self, alternative: usize) -> Result<Answer, String> {
        let Some(step) = self.stack.steps.last() else { return Ok(stack_is_empty()) };
        let known = step.alternatives.len();
        if !(1..=known).contains(&alternative) {
            return Err(format!("there is no alternative {alternative}; {known} are known"));
        }
        self.stack.choose(&mut *self.target, alternative - 1).map_err(|error| error.to_string())?;
        self.position = self.stack.length();
        let step = &self.stack.steps[self.stack.steps.len() - 1];
        Ok(Answer::FoundStep {
            length: step.path().moves.len(),
            alternative,
            visited: step.search.visited,
            is_at_limit: step.path().is_at_limit,
        })
    }

    fn remove(&mut self) -> Answer {
        let Some(step) = self.stack.pop() else { return stack_is_empty() };
        self.position = self.stack.length();
        Answer::Said { text: format!("removed {}", step.formula) }
    }

    fn clear(&mut self, initial: Option<usize>) -> Result<(), String> {
        let chosen = initial.unwrap_or(self.chosen);
        let count = self.initial.len();
        let state = *self
            .initial
            .get(chosen)
            .ok_or_else(|| format!("there is no initial state {chosen}; {count} are numbered from 0"))?;
        self.chosen = chosen;
        self.stack = Stack::new(state);
        self.position = 0;
        Ok(())
    }

    /// Takes one move: a step without alternatives.
    fn take(&mut self, number: u32) -> Result<Answer, String> {
        let moves = self.moves_at_end()?;
        let count = moves.len();
        let made = *moves
            .get(number as usize)
            .ok_or_else(|| format!("there is no move {number}; the state has {count}, numbered from 0"))?;
        let formula = made.process.map_or_else(|| "X true".to_owned(), |process| self.exec_formula(process));
        self.take_one_of(formula, vec![number])
    }

    /// A step of one process, with its other moves as alternatives.
    fn simple(&mut self, process: u32) -> Result<Answer, String> {
        let moves = self.moves_at_end()?;
        let numbers = (0..).zip(&moves).filter(|(_, made)| made.process == Some(process));
        let numbers: Vec<u32> = numbers.map(|(number, _)| number).collect();
        let formula = self.exec_formula(process);
        if numbers.is_empty() {
            return Ok(Answer::None { found_before: 0, is_unsatisfiable: false, visited: 0 });
        }
        self.take_one_of(formula, numbers)
    }

    fn take_one_of(&mut self, formula: String, numbers: Vec<u32>) -> Result<Answer, String> {
        let mut search = Search::of_moves(self.stack.end(), numbers);
        let Outcome::Alternative(path) = search.next(&mut *self.target, &mut ()) else {
            return Ok(Answer::None { found_before: 0, is_unsatisfiable: false, visited: 0 });
        };
        let step = Step::new(formula, None, search, path);
        self.stack.push(&mut *self.target, step).map_err(|error| error.to_string())?;
        self.position = self.stack.length();
        Ok(Answer::FoundStep { length: 1, alternative: 1, visited: 0, is_at_limit: false })
    }

    fn moves_at_end(&mut self) -> Result<Vec<Move>, String> {
        let mut moves = Vec::new();
        self.target.moves(self.stack.end(), &mut moves).map_err(|error| error.to_string())?;
        Ok(moves)
    }

    /// `X exec(P)`
    fn exec_formula(&mut self, process: u32) -> String {
        let name = self.process_name(process);
        let brackets = self.program.exec.as_ref();
        let (before, after) = brackets.map_or(("exec(", ")"), |(before, after)| (before, after));
        format!("X {before}{name}{after}")
    }

    /// Follows the run that the target brings along.
    fn follow(&mut self, run: GivenRun) -> Result<(), TargetError> {
        let first = self.initial.get(run.initial);
        let first =
            *first.ok_or_else(|| TargetError(format!("there is no initial state {}", run.initial)))?;
        self.chosen = run.initial;
        self.stack = Stack::new(first);
        if run.moves.is_empty() {
            return Ok(());
        }
        let path = crate::search::Path { moves: run.moves, cycle: run.cycle, is_at_limit: false };
        let mut step = Step::new(run.title, None, Search::of_moves(first, Vec::new()), path);
        step.is_exhausted = true;
        self.stack.push(&mut *self.target, step)?;
        let is_cycle = |cycle: usize| self.stack.states.get(cycle) == Some(&self.stack.end());
        if run.cycle.is_some_and(|cycle| !is_cycle(cycle)) {
            let cut = TargetError("the cycle of the run does not come back to its state".to_owned());
            return Err(cut);
        }
        self.position = if self.program.can_branch { self.stack.length() } else { 0 };
        Ok(())
    }

    fn question(&mut self, formula: &str) -> Result<Question, String> {
        self.target.question(formula).map_err(|diagnostics| {
            let source = selvedge_ltl::source::Source::new("<formula>", formula);
            let texts: Vec<String> = diagnostics.iter().map(|it| it.render(&source, false)).collect();
            texts.join("\n\n")
        })
    }

    fn validate(&mut self, formula: &str) -> Message {
        let (question, diagnostics) = match self.target.question(formula) {
            Ok(question) => (Some(question), Vec::new()),
            Err(diagnostics) => (None, diagnostics),
        };
        Message::Diagnostics {
            formula: formula.to_owned(),
            is_valid: question.is_some(),
            diagnostics: diagnostics.iter().map(DiagnosticView::new).collect(),
            suggests: question.map_or(Mode::Minimal, |question| suggested(&question.formula)),
        }
    }
}

fn stack_is_empty() -> Answer {
    Answer::Said { text: "the stack is empty".to_owned() }
}

/// The answer where no step was found.
fn no_step(outcome: &Outcome, search: &Search, is_unsatisfiable: bool) -> Result<Answer, String> {
    let (found_before, visited) = (search.found, search.visited);
    Ok(match outcome {
        Outcome::Exhausted { is_cut: true } => {
            Answer::Limit { limit: LimitKind::Length, found_before, visited }
        }
        Outcome::Stopped(Stop::States) => Answer::Limit { limit: LimitKind::States, found_before, visited },
        Outcome::Stopped(Stop::Cancelled) => Answer::Cancelled { visited },
        Outcome::Stopped(Stop::Failed(error)) => return Err(error.to_string()),
        _ => Answer::None { found_before, is_unsatisfiable, visited },
    })
}

/// Has the formula no finite word at all? False if its automaton is too large.
fn is_unsatisfiable(formula: &Formula<Prop>) -> bool {
    let mut arena = FormulaArena::default();
    let root = arena.formula(formula);
    !arena.has_past(root) && Dfa::from_formula(&arena, root, DEFAULT_LIMIT).is_ok_and(|dfa| dfa.is_empty())
}

/// The mode that suits a formula: an invariance is kept as long as possible, anything else is reached as
/// soon as possible.
fn suggested(formula: &Formula<Prop>) -> Mode {
    match formula {
        Formula::Unary(Unary::Always, _) | Formula::Binary(Binary::WeakUntil | Binary::Release, ..) => {
            Mode::Maximal
        }
        _ => Mode::Minimal,
    }
}
