//! The invariants of the reduction.

use super::Dpor;
use super::node::Node;
use super::shared_node::NodeShare;
use super::wakeup_tree::Branch;
use crate::counts;
use crate::dependency::dependent;
use crate::event::Event;
use crate::ids::EventId;

impl Dpor {
    /// Panics, saying which invariant is broken. Tests call this after every step.
    #[doc(hidden)]
    pub fn validate(&self) {
        self.happens_before.validate();
        if self.probes.current.is_some() || self.divergence.is_some() {
            return;
        }
        // Between two runs the last node waits for its next branch, so it is left out.
        let executed = &self.nodes[..self.depth.min(self.nodes.len().saturating_sub(1))];
        for (step, node) in executed.iter().enumerate() {
            self.validate_step(step, node);
            node.validate();
        }
        for (step, pair) in executed.windows(2).enumerate() {
            validate_sleep_sets(step, &pair[0], &pair[1]);
        }
    }

    fn validate_step(&self, step: usize, node: &Node) {
        let id = node.event.id;
        let event = self.happens_before.events.get(step);
        assert!(event.is_none_or(|event| event.id == id), "step {step} is another event");
        assert!(node.enabled_count > 0, "step {step} has no enabled event");
        let is_asleep = node.sleep.iter().any(|asleep| asleep.id == id);
        assert!(!is_asleep, "the event of step {step} is asleep");
    }
}

/// An event sleeps after a step only if it slept before and is independent of the step, or was explored
/// after it.
fn validate_sleep_sets(step: usize, node: &Node, next: &Node) {
    if node.share.is_some() || next.share.is_some() {
        return;
    }
    let inherited = next.sleep.len() - next.explored as usize;
    for asleep in &next.sleep[..inherited] {
        let before = node.sleep.iter().find(|event| event.id == asleep.id);
        let before = before.unwrap_or_else(|| panic!("step {step} puts an unexplored event to sleep"));
        let before = counts::after(before, &node.event);
        assert!(!dependent(&before, &node.event), "step {step} does not wake a dependent event");
    }
}

impl Node {
    fn validate(&self) {
        if let Some(share) = &self.share {
            return share.validate();
        }
        assert!(self.explored as usize <= self.sleep.len(), "an explored event is not asleep");
        let sleeping: Vec<EventId> = self.sleep.iter().map(|event| event.id).collect();
        assert!(are_distinct(&sleeping), "an event is asleep twice");
        validate_siblings(&self.wakeup_tree, &self.sleep, &self.event);
        self.wakeup_tree.iter().for_each(validate_leaves);
    }
}

/// The branches of a node lead to runs that are neither explored nor current.
fn validate_siblings(branches: &[Branch], sleep: &[Event], current: &Event) {
    let exact = branches.iter().filter(|branch| !branch.any_alternative);
    let ids: Vec<EventId> = exact.map(|branch| branch.event.id).collect();
    assert!(are_distinct(&ids), "two branches of a wake-up tree begin with the same event");
    assert!(!ids.contains(&current.id), "a branch of a wake-up tree begins with the current event");
    let is_asleep = |id: &EventId| sleep.iter().any(|event| event.id == *id);
    assert!(!ids.iter().any(is_asleep), "a branch of a wake-up tree begins with a sleeping event");
}

/// A branch that stands for any alternative is a leaf, unless an event may stay asleep there. No recursion:
/// a sequence can be as long as a run.
fn validate_leaves(branch: &Branch) {
    let mut pending = vec![branch];
    while let Some(branch) = pending.pop() {
        let can_have_children = !branch.any_alternative || branch.may_stay_asleep;
        assert!(
            can_have_children || branch.children.is_empty(),
            "a branch for any alternative has a subtree"
        );
        pending.extend(&branch.children);
    }
}

fn are_distinct(ids: &[EventId]) -> bool {
    ids.iter().enumerate().all(|(index, id)| !ids[..index].contains(id))
}

impl NodeShare {
    fn validate(&self) {
        let node = self.lock();
        assert!(node.holders > 0, "a shared node on a path has no holder");
        assert!(!node.has_pending_claim || !node.claimed.is_empty(), "a pending claim is not listed");
        assert!(node.has_pending_claim || !self.has_pending_claim, "a worker's pending claim is settled");
        let workers: usize = node.claimed.iter().map(|claim| claim.workers).sum();
        assert!(workers <= node.holders, "more workers are below a shared node than hold it");
        node.wakeup_tree.iter().for_each(validate_leaves);
    }
}
