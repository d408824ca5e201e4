//! Flow graphs: what a process can do, node by node.
//!
//! The one form into which the languages compile, and which is searched, drawn and debugged. A node is a place of
//! control; an edge is one step: it can be taken where its guard holds, and does one thing. Expressions are over the program's numbered
//! variables and know nothing of the text that they came from, so equal ones are equal.
//!
//! Promise: node 0 of a graph is its end, and has no edges; a graph may have other ends, without edges too.

mod draw;

use selvedge_ltl::source::Span;
use std::fmt;

/// What a variable may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// Never assigned; read as null.
    Undefined,
    /// Assigned null.
    Null,
    /// An integer.
    Int(i64),
}

/// A variable, or an array of them.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, for people; a local variable's with its process's, `x@1`.
    pub name: String,
    /// How many elements, if it is an array.
    pub length: Option<usize>,
    /// What it holds, or each of its elements, at first.
    pub initial: Cell,
}

/// A buffer between processes, first in, first out.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// How many messages it holds at most.
    pub capacity: usize,
}

/// A variable's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A channel's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelId(pub u32);

/// A node of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Where nothing is left to do.
    pub const END: NodeId = NodeId(0);
}

/// Operators between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero
    Divide,
    /// `%`, with the sign of the dividend
    Remainder,
    /// `=`
    Equal,
    /// `!=`
    Differs,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `and`
    And,
    /// `or`
    Or,
}

impl Operator {
    /// Its spelling, and how tightly it binds.
    pub fn spelling(self) -> (&'static str, u8) {
        match self {
            Operator::Or => ("or", 1),
            Operator::And => ("and", 2),
            Operator::Equal => ("=", 4),
            Operator::Differs => ("!=", 4),
            Operator::Less => ("<", 4),
            Operator::AtMost => ("<=", 4),
            Operator::Greater => (">", 4),
            Operator::AtLeast => (">=", 4),
            Operator::Add => ("+", 5),
            Operator::Subtract => ("-", 5),
            Operator::Multiply => ("*", 6),
            Operator::Divide => ("/", 6),
            Operator::Remainder => ("%", 6),
        }
    }

    /// Does it make a truth rather than a number?
    pub fn is_test(self) -> bool {
        self.spelling().1 <= 4
    }

    /// Does it take truths rather than numbers?
    pub fn takes_tests(self) -> bool {
        matches!(self, Operator::And | Operator::Or)
    }
}

/// An expression or a test.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A number.
    Int(i64),
    /// `null`
    Null,
    /// `true` or `false`
    Truth(bool),
    /// What a variable holds.
    Var(VarId),
    /// What an element of an array holds.
    Element(VarId, Box<Term>),
    /// `-e`
    Negative(Box<Term>),
    /// `not t`
    Not(Box<Term>),
    /// An operator between two.
    Binary(Operator, Box<Term>, Box<Term>),
}

/// Where a value goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A variable.
    Var(VarId),
    /// An element of an array.
    Element(VarId, Term),
}

/// What a step does beside moving control.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// `x := e`
    Assign(Place, Term),
    /// Shows these values to whoever looks, and changes nothing.
    Print(Vec<Term>),
    /// An error if the test fails.
    Assert(Term),
    /// Blocks while the channel is full.
    Send(ChannelId, Term),
    /// Blocks while the channel is empty.
    Receive(ChannelId, Place),
    /// Everything from the first node up to the second, at once or not at all.
    Atomic(NodeId, NodeId),
}

/// When a step can be taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    /// Always.
    Always,
    /// Where the test holds.
    Holds(Term),
    /// Where it does not.
    Fails(Term),
}

/// One step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// When it can be taken.
    pub guard: Guard,
    /// What it does.
    pub effect: Effect,
    /// Where control goes.
    pub target: NodeId,
    /// The step in a few words.
    pub text: String,
    /// Where it stands in the source.
    pub span: Span,
}

/// A place of control.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What stands there, in a few words.
    pub label: String,
    /// What `at` says here, by number: the user statements that are about to be executed, or the label of what was executed last.
    pub statements: Vec<u32>,
    /// The steps, always in the same order.
    pub edges: Vec<Edge>,
}

/// What a process can do.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    /// The process's name.
    pub name: String,
    /// Its nodes: the end, the other places of control, and last what is inside of atomic steps.
    pub nodes: Vec<Node>,
    /// How many of the nodes are places of control.
    pub places: usize,
    /// Where it begins.
    pub start: NodeId,
}

