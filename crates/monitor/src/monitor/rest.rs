//! Instances at rest: they are in the same state as a new instance, so they need not be remembered.
//!
//! A server has a request for each id, and no end of ids. Once a request is answered, what is left of
//! `forall r: G (request(r) -> F answer(r))` for its id is the formula itself. An instance whose remainder
//! and letter are those of the partial instance without a value is judged from then on as that one is, until
//! one of its propositions is set. At that time it is made again, and continues the partial instance. So it
//! is freed, and with it the propositions that make no difference any more.
//!
//! Instances are freed if
//! - the template has one variable, which occurs in every proposition: then the partial instance never
//!   changes, and a value that comes back finds it as it was;
//! - it is `G φ` without past operators, and the verdict on the partial instance is *presumably true*. As
//!   `G φ` is never proven, that is the best verdict of all, and later states of a freed instance cannot
//!   improve the worst verdict of all instances. The partial instance holds, too, if the last state stays;
//! - no template that is a function is checked: it was offered the propositions, and must not be again;
//! - there are many: their numbers in reports stay exact otherwise.
//!
//! Promise: no violation, no state at which one falls, and no verdict depends on which instances are freed.

use super::{Kind, Monitor};
use crate::instances::{Instance, InstanceId, Origin};
use selvedge_ltl::progression::{Status, Verdict};
use selvedge_ltl::{Formula, Unary};
use std::fmt::Debug;
use std::hash::Hash;

/// The number of formulas from which on instances at rest are freed. They are freed, too, when twice as many
/// propositions are known.
pub(super) const DEFAULT_MAX_AT_REST: usize = 1 << 14;

/// When instances at rest are freed.
#[derive(Debug)]
pub(super) struct Freeing {
    /// Not before this number of formulas is checked. If it is 0, each time that a new proposition is set.
    pub(super) max_at_rest: usize,
    /// The numbers of instances and of propositions at which they are freed next.
    pub(super) at_instances: usize,
    pub(super) at_propositions: usize,
    /// The state before which instances or propositions were last freed.
    pub(super) last: Option<u64>,
}

/// The instances of a property that are freed.
#[derive(Debug)]
pub(super) struct Freed {
    /// The number of them. An instance that is made again, and freed again, counts twice.
    pub(super) count: u64,
    /// The values of the first one, and its remainder.
    pub(super) example: Option<String>,
    pub(super) remainder: String,
}

impl Freeing {
    pub(super) fn new(max_at_rest: usize) -> Freeing {
        let at_propositions = max_at_rest.saturating_mul(2);
        Freeing { max_at_rest, at_instances: max_at_rest, at_propositions, last: None }
    }

    /// Next time, when there are twice as many: the work for each new instance is constant on average.
    fn plan(&mut self, instances: usize, propositions: usize, max_instances: usize) {
        if self.max_at_rest == 0 {
            return;
        }
        self.at_instances = self.max_at_rest.max(2 * instances);
        if self.at_instances > max_instances {
            self.at_instances = max_instances.max(instances + instances / 8 + 1);
        }
        self.at_propositions = self.max_at_rest.max(propositions).saturating_mul(2);
    }
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// Frees an instance.
    pub(super) fn free(&mut self, id: InstanceId) -> Option<Instance> {
        let instance = self.instances.remove(id)?;
        self.propositions.unmention(&instance.props, id, &mut self.instances);
        Some(instance)
    }

    /// Frees instances at rest and unused propositions, if there are many. All changes are in a state.
    #[inline]
    pub(super) fn free_if_many(&mut self) {
        let Freeing { at_instances, at_propositions, .. } = self.freeing;
        if self.instances.count() >= at_instances || self.propositions.count() >= at_propositions {
            self.free_at_rest();
        }
    }

    #[cold]
    fn free_at_rest(&mut self) {
        if self.properties.iter().all(|watched| !matches!(watched.kind, Kind::Template { .. })) {
            for index in 0..self.properties.len() as u32 {
                if let Some(partial) = self.resting_partial(index) {
                    self.free_instances_like(index, &partial);
                }
            }
            self.propositions.forget_unused(self.path.last_forgotten());
            self.freeing.last = Some(self.path.state());
        }
        let (instances, propositions) = (self.instances.count(), self.propositions.count());
        self.freeing.plan(instances, propositions, self.max_instances);
    }

    /// The partial instance of a property, if instances that are like it can be freed.
    fn resting_partial(&mut self, index: u32) -> Option<Instance> {
        let Kind::Quantified { quantified, shape, expansion } = &self.properties[index as usize].kind else {
            return None;
        };
        let is_always = matches!(quantified.formula, Formula::Unary(Unary::Always, _));
        if quantified.is_from_now || quantified.variables.len() != 1 || !is_always {
            return None;
        }
        let (shape, id) = (*shape, expansion.partials.first()?.instance);
        let partial = self.instances.get(id)?;
        let has_ground = partial.props.iter().any(Option::is_some);
        let progression = self.shapes.get_mut(shape);
        let is_presumably_true = !has_ground
            && !progression.has_past()
            && progression.status(partial.cursor) == Status::Open
            && matches!(progression.verdict(partial.cursor), Ok(Verdict::PresumablyTrue));
        (is_presumably_true && self.holds_forever(&partial)).then_some(partial)
    }

    /// Frees the instances of a property with the remainder and the letter of a partial one.
    fn free_instances_like(&mut self, index: u32, partial: &Instance) {
        for id in self.instances.ids() {
            let progress = *self.instances.progress(id);
            let is_at_rest = progress.shape() == Some(partial.shape)
                && progress.cursor == partial.cursor
                && progress.letter == partial.letter
                && self.instances.origin(id) == Some(Origin::Property(index));
            if is_at_rest && let Some(instance) = self.free(id) {
                self.forget_instance(index, &instance);
            }
        }
    }

    /// Its value is not known any more, so that the next state that shows it makes the instance again.
    fn forget_instance(&mut self, index: u32, instance: &Instance) {
        let (example, remainder) = match &self.properties[index as usize].freed {
            Some(_) => (None, String::new()),
            None => (
                self.example_of(index, instance),
                self.remainder_text(instance.shape, instance.cursor, &instance.props),
            ),
        };
        let watched = &mut self.properties[index as usize];
        watched.freed.get_or_insert(Freed { count: 0, example, remainder }).count += 1;
        let Kind::Quantified { quantified, expansion, .. } = &mut watched.kind else { return };
        for (pattern, prop) in quantified.patterns.iter().zip(&instance.props) {
            let Some(prop) = *prop else { continue };
            for (variable, value) in pattern.matches(self.propositions.prop(prop)).into_iter().flatten() {
                expansion.forget_value(variable, &value);
            }
            self.propositions.set_known(prop, false);
        }
    }
}
