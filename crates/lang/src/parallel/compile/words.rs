//! Steps and places of control in a few words, for stories and drawings.
//!
//! A step is told in the words of its source. An `atomic` tells what is inside, as far as [`MAX_INSIDE`] goes.

use super::{Compiler, OccurrenceId, RestId, Text};
use crate::flow::ChannelId;

/// How many characters of an `atomic` are told, at least one statement; what is left is `..`.
const MAX_INSIDE: usize = 40;

impl Compiler<'_, '_> {
    /// A place of control: what stands there.
    pub(super) fn label(&self, rest: RestId) -> String {
        self.statement_words(self.rests[rest as usize].0)
    }

    fn statement_words(&self, occurrence: OccurrenceId) -> String {
        let occurrence = &self.occurrences[occurrence as usize];
        let variables = &self.resolver.scope.variables;
        match &occurrence.text {
            Text::If(test, ..) => format!("if {}", test.text(variables)),
            Text::While(test, _) => format!("while {}", test.text(variables)),
            Text::Choose(_) => "choose".to_owned(),
            // Places are told in every line of a story; what is inside is told once, by the step.
            Text::Atomic(_) => "atomic".to_owned(),
            text => self.step_words(text, &occurrence.inside),
        }
    }

    /// A step: what is done.
    pub(super) fn step_words(&self, text: &Text, inside: &[Vec<OccurrenceId>]) -> String {
        let variables = &self.resolver.scope.variables;
        let channel = |id: &ChannelId| &self.resolver.scope.channels[id.0 as usize].name;
        match text {
            Text::Assign(place, value) => format!("{} := {}", place.text(variables), value.text(variables)),
            Text::If(test, ..) | Text::While(test, _) => test.text(variables).to_string(),
            Text::Repeat(_) => "repeat".to_owned(),
            Text::User { name, .. } => name.clone(),
            Text::Await(test) => format!("await {}", test.text(variables)),
            Text::Choose(_) => "skip".to_owned(),
            Text::Atomic(_) => format!("atomic {}end", self.block_words(&inside[0])),
            Text::Assert(test) => format!("assert {}", test.text(variables)),
            Text::EndOfAtomic => "end of atomic".to_owned(),
            Text::Print(printed, _) => format!("print {printed}"),
            Text::Send(id, value) => format!("send {}, {}", channel(id), value.text(variables)),
            Text::Receive(id, place) => format!("receive {}, {}", channel(id), place.text(variables)),
        }
    }

    /// The first statements of a block, with a space behind them.
    fn block_words(&self, block: &[OccurrenceId]) -> String {
        let mut words = String::new();
        for (index, statement) in block.iter().enumerate() {
            let next = self.inner_words(*statement);
            if index > 0 && words.len() + next.len() > MAX_INSIDE {
                return words + "; .. ";
            }
            words += if index > 0 { "; " } else { "" };
            words += &next;
        }
        words + if block.is_empty() { "" } else { " " }
    }

    /// A statement inside of an `atomic`; what is inside of it in turn is left out.
    fn inner_words(&self, statement: OccurrenceId) -> String {
        let words = self.statement_words(statement);
        match self.occurrences[statement as usize].text {
            Text::If(..) => words + " then .. fi",
            Text::While(..) => words + " do .. od",
            Text::Choose(_) => words + " .. end",
            _ => words,
        }
    }
}
