//! Which terms are related, and which of these relations are reported.
//!
//! Equal terms are found by hashing (`classes`), also under conditions (`condition`), refinements between
//! one term of each class (`refine`). A relation that follows from reported ones is left out
//! (`consequence`). The rest becomes laws (`report`).

mod classes;
pub(crate) mod condition;
mod consequence;
mod refine;
mod report;
mod view;

pub(crate) use view::{Fingerprint, View, normal_orders};

use super::engine::{Engine, GroundId, Side};
use super::law::Laws;
use super::signature::TypeIndex;
use super::term::named::Relation;
use classes::Classes;
use condition::{Condition, Restraint};
use consequence::{Consequences, each_pair};
use std::collections::HashSet;

/// A law that was found, by numbers.
#[derive(Clone, Debug)]
pub(crate) struct FoundLaw {
    pub(crate) left: Side,
    pub(crate) relation: Relation,
    pub(crate) right: Side,
    /// The types of the variables of both sides.
    pub(crate) types: Vec<TypeIndex>,
    pub(crate) condition: Option<Condition>,
    /// The list that it belongs to: that of a signature, or the last one, between two.
    pub(crate) list: usize,
}

/// Compares terms, and collects laws.
pub(crate) struct Judge {
    worlds: usize,
    classes: Classes,
    /// Terms under conditions on values, the weakest first.
    restrained: Vec<Classes>,
    /// Terms under conditions on seeds, with what follows for these seeds.
    on_seeds: Vec<(Classes, Vec<Consequences>)>,
    /// What follows from the laws of each signature, and from all laws.
    consequences: Vec<Consequences>,
    found: Vec<FoundLaw>,
}

impl Judge {
    pub(crate) fn new(engine: &Engine) -> Judge {
        let worlds = engine.worlds.len();
        let lists = if worlds == 1 { 1 } else { worlds + 1 };
        let consequences = || (0..lists).map(|_| Consequences::default()).collect();
        let wanted = engine.limits.conditions;
        let restraints = if wanted { Restraint::all(engine) } else { Vec::new() };
        let on_seeds = if wanted { Restraint::on_seeds(engine) } else { Vec::new() };
        Judge {
            worlds,
            classes: Classes::default(),
            restrained: restraints.into_iter().map(Classes::under).collect(),
            on_seeds: on_seeds
                .into_iter()
                .map(|restraint| (Classes::under(restraint), consequences()))
                .collect(),
            consequences: consequences(),
            found: Vec::new(),
        }
    }

    pub(crate) fn law_count(&self) -> usize {
        self.found.len()
    }

    /// Compares the schemas from this number on, which are all of one size, with all schemas.
    pub(crate) fn judge(&mut self, engine: &Engine, first_new: usize) {
        let first_class = self.classes.len();
        let schemas: Vec<usize> =
            (first_new..engine.schemas.len()).filter(|schema| engine.is_reported_on(*schema)).collect();
        for schema in &schemas {
            for candidate in self.classes.add_schema(engine, *schema) {
                self.consider(engine, candidate);
            }
        }
        for number in 0..self.restrained.len() {
            for schema in &schemas {
                for candidate in self.restrained[number].add_schema(engine, *schema) {
                    self.consider(engine, candidate);
                }
            }
        }
        for number in 0..self.on_seeds.len() {
            for schema in &schemas {
                for candidate in self.on_seeds[number].0.add_schema(engine, *schema) {
                    self.consider_on_seeds(engine, number, candidate);
                }
            }
        }
        self.refinements(engine, first_class);
    }

    /// Reports a relation, unless it follows from reported ones.
    fn consider(&mut self, engine: &Engine, found: FoundLaw) {
        let is_pruned = engine.limits.pruning.consequences;
        if is_pruned && self.consequences[found.list].has(engine, &found) {
            return;
        }
        let lists = self.lists(&found);
        for list in lists {
            self.consequences[list].add(engine, &found);
            for (_, consequences) in &mut self.on_seeds {
                consequences[list].add(engine, &found);
            }
        }
        self.found.push(found);
    }

