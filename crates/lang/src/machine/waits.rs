//! What is decided by all processes together: `timeout`, priorities, and which waits are no deadlocks.
//!
//! A `timeout` is a step only where no process has another step. Of the steps of a state, only those of the
//! processes with the highest priority are taken; a rendezvous has the higher priority of its two processes.
//!
//! For the partial-order reduction: where the chosen steps are enabled, no `timeout` is, and steps of other
//! processes leave them enabled; so no sequence of other steps has a `timeout`. A state whose only steps are
//! timeouts has all of them. With different priorities nothing is reduced.
//!
//! Promise: a program without these has none of their costs but a comparison.

use super::{EdgeId, GuardCode, Machine};
use crate::flow_graph::FlowGraphs;
use selvedge_model::{ProcessId, Steps, System, Word};

/// Where processes wait in a way of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    /// By node, may a process wait there for ever? Empty if it may nowhere.
    ends: Vec<bool>,
    has_timeouts: bool,
    /// By process; empty if all are the same.
    priorities: Vec<i64>,
}

impl Waits {
    pub(super) fn new(program: &FlowGraphs) -> Waits {
        let nodes = || program.graphs.iter().flat_map(|graph| &graph.nodes);
        let mut ends: Vec<bool> = nodes().map(|node| node.is_end).collect();
        if !ends.contains(&true) {
            ends.clear();
        }
        let mut edges = nodes().flat_map(|node| &node.edges);
        let has_timeouts = edges.any(|edge| edge.guard == crate::flow_graph::Guard::Timeout);
        let mut priorities: Vec<i64> = program.graphs.iter().map(|graph| graph.priority).collect();
        if priorities.iter().all(|priority| *priority == priorities[0]) {
            priorities.clear();
        }
        Waits { ends, has_timeouts, priorities }
    }

    /// May a process wait at this node for ever?
    pub(super) fn may_wait_for_ever(&self, node: usize) -> bool {
        self.ends.get(node) == Some(&true)
    }

    /// Does it depend on all processes whether one can move?
    pub(super) fn decide_together(&self) -> bool {
        self.has_timeouts || self.has_priorities()
    }

    pub(super) fn has_priorities(&self) -> bool {
        !self.priorities.is_empty()
    }
}

impl Machine {
    /// Have all processes come to their ends?
    pub(super) fn has_ended(&self, state: &[Word]) -> bool {
        (0..self.processes.len()).all(|process| self.nodes[self.node_of(process, state)].is_empty())
    }

    /// Adds the steps of timeouts, where there is no other step.
    pub(super) fn push_timeouts(&self, state: &[Word], out: &mut Steps<EdgeId>) {
        if !self.waits.has_timeouts {
            return;
        }
        for process in 0..self.processes.len() {
            for edge in self.nodes[self.node_of(process, state)].clone() {
                if let GuardCode::Timeout = self.edges[edge as usize].guard {
                    self.push_successors(edge, Ok(()), state, out);
                }
            }
        }
    }

    /// Removes the steps from this number on that have not the highest priority of all.
    pub(super) fn keep_highest_priority(&self, from: usize, out: &mut Steps<EdgeId>) {
        if !self.waits.has_priorities() {
            return;
        }
        let of =
            |process: Option<ProcessId>| process.map(|process| self.waits.priorities[process.0 as usize]);
        let priority = |step: EdgeId| of(self.process(step)).max(of(self.partner(step)));
        let highest = out.actions(from).iter().map(|step| priority(*step)).max();
        out.retain(from, |step| Some(priority(step)) == highest);
    }

    /// Has the process a step, with timeouts and priorities?
    pub(super) fn is_enabled_among_all(&self, state: &[Word], process: ProcessId) -> bool {
        let mut steps = Steps::new(self.words);
        self.successors(state, &mut steps);
        let moves = |step: &EdgeId| [self.process(*step), self.partner(*step)].contains(&Some(process));
        steps.actions(0).iter().any(moves)
    }
}
