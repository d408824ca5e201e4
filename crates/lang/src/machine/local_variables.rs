//! Which variables have values of their own at each node of a process.
//!
//! Those that the process alone assigns have them at all nodes. A variable that other processes assign, too,
//! keeps its value within one step: from the guard to the effect, and from statement to statement of an
//! `atomic`. If a process tests such a variable and assigns it a value computed from itself, as in
//! `atomic await x > 0; x := x - 1 end`, the variable has values of its own within the process's steps.
//!
//! Promise: the indices of a process's local variables count from 0, those that it alone assigns first.

use super::live_variables::{visit_assigned, visit_reads, visit_variables};
use crate::flow_graph::{Effect, FlowGraph, FlowGraphs, Lvalue, Term, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The most pairs of a node and a variable that have sets of their own.
const MAX_LOCAL: usize = 1 << 20;

/// The local variables of all processes.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalVariables {
    /// For each variable that one process alone assigns, that process and the variable's index there.
    sole_writers: Vec<Option<(u32, u32)>>,
    /// By process, the indices of the variables that it knows within its steps.
    within_steps: Vec<BTreeMap<VarId, u32>>,
    /// By process, its local variables in the order of their indices.
    variables: Vec<Vec<VarId>>,
}

impl LocalVariables {
    pub(super) fn new(program: &FlowGraphs) -> LocalVariables {
        let writers = sole_writers(program);
        let mut all = LocalVariables {
            sole_writers: vec![None; program.variables.len()],
            within_steps: vec![BTreeMap::new(); program.graphs.len()],
            variables: vec![Vec::new(); program.graphs.len()],
        };
        for (var, writer) in writers.iter().enumerate() {
            if let Writers::One(process) = *writer
                && let Some(index) = all.add(program, process, VarId(var as u32))
            {
                all.sole_writers[var] = Some((process, index));
            }
        }
        for (process, graph) in program.graphs.iter().enumerate() {
            let is_shared = |var: &VarId| {
                matches!(writers[var.0 as usize], Writers::Several)
                    && program.variables[var.0 as usize].length.is_none()
            };
            for var in tested_and_updated(graph).into_iter().filter(is_shared) {
                if let Some(index) = all.add(program, process as u32, var) {
                    all.within_steps[process].insert(var, index);
                }
            }
        }
        all
    }

    /// One more local variable of a process, if there is room.
    fn add(&mut self, program: &FlowGraphs, process: u32, var: VarId) -> Option<u32> {
        let variables = &mut self.variables[process as usize];
        let index = variables.len();
        let has_room = (index + 1) * program.graphs[process as usize].nodes.len() <= MAX_LOCAL;
        has_room.then(|| {
            variables.push(var);
            index as u32
        })
    }

    /// The index of a variable among those of a process.
    pub(super) fn index(&self, process: u32, var: VarId) -> Option<usize> {
        match self.sole_writers[var.0 as usize] {
            Some((writer, index)) => (writer == process).then_some(index as usize),
            None => self.within_steps[process as usize].get(&var).map(|index| *index as usize),
        }
    }

    /// The local variables of a process in the order of their indices.
    pub(super) fn of(&self, process: usize) -> &[VarId] {
        &self.variables[process]
    }

    /// The variables that the process knows within its steps alone, with their indices.
    pub(super) fn within_steps(&self, process: usize) -> impl Iterator<Item = (VarId, usize)> {
        self.within_steps[process].iter().map(|(var, index)| (*var, *index as usize))
    }
}

/// The processes that assign a variable; elements of an array are not told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writers {
    None,
    One(u32),
    Several,
}

fn sole_writers(program: &FlowGraphs) -> Vec<Writers> {
    let initial = |variable: &crate::flow_graph::Variable| match variable.length {
        Some(_) => Writers::Several,
        None => Writers::None,
    };
    let mut writers: Vec<Writers> = program.variables.iter().map(initial).collect();
    for (process, graph) in program.graphs.iter().enumerate() {
        let process = process as u32;
        for edge in graph.nodes.iter().flat_map(|node| &node.edges) {
            visit_assigned(&edge.effect, &mut |var| {
                let writers = &mut writers[var.0 as usize];
                *writers = match *writers {
                    Writers::None => Writers::One(process),
                    Writers::One(other) if other == process => Writers::One(process),
                    _ => Writers::Several,
                };
            });
        }
    }
    writers
}

/// The variables that a guard reads and that are assigned a value computed from themselves.
fn tested_and_updated(graph: &FlowGraph) -> BTreeSet<VarId> {
    let (mut tested, mut updated) = (BTreeSet::new(), BTreeSet::new());
    let mut assign = |target: &Lvalue, value: &Term| {
        visit_variables(value, &mut |var| {
            if *target == Lvalue::Var(var) {
                updated.insert(var);
            }
        });
    };
    for edge in graph.nodes.iter().flat_map(|node| &node.edges) {
        visit_reads(&edge.guard, &Effect::Nothing, &mut |var| {
            tested.insert(var);
        });
        match &edge.effect {
            Effect::Assign(target, value) => assign(target, value),
            Effect::AssignAll(parts) => parts.iter().for_each(|(target, value)| assign(target, value)),
            _ => {}
        }
    }
    tested.intersection(&updated).copied().collect()
}
