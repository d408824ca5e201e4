//! Which values each variable can take.
//!
//! An abstract interpretation (Cousot and Cousot 1977) with sets of values. A variable that one process alone assigns is
//! followed along that process's graph, so that `while i < 5 do i := i + 1 od` leaves six values; of other variables it is
//! only known what is assigned to them somewhere. Sets that grow beyond [`MAX_VALUES`], and all that still grow when
//! [`MAX_WORK`] is spent, become everything.
//!
//! Promise: no run of the program gives a variable a value outside of its set.

use super::domain::{Domain, Known, MAX_VALUES, View};
use crate::flow::{Cell, Edge, Effect, FlowGraph, FlowProgram, Guard, NodeId, Place, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many values may be looked at, beyond a few for each step of the program, before sets that still grow are given up.
pub const MAX_WORK: usize = 1 << 18;

/// The most pairs of a node and a variable for which values are kept.
const MAX_KNOWN: usize = 1 << 20;

/// The values of every variable and of every channel's messages.
#[derive(Clone, Debug)]
pub(crate) struct Domains {
    program: Arc<FlowProgram>,
    pub(super) variables: Vec<Domain>,
    pub(super) channels: Vec<Domain>,
    owners: Vec<Option<(u32, u32)>>,
    /// What is known at each node of each process; `None` where it never comes.
    known: Vec<Vec<Option<Known>>>,
    work: usize,
    allowed: usize,
}

/// The sets that are closed under the program's steps.
pub(crate) fn infer(program: &Arc<FlowProgram>) -> Domains {
    let initial = program.variables.iter().map(|variable| Some(Arc::new(BTreeSet::from([variable.initial]))));
    let edges: usize =
        program.graphs.iter().flat_map(|graph| &graph.nodes).map(|node| node.edges.len()).sum();
    let mut domains = Domains {
        program: program.clone(),
        variables: initial.collect(),
        channels: vec![Some(Arc::default()); program.channels.len()],
        owners: owners(program),
        known: program.graphs.iter().map(|graph| vec![None; graph.nodes.len()]).collect(),
        work: 0,
        allowed: MAX_WORK + 16 * edges,
    };
    domains.enter();
    let mut grown = true;
    while grown {
        grown = false;
        for (process, graph) in program.graphs.iter().enumerate() {
            grown |= domains.follow(process, graph);
        }
    }
    domains
}

/// For each variable, the process that alone assigns it and its number there.
fn owners(program: &FlowProgram) -> Vec<Option<(u32, u32)>> {
    let mut writers: Vec<Option<u32>> = vec![None; program.variables.len()];
    let mut shared: Vec<bool> = program.variables.iter().map(|variable| variable.length.is_some()).collect();
    for (process, graph) in program.graphs.iter().enumerate() {
        for edge in graph.nodes.iter().flat_map(|node| &node.edges) {
            if let Effect::Assign(place, _) | Effect::Receive(_, place) = &edge.effect {
                let var = assigned(place).0 as usize;
                let before = writers[var].replace(process as u32);
                shared[var] |= before.is_some_and(|before| before != process as u32);
            }
        }
    }
    let mut counts = vec![0_u32; program.graphs.len()];
    let mut owners = vec![None; program.variables.len()];
    for var in 0..program.variables.len() {
        let Some(process) = writers[var].filter(|_| !shared[var]) else { continue };
        let count = &mut counts[process as usize];
        if (*count as usize + 1) * program.graphs[process as usize].nodes.len() <= MAX_KNOWN {
            owners[var] = Some((process, *count));
            *count += 1;
        }
    }
    owners
}

fn assigned(place: &Place) -> VarId {
    let (Place::Var(var) | Place::Element(var, _)) = place;
    *var
}

impl Domains {
    /// The values at a node of a process; `None` if it never comes there.
    pub(super) fn view(&self, process: usize, node: usize) -> Option<View<'_>> {
        let known = self.known[process][node].as_deref()?;
        Some(self.view_of(process, known))
    }

    fn view_of<'a>(&'a self, process: usize, known: &'a [Domain]) -> View<'a> {
        let here = (process as u32, known);
        View { program: &self.program, everywhere: &self.variables, owners: &self.owners, here }
    }

    /// Each process begins with the initial values.
    fn enter(&mut self) {
        let mut first: Vec<Known> = vec![Vec::new(); self.program.graphs.len()];
        for (var, owner) in self.owners.iter().enumerate() {
            if let Some((process, _)) = owner {
                first[*process as usize].push(self.variables[var].clone());
            }
        }
        for (process, known) in first.into_iter().enumerate() {
            let start = self.program.graphs[process].start;
            self.known[process][start.0 as usize] = Some(known);
        }
    }

    /// Follows one process until nothing more is met; true if a variable or channel grew.
    fn follow(&mut self, process: usize, graph: &FlowGraph) -> bool {
        let mut grown = false;
        let mut todo: Vec<usize> =
            (0..graph.nodes.len()).filter(|node| self.known[process][*node].is_some()).collect();
        let is_atomic = |edge: &Edge| matches!(edge.effect, Effect::Atomic(..));
        let has_atomic = |node: &usize| graph.nodes[*node].edges.iter().any(is_atomic);
        let atomics: Vec<usize> = (0..graph.nodes.len()).filter(has_atomic).collect();
        while let Some(node) = todo.pop() {
            for edge in &graph.nodes[node].edges {
                self.work += 1;
                let Some(known) = self.passed(process, node, edge) else { continue };
                let mut after = Some(known);
                match &edge.effect {
                    Effect::Assign(place, value) => {
                        let known = after.as_deref().unwrap_or_default();
                        let values = self.view_of(process, known).cells(value);
                        grown |= self.store(assigned(place), values, &mut after);
                    }
                    Effect::Receive(channel, place) => {
                        let values = self.channels[channel.0 as usize].clone();
                        grown |= self.store(assigned(place), values, &mut after);
                    }
                    Effect::Send(channel, value) => {
                        let known = after.as_deref().unwrap_or_default();
                        let values = self.view_of(process, known).cells(value);
                        let (channel, mut work) = (channel.0 as usize, self.work);
                        grown |= grow(&mut self.channels[channel], &values, &mut work, self.allowed);
                        self.work = work;
                    }
                    Effect::Atomic(start, end) => {
                        if self.reach(process, *start, after.take()) {
                            todo.push(start.0 as usize);
                        }
                        after.clone_from(&self.known[process][end.0 as usize]);
                    }
                    Effect::Nothing | Effect::Assert(_) | Effect::Print(_) => {}
                }
                if self.reach(process, edge.target, after) {
                    todo.push(edge.target.0 as usize);
                    // What comes to the end of an atomic goes on behind it.
                    if graph.nodes[edge.target.0 as usize].edges.is_empty() {
                        todo.extend(&atomics);
                    }
                }
            }
        }
        grown
    }

    /// What is known behind the guard; `None` if it cannot be passed.
    fn passed(&self, process: usize, node: usize, edge: &Edge) -> Option<Known> {
        let view = self.view(process, node)?;
        match &edge.guard {
            Guard::Always => Some(view.here.1.to_vec()),
            Guard::Holds(test) => view.refine(test, true),
            Guard::Fails(test) => view.refine(test, false),
        }
    }

    /// Assigns values; true if the variable's set grew.
    fn store(&mut self, var: VarId, values: Domain, known: &mut Option<Known>) -> bool {
        let var = var.0 as usize;
        let grown = grow(&mut self.variables[var], &values, &mut self.work, self.allowed);
        if let (Some((_, index)), Some(known)) = (self.owners[var], known) {
            // What is everything everywhere is everything here.
            known[index as usize] = if self.variables[var].is_none() { None } else { values };
        }
        grown
    }

    /// Adds to what is known at a node; true if that is new.
    fn reach(&mut self, process: usize, node: NodeId, known: Option<Known>) -> bool {
        let Some(known) = known else { return false };
        let place = &mut self.known[process][node.0 as usize];
        let Some(before) = place else {
            *place = Some(known);
            return true;
        };
        let mut grown = false;
        for (before, known) in before.iter_mut().zip(&known) {
            grown |= grow(before, known, &mut self.work, self.allowed);
        }
        grown
    }
}

