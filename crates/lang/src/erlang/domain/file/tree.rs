//! The syntax tree of a domain's file: names and conditions with their places, nothing resolved.

use super::super::integers::Truth;
use super::super::operation::{BinaryOperation, Comparison, UnaryOperation};
use super::condition::Condition;
use selvedge_ltl::source::Span;

/// A name with its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// Everything that a file says.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) name: Option<Name>,
    pub(super) values: Vec<Name>,
    /// Each first name is less precise than the second.
    pub(super) order: Vec<(Name, Name)>,
    pub(super) alpha: Vec<Clause>,
    pub(super) rows: Vec<Row>,
}

/// One line of `alpha`; `otherwise` has no condition.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) condition: Option<Condition>,
    pub(super) value: Name,
    pub(super) span: Span,
}

/// What an operation gives for some values.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) head: RowHead,
    pub(super) result: RowResult,
    pub(super) span: Span,
}

/// The operation and its operands.
#[derive(Clone, Debug)]
pub(super) enum RowHead {
    Unary(UnaryOperation, Name),
    Binary(BinaryOperation, Name, Name),
    Compare(Comparison, Name, Name),
}

/// What stands behind the arrow.
#[derive(Clone, Debug)]
pub(super) enum RowResult {
    /// Values, and perhaps `error`.
    Outcomes { values: Vec<Name>, error: bool },
    /// The result of a comparison.
    Truth(Truth),
}
