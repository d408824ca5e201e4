//! Classes of equal terms, by hashing.
//!
//! The rows of a term are a function of its variables. A variable that makes no difference is left out of it; the
//! others are put in the order of their types, and within a type in the order that gives the least list of rows.
//! Two terms are equal under some common names exactly if these functions are the same, and the names that the
//! orders give are the most general ones.

use super::{Found, Relation};
use crate::discover::engine::{Engine, Instance, Side};
use crate::discover::signature::TypeIndex;
use crate::discover::table::RowId;
use crate::discover::term::partition::partitions;
use std::collections::HashMap;

/// A term of a class.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) instance: Instance,
    /// The variables that make a difference, in the order of the class.
    pub(crate) order: Vec<usize>,
}

/// Terms with the same rows.
pub(crate) struct Class {
    /// The types of its variables.
    pub(crate) types: Vec<TypeIndex>,
    /// The rows of all assignments.
    pub(crate) rows: Vec<RowId>,
    /// The first term of each signature, if there is one.
    pub(crate) members: Vec<Option<Member>>,
}

/// All classes.
#[derive(Default)]
pub(crate) struct Classes {
    pub(crate) classes: Vec<Class>,
    /// By the hash of the rows.
    numbers: HashMap<(Vec<TypeIndex>, Vec<RowId>), usize>,
}

impl Classes {
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Adds all terms of a schema to their classes. Returns the equivalences with the first terms of these.
    pub(crate) fn add_schema(&mut self, engine: &Engine, schema: usize) -> Vec<Found> {
        let partitions = partitions(&engine.schemas[schema].holed.holes);
        let instances = partitions.into_iter().map(|partition| Instance::new(engine, schema, partition));
        instances.flat_map(|instance| self.add(engine, instance)).collect()
    }

    fn add(&mut self, engine: &Engine, instance: Instance) -> Vec<Found> {
        let world = engine.schemas[instance.side.schema].world;
        let (types, rows, order) = normal_form(engine, &instance);
        let member = Member { instance, order };
        let next = self.classes.len();
        let number = *self.numbers.entry((types.clone(), rows.clone())).or_insert(next);
        if number == next {
            let members = vec![None; engine.worlds.len()];
            self.classes.push(Class { types, rows, members });
        }
        let class = &mut self.classes[number];
        if let Some(first) = &class.members[world] {
            return vec![equivalence(first, &member, world)];
        }
        let list = engine.worlds.len();
        let others = class.members.iter().flatten();
        let between = others.map(|other| {
            let other_world = engine.schemas[other.instance.side.schema].world;
            if other_world < world {
                equivalence(other, &member, list)
            } else {
                equivalence(&member, other, list)
            }
        });
        let between = between.collect();
        class.members[world] = Some(member);
        between
    }
}

/// The types of the variables that make a difference, the rows of their assignments, and their order.
fn normal_form(engine: &Engine, instance: &Instance) -> (Vec<TypeIndex>, Vec<RowId>, Vec<usize>) {
    let all: Vec<usize> = (0..instance.types.len()).collect();
    let rows = instance.rows(engine, &all);
    let sizes: Vec<usize> = instance.types.iter().map(|of| engine.domain_size(*of)).collect();
    let mut relevant: Vec<usize> =
        all.into_iter().filter(|variable| is_relevant(&rows, &sizes, *variable)).collect();
    relevant.sort_by_key(|variable| instance.types[*variable]);
    let types: Vec<TypeIndex> = relevant.iter().map(|variable| instance.types[*variable]).collect();
    let orders = orders(&relevant, &types);
    let candidates = orders.into_iter().map(|order| (instance.rows(engine, &order), order));
    let (rows, order) = candidates.min().expect("there is an order");
    (types, rows, order)
}

/// Whether the variable makes a difference.
fn is_relevant(rows: &[RowId], sizes: &[usize], variable: usize) -> bool {
    let stride: usize = sizes[variable + 1..].iter().product();
    let block = stride * sizes[variable];
    rows.chunks(block).any(|block| block[stride..].iter().zip(block).any(|(row, before)| row != before))
}

/// The orders of the variables in which types are in order.
fn orders(variables: &[usize], types: &[TypeIndex]) -> Vec<Vec<usize>> {
    let Some(first) = types.first() else { return vec![Vec::new()] };
    let of_first = types.iter().take_while(|of| *of == first).count();
    let rests = orders(&variables[of_first..], &types[of_first..]);
    let permutations = permutations(&variables[..of_first]);
    permutations.iter().flat_map(|start| rests.iter().map(|rest| [&start[..], &rest[..]].concat())).collect()
}

fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        let rest: Vec<usize> = of.iter().copied().filter(|other| *other != first).collect();
        permutations(&rest).into_iter().map(move |rest| [&[first], &rest[..]].concat())
    };
    of.iter().flat_map(|first| with_first(*first)).collect()
}

/// Two terms of one class are equal: variables that make a difference are common, the others are not.
fn equivalence(left: &Member, right: &Member, list: usize) -> Found {
    let common: Vec<(usize, usize)> = left.order.iter().copied().zip(right.order.iter().copied()).collect();
    law_between(&left.instance, Relation::Equal, &right.instance, &common, list)
}

/// A law between two terms, with these pairs of variables in common.
pub(crate) fn law_between(
    left: &Instance,
    relation: Relation,
    right: &Instance,
    common: &[(usize, usize)],
    list: usize,
) -> Found {
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
    Found { left: left.side.clone(), relation, right, types, list }
}

impl Engine {
    /// Whether laws are about this schema: it has an operation that they are about, and it is not the case that
    /// it always fails because a part does.
    pub(crate) fn is_reported_on(&self, schema: usize) -> bool {
        let schema = &self.schemas[schema];
        let is_complete =
            || schema.grid.iter().all(|ground| self.table.is_complete(self.observed[*ground as usize]));
        schema.is_foreground && is_complete()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_effect_is_found() {
        let rows = [1, 1, 2, 2, 3, 3];
        assert!(is_relevant(&rows, &[3, 2], 0));
        assert!(!is_relevant(&rows, &[3, 2], 1));
    }

    #[test]
    fn variables_are_permuted_within_their_types() {
        assert_eq!(orders(&[4, 7, 5], &[0, 0, 1]), [[4, 7, 5], [7, 4, 5]]);
        assert_eq!(orders(&[], &[]), [[]; 1]);
        assert_eq!(permutations(&[1, 2, 3]).len(), 6);
    }
}
