//! A step: the instances that mention a change are progressed by the new state.
//!
//! All formulas are stutter-invariant, so an instance whose propositions did not change needs no step.

use super::Monitor;
use crate::instances::{Instance, InstanceId, Origin};
use crate::propositions::PropId;
use selvedge_ltl::progression::Status;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// From this number of violations on, they are told without their paths.
const MAX_PATHS: usize = 100;

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    pub(super) fn advance(&mut self, actor: Option<&Arc<str>>) {
        let mut changed = std::mem::take(&mut self.changed);
        self.propositions.take_changes(&mut changed);
        self.path.add(&mut self.propositions, &changed, actor);
        let has_new = changed.iter().any(|prop| !self.propositions.is_known(*prop));
        if has_new {
            self.progress_with_new(&changed);
        } else {
            self.progress(&changed);
        }
        self.changed = changed;
    }

    /// The same for a state with a proposition that no state had before.
    #[cold]
    fn progress_with_new(&mut self, changed: &[PropId]) {
        let is_new = |prop: &PropId| !self.propositions.is_known(*prop);
        let new: Vec<PropId> = changed.iter().copied().filter(is_new).collect();
        new.iter().for_each(|prop| self.propositions.make_known(*prop));
        let properties = 0..self.properties.len() as u32;
        // New instances of quantified formulas continue partial ones, which show the state before this step.
        for (prop, index) in new.iter().flat_map(|prop| properties.clone().map(move |index| (*prop, index))) {
            if !self.is_from_now(index) {
                self.expand(index, prop, true);
            }
        }
        self.progress(changed);
        for (prop, index) in new.iter().flat_map(|prop| properties.clone().map(move |index| (*prop, index))) {
            if self.is_from_now(index) {
                self.expand(index, prop, false);
            }
            self.offer(index, prop);
        }
        self.add_deferred();
    }

    /// Progresses the instances that mention a change.
    #[inline]
    fn progress(&mut self, changed: &[PropId]) {
        let state = self.path.state();
        let (instances, touched) = (&mut self.instances, &mut self.touched);
        touched.clear();
        for prop in changed {
            self.propositions.mentions(*prop).retain(|mention| {
                let Some(instance) = instances.get_mut(mention.instance) else { return false };
                instance.letter ^= mention.bits;
                if instance.touched != state {
                    instance.touched = state;
                    touched.push(mention.instance);
                }
                true
            });
        }
        let touched = std::mem::take(&mut self.touched);
        for id in &touched {
            self.progress_instance(*id, state);
        }
        self.touched = touched;
    }

    #[inline]
    fn progress_instance(&mut self, id: InstanceId, state: u64) {
        let Some(instance) = self.instances.get_mut(id) else { return };
        let next = self.shapes.step(instance.shape, instance.cursor, instance.letter);
        if next == instance.cursor {
            return;
        }
        let shape = instance.shape;
        let status = self.shapes.status(shape, next);
        let is_partial = matches!(instance.origin, Origin::Partial(_));
        if status == Status::Open || is_partial {
            instance.cursor = next;
            if status != Status::Open {
                instance.decided.get_or_insert(state);
            }
            if self.shapes.shrink(shape, &mut self.instances) {
                self.forever.clear();
            }
        } else if let Some(instance) = self.instances.remove(id) {
            self.decide(&instance, status, state);
        }
    }

    /// An instance is proven or violated.
    pub(super) fn decide(&mut self, instance: &Instance, status: Status, state: u64) {
        match (instance.origin, status) {
            (Origin::Property(index), Status::True) => self.properties[index as usize].proven += 1,
            (Origin::Property(index), _) => self.violate(index, instance, state),
            (Origin::Vacuity(index, which), _) => {
                let antecedent = &mut self.properties[index as usize].antecedents[which as usize];
                antecedent.has_happened = Some(status == Status::False);
            }
            (Origin::Partial(_), _) => {}
        }
    }

    fn violate(&mut self, index: u32, instance: &Instance, state: u64) {
        let has_path = self.violations.len() < MAX_PATHS;
        let violation = self.describe(index, instance, state, has_path);
        let watched = &mut self.properties[index as usize];
        watched.violated += 1;
        let example = violation.binding.clone().unwrap_or_else(|| violation.formula.clone());
        watched.example.get_or_insert(example);
        self.violations.push(violation);
        let last = self.violations.len() - 1;
        self.on_violation.handle(&self.violations[last]);
    }
}
