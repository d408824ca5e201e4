//! The syntax tree of a flow file, as in the text.

use crate::syntax::tree::{Declarations, Expr, Name};
use selvedge_ltl::source::Span;

/// A statement with its place.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// The label of its node, if the text gives one.
    pub(super) label: Option<Name>,
    pub(super) kind: StatementKind,
    /// From its first word up to its body.
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    /// `x := e`, `a[i] := e`
    Assign(Expr, Expr),
    /// `wait e`
    Wait(Expr),
    /// `while e do S`
    While(Expr, Box<Statement>),
    /// `if e then S`, `if e then S else S`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `begin .. end`
    Block(Vec<Statement>),
}

/// `Process P0: .. .`
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) name: Name,
    pub(super) body: Statement,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) declarations: Declarations,
    pub(super) processes: Vec<Process>,
}
