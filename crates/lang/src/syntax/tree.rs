//! Syntax trees of expressions and declarations, as in the text.
//!
//! Names are not yet looked up; [`super::resolve`] does that. Numbers and tests share one kind of
//! expression, since `(x + 1) = 2` and `(x = 1) and t` begin alike; the resolver checks which of them is
//! needed.

use crate::flow_graph::Operator;
use crate::program::Expect;
use selvedge_ltl::source::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i64),
    Null,
    Truth(bool),
    /// `x`
    Name(String),
    /// `a[e]`
    Element(Name, Box<Expr>),
    /// `p(e)`: a member of a family of processes, in formulas only; or a function of a channel; or a use of
    /// a definition.
    Member(Name, Vec<Expr>),
    /// `n.colour`: a field of a record.
    Field(Box<Expr>, Name),
    /// `{white, true}`: the values of a record's fields.
    Braces(Vec<Expr>),
    /// `forall i in 1..3: test`, `exists i in 1..3: test`
    Quantified(Box<QuantifiedTest>),
    /// `x@p`: a local variable of another process, in formulas only.
    Of(Box<Expr>, Box<Expr>),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// Text that could not be read, which is reported.
    Broken,
}

/// A test with each of some numbers for a name, joined by `and` or by `or`.
#[derive(Clone, Debug)]
pub(crate) struct QuantifiedTest {
    /// [`Operator::And`] or [`Operator::Or`].
    pub(crate) joint: Operator,
    pub(crate) variable: Name,
    pub(crate) first: Expr,
    pub(crate) last: Expr,
    pub(crate) test: Expr,
}

/// `x = 0` or `a[5] = 0`, the declaration of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) length: Option<Expr>,
    /// The name of its type.
    pub(crate) kind: Option<Name>,
    pub(crate) initial: Option<Expr>,
    /// The initial values of its elements, one by one, with their place.
    pub(crate) elements: Option<(Vec<Expr>, Span)>,
}

impl Variable {
    /// A variable without a declared type and without a first value.
    pub(crate) fn plain(name: Name) -> Variable {
        Variable { name, length: None, kind: None, initial: None, elements: None }
    }
}

/// `const N = 3`
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: Name,
    pub(crate) value: Expr,
}

/// `define name(parameters) = formula`
#[derive(Clone, Debug)]
pub(crate) struct Define {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    pub(crate) formula: Span,
}

/// `property name: formula expect verdict`
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) formula: Span,
    pub(crate) expect: Option<Expect>,
}

/// The declarations that all languages have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) constants: Vec<Constant>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) defines: Vec<Define>,
    pub(crate) properties: Vec<Property>,
}
