//! The texts of drawings: states and steps, in few words.
//!
//! The position of each process has its own line; values follow, several to a line. A value that is the same
//! in all drawn states is left out; the tooltip has everything.

use crate::system::{ProcessId, System, Word};
use selvedge_draw::{Edge, Node};
use selvedge_ltl::{Letter, Prop};
use std::collections::HashMap;

/// The approximate width of a line.
const LINE_WIDTH: usize = 30;

/// The texts for a set of states.
pub(super) struct Labels<'a, S> {
    system: &'a S,
    propositions: &'a [String],
    /// The names of processes; the position of each gets its own line.
    processes: Vec<String>,
    /// For each name that has the same value in all states, that value.
    constant: HashMap<String, String>,
}

impl<'a, S: System> Labels<'a, S> {
    pub(super) fn new<'w>(
        system: &'a S,
        states: impl Iterator<Item = &'w [Word]>,
        propositions: &'a [String],
    ) -> Labels<'a, S> {
        let mut values: HashMap<String, Option<String>> = HashMap::new();
        let mut count = 0;
        for state in states {
            count += 1;
            let shown = system.show_briefly(state);
            for (name, value) in &shown {
                let known = values.entry(name.clone()).or_insert_with(|| (count == 1).then(|| value.clone()));
                if known.as_ref() != Some(value) {
                    *known = None;
                }
            }
            // A name that is missing here is not constant either.
            for (_, known) in values.iter_mut().filter(|(name, _)| shown.iter().all(|(n, _)| n != *name)) {
                *known = None;
            }
        }
        let constant = values.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
        let constant = if count > 1 { constant.collect() } else { HashMap::new() };
        let processes =
            (0..system.processes()).map(|index| system.process_name(ProcessId(index as u32))).collect();
        Labels { system, propositions, processes, constant }
    }

    /// The node of a state.
    pub(super) fn node(&self, state: &[Word]) -> Node {
        let everything: Vec<String> =
            self.system.show(state).iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let waiting: Vec<String> = self
            .system
            .waiting(state)
            .iter()
            .map(|(name, condition)| format!("{name} waits for {condition}"))
            .collect();
        let tooltip = [everything, waiting].concat().join("\n");
        Node::new(self.lines(state).join("\n")).tooltip(tooltip)
    }

    fn lines(&self, state: &[Word]) -> Vec<String> {
        if let Some(message) = self.system.error(state) {
            return wrapped(message.split(' ').map(str::to_owned), " ");
        }
        let shown = self.system.show_briefly(state);
        let differing = shown.iter().filter(|(name, value)| self.constant.get(name) != Some(value));
        let (positions, values): (Vec<_>, Vec<_>) =
            differing.partition(|(name, _)| self.processes.contains(name));
        let mut lines: Vec<String> =
            positions.iter().map(|(name, position)| format!("{name}: {position}")).collect();
        lines.extend(wrapped(values.iter().map(|(name, value)| format!("{name} = {value}")), ", "));
        let holding = holding(self.system.label(state), self.propositions);
        if !holding.is_empty() {
            lines.extend(
                wrapped(holding.into_iter(), ", ")
                    .into_iter()
                    .enumerate()
                    .map(|(index, line)| if index == 0 { format!("true: {line}") } else { line }),
            );
        }
        lines
    }

    /// The edge of a step.
    pub(super) fn edge(&self, action: S::Action) -> Edge {
        let process = self.system.mover_names(action).map(|names| names + ": ");
        let edge = Edge::new(process.unwrap_or_default() + &self.system.describe(action));
        match self.system.source_line(action) {
            Some(line) => edge.tooltip(format!("line {line}")),
            None => edge,
        }
    }
}

/// The propositions that hold; unknown ones with `?`.
fn holding(letter: Letter, propositions: &[String]) -> Vec<String> {
    let texts =
        propositions.iter().enumerate().filter_map(|(index, text)| match letter.value(Prop(index as u8)) {
            Some(true) => Some(text.clone()),
            Some(false) => None,
            None => Some(format!("{text}?")),
        });
    texts.collect()
}

/// Joins pieces to lines; a line is full when the next piece would make it longer than [`LINE_WIDTH`].
fn wrapped(pieces: impl Iterator<Item = String>, separator: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.chars().count() + separator.len() + piece.chars().count() <= LINE_WIDTH => {
                line.push_str(separator);
                line.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_and_no_piece_is_broken() {
        let pieces = ["a = 1", "b = 2", "a-very-long-name-indeed-this-is = 3", "c = 4", "d = 5"];
        let lines = wrapped(pieces.iter().map(|piece| (*piece).to_owned()), ", ");
        assert_eq!(lines, ["a = 1, b = 2", "a-very-long-name-indeed-this-is = 3", "c = 4, d = 5"]);
    }

    #[test]
    fn an_unknown_proposition_has_a_question_mark() {
        let letter = Letter::exactly(0b01).forget(0b100);
        let texts = ["p", "q", "r"].map(str::to_owned);
        assert_eq!(holding(letter, &texts), ["p", "r?"]);
    }
}
