//! A recorded run, or a monitored path, as a target: one state after the other.
//!
//! There is a single move from each state, so a temporal step finds the part of the recording that satisfies
//! a formula. Other runs need the program, which the recording is not; the command that has it is named.
//!
//! Propositions are what the recording tells: those that a monitor or the program set, `exec(thread)`, and
//! `object = value` for the value that was read or written last.
//!
//! Promise: a proposition that occurs nowhere in the recording is refused.

use crate::target::{GivenRun, Move, Question, QuestionId, StateId, Target, TargetError};
use crate::view::{
    Completion, CompletionKind, EndKind, EndView, MoveView, ProcessRow, ProcessStatus, ProcessView,
    ProgramView, PropertyView, SourcePlace, StateView, TargetKind, Transfer, TransferKind, ValueView,
};
use selvedge_explore::trace::{PropositionChange, RecordedStep};
use selvedge_explore::{Kind, ObjectId, Recording, ThreadId};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Atoms, Names, parse};
use selvedge_ltl::{Alphabet, Letter};
use std::collections::BTreeSet;

/// A recorded run, or a monitored path.
pub struct RecordingTarget {
    title: String,
    recording: Recording,
    states: Vec<RecordedPoint>,
    questions: Vec<Vec<String>>,
    branch_command: Option<String>,
}

/// What is known at a position.
#[derive(Clone, Debug, Default)]
struct RecordedPoint {
    /// The move that leads here; `None` at the beginning.
    made: Option<MoveView>,
    /// The propositions that hold, `exec(..)` and values apart.
    holding: BTreeSet<String>,
    /// The last known values of objects.
    values: Vec<(String, String)>,
    /// The thread that moved.
    thread: Option<u32>,
}

impl RecordingTarget {
    /// The recording of a file with this name.
    pub fn new(title: String, recording: Recording) -> RecordingTarget {
        let states = match recording.states.is_empty() {
            true => points_of_run(&recording),
            false => points_of_path(&recording),
        };
        let test = recording.get("test").map(|test| test.rsplit("::").next().unwrap_or(test).to_owned());
        let branch_command = test.map(|test| format!("SELVEDGE_DEBUG={title} cargo test {test}"));
        RecordingTarget { title, recording, states, questions: Vec::new(), branch_command }
    }

    fn point(&self, state: StateId) -> &RecordedPoint {
        &self.states[state.0 as usize]
    }

    fn thread_name(&self, number: u32) -> String {
        self.recording.thread_name(ThreadId(number))
    }

    /// All propositions that hold at a position.
    fn propositions(&self, point: &RecordedPoint) -> BTreeSet<String> {
        let mut all = point.holding.clone();
        all.extend(point.thread.map(|thread| exec(&self.thread_name(thread))));
        all.extend(point.values.iter().map(|(name, value)| format!("{name} = {value}")));
        all
    }
}

/// `exec(main)`; a name with blanks is quoted as a whole: `"exec(thread 1)"`.
fn exec(thread: &str) -> String {
    format!("exec({thread})")
}

fn points_of_run(recording: &Recording) -> Vec<RecordedPoint> {
    let mut point = RecordedPoint::default();
    let mut points = vec![point.clone()];
    let mut pulse: Option<String> = None;
    for (number, step) in (0..).zip(&recording.steps) {
        let owner = step.id.thread.owner();
        point.thread = Some(owner.0);
        point.made = Some(step_view(recording, step, owner.0));
        // A pulse holds for one state.
        pulse.take().into_iter().for_each(|pulse: String| _ = point.holding.remove(&pulse));
        match step.action.kind {
            Kind::SetProp => _ = point.holding.insert(step.value.clone()),
            Kind::ReleaseProp => _ = point.holding.remove(&step.value),
            Kind::PulseProp => {
                pulse = point.holding.insert(step.value.clone()).then(|| step.value.clone());
            }
            _ => {
                if let Some(object) = step.action.object.filter(|_| !step.value.is_empty()) {
                    set_value(&mut point.values, short_name(recording, object), step.value.clone());
                }
            }
        }
        let violated = recording.formulas.iter().filter(|formula| formula.violated == Some(at(number)));
        point.holding.extend(violated.map(|formula| format!("violates({})", formula.name)));
        points.push(point.clone());
    }
    points
}

fn at(number: u64) -> selvedge_explore::trace::VerdictPlace {
    selvedge_explore::trace::VerdictPlace::At(number)
}

/// The name of an object without its place: `atomic#1`.
fn short_name(recording: &Recording, object: ObjectId) -> String {
    let name = recording.object_name(object);
    name.split_once(" (").map_or(name.as_str(), |(name, _)| name).to_owned()
}

