//! The limit that stopped a search, in words.

use selvedge_model::{Cut, Limit};

/// A limit that was reached and, if it is a bound of the language, the first step that it cut off.
#[derive(Clone)]
pub(crate) struct ReachedLimit {
    limit: Limit,
    cut: Option<Cut>,
}

impl ReachedLimit {
    /// `first_cut` is the system's.
    pub(crate) fn new(limit: Limit, first_cut: Option<Cut>) -> ReachedLimit {
        ReachedLimit { limit, cut: first_cut.filter(|_| limit == Limit::Language) }
    }

    /// The name of the limit: `states`, or that of the bound, or `interrupted`.
    pub(crate) fn name(&self) -> String {
        self.cut.as_ref().map_or_else(|| self.limit.to_string(), |cut| cut.bound.to_owned())
    }

    /// How the search ended: `stopped by the limit of states`.
    pub(crate) fn how_it_ended(&self) -> String {
        match self.limit {
            Limit::Interrupt => "interrupted".to_owned(),
            _ => format!("stopped by the limit of {}", self.name()),
        }
    }

    /// The line of the step that was cut off.
    pub(crate) fn line(&self) -> Option<usize> {
        self.cut.as_ref()?.line
    }

    /// The step that was cut off, with its place.
    pub(crate) fn detail(&self) -> Option<String> {
        let cut = self.cut.as_ref()?;
        let place = match (&cut.file, cut.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (None, Some(line)) => format!("line {line}: "),
            (_, None) => String::new(),
        };
        Some(format!("{place}{}", cut.text))
    }

    /// The same, with the option that raises the bound.
    pub(crate) fn advice(&self) -> Option<String> {
        let bound = self.cut.as_ref()?.bound;
        Some(format!("{} (--max-{bound} raises the limit)", self.detail()?))
    }
}
