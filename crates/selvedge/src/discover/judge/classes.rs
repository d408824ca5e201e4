//! Classes of equal terms, by hashing.
//!
//! Two terms are equal under some common names exactly if their normal forms are the same (`view`), and
//! the names that the normal forms give are the most general ones. Under a condition, each term is seen
//! without it, and with it on one of its variables, or on all of one type.

use super::condition::{Condition, Restraint};
use super::view::{Fingerprint, View};
use super::{FoundLaw, Relation};
use crate::discover::engine::{Engine, GroundId, Instance, Side};
use crate::discover::table::{Interned, SetId};
use crate::discover::term::partition::partitions;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Terms with the same rows.
pub(crate) struct Class {
    /// The first term of each signature, if there is one.
    pub(crate) members: Vec<Option<View>>,
}

impl Class {
    /// Some term.
    pub(crate) fn first(&self) -> &View {
        self.members.iter().flatten().next().expect("a class has a term")
    }
}

/// All classes, of terms with all values or under a condition.
#[derive(Default)]
pub(crate) struct Classes {
    pub(crate) classes: Vec<Class>,
    pub(crate) restraint: Option<Arc<Restraint>>,
    /// By the hash of their rows.
    numbers: HashMap<u128, usize>,
    fingerprint: Fingerprint,
    /// Rows with some of their seeds, under a condition on seeds.
    some_seeds: RefCell<Interned<Box<[SetId]>>>,
}

/// Terms with more variables are not looked at under conditions.
const MAX_RESTRAINED_VARIABLES: usize = 2;