    /// The same under a condition on seeds.
    fn consider_on_seeds(&mut self, engine: &Engine, number: usize, found: FoundLaw) {
        let (is_pruned, lists) = (engine.limits.pruning.consequences, self.lists(&found));
        let consequences = &mut self.on_seeds[number].1;
        if is_pruned && consequences[found.list].has(engine, &found) {
            return;
        }
        for list in lists {
            consequences[list].add(engine, &found);
        }
        self.found.push(found);
    }

    /// The lists of laws that the law helps to derive.
    fn lists(&self, found: &FoundLaw) -> Vec<usize> {
        let all = (self.worlds > 1 && found.list < self.worlds).then_some(self.worlds);
        [found.list].into_iter().chain(all).collect()
    }

    /// The laws: a list for each signature, and one for those between two.
    pub(crate) fn into_laws(mut self, engine: &mut Engine) -> Vec<Laws> {
        if engine.limits.pruning.consequences {
            self.drop_instances(engine);
        }
        let unsupported = self.unsupported(engine);
        report::laws(engine, &self.found, &unsupported, self.consequences.len())
    }

    /// Leaves out laws that are instances of a later law without a condition.
    fn drop_instances(&mut self, engine: &Engine) {
        let pairs: Vec<HashSet<(GroundId, GroundId)>> =
            self.found.iter().map(|found| pairs_of(engine, found)).collect();
        let is_instance = |place: usize| {
            let law = &self.found[place];
            (place + 1..self.found.len()).any(|later| {
                let general = &self.found[later];
                general.condition.is_none()
                    && (general.list, general.relation) == (law.list, law.relation)
                    && !law.condition.as_ref().is_some_and(Condition::is_on_seeds)
                    && pairs[place].is_subset(&pairs[later])
            })
        };
        let kept: Vec<FoundLaw> = (0..self.found.len())
            .filter(|place| !is_instance(*place))
            .map(|place| self.found[place].clone())
            .collect();
        self.found = kept;
    }

    /// Equivalences with terms whose explorations were cut short: no difference was seen.
    fn unsupported(&self, engine: &mut Engine) -> Vec<FoundLaw> {
        let is_cut = |engine: &Engine, schema: usize| {
            engine.schemas[schema].is_foreground && !engine.is_explored_completely(schema)
        };
        let schemas: Vec<usize> = (0..engine.schemas.len())
            .filter(|schema| is_cut(engine, *schema) || engine.is_reported_on(*schema))
            .collect();
        if !schemas.iter().any(|schema| is_cut(engine, *schema)) {
            return Vec::new();
        }
        let observed = engine.observed.clone();
        for row in &mut engine.observed {
            *row = engine.table.as_if_complete(*row);
        }
        let mut classes = Classes::default();
        let candidates: Vec<FoundLaw> =
            schemas.iter().flat_map(|schema| classes.add_schema(engine, *schema)).collect();
        engine.observed = observed;
        let concerns =
            |found: &FoundLaw| is_cut(engine, found.left.schema) || is_cut(engine, found.right.schema);
        candidates.into_iter().filter(concerns).collect()
    }
}

/// The pairs of ground terms of a law. Those of an equivalence have no direction.
fn pairs_of(engine: &Engine, found: &FoundLaw) -> HashSet<(GroundId, GroundId)> {
    let mut pairs = HashSet::new();
    each_pair(engine, found, |left, right| {
        let is_equal = found.relation == Relation::Equal;
        pairs.insert(if is_equal { (left.min(right), left.max(right)) } else { (left, right) });
        true
    });
    pairs
}

impl Engine {
    /// Whether laws are about this schema: it has an operation that they are about, all of its explorations
    /// are complete, no smaller one explains it, and it does not fail in every run because a part of it
    /// does.
    fn is_reported_on(&self, schema: usize) -> bool {
        let always_fails = |schema: &usize| {
            let mut rows = self.schemas[*schema].grid.iter().map(|ground| self.observed[*ground as usize]);
            rows.all(|row| self.table.always_fails(row))
        };
        let fails_by_part = || always_fails(&schema) && self.schemas[schema].parts.iter().any(always_fails);
        self.schemas[schema].is_foreground
            && !self.schemas[schema].is_explained
            && self.is_explored_completely(schema)
            && !fails_by_part()
    }

    fn is_explored_completely(&self, schema: usize) -> bool {
        let grid = &self.schemas[schema].grid;
        grid.iter().all(|ground| self.table.is_complete(self.observed[*ground as usize]))
    }
}
