//! What a process is about to do at each of its places, as far as others can notice.
//!
//! All steps from a place have one footprint: what any of them reads or writes, and what decides which of them can be
//! taken. So whoever does nothing that clashes with it changes neither which of them can be taken nor where they lead, and
//! whoever does may change all of them. The sets are those of [`super::access`]; a channel counts as read by who waits
//! for its other end, so that all uses of a channel clash. Where states know who moved last, every step clashes with
//! every other.
//!
//! What a process may have to wait for counts as one: all that decides whether it can go on changes in one order. Were it two
//! variables, written by two processes, each of them could stop it and no order of theirs would show that it could have gone
//! before both.
//!
//! A step that goes wrong ends the run, but changes nothing else: footprints do not tell.
//!
//! Promise: two steps of different processes whose footprints do not clash, and neither of which goes wrong, can be swapped, and
//! neither changes what the other's process can do (tested on generated programs and all models).

use super::access::{Accesses, Mask};
use super::{EdgeCode, EffectCode, Machine};
use crate::flow::NodeId;
use selvedge_explore::event::Footprint;
use selvedge_model::Pending;

impl Machine {
    /// What processes do at each node, all processes' nodes in a row; nothing where there are no steps.
    pub(super) fn pendings(&self, accesses: &Accesses) -> Vec<Option<Pending>> {
        let mut all = vec![None; self.nodes.len()];
        let mut classes = Classes([0; Mask::BITS as usize]);
        for (control, graph) in self.processes.iter().zip(&self.program.graphs) {
            for place in 0..graph.places as u32 {
                let node = (control.base + place) as usize;
                if !self.nodes[node].is_empty() {
                    let pending = self.pending_at(NodeId(place), node, accesses);
                    classes.join(self.deciders_at(node, &pending, accesses));
                    all[node] = Some(pending);
                }
            }
        }
        for pending in all.iter_mut().flatten() {
            let Footprint { reads, writes } = &mut pending.footprint;
            (*reads, *writes) = (classes.with(*reads), classes.with(*writes));
        }
        all
    }

    fn pending_at(&self, place: NodeId, node: usize, accesses: &Accesses) -> Pending {
        let edges = self.nodes[node].clone();
        let codes = || edges.clone().map(|edge| &self.edges[edge as usize]);
        let mut footprint = Footprint::default();
        for edge in edges.clone() {
            let access = &accesses.shared[edge as usize];
            footprint.reads |= access.reads | access.wakers;
            footprint.writes |= access.writes;
        }
        if self.last.is_some() {
            footprint = Footprint { reads: !0, writes: !0 };
        }
        let has_ways = |code: &EdgeCode| matches!(code.effect, EffectCode::Atomic(..)) && !code.is_sequence;
        Pending {
            footprint,
            alternatives: edges.len() as u32,
            is_plural: edges.len() > 1 || codes().any(has_ways),
            is_guarded: self.may_idle(node) || self.can_block(place, edges.clone()),
        }
    }

    /// What decides whether a process that may have to wait can go on; nothing if it never waits.
    fn deciders_at(&self, node: usize, pending: &Pending, accesses: &Accesses) -> Mask {
        let edges = self.nodes[node].clone();
        match pending.is_guarded {
            false => 0,
            true if self.may_idle(node) => pending.footprint.reads | pending.footprint.writes,
            true => edges.fold(0, |all, edge| all | accesses.deciders[edge as usize]),
        }
    }

    /// A step that leads back to its place may change nothing, and then it is like waiting.
    fn may_idle(&self, node: usize) -> bool {
        let mut codes = self.nodes[node].clone().map(|edge| &self.edges[edge as usize]);
        codes.any(|code| self.processes[code.process as usize].base + code.target == node as u32)
    }
}

/// Resources that count as one, by the bit of each.
struct Classes([Mask; Mask::BITS as usize]);

impl Classes {
    /// These are one, with all that each of them was one with.
    fn join(&mut self, bits: Mask) {
        let all = self.with(bits);
        for bit in (0..Mask::BITS).filter(|bit| all >> bit & 1 == 1) {
            self.0[bit as usize] = all;
        }
    }

    /// The bits with all that is one with them.
    fn with(&self, bits: Mask) -> Mask {
        let classes = (0..Mask::BITS).filter(|bit| bits >> bit & 1 == 1);
        classes.fold(bits, |all, bit| all | self.0[bit as usize])
    }
}
