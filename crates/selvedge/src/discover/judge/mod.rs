//! Which terms are related, and which of these relations are reported.
//!
//! Equal terms are found by hashing (`classes`), refinements between one term of each class (`refine`). A
//! relation that follows from reported ones is left out (`consequence`). The rest becomes laws (`report`).

mod classes;
mod consequence;
mod refine;
mod report;

pub(crate) use consequence::Consequences;

use super::engine::{Engine, Side};
use super::law::Laws;
use super::signature::TypeIndex;
use super::term::named::Relation;
use classes::{Classes, Member};

/// A law that was found, by numbers.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) left: Side,
    pub(crate) relation: Relation,
    pub(crate) right: Side,
    /// The types of the variables of both sides.
    pub(crate) types: Vec<TypeIndex>,
    /// The list that it belongs to: that of a signature, or the last one, between two.
    pub(crate) list: usize,
}

/// Compares terms, and collects laws.
pub(crate) struct Judge {
    worlds: usize,
    classes: Classes,
    /// What follows from the laws of each signature, and from all laws.
    consequences: Vec<Consequences>,
    found: Vec<Found>,
}

impl Judge {
    pub(crate) fn new(worlds: usize) -> Judge {
        let lists = if worlds == 1 { 1 } else { worlds + 1 };
        let consequences = (0..lists).map(|_| Consequences::default()).collect();
        Judge { worlds, classes: Classes::default(), consequences, found: Vec::new() }
    }

    pub(crate) fn law_count(&self) -> usize {
        self.found.len()
    }

    /// Compares the schemas from this number on, which are all of this size, with all schemas.
    pub(crate) fn judge(&mut self, engine: &mut Engine, first_new: usize, _size: usize) {
        let first_class = self.classes.len();
        for schema in first_new..engine.schemas.len() {
            if engine.is_reported_on(schema) {
                for candidate in self.classes.add_schema(engine, schema) {
                    self.consider(engine, candidate);
                }
            }
        }
        self.refinements(engine, first_class);
    }

    /// Reports a relation, unless it follows from reported ones.
    pub(crate) fn consider(&mut self, engine: &Engine, found: Found) {
        let is_pruned = engine.limits.pruning.consequences;
        if is_pruned && self.consequences[found.list].has(engine, &found) {
            return;
        }
        self.consequences[found.list].add(engine, &found);
        if self.worlds > 1 && found.list < self.worlds {
            self.consequences[self.worlds].add(engine, &found);
        }
        self.found.push(found);
    }

    /// The laws: a list for each signature, and one for those between two.
    pub(crate) fn into_laws(self, engine: &mut Engine) -> Vec<Laws> {
        report::laws(engine, &self.found, self.consequences.len())
    }
}
