//! Flow graphs: the form into which PARALLEL and flow compile, and which is searched, drawn and debugged.
//!
//! A node is a control location of a process; an edge is one step, which is enabled where its guard holds
//! and has one effect. Terms are over the program's numbered variables and have no trace of the text that
//! they came from, so terms that mean the same are equal.
//!
//! Promise: node 0 of a graph is its end, and has no edges; a graph may have other ends, without edges too.

pub(crate) mod arithmetic;
mod channel;
mod draw;
mod kind;
mod term;

pub use arithmetic::Fault;
pub(crate) use channel::message_text;
pub use channel::{Channel, ChannelId, ChannelPlace, MAX_FIELDS, Pattern};
pub use kind::{Enumeration, Kind};
pub(crate) use term::element_text;
pub use term::{Lvalue, Operator, Term, TermText};

use crate::work::count_step;
use selvedge_ltl::source::Span;
use std::fmt;

/// The value of a variable.
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
    /// Its name; a local variable's with that of its process, `x@1`.
    pub name: String,
    /// How many elements, if it is an array.
    pub length: Option<usize>,
    /// Its initial value, or that of each of its elements.
    pub initial: Cell,
    /// The initial values of its elements, if they are given one by one.
    pub elements: Vec<Cell>,
    /// What its values are.
    pub kind: Kind,
}

impl Variable {
    /// A variable that holds numbers, all its elements with the same initial value.
    pub fn new(name: String, length: Option<usize>, initial: Cell) -> Variable {
        Variable { name, length, initial, elements: Vec::new(), kind: Kind::Number }
    }

    /// The initial value of an element; 0 is the variable itself, if it is no array.
    pub fn initial_of(&self, index: usize) -> Cell {
        self.elements.get(index).copied().unwrap_or(self.initial)
    }
}

/// A variable's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A node of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The end of a process.
    pub const END: NodeId = NodeId(0);
}

/// What a step does besides moving control.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// `x := e`
    Assign(Lvalue, Term),
    /// `x, y := e, f`: everything is read before anything is written; at most [`MAX_TOGETHER`].
    AssignAll(Vec<(Lvalue, Term)>),
    /// Shows these values in the trace, and changes nothing.
    Print(Vec<Term>),
    /// An error if the test fails.
    Assert(Term),
    /// Puts a message, a value a field, into a channel; blocks while it is full. If it has no room for
    /// messages, another process receives the message in the same step.
    Send(ChannelPlace, Vec<Term>),
    /// Takes the oldest message, a pattern a field; blocks while the channel is empty, or the message does
    /// not match.
    Receive(ChannelPlace, Vec<Pattern>),
    /// All steps of a path from the first node to the second, as one step.
    Atomic(NodeId, NodeId),
}

/// The most variables that one step assigns.
pub const MAX_TOGETHER: usize = 32;

/// When a step is enabled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    /// Always.
    Always,
    /// Where the test holds.
    Holds(Term),
    /// Where it does not.
    Fails(Term),
    /// Where none of the steps before it can be taken, from this one of its node on.
    Otherwise(u32),
    /// Where no process has another step.
    Timeout,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// When it is enabled.
    pub guard: Guard,
    /// What it does.
    pub effect: Effect,
    /// The node that control moves to.
    pub target: NodeId,
    /// The step in a few words.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
    /// The place of the call, if it was unfolded from a procedure.
    pub call: Option<Span>,
}

/// A control location.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The statement there, in a few words.
    pub label: String,
    /// The labels for which `at` holds here, by number: in PARALLEL the user statements that are about to be
    /// executed, in flow the node that was executed last.
    pub statements: Vec<u32>,
    /// May the process wait here for ever? Then that is no deadlock.
    pub is_end: bool,
    /// The steps, always in the same order.
    pub edges: Vec<Edge>,
}

/// The flow graph of a process.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    /// The process's name.
    pub name: String,
    /// Its nodes: the end, the other control locations, and last the nodes inside of atomic steps.
    pub nodes: Vec<Node>,
    /// How many of the nodes are control locations.
    pub locations: usize,
    /// Where the process starts.
    pub start: NodeId,
    /// A process moves only where no process of a higher priority can.
    pub priority: i64,
}

impl FlowGraph {
    /// The graph of these nodes, of which the first must be the end; unreachable nodes are left out.
    pub fn new(name: String, mut nodes: Vec<Node>, start: NodeId) -> FlowGraph {
        let mut order = Renumbering { numbers: vec![None; nodes.len()], reached: Vec::new() };
        order.number(NodeId::END);
        let start = order.number(start);
        order.reach_all(&nodes, 0);
        let locations = order.reached.len();
        for location in 0..locations {
            for edge in &nodes[order.reached[location]].edges {
                if let Effect::Atomic(first, last) = edge.effect {
                    order.number(first);
                    order.number(last);
                }
            }
        }
        order.reach_all(&nodes, locations);
        let mut ordered: Vec<Node> =
            order.reached.iter().map(|node| std::mem::take(&mut nodes[*node])).collect();
        for edge in ordered.iter_mut().flat_map(|node| &mut node.edges) {
            edge.target = order.number(edge.target);
            if let Effect::Atomic(first, last) = &mut edge.effect {
                (*first, *last) = (order.number(*first), order.number(*last));
            }
        }
        FlowGraph { name, nodes: ordered, locations, start, priority: 0 }
    }
}

/// New numbers for nodes, in the order in which they are reached.
struct Renumbering {
    numbers: Vec<Option<NodeId>>,
    /// The old numbers, by new number.
    reached: Vec<usize>,
}

impl Renumbering {
    /// The new number of a node.
    fn number(&mut self, node: NodeId) -> NodeId {
        *self.numbers[node.0 as usize].get_or_insert_with(|| {
            self.reached.push(node.0 as usize);
            NodeId(self.reached.len() as u32 - 1)
        })
    }

    /// Numbers all nodes that are reachable from the nodes with new numbers of at least `from`.
    fn reach_all(&mut self, nodes: &[Node], mut from: usize) {
        while from < self.reached.len() {
            for edge in &nodes[self.reached[from]].edges {
                count_step();
                self.number(edge.target);
            }
            from += 1;
        }
    }
}

/// The flow graphs of all processes, with their shared and local variables.
#[derive(Clone, Debug, Default)]
pub struct FlowGraphs {
    /// Variables, shared and local.
    pub variables: Vec<Variable>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// One graph a process.
    pub graphs: Vec<FlowGraph>,
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
