//! Live variables: which variables a process may still read.
//!
//! The data-flow analysis of Aho, Lam, Sethi and Ullman, Compilers, §9.2.5, for the variables that one
//! process alone touches and no property observes; at the end of its process every variable is live. A
//! variable that is assigned before it is read again is dead. States that differ in dead variables alone
//! have the same future, so a dead variable gets one fixed value and the states become one.
//!
//! Promise: a variable that is dead at a node is not read on any path from there before it is assigned.

use super::users::Users;
use crate::flow_graph::{Effect, FlowGraph, FlowGraphs, Guard, Lvalue, NodeId, Pattern, Term, VarId};
use crate::work::count_step;

/// The most pairs of a node and a variable that are analysed for one process.
const MAX_PAIRS: usize = 1 << 22;

/// The variables that one process alone touches, and where they are live.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveVariables {
    /// The variables, in order.
    pub(super) own: Vec<VarId>,
    /// For each node, one bit for each variable.
    live: Vec<Vec<u64>>,
}

impl LiveVariables {
    /// Is the process's variable with this index read from this node on?
    pub(super) fn is_live(&self, node: usize, index: usize) -> bool {
        self.live[node][index / 64] >> (index % 64) & 1 == 1
    }
}

/// For each process, where its own variables are live; `observed` are the variables that properties observe.
pub(super) fn live_variables(program: &FlowGraphs, observed: &[VarId]) -> Vec<LiveVariables> {
    let mut users = vec![Users::None; program.variables.len()];
    // Sends and receives change the number of messages.
    let counts = program.channels.iter().map(|channel| channel.count);
    for var in observed.iter().copied().chain(counts) {
        users[var.0 as usize] = Users::Several;
    }
    for (process, graph) in program.graphs.iter().enumerate() {
        let mut touch = |var: VarId| users[var.0 as usize].add(process as u32);
        for edge in graph.nodes.iter().flat_map(|node| &node.edges) {
            visit_reads(&edge.guard, &edge.effect, &mut touch);
            visit_whole(&edge.effect, &mut touch);
        }
    }
    let mut all: Vec<LiveVariables> = program.graphs.iter().map(|_| LiveVariables::default()).collect();
    for (var, users) in users.iter().enumerate() {
        if let Users::One(process) = users
            && program.variables[var].length.is_none()
        {
            all[*process as usize].own.push(VarId(var as u32));
        }
    }
    for (graph, liveness) in program.graphs.iter().zip(&mut all) {
        if liveness.own.len() * graph.nodes.len() > MAX_PAIRS {
            liveness.own.clear();
        }
        solve(graph, liveness);
    }
    all
}

/// Computes the least fixed point, backwards.
fn solve(graph: &FlowGraph, liveness: &mut LiveVariables) {
    let words = liveness.own.len().div_ceil(64);
    liveness.live = vec![vec![0; words]; graph.nodes.len()];
    if words == 0 {
        return;
    }
    // The values at the end of a process are part of what a run shows.
    liveness.live[NodeId::END.0 as usize].fill(u64::MAX);
    let mut changed = true;
    while changed {
        changed = false;
        for node in (0..graph.nodes.len()).rev() {
            for edge in &graph.nodes[node].edges {
                count_step();
                let mut live = liveness.live[edge.target.0 as usize].clone();
                if let Effect::Atomic(start, end) = edge.effect {
                    // A variable that is read after an atomic step is read after its last statement.
                    changed |= join(&mut liveness.live[end.0 as usize], &live);
                    live.clone_from(&liveness.live[start.0 as usize]);
                }
                visit_whole(&edge.effect, &mut |var| {
                    if let Ok(index) = liveness.own.binary_search(&var) {
                        live[index / 64] &= !(1 << (index % 64));
                    }
                });
                visit_reads(&edge.guard, &edge.effect, &mut |var| {
                    if let Ok(index) = liveness.own.binary_search(&var) {
                        live[index / 64] |= 1 << (index % 64);
                    }
                });
                changed |= join(&mut liveness.live[node], &live);
            }
        }
    }
}

fn join(into: &mut [u64], more: &[u64]) -> bool {
    let mut grown = false;
    for (into, more) in into.iter_mut().zip(more) {
        grown |= *more & !*into != 0;
        *into |= more;
    }
    grown
}

/// Calls `visit` with each variable that a step assigns and that is not an element of an array.
pub(super) fn visit_whole(effect: &Effect, visit: &mut impl FnMut(VarId)) {
    visit_lvalues(effect, &mut |lvalue| {
        if let Lvalue::Var(var) = lvalue {
            visit(*var);
        }
    });
}

/// Calls `visit` with each variable or array that an effect assigns.
pub(super) fn visit_assigned(effect: &Effect, visit: &mut impl FnMut(VarId)) {
    visit_lvalues(effect, &mut |lvalue| visit(lvalue.variable()));
}

/// Calls `visit` with each l-value that an effect assigns.
pub(super) fn visit_lvalues(effect: &Effect, visit: &mut impl FnMut(&Lvalue)) {
    match effect {
        Effect::Assign(lvalue, _) => visit(lvalue),
        Effect::AssignAll(parts) => parts.iter().for_each(|(lvalue, _)| visit(lvalue)),
        Effect::Receive(_, patterns) => patterns.iter().filter_map(Pattern::lvalue).for_each(visit),
        Effect::Nothing | Effect::Print(_) | Effect::Assert(_) | Effect::Send(..) | Effect::Atomic(..) => {}
    }
}

/// Calls `visit` with each variable that a step reads.
pub(super) fn visit_reads(guard: &Guard, effect: &Effect, visit: &mut impl FnMut(VarId)) {
    if let Guard::Holds(test) | Guard::Fails(test) = guard {
        visit_variables(test, visit);
    }
    match effect {
        Effect::Nothing | Effect::Atomic(..) => {}
        Effect::Assign(lvalue, value) => {
            visit_lvalue_reads(lvalue, visit);
            visit_variables(value, visit);
        }
        Effect::AssignAll(parts) => {
            for (lvalue, value) in parts {
                visit_lvalue_reads(lvalue, visit);
                visit_variables(value, visit);
            }
        }
        Effect::Assert(term) => visit_variables(term, visit),
        Effect::Send(place, values) => {
            let terms = place.index.iter().chain(values);
            terms.for_each(|term| visit_variables(term, visit));
        }
        Effect::Receive(place, patterns) => {
            place.index.iter().for_each(|index| visit_variables(index, visit));
            let lvalues = patterns.iter().filter_map(Pattern::lvalue);
            lvalues.for_each(|lvalue| visit_lvalue_reads(lvalue, visit));
        }
        Effect::Print(terms) => terms.iter().for_each(|term| visit_variables(term, visit)),
    }
}

fn visit_lvalue_reads(lvalue: &Lvalue, visit: &mut impl FnMut(VarId)) {
    if let Lvalue::Element(var, index) = lvalue {
        visit(*var);
        visit_variables(index, visit);
    }
}

/// Calls `visit` with each variable of a term.
pub(super) fn visit_variables(term: &Term, visit: &mut impl FnMut(VarId)) {
    match term {
        Term::Int(_) | Term::Null | Term::Name(..) | Term::Truth(_) => {}
        Term::Var(var) => visit(*var),
        Term::Element(var, index) => {
            visit(*var);
            visit_variables(index, visit);
        }
        Term::Negative(inner) | Term::Not(inner) => visit_variables(inner, visit),
        Term::Binary(_, left, right) => {
            visit_variables(left, visit);
            visit_variables(right, visit);
        }
    }
}
