//! What a monitor can be asked to check: a formula, a quantified formula, a template; as values or as text.

use crate::fact::{Fact, Facts};
use crate::monitor::Monitor;
use crate::monitor::describe::formula_text;
use crate::quantified::{Quantified, is_quantified, parse_quantified};
use crate::template::Template;
use crate::violation::OnViolation;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::syntax::parse;
use std::fmt::{self, Debug};
use std::hash::Hash;

/// Something to check.
#[derive(Clone, Debug)]
pub enum Property<P> {
    /// A formula.
    Formula(Formula<P>),
    /// A formula for all values of some variables.
    Quantified(Quantified<P>),
    /// A function from propositions to formulas.
    Template(Template<P>),
}

impl<P: Ord + Hash + Clone + Debug> Property<P> {
    /// Checks that it can be checked.
    ///
    /// # Errors
    /// As those of [`Monitor::check`](crate::Monitor::check).
    pub fn validate(&self) -> Result<(), CheckError> {
        let mut monitor = Monitor::new();
        monitor.on_violation(OnViolation::Keep);
        monitor.check("", self.clone())
    }
}

/// The text of the property. The text of a function is not known.
impl<P: Debug> fmt::Display for Property<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Property::Formula(formula) => f.write_str(&formula_text(formula)),
            Property::Quantified(quantified) => f.write_str(&quantified.text),
            Property::Template(_) => f.write_str("a template"),
        }
    }
}

impl<P: PartialEq> Property<P> {
    /// Can a change of this proposition matter to it?
    pub fn mentions(&self, prop: &P) -> bool {
        match self {
            Property::Formula(formula) => {
                let mut is_mentioned = false;
                formula.propositions(&mut |mentioned| is_mentioned |= mentioned == prop);
                is_mentioned
            }
            Property::Quantified(quantified) => {
                quantified.patterns.iter().any(|pattern| pattern.matches(prop).is_some())
            }
            // A function may take any proposition.
            Property::Template(_) => true,
        }
    }
}

impl Property<Fact> {
    /// Whether it may mention a proposition with this name. False only if it does not.
    pub fn may_mention(&self, name: &str) -> bool {
        match self {
            Property::Formula(formula) => mentions_name(formula, name),
            Property::Quantified(quantified) => quantified.may_mention(name),
            // A function may take any proposition.
            Property::Template(_) => true,
        }
    }
}

/// Does a proposition of the formula have this name?
pub(crate) fn mentions_name(formula: &Formula<Fact>, name: &str) -> bool {
    let mut is_mentioned = false;
    formula.propositions(&mut |fact| is_mentioned |= fact.name() == name);
    is_mentioned
}

/// Converts into a [`Property`].
pub trait IntoProperty<P> {
    /// The property.
    ///
    /// # Errors
    /// The mistakes in its text.
    fn into_property(self) -> Result<Property<P>, CheckError>;

    /// Its text, if it is text: equal texts are equal properties.
    fn text(&self) -> Option<&str> {
        None
    }
}

impl<P> IntoProperty<P> for Property<P> {
    fn into_property(self) -> Result<Property<P>, CheckError> {
        Ok(self)
    }
}

impl<P> IntoProperty<P> for Formula<P> {
    fn into_property(self) -> Result<Property<P>, CheckError> {
        Ok(Property::Formula(self))
    }
}

impl<P> IntoProperty<P> for Quantified<P> {
    fn into_property(self) -> Result<Property<P>, CheckError> {
        Ok(Property::Quantified(self))
    }
}

impl<P> IntoProperty<P> for Template<P> {
    fn into_property(self) -> Result<Property<P>, CheckError> {
        Ok(Property::Template(self))
    }
}

/// `G !(a & b)`, or `forall r: G (request(r) -> F answer(r))`.
impl IntoProperty<Fact> for &str {
    fn into_property(self) -> Result<Property<Fact>, CheckError> {
        let property = if is_quantified(self) {
            parse_quantified(self).map(Property::Quantified)
        } else {
            parse(self, &Facts).into_result().map(Property::Formula)
        };
        property.map_err(|mistakes| CheckError::Syntax { text: self.to_owned(), mistakes })
    }

    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl IntoProperty<Fact> for String {
    fn into_property(self) -> Result<Property<Fact>, CheckError> {
        self.as_str().into_property()
    }

    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl IntoProperty<Fact> for &String {
    fn into_property(self) -> Result<Property<Fact>, CheckError> {
        self.as_str().into_property()
    }

    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

/// The reason why a property cannot be checked.
#[derive(Clone, Debug)]
pub enum CheckError {
    /// The text has mistakes.
    Syntax {
        /// The text.
        text: String,
        /// What is wrong in it.
        mistakes: Vec<Diagnostic>,
    },
    /// The formula depends on how often a state is repeated, and steps of other threads repeat states.
    NotStutterInvariant {
        /// The formula.
        formula: String,
        /// It holds on this word,
        satisfying: String,
        /// and not on this one, which differs in repeated states alone.
        violating: String,
    },
    /// The formula is too large to decide whether it depends on how often a state is repeated.
    Undecided {
        /// The formula.
        formula: String,
        /// What is too large.
        reason: String,
    },
    /// More propositions than a formula can have.
    TooManyPropositions {
        /// The formula.
        formula: String,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Syntax { text, mistakes } => {
                let source = selvedge_ltl::source::Source::new("formula", text);
                let rendered: Vec<String> =
                    mistakes.iter().map(|mistake| mistake.render(&source, false)).collect();
                f.write_str(&rendered.join("\n\n"))
            }
            CheckError::NotStutterInvariant { formula, satisfying, violating } => write!(
                f,
                "`{formula}` depends on how often a state is repeated: it holds on\n    {satisfying}\nand not on\n    \
                 {violating}\nSteps of other threads repeat states, so its verdict would depend on them. Use `U`, `F` \
                 or `G` in place of `X`."
            ),
            CheckError::Undecided { formula, reason } => write!(
                f,
                "`{formula}`: cannot decide whether it depends on how often a state is repeated: {reason}"
            ),
            CheckError::TooManyPropositions { formula } => {
                write!(f, "`{formula}` has {}", selvedge_ltl::letter::TooManyProps)
            }
        }
    }
}

impl std::error::Error for CheckError {}
