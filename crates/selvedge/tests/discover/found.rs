//! Which named laws were found, and whether reported laws stand a harder check.

use super::consequences::{Consequences, Domains};
use selvedge::discover::{Comparison, Laws, Limits, Signature, Statement, Term, Value};
use selvedge_testkit::is_long_run;
use std::fmt::Debug;

/// The seed of all samples.
const SAMPLE_SEED: u64 = 19;

/// The most rows of a check, unless the run is a long one.
const FAST_ROWS: usize = 500;

/// How far a test looks: so many values of a variable, and so many seeds.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) values: usize,
    pub(crate) seeds: usize,
}

impl Rows {
    /// The limits of a discovery.
    pub(crate) fn limits(self, size: usize) -> Limits {
        Limits::size(size).values(self.values).seeds(self.seeds).workers(2).progress(false)
    }

    /// Which of these laws are reported, which follow from reported ones, and which are missed: a line
    /// for each.
    pub(crate) fn found<L: AsRef<str>>(self, laws: &Laws, named: &[L]) -> String {
        let consequences = Consequences::of(laws, &Domains::of(self.values));
        let line = |law: &L| {
            let law = law.as_ref();
            let statement: Statement = law.parse().unwrap_or_else(|error| panic!("{error}"));
            let how = match laws.has(law) {
                true => "reported",
                false if consequences.has(&statement) => "follows",
                false => "missed",
            };
            format!("{how:8}  {law}\n")
        };
        named.iter().map(line).collect()
    }

    /// The same for laws between two signatures. The operations of the second one have a sign.
    pub(crate) fn found_between(self, comparison: &Comparison, named: &[&str]) -> String {
        let mut consequences = Consequences::new(&Domains::of(self.values));
        let second = |term: &Term| marked(term);
        for law in comparison.left.laws() {
            consequences.add(&law.statement);
        }
        for law in comparison.right.laws() {
            let Statement { left, right, .. } = &law.statement;
            consequences.add(&Statement {
                left: second(left),
                right: second(right),
                ..law.statement.clone()
            });
        }
        let between = |law: &Statement| Statement { right: second(&law.right), ..law.clone() };
        comparison.between.laws().iter().for_each(|law| consequences.add(&between(&law.statement)));
        let line = |law: &&str| {
            let statement: Statement = law.parse().unwrap_or_else(|error| panic!("{error}"));
            let how = match comparison.between.has(law) {
                true => "reported",
                false if consequences.has(&between(&statement)) => "follows",
                false => "missed",
            };
            format!("{how:8}  {law}\n")
        };
        named.iter().map(line).collect()
    }

    /// Checks each reported law with ten times the rows, drawn by a seed; in a fast run with at most
    /// [`FAST_ROWS`].
    #[track_caller]
    pub(crate) fn assert_stands<S, X, O>(self, signature: &Signature<S, X, O>, laws: &Laws)
    where
        S: Send + Sync + 'static,
        X: Value,
        O: Ord + Clone + Debug + Send + Sync + 'static,
    {
        for law in laws.laws() {
            let rows = 10 * law.evidence.seeds * law.evidence.assignments;
            let rows = if is_long_run() { rows } else { rows.min(FAST_ROWS) };
            let limits = Limits::size(7)
                .values(10 * self.values)
                .seeds(10 * self.seeds)
                .sample(rows, SAMPLE_SEED)
                .progress(false);
            // A sample need not have the row in which a refinement is strict.
            let checked = signature.check_within(law, &limits);
            assert!(checked.counterexample.is_none(), "{law}\n{:?}", checked.counterexample);
        }
    }

    /// Checks that each named law has the relation that it says, on the rows of the discovery.
    #[track_caller]
    pub(crate) fn assert_hold<S, X, O, L: AsRef<str>>(self, signature: &Signature<S, X, O>, named: &[L])
    where
        S: Send + Sync + 'static,
        X: Value,
        O: Ord + Clone + Debug + Send + Sync + 'static,
    {
        for law in named {
            signature.check_within(law.as_ref(), &self.limits(7)).assert();
        }
    }
}

/// Panics if a law is missed.
#[track_caller]
pub(crate) fn assert_none_missed(found: &str) {
    assert!(!found.contains("missed"), "{found}");
}

/// The term with a sign at its operations.
fn marked(term: &Term) -> Term {
    match term {
        Term::Call(name, arguments) => Term::Call(format!("{name}'"), arguments.clone()),
        Term::Then(first, second) => Term::Then(marked(first).into(), marked(second).into()),
        Term::Bind(first, variable, second) => {
            Term::Bind(marked(first).into(), variable.clone(), marked(second).into())
        }
        Term::Beside(left, right) => Term::Beside(marked(left).into(), marked(right).into()),
    }
}
