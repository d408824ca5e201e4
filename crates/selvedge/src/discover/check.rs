//! The check of a law, as text or built in code, with as many values as wanted.

use super::behaviour::{Experiment, Failure, Seen, explore, explorer};
use super::engine::odometer_while;
use super::law::Law;
use super::limits::Limits;
use super::signature::{Signature, Value, Vocabulary};
use super::term::ground::{CodeReader, Grounder, Values};
use super::term::named::Relation;
use super::term::named::{Statement, Term};
use super::term::resolve::Resolver;
use crate::explorer::TestName;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

/// What is checked: a text, a statement that was built, or a law that was discovered.
pub trait IntoStatement {
    /// The statement.
    ///
    /// # Errors
    /// The message, if the text is not a law.
    fn into_statement(self) -> Result<Statement, String>;
}

impl IntoStatement for &str {
    fn into_statement(self) -> Result<Statement, String> {
        self.parse().map_err(|error: super::ParseError| error.to_string())
    }
}

impl IntoStatement for Statement {
    fn into_statement(self) -> Result<Statement, String> {
        Ok(self)
    }
}

impl IntoStatement for &Statement {
    fn into_statement(self) -> Result<Statement, String> {
        Ok(self.clone())
    }
}

impl IntoStatement for &Law {
    fn into_statement(self) -> Result<Statement, String> {
        Ok(self.statement.clone())
    }
}

/// One behaviour of a term: how it failed, if it did, and what was observed then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Behaviour<O> {
    /// What is observed at the end of the term. A run that was stopped is not observed.
    pub observation: Option<O>,
    /// How the term failed; `None` if it returned.
    pub failure: Option<Failure>,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckedLaw {
    /// What was checked.
    pub statement: Statement,
    /// Why it does not hold, if it does not.
    pub counterexample: Option<Counterexample>,
    /// Whether the sides differ somewhere.
    pub(crate) is_strict: bool,
}

impl CheckedLaw {
    /// Whether the law holds: a strict refinement must be strict somewhere.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.counterexample.is_none() && (self.is_strict || self.statement.relation == Relation::Equal)
    }

    /// Panics unless the law holds.
    ///
    /// # Panics
    /// With the counterexample, told as failures of tests are.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.holds(), "{}: {:?}", self.statement, self.counterexample);
    }
}

/// Why a law does not hold.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The seed.
    pub seed: String,
    /// The variables with their values.
    pub assignment: Vec<(String, String)>,
    /// The interference, or `alone`.
    pub interference: String,
    /// The behaviours of the left side.
    pub left: Vec<String>,
    /// The behaviours of the right side.
    pub right: Vec<String>,
}

