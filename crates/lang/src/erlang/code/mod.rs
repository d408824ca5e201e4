//! The code of an Erlang program: functions as trees of nodes, in the form that is evaluated.
//!
//! Lowering ([`lower`]) writes out what the syntax abbreviates: records are tuples, comprehensions are
//! functions, `if` is `case`, variables are slots. Liveness ([`live`]) says for each node which slots later
//! nodes read. A frame keeps these alone, so that dead variables distinguish no states and a tail call keeps
//! no frame.

pub(crate) mod bif;
pub(crate) mod call_sites;
pub(crate) mod live;
pub(crate) mod lower;
mod termination;

use super::syntax::tree::Name;
use super::term::{Atom, Value};
use bif::Bif;
use rustc_hash::FxHashMap;
use selvedge_ltl::source::Span;

/// The number of a node.
pub(crate) type NodeId = u32;

/// The number of a function.
pub(crate) type FunctionId = u32;

/// The place of a variable's value in its function's environment.
pub(crate) type Slot = u16;

/// All functions that have been lowered.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) nodes: Vec<Node>,
    /// The position of each node.
    pub(crate) spans: Vec<Span>,
    /// For each node the slots that are read after it, before its function returns.
    pub(crate) live_after: Vec<Box<[Slot]>>,
    /// The function of each node.
    pub(crate) owners: Vec<FunctionId>,
    pub(crate) functions: Vec<Function>,
    pub(crate) by_name: FxHashMap<FunctionKey, FunctionId>,
    /// The function that is analysed.
    visiting: FunctionId,
}

/// A function of a module: its module, name and arity.
pub(crate) type FunctionKey = (Atom, Atom, u32);

/// A function, a fun, or a generator of a comprehension.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// `m:f/1`, for readers.
    pub(crate) name: String,
    /// The number of arguments of a call; they are the first slots.
    pub(crate) arity: usize,
    /// The slots of the captured values, which follow the arguments of a call.
    pub(crate) captured: Vec<Slot>,
    /// The slot of the fun itself, if it has a name.
    pub(crate) itself: Option<Slot>,
    /// The names of the slots, where they are variables of the text.
    pub(crate) names: Vec<Option<Name>>,
    pub(crate) body: NodeId,
    /// Does the function return from every call, because an argument becomes smaller or the file says so?
    pub(crate) terminates: bool,
    /// Can a call of the function lead to another one?
    pub(crate) is_recursive: bool,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Value(Value),
    Slot(Slot),
    /// All arguments are evaluated, from the left; then the operation is applied.
    Apply(Operation, Box<[NodeId]>),
    Sequence(NodeId, NodeId),
    Match(Pattern, NodeId),
    AndAlso(NodeId, NodeId),
    OrElse(NodeId, NodeId),
    /// The first clause that matches the subject is evaluated; if there is none, an error is raised.
    Case {
        subject: NodeId,
        clauses: Box<[Clause]>,
        otherwise: Otherwise,
    },
    /// The body of a function: the subjects are the arguments.
    Clauses(Box<[Clause]>),
    /// The timeout is evaluated first; `infinity` if there is no `after`.
    Receive {
        clauses: Box<[Clause]>,
        timeout: NodeId,
        after: Option<NodeId>,
    },
    /// `of` clauses, if there are any, and `catch` clauses.
    Try {
        body: NodeId,
        clauses: Box<[Clause]>,
        catches: Box<[CatchClause]>,
    },
    /// The second node is evaluated whatever becomes of the first.
    After(NodeId, NodeId),
    Catch(NodeId),
    /// A construct that is not supported: its name.
    Unsupported(Box<str>),
}

/// What is done with the values of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Tuple,
    Cons,
    /// A fun that captures the arguments.
    Closure(FunctionId),
    Call(FunctionId),
    /// The last argument is the fun.
    CallFun,
    /// The last two arguments are module and function.
    CallNamed,
    /// `apply(M, F, Args)`
    ApplyNamed,
    /// `apply(F, Args)`
    ApplyFun,
    /// A map from keys and values in turn.
    Map,
    /// A map, then keys and values in turn; for each key whether it must be there (`:=`).
    MapUpdate(Box<[bool]>),
    Bif(Bif),
    /// A record and its name: the field at this position (from 1) of a tuple of this size.
    RecordField {
        size: usize,
        index: usize,
    },
    /// `choice([…])` with a list that is written out: one of the arguments.
    Choose,
    /// `fun M:F/A` with a module and a name that are values; the arity is a value, too, unless it is written
    /// out.
    MakeExternal(Option<u32>),
    /// `element(2, T)` with a position that is written out.
    ElementAt(usize),
}

/// The error of a `case` or a function none of whose clauses matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    CaseClause,
    FunctionClause,
    IfClause,
    TryClause,
    ElseClause,
    /// `{badrecord, V}`
    BadRecord,
    BadGenerator,
    BadFilter,
}

/// `patterns when guard -> body`
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) patterns: Box<[Pattern]>,
    pub(crate) guard: Guard,
    pub(crate) body: NodeId,
}

/// Alternatives of conjunctions; none is true.
pub(crate) type Guard = Box<[Box<[NodeId]>]>;

/// `class:reason:stack when guard -> body`
#[derive(Clone, Debug)]
pub(crate) struct CatchClause {
    pub(crate) class: Pattern,
    pub(crate) reason: Pattern,
    pub(crate) stack: Option<Slot>,
    pub(crate) guard: Guard,
    pub(crate) body: NodeId,
}

/// A pattern.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Any,
    /// A variable that is not bound yet.
    Bind(Slot),
    /// A variable that is bound: the values must be equal.
    Bound(Slot),
    Value(Value),
    Cons(Box<Pattern>, Box<Pattern>),
    Tuple(Box<[Pattern]>),
    /// Keys are guard expressions.
    Map(Box<[(NodeId, Pattern)]>),
    Both(Box<Pattern>, Box<Pattern>),
}

impl Code {
    pub(crate) fn push(&mut self, span: Span, node: Node) -> NodeId {
        self.nodes.push(node);
        self.spans.push(span);
        (self.nodes.len() - 1) as NodeId
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }
}
