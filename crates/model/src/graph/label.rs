//! The texts of drawings: what a state is, and what a step does, in as few words as will do.
//!
//! Where processes are has a line each; values follow, several to a line. What is the same in all states that are drawn
//! is left out; the resting pointer shows everything.

use crate::system::{ProcessId, System, Word};
use selvedge_draw::{Edge, Node};
use selvedge_ltl::{Letter, Prop};
use std::collections::HashMap;

/// Lines get about as long as this.
const LINE_WIDTH: usize = 30;

/// The texts for a set of states.
pub(super) struct Labels<'a, S> {
    system: &'a S,
    propositions: &'a [String],
    /// The names of processes, whose places get a line each.
    processes: Vec<String>,
    /// For each name that has one value in all states, that value.
    same: HashMap<String, String>,
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
            // A name that is missing here differs too.
            for (_, known) in values.iter_mut().filter(|(name, _)| shown.iter().all(|(n, _)| n != *name)) {
                *known = None;
            }
        }
        let same = values.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
        let same = if count > 1 { same.collect() } else { HashMap::new() };
        let processes =
            (0..system.processes()).map(|index| system.process_name(ProcessId(index as u32))).collect();
        Labels { system, propositions, processes, same }
    }

    /// A state's node, for the state alone.
    pub(super) fn node(&self, state: &[Word]) -> Node {
        let everything: Vec<String> =
            self.system.show(state).iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let waiting: Vec<String> = self
            .system
            .waiting(state)
            .iter()
            .map(|(name, what)| format!("{name} waits for {what}"))
            .collect();
        let tooltip = [everything, waiting].concat().join("\n");
        Node::new(self.lines(state).join("\n")).tooltip(tooltip)
    }

    fn lines(&self, state: &[Word]) -> Vec<String> {
        if let Some(message) = self.system.error(state) {
            return wrapped(message.split(' ').map(str::to_owned), " ");
        }
        let shown = self.system.show_briefly(state);
        let differing = shown.iter().filter(|(name, value)| self.same.get(name) != Some(value));
        let (places, values): (Vec<_>, Vec<_>) =
            differing.partition(|(name, _)| self.processes.contains(name));
        let mut lines: Vec<String> = places.iter().map(|(name, place)| format!("{name}: {place}")).collect();
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

    /// A step's edge.
    pub(super) fn edge(&self, action: S::Action) -> Edge {
        let process = self.system.process_name(self.system.process(action));
        let edge = Edge::new(format!("{process}: {}", self.system.describe(action)));
        match self.system.source_line(action) {
            Some(line) => edge.tooltip(format!("line {line}")),
            None => edge,
        }
    }
}

/// The propositions that hold, and with `?` those of which it is not known.
fn holding(letter: Letter, propositions: &[String]) -> Vec<String> {
    let texts =
        propositions.iter().enumerate().filter_map(|(index, text)| match letter.value(Prop(index as u8)) {
            Some(true) => Some(text.clone()),
            Some(false) => None,
            None => Some(format!("{text}?")),
        });
    texts.collect()
}

/// Pieces joined to lines; a line is full when the next piece would make it longer than [`LINE_WIDTH`].
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
    fn what_is_not_known_has_a_question_mark() {
        let letter = Letter::exactly(0b01).forget(0b100);
        let texts = ["p", "q", "r"].map(str::to_owned);
        assert_eq!(holding(letter, &texts), ["p", "r?"]);
    }
}