/// Adds values to a set; true if it grew.
fn grow(set: &mut Domain, more: &Domain, work: &mut usize, allowed: usize) -> bool {
    let Some(known) = set else { return false };
    let Some(more) = more else {
        *set = None;
        return true;
    };
    if Arc::ptr_eq(known, more) {
        return false;
    }
    *work += more.len();
    let new: Vec<Cell> = more.difference(known).copied().collect();
    if new.is_empty() {
        return false;
    }
    if *work > allowed || known.len() + new.len() > MAX_VALUES {
        *set = None;
    } else {
        Arc::make_mut(known).extend(new);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ltl::source::Source;

    /// The values of the first variable.
    #[track_caller]
    fn check(text: &str, expected: Option<&[i64]>) {
        let (program, diagnostics) = crate::parallel::parse(&Source::new("t.par", text));
        let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let found = infer(&program.flow).variables[0].clone();
        let expected =
            expected.map(|values| Arc::new(values.iter().map(|value| Cell::Int(*value)).collect()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_loop_with_a_bound_has_its_values() {
        let upwards = "memory i = 0; process 1: while i < 5 do i := i + 1 od";
        check(upwards, Some(&[0, 1, 2, 3, 4, 5]));
        let both =
            "memory i = 2; process 1: repeat if not (i >= 3 or i = 0) then i := i + 1 else i := 0 fi forever";
        check(both, Some(&[0, 2, 3]));
    }

    #[test]
    fn what_others_assign_may_come_at_any_time() {
        check("memory x = 0; process 1: if x = 0 then x := 5 fi process 2: x := x + 10 % 3", None);
        check("memory x = 0, y = 7; process 1: x := y process 2: y := 8", Some(&[0, 7, 8]));
        check("memory x = 0; channel c[1]; process 1: send c, 4 process 2: receive c, x", Some(&[0, 4]));
    }

    #[test]
    fn remainders_bound_what_grows() {
        check("memory x = 0; process 1: repeat x := (x + 1) % 4 forever", Some(&[0, 1, 2, 3]));
        check("memory x = 0; process 1: repeat x := x + 1 forever", None);
    }

    #[test]
    fn what_is_atomic_is_followed_too() {
        let text =
            "memory x = 0; process 1: x := 1; atomic await x = 1; x := x + 1; x := x * 2 end; x := x + 3";
        check(text, Some(&[0, 1, 2, 4, 7]));
    }
}
