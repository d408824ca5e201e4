//! Partial-order reduction: the steps of a state that stand for all.
//!
//! The processes of a closed set C move and the others do not. C is closed if, for each process P of C,
//! every process outside of C can never, on any path from where it is, touch a resource that a step of P
//! touches or waits for. Steps of processes outside of C then commute with C's steps and enable none of
//! them: C's steps are a persistent set (Godefroid, Partial-Order Methods for the Verification of Concurrent
//! Systems, 1996, chapter 4; in terms of Valmari's stubborn sets, a disabled step counts with a set of steps
//! that are necessary to enable it). C is ample if some process of C is enabled, some enabled process is
//! outside of C, and none of C's steps is visible, sticky ([`super::cycle_condition`]) or leads to an error.
//! The ample set with the fewest steps is taken ([`ample`]); if there is none, all steps are.
//!
//! A step of two processes, a rendezvous, is a step of both. Its sender and every process that can use its
//! channel write the controls of all of them, so a closed set with one of them has all.
//!
//! For fair runs a step is in no ample set, either, that writes a resource which decides whether another
//! process can move where that process may be blocked.
//!
//! The last mover, in exact mode, is not considered: without a property that observes it, no step and no
//! label depends on it, so states that differ in it alone have the same futures, and two orders of
//! independent steps lead to states that differ in it at most. Deadlocks are then the same up to the last
//! mover. If a property does observe it, every step is visible, and nothing is reduced.
//!
//! Promise: that of [`selvedge_model::reduce`]; nothing is allocated during the search.

mod ample;

use super::access::{AccessTable, Mask, StepAccess};
use super::cycle_condition::{GraphStep, choose_sticky};
use super::{EdgeCode, EdgeId, EffectCode, Machine, Observed};
use crate::flow_graph::NodeId;
use crate::work::count_step;
use selvedge_model::{Preserve, Steps, System, Word};

/// What is known of each node and step before any search.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    /// By node, all processes' nodes in a row.
    nodes: Vec<NodeSummary>,
    /// By edge.
    steps: Vec<StepSummary>,
}

/// A node of a process.
#[derive(Clone, Copy, Debug, Default)]
struct NodeSummary {
    /// The resources that the process can read on any path from here.
    future_reads: Mask,
    /// The resources that it can write on any path from here.
    future_writes: Mask,
    /// Do all steps from here touch no shared resource, and may they be ample? By [`Preserve`].
    is_local: [bool; Preserve::COUNT],
    /// May some step from here be ample?
    has_ample_step: bool,
    can_fault: bool,
}

/// A step of a process.
#[derive(Clone, Copy, Debug, Default)]
struct StepSummary {
    access: StepAccess<Mask>,
    /// Is it visible or sticky? Then it is in no ample set, and taken only where all steps are.
    is_never_ample: bool,
    /// Can it change whether another process is enabled? Then it is in no ample set for
    /// [`Preserve::FairRuns`].
    can_block_or_wake: bool,
    /// It leads back to its state, like an iteration of a busy wait: [`Preserve::States`] does without it.
    is_idle: bool,
}

impl Reduction {
    /// The tables for a machine; `None` if nothing can be reduced.
    pub(super) fn new(machine: &Machine, accesses: &AccessTable, observed: &[Observed]) -> Option<Reduction> {
        // Every step may change who moved last, and what can be done next.
        let is_about_steps = |observed: &Observed| match observed {
            Observed::Exec(_) | Observed::Enabled(_) | Observed::Deadlock | Observed::Ended => true,
            Observed::At(..) | Observed::Test(_) => false,
        };
        let is_fixed = machine.processes.len() < 2 || machine.waits.has_priorities();
        if is_fixed || observed.iter().any(is_about_steps) {
            return None;
        }
        let summary = |access: &StepAccess<Mask>| StepSummary { access: *access, ..StepSummary::default() };
        let mut reduction = Reduction {
            nodes: vec![NodeSummary::default(); machine.nodes.len()],
            steps: accesses.shared.iter().map(summary).collect(),
        };
        reduction.mark_deciding(machine, accesses);
        for process in 0..machine.processes.len() {
            reduction.mark_never_ample(machine, process, observed, &accesses.writes_observed);
            reduction.compute_futures(machine, process);
        }
        Some(reduction)
    }

    /// Marks the steps that can change whether another process is enabled.
    fn mark_deciding(&mut self, machine: &Machine, accesses: &AccessTable) {
        let decisive = |process: usize| {
            let nodes = 0..machine.program.graphs[process].locations as u32;
            let edges = |node: u32| machine.edges_of(process, node);
            let blocking = nodes.filter(|node| {
                let edges = edges(*node);
                machine.can_block(NodeId(*node), edges.start as u32..edges.end as u32)
            });
            blocking.flat_map(edges).fold(0, |all, edge| all | accesses.deciders[edge])
        };
        let decisive: Vec<Mask> = (0..machine.processes.len()).map(decisive).collect();
        for (step, code) in self.steps.iter_mut().zip(&machine.edges) {
            let others = decisive.iter().enumerate().filter(|(process, _)| *process != code.process as usize);
            let by_others = others.fold(0, |all, (_, mask)| all | mask);
            // A step to or from a rendezvous decides whether the other processes of the channel can meet.
            let writes = step.access.writes | accesses.control[code.process as usize];
            // Any step can be the last one before a `timeout`.
            step.can_block_or_wake = machine.waits.decide_together() || writes & by_others != 0;
        }
    }