impl<S, X, O> Signature<S, X, O>
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    /// Checks a law, with the values that discovery uses: [`Signature::check_within`].
    ///
    /// # Panics
    /// As [`Signature::check_within`].
    #[must_use]
    pub fn check(&self, law: impl IntoStatement) -> CheckedLaw {
        self.check_within(law, &Limits::default())
    }

    /// Checks a law: for all values of its variables and all seeds within the limits, without interference and under
    /// each, or under those that the law names in brackets: `[put 42] take === read >> take`.
    ///
    /// # Panics
    /// If the text is not a law of the signature.
    #[must_use]
    pub fn check_within(&self, law: impl IntoStatement, limits: &Limits) -> CheckedLaw {
        let statement = law.into_statement().unwrap_or_else(|error| panic!("{error}"));
        let mut engine = self.engine(limits.clone());
        let vocabulary = engine.vocabulary.clone();
        let mut resolver = Resolver::new(&vocabulary, 0);
        let mut resolve = |term: &Term| {
            resolver.term(term).unwrap_or_else(|error| panic!("error[law::name]: {error}\n  | {statement}"))
        };
        let sides = [resolve(&statement.left), resolve(&statement.right)];
        let variables = resolver.variables;
        let sizes: Vec<usize> = variables.types.iter().map(|of| engine.domain_size(*of)).collect();
        let (mut counterexample, mut is_strict) = (None, false);
        odometer_while(&sizes, |places| {
            let assignment: Vec<u32> = places
                .iter()
                .zip(&variables.types)
                .map(|(place, of)| engine.domains[usize::from(*of)][*place])
                .collect();
            let programs = sides.clone().map(|side| {
                let code = engine.grounder().ground(&side, &assignment);
                Arc::new(
                    CodeReader { code: &code, values: &engine.values, vocabulary: &vocabulary }.program(),
                )
            });
            for (interference, name) in vocabulary.interferences.iter().enumerate() {
                if interference > 0 && !statement.under.is_empty() && !statement.under.contains(name) {
                    continue;
                }
                for seed in &engine.seeds {
                    let [left, right] = programs.clone().map(|program| {
                        let experiment = Experiment {
                            vocabulary: vocabulary.clone(),
                            program,
                            seed: seed.clone(),
                            interference,
                            wants_result: limits.compares_results,
                            wants_state: false,
                        };
                        let explored = explore(&*self.world(), &experiment, explorer(limits, &engine.name));
                        explored.seen.into_iter().collect::<BTreeSet<Seen>>()
                    });
                    is_strict |= left != right;
                    let holds = match statement.relation {
                        Relation::Equal => left == right,
                        Relation::Refines => left.is_subset(&right),
                        Relation::Refined => right.is_subset(&left),
                    };
                    if !holds {
                        let show = |seen: BTreeSet<Seen>| seen.iter().map(Seen::to_string).collect();
                        counterexample = Some(Counterexample {
                            seed: format!("{seed:?}"),
                            assignment: Vec::new(),
                            interference: name.clone(),
                            left: show(left),
                            right: show(right),
                        });
                        return false;
                    }
                }
            }
            true
        });
        CheckedLaw { statement, counterexample, is_strict }
    }

    /// The behaviours of a term with values of its variables, for a seed, beside an interference by its name (`alone` for
    /// none).
    ///
    /// # Panics
    /// If the text is not a term of the signature, or the interference is unknown.
    #[must_use]
    pub fn behaviours(
        &self,
        term: &str,
        seed: &X,
        interference: &str,
        limits: &Limits,
    ) -> BTreeSet<Behaviour<O>> {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(self);
        let number = vocabulary.interferences.iter().position(|name| name == interference);
        let interference =
            number.unwrap_or_else(|| panic!("selvedge: no interference is called `{interference}`"));
        let parsed: Term = term.parse().unwrap_or_else(|error| panic!("{error}"));
        let mut resolver = Resolver::new(&vocabulary, 0);
        let effect =
            resolver.term(&parsed).unwrap_or_else(|error| panic!("error[law::name]: {error}\n  | {term}"));
        assert!(
            resolver.variables.names.is_empty(),
            "selvedge: `{term}` has variables; give them values by constants"
        );
        let mut values = Values::default();
        let constants: Vec<_> =
            vocabulary.constants.iter().map(|known| values.number(known.value.clone())).collect();
        let mut grounder = Grounder { values: &mut values, pures: &vocabulary.pures, constants: &constants };
        let code = grounder.ground(&effect, &[]);
        let program = CodeReader { code: &code, values: &values, vocabulary: &vocabulary }.program();
        let experiment = Experiment {
            vocabulary: Arc::new(vocabulary),
            program: Arc::new(program),
            seed: super::Datum::new(seed.clone()),
            interference,
            wants_result: false,
            wants_state: false,
        };
        let name = TestName::of_current_thread();
        let explored = explore(&*self.world(), &experiment, explorer(limits, &name));
        let typed = |seen: &Seen| Behaviour {
            observation: seen.observation.as_ref().map(|observation| observation.get::<O>().clone()),
            failure: seen.failure.clone(),
        };
        explored.seen.iter().map(typed).collect()
    }
}
