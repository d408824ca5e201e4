//! The rows of a term as a function of its variables, in a normal form that other names do not change.
//!
//! A term is seen along dimensions. Usually a dimension is a variable with all its values; under a
//! condition it has some of the values, or is a pair of variables with some pairs of values. A dimension
//! that makes no difference is left out; the others are put in the order of their kinds, and within a kind
//! in the order that gives the least list of rows.

use super::condition::Restraint;
use crate::discover::engine::{Engine, GroundId, Instance, odometer};
use std::hash::{BuildHasher, Hash, RandomState};

/// A direction in the grid of a term.
#[derive(Clone, Debug)]
pub(crate) struct Dimension {
    /// Dimensions of one kind can be exchanged: the number of the type, or [`SPECIAL`].
    pub(crate) kind: u16,
    /// The variables that change along it.
    pub(crate) variables: Vec<usize>,
    /// Where the values are in the grid.
    pub(crate) offsets: Vec<usize>,
}

/// The kind of a dimension of which there is only one.
const SPECIAL: u16 = u16::MAX;

/// What is compared of a ground term: the number of its row.
pub(crate) type Rows<'r> = dyn Fn(GroundId) -> u32 + 'r;

/// A term along its dimensions.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) instance: Instance,
    /// In the order of the normal form.
    pub(crate) dimensions: Vec<Dimension>,
    /// Where its first assignment is in the grid.
    base: usize,
    /// The variables under a condition.
    pub(crate) restrained: Vec<usize>,
}

impl View {
    /// The term with all values.
    pub(crate) fn whole(engine: &Engine, instance: &Instance) -> View {
        View::new(engine, instance, &|_| None, Vec::new())
    }

    /// The term with values that satisfy a condition on these variables.
    pub(crate) fn restrained(
        engine: &Engine,
        instance: &Instance,
        restraint: &Restraint,
        on: Vec<usize>,
    ) -> View {
        match restraint {
            Restraint::Values { places, .. } => {
                let is_special = on.len() == 1;
                let chosen = |variable: usize| on.contains(&variable).then(|| (places.clone(), is_special));
                View::new(engine, instance, &chosen, on.clone())
            }
            Restraint::Seeds { .. } => View::whole(engine, instance),
            Restraint::Pairs { pairs, .. } => {
                let [first, second] = on[..] else { unreachable!("pairs are two variables") };
                let mut view = View::new(engine, instance, &|_| None, on.clone());
                view.dimensions.retain(|dimension| !on.contains(&dimension.variables[0]));
                let [one, other] = [first, second].map(|variable| instance.strides[variable]);
                let offsets = pairs.iter().map(|(left, right)| left * one + right * other).collect();
                view.dimensions.push(Dimension { kind: SPECIAL, variables: on, offsets });
                view.base = base_of(&view.dimensions);
                view
            }
        }
    }

    /// Variables have all their values, or those that the function returns; and may be of a kind of their
    /// own.
    fn new(
        engine: &Engine,
        instance: &Instance,
        chosen: &dyn Fn(usize) -> Option<(Vec<usize>, bool)>,
        restrained: Vec<usize>,
    ) -> View {
        let dimension = |variable: usize| {
            let of = instance.types[variable];
            let (places, is_special) =
                chosen(variable).unwrap_or_else(|| ((0..engine.domain_size(of)).collect(), false));
            let stride = instance.strides[variable];
            let offsets = places.into_iter().map(|place| place * stride).collect();
            let kind = if is_special { SPECIAL } else { u16::from(of) };
            Dimension { kind, variables: vec![variable], offsets }
        };
        let dimensions: Vec<Dimension> = (0..instance.types.len()).map(dimension).collect();
        View { instance: instance.clone(), base: base_of(&dimensions), dimensions, restrained }
    }

    /// The rows along its dimensions.
    pub(crate) fn rows(&self, engine: &Engine, of: &Rows<'_>) -> Vec<u32> {
        self.rows_along(engine, &self.dimensions.iter().collect::<Vec<_>>(), of)
    }

    fn rows_along(&self, engine: &Engine, dimensions: &[&Dimension], of: &Rows<'_>) -> Vec<u32> {
        let grid = &engine.schemas[self.instance.side.schema].grid;
        let sizes: Vec<usize> = dimensions.iter().map(|dimension| dimension.offsets.len()).collect();
        let base = self.base - dimensions.iter().map(|dimension| dimension.offsets[0]).sum::<usize>();
        let mut rows = Vec::with_capacity(sizes.iter().product());
        odometer(&sizes, |places| {
            let offsets = places.iter().zip(dimensions).map(|(place, dimension)| dimension.offsets[*place]);
            rows.push(of(grid[base + offsets.sum::<usize>()]));
        });
        rows
    }

