//! The session as it stands, for readers.

use super::Engine;
use crate::protocol::Message;
use crate::snapshot::{ExpressionValue, InitialChoice, Snapshot};
use crate::target::{Move, StateId, Target};
use crate::view::{MoveView, StateView, ValueView};
use rustc_hash::FxHashMap;

impl Engine {
    pub(super) fn snapshot(&mut self) -> Message {
        let position = self.position;
        let (mut state, other_moves) = self.state_with_moves(self.stack.states[position]);
        if let Some(before) = position.checked_sub(1) {
            let before = self.target.values(self.stack.states[before]);
            mark_changes(&mut state.values, &before);
        }
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
