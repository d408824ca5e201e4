//! What a process is about to do at each of its places, as far as others can notice.
//!
//! All steps from a place have one footprint: what any of them reads or writes, and what decides which of them can be
//! taken. So whoever does nothing that clashes with it changes neither which of them can be taken nor where they lead, and
//! whoever does may change all of them. The sets are those of [`super::access`]; a channel counts as read by who waits
//! for its other end, so that all uses of a channel clash. Where states know who moved last, every step clashes with
//! every other.
//!
//! A step that goes wrong ends the run, but changes nothing else: footprints do not tell.
//!
//! Promise: two steps of different processes whose footprints do not clash, and neither of which goes wrong, can be swapped, and
//! neither changes what the other's process can do (tested on generated programs and all models).

use super::access::Accesses;
use super::{EdgeCode, EffectCode, Machine};
use crate::flow::NodeId;
use selvedge_explore::event::Footprint;
use selvedge_model::Pending;

impl Machine {
    /// What processes do at each node, all processes' nodes in a row; nothing where there are no steps.
    pub(super) fn pendings(&self, accesses: &Accesses) -> Vec<Option<Pending>> {
        let mut all = vec![None; self.nodes.len()];
        for (control, graph) in self.processes.iter().zip(&self.program.graphs) {
            for place in 0..graph.places as u32 {
                let node = (control.base + place) as usize;
                let has_steps = !self.nodes[node].is_empty();
                all[node] = has_steps.then(|| self.pending_at(NodeId(place), node, accesses));
            }
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
        // A step that leads back to its place may change nothing, and then it is like waiting.
        let may_idle = codes().any(|code| code.target == place.0);
        let has_ways = |code: &EdgeCode| matches!(code.effect, EffectCode::Atomic(..)) && !code.is_sequence;
        Pending {
            footprint,
            alternatives: edges.len() as u32,
            is_plural: edges.len() > 1 || codes().any(has_ways),
            is_guarded: may_idle || self.can_block(place, edges.clone()),
        }
    }
}