impl Classes {
    pub(crate) fn under(restraint: Restraint) -> Classes {
        Classes { restraint: Some(Arc::new(restraint)), ..Classes::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Adds all terms of a schema to their classes. Returns the equivalences with the first terms of
    /// these.
    pub(crate) fn add_schema(&mut self, engine: &Engine, schema: usize) -> Vec<FoundLaw> {
        let mut found = Vec::new();
        for partition in partitions(&engine.schemas[schema].holed.holes) {
            let instance = Instance::new(engine, schema, partition);
            for view in self.views(engine, &instance) {
                let symmetries = self.symmetries(engine, &view);
                found.extend(self.add(engine, view));
                found.extend(symmetries);
            }
        }
        found
    }

    /// The ways to see a term.
    fn views(&self, engine: &Engine, instance: &Instance) -> Vec<View> {
        let whole = View::whole(engine, instance);
        let Some(restraint) = &self.restraint else { return vec![whole] };
        let is_on_seeds = matches!(**restraint, Restraint::Seeds { .. });
        if instance.types.len() > MAX_RESTRAINED_VARIABLES && !is_on_seeds {
            return Vec::new();
        }
        let choices = restraint.choices(&instance.types);
        let restrained = choices.into_iter().map(|on| View::restrained(engine, instance, restraint, on));
        [whole].into_iter().chain(restrained).collect()
    }

    fn add(&mut self, engine: &Engine, mut view: View) -> Vec<FoundLaw> {
        let world = engine.schemas[view.instance.side.schema].world;
        let rows = view.normalise(engine, &|ground| self.row(engine, ground));
        let key = self.fingerprint.of(&(view.kinds(), &rows));
        let next = self.classes.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.classes.push(Class { members: vec![None; engine.worlds.len()] });
        } else {
            let of_first = self.classes[number].first().rows(engine, &|ground| self.row(engine, ground));
            if of_first != rows {
                return Vec::new(); // two functions with one fingerprint: the second one is left alone
            }
        }
        let members = &self.classes[number].members;
        if let Some(first) = &members[world] {
            return self.equivalence(first, &view, world).into_iter().collect();
        }
        let list = engine.worlds.len();
        let others = members.iter().flatten();
        let between = others.filter_map(|other| {
            let other_world = engine.schemas[other.instance.side.schema].world;
            if other_world < world {
                self.equivalence(other, &view, list)
            } else {
                self.equivalence(&view, other, list)
            }
        });
        let between = between.collect();
        self.classes[number].members[world] = Some(view);
        between
    }

    /// Laws of a term with itself: variables that make no difference, `push2 x x1 === push2 x2 x1`, and
    /// variables that can be exchanged, `add x x1 === add x1 x`. Laws with other terms may say so, too.
    fn symmetries(&self, engine: &Engine, view: &View) -> Vec<FoundLaw> {
        if self.restraint.is_some() || view.instance.types.is_empty() {
            return Vec::new();
        }
        let mut normal = view.clone();
        normal.normalise(engine, &|ground| self.row(engine, ground));
        let world = engine.schemas[view.instance.side.schema].world;
        let law = |common: &[(usize, usize)]| {
            law_between(&view.instance, Relation::Equal, &view.instance, common, world)
        };
        let own: Vec<(usize, usize)> = normal.variables().map(|variable| (variable, variable)).collect();
        let without_effect = (own.len() < view.instance.types.len()).then(|| law(&own));
        let exchanges = normal.exchanges(engine, &|ground| self.row(engine, ground));
        without_effect.into_iter().chain(exchanges.iter().map(|common| law(common))).collect()
    }

    /// What is compared of a ground term.
    fn row(&self, engine: &Engine, ground: GroundId) -> u32 {
        let row = engine.observed[ground as usize];
        match self.restraint.as_deref() {
            Some(Restraint::Seeds { seeds, .. }) => {
                let (sets, all) = (engine.table.sets_of(row), engine.seeds.len());
                let some = sets.chunks(all).flat_map(|sets| seeds.iter().map(|seed| sets[*seed]));
                self.some_seeds.borrow_mut().number(some.collect())
            }
            _ => row,
        }
    }

    /// Two terms of one class are equal: variables that make a difference are common, and so are those
    /// under the condition. `None` if neither term is under the condition, or both are of one schema: then
    /// a variable makes no difference to it.
    fn equivalence(&self, left: &View, right: &View, list: usize) -> Option<FoundLaw> {
        if left.instance.side.schema == right.instance.side.schema {
            return None;
        }
        let pairs = left.dimensions.iter().zip(&right.dimensions);
        let mut common: Vec<(usize, usize)> = pairs
            .flat_map(|(one, other)| one.variables.iter().copied().zip(other.variables.iter().copied()))
            .collect();
        let Some(restraint) = &self.restraint else {
            return Some(law_between(&left.instance, Relation::Equal, &right.instance, &common, list));
        };
        if matches!(**restraint, Restraint::Seeds { .. }) {
            let mut found = law_between(&left.instance, Relation::Equal, &right.instance, &common, list);
            found.condition = Some(Condition { restraint: restraint.clone(), on: Vec::new() });
            return Some(found);
        }
        let [on_left, on_right] = [&left.restrained, &right.restrained];
        if on_left.is_empty() && on_right.is_empty() {
            return None;
        }
        for (one, other) in on_left.iter().zip(on_right) {
            let is_free = |(left, right): &(usize, usize)| left != one && right != other;
            if common.iter().all(is_free) && left.instance.types[*one] == right.instance.types[*other] {
                common.push((*one, *other));
            }
        }
        let (mut found, of_right) =
            named_between(&left.instance, Relation::Equal, &right.instance, &common, list);
        let on_right = on_right.iter().map(|variable| usize::from(of_right[*variable]));
        let mut on: Vec<usize> = on_left.iter().copied().chain(on_right).collect();
        if matches!(**restraint, Restraint::Pairs { .. }) {
            on.truncate(2);
        } else {
            on.sort_unstable();
            on.dedup();
        }
        found.condition = Some(Condition { restraint: restraint.clone(), on });
        Some(found)
    }
}

/// A law between two terms, with these pairs of variables in common.
pub(crate) fn law_between(
    left: &Instance,
    relation: Relation,
    right: &Instance,
    common: &[(usize, usize)],
    list: usize,
) -> FoundLaw {
    named_between(left, relation, right, common, list).0
}

/// The same, with the common name of each variable on the right.
fn named_between(
    left: &Instance,
    relation: Relation,
    right: &Instance,
    common: &[(usize, usize)],
    list: usize,
) -> (FoundLaw, Vec<u8>) {
    let mut types = left.types.clone();
    let of_right: Vec<u8> = (0..right.types.len())
        .map(|variable| match common.iter().find(|(_, right)| *right == variable) {
            Some((left, _)) => *left as u8,
            None => {
                types.push(right.types[variable]);
                types.len() as u8 - 1
            }
        })
        .collect();
    let names = right.side.names.iter().map(|name| of_right[usize::from(*name)]).collect();
    let right = Side { schema: right.side.schema, names };
    let found = FoundLaw { left: left.side.clone(), relation, right, types, condition: None, list };
    (found, of_right)
}
