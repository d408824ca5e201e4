//! Strict refinements between classes of equal terms.
//!
//! A refinement of one term by another is that of all terms of their classes, so one term of each is
//! compared. All ways to give two terms common variables are tried, the most general first. If every
//! variable has the same value, the assignment belongs to all of them: such assignments reject most pairs
//! at once.

use super::classes::{Class, law_between};
use super::view::View;
use super::{Judge, Relation};
use crate::discover::engine::{Engine, odometer_while};
use crate::discover::table::{Containment, RowId};

/// The rows of a term with the same value for each variable.
fn diagonal(engine: &Engine, view: &View, length: usize) -> Vec<RowId> {
    let grid = &engine.schemas[view.instance.side.schema].grid;
    let offset = |place: usize| -> usize {
        let dimensions = view.dimensions.iter();
        dimensions.map(|dimension| dimension.offsets[place.min(dimension.offsets.len() - 1)]).sum()
    };
    (0..length).map(|place| engine.observed[grid[offset(place)] as usize]).collect()
}

impl Judge {
    /// Compares the classes from this number on with all classes.
    pub(super) fn refinements(&mut self, engine: &Engine, first_new: usize) {
        let length = engine.domains.iter().map(Vec::len).max().unwrap_or(1);
        let diagonals: Vec<Vec<RowId>> =
            self.classes.classes.iter().map(|class| diagonal(engine, class.first(), length)).collect();
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
        let types =
            |class: &Class| class.first().kinds().into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        let mut held: Vec<(Containment, Vec<(usize, usize)>)> = Vec::new();
        for common in common_variables(&types(one), &types(other)) {
            let is_instance = |(_, general): &(_, Vec<_>)| general.iter().all(|pair| common.contains(pair));
            if held.iter().any(is_instance) {
                continue;
            }
            let related = compare_rows(engine, one.first(), other.first(), &common);
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
fn pairs_of_members<'c>(one: &'c Class, other: &'c Class) -> Vec<(&'c View, &'c View)> {
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
    left: &View,
    relation: Relation,
    right: &View,
    common: &[(usize, usize)],
) -> super::FoundLaw {
    let common: Vec<(usize, usize)> = common
        .iter()
        .map(|(one, other)| (left.dimensions[*one].variables[0], right.dimensions[*other].variables[0]))
        .collect();
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
fn common_variables(left: &[u16], right: &[u16]) -> Vec<Vec<(usize, usize)>> {
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

/// How the rows of two terms are related, with these dimensions in common.
fn compare_rows(engine: &Engine, one: &View, other: &View, common: &[(usize, usize)]) -> Containment {
    let [one_grid, other_grid] = [one, other].map(|view| &engine.schemas[view.instance.side.schema].grid);
    let nothing: &[usize] = &[];
    let mut offsets: Vec<(&[usize], &[usize])> =
        one.dimensions.iter().map(|dimension| (&dimension.offsets[..], nothing)).collect();
    for (place, dimension) in other.dimensions.iter().enumerate() {
        match common.iter().find(|(_, right)| *right == place) {
            Some((left, _)) => offsets[*left].1 = &dimension.offsets,
            None => offsets.push((nothing, &dimension.offsets)),
        }
    }
    let sizes: Vec<usize> = offsets.iter().map(|(one, other)| one.len().max(other.len())).collect();
    let mut related = Containment::Equal;
    odometer_while(&sizes, |places| {
        let (mut at_one, mut at_other) = (0, 0);
        for (place, (one, other)) in places.iter().zip(&offsets) {
            at_one += one.get(*place).copied().unwrap_or(0);
            at_other += other.get(*place).copied().unwrap_or(0);
        }
        let rows = [one_grid[at_one], other_grid[at_other]].map(|ground| engine.observed[ground as usize]);
        related = related.and(engine.table.compare(rows[0], rows[1]));
        related != Containment::Neither
    });
    related
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
