//! A report as JSON.
//!
//! One object: `{"runs", "given_up", "complete", "complete_within_bounds", "limit", "strategy", "outcomes":
//! [{"kind", "text", "runs", "beyond_bounds", "schedule"}], "formulas": [{"name", "held", "violated",
//! "undecided"}], "notes"}`. The kind of an outcome is the word of
//! its error, `returned` or `deadlock`, say; its text is what [`Outcome`](crate::Outcome) displays; `limit`
//! is `executions`, `time` or null.

use crate::explorer::api::Report;
use std::fmt::{Debug, Write};

impl<T: Ord + Debug> Report<T> {
    /// The report as JSON: how much was explored, each outcome with its number of runs and the short form of
    /// its simplest run, and each formula with its numbers of runs.
    ///
    /// ```
    /// let report = selvedge::explore(|| selvedge::choose(2));
    /// let expected = [
    ///     r#"{"runs":2,"given_up":0,"complete":true,"complete_within_bounds":true,"limit":null,"#,
    ///     r#""strategy":"systematic","outcomes":["#,
    ///     r#"{"kind":"returned","text":"returned 0","runs":1,"beyond_bounds":false,"schedule":"S0-"},"#,
    ///     r#"{"kind":"returned","text":"returned 1","runs":1,"beyond_bounds":false,"schedule":"S0-"}],"#,
    ///     r#""formulas":[],"notes":[]}"#,
    /// ];
    /// assert_eq!(report.to_json(), expected.concat());
    /// ```
    pub fn to_json(&self) -> String {
        let outcomes = self.outcomes.iter().map(|(outcome, trace)| {
            object(&[
                ("kind", quoted(outcome.kind())),
                ("text", quoted(&outcome.to_string())),
                ("runs", self.counts.get(outcome).copied().unwrap_or(0).to_string()),
                ("beyond_bounds", self.bounds.are_exceeded_by(trace).to_string()),
                ("schedule", quoted(&trace.short().to_string())),
            ])
        });
        let formulas = self.formulas.iter().map(|(name, runs)| {
            object(&[
                ("name", quoted(name)),
                ("held", runs.held.to_string()),
                ("violated", runs.violated.to_string()),
                ("undecided", runs.undecided.to_string()),
            ])
        });
        object(&[
            ("runs", self.executions.to_string()),
            ("given_up", self.given_up.to_string()),
            ("complete", self.is_complete.to_string()),
            ("complete_within_bounds", self.is_complete_within_bounds.to_string()),
            ("limit", self.limit.map_or_else(|| "null".to_owned(), |limit| quoted(&limit.to_string()))),
            ("strategy", quoted(&self.strategy)),
            ("outcomes", array(outcomes)),
            ("formulas", array(formulas)),
            ("notes", array(self.notes.iter().map(|note| quoted(note)))),
        ])
    }
}

/// An object of these fields, whose values are JSON.
pub(crate) fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

pub(crate) fn array(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(","))
}

/// The text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            char if char.is_control() => _ = write!(quoted, "\\u{:04x}", u32::from(char)),
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quoted("a \"b\" \\ c\n\té"), r#""a \"b\" \\ c\n\u0009é""#);
    }
}
