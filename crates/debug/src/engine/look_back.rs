//! Looking back along the run: where a formula held last, what changed a value, the point of no return.

use super::Engine;
use super::listener::Listener;
use super::strips::JudgedFormula;
use crate::snapshot::Answer;
use selvedge_ltl::Word;
use selvedge_model::ltl::lasso_eval::values;

impl Engine {
    /// The last position before the current one where the formula holds, on the run up to the current one:
    /// operators of the future look as far as there, operators of the past back to the beginning.
    pub(super) fn last_state(&mut self, formula: &str) -> Result<Answer, String> {
        let question = self.question(formula)?;
        let mut judged = JudgedFormula::new(formula.to_owned(), question);
        judged.follow(&mut *self.target, &self.stack.states[..=self.position]);
        let word = Word::finite(judged.letters().to_vec());
        let truth = values(&word, &judged.parts().0.formula);
        match truth[..self.position].iter().rposition(|holds| *holds) {
            None => Ok(said(format!("{formula} holds at no position before {}", self.position))),
            Some(position) => {
                self.position = position;
                let text = format!("{formula} holds here, and not after it up to where you were");
                Ok(Answer::Position { position, text })
            }
        }
    }

    /// The last move up to the current position that changed a value, or one of its parts.
    pub(super) fn last_change(&mut self, path: &str) -> Result<Answer, String> {
        let is_part = |name: &str| {
            name == path || name.strip_prefix(path).is_some_and(|rest| rest.starts_with(['[', '.']))
        };
        let known = super::show::flatten(&self.target.values(self.stack.states[self.position]));
        if !known.keys().any(|name| is_part(name)) {
            return Err(format!("there is no value `{path}`"));
        }
        for position in (1..=self.position).rev() {
            let (before, after) = (self.stack.states[position - 1], self.stack.states[position]);
            let changes = self.changes(before, after);
            if let Some((name, old, new)) = changes.into_iter().find(|(name, ..)| is_part(name)) {
                let made = self.made(position - 1);
                let process = made.process.map(|process| self.process_name(process));
                let process = process.unwrap_or_else(|| "no process".to_owned());
                self.position = position;
                let text = format!("{process} changed {name} from {old} to {new}: {}", made.text);
                return Ok(Answer::Position { position, text });
            }
        }
        Ok(said(format!("{path} has its first value")))
    }

    /// The first position such that every run that begins as this one does up to there satisfies the
    /// formula.
    ///
    /// Longer prefixes keep that, so it is found by halving: from a state, every run must satisfy what the
    /// run before it has left of the formula.
    pub(super) fn no_return(&mut self, formula: &str, listener: &mut dyn Listener) -> Result<Answer, String> {
        let question = self.question(formula)?;
        let mut judged = JudgedFormula::new(formula.to_owned(), question);
        judged.follow(&mut *self.target, &self.stack.states);
        if judged.parts().1.has_past() {
            return Err("a point of no return is found for formulas without past operators".to_owned());
        }
        let (mut low, mut high) = (0, self.stack.states.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let cursor = judged.before(middle);
            let (question, progression) = judged.parts();
            let (remainder, arena) = progression.remainder(cursor);
            let remainder = arena.to_formula(remainder);
            let state = self.stack.states[middle];
            let is_certain = self.target.every_run(question.id, &remainder, state, listener);
            match is_certain.map_err(|error| error.to_string())? {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        if low == self.stack.states.len() {
            return Ok(said(format!("{formula} is certain at no position of this run")));
        }
        self.position = low;
        let text = match low.checked_sub(1) {
            None => format!("every run satisfies {formula}, from the beginning"),
            Some(before) => {
                let made = self.made(before);
                let process = made.process.map(|process| self.process_name(process) + ": ");
                let step = process.unwrap_or_default() + &made.text;
                format!(
                    "from here on every run satisfies {formula}; before {step} one could still violate it"
                )
            }
        };
        Ok(Answer::Position { position: low, text })
    }
}

fn said(text: String) -> Answer {
    Answer::Said { text }
}