    /// The rows in normal form. Leaves out dimensions that make no difference, and puts the others in
    /// order.
    pub(crate) fn normalise(&mut self, engine: &Engine, of: &Rows<'_>) -> Vec<u32> {
        let rows = self.rows(engine, of);
        let (kinds, sizes): (Vec<u16>, Vec<usize>) = self.kinds().into_iter().unzip();
        let orders = normal_orders(&rows, &kinds, &sizes);
        let ordered =
            |order: &[usize]| order.iter().map(|place| &self.dimensions[*place]).collect::<Vec<_>>();
        let candidates =
            orders.into_iter().map(|order| (self.rows_along(engine, &ordered(&order), of), order));
        let (rows, order) = candidates.min().expect("there is an order");
        self.dimensions = order.iter().map(|place| self.dimensions[*place].clone()).collect();
        rows
    }

    /// The variables of a normal form, if each of its dimensions is one.
    pub(crate) fn variables(&self) -> impl Iterator<Item = usize> {
        self.dimensions.iter().map(|dimension| dimension.variables[0])
    }

    /// The exchanges of variables of a normal form that change no row, each as pairs.
    pub(crate) fn exchanges(&self, engine: &Engine, of: &Rows<'_>) -> Vec<Vec<(usize, usize)>> {
        let rows = self.rows(engine, of);
        let places: Vec<usize> = (0..self.dimensions.len()).collect();
        let kinds: Vec<u16> = self.dimensions.iter().map(|dimension| dimension.kind).collect();
        let is_same = |order: &Vec<usize>| {
            let along: Vec<&Dimension> = order.iter().map(|place| &self.dimensions[*place]).collect();
            self.rows_along(engine, &along, of) == rows
        };
        let exchanged =
            orders(&places, &kinds).into_iter().filter(|order| *order != places && is_same(order));
        let variable = |place: &usize| self.dimensions[*place].variables[0];
        let pairs = |order: Vec<usize>| self.variables().zip(order.iter().map(variable)).collect();
        exchanged.map(pairs).collect()
    }

    /// What tells normal forms apart beside their rows.
    pub(crate) fn kinds(&self) -> Vec<(u16, usize)> {
        self.dimensions.iter().map(|dimension| (dimension.kind, dimension.offsets.len())).collect()
    }
}

/// Where the first assignment along these dimensions is.
fn base_of(dimensions: &[Dimension]) -> usize {
    dimensions.iter().map(|dimension| dimension.offsets[0]).sum()
}

/// The orders of dimensions that a normal form may have: those that make a difference, by their kinds.
pub(crate) fn normal_orders<T: Copy + Eq>(values: &[T], kinds: &[u16], sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut relevant: Vec<usize> =
        (0..kinds.len()).filter(|place| is_relevant(values, sizes, *place)).collect();
    relevant.sort_by_key(|place| kinds[*place]);
    let kinds: Vec<u16> = relevant.iter().map(|place| kinds[*place]).collect();
    orders(&relevant, &kinds)
}

/// Whether the dimension makes a difference.
fn is_relevant<T: Copy + Eq>(values: &[T], sizes: &[usize], dimension: usize) -> bool {
    let stride: usize = sizes[dimension + 1..].iter().product();
    let block = stride * sizes[dimension];
    block > 0
        && values
            .chunks(block)
            .any(|block| block[stride..].iter().zip(block).any(|(one, other)| one != other))
}

/// The orders in which kinds are in order.
fn orders(places: &[usize], kinds: &[u16]) -> Vec<Vec<usize>> {
    let Some(first) = kinds.first() else { return vec![Vec::new()] };
    let of_first = kinds.iter().take_while(|kind| *kind == first).count();
    let rests = orders(&places[of_first..], &kinds[of_first..]);
    let starts = permutations(&places[..of_first]);
    starts.iter().flat_map(|start| rests.iter().map(|rest| [&start[..], &rest[..]].concat())).collect()
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

/// Two independent hash functions in one number: what is equal by it is compared once more.
#[derive(Default)]
pub(crate) struct Fingerprint {
    states: [RandomState; 2],
}

impl Fingerprint {
    pub(crate) fn of(&self, thing: &impl Hash) -> u128 {
        let [one, other] = self.states.each_ref().map(|state| state.hash_one(thing));
        u128::from(one) << 64 | u128::from(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dimension_without_effect_is_found() {
        let rows = [1, 1, 2, 2, 3, 3];
        assert!(is_relevant(&rows, &[3, 2], 0));
        assert!(!is_relevant(&rows, &[3, 2], 1));
    }

    #[test]
    fn dimensions_are_permuted_within_their_kinds() {
        assert_eq!(orders(&[4, 7, 5], &[0, 0, 1]), [[4, 7, 5], [7, 4, 5]]);
        assert_eq!(orders(&[], &[]), [Vec::<usize>::new()]);
        assert_eq!(permutations(&[1, 2, 3]).len(), 6);
    }
}
