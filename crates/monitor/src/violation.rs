//! Violations: which formula failed, where, and on which path.

use crate::reaction::Reaction;
use crate::report::dropped_text;
use std::fmt;
use std::sync::Arc;

/// Above this number of entries the middle of a path is left out of a message.
const MAX_ENTRIES: usize = 24;

/// A formula that no continuation of the path can satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the property.
    pub name: String,
    /// The formula, or the formula of the template's instance.
    pub formula: String,
    /// The values of the variables, for an instance of a quantified formula.
    pub binding: Option<String>,
    /// The first state that the formula was judged on.
    pub began: u64,
    /// The state at which it failed; the state before the first step has number 0.
    pub state: u64,
    /// The remainder before that state.
    pub remainder: String,
    /// The steps that changed the remainder.
    pub decisive: Vec<PathEntry>,
    /// What held in the state before the first of all recorded steps.
    pub holding: Vec<String>,
    /// All recorded steps since the formula began.
    pub path: Vec<PathEntry>,
    /// Are there steps since the formula began that are no longer recorded?
    pub is_path_cut: bool,
    /// The events that were dropped before. If there are any, the run may not violate the formula.
    pub dropped: u64,
}

/// A recorded step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathEntry {
    /// The number of the state after the step.
    pub state: u64,
    /// The thread that made it, by name.
    pub actor: Option<Arc<str>>,
    /// The changes: `+p` for a proposition that was set, `-p` for one that was released.
    pub changes: Vec<String>,
    /// The remainder after it, if it is listed because it changed the remainder.
    pub remainder: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[watch::violated]: `{}` is violated at state {}", self.name, self.state)?;
        writeln!(f, "   formula    {}", self.formula)?;
        if let Some(binding) = &self.binding {
            writeln!(f, "   for        {binding}")?;
        }
        writeln!(f, "   was left   {}", self.remainder)?;
        if self.dropped > 0 {
            writeln!(f, "   unsure     {} before this state", dropped_text(self.dropped))?;
        }
        if !self.decisive.is_empty() {
            writeln!(f, "   steps that changed what was left:")?;
            write_entries(f, &self.decisive)?;
        }
        if self.path.len() > self.decisive.len() {
            let cut = if self.is_path_cut { ", as far as recorded" } else { "" };
            writeln!(f, "   all steps since state {}{cut}:", self.began)?;
            write_entries(f, &self.path)?;
        }
        Ok(())
    }
}

fn write_entries(f: &mut fmt::Formatter<'_>, entries: &[PathEntry]) -> fmt::Result {
    let left_out = entries.len().saturating_sub(MAX_ENTRIES);
    let half = MAX_ENTRIES / 2;
    for (index, entry) in entries.iter().enumerate() {
        if left_out == 0 || index < half || index >= half + left_out {
            writeln!(f, "   {entry}")?;
        } else if index == half {
            writeln!(f, "   ... {left_out} steps ...")?;
        }
    }
    Ok(())
}

impl fmt::Display for PathEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actor = self.actor.as_deref().unwrap_or("");
        let changes = match (self.changes.is_empty(), self.remainder.is_some()) {
            (false, _) => self.changes.join(" "),
            (true, true) => "(begins)".to_owned(),
            (true, false) => "no change".to_owned(),
        };
        write!(f, "{:>6}  {actor:<12} {changes}", self.state)?;
        match &self.remainder {
            Some(remainder) => write!(f, "   left: {remainder}"),
            None => Ok(()),
        }
    }
}

/// What a monitor does about a violation.
pub type OnViolation = Reaction<Violation>;
