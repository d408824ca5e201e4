//! Schemas with their grids: the ground term of each assignment of values to holes.
//!
//! The grid of an instance is a part of that of its schema: a variable of several holes moves in all of
//! their directions at once. So is a side of a law, whose variables are those of both sides.

use super::explained::Same;
use super::{Engine, GroundId};
use crate::discover::signature::TypeIndex;
use crate::discover::term::Effect;
use crate::discover::term::generate::{Holed, PartUse};
use crate::discover::term::partition::{Partition, variable_types};

/// A schema.
pub(crate) struct Schema {
    pub(crate) holed: Holed<Effect>,
    /// The schemas that it is made of: two or none.
    pub(crate) parts: Vec<usize>,
    pub(crate) world: usize,
    pub(crate) size: usize,
    /// Whether it has an operation that laws are about.
    pub(crate) is_foreground: bool,
    /// The ground term of each assignment; the last hole changes fastest.
    pub(crate) grid: Vec<GroundId>,
    /// How far the values of each hole are apart in the grid.
    pub(crate) strides: Vec<usize>,
    /// Where it is part of larger schemas.
    pub(crate) place: PartUse,
    /// The smaller schema that does the same, if there is one.
    pub(crate) same: Option<Same>,
    /// Whether a smaller schema explains it.
    pub(crate) is_explained: bool,
}

/// How far the values of each dimension are apart in a grid of these sizes.
pub(crate) fn strides(sizes: &[usize]) -> Vec<usize> {
    (0..sizes.len()).map(|place| sizes[place + 1..].iter().product()).collect()
}

/// Calls the function with each combination of places; the last one changes fastest.
pub(crate) fn odometer(sizes: &[usize], mut visit: impl FnMut(&[usize])) {
    odometer_while(sizes, |places| {
        visit(places);
        true
    });
}

/// The same as long as the function returns `true`. Returns whether it always did.
pub(crate) fn odometer_while(sizes: &[usize], mut visit: impl FnMut(&[usize]) -> bool) -> bool {
    if sizes.contains(&0) {
        return true;
    }
    let mut places = vec![0; sizes.len()];
    loop {
        if !visit(&places) {
            return false;
        }
        let next = (0..sizes.len()).rev().find(|place| places[*place] + 1 < sizes[*place]);
        let Some(place) = next else { return true };
        places[place] += 1;
        places[place + 1..].fill(0);
    }
}

/// Where the assignment is in a grid with these strides.
pub(crate) fn at(places: &[usize], strides: &[usize]) -> usize {
    places.iter().zip(strides).map(|(place, stride)| place * stride).sum()
}

/// A schema whose holes have variables of some namespace: its own, or that of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) schema: usize,
    /// The variable of each hole.
    pub(crate) names: Vec<u8>,
}

impl Side {
    /// How far the values of each variable of the namespace are apart in the schema's grid.
    pub(crate) fn strides(&self, engine: &Engine, variables: usize) -> Vec<usize> {
        let mut strides = vec![0; variables];
        for (name, stride) in self.names.iter().zip(&engine.schemas[self.schema].strides) {
            strides[usize::from(*name)] += stride;
        }
        strides
    }

    /// The term with these names.
    pub(crate) fn term(&self, engine: &Engine) -> Effect {
        engine.schemas[self.schema].holed.term.rename(&self.names)
    }
}

/// A term of a schema: some of its holes have one variable.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) side: Side,
    /// The type of each variable.
    pub(crate) types: Vec<TypeIndex>,
    pub(crate) strides: Vec<usize>,
}

impl Instance {
    pub(crate) fn new(engine: &Engine, schema: usize, partition: Partition) -> Instance {
        let types = variable_types(&partition, &engine.schemas[schema].holed.holes);
        let side = Side { schema, names: partition };
        let strides = side.strides(engine, types.len());
        Instance { side, types, strides }
    }
}

impl Engine {
    /// How many values variables of this type have.
    pub(crate) fn domain_size(&self, of: TypeIndex) -> usize {
        self.domains[usize::from(of)].len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_changes_fastest() {
        let mut seen = Vec::new();
        odometer(&[2, 3], |places| seen.push(places.to_vec()));
        assert_eq!(seen, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(strides(&[2, 3]), [3, 1]);
        let mut visits = 0;
        odometer(&[], |_| visits += 1);
        odometer(&[2, 0], |_| visits += 10);
        assert_eq!(visits, 1);
    }
}
