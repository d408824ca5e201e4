//! Templates make instances of propositions that occur for the first time.

use super::add::Props;
use super::{Kind, Monitor};
use crate::Value;
use crate::instances::{Instance, Origin};
use crate::propositions::PropId;
use crate::quantified::{Combination, Partial, Quantified};
use crate::shapes::ShapeId;
use selvedge_ltl::{Formula, Prop};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// An instance to be judged on the recorded path.
#[derive(Debug)]
pub(super) struct Deferred {
    index: u32,
    shape: ShapeId,
    props: Props,
    since: u64,
    values: Box<[Option<Value>]>,
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// Is this a quantified formula whose instances are checked from the state on in which they are made?
    pub(super) fn is_from_now(&self, index: u32) -> bool {
        let kind = &self.properties[index as usize].kind;
        matches!(kind, Kind::Quantified { quantified, .. } if quantified.is_from_now)
    }

    /// A new proposition makes new instances of a quantified formula. They continue partial instances, or
    /// they begin with the property, or in the present state.
    pub(super) fn expand(&mut self, index: u32, prop: PropId, continues: bool) {
        let Kind::Quantified { quantified, shape, expansion } = &self.properties[index as usize].kind else {
            return;
        };
        let (quantified, shape) = (quantified.clone(), *shape);
        for (variable, value) in expansion.new_values(&quantified, self.propositions.prop(prop)) {
            let Kind::Quantified { expansion, .. } = &mut self.properties[index as usize].kind else {
                return;
            };
            for combination in expansion.add_value(&quantified, variable, &value) {
                self.combine(index, &quantified, shape, combination, continues);
            }
        }
    }

    fn combine(
        &mut self,
        index: u32,
        quantified: &Arc<Quantified<P>>,
        shape: ShapeId,
        combination: Combination,
        continues: bool,
    ) {
        if !self.has_room(index) {
            return;
        }
        let is_complete = combination.is_complete();
        let origin = if is_complete { Origin::Property(index) } else { Origin::Partial(index) };
        let props = self.instantiate(quantified, &combination.values);
        if is_complete && self.defer_if_merged(index, quantified, &props, &combination.values) {
            return;
        }
        let parent = self.instances.get(combination.parent).filter(|_| continues);
        let made = match parent {
            Some(parent) => {
                let instance = Instance { props, origin, ..parent };
                self.add(instance)
            }
            None => {
                let began = self.properties[index as usize].began;
                let since = if quantified.is_from_now { self.path.state() } else { began };
                self.begin(shape, props, origin, since)
            }
        };
        if let Some(instance) = made.filter(|_| !is_complete)
            && let Kind::Quantified { expansion, .. } = &mut self.properties[index as usize].kind
        {
            expansion.partials.push(Partial { values: combination.values, instance });
        }
    }

    /// Two propositions of an instance can be the same, if two variables have the same value. Then the
    /// formula with one proposition in place of the two may be decided earlier. Such an instance is
    /// judged on the recorded path instead of continuing a partial one, once the changes of this step are
    /// applied. If the path is not recorded, it continues a partial one.
    fn defer_if_merged(
        &mut self,
        index: u32,
        quantified: &Quantified<P>,
        props: &Props,
        values: &[Option<Value>],
    ) -> bool {
        let has_same = (1..props.len()).any(|at| props[..at].contains(&props[at]));
        let began = self.properties[index as usize].began;
        let since = if quantified.is_from_now { self.path.state() } else { began };
        if !has_same || since < self.path.known_since() {
            return false;
        }
        let name = |prop: &Prop| props[prop.0 as usize].map(|id| self.propositions.prop(id).clone());
        let formula = quantified.formula.map(&mut |prop| name(prop).expect("every variable has a value"));
        let Ok((shape, props)) = self.intern(&formula) else { return false };
        let values = values.into();
        self.deferred.push(Deferred { index, shape, props, since, values });
        true
    }

    /// Adds the instances that wait until the changes of a step are applied.
    pub(super) fn add_deferred(&mut self) {
        for Deferred { index, shape, props, since, values } in std::mem::take(&mut self.deferred) {
            let instance = self.replayed(shape, props, Origin::Property(index), since);
            self.add(Instance { values: Some(values), ..instance });
        }
    }

    /// The propositions of an instance, by the values of variables.
    pub(super) fn instantiate(&mut self, quantified: &Quantified<P>, values: &[Option<Value>]) -> Props {
        let props = quantified.patterns.iter().map(|pattern| pattern.instantiate(values));
        props.map(|prop| prop.map(|prop| self.propositions.intern(&prop))).collect()
    }

    /// A new proposition is offered to a template.
    pub(super) fn offer(&mut self, index: u32, prop: PropId) {
        let Kind::Template { instantiator, .. } = &mut self.properties[index as usize].kind else { return };
        let mut formulas = Vec::new();
        let propositions = &self.propositions;
        instantiator.offer(prop, &|id| propositions.prop(id), &mut |formula| formulas.push(formula));
        let is_from_now = instantiator.is_from_now;
        for formula in formulas {
            self.add_from_template(index, &formula, is_from_now);
        }
    }

    fn add_from_template(&mut self, index: u32, formula: &Formula<P>, is_from_now: bool) {
        let name = self.properties[index as usize].name.clone();
        let (shape, props) = match self.intern(formula) {
            Ok(interned) => interned,
            Err(error) => return self.note(format!("`{name}`: an instance is not checked: {error}")),
        };
        let Kind::Template { known, .. } = &mut self.properties[index as usize].kind else { return };
        if !known.insert((shape, props.clone())) || !self.has_room(index) {
            return;
        }
        let began = self.properties[index as usize].began;
        let (state, known_since) = (self.path.state(), self.path.known_since());
        if !is_from_now && began < known_since {
            self.note(format!(
                "`{name}`: the path since state {began} is no longer recorded; later instances are checked from the \
                 first recorded state on"
            ));
        }
        let since = if is_from_now { state } else { began.max(known_since) };
        self.begin(shape, props, Origin::Property(index), since);
    }

    /// Adds a note once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Can one more instance of this property be made? If not, it is told once.
    fn has_room(&mut self, index: u32) -> bool {
        if self.instances.count() < self.max_instances {
            return true;
        }
        let watched = &mut self.properties[index as usize];
        if !watched.is_limit_told {
            watched.is_limit_told = true;
            self.notes.push(format!(
                "`{}`: no more instances after state {}: {} formulas are checked at once, the limit",
                watched.name,
                self.path.state(),
                self.max_instances
            ));
        }
        false
    }
}
