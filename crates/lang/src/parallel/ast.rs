//! The syntax tree of a PARALLEL file, as its author wrote it.
//!
//! Names are not yet looked up and families not yet unfolded; that is [`super::resolve`]'s. Numbers and truths share one
//! kind of expression, since `(x + 1) = 2` and `(x = 1) and t` begin alike; who needs one kind asks for it.

use crate::flow::Operator;
use selvedge_ltl::source::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Int(i64),
    Null,
    Truth(bool),
    /// `x`
    Name(String),
    /// `a[e]`
    Element(Name, Box<Expr>),
    /// `p(e)`: a member of a family of processes, in formulas only.
    Member(Name, Box<Expr>),
    /// `x@p`: a local variable of another process, in formulas only.
    Of(Box<Expr>, Box<Expr>),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// What could not be read; already reported.
    Broken,
}

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    /// From its first word up to its body.
    pub(super) span: Span,
}

pub(super) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    Skip,
    /// `x := e`, `a[i] := e`
    Assign(Expr, Expr),
    /// `if t then .. else .. fi`
    If(Expr, Block, Block),
    While(Expr, Block),
    Repeat(Block),
    /// A name that is declared as a statement.
    User(Name),
    /// `( .. )`
    Group(Block),
    Await(Expr),
    /// `choose .. | .. end`
    Choose(Vec<Block>),
    /// `atomic .. end`
    Atomic(Block),
    Assert(Expr),
    Print(Vec<Printed>),
    Send(Name, Expr),
    Receive(Name, Expr),
}

/// What `print` prints.
#[derive(Clone, Debug)]
pub(super) enum Printed {
    Text(String),
    Value(Expr),
}

/// `x = 0` or `a[5] = 0`, in `memory` and `local`.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) length: Option<Expr>,
    pub(super) initial: Option<Expr>,
}

/// `statement name` or `looping statement name`.
#[derive(Clone, Debug)]
pub(super) struct UserStatement {
    pub(super) name: Name,
    pub(super) looping: bool,
}

/// `const N = 3`
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) name: Name,
    pub(super) value: Expr,
}

/// `channel c[2]`
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) name: Name,
    pub(super) capacity: Expr,
}

/// `define name(parameters) = formula`
#[derive(Clone, Debug)]
pub(super) struct Define {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) formula: Span,
}

/// `process 1: ..`, `process p: ..`, `process p(i) for i in 1..N: ..`
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) name: Name,
    pub(super) family: Option<Family>,
    pub(super) locals: Vec<Variable>,
    pub(super) body: Block,
}

#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) parameter: Name,
    pub(super) first: Expr,
    pub(super) last: Expr,
}

/// `property name: formula expect verdict`
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: Name,
    pub(super) formula: Span,
    pub(super) expect: Option<super::Expect>,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) constants: Vec<Constant>,
    pub(super) memory: Vec<Variable>,
    pub(super) channels: Vec<Channel>,
    pub(super) statements: Vec<UserStatement>,
    pub(super) defines: Vec<Define>,
    pub(super) processes: Vec<Process>,
    pub(super) properties: Vec<Property>,
}
