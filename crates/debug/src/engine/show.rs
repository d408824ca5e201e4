//! The session as it stands, for readers.

use super::Engine;
use crate::protocol::Message;
use crate::snapshot::{ExpressionValue, InitialChoice, Snapshot};
use crate::target::{Move, StateId, Target};
use crate::view::{MoveView, ProcessRow, ProcessStatus, StateView, ValueView};
use rustc_hash::FxHashMap;

impl Engine {
    pub(super) fn snapshot(&mut self) -> Message {
        let position = self.position;
        let (mut state, other_moves) = self.state_with_moves(self.stack.states[position]);
        if let Some(before) = position.checked_sub(1) {
            let before = self.target.values(self.stack.states[before]);
            mark_changes(&mut state.values, &before);
        }
        self.find_holders(&mut state);
        let arrived_by = position.checked_sub(1).map(|before| self.made(before));
        let snapshot = Snapshot {
            revision: self.revision,
            length: self.stack.length(),
            position,
            state,
            arrived_by,
            other_moves,
            stack: self.stack.cards(),
            cycle: self.stack.cycle(),
            initial: InitialChoice { count: self.initial.len(), chosen: self.chosen },
            expressions: self.expression_values(),
            strips: self.strip_heads(),
            answer: self.answer.clone(),
        };
        Message::Snapshot { snapshot: Box::new(snapshot) }
    }

    /// The move from this position to the next.
    pub(super) fn made(&mut self, position: usize) -> MoveView {
        self.target.describe(self.stack.states[position], self.stack.moves[position])
    }

    /// The name of a process; one that began during the run is known from its state.
    pub(super) fn process_name(&mut self, process: u32) -> String {
        let process = process as usize;
        if let Some(known) = self.program.processes.get(process) {
            return known.name.clone();
        }
        let rows = self.target.view(self.stack.end()).processes;
        rows.get(process).map_or_else(|| process.to_string(), |row| row.name.clone())
    }

    /// For each process that waits, the process that last changed a value that it waits for, if that was
    /// another one within the last moves.
    fn find_holders(&mut self, state: &mut StateView) {
        let waiting = |row: &ProcessRow| row.status == ProcessStatus::Waiting && row.holder.is_none();
        if !state.processes.iter().any(waiting) {
            return;
        }
        let mut last_changes: FxHashMap<String, u32> = FxHashMap::default();
        for before in (self.position.saturating_sub(MAX_MOVES_BACK)..self.position).rev() {
            let Some(process) = self.made(before).process else { continue };
            for (path, ..) in self.changes(self.stack.states[before], self.stack.states[before + 1]) {
                last_changes.entry(path).or_insert(process);
            }
        }
        for (number, row) in (0..).zip(&mut state.processes) {
            let Some(text) = row.waits_for.as_ref().filter(|_| row.holder.is_none()) else { continue };
            let mut changed = last_changes.iter().filter(|(path, _)| mentions(text, path));
            let only = changed.next().filter(|_| changed.next().is_none());
            row.holder = only.map(|(_, process)| *process).filter(|process| *process != number);
        }
    }

    /// A state with the moves of each process, and the moves of none.
    fn state_with_moves(&mut self, state: StateId) -> (StateView, Vec<MoveView>) {
        let mut view = self.target.view(state);
        let mut moves: Vec<Move> = Vec::new();
        let mut others = Vec::new();
        // A target that cannot reach the state again shows it without moves.
        if self.target.moves(state, &mut moves).is_ok() {
            for number in 0..moves.len() as u32 {
                let made = self.target.describe(state, number);
                let row = made.process.and_then(|process| view.processes.get_mut(process as usize));
                row.map_or(&mut others, |row| &mut row.moves).push(made);
            }
        }
        (view, others)
    }

    fn expression_values(&mut self) -> Vec<ExpressionValue> {
        let state = self.stack.states[self.position];
        let before = self.position.checked_sub(1).map(|before| self.stack.states[before]);
        let Engine { target, expressions, .. } = self;
        let value = |text: &String| {
            let (value, is_error) = evaluate(&mut **target, text, state);
            let old =
                before.map(|before| evaluate(&mut **target, text, before).0).filter(|old| *old != value);
            ExpressionValue { text: text.clone(), value, old, is_error }
        };
        expressions.iter().map(value).collect()
    }
}

/// The value of an expression, or why it has none, and whether it has none.
fn evaluate(target: &mut dyn Target, text: &str, state: StateId) -> (String, bool) {
    match target.evaluate(text, state) {
        Ok(value) => (value, false),
        Err(error) => (error, true),
    }
}

/// How far back the last change of an awaited value is looked for.
const MAX_MOVES_BACK: usize = 200;

/// Does the text have this name as a whole?
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || "_@[".contains(it);
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// Adds the old values where they differ.
fn mark_changes(values: &mut [ValueView], before: &[ValueView]) {
    let old = flatten(before);
    mark(values, &old);
}

fn mark(values: &mut [ValueView], old: &FxHashMap<String, String>) {
    for value in values {
        if value.parts.is_empty() {
            let before = old.get(&value.path).map_or("", String::as_str);
            value.old = (before != value.value).then(|| before.to_owned());
        }
        mark(&mut value.parts, old);
    }
}

/// All values without parts, by their paths.
pub(super) fn flatten(values: &[ValueView]) -> FxHashMap<String, String> {
    flat(values).into_iter().collect()
}

/// The same, in their order.
pub(super) fn flat(values: &[ValueView]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for value in values {
        match value.parts.is_empty() {
            true => all.push((value.path.clone(), value.value.clone())),
            false => all.extend(flat(&value.parts)),
        }
    }
    all
}
