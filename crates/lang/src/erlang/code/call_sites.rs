//! The calls from which a function may have been entered, and what waits for their results.
//!
//! Where frames are forgotten (`--frames`), a return goes to every call of the function. What waits inside
//! the caller is determined by the place of the call in its body, but for values: [`CallSites::waiting`].
//!
//! Promise: for every call that an evaluation can make, the call is among the sites of its function.

use super::bif::Bif;
use super::{Clause, Code, FunctionId, Node, NodeId, Operation};
use crate::erlang::term::{Term, Terms, Value};
use rustc_hash::FxHashSet;

/// The calls of each function.
#[derive(Debug)]
pub(crate) struct CallSites {
    sites: Vec<Vec<NodeId>>,
    may_begin: Vec<bool>,
    /// For each node the nearest node that waits for its value, with the number of the part.
    parents: Vec<Option<(NodeId, usize)>>,
}

impl CallSites {
    /// The sites of all functions; the first process calls `main`.
    pub(crate) fn new(code: &Code, terms: &Terms, main: Value) -> CallSites {
        let mut parents = vec![None; code.nodes.len()];
        for function in &code.functions {
            note_parents(code, function.body, None, &mut parents);
        }
        let callable = Callable::new(code, terms, main);
        let functions = 0..code.functions.len();
        let mut sites: Vec<Vec<NodeId>> = vec![Vec::new(); code.functions.len()];
        for (id, node) in (0..).zip(&code.nodes) {
            let Node::Apply(operation, arguments) = node else { continue };
            let arity = |extra: usize| arguments.len().checked_sub(extra);
            for function in functions.clone() {
                let has = |arity: Option<usize>| arity == Some(code.functions[function].arity);
                let is_value = callable.as_value.contains(&(function as FunctionId));
                let is_called = match operation {
                    Operation::Call(callee) => *callee as usize == function,
                    Operation::CallFun => is_value && has(arity(1)),
                    Operation::CallNamed => is_value && has(arity(2)),
                    Operation::ApplyNamed | Operation::ApplyFun => is_value,
                    _ => false,
                };
                if is_called {
                    sites[function].push(id);
                }
            }
        }
        let may_begin = functions.map(|function| callable.as_value.contains(&(function as FunctionId)));
        CallSites { sites, may_begin: may_begin.collect(), parents }
    }

    /// The calls from which a function may return.
    pub(crate) fn of(&self, function: FunctionId) -> &[NodeId] {
        &self.sites[function as usize]
    }

    /// Can a process begin with the function? Its return is then the end of the process.
    pub(crate) fn may_begin(&self, function: FunctionId) -> bool {
        self.may_begin[function as usize]
    }

    /// The nodes that wait for the value of a node in the body of its function, from the outside in, each
    /// with the number of the part that is being evaluated.
    pub(crate) fn waiting(&self, node: NodeId) -> Vec<(NodeId, usize)> {
        let mut waiting: Vec<(NodeId, usize)> =
            std::iter::successors(self.parents[node as usize], |(parent, _)| self.parents[*parent as usize])
                .collect();
        waiting.reverse();
        waiting
    }
}

/// The functions that are values: funs, and functions that are called by their names at run time.
struct Callable {
    as_value: FxHashSet<FunctionId>,
}

impl Callable {
    fn new(code: &Code, terms: &Terms, main: Value) -> Callable {
        let mut callable = Callable { as_value: FxHashSet::default() };
        let mut is_open = false;
        callable.note_externals(code, terms, main);
        for node in &code.nodes {
            match node {
                Node::Value(value) if *value != Value::DEAD => callable.note_externals(code, terms, *value),
                Node::Apply(Operation::Closure(function), _) => {
                    callable.as_value.insert(*function);
                }
                Node::Apply(operation, _) => is_open |= names_functions(operation),
                _ => {}
            }
        }
        if is_open {
            callable.as_value.extend(code.by_name.values());
        }
        callable
    }

    /// Notes the functions that a value names: `fun f/1`.
    fn note_externals(&mut self, code: &Code, terms: &Terms, value: Value) {
        match terms.get(value) {
            Term::External { module, name, arity } => {
                self.as_value.extend(code.by_name.get(&(*module, *name, *arity)));
            }
            Term::Tuple(parts) => parts.iter().for_each(|part| self.note_externals(code, terms, *part)),
            Term::Cons(..) => {
                let (elements, end) = terms.elements(value);
                elements.into_iter().chain([end]).for_each(|part| self.note_externals(code, terms, part));
            }
            Term::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                self.note_externals(code, terms, *key);
                self.note_externals(code, terms, *value);
            }),
            _ => {}
        }
    }
}

/// Does the operation find a function by values that are its names?
fn names_functions(operation: &Operation) -> bool {
    match operation {
        Operation::CallNamed | Operation::ApplyNamed | Operation::MakeExternal(_) => true,
        Operation::Bif(bif) => matches!(
            bif,
            Bif::SpawnNamed | Bif::SpawnLinkNamed | Bif::SpawnMonitorNamed | Bif::SpawnOptionsNamed
        ),
        _ => false,
    }
}

/// Notes for a node and all below it what waits for them.
fn note_parents(
    code: &Code,
    id: NodeId,
    parent: Option<(NodeId, usize)>,
    parents: &mut Vec<Option<(NodeId, usize)>>,
) {
    parents[id as usize] = parent;
    let mut note = |part: NodeId, parent| note_parents(code, part, parent, parents);
    // A clause is evaluated in the place of its node.
    let bodies = |clauses: &[Clause]| clauses.iter().map(|clause| clause.body).collect::<Vec<_>>();
    let own = |number: usize| Some((id, number));
    match code.node(id) {
        Node::Value(_) | Node::Slot(_) | Node::Unsupported(_) => {}
        Node::Apply(_, arguments) => {
            (0..).zip(arguments).for_each(|(number, argument)| note(*argument, own(number)));
        }
        Node::Sequence(first, second) | Node::AndAlso(first, second) | Node::OrElse(first, second) => {
            note(*first, own(0));
            note(*second, parent);
        }
        Node::After(body, last) => {
            note(*body, own(0));
            note(*last, own(1));
        }
        Node::Match(_, part) | Node::Catch(part) => note(*part, own(0)),
        Node::Case { subject, clauses, .. } => {
            note(*subject, own(0));
            bodies(clauses).into_iter().for_each(|body| note(body, parent));
        }
        Node::Clauses(clauses) => bodies(clauses).into_iter().for_each(|body| note(body, parent)),
        Node::Receive { clauses, timeout, after } => {
            note(*timeout, own(0));
            bodies(clauses).into_iter().chain(*after).for_each(|body| note(body, parent));
        }
        Node::Try { body, clauses, catches } => {
            note(*body, own(0));
            let caught = catches.iter().map(|clause| clause.body);
            bodies(clauses).into_iter().chain(caught).for_each(|body| note(body, parent));
        }
    }
}
