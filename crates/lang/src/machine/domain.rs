//! Which values a variable can take.
//!
//! A fixpoint that looks at every assignment of the program and at no order between them: what is assigned to a variable is
//! computed from the sets of the variables that are read. Sets that grow beyond [`MAX_VALUES`], and all that still grow when
//! [`MAX_WORK`] is spent, become everything.
//!
//! Promise: no run of the program gives a variable a value outside of its set.

use super::arithmetic::{Fault, Value, arithmetic};
use crate::flow::{Cell, Effect, FlowProgram, Operator, Place, Term, VarId};
use std::collections::BTreeSet;

/// The most values that are told apart.
pub const MAX_VALUES: usize = 2048;

/// How many values may be computed in all before sets that still grow are given up.
pub const MAX_WORK: usize = 1 << 18;

/// A set of values; `None` is everything.
pub(super) type Domain = Option<BTreeSet<Cell>>;

/// The values of every variable and of every channel's messages.
#[derive(Clone, Debug)]
pub(super) struct Domains {
    pub(super) variables: Vec<Domain>,
    pub(super) channels: Vec<Domain>,
    work: usize,
}

/// Where values flow from and to.
enum Flow<'a> {
    Assign(usize, &'a Term),
    Send(usize, &'a Term),
    Receive(usize, usize),
}

/// The least sets that are closed under the program's assignments.
pub(super) fn infer(program: &FlowProgram) -> Domains {
    let initial = program.variables.iter().map(|variable| Some(BTreeSet::from([variable.initial])));
    let mut domains = Domains {
        variables: initial.collect(),
        channels: vec![Some(BTreeSet::new()); program.channels.len()],
        work: 0,
    };
    let mut flows = Vec::new();
    let edges = program.graphs.iter().flat_map(|graph| &graph.nodes).flat_map(|node| &node.edges);
    for edge in edges {
        match &edge.effect {
            Effect::Assign(place, value) => flows.push(Flow::Assign(variable(place), value)),
            Effect::Send(channel, value) => flows.push(Flow::Send(channel.0 as usize, value)),
            Effect::Receive(channel, place) => {
                flows.push(Flow::Receive(channel.0 as usize, variable(place)));
            }
            Effect::Nothing | Effect::Assert(_) | Effect::Atomic(_) => {}
        }
    }
    while flows.iter().fold(false, |grown, flow| domains.apply(flow) | grown) {}
    domains
}

fn variable(place: &Place) -> usize {
    let (Place::Var(VarId(var)) | Place::Element(VarId(var), _)) = place;
    *var as usize
}

impl Domains {
    /// Lets values flow once; true if a set grew.
    fn apply(&mut self, flow: &Flow<'_>) -> bool {
        let (target, values) = match flow {
            Flow::Assign(var, value) => (&self.variables[*var], self.cells(value)),
            Flow::Send(channel, value) => (&self.channels[*channel], self.cells(value)),
            Flow::Receive(channel, var) => (&self.variables[*var], self.channels[*channel].clone()),
        };
        let Some(known) = target else { return false };
        self.work += values.as_ref().map_or(1, BTreeSet::len);
        let grown = match values {
            None => None,
            Some(values) if values.is_subset(known) => return false,
            Some(_) if self.work > MAX_WORK => None,
            Some(values) => Some(known | &values).filter(|union| union.len() <= MAX_VALUES),
        };
        match flow {
            Flow::Assign(var, _) | Flow::Receive(_, var) => self.variables[*var] = grown,
            Flow::Send(channel, _) => self.channels[*channel] = grown,
        }
        true
    }

    /// What an assignment of the expression stores.
    fn cells(&self, term: &Term) -> Domain {
        let values = self.values(term)?;
        Some(values.into_iter().map(|value| value.map_or(Cell::Null, Cell::Int)).collect())
    }

    /// What an expression can evaluate to; faults aside.
    pub(super) fn values(&self, term: &Term) -> Option<BTreeSet<Value>> {
        match term {
            Term::Int(value) => Some(BTreeSet::from([Some(*value)])),
            Term::Null | Term::Truth(_) | Term::Not(_) => Some(BTreeSet::from([None])),
            Term::Var(var) | Term::Element(var, _) => {
                let cells = self.variables[var.0 as usize].as_ref()?;
                Some(cells.iter().map(|cell| value(*cell)).collect())
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
    pub(super) fn can_fault(&self, term: &Term, program: &FlowProgram) -> bool {
        match term {
            Term::Int(_) | Term::Null | Term::Truth(_) | Term::Var(_) => false,
            Term::Element(var, index) => {
                self.can_fault(index, program) || self.can_miss(*var, index, program)
            }
            Term::Negative(inner) => {
                let least = || self.values(inner).is_none_or(|values| values.contains(&Some(i64::MIN)));
                self.can_fault(inner, program) || least()
            }
            Term::Not(inner) => self.can_fault(inner, program),
            Term::Binary(operator, left, right) => {
                self.can_fault(left, program)
                    || self.can_fault(right, program)
                    || (!operator.is_test() && self.arithmetic_can_fault(*operator, left, right))
            }
        }
    }

    /// Can the index be outside of the array?
    pub(super) fn can_miss(&self, var: VarId, index: &Term, program: &FlowProgram) -> bool {
        let length = program.variables[var.0 as usize].length.unwrap_or(0) as i64;
        let inside = |index: &Value| index.is_some_and(|index| (0..length).contains(&index));
        self.values(index).is_none_or(|values| !values.iter().all(inside))
    }

    fn arithmetic_can_fault(&self, operator: Operator, left: &Term, right: &Term) -> bool {
        let (left, right) = (self.values(left), self.values(right));
        match (left, right) {
            (Some(left), Some(right)) if left.len() * right.len() <= MAX_PAIRS => {
                left.iter().any(|left| right.iter().any(|right| arithmetic(operator, *left, *right).is_err()))
            }
            (_, Some(right)) if operator == Operator::Remainder => right.contains(&Some(0)),
            _ => true,
        }
    }
}

/// The most pairs of values that are combined one by one.
const MAX_PAIRS: usize = 1 << 16;

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
