//! Sets of values, and what an expression makes of them.
//!
//! Promise: [`View::values`] misses no value that an expression can have where its variables have theirs, and
//! [`View::can_fault`] misses no fault.

use super::arithmetic::{Fault, Value, arithmetic, compare};
use crate::flow::{Cell, FlowProgram, Operator, Place, Term, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most values that are told apart.
pub const MAX_VALUES: usize = 2048;

/// The most pairs of values that are combined one by one.
const MAX_PAIRS: usize = 1 << 16;

/// A set of values; `None` is everything.
pub(super) type Domain = Option<Arc<BTreeSet<Cell>>>;

/// What is known where a process is: the values of the variables that it alone assigns.
pub(super) type Known = Vec<Domain>;

/// The values of every variable at one place of one process.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) program: &'a FlowProgram,
    /// What holds everywhere.
    pub(super) everywhere: &'a [Domain],
    /// For each variable, the process that alone assigns it and its number there.
    pub(super) owners: &'a [Option<(u32, u32)>],
    /// The process, and what is known where it is.
    pub(super) here: (u32, &'a [Domain]),
}

impl View<'_> {
    fn domain(&self, var: VarId) -> &Domain {
        match self.owners[var.0 as usize] {
            Some((process, index)) if process == self.here.0 => &self.here.1[index as usize],
            _ => &self.everywhere[var.0 as usize],
        }
    }

    /// What an assignment of the expression stores.
    pub(super) fn cells(&self, term: &Term) -> Domain {
        let values = self.values(term)?;
        Some(Arc::new(values.into_iter().map(|value| value.map_or(Cell::Null, Cell::Int)).collect()))
    }

    /// What an expression can evaluate to, faults aside; `None` is anything.
    pub(super) fn values(&self, term: &Term) -> Option<BTreeSet<Value>> {
        match term {
            Term::Int(value) => Some(BTreeSet::from([Some(*value)])),
            Term::Null | Term::Truth(_) | Term::Not(_) => Some(BTreeSet::from([None])),
            Term::Var(var) | Term::Element(var, _) => {
                Some(self.domain(*var).as_ref()?.iter().map(|cell| value(*cell)).collect())
            }
            Term::Negative(inner) => {
                let zero = BTreeSet::from([Some(0)]);
                combine(Operator::Subtract, &zero, &self.values(inner)?)
            }
            Term::Binary(operator, left, right) => match (self.values(left), self.values(right)) {
                (Some(left), Some(right)) => combine(*operator, &left, &right),
                (None, Some(right)) if *operator == Operator::Remainder => remainders(&right),
                _ => None,
            },
        }
    }

    /// Can evaluating the expression go wrong?
    pub(super) fn can_fault(&self, term: &Term) -> bool {
        match term {
            Term::Int(_) | Term::Null | Term::Truth(_) | Term::Var(_) => false,
            Term::Element(var, index) => self.can_fault(index) || self.can_miss(*var, index),
            Term::Negative(inner) => {
                let least = || self.values(inner).is_none_or(|values| values.contains(&Some(i64::MIN)));
                self.can_fault(inner) || least()
            }
            Term::Not(inner) => self.can_fault(inner),
            Term::Binary(operator, left, right) => {
                self.can_fault(left)
                    || self.can_fault(right)
                    || (!operator.is_test() && self.arithmetic_can_fault(*operator, left, right))
            }
        }
    }

    /// Can finding the place of an assignment go wrong?
    pub(super) fn place_can_fault(&self, place: &Place) -> bool {
        match place {
            Place::Var(_) => false,
            Place::Element(var, index) => self.can_fault(index) || self.can_miss(*var, index),
        }
    }

    /// Can the index be outside of the array?
    fn can_miss(&self, var: VarId, index: &Term) -> bool {
        let length = self.program.variables[var.0 as usize].length.unwrap_or(0) as i64;
        let inside = |index: &Value| index.is_some_and(|index| (0..length).contains(&index));
        self.values(index).is_none_or(|values| !values.iter().all(inside))
    }

    fn arithmetic_can_fault(&self, operator: Operator, left: &Term, right: &Term) -> bool {
        match (self.values(left), self.values(right)) {
            (Some(left), Some(right)) if left.len() * right.len() <= MAX_PAIRS => {
                left.iter().any(|left| right.iter().any(|right| arithmetic(operator, *left, *right).is_err()))
            }
            (_, Some(right)) if operator == Operator::Remainder => right.contains(&Some(0)),
            _ => true,
        }
    }

    /// What is still possible here where the test came out so; `None` where it cannot.
    pub(super) fn refine(&self, test: &Term, outcome: bool) -> Option<Known> {
        let both = |left: &Term, right: &Term| {
            let known = self.refine(left, outcome)?;
            View { here: (self.here.0, &known), ..*self }.refine(right, outcome)
        };
        match (test, outcome) {
            (Term::Truth(value), _) => (*value == outcome).then(|| self.here.1.to_vec()),
            (Term::Not(inner), _) => self.refine(inner, !outcome),
            (Term::Binary(Operator::And, left, right), true)
            | (Term::Binary(Operator::Or, left, right), false) => both(left, right),
            (Term::Binary(operator, left, right), _) if !operator.takes_tests() => {
                let known = self.keep(self.here.1.to_vec(), left, right, &|this, other| {
                    compare(*operator, this, other) == outcome
                })?;
                self.keep(known, right, left, &|this, other| compare(*operator, other, this) == outcome)
            }
            _ => Some(self.here.1.to_vec()),
        }
    }

    /// If `side` is a variable of this process, keeps the values for which `other` has one that fits.
    fn keep(
        &self,
        mut known: Known,
        side: &Term,
        other: &Term,
        fits: &dyn Fn(Value, Value) -> bool,
    ) -> Option<Known> {
        let Term::Var(var) = side else { return Some(known) };
        let index = match self.owners[var.0 as usize] {
            Some((process, index)) if process == self.here.0 => index as usize,
            _ => return Some(known),
        };
        let (Some(cells), Some(others)) = (known[index].clone(), self.values(other)) else {
            return Some(known);
        };
        if cells.len() * others.len() > MAX_PAIRS {
            return Some(known);
        }
        let fitting = |cell: &&Cell| others.iter().any(|other| fits(value(**cell), *other));
        let kept: BTreeSet<Cell> = cells.iter().filter(fitting).copied().collect();
        if kept.is_empty() {
            return None;
        }
        if kept.len() < cells.len() {
            known[index] = Some(Arc::new(kept));
        }
        Some(known)
    }
}

