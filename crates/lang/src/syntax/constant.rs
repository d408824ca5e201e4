//! Values of terms that have no variables.
//!
//! Promise: the value is the one that a run would compute, faults included.

use crate::flow_graph::arithmetic::{Fault, arithmetic, compare};
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
        Term::Int(_) | Term::Null | Term::Truth(_) => Ok(term.clone()),
        Term::Var(_) | Term::Element(..) => Err(Unfoldable::Variable),
        Term::Negative(inner) => apply(Operator::Subtract, &Term::Int(0), &fold(inner)?),
        Term::Not(inner) => match fold(inner)? {
            Term::Truth(value) => Ok(Term::Truth(!value)),
            _ => Err(Unfoldable::Variable),
        },
        Term::Binary(operator, left, right) => apply(*operator, &fold(left)?, &fold(right)?),
    }
}

/// The value of an operator between two values.
fn apply(operator: Operator, left: &Term, right: &Term) -> Result<Term, Unfoldable> {
    if let (Term::Truth(left), Term::Truth(right)) = (left, right) {
        let value = if operator == Operator::And { *left && *right } else { *left || *right };
        return Ok(Term::Truth(value));
    }
    let value = |term: &Term| if let Term::Int(value) = term { Some(*value) } else { None };
    let (left, right) = (value(left), value(right));
    if operator.is_test() {
        return Ok(Term::Truth(compare(operator, left, right)));
    }
    let value = arithmetic(operator, left, right).map_err(Unfoldable::Fault)?;
    Ok(value.map_or(Term::Null, Term::Int))
}
