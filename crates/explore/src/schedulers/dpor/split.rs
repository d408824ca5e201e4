//! Work sharing: one worker gives a branch to another, or continues an orphan.

use super::Dpor;
use super::node::Node;
use super::shared_node::{NodeShare, Orphan, lock};
use crate::run::Next;

impl Dpor {
    /// Continues an orphan, if there is one.
    pub(super) fn adopt_orphan(&mut self) -> Next {
        let Some(nodes) = self.orphans.pop() else { return Next::Done };
        self.nodes = nodes;
        self.happens_before.rewind(0);
        Next::Another
    }

    /// Between two runs: a part of the remaining work, for another worker; `None` if no branch is available
    /// now.
    ///
    /// Both parts can be split again. Together they explore the traces that this one would have explored
    /// alone, each once.
    #[must_use]
    pub fn split(&mut self) -> Option<Dpor> {
        if self.is_probing() || self.pruning.is_some() {
            return None;
        }
        if let Some(nodes) = self.orphans.pop() {
            return Some(Dpor { nodes, ..Dpor::default() });
        }
        // The effect of the next branch at the last step is not known yet, so the last step cannot be
        // shared.
        let above = self.nodes.len().saturating_sub(1);
        let at = self.nodes[..above].iter().position(Node::has_spare_branch)?;
        let shared = &mut self.nodes[..=at];
        shared.iter_mut().for_each(Node::make_shared);
        let (claim, sleep) = shared[at].share.as_ref()?.give()?;
        let mut nodes: Vec<Node> =
            shared[..at].iter().map(|node| node.for_other_worker(node.event)).collect();
        nodes.push(shared[at].for_other_worker(claim.branch.event));
        nodes[at].accept_claim(claim, sleep);
        Some(Dpor { nodes, ..Dpor::default() })
    }

    /// Adds the path of an orphan, to which a reversal from this step leads.
    pub(super) fn push_orphan(&mut self, from: usize, orphan: Orphan) {
        let mut nodes: Vec<Node> =
            self.nodes[..from].iter().map(|node| node.for_other_worker(node.event)).collect();
        let mut next = self.nodes[from].for_other_worker(orphan.event);
        for (shared, event) in orphan.path {
            nodes.push(next);
            let (fingerprint, enabled_count) = {
                let node = lock(&shared);
                (node.fingerprint, node.enabled_count)
            };
            let share = Some(Box::new(NodeShare::join(shared, event.id)));
            next = Node { fingerprint, enabled_count, share, ..Node::new(event) };
        }
        next.accept_claim(orphan.claim, orphan.sleep);
        nodes.push(next);
        self.orphans.push(nodes);
    }

    /// Between two runs: an estimate of the fraction of all work that is left to this worker, between 0 and
    /// 1. The fractions of all workers add up to at most 1.
    ///
    /// Each branch of a step counts the same (Knuth, Estimating the Efficiency of Backtrack Programs, 1975).
    /// Races that are not found yet do not count, so the fraction grows at times.
    pub fn remaining(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, node) in self.nodes.iter().enumerate() {
            let is_last = at + 1 == self.nodes.len();
            let (branches, mine) = node.count_branches(is_last);
            weight /= branches;
            left += weight * mine;
        }
        left
    }
}