    /// Marks the steps of the process that are visible or sticky, and the idle steps.
    fn mark_never_ample(
        &mut self,
        machine: &Machine,
        process: usize,
        observed: &[Observed],
        writes_observed: &[bool],
    ) {
        let graph = &machine.program.graphs[process];
        let has_label = |node: u32, statement| graph.nodes[node as usize].statements.contains(statement);
        let have_different_labels = |one: u32, other: u32| {
            observed.iter().any(|observed| match observed {
                Observed::At(at, statement) if *at as usize == process => {
                    has_label(one, statement) != has_label(other, statement)
                }
                _ => false,
            })
        };
        let (mut graph_steps, mut edges) = (Vec::new(), Vec::new());
        for source in 0..graph.locations as u32 {
            for edge in machine.edges_of(process, source) {
                let EdgeCode { target, ref effect, .. } = machine.edges[edge];
                // No variable dies on a step from a node to itself, so that no variable is reset either.
                let has_no_effect = matches!(effect, EffectCode::Nothing);
                self.steps[edge].is_idle = source == target && has_no_effect;
                let is_visible = writes_observed[edge] || have_different_labels(source, target);
                let access = self.steps[edge].access;
                let rank = (!is_visible).then_some((access.reads | access.writes).count_ones());
                graph_steps.push(GraphStep { source, target, rank });
                edges.push(edge);
            }
        }
        for (edge, is_sticky) in edges.into_iter().zip(choose_sticky(graph.locations, &graph_steps)) {
            self.steps[edge].is_never_ample = is_sticky;
        }
    }

    /// Computes what the process can touch on any path from each of its nodes: the least fixed point,
    /// backwards.
    fn compute_futures(&mut self, machine: &Machine, process: usize) {
        let base = machine.processes[process].base as usize;
        let locations = machine.program.graphs[process].locations;
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); locations];
        for node in 0..locations {
            let edges = machine.edges_of(process, node as u32);
            let summary = &mut self.nodes[base + node];
            summary.is_local = [!edges.is_empty(); Preserve::COUNT];
            for edge in edges {
                let StepSummary { access, is_never_ample, can_block_or_wake, is_idle } = self.steps[edge];
                summary.future_reads |= access.reads;
                summary.future_writes |= access.writes;
                let is_private = access.reads | access.writes | access.enablers == 0;
                summary.is_local[Preserve::Runs as usize] &= is_private && !is_never_ample;
                let is_fair = !is_never_ample && !can_block_or_wake;
                summary.is_local[Preserve::FairRuns as usize] &= is_private && is_fair;
                summary.is_local[Preserve::States as usize] &= is_private && (!is_never_ample || is_idle);
                summary.has_ample_step |= !is_never_ample;
                // A meeting can fail in the receiver, too.
                let is_offer = matches!(machine.edges[edge].effect, EffectCode::Offer(..));
                summary.can_fault |= is_offer || machine.edges[edge].first_error != 0;
                sources[machine.edges[edge].target as usize].push(node as u32);
            }
        }
        let mut todo: Vec<usize> = (0..locations).collect();
        while let Some(node) = todo.pop() {
            count_step();
            let NodeSummary { future_reads: reads, future_writes: writes, .. } = self.nodes[base + node];
            for source in &sources[node] {
                let summary = &mut self.nodes[base + *source as usize];
                if reads & !summary.future_reads | writes & !summary.future_writes != 0 {
                    summary.future_reads |= reads;
                    summary.future_writes |= writes;
                    todo.push(*source as usize);
                }
            }
        }
    }
}

impl Machine {
    /// The edges of a process's node, by number.
    fn edges_of(&self, process: usize, node: u32) -> std::ops::Range<usize> {
        let range = &self.nodes[(self.processes[process].base + node) as usize];
        range.start as usize..range.end as usize
    }

    /// Adds the steps of an ample set of processes, or all.
    pub(super) fn add_reduced(
        &self,
        reduction: &Reduction,
        preserve: Preserve,
        state: &[Word],
        out: &mut Steps<EdgeId>,
    ) {
        let start = out.len();
        ample::AmpleChoice { machine: self, reduction, preserve, state }.add_steps(out);
        if out.len() == start {
            // No step changes the state; steps that lead back to it may be left.
            self.successors(state, out);
        }
    }

    /// The node that a process is at, by its number among all processes' nodes.
    pub(super) fn node_of(&self, process: usize, state: &[Word]) -> usize {
        let control = &self.processes[process];
        (control.base + control.field.get(state) as u32) as usize
    }

    /// Does one of the steps from this number on lead to an error?
    fn has_error(&self, steps: &Steps<EdgeId>, from: usize) -> bool {
        (from..steps.len()).any(|index| self.error.get(steps.get(index).1) != 0)
    }
}
