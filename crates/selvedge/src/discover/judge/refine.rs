//! Strict refinements between classes of equal terms.
//!
//! A refinement of one term by another is that of all terms of their classes, so one term of each is compared. All
//! ways to give two terms common variables are tried, the most general first. If every variable has the same value,
//! the assignment belongs to all of them: such assignments reject most pairs at once.

use super::classes::{Class, law_between};
use super::{Judge, Member, Relation};
use crate::discover::engine::{Engine, at, odometer_while, strides};
use crate::discover::signature::TypeIndex;
use crate::discover::table::{Containment, RowId};

/// The rows of a class with the same value for each variable.
fn diagonal(engine: &Engine, class: &Class, length: usize) -> Vec<RowId> {
    let sizes: Vec<usize> = class.types.iter().map(|of| engine.domain_size(*of)).collect();
    let strides = strides(&sizes);
    let places = |place: usize| -> Vec<usize> { sizes.iter().map(|size| place.min(size - 1)).collect() };
    (0..length).map(|place| class.rows[at(&places(place), &strides)]).collect()
}

impl Judge {
    /// Compares the classes from this number on with all classes.
    pub(super) fn refinements(&mut self, engine: &Engine, first_new: usize) {
        let length = engine.domains.iter().map(Vec::len).max().unwrap_or(1);
        let diagonals: Vec<Vec<RowId>> =
            self.classes.classes.iter().map(|class| diagonal(engine, class, length)).collect();
        for second in first_new..self.classes.len() {
            for first in 0..second {
                let mut related = Containment::Equal;
                for (one, other) in diagonals[first].iter().zip(&diagonals[second]).rev() {
                    related = related.and(engine.table.compare(*one, *other));
                    if related == Containment::Neither {
                        break;
                    }
                }
                if related != Containment::Neither {
                    self.compare(engine, first, second);
                }
            }
        }
    }

    /// Compares two classes under all common names.
    fn compare(&mut self, engine: &Engine, first: usize, second: usize) {
        let [one, other] = [first, second].map(|class| &self.classes.classes[class]);
        let mut held: Vec<(Containment, Vec<(usize, usize)>)> = Vec::new();
        for common in common_variables(&one.types, &other.types) {
            let is_instance = |(_, general): &(_, Vec<_>)| general.iter().all(|pair| common.contains(pair));
            if held.iter().any(is_instance) {
                continue;
            }
            let related = compare_rows(engine, one, other, &common);
            if related != Containment::Neither {
                held.push((related, common));
            }
        }
        let mut found = Vec::new();
        for (related, common) in held {
            let relation = match related {
                Containment::Less => Relation::Refines,
                Containment::Greater => Relation::Refined,
                _ => continue,
            };
            for (left, right) in pairs_of_members(one, other) {
                found.push(refinement(engine, left, relation, right, &common));
            }
        }
        for law in found {
            self.consider(engine, law);
        }
    }
}

/// The first terms of both classes, of each signature, and of different ones.
fn pairs_of_members<'c>(one: &'c Class, other: &'c Class) -> Vec<(&'c Member, &'c Member)> {
    let pairs = one
        .members
        .iter()
        .flatten()
        .flat_map(|left| other.members.iter().flatten().map(move |right| (left, right)));
    pairs.collect()
}

/// A law whose lesser side is on the left, or whose first signature is.
fn refinement(
    engine: &Engine,
    left: &Member,
    relation: Relation,
    right: &Member,
    common: &[(usize, usize)],
) -> super::Found {
    let common: Vec<(usize, usize)> =
        common.iter().map(|(one, other)| (left.order[*one], right.order[*other])).collect();
    let [left_world, right_world] =
        [left, right].map(|member| engine.schemas[member.instance.side.schema].world);
    let list = if left_world == right_world { left_world } else { engine.worlds.len() };
    let is_exchanged =
        if left_world == right_world { relation == Relation::Refined } else { left_world > right_world };
    if is_exchanged {
        let common: Vec<(usize, usize)> = common.iter().map(|(one, other)| (*other, *one)).collect();
        return law_between(&right.instance, relation.reversed(), &left.instance, &common, list);
    }
    law_between(&left.instance, relation, &right.instance, &common, list)
}

/// The ways to identify variables of one term with those of another, the fewest identifications first.
fn common_variables(left: &[TypeIndex], right: &[TypeIndex]) -> Vec<Vec<(usize, usize)>> {
    let mut all: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for (variable, of) in left.iter().enumerate() {
        let extended: Vec<Vec<(usize, usize)>> = all
            .iter()
            .flat_map(|common| {
                let free = (0..right.len())
                    .filter(|other| right[*other] == *of && common.iter().all(|(_, taken)| taken != other));
                let with = |other| [&common[..], &[(variable, other)]].concat();
                free.map(with).collect::<Vec<_>>()
            })
            .collect();
        all.extend(extended);
    }
    all.sort_by_key(Vec::len);
    all
}

/// How the rows of two classes are related, with these variables in common.
fn compare_rows(engine: &Engine, one: &Class, other: &Class, common: &[(usize, usize)]) -> Containment {
    let mut types = one.types.clone();
    let one_strides = strides(&sizes_of(engine, &one.types));
    let other_own = strides(&sizes_of(engine, &other.types));
    let mut other_strides = vec![0; types.len()];
    for (variable, stride) in other_own.into_iter().enumerate() {
        match common.iter().find(|(_, right)| *right == variable) {
            Some((left, _)) => other_strides[*left] = stride,
            None => {
                types.push(other.types[variable]);
                other_strides.push(stride);
            }
        }
    }
    let mut related = Containment::Equal;
    odometer_while(&sizes_of(engine, &types), |places| {
        let rows = (one.rows[at(places, &one_strides)], other.rows[at(places, &other_strides)]);
        related = related.and(engine.table.compare(rows.0, rows.1));
        related != Containment::Neither
    });
    related
}

fn sizes_of(engine: &Engine, types: &[TypeIndex]) -> Vec<usize> {
    types.iter().map(|of| engine.domain_size(*of)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_common_variables_are_more_general() {
        let ways = common_variables(&[0, 1], &[0, 0]);
        assert_eq!(ways, [vec![], vec![(0, 0)], vec![(0, 1)]]);
        assert_eq!(common_variables(&[0, 0], &[0, 0]).len(), 7);
    }
}
