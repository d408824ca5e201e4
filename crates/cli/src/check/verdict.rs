//! The results of a file, as data for text and JSON alike.

use super::doubt::Doubt;
use super::limit_text::ReachedLimit;
use super::rendered_run::RenderedRun;
use selvedge_lang::Expect;
use selvedge_model::Stats;
use serde_json::Value;

/// A property with its verdict.
pub(super) struct CheckedProperty {
    pub(super) name: String,
    /// The formula as it is written.
    pub(super) formula: String,
    /// The formula without definitions and quantifiers.
    pub(super) unfolded: String,
    pub(super) expect: Option<Expect>,
    pub(super) verdict: PropertyVerdict,
    /// The verdict is right if these are.
    pub(super) assumptions: Vec<String>,
    pub(super) stats: Stats,
}

/// What the search says of a property.
pub(super) enum PropertyVerdict {
    /// Every run satisfies the property.
    Holds {
        /// The conditions that are never true, if the property says "if this, then that": it holds
        /// vacuously.
        vacuous: Vec<Vacuity>,
    },
    /// This run violates the property.
    Violated(RenderedRun),
    /// This run violates the property if its steps are real, and its unknown propositions are as they may
    /// be.
    MayBeViolated(RenderedRun, Doubt),
    /// A limit stopped the search, with no violation so far.
    Limited(ReachedLimit),
}

/// A condition that is never true, so that no run tests what should follow from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vacuity {
    /// The instance of a formula with quantifiers, `i = @1, j = @2`; `None` for the whole formula.
    pub(super) instance: Option<String>,
    pub(super) never: String,
}

impl CheckedProperty {
    pub(super) fn is_limited(&self) -> bool {
        matches!(self.verdict, PropertyVerdict::Limited(_))
    }

    /// Does the property hold, or turn out as its `expect` says?
    pub(super) fn is_as_expected(&self) -> bool {
        match self.expect {
            Some(Expect::Violated) => matches!(self.verdict, PropertyVerdict::Violated(_)),
            Some(Expect::MayBeViolated) => matches!(self.verdict, PropertyVerdict::MayBeViolated(..)),
            Some(Expect::Holds) | None => matches!(self.verdict, PropertyVerdict::Holds { .. }),
        }
    }

    pub(super) fn counterexample(&self) -> Option<&RenderedRun> {
        match &self.verdict {
            PropertyVerdict::Violated(run) | PropertyVerdict::MayBeViolated(run, _) => Some(run),
            PropertyVerdict::Holds { .. } | PropertyVerdict::Limited(_) => None,
        }
    }

    /// Takes the counterexample for programs, if there is one: it may be long.
    pub(super) fn take_json(&mut self) -> Value {
        match &mut self.verdict {
            PropertyVerdict::Violated(run) | PropertyVerdict::MayBeViolated(run, _) => run.take_json(),
            PropertyVerdict::Holds { .. } | PropertyVerdict::Limited(_) => Value::Null,
        }
    }

    /// Why the verdict is not certain: `spurious`, `unknown`, or the name of a limit.
    pub(super) fn why(&self) -> Option<String> {
        match &self.verdict {
            PropertyVerdict::MayBeViolated(_, doubt) => Some(doubt.name().to_owned()),
            PropertyVerdict::Limited(limit) => Some(limit.name()),
            PropertyVerdict::Holds { .. } | PropertyVerdict::Violated(_) => None,
        }
    }

    /// The same in a sentence.
    pub(super) fn detail(&self) -> Option<String> {
        match &self.verdict {
            PropertyVerdict::MayBeViolated(_, doubt) => Some(doubt.detail()),
            PropertyVerdict::Limited(limit) => limit.detail(),
            PropertyVerdict::Holds { .. } | PropertyVerdict::Violated(_) => None,
        }
    }

    /// The line of the step that a bound of the language cut off.
    pub(super) fn cut_line(&self) -> Option<usize> {
        match &self.verdict {
            PropertyVerdict::Limited(limit) => limit.line(),
            _ => None,
        }
    }

    /// The conditions that are never true, if the property or an instance of it holds vacuously.
    pub(super) fn vacuities(&self) -> &[Vacuity] {
        match &self.verdict {
            PropertyVerdict::Holds { vacuous } => vacuous,
            _ => &[],
        }
    }
}
