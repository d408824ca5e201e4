//! Which variables are still read.
//!
//! Live variables (Aho, Lam, Sethi, Ullman, Compilers, §9.2.5), for the variables that one process alone touches and no property
//! speaks of; at the end of its process everything is live. A variable that is assigned before it is read again is dead; states that differ in dead variables alone have the same
//! future, so dead variables are given one value and the states become one.
//!
//! Promise: a variable that is said to be dead at a node is not read on any way from there before it is assigned.

use crate::flow::{Effect, FlowGraph, FlowProgram, Guard, NodeId, Place, Term, VarId};

/// The most pairs of a node and a variable that are looked at for one process.
const MAX_PAIRS: usize = 1 << 22;

/// The variables that one process alone touches, and where they are live.
#[derive(Clone, Debug, Default)]
pub(super) struct Liveness {
    /// The variables, in order.
    pub(super) own: Vec<VarId>,
    /// For each node, one bit a variable.
    live: Vec<Vec<u64>>,
}

impl Liveness {
    /// Is the process's variable with this index read from this node on?
    pub(super) fn is_live(&self, node: usize, index: usize) -> bool {
        self.live[node][index / 64] >> (index % 64) & 1 == 1
    }
}

/// For each process, the liveness of its own variables; `observed` are those that properties speak of.
pub(super) fn liveness(program: &FlowProgram, observed: &[VarId]) -> Vec<Liveness> {
    const NOBODY: u32 = u32::MAX;
    const SEVERAL: u32 = u32::MAX - 1;
    let mut touched = vec![NOBODY; program.variables.len()];
    for var in observed {
        touched[var.0 as usize] = SEVERAL;
    }
    for (process, graph) in program.graphs.iter().enumerate() {
        let mut touch = |var: VarId| {
            let by = &mut touched[var.0 as usize];
            *by = if *by == NOBODY || *by == process as u32 { process as u32 } else { SEVERAL };
        };
        for edge in graph.nodes.iter().flat_map(|node| &node.edges) {
            reads(&edge.guard, &edge.effect, &mut touch);
            assigned(&edge.effect).into_iter().for_each(&mut touch);
        }
    }
    let mut all: Vec<Liveness> = program.graphs.iter().map(|_| Liveness::default()).collect();
    for (var, by) in touched.iter().enumerate() {
        if let Some(liveness) = all.get_mut(*by as usize)
            && program.variables[var].length.is_none()
        {
            liveness.own.push(VarId(var as u32));
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

/// Goes backwards until nothing changes.
fn solve(graph: &FlowGraph, liveness: &mut Liveness) {
    let words = liveness.own.len().div_ceil(64);
    liveness.live = vec![vec![0; words]; graph.nodes.len()];
    if words == 0 {
        return;
    }
    // What a process leaves behind when it ends is for people to see.
    liveness.live[NodeId::END.0 as usize].fill(u64::MAX);
    let mut changed = true;
    while changed {
        changed = false;
        for node in (0..graph.nodes.len()).rev() {
            for edge in &graph.nodes[node].edges {
                let mut live = liveness.live[edge.target.0 as usize].clone();
                if let Effect::Atomic(start, end) = edge.effect {
                    // What is read behind an atomic step is read behind its last statement.
                    changed |= join(&mut liveness.live[end.0 as usize], &live);
                    live.clone_from(&liveness.live[start.0 as usize]);
                }
                if let Some(index) =
                    assigned(&edge.effect).and_then(|var| liveness.own.binary_search(&var).ok())
                {
                    live[index / 64] &= !(1 << (index % 64));
                }
                reads(&edge.guard, &edge.effect, &mut |var| {
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

/// The variable that a step assigns, if it is not an element of an array.
fn assigned(effect: &Effect) -> Option<VarId> {
    match effect {
        Effect::Assign(Place::Var(var), _) | Effect::Receive(_, Place::Var(var)) => Some(*var),
        _ => None,
    }
}

/// Calls `visit` with the variable or the array that an effect assigns, if it does.
pub(super) fn touches(effect: &Effect, visit: &mut impl FnMut(VarId)) {
    if let Effect::Assign(place, _) | Effect::Receive(_, place) = effect {
        let (Place::Var(var) | Place::Element(var, _)) = place;
        visit(*var);
    }
}

/// Calls `visit` with each variable that a step reads.
pub(super) fn reads(guard: &Guard, effect: &Effect, visit: &mut impl FnMut(VarId)) {
    if let Guard::Holds(test) | Guard::Fails(test) = guard {
        variables(test, visit);
    }
    match effect {
        Effect::Nothing | Effect::Atomic(..) => {}
        Effect::Assign(place, value) => {
            place_reads(place, visit);
            variables(value, visit);
        }
        Effect::Assert(term) | Effect::Send(_, term) => variables(term, visit),
        Effect::Receive(_, place) => place_reads(place, visit),
        Effect::Print(terms) => terms.iter().for_each(|term| variables(term, visit)),
    }
}

fn place_reads(place: &Place, visit: &mut impl FnMut(VarId)) {
    if let Place::Element(var, index) = place {
        visit(*var);
        variables(index, visit);
    }
}

/// Calls `visit` with each variable of a term.
pub(super) fn variables(term: &Term, visit: &mut impl FnMut(VarId)) {
    match term {
        Term::Int(_) | Term::Null | Term::Truth(_) => {}
        Term::Var(var) => visit(*var),
        Term::Element(var, index) => {
            visit(*var);
            variables(index, visit);
        }
        Term::Negative(inner) | Term::Not(inner) => variables(inner, visit),
        Term::Binary(_, left, right) => {
            variables(left, visit);
            variables(right, visit);
        }
    }
}
