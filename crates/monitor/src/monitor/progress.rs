//! A step: the instances that mention a change are progressed by the new state.
//!
//! All formulas are stutter-invariant, so an instance whose propositions did not change needs no step.

use super::{Kind, Monitor};
use crate::instances::{Instance, InstanceId, Origin};
use crate::propositions::PropId;
use crate::shapes::ShapeId;
use selvedge_ltl::progression::{Cursor, Status};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// From this number of violations on, they are told without their paths.
const MAX_PATHS: usize = 100;

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    #[inline]
    pub(super) fn advance(&mut self, actor: Option<&Arc<str>>) {
        if self.propositions.is_unchanged() {
            self.path.add(&mut self.propositions, std::iter::empty(), actor);
        } else if self.propositions.is_pair() {
            self.advance_by_pair(actor);
        } else {
            self.advance_by_changes(actor);
        }
        if self.told < self.violations.len() {
            self.tell();
        }
    }

    /// A step with at most two changes, each mentioned by one instance. What changes is hard to predict for
    /// a processor, so there is no branch on it.
    #[inline]
    fn advance_by_pair(&mut self, actor: Option<&Arc<str>>) {
        let pair = self.propositions.take_pair();
        let changes = pair.iter().map(|touch| (touch.prop, touch.is_change));
        self.path.add(&mut self.propositions, changes, actor);
        let [(first, first_bits), (second, second_bits)] =
            pair.map(|touch| (touch.instance, u64::from(touch.is_change) << touch.bit));
        if first == second {
            self.progress_instance(first, first_bits | second_bits, (first_bits | second_bits) != 0);
        } else {
            self.progress_instance(first, first_bits, first_bits != 0);
            self.progress_instance(second, second_bits, second_bits != 0);
        }
    }

    #[inline(never)]
    fn advance_by_changes(&mut self, actor: Option<&Arc<str>>) {
        let mut changed = std::mem::take(&mut self.changed);
        let has_new = self.propositions.take_changes(&mut changed);
        self.path.add(&mut self.propositions, changed.iter().map(|prop| (*prop, true)), actor);
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
        new.iter().for_each(|prop| self.propositions.set_known(*prop, true));
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
        self.free_if_many();
    }

    /// Progresses the instances that mention a change.
    fn progress(&mut self, changed: &[PropId]) {
        let mut touched = std::mem::take(&mut self.touched);
        let instances = &mut self.instances;
        for prop in changed {
            self.propositions.visit_mentions(*prop, |instance, bit| {
                if instances.progress(instance).touch(bit) {
                    touched.push(instance);
                }
            });
        }
        for id in &touched {
            self.instances.progress(*id).untouch();
            self.progress_instance(*id, 0, true);
        }
        touched.clear();
        self.touched = touched;
    }

    /// Changes bits of an instance's letter, and progresses it by that letter if it is new. There is no
    /// branch on that.
    #[inline]
    fn progress_instance(&mut self, id: InstanceId, bits: u64, is_new: bool) {
        let progress = self.instances.progress(id);
        let Some(shape) = progress.shape() else { return };
        let (cursor, letter) = (progress.cursor, progress.letter ^ bits);
        progress.letter = letter;
        let next = self.shapes.known_open_step(shape, cursor, letter);
        if is_new & next.is_none() {
            return self.step_instance(id, shape);
        }
        progress.cursor = if is_new { next.unwrap_or(cursor) } else { cursor };
    }

    /// The same by the tables of the shape.
    #[inline(never)]
    fn step_instance(&mut self, id: InstanceId, shape: ShapeId) {
        let progress = self.instances.progress(id);
        let next = self.shapes.step(shape, progress.cursor, progress.letter);
        if self.shapes.status(shape, next) != Status::Open {
            return self.end(id, shape, next);
        }
        self.shapes.remember_open(shape, progress.cursor, progress.letter, next);
        progress.cursor = next;
        if self.shapes.shrink(shape, &mut self.instances) {
            self.forever.clear();
        }
    }

    /// The present state decides an instance.
    #[cold]
    fn end(&mut self, id: InstanceId, shape: ShapeId, next: Cursor) {
        let (status, state) = (self.shapes.status(shape, next), self.path.state());
        if matches!(self.instances.origin(id), Some(Origin::Partial(_))) {
            self.instances.progress(id).cursor = next;
            self.instances.set_decided(id, state);
        } else if let Some(instance) = self.free(id) {
            self.decide(&instance, status, state);
        }
    }

    /// An instance is proven or violated.
    pub(super) fn decide(&mut self, instance: &Instance, status: Status, state: u64) {
        match (instance.origin, status) {
            (Origin::Property(index), Status::True) => {
                let watched = &mut self.properties[index as usize];
                watched.proven += 1;
                if matches!(watched.kind, Kind::Formula(_)) {
                    watched.dropped = Some(self.dropped);
                }
            }
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
        watched.dropped.get_or_insert(self.dropped);
        let example = violation.binding.clone().unwrap_or_else(|| violation.formula.clone());
        watched.example.get_or_insert(example);
        self.violations.push(violation);
    }

    /// Handles the violations that are new, after the step is complete: the handler may panic, and the
    /// monitor goes on.
    #[cold]
    pub(super) fn tell(&mut self) {
        while self.told < self.violations.len() {
            self.told += 1;
            self.on_violation.handle(&self.violations[self.told - 1]);
        }
    }
}
