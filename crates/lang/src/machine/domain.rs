//! Sets of values, and abstract evaluation of expressions on them.
//!
//! Promise: [`View::values`] contains every value that an expression can have where its variables have
//! values of their sets, and [`View::can_fault`] misses no fault.

use super::local_variables::LocalVariables;
use super::never_negative::NeverNegative;
use crate::flow_graph::arithmetic::{Fault, Value, arithmetic, compare};
use crate::flow_graph::{Cell, ChannelPlace, FlowGraphs, Lvalue, Operator, Pattern, Term, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest set of values; a larger one becomes the set of all values.
pub const MAX_VALUES: usize = 2048;

/// The most pairs of values that are combined one by one.
const MAX_PAIRS: usize = 1 << 16;

/// A set of values; `None` is the set of all values.
pub(super) type Domain = Option<Arc<BTreeSet<Cell>>>;

/// The values of a process's [`LocalVariables`] at one of its nodes.
pub(super) type LocalDomains = Vec<Domain>;

/// The values of every variable at one node of one process.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) program: &'a FlowGraphs,
    /// By variable, its values anywhere.
    pub(super) global: &'a [Domain],
    pub(super) never_negative: &'a NeverNegative,
    pub(super) local_variables: &'a LocalVariables,
    /// The process, and its local domains at the node.
    pub(super) local: (u32, &'a [Domain]),
}

impl View<'_> {
    fn domain(&self, var: VarId) -> &Domain {
        match self.local_variables.index(self.local.0, var) {
            Some(index) => &self.local.1[index],
            None => &self.global[var.0 as usize],
        }
    }

    /// The values that an assignment of the expression stores.
    pub(super) fn cells(&self, term: &Term) -> Domain {
        let values = self.values(term)?;
        Some(Arc::new(values.into_iter().map(|value| value.map_or(Cell::Null, Cell::Int)).collect()))
    }

    /// The values that an expression can have, faults aside; `None` is all values.
    pub(super) fn values(&self, term: &Term) -> Option<BTreeSet<Value>> {
        match term {
            Term::Int(value) | Term::Name(_, value) => Some(BTreeSet::from([Some(*value)])),
            Term::Null => Some(BTreeSet::from([None])),
            Term::Truth(value) => Some(BTreeSet::from([Some(i64::from(*value))])),
            test if test.is_test() => Some(truth_values()),
            Term::Not(_) => Some(truth_values()),
            Term::Var(var) | Term::Element(var, _) => {
                Some(self.domain(*var).as_ref()?.iter().map(|cell| value(*cell)).collect())
            }
            Term::Negative(inner) => {
                let zero = BTreeSet::from([Some(0)]);
                combine(Operator::Subtract, &zero, &self.values(inner)?)
            }
            Term::Binary(operator, left, right) => match (self.values(left), self.values(right)) {
                (Some(left), Some(right)) => combine(*operator, &left, &right),
                (None, Some(right)) if *operator == Operator::Remainder => {
                    remainders(self.never_negative.term(left), &right)
                }
                _ => None,
            },
        }
    }

    /// Can evaluating the expression fault?
    pub(super) fn can_fault(&self, term: &Term) -> bool {
        match term {
            Term::Int(_) | Term::Null | Term::Name(..) | Term::Truth(_) | Term::Var(_) => false,
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

    /// Can evaluating the index of an l-value fault, or the index be out of range?
    pub(super) fn lvalue_can_fault(&self, lvalue: &Lvalue) -> bool {
        match lvalue {
            Lvalue::Var(_) => false,
            Lvalue::Element(var, index) => self.can_fault(index) || self.can_miss(*var, index),
        }
    }

    /// Can the index of a channel fault, or be out of range?
    pub(super) fn place_can_fault(&self, place: &ChannelPlace) -> bool {
        let count = self.program.channels[place.channel.0 as usize].count;
        place.index.as_ref().is_some_and(|index| self.can_fault(index) || self.can_miss(count, index))
    }

    /// Can assigning a field of a message fault?
    pub(super) fn pattern_can_fault(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Match(..) => false,
            Pattern::Store(lvalue) => self.lvalue_can_fault(lvalue),
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

    /// The local domains restricted to the values for which the test can have this outcome; `None` if it
    /// never has.
    pub(super) fn refine(&self, test: &Term, outcome: bool) -> Option<LocalDomains> {
        let both = |left: &Term, right: &Term| {
            let domains = self.refine(left, outcome)?;
            View { local: (self.local.0, &domains), ..*self }.refine(right, outcome)
        };
        match (test, outcome) {
            (Term::Truth(value), _) => (*value == outcome).then(|| self.local.1.to_vec()),
            (Term::Not(inner), _) => self.refine(inner, !outcome),
            (Term::Binary(Operator::And, left, right), true)
            | (Term::Binary(Operator::Or, left, right), false) => both(left, right),
            (Term::Binary(operator, left, right), _) if !operator.takes_tests() => {
                let domains = self.restrict(self.local.1.to_vec(), left, right, &|this, other| {
                    compare(*operator, this, other) == outcome
                })?;
                self.restrict(domains, right, left, &|this, other| compare(*operator, other, this) == outcome)
            }
            _ => Some(self.local.1.to_vec()),
        }
    }

    /// If `side` is a variable of this process, keeps the values for which `other` has a value that fits.
    fn restrict(
        &self,
        mut domains: LocalDomains,
        side: &Term,
        other: &Term,
        fits: &dyn Fn(Value, Value) -> bool,
    ) -> Option<LocalDomains> {
        let Term::Var(var) = side else { return Some(domains) };
        let Some(index) = self.local_variables.index(self.local.0, *var) else { return Some(domains) };
        let (Some(cells), Some(others)) = (domains[index].clone(), self.values(other)) else {
            return Some(domains);
        };
        if cells.len() * others.len() > MAX_PAIRS {
            return Some(domains);
        }
        let fitting = |cell: &&Cell| others.iter().any(|other| fits(value(**cell), *other));
        let remaining: BTreeSet<Cell> = cells.iter().filter(fitting).copied().collect();
        if remaining.is_empty() {
            return None;
        }
        if remaining.len() < cells.len() {
            domains[index] = Some(Arc::new(remaining));
        }
        Some(domains)
    }
}

/// False and true.
fn truth_values() -> BTreeSet<Value> {
    BTreeSet::from([Some(0), Some(1)])
}

fn combine(operator: Operator, left: &BTreeSet<Value>, right: &BTreeSet<Value>) -> Option<BTreeSet<Value>> {
    if operator.is_test() {
        return Some(truth_values());
    }
    if left.len() * right.len() > MAX_PAIRS {
        let is_natural = |value: &Value| value.is_some_and(|value| value >= 0);
        return match operator {
            Operator::Remainder => remainders(left.iter().all(is_natural), right),
            _ => None,
        };
    }
    let pairs = left.iter().flat_map(|left| right.iter().map(|right| arithmetic(operator, *left, *right)));
    let results: BTreeSet<Value> = pairs.filter_map(Result::<Value, Fault>::ok).collect();
    (results.len() <= MAX_VALUES).then_some(results)
}

/// The remainders by one of these divisors of all values, or of those that are not null or negative.
fn remainders(never_negative: bool, divisors: &BTreeSet<Value>) -> Option<BTreeSet<Value>> {
    let largest = divisors.iter().flatten().map(|divisor| divisor.unsigned_abs()).max().unwrap_or(0);
    let bound = i64::try_from(largest).ok().filter(|bound| *bound <= MAX_VALUES as i64 / 2)?;
    let least = if never_negative { 0 } else { 1 - bound };
    let null = (!never_negative || divisors.contains(&None)).then_some(None);
    Some((least..bound).map(Some).chain(null).collect())
}

/// The value that reading a variable gives.
pub(super) fn value(cell: Cell) -> Value {
    match cell {
        Cell::Int(value) => Some(value),
        Cell::Null | Cell::Undefined => None,
    }
}
