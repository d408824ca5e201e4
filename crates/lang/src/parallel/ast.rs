//! The syntax tree of a PARALLEL file, as in the text. Families are not yet unfolded; [`super::build`] does
//! that.

use crate::syntax::tree::{Declarations, Expr, Name, Variable};
use selvedge_ltl::source::Span;

/// A statement with its place.
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
    /// `x, y := e, f`
    AssignAll(Vec<(Expr, Expr)>),
    /// `if t then .. else .. fi`
    If(Expr, Block, Block),
    While(Expr, Block),
    Repeat(Block),
    /// `for i in 1..N do .. od`
    For(Range, Block),
    Break,
    /// A user statement, by its name.
    User(Name),
    /// `p(x, 1)`: a call of a procedure.
    Call(Name, Vec<Expr>),
    /// `create p(1, x)`
    Create(Name, Vec<Expr>),
    /// `end:`, a mark before a statement: waiting there for ever is no deadlock.
    End,
    /// `( .. )`
    Group(Block),
    Await(Expr),
    /// `choose .. | .. end`
    Choose(Vec<Block>),
    /// `choose .. | .. else .. end`
    ChooseElse(Vec<Block>, Block),
    /// `choose x in 1..N`
    ChooseIn(Expr, Expr, Expr),
    /// `atomic .. end`
    Atomic(Block),
    Assert(Expr),
    Print(Vec<Printed>),
    /// `send c, e`, `c[i]!(e, e)`
    Send(Expr, Vec<Expr>),
    /// `receive c, x`, `c[i]?(ack, x)`
    Receive(Expr, Vec<Expr>),
}

/// A name for each of the numbers from the first to the last.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) variable: Name,
    pub(super) first: Expr,
    pub(super) last: Expr,
}

/// An operand of `print`.
#[derive(Clone, Debug)]
pub(super) enum Printed {
    Text(String),
    Value(Expr),
}

/// `statement name` or `looping statement name`.
#[derive(Clone, Debug)]
pub(super) struct UserStatement {
    pub(super) name: Name,
    pub(super) looping: bool,
}

/// `channel c[2]`, `channel c[N][2] of (kind, value)`
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) name: Name,
    /// How many channels, if it is an array.
    pub(super) length: Option<Expr>,
    pub(super) capacity: Expr,
    /// The names of a message's fields, if they are named.
    pub(super) fields: Vec<Name>,
}

/// `type Kind = {req, ack}`
#[derive(Clone, Debug)]
pub(super) struct Enumerated {
    pub(super) name: Name,
    pub(super) values: Vec<Name>,
}

/// `procedure p(x, y) = ..`
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) body: Block,
}

/// `process 1: ..`, `process p: ..`, `process p(i, j) for i in 1..N, j in 1..M priority 2: ..`
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) name: Name,
    /// The parameters of a family; none if it is a single process.
    pub(super) family: Vec<Range>,
    /// How many processes may be created, and their parameters, if they are created by `create`.
    pub(super) created: Option<(Expr, Vec<Name>)>,
    pub(super) priority: Option<Expr>,
    pub(super) locals: Vec<Variable>,
    pub(super) body: Block,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) declarations: Declarations,
    pub(super) types: Vec<Enumerated>,
    /// The names of records, and those of their fields and of the fields' types.
    pub(super) records: Vec<(Name, Vec<(Name, Name)>)>,
    pub(super) channels: Vec<Channel>,
    pub(super) statements: Vec<UserStatement>,
    pub(super) procedures: Vec<Procedure>,
    pub(super) processes: Vec<Process>,
}
