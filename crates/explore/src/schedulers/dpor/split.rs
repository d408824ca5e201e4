//! Work that one worker gives to another, or takes up again.

use super::Dpor;
use super::node::Node;
use super::shared::{Orphan, Share, lock};
use crate::run::Next;

impl Dpor {
    /// Goes on with work that nobody has, if there is some.
    pub(super) fn adopt(&mut self) -> Next {
        let Some(nodes) = self.orphans.pop() else { return Next::Done };
        self.nodes = nodes;
        self.order.keep(0);
        Next::Another
    }

    /// Between two runs: a part of what is left, for another worker; nothing where there is none to be had now.
    ///
    /// Both go on, side by side, and may be split again. Together they make the runs that this one would have made alone, or
    /// others of the same traces.
    #[must_use]
    pub fn split(&mut self) -> Option<Dpor> {
        if self.is_probing() {
            return None;
        }
        if let Some(nodes) = self.orphans.pop() {
            return Some(Dpor { nodes, ..Dpor::default() });
        }
        // Nobody knows yet how the next branch of the last step turns out.
        let above = self.nodes.len().saturating_sub(1);
        let at = self.nodes[..above].iter().position(Node::has_more)?;
        let shared = &mut self.nodes[..=at];
        shared.iter_mut().for_each(Node::share);
        let (claim, sleep) = shared[at].shared.as_ref()?.give()?;
        let mut nodes: Vec<Node> = shared[..at].iter().map(|node| node.for_another(node.event)).collect();
        nodes.push(shared[at].for_another(claim.branch.event));
        nodes[at].claim(claim, sleep);
        Some(Dpor { nodes, ..Dpor::default() })
    }

    /// Work at a place that everybody has left, which a reversal from this step leads to.
    pub(super) fn orphan(&mut self, from: usize, orphan: Orphan) {
        let mut nodes: Vec<Node> =
            self.nodes[..from].iter().map(|node| node.for_another(node.event)).collect();
        let mut next = self.nodes[from].for_another(orphan.event);
        for (place, event) in orphan.way {
            nodes.push(next);
            let (fingerprint, count) = {
                let here = lock(&place);
                (here.fingerprint, here.count)
            };
            let shared = Some(Box::new(Share::join(place, event.id)));
            next = Node { fingerprint, count, shared, ..Node::new(event) };
        }
        next.claim(orphan.claim, orphan.sleep);
        nodes.push(next);
        self.orphans.push(nodes);
    }

    /// Between two runs: how much of all there is to do is left to be done by this worker, as far as one can tell; the parts of all
    /// workers add up to at most 1. See [`Dpor::fraction`].
    pub fn left(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, node) in self.nodes.iter().enumerate() {
            let is_last = at + 1 == self.nodes.len();
            let (branches, mine) = node.left(is_last);
            weight /= branches;
            left += weight * mine;
        }
        left
    }
}
