//! Which variables are read later.
//!
//! A slot is live after a node if a node that is evaluated later in the same call reads it. The analysis
//! goes backwards over the tree of a function's body; there are no loops inside a function.

use super::{CatchClause, Clause, Code, FunctionId, Guard, Node, NodeId, Pattern, Slot};
use std::collections::BTreeSet;

type Live = BTreeSet<Slot>;

/// Computes `live_after` for all nodes of a function.
pub(crate) fn analyse(code: &mut Code, function: FunctionId) {
    code.live_after.resize(code.nodes.len(), Box::default());
    code.owners.resize(code.nodes.len(), function);
    let body = code.functions[function as usize].body;
    code.visiting = function;
    visit(code, body, &Live::new());
}

/// Notes what is live after the node; returns what is live before it.
fn visit(code: &mut Code, id: NodeId, after: &Live) -> Live {
    code.live_after[id as usize] = after.iter().copied().collect();
    code.owners[id as usize] = code.visiting;
    match code.nodes[id as usize].clone() {
        Node::Value(_) | Node::Unsupported(_) => after.clone(),
        Node::Slot(slot) => with(after, slot),
        Node::Apply(_, arguments) => {
            arguments.iter().rev().fold(after.clone(), |live, argument| visit(code, *argument, &live))
        }
        Node::Sequence(first, second) => {
            let between = visit(code, second, after);
            visit(code, first, &between)
        }
        Node::Match(pattern, value) => {
            let live = before_pattern(code, &pattern, after.clone());
            visit(code, value, &live)
        }
        Node::AndAlso(first, second) | Node::OrElse(first, second) => {
            let mut between = visit(code, second, after);
            between.extend(after);
            visit(code, first, &between)
        }
        Node::Case { subject, clauses, .. } => {
            let mut live = before_clauses(code, &clauses, after);
            live.extend(after);
            visit(code, subject, &live)
        }
        Node::Clauses(clauses) => before_clauses(code, &clauses, after),
        Node::Receive { clauses, timeout, after: timed_out } => {
            let mut live = before_clauses(code, &clauses, after);
            if let Some(timed_out) = timed_out {
                live.extend(visit(code, timed_out, after));
            }
            live.extend(after);
            visit(code, timeout, &live)
        }
        Node::Try { body, clauses, catches } => {
            let mut live = before_clauses(code, &clauses, after);
            for clause in &catches {
                live.extend(before_catch(code, clause, after));
            }
            live.extend(after);
            let mut before = visit(code, body, &live);
            before.extend(live);
            before
        }
        Node::After(body, last) => {
            let between = visit(code, last, after);
            let mut before = visit(code, body, &between);
            before.extend(between);
            before
        }
        Node::Catch(body) => {
            let mut before = visit(code, body, after);
            before.extend(after);
            before
        }
    }
}

fn with(live: &Live, slot: Slot) -> Live {
    let mut live = live.clone();
    live.insert(slot);
    live
}

fn before_clauses(code: &mut Code, clauses: &[Clause], after: &Live) -> Live {
    let mut all = Live::new();
    for clause in clauses {
        let body = visit(code, clause.body, after);
        let live = before_guard(code, &clause.guard, body);
        let patterns = clause.patterns.iter();
        all.extend(patterns.fold(live, |live, pattern| before_pattern(code, pattern, live)));
    }
    all
}

fn before_catch(code: &mut Code, clause: &CatchClause, after: &Live) -> Live {
    let body = visit(code, clause.body, after);
    let mut live = before_guard(code, &clause.guard, body);
    if let Some(stack) = clause.stack {
        live.remove(&stack);
    }
    let live = before_pattern(code, &clause.reason, live);
    before_pattern(code, &clause.class, live)
}

/// A guard is evaluated at once; nothing in it waits. Its nodes read slots and change none.
fn before_guard(code: &mut Code, guard: &Guard, mut live: Live) -> Live {
    for test in guard.iter().flatten() {
        let before = visit(code, *test, &live.clone());
        live.extend(before);
    }
    live
}

fn before_pattern(code: &mut Code, pattern: &Pattern, mut live: Live) -> Live {
    match pattern {
        Pattern::Any | Pattern::Value(_) => {}
        Pattern::Bind(slot) => {
            live.remove(slot);
        }
        Pattern::Bound(slot) => {
            live.insert(*slot);
        }
        Pattern::Cons(head, tail) => {
            live = before_pattern(code, tail, live);
            live = before_pattern(code, head, live);
        }
        Pattern::Both(first, second) => {
            live = before_pattern(code, second, live);
            live = before_pattern(code, first, live);
        }
        Pattern::Tuple(parts) => {
            live = parts.iter().rev().fold(live, |live, part| before_pattern(code, part, live));
        }
        Pattern::Map(fields) => {
            for (key, value) in fields.iter().rev() {
                live = before_pattern(code, value, live);
                live = visit(code, *key, &live.clone());
            }
        }
    }
    live
}
