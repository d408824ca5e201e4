//! Footprints: what a process is about to do at each of its nodes, as far as other processes can observe it.
//!
//! All steps from a node have one footprint: the resources that any of them reads or writes, and the
//! resources that decide which of them are enabled. So a step whose footprint does not clash changes neither
//! which of them are enabled nor where they lead, and a step whose footprint does clash may change all of
//! them. The sets are those of [`super::access`]; a process that waits for one end of a channel reads it, so
//! that all uses of a channel clash. Where states have the last mover, or where timeouts or priorities make
//! every step depend on all processes, every step clashes with every other.
//!
//! All resources that decide whether a process can move count as one resource, so that their writes are
//! ordered. With two variables, written by two processes, each write could disable the process, and no order
//! of the two writes would show that it could have moved before both.
//!
//! A process that meets others over a channel without room may be moved by them, so its steps write its
//! control; an offer touches all that its partners do.
//!
//! A step that leads to an error ends the run, but changes nothing else; footprints do not have the error.
//!
//! Promise: two steps of different processes whose footprints do not clash, and of which neither leads to an
//! error, can be swapped, and neither changes what the other's process can do (tested on generated programs
//! and all models).

use super::access::{AccessTable, Mask};
use super::{EdgeCode, EffectCode, Machine};
use crate::flow_graph::NodeId;
use selvedge_explore::event::Footprint;
use selvedge_model::{Communication, Pending};

impl Machine {
    /// What the process is about to do at each node, all processes' nodes in a row; `None` at a node without
    /// steps.
    pub(super) fn compute_pendings(&self, accesses: &AccessTable) -> Vec<Option<Pending>> {
        let mut all = vec![None; self.nodes.len()];
        let mut classes = Classes([0; Mask::BITS as usize]);
        for (process, (control, graph)) in self.processes.iter().zip(&self.program.graphs).enumerate() {
            for location in 0..graph.locations as u32 {
                let node = (control.base + location) as usize;
                if !self.nodes[node].is_empty() {
                    let pending = self.pending_at(process, NodeId(location), node, accesses);
                    classes.merge(self.deciders_at(node, &pending, accesses));
                    all[node] = Some(pending);
                }
            }
        }
        for pending in all.iter_mut().flatten() {
            let Footprint { reads, writes } = &mut pending.footprint;
            (*reads, *writes) = (classes.closure(*reads), classes.closure(*writes));
        }
        all
    }

    fn pending_at(&self, process: usize, location: NodeId, node: usize, accesses: &AccessTable) -> Pending {
        let edges = self.nodes[node].clone();
        let codes = || edges.clone().map(|edge| &self.edges[edge as usize]);
        let mut footprint = Footprint::default();
        for edge in edges.clone() {
            let access = &accesses.shared[edge as usize];
            footprint.reads |= access.reads | access.enablers;
            footprint.writes |= access.writes;
            if let EffectCode::Offer(..) = self.edges[edge as usize].effect {
                for partner in self.meetings.partners(edge) {
                    let access = &accesses.shared[*partner as usize];
                    footprint.reads |= access.reads;
                    footprint.writes |= access.writes;
                }
            }
        }
        // Other processes move this one when they meet.
        footprint.writes |= accesses.control[process];
        if self.last_mover.is_some() || self.waits.decide_together() {
            footprint = Footprint { reads: !0, writes: !0 };
        }
        let has_several_paths = |code: &EdgeCode| match code.effect {
            EffectCode::Atomic(..) => !code.is_sequence,
            EffectCode::Offer(..) => true,
            _ => false,
        };
        Pending {
            communication: Communication::None,
            footprint,
            alternatives: edges.len() as u32,
            is_plural: edges.len() > 1 || codes().any(has_several_paths),
            is_guarded: self.waits.decide_together()
                || self.may_idle(node)
                || self.can_block(location, edges.clone()),
        }
    }

    /// The resources that decide whether a process at this node can move; none if it never waits.
    fn deciders_at(&self, node: usize, pending: &Pending, accesses: &AccessTable) -> Mask {
        let edges = self.nodes[node].clone();
        match pending.is_guarded {
            _ if self.waits.decide_together() => Mask::MAX,
            false => 0,
            true if self.may_idle(node) => pending.footprint.reads | pending.footprint.writes,
            true => edges.fold(0, |all, edge| all | accesses.deciders[edge as usize]),
        }
    }

    /// Has the node a step that leads back to it? Such a step may change nothing, and then it is like
    /// waiting.
    fn may_idle(&self, node: usize) -> bool {
        let mut codes = self.nodes[node].clone().map(|edge| &self.edges[edge as usize]);
        codes.any(|code| self.processes[code.process as usize].base + code.target == node as u32)
    }
}

/// The classes of resources that count as one resource, by the bit of each.
struct Classes([Mask; Mask::BITS as usize]);

impl Classes {
    /// Makes the classes of these resources one class.
    fn merge(&mut self, bits: Mask) {
        let all = self.closure(bits);
        for bit in (0..Mask::BITS).filter(|bit| all >> bit & 1 == 1) {
            self.0[bit as usize] = all;
        }
    }

    /// The union of the classes of these resources.
    fn closure(&self, bits: Mask) -> Mask {
        let classes = (0..Mask::BITS).filter(|bit| bits >> bit & 1 == 1);
        classes.fold(bits, |all, bit| all | self.0[bit as usize])
    }
}
