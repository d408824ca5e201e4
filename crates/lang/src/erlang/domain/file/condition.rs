//! Tests of an abstraction: comparisons of a number, or of its remainder, with constants.
//!
//! Promise: a condition has one truth value on each region of its [`Condition::divide`].

use super::super::regions::Grid;
use super::super::stride::floor_mod;
use num_bigint::BigInt;

/// A test of one number, `n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The number itself, or its remainder by a modulus, from 0 up to the modulus, is in a set.
    Test(Option<u64>, Relation),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// A set of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Below(BigInt),
    /// Ranges, both ends included.
    In(Vec<(BigInt, BigInt)>),
}

impl Relation {
    fn holds(&self, n: &BigInt) -> bool {
        match self {
            Relation::Below(bound) => n < bound,
            Relation::In(ranges) => ranges.iter().any(|(low, high)| low <= n && n <= high),
        }
    }
}

impl Condition {
    /// `n` is one number.
    pub(super) fn equal(modulus: Option<u64>, n: BigInt) -> Condition {
        Condition::Test(modulus, Relation::In(vec![(n.clone(), n)]))
    }

    pub(super) fn holds(&self, n: &BigInt) -> bool {
        match self {
            Condition::Test(None, relation) => relation.holds(n),
            Condition::Test(Some(modulus), relation) => {
                relation.holds(&floor_mod(n, &BigInt::from(*modulus)))
            }
            Condition::Not(inner) => !inner.holds(n),
            Condition::All(parts) => parts.iter().all(|part| part.holds(n)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(n)),
        }
    }

    /// Adds what divides the integers into regions on which the condition is constant.
    pub(super) fn divide(&self, grid: &mut Grid) {
        match self {
            Condition::Test(Some(modulus), _) => {
                grid.moduli.insert(*modulus);
            }
            Condition::Test(None, Relation::Below(bound)) => {
                grid.cuts.insert(bound.clone());
            }
            Condition::Test(None, Relation::In(ranges)) => {
                grid.cuts.extend(ranges.iter().flat_map(|(low, high)| [low.clone(), high + 1]));
            }
            Condition::Not(inner) => inner.divide(grid),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.divide(grid)),
        }
    }
}