fn combine(operator: Operator, left: &BTreeSet<Value>, right: &BTreeSet<Value>) -> Option<BTreeSet<Value>> {
    if operator.is_test() {
        return Some(BTreeSet::from([None]));
    }
    if left.len() * right.len() > MAX_PAIRS {
        return if operator == Operator::Remainder { remainders(right) } else { None };
    }
    let pairs = left.iter().flat_map(|left| right.iter().map(|right| arithmetic(operator, *left, *right)));
    let results: BTreeSet<Value> = pairs.filter_map(Result::<Value, Fault>::ok).collect();
    (results.len() <= MAX_VALUES).then_some(results)
}

/// What is left of anything when it is divided by one of these.
fn remainders(divisors: &BTreeSet<Value>) -> Option<BTreeSet<Value>> {
    let largest = divisors.iter().flatten().map(|divisor| divisor.unsigned_abs()).max().unwrap_or(0);
    let bound = i64::try_from(largest).ok().filter(|bound| *bound <= MAX_VALUES as i64 / 2)?;
    Some((1 - bound..bound).map(Some).chain([None]).collect())
}

/// What reading a variable gives.
pub(super) fn value(cell: Cell) -> Value {
    match cell {
        Cell::Int(value) => Some(value),
        Cell::Null | Cell::Undefined => None,
    }
}
