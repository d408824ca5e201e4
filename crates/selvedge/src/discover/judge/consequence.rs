//! What follows from reported laws, by instances and transitivity.
//!
//! Every assignment of a law relates two ground terms. A law follows if all of its pairs are connected: by
//! a chain of equivalences, or of equivalences and refinements in one direction. Renamings, instances,
//! transitive laws and laws of pure functions are found by this alone. Neither relation is a congruence, so
//! chains never enter a term.

use super::FoundLaw;
use crate::discover::engine::{Engine, GroundId, at, odometer_while};
use crate::discover::term::named::Relation;
use std::collections::{HashMap, HashSet};

/// The ground terms that laws relate.
#[derive(Default)]
pub(crate) struct Consequences {
    /// The parent of each term in the forest of equal terms.
    parents: Vec<GroundId>,
    /// For each root, the terms that it refines.
    refined: HashMap<GroundId, Vec<GroundId>>,
    /// Whether trees were joined since the edges were attached to roots.
    is_stale: bool,
}

impl Consequences {
    fn root(&mut self, ground: GroundId) -> GroundId {
        if self.parents.len() <= ground as usize {
            let next = self.parents.len() as GroundId;
            self.parents.extend(next..=ground);
        }
        let mut at = ground;
        while self.parents[at as usize] != at {
            self.parents[at as usize] = self.parents[self.parents[at as usize] as usize];
            at = self.parents[at as usize];
        }
        at
    }

    /// Adds the pairs of a law.
    pub(crate) fn add(&mut self, engine: &Engine, law: &FoundLaw) {
        each_pair(engine, law, |left, right| {
            let (left, right) = (self.root(left), self.root(right));
            match law.relation {
                _ if left == right => {}
                Relation::Equal => {
                    self.parents[left.max(right) as usize] = left.min(right);
                    self.is_stale = true;
                }
                Relation::Refines => self.refined.entry(left).or_default().push(right),
                Relation::Refined => self.refined.entry(right).or_default().push(left),
            }
            true
        });
    }

    /// Whether the law follows.
    pub(crate) fn has(&mut self, engine: &Engine, law: &FoundLaw) -> bool {
        if std::mem::take(&mut self.is_stale) {
            for (from, targets) in std::mem::take(&mut self.refined) {
                let (root, targets): (_, Vec<_>) =
                    (self.root(from), targets.into_iter().map(|target| self.root(target)).collect());
                self.refined.entry(root).or_default().extend(targets);
            }
            for targets in self.refined.values_mut() {
                targets.sort_unstable();
                targets.dedup();
            }
        }
        each_pair(engine, law, |left, right| {
            let (left, right) = (self.root(left), self.root(right));
            left == right
                || match law.relation {
                    Relation::Equal => false,
                    Relation::Refines => self.reaches(left, right),
                    Relation::Refined => self.reaches(right, left),
                }
        })
    }

    /// Whether a chain of refinements leads from one root to the other.
    fn reaches(&self, from: GroundId, to: GroundId) -> bool {
        let (mut seen, mut open) = (HashSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            for next in self.refined.get(&at).into_iter().flatten() {
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        false
    }
}

/// Calls the function with the ground terms of both sides, for each assignment that the condition admits,
/// as long as it returns `true`. Returns whether it always did.
pub(crate) fn each_pair(
    engine: &Engine,
    law: &FoundLaw,
    mut visit: impl FnMut(GroundId, GroundId) -> bool,
) -> bool {
    let sizes: Vec<usize> = law.types.iter().map(|of| engine.domain_size(*of)).collect();
    let [left, right] = [&law.left, &law.right].map(|side| side.strides(engine, law.types.len()));
    let [left_grid, right_grid] = [&law.left, &law.right].map(|side| &engine.schemas[side.schema].grid);
    odometer_while(&sizes, |places| {
        let is_admitted = law.condition.as_ref().is_none_or(|condition| condition.admits(places));
        !is_admitted || visit(left_grid[at(places, &left)], right_grid[at(places, &right)])
    })
}
