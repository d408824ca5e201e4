//! A system without a language: its propositions have names, and that is all.

use super::{Model, Reading};
use crate::view::{Completion, CompletionKind, ProgramView};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Names, parse};
use selvedge_ltl::{Formula, Prop};
use selvedge_model::System;

/// Any system: proposition `n` of its labels has the name with this number.
#[derive(Clone, Debug)]
pub struct Plain<S> {
    /// A title for readers.
    pub title: String,
    /// The system, of which each formula gets a copy.
    pub system: S,
    /// The names of its propositions.
    pub propositions: Vec<String>,
}

impl<S: System + Clone> Model for Plain<S> {
    type System = S;

    fn read(&self, text: &str) -> Result<Reading<S>, Vec<Diagnostic>> {
        let formula = parse(text, &Names).into_result()?;
        let mut unknown = Vec::new();
        let formula = formula.map(&mut |name: &String| {
            let place = self.propositions.iter().position(|known| known == name);
            if place.is_none() {
                unknown.push(name.clone());
            }
            Prop(place.unwrap_or(0) as u8)
        });
        if let Some(name) = unknown.first() {
            let start = text.find(name.as_str()).unwrap_or(0);
            let span = Span::new(start, (start + name.len()).min(text.len()));
            let known = format!("there are: {}", self.propositions.join(", "));
            let message = format!("there is no proposition `{name}`");
            return Err(vec![Diagnostic::error("debug::unknown-proposition", message, span, "").help(known)]);
        }
        let formula: Formula<Prop> = formula;
        let propositions = self.propositions.clone();
        Ok(Reading { formula, propositions, system: self.system.clone(), shares_states: true })
    }

    fn program(&self) -> ProgramView {
        ProgramView { title: self.title.clone(), ..ProgramView::default() }
    }

    fn completions(&self) -> Vec<Completion> {
        let item = |name: &String| Completion {
            text: name.clone(),
            kind: CompletionKind::Proposition,
            detail: String::new(),
        };
        self.propositions.iter().map(item).collect()
    }
}