fn set_value(values: &mut Vec<(String, String)>, name: String, value: String) {
    match values.iter_mut().find(|(known, _)| *known == name) {
        Some(known) => known.1 = value,
        None => values.push((name, value)),
    }
}

fn step_view(recording: &Recording, step: &RecordedStep, thread: u32) -> MoveView {
    let action = &step.action;
    let object = action.object.map(|object| short_name(recording, object));
    let target = action.target.map(|target| format!("`{}`", recording.thread_name(target)));
    let value = Some(step.value.clone()).filter(|value| !value.is_empty());
    let text = [Some(action.kind.text().to_owned()), object.clone(), target, value];
    let text = text.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let transfer = transfer(action.kind, object.as_deref());
    MoveView { number: 0, process: Some(thread), text, place: place(&step.site), printed: None, transfer }
}

/// What a step gives to, or takes from, other threads.
fn transfer(kind: Kind, object: Option<&str>) -> Option<Transfer> {
    let (kind, is_queue) = match kind {
        Kind::Send | Kind::TrySend => (TransferKind::Give, true),
        Kind::Receive | Kind::TryReceive => (TransferKind::Take, true),
        Kind::Unlock | Kind::UnlockRead | Kind::UnlockWrite | Kind::Put | Kind::Store | Kind::Complete => {
            (TransferKind::Give, false)
        }
        Kind::Lock | Kind::ReadLock | Kind::WriteLock | Kind::Take | Kind::Load | Kind::Await => {
            (TransferKind::Take, false)
        }
        _ => return None,
    };
    Some(Transfer { kind, name: object?.to_owned(), is_queue })
}

/// `src/lib.rs:12`
fn place(site: &str) -> Option<SourcePlace> {
    let (file, line) = site.rsplit_once(':')?;
    Some(SourcePlace { file: file.to_owned(), line: line.parse().ok()? })
}

fn points_of_path(recording: &Recording) -> Vec<RecordedPoint> {
    let mut points: Vec<RecordedPoint> = Vec::new();
    let mut holding = BTreeSet::new();
    for state in &recording.states {
        for PropositionChange { holds, proposition } in &state.changes {
            match holds {
                true => _ = holding.insert(proposition.clone()),
                false => _ = holding.remove(proposition),
            }
        }
        let change = |it: &PropositionChange| {
            format!("{} {}", if it.holds { "set" } else { "release" }, it.proposition)
        };
        let text = state.changes.iter().map(change).collect::<Vec<_>>().join(", ");
        let thread = state.thread.map(|thread| thread.0);
        let made = MoveView { process: thread, text, ..MoveView::default() };
        let made = (!points.is_empty()).then_some(made);
        points.push(RecordedPoint { made, holding: holding.clone(), values: Vec::new(), thread });
    }
    points
}

impl Target for RecordingTarget {
    fn program(&mut self) -> ProgramView {
        let threads = self.recording.threads.iter();
        let processes = threads.map(|name| ProcessView { name: name.clone(), ..ProcessView::default() });
        let formulas = self.recording.formulas.iter().filter(|formula| !formula.text.is_empty());
        let properties = formulas.map(|it| PropertyView { name: it.name.clone(), formula: it.text.clone() });
        ProgramView {
            title: self.title.clone(),
            kind: TargetKind::Recording,
            processes: processes.collect(),
            properties: properties.collect(),
            can_branch: false,
            branch_command: self.branch_command.clone(),
            ..ProgramView::default()
        }
    }

    fn initial(&mut self) -> Result<Vec<StateId>, TargetError> {
        Ok(vec![StateId(0)])
    }

    fn moves(&mut self, state: StateId, out: &mut Vec<Move>) -> Result<(), TargetError> {
        let next = StateId(state.0 + 1);
        if (next.0 as usize) < self.states.len() {
            out.push(Move { process: self.point(next).thread, to: next });
        }
        Ok(())
    }

    fn question(&mut self, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let formula = parse(text, &ObjectNames).into_result()?;
        let known: BTreeSet<String> = self.states.iter().flat_map(|point| self.propositions(point)).collect();
        let mut alphabet = Alphabet::default();
        let whole = Span::new(0, text.len());
        let formula = alphabet.number(&formula).map_err(|error| {
            vec![Diagnostic::error("debug::too-many-propositions", error.to_string(), whole, "")]
        })?;
        let propositions: Vec<String> = alphabet.names().to_vec();
        if let Some(name) = propositions.iter().find(|name| !known.contains(*name)) {
            let span = text.find(name.as_str()).map_or(whole, |at| Span::new(at, at + name.len()));
            let message = format!("`{name}` occurs nowhere in this recording");
            let some: Vec<&str> = known.iter().take(8).map(String::as_str).collect();
            let error = Diagnostic::error("debug::unknown-proposition", message, span, "");
            return Err(vec![error.help(format!("there are: {}", some.join(", ")))]);
        }
        self.questions.push(propositions.clone());
        let id = QuestionId(self.questions.len() as u32 - 1);
        Ok(Question { id, formula, propositions })
    }

