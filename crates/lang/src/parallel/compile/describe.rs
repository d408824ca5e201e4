//! Steps and control locations as text, for traces and drawings.
//!
//! A step reads as in its source. An `atomic` shows the statements inside, up to [`MAX_INSIDE`] characters.

use super::{Compiler, ContinuationId, EMPTY, OccurrenceId, StatementText};
use crate::flow_graph::{ChannelPlace, Term, message_text};

/// How many characters of an `atomic` are shown, at least one statement; the rest is `..`.
const MAX_INSIDE: usize = 40;

impl Compiler<'_, '_> {
    /// A control location: the statement there.
    pub(super) fn location_text(&self, continuation: ContinuationId) -> String {
        let (mut first, mut after) = self.continuations[continuation as usize];
        while self.occurrences[first as usize].text == StatementText::End && after != EMPTY {
            (first, after) = self.continuations[after as usize];
        }
        self.statement_text(first)
    }

    fn statement_text(&self, occurrence: OccurrenceId) -> String {
        let occurrence = &self.occurrences[occurrence as usize];
        let variables = &self.resolver.scope.variables;
        match &occurrence.text {
            StatementText::If(test, ..) => format!("if {}", test.text(variables)),
            StatementText::While(test, ..) => format!("while {}", test.text(variables)),
            StatementText::Choose(_) | StatementText::ChooseElse(_) => "choose".to_owned(),
            // Locations are shown in every line of a trace; the statements inside are shown once, by the
            // step.
            StatementText::Atomic(_) => "atomic".to_owned(),
            text => self.step_text(text, &occurrence.inside),
        }
    }

    /// A step: its effect.
    pub(super) fn step_text(&self, text: &StatementText, inside: &[Vec<OccurrenceId>]) -> String {
        let variables = &self.resolver.scope.variables;
        let channel = |place: &ChannelPlace| place.text(&self.resolver.scope.channels, variables);
        match text {
            StatementText::Assign(lvalue, value) => {
                format!("{} := {}", lvalue.text(variables), value.text(variables))
            }
            StatementText::AssignAll(parts) => {
                let lvalues: Vec<String> = parts.iter().map(|(lvalue, _)| lvalue.text(variables)).collect();
                let values: Vec<String> =
                    parts.iter().map(|(_, value)| value.text(variables).to_string()).collect();
                format!("{} := {}", lvalues.join(", "), values.join(", "))
            }
            StatementText::If(test, ..) | StatementText::While(test, ..) => test.text(variables).to_string(),
            StatementText::Repeat(..) => "repeat".to_owned(),
            StatementText::For(..) => "for".to_owned(),
            StatementText::Break(_) => "break".to_owned(),
            StatementText::EndOfFor(_) => "end of for".to_owned(),
            StatementText::ChooseIn(lvalue, values) => {
                let bound = |value: Option<&Term>| {
                    value.map_or(String::new(), |value| value.text(variables).to_string())
                };
                format!(
                    "choose {} in {}..{}",
                    lvalue.text(variables),
                    bound(values.first()),
                    bound(values.last())
                )
            }
            StatementText::User { name, .. } => name.clone(),
            StatementText::Await(test) => format!("await {}", test.text(variables)),
            StatementText::Choose(_) => "skip".to_owned(),
            StatementText::ChooseElse(_) => "else".to_owned(),
            StatementText::Atomic(_) => format!("atomic {}end", self.block_text(&inside[0])),
            StatementText::Assert(test) => format!("assert {}", test.text(variables)),
            StatementText::EndOfAtomic => "end of atomic".to_owned(),
            StatementText::Timeout => "timeout".to_owned(),
            StatementText::End => "end:".to_owned(),
            StatementText::Print(printed, _) => format!("print {printed}"),
            StatementText::Send(place, values) => {
                let values: Vec<String> =
                    values.iter().map(|value| value.text(variables).to_string()).collect();
                format!("send {}, {}", channel(place), message_text(&values))
            }
            StatementText::Receive(place, patterns) => {
                let patterns: Vec<String> = patterns.iter().map(|pattern| pattern.text(variables)).collect();
                format!("receive {}, {}", channel(place), message_text(&patterns))
            }
        }
    }

    /// The first statements of a block, followed by a space.
    fn block_text(&self, block: &[OccurrenceId]) -> String {
        let mut text = String::new();
        for (index, statement) in block.iter().enumerate() {
            let next = self.inner_text(*statement);
            if index > 0 && text.len() + next.len() > MAX_INSIDE {
                return text + "; .. ";
            }
            text += if index > 0 { "; " } else { "" };
            text += &next;
        }
        text + if block.is_empty() { "" } else { " " }
    }

    /// A statement inside of an `atomic`, without the statements inside of it.
    fn inner_text(&self, statement: OccurrenceId) -> String {
        let text = self.statement_text(statement);
        match self.occurrences[statement as usize].text {
            StatementText::If(..) => text + " then .. fi",
            StatementText::While(..) => text + " do .. od",
            StatementText::Choose(_) | StatementText::ChooseElse(_) => text + " .. end",
            StatementText::For(..) => text + " .. od",
            _ => text,
        }
    }
}
