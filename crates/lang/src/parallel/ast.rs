//! The syntax tree of a PARALLEL file, as its author wrote it.
//!
//! Names are not yet looked up and families not yet unfolded; that is [`super::resolve`]'s. Numbers and truths share one
//! kind of expression, since `(x + 1) = 2` and `(x = 1) and t` begin alike; who needs one kind asks for it.

use crate::flow::Operator;
use selvedge_ltl::source::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An expression and where it stands.
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
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    /// From its first word up to its body.
    pub(crate) span: Span,
}

pub(crate) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
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
pub(crate) enum Printed {
    Text(String),
    Value(Expr),
}

/// `x = 0` or `a[5] = 0`, in `memory` and `local`.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) length: Option<Expr>,
    pub(crate) initial: Option<Expr>,
}

/// `statement name` or `looping statement name`.
#[derive(Clone, Debug)]
pub(crate) struct UserStatement {
    pub(crate) name: Name,
    pub(crate) looping: bool,
}

/// `const N = 3`
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: Name,
    pub(crate) value: Expr,
}

/// `channel c[2]`
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) name: Name,
    pub(crate) capacity: Expr,
}

/// `define name(parameters) = formula`
#[derive(Clone, Debug)]
pub(crate) struct Define {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    pub(crate) formula: Span,
}

/// `process 1: ..`, `process p: ..`, `process p(i) for i in 1..N: ..`
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) name: Name,
    pub(crate) family: Option<Family>,
    pub(crate) locals: Vec<Variable>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) parameter: Name,
    pub(crate) first: Expr,
    pub(crate) last: Expr,
}

/// `property name: formula expect verdict`
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) formula: Span,
    pub(crate) expect: Option<super::Expect>,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) constants: Vec<Constant>,
    pub(crate) memory: Vec<Variable>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) statements: Vec<UserStatement>,
    pub(crate) defines: Vec<Define>,
    pub(crate) processes: Vec<Process>,
    pub(crate) properties: Vec<Property>,
}
