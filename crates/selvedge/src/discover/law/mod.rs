//! Laws as they are reported: what they say, under which interferences, and on which evidence.

pub(crate) mod json;
pub(crate) mod tests_source;
pub(crate) mod text;

use super::term::named::{Relation, Statement};
use selvedge_explore::Trace;
use std::fmt;
use std::time::Duration;

/// What a law rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// How many seeds were tried.
    pub seeds: usize,
    /// How many assignments of values to the law's variables were tried with each seed.
    pub assignments: usize,
    /// How many explorations the two sides have: one for each seed, assignment and interference.
    pub explorations: usize,
    /// How many runs these explorations made.
    pub runs: usize,
    /// How many of these runs could not be observed, and do not count.
    pub unobserved: usize,
    /// Whether all of these explorations were complete.
    pub is_complete: bool,
}

/// A behaviour that only the right side of a strict refinement has, and a run with it.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The seed.
    pub seed: String,
    /// The variables with their values.
    pub assignment: Vec<(String, String)>,
    /// The interference, or `alone`.
    pub interference: String,
    /// What only the greater side does: the observation, and how it ended.
    pub outcome: String,
    /// A run of the greater side that ends so.
    pub run: Trace,
}

/// A law that was discovered.
#[derive(Clone, Debug)]
pub struct Law {
    /// What it says.
    pub statement: Statement,
    /// How its sides are related without interference (`alone`) and under each interference, by its name.
    pub under: Vec<(String, Relation)>,
    /// What it rests on.
    pub evidence: Evidence,
    /// For a strict refinement: a behaviour that only one side has.
    pub witness: Option<Witness>,
}

impl Law {
    /// How the sides are related.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.statement.relation
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement.fmt(f)
    }
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The size of the largest terms that were looked at.
    pub size: usize,
    /// How many schemas were made.
    pub schemas: usize,
    /// How many terms without variables were explored.
    pub ground_terms: usize,
    /// How many explorations were made: one for each ground term, seed and interference.
    pub explorations: usize,
    /// How many runs.
    pub runs: usize,
    /// How many runs could not be observed: the observation blocked or panicked.
    pub unobserved: usize,
    /// The bytes of all tables at the end, roughly.
    pub table_bytes: usize,
    /// How long it took.
    pub time: Duration,
}

/// The laws of a signature, or of two.
#[derive(Clone, Debug)]
pub struct Laws {
    pub(crate) name: Option<String>,
    pub(crate) laws: Vec<Law>,
    pub(crate) unsupported: Vec<Law>,
    pub(crate) left_out: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) figures: Figures,
    pub(crate) is_complete: bool,
}

impl Laws {
    /// The laws, in the order of their discovery: the smallest first.
    #[must_use]
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// Statements that would be laws if all explorations were complete: no difference was seen.
    #[must_use]
    pub fn no_difference_seen(&self) -> &[Law] {
        &self.unsupported
    }

    /// Terms that are not part of larger ones, each with the reason: neutral terms, and terms that do the
    /// same as others.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Remarks: types of which not all values were tried, terms that were not looked at, runs that could
    /// not be observed.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How much was done.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// Whether all terms up to the size were looked at, and no exploration was cut short.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the law was reported, with these or other names of variables. An equivalence may have its
    /// sides exchanged.
    ///
    /// # Panics
    /// If the text is not a law.
    #[must_use]
    pub fn has(&self, law: &str) -> bool {
        self.find(law).is_some()
    }

    /// The reported law, as [`Laws::has`] finds it.
    ///
    /// # Panics
    /// If the text is not a law.
    #[must_use]
    pub fn find(&self, law: &str) -> Option<&Law> {
        let wanted: Statement = law.parse().unwrap_or_else(|error| panic!("{error}"));
        let wanted = text::normal_forms(&wanted);
        self.laws.iter().find(|law| {
            let forms = text::normal_forms(&law.statement);
            forms.iter().any(|form| wanted.contains(form))
        })
    }
}

/// The laws of two signatures, and those between them.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The laws of the first.
    pub left: Laws,
    /// The laws of the second.
    pub right: Laws,
    /// The laws between them: the left side of each is a term of the first.
    pub between: Laws,
}
