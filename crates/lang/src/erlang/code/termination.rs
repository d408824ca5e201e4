//! Which functions call themselves, and which of those always return.
//!
//! A function returns from every call if it is alone in its component of the call graph and each call to
//! itself passes, at one position, a part of the argument at that position: an infinite chain of such
//! calls would need an infinite term. A call of a fun is a call of every fun of the program with that
//! arity.

use super::{Clause, Code, FunctionId, Node, NodeId, Operation, Pattern, Slot};
use std::collections::BTreeSet;

/// Fills in `is_recursive` and `terminates`; `declared` functions terminate because the file says so.
pub(crate) fn analyse(code: &mut Code, declared: &[FunctionId]) {
    let calls: Vec<Vec<FunctionId>> = (0..code.functions.len()).map(|id| callees(code, id)).collect();
    let reachable: Vec<BTreeSet<FunctionId>> = (0..calls.len()).map(|id| reach(&calls, id)).collect();
    for id in 0..code.functions.len() {
        let own = id as FunctionId;
        let is_recursive = reachable[id].contains(&own);
        let is_alone = || {
            let mut others = reachable[id].iter().filter(|other| **other != own);
            !others.any(|other| reachable[*other as usize].contains(&own))
        };
        let terminates = declared.contains(&own) || !is_recursive || (is_alone() && is_structural(code, own));
        code.functions[id].is_recursive = is_recursive;
        code.functions[id].terminates = terminates;
    }
}

fn reach(calls: &[Vec<FunctionId>], from: usize) -> BTreeSet<FunctionId> {
    let mut seen = BTreeSet::new();
    let mut pending = calls[from].clone();
    while let Some(next) = pending.pop() {
        if seen.insert(next) {
            pending.extend(&calls[next as usize]);
        }
    }
    seen
}

/// The functions that a function may call.
fn callees(code: &Code, id: usize) -> Vec<FunctionId> {
    let mut callees = Vec::new();
    visit(code, code.functions[id].body, &mut |node| {
        let Node::Apply(operation, arguments) = code.node(node) else { return };
        match operation {
            Operation::Call(callee) => callees.push(*callee),
            Operation::CallFun => {
                let arity = arguments.len() - 1;
                let funs = (0..code.functions.len()).filter(|fun| code.functions[*fun].arity == arity);
                callees.extend(funs.map(|fun| fun as FunctionId));
            }
            Operation::CallNamed | Operation::ApplyNamed | Operation::ApplyFun => {
                callees.extend(0..code.functions.len() as FunctionId);
            }
            _ => {}
        }
    });
    callees
}

/// Calls `found` with every node of a tree.
fn visit(code: &Code, id: NodeId, found: &mut dyn FnMut(NodeId)) {
    found(id);
    for part in parts(code, id) {
        visit(code, part, found);
    }
}

/// The nodes below a node, guards left out: they call no functions.
fn parts(code: &Code, id: NodeId) -> Vec<NodeId> {
    let bodies = |clauses: &[Clause]| clauses.iter().map(|clause| clause.body).collect::<Vec<_>>();
    match code.node(id) {
        Node::Value(_) | Node::Slot(_) | Node::Unsupported(_) => Vec::new(),
        Node::Apply(_, arguments) => arguments.to_vec(),
        Node::Sequence(a, b) | Node::AndAlso(a, b) | Node::OrElse(a, b) | Node::After(a, b) => vec![*a, *b],
        Node::Match(_, part) | Node::Catch(part) => vec![*part],
        Node::Case { subject, clauses, .. } => [vec![*subject], bodies(clauses)].concat(),
        Node::Clauses(clauses) => bodies(clauses),
        Node::Receive { clauses, timeout, after } => {
            [vec![*timeout], bodies(clauses), after.iter().copied().collect()].concat()
        }
        Node::Try { body, clauses, catches } => {
            let caught = catches.iter().map(|clause| clause.body).collect();
            [vec![*body], bodies(clauses), caught].concat()
        }
    }
}

/// Does each call of the function to itself pass a part of the same argument?
fn is_structural(code: &Code, id: FunctionId) -> bool {
    let arity = code.functions[id as usize].arity;
    (0..arity).any(|position| {
        let smaller = smaller_slots(code, id, position);
        let mut holds = true;
        visit(code, code.functions[id as usize].body, &mut |node| {
            if let Node::Apply(Operation::Call(callee), arguments) = code.node(node)
                && *callee == id
            {
                let is_smaller = |slot: &Slot| smaller.contains(slot);
                holds &= matches!(code.node(arguments[position]), Node::Slot(slot) if is_smaller(slot));
            }
        });
        holds
    })
}

/// The slots whose values are proper parts of the argument at a position.
fn smaller_slots(code: &Code, id: FunctionId, position: usize) -> BTreeSet<Slot> {
    let mut smaller = BTreeSet::new();
    let mut same: BTreeSet<Slot> = [position as Slot].into();
    let body = code.functions[id as usize].body;
    if let Node::Clauses(clauses) = code.node(body) {
        for clause in clauses {
            collect(&clause.patterns[position], false, &mut smaller, &mut same);
        }
    }
    visit(code, body, &mut |node| {
        if let Node::Case { subject, clauses, .. } = code.node(node)
            && let Node::Slot(slot) = code.node(*subject)
            && same.contains(slot)
        {
            let mut ignored = BTreeSet::new();
            for clause in clauses {
                collect(&clause.patterns[0], false, &mut smaller, &mut ignored);
            }
        }
    });
    smaller
}

/// The slots that a pattern binds: to the whole value, or to a proper part.
fn collect(pattern: &Pattern, is_inside: bool, parts: &mut BTreeSet<Slot>, whole: &mut BTreeSet<Slot>) {
    match pattern {
        Pattern::Bind(slot) => {
            if is_inside {
                parts.insert(*slot)
            } else {
                whole.insert(*slot)
            };
        }
        Pattern::Cons(head, tail) => {
            collect(head, true, parts, whole);
            collect(tail, true, parts, whole);
        }
        Pattern::Tuple(elements) => {
            elements.iter().for_each(|element| collect(element, true, parts, whole));
        }
        Pattern::Both(first, second) => {
            collect(first, is_inside, parts, whole);
            collect(second, is_inside, parts, whole);
        }
        Pattern::Any | Pattern::Bound(_) | Pattern::Value(_) | Pattern::Map(_) => {}
    }
}
