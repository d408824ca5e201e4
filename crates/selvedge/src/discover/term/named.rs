//! Terms and laws as they are written: with names, and without a signature.

use crate::discover::signature::{PARALLEL, is_infix};
use std::fmt;

/// An argument as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedArgument {
    /// A variable or a constant.
    Name(String),
    /// A pure function and its arguments.
    Apply(String, Vec<NamedArgument>),
}

/// A term as it is written. It is parsed from text, or built:
///
/// ```
/// use selvedge::discover::Term;
///
/// let term = Term::call("take", []).bind("x", Term::call("put", ["x"]));
/// assert_eq!(term.to_string(), r"take >>= \x -> put x");
/// assert_eq!(r"take >>= \x -> put x".parse(), Ok(term));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// An operation and its arguments.
    Call(String, Vec<NamedArgument>),
    /// `first >> second`.
    Then(Box<Term>, Box<Term>),
    /// `first >>= \x -> second`.
    Bind(Box<Term>, String, Box<Term>),
    /// `left ||| right`.
    Beside(Box<Term>, Box<Term>),
}

impl Term {
    /// An operation with these variables and constants.
    #[must_use]
    pub fn call<'n>(name: &str, arguments: impl IntoIterator<Item = &'n str>) -> Term {
        let arguments = arguments.into_iter().map(|name| NamedArgument::Name(name.to_owned())).collect();
        Term::Call(name.to_owned(), arguments)
    }

    /// `self >> then`.
    #[must_use]
    pub fn then(self, then: Term) -> Term {
        match self {
            Term::Then(first, second) => Term::Then(first, second.then(then).into()),
            Term::Bind(first, variable, second) => Term::Bind(first, variable, second.then(then).into()),
            first => Term::Then(first.into(), then.into()),
        }
    }

    /// `self >>= \variable -> then`.
    #[must_use]
    pub fn bind(self, variable: &str, then: Term) -> Term {
        match self {
            Term::Then(first, second) => Term::Then(first, second.bind(variable, then).into()),
            Term::Bind(first, outer, second) => Term::Bind(first, outer, second.bind(variable, then).into()),
            first => Term::Bind(first.into(), variable.to_owned(), then.into()),
        }
    }

    /// `self ||| other`.
    #[must_use]
    pub fn beside(self, other: Term) -> Term {
        Term::Beside(self.into(), other.into())
    }
}

impl fmt::Display for NamedArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamedArgument::Name(name) => f.write_str(name),
            NamedArgument::Apply(function, arguments) => match &arguments[..] {
                [left, right] if is_infix(function) => write!(f, "({left} {function} {right})"),
                arguments => {
                    write!(f, "({function}")?;
                    arguments.iter().try_for_each(|argument| write!(f, " {argument}"))?;
                    f.write_str(")")
                }
            },
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Call(name, arguments) => {
                f.write_str(name)?;
                arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
            }
            Term::Then(first, second) => write!(f, "{} >> {second}", Operand(first)),
            Term::Bind(first, variable, second) => {
                write!(f, "{} >>= \\{variable} -> {second}", Operand(first))
            }
            Term::Beside(left, right) => write!(f, "{} {PARALLEL} {}", Operand(left), Operand(right)),
        }
    }
}

/// A term beside an operator. A compound has parentheses.
struct Operand<'t>(&'t Term);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Term::Call(..) => write!(f, "{}", self.0),
            compound => write!(f, "({compound})"),
        }
    }
}

/// How two terms are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `===`: the same behaviours.
    Equal,
    /// `->-`: the left term has some of the behaviours of the right one, and not all.
    Refines,
    /// `-<-`: the right term has some of the behaviours of the left one, and not all. Only between two
    /// signatures; otherwise the sides are exchanged.
    Refined,
}

impl Relation {
    /// The relation with its sides exchanged.
    #[must_use]
    pub fn reversed(self) -> Relation {
        match self {
            Relation::Equal => Relation::Equal,
            Relation::Refines => Relation::Refined,
            Relation::Refined => Relation::Refines,
        }
    }

    /// As it is written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Equal => "===",
            Relation::Refines => "->-",
            Relation::Refined => "-<-",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}

/// What a law says, as it is written: `[put 42] x >= 0 ==> signal x === wait (0 - x)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// The interferences under which it is said to hold; empty means all of them.
    pub under: Vec<String>,
    /// The conditions, all of which must hold: comparisons of variables and constants, and conditions of the
    /// signature.
    pub when: Vec<String>,
    /// The left term.
    pub left: Term,
    /// How the terms are related.
    pub relation: Relation,
    /// The right term.
    pub right: Term,
}

impl Statement {
    /// `left === right` and its like.
    #[must_use]
    pub fn new(left: Term, relation: Relation, right: Term) -> Statement {
        Statement { under: Vec::new(), when: Vec::new(), left, relation, right }
    }

    /// The same under this condition, too.
    #[must_use]
    pub fn when(mut self, condition: &str) -> Statement {
        self.when.push(condition.to_owned());
        self
    }

    /// The same under this interference, too.
    #[must_use]
    pub fn under(mut self, interference: &str) -> Statement {
        self.under.push(interference.to_owned());
        self
    }

    /// What stands before the left term.
    pub(crate) fn prefix(&self) -> String {
        let under =
            if self.under.is_empty() { String::new() } else { format!("[{}] ", self.under.join(", ")) };
        let when =
            if self.when.is_empty() { String::new() } else { format!("{} ==> ", self.when.join(" && ")) };
        under + &when
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {} {}", self.prefix(), self.left, self.relation, self.right)
    }
}