impl FlowGraph {
    /// The graph of these nodes, of which the first must be the end; those that cannot be met are left out.
    pub fn new(name: String, mut nodes: Vec<Node>, start: NodeId) -> FlowGraph {
        let mut order = Order { numbers: vec![None; nodes.len()], met: Vec::new() };
        order.meet(NodeId::END);
        let start = order.meet(start);
        order.follow(&nodes, 0);
        let places = order.met.len();
        for place in 0..places {
            for edge in &nodes[order.met[place]].edges {
                if let Effect::Atomic(first, last) = edge.effect {
                    order.meet(first);
                    order.meet(last);
                }
            }
        }
        order.follow(&nodes, places);
        let mut ordered: Vec<Node> = order.met.iter().map(|node| std::mem::take(&mut nodes[*node])).collect();
        for edge in ordered.iter_mut().flat_map(|node| &mut node.edges) {
            edge.target = order.meet(edge.target);
            if let Effect::Atomic(first, last) = &mut edge.effect {
                (*first, *last) = (order.meet(*first), order.meet(*last));
            }
        }
        FlowGraph { name, nodes: ordered, places, start }
    }
}

/// New numbers for nodes, in the order in which they are met.
struct Order {
    numbers: Vec<Option<NodeId>>,
    met: Vec<usize>,
}

impl Order {
    fn meet(&mut self, node: NodeId) -> NodeId {
        *self.numbers[node.0 as usize].get_or_insert_with(|| {
            self.met.push(node.0 as usize);
            NodeId(self.met.len() as u32 - 1)
        })
    }

    /// Meets all that can be met from the nodes from the given one on.
    fn follow(&mut self, nodes: &[Node], mut from: usize) {
        while from < self.met.len() {
            for edge in &nodes[self.met[from]].edges {
                self.meet(edge.target);
            }
            from += 1;
        }
    }
}

/// Processes over shared variables: all that a search needs.
#[derive(Clone, Debug, Default)]
pub struct FlowProgram {
    /// Variables, shared and local.
    pub variables: Vec<Variable>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// One graph a process.
    pub graphs: Vec<FlowGraph>,
}

impl Term {
    /// The term as text, by the names of these variables.
    pub fn text<'a>(&'a self, variables: &'a [Variable]) -> TermText<'a> {
        TermText { term: self, variables }
    }

    fn strength(&self) -> u8 {
        match self {
            Term::Binary(operator, ..) => operator.spelling().1,
            Term::Not(_) => 3,
            Term::Negative(_) => 7,
            Term::Int(value) if *value < 0 => 7,
            _ => 8,
        }
    }
}

impl Place {
    /// The place as text, by the names of these variables.
    pub fn text(&self, variables: &[Variable]) -> String {
        match self {
            Place::Var(var) => variables[var.0 as usize].name.clone(),
            Place::Element(var, index) => {
                element_text(&variables[var.0 as usize].name, &index.text(variables).to_string())
            }
        }
    }
}

/// An element's name; of a local array, `a@1`, it is `a[i]@1`.
pub(crate) fn element_text(array: &str, index: &str) -> String {
    match array.split_once('@') {
        Some((name, process)) => format!("{name}[{index}]@{process}"),
        None => format!("{array}[{index}]"),
    }
}

/// A [`Term`] to be printed, with the fewest parentheses.
#[derive(Clone, Copy)]
pub struct TermText<'a> {
    term: &'a Term,
    variables: &'a [Variable],
}

impl TermText<'_> {
    fn operand(&self, f: &mut fmt::Formatter<'_>, term: &Term, least: u8) -> fmt::Result {
        let text = TermText { term, variables: self.variables };
        if term.strength() < least { write!(f, "({text})") } else { write!(f, "{text}") }
    }
}

impl fmt::Display for TermText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.term {
            Term::Int(value) => write!(f, "{value}"),
            Term::Null => write!(f, "null"),
            Term::Truth(value) => write!(f, "{value}"),
            Term::Var(var) => write!(f, "{}", self.variables[var.0 as usize].name),
            Term::Element(var, index) => {
                let index = index.text(self.variables).to_string();
                write!(f, "{}", element_text(&self.variables[var.0 as usize].name, &index))
            }
            Term::Negative(inner) => {
                write!(f, "-")?;
                self.operand(f, inner, 8)
            }
            Term::Not(inner) => {
                write!(f, "not ")?;
                self.operand(f, inner, 5)
            }
            Term::Binary(operator, left, right) => {
                let (spelling, strength) = operator.spelling();
                let least = if strength == 4 { 5 } else { strength };
                self.operand(f, left, least)?;
                write!(f, " {spelling} ")?;
                self.operand(f, right, strength + 1)
            }
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Undefined => write!(f, "undefined"),
            Cell::Null => write!(f, "null"),
            Cell::Int(value) => write!(f, "{value}"),
        }
    }
}