    fn label(&mut self, question: QuestionId, state: StateId) -> Result<Letter, TargetError> {
        let holding = self.propositions(self.point(state));
        let names = self.questions[question.0 as usize].iter().enumerate();
        let bits = names.filter(|(_, name)| holding.contains(*name)).map(|(bit, _)| 1 << bit);
        Ok(Letter::exactly(bits.sum()))
    }

    fn view(&mut self, state: StateId) -> StateView {
        let point = self.point(state).clone();
        let mut values: Vec<ValueView> = Vec::new();
        for (name, value) in point.values {
            let proposition = Some(format!("{name} = {value}"));
            values.push(ValueView { path: name.clone(), name, value, proposition, ..ValueView::default() });
        }
        if !point.holding.is_empty() {
            let value = point.holding.into_iter().collect::<Vec<_>>().join(", ");
            let name = "holding".to_owned();
            values.push(ValueView { path: name.clone(), name, value, ..ValueView::default() });
        }
        let is_last = state.0 as usize + 1 == self.states.len();
        let next = self.states.get(state.0 as usize + 1).and_then(|point| point.thread);
        let row = |(number, name): (u32, &String)| {
            let ending = self.recording.endings.iter().find(|ending| ending.thread.0 == number);
            let waits_for = ending.filter(|_| is_last).map(|ending| ending.state.clone());
            let status = match next == Some(number) {
                true => ProcessStatus::Ready,
                false if is_last && waits_for.is_none() => ProcessStatus::Ended,
                false => ProcessStatus::Waiting,
            };
            ProcessRow { name: name.clone(), status, waits_for, ..ProcessRow::default() }
        };
        let processes = (0..).zip(&self.recording.threads).map(row).collect();
        let outcome = self.recording.get("outcome").unwrap_or("the recording ends").to_owned();
        let end = is_last.then_some(EndView { kind: EndKind::Recorded, text: outcome });
        StateView { values, processes, end }
    }

    fn describe(&mut self, state: StateId, _number: u32) -> MoveView {
        let next = self.states.get(state.0 as usize + 1);
        next.and_then(|point| point.made.clone()).unwrap_or_default()
    }

    fn evaluate(&mut self, expression: &str, state: StateId) -> Result<String, String> {
        let point = self.point(state);
        let value = point.values.iter().find(|(name, _)| name == expression);
        match value {
            Some((_, value)) => Ok(value.clone()),
            None if point.holding.contains(expression) => Ok("true".to_owned()),
            None => Err(format!("`{expression}` is not known here")),
        }
    }

    fn completions(&mut self) -> Vec<Completion> {
        let known: BTreeSet<String> = self.states.iter().flat_map(|point| self.propositions(point)).collect();
        let item = |text| Completion { text, kind: CompletionKind::Proposition, detail: String::new() };
        known.into_iter().map(item).collect()
    }

    fn given_run(&mut self) -> Option<GivenRun> {
        let moves = vec![0; self.states.len() - 1];
        let title = self.recording.get("outcome").map_or("the recording".to_owned(), str::to_owned);
        Some(GivenRun { initial: 0, moves, cycle: None, title })
    }
}

/// Propositions as [`Names`] reads them, and names of objects with a number: `atomic#1 = 3`.
struct ObjectNames;

impl Atoms for ObjectNames {
    type Atom = String;

    fn read(&self, text: &str, range: Span) -> Option<(Result<String, Diagnostic>, usize)> {
        read_object(text, range).map(|(atom, end)| (Ok(atom), end)).or_else(|| Names.read(text, range))
    }
}

/// `atomic#1 = 3` or `mutex#1`, with its end.
fn read_object(text: &str, range: Span) -> Option<(String, usize)> {
    let rest = &text[range.range()];
    let word = |from: &str| from.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(from.len());
    let kind = word(rest);
    let after = rest[kind..].strip_prefix('#').filter(|_| kind > 0)?;
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let end = kind + 1 + digits;
    let name = &rest[..end];
    let tail = rest[end..].trim_start();
    if digits == 0 {
        return None;
    }
    let Some(value) = tail.strip_prefix('=') else { return Some((name.to_owned(), range.start + end)) };
    let value = value.trim_start();
    let length = value.find(|it: char| it.is_whitespace() || "()&|".contains(it)).unwrap_or(value.len());
    let place = rest.len() - value.len() + length;
    (length > 0).then(|| (format!("{name} = {}", &value[..length]), range.start + place))
}
