//! Values of terms that have no variables.
//!
//! Promise: the value is the one that a run would compute, faults included.

use crate::flow_graph::arithmetic::{Fault, Value, arithmetic, compare};
use crate::flow_graph::{Operator, Term};

/// Why a term has no value before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfoldable {
    /// It reads a variable, or mixes numbers and tests.
    Variable,
    /// It overflows, or divides by zero.
    Fault(Fault),
}

/// The value of a term without variables: a number, `null`, `true` or `false`.
pub(crate) fn fold(term: &Term) -> Result<Term, Unfoldable> {
    match term {
        Term::Int(_) | Term::Null | Term::Name(..) | Term::Truth(_) => Ok(term.clone()),
        Term::Var(_) | Term::Element(..) => Err(Unfoldable::Variable),
        Term::Negative(inner) => apply(Operator::Subtract, &Term::Int(0), &fold(inner)?),
        Term::Not(inner) => match fold(inner)? {
            Term::Truth(value) => Ok(Term::Truth(!value)),
            _ => Err(Unfoldable::Variable),
        },
        Term::Binary(operator, left, right) => apply(*operator, &fold(left)?, &fold(right)?),
    }
}

/// A folded term as a number.
pub(crate) fn number(term: &Term) -> Value {
    match term {
        Term::Int(value) | Term::Name(_, value) => Some(*value),
        Term::Truth(value) => Some(i64::from(*value)),
        _ => None,
    }
}

/// The value of an operator between two values.
fn apply(operator: Operator, left: &Term, right: &Term) -> Result<Term, Unfoldable> {
    if let (Term::Truth(left), Term::Truth(right), true) = (left, right, operator.takes_tests()) {
        let value = if operator == Operator::And { *left && *right } else { *left || *right };
        return Ok(Term::Truth(value));
    }
    let (left, right) = (number(left), number(right));
    if operator.is_test() {
        return Ok(Term::Truth(compare(operator, left, right)));
    }
    let value = arithmetic(operator, left, right).map_err(Unfoldable::Fault)?;
    Ok(value.map_or(Term::Null, Term::Int))
}
