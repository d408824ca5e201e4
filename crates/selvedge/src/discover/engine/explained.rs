//! Schemas that a smaller one explains: nothing is reported on them.
//!
//! `take >> (read >> take)` has a part that equals `take` in results, failures and the whole state, and
//! with `take` in its place it is `take >> take`. If both have the same behaviours, which is looked up, a
//! law about the first says nothing that laws about its part and about the second do not say. The schema is
//! made, explored and part of larger ones all the same, because equal parts need not be equal inside of
//! every term. Only parts that are compounds themselves are replaced: what laws say of single operations is
//! told for each of them.

use super::{Engine, NO_ROW, odometer};
use crate::discover::names::Names;
use crate::discover::signature::TypeIndex;
use crate::discover::term::ground::ValueId;
use crate::discover::term::{Argument, Effect};

/// A smaller schema that equals this one in results, failures and the whole state.
#[derive(Clone, Debug)]
pub(crate) struct Same {
    /// The other schema.
    pub(crate) schema: usize,
    /// For each hole of the other one, the hole of this one with its value; `None` if it makes no
    /// difference.
    pub(crate) holes: Vec<Option<usize>>,
}

/// What stands in the place of a hole of a part.
#[derive(Clone, Copy)]
enum Filled {
    Variable(u8),
    /// The result of the first part.
    Bound,
}

impl Engine {
    /// Marks the schemas from this number on that smaller ones explain.
    pub(super) fn mark_explained(&mut self, first_new: usize) {
        let pruning = self.limits.pruning;
        if pruning.consequences && pruning.congruent {
            for schema in first_new..self.schemas.len() {
                let explained = self.simpler(schema).into_iter().find(|(term, extra)| {
                    self.schemas[schema].holed.term != *term && self.is_same_observed(schema, term, extra)
                });
                self.schemas[schema].is_explained = explained.is_some();
                if let Some((term, extra)) = explained {
                    let text = self.explanation(schema, term, &extra);
                    self.left_out.push(text);
                }
            }
        }
    }

    /// `take >> (read >> take): explained by take >> take`.
    fn explanation(&self, schema: usize, term: Effect, extra: &[TypeIndex]) -> String {
        let schema = &self.schemas[schema].holed;
        let (sides, types) = ([schema.term.clone(), term], [&schema.holes[..], extra].concat());
        let names = Names::of_variables(&self.vocabulary, &sides, &types);
        let [this, other] = sides.map(|side| names.term(&self.vocabulary, &side));
        format!("{this}: explained by {other}")
    }

    /// The schema with a part replaced by an equal one, and the types of the holes that this one has beside.
    fn simpler(&self, schema: usize) -> Vec<(Effect, Vec<TypeIndex>)> {
        let schema = &self.schemas[schema];
        let [first_number, second_number] = schema.parts[..] else { return Vec::new() };
        let (join, first, second): (fn(_, _) -> Effect, _, _) = match &schema.holed.term {
            Effect::Call(..) => return Vec::new(),
            Effect::Then(first, second) => (Effect::Then, first, second),
            Effect::Bind(first, second) => (Effect::Bind, first, second),
            Effect::Beside(left, right) => (Effect::Beside, left, right),
        };
        let holes = schema.holed.holes.len();
        let of_first = self.replaced(first_number, first, holes);
        let of_second = self.replaced(second_number, second, holes);
        let with_first = of_first.map(|(term, extra)| (join(term.into(), second.clone()), extra));
        let with_second = of_second.map(|(term, extra)| (join(first.clone(), term.into()), extra));
        with_first.into_iter().chain(with_second).collect()
    }

    /// The part, as it stands in a schema with so many holes, replaced by the one that it equals.
    fn replaced(&self, part: usize, stands: &Effect, holes: usize) -> Option<(Effect, Vec<TypeIndex>)> {
        let same = self.schemas[part].same.as_ref()?;
        let filled = filled(&self.schemas[part].holed.term, stands);
        let other = &self.schemas[same.schema].holed;
        let mut extra = Vec::new();
        let term = other.term.map_leaves(&mut |leaf, depth| {
            let Argument::Variable(hole) = leaf else { return leaf.clone() };
            match same.holes[usize::from(*hole)].map(|hole| filled[hole]) {
                Some(Filled::Variable(variable)) => Argument::Variable(variable),
                Some(Filled::Bound) => Argument::Bound(depth),
                None => {
                    extra.push(other.holes[usize::from(*hole)]);
                    Argument::Variable((holes + extra.len() - 1) as u8)
                }
            }
        });
        Some((term, extra))
    }

    /// Whether the term has the behaviours of the schema for all values. Holes that it has beside do not
    /// matter.
    fn is_same_observed(&mut self, schema: usize, term: &Effect, extra: &[TypeIndex]) -> bool {
        let holes = self.schemas[schema].holed.holes.clone();
        let sizes: Vec<usize> = holes.iter().map(|of| self.domain_size(*of)).collect();
        let grid = self.schemas[schema].grid.clone();
        let mut assignments: Vec<Vec<ValueId>> = Vec::with_capacity(grid.len());
        odometer(&sizes, |places| {
            let values = places.iter().zip(&holes).map(|(place, of)| self.domains[usize::from(*of)][*place]);
            let firsts = extra.iter().map(|of| self.domains[usize::from(*of)][0]);
            assignments.push(values.chain(firsts).collect());
        });
        grid.iter().zip(assignments).all(|(ground, assignment)| {
            let simpler = self.ground(term, &assignment);
            let [row, simpler] = [*ground, simpler].map(|ground| self.observed[ground as usize]);
            simpler != NO_ROW && row == simpler
        })
    }
}

/// What stands in the place of each hole of a part.
fn filled(part: &Effect, stands: &Effect) -> Vec<Filled> {
    let leaves = |term: &Effect| {
        let mut leaves = Vec::new();
        term.map_leaves(&mut |leaf, _| {
            leaves.push(leaf.clone());
            leaf.clone()
        });
        leaves
    };
    let pairs = leaves(part).into_iter().zip(leaves(stands));
    let holes = pairs.filter(|(hole, _)| matches!(hole, Argument::Variable(_)));
    let filled = holes.map(|(_, leaf)| match leaf {
        Argument::Variable(variable) => Filled::Variable(variable),
        _ => Filled::Bound,
    });
    filled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_of_a_part_are_filled_with_variables_and_results() {
        let call = |arguments: Vec<Argument>| Effect::Call(0, arguments);
        let part = call(vec![Argument::Variable(0), Argument::Constant(0), Argument::Variable(1)]);
        let stands = call(vec![Argument::Variable(3), Argument::Constant(0), Argument::Bound(0)]);
        assert!(matches!(filled(&part, &stands)[..], [Filled::Variable(3), Filled::Bound]));
    }
}
