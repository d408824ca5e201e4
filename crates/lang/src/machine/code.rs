//! Expressions compiled for packed states.
//!
//! Constants are folded, and a comparison of a variable with a constant compares the variable's bits alone.
//!
//! Promise: evaluation allocates nothing.

use super::layout::{Coding, Field, Slot};
use crate::flow_graph::arithmetic::{Fault, Value, arithmetic, compare};
use crate::flow_graph::{Cell, Lvalue, Operator, Term};
use selvedge_model::Word;
use std::sync::Arc;

/// A compiled expression whose value is a number or null.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Const(Value),
    Load(Slot),
    Element(Arc<[Slot]>, Box<Number>),
    Negative(Box<Number>),
    Binary(Operator, Box<(Number, Number)>),
    /// 1 where the test holds, and 0 where it does not.
    Test(Box<Test>),
}

/// A compiled expression whose value is true or false.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Const(bool),
    /// Has the field these bits?
    Bits(Field, Word),
    Compare(Operator, Box<(Number, Number)>),
    Not(Box<Test>),
    And(Box<(Test, Test)>),
    Or(Box<(Test, Test)>),
}

/// A compiled l-value.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Slot(Slot),
    Element(Arc<[Slot]>, Number),
}

/// The slots of each variable.
pub(super) type Slots = [Arc<[Slot]>];

impl Number {
    pub(super) fn new(term: &Term, slots: &Slots) -> Number {
        let number = match term {
            Term::Int(value) | Term::Name(_, value) => Number::Const(Some(*value)),
            test if test.is_test() => match Test::new(test, slots) {
                Test::Const(holds) => Number::Const(Some(i64::from(holds))),
                test => Number::Test(Box::new(test)),
            },
            Term::Var(var) => Number::Load(slots[var.0 as usize][0].clone()),
            Term::Element(var, index) => {
                let index = Number::new(index, slots);
                let elements = &slots[var.0 as usize];
                match index {
                    Number::Const(Some(at)) if (0..elements.len() as i64).contains(&at) => {
                        Number::Load(elements[at as usize].clone())
                    }
                    index => Number::Element(elements.clone(), Box::new(index)),
                }
            }
            Term::Negative(inner) => Number::Negative(Box::new(Number::new(inner, slots))),
            Term::Binary(operator, left, right) => {
                Number::Binary(*operator, Box::new((Number::new(left, slots), Number::new(right, slots))))
            }
            Term::Null | Term::Truth(_) | Term::Not(_) => Number::Const(None),
        };
        let constant = match &number {
            Number::Negative(inner) => matches!(**inner, Number::Const(_)),
            Number::Binary(_, sides) => matches!(**sides, (Number::Const(_), Number::Const(_))),
            _ => false,
        };
        match constant.then(|| number.eval(&[])) {
            Some(Ok(value)) => Number::Const(value),
            _ => number,
        }
    }

    pub(super) fn eval(&self, state: &[Word]) -> Result<Value, Fault> {
        match self {
            Number::Const(value) => Ok(*value),
            Number::Load(slot) => Ok(slot.load(state)),
            Number::Element(slots, index) => Ok(element(slots, index, state)?.load(state)),
            Number::Negative(inner) => arithmetic(Operator::Subtract, Some(0), inner.eval(state)?),
            Number::Binary(operator, sides) => {
                arithmetic(*operator, sides.0.eval(state)?, sides.1.eval(state)?)
            }
            Number::Test(test) => test.eval(state).map(|holds| Some(i64::from(holds))),
        }
    }
}

fn element<'s>(slots: &'s [Slot], index: &Number, state: &[Word]) -> Result<&'s Slot, Fault> {
    let index = index.eval(state)?.and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| slots.get(index)).ok_or(Fault::Index)
}

impl Test {
    pub(super) fn new(term: &Term, slots: &Slots) -> Test {
        let pair = |left: &Term, right: &Term| Box::new((Test::new(left, slots), Test::new(right, slots)));
        match term {
            Term::Truth(value) => Test::Const(*value),
            Term::Not(inner) => match Test::new(inner, slots) {
                Test::Const(value) => Test::Const(!value),
                inner => Test::Not(Box::new(inner)),
            },
            Term::Binary(Operator::And, left, right) => Test::And(pair(left, right)),
            Term::Binary(Operator::Or, left, right) => Test::Or(pair(left, right)),
            Term::Binary(operator, left, right) => {
                comparison(*operator, Number::new(left, slots), Number::new(right, slots))
            }
            _ => Test::Const(false),
        }
    }

    #[inline]
    pub(super) fn eval(&self, state: &[Word]) -> Result<bool, Fault> {
        match self {
            Test::Const(value) => Ok(*value),
            Test::Bits(field, bits) => Ok(field.get(state) == *bits),
            Test::Compare(operator, sides) => {
                Ok(compare(*operator, sides.0.eval(state)?, sides.1.eval(state)?))
            }
            Test::Not(inner) => inner.eval(state).map(|value| !value),
            Test::And(sides) => Ok(sides.0.eval(state)? && sides.1.eval(state)?),
            Test::Or(sides) => Ok(sides.0.eval(state)? || sides.1.eval(state)?),
        }
    }
}

fn comparison(operator: Operator, left: Number, right: Number) -> Test {
    match (&left, &right) {
        (Number::Const(left), Number::Const(right)) => Test::Const(compare(operator, *left, *right)),
        (Number::Load(slot), Number::Const(Some(value)))
        | (Number::Const(Some(value)), Number::Load(slot))
            if matches!(operator, Operator::Equal | Operator::Differs)
                && !matches!(slot.coding, Coding::Any) =>
        {
            let equal = match slot.code(Cell::Int(*value)) {
                Some(bits) => Test::Bits(slot.field, bits),
                None => Test::Const(false),
            };
            match (operator, equal) {
                (Operator::Equal, equal) => equal,
                (_, Test::Const(value)) => Test::Const(!value),
                (_, equal) => Test::Not(Box::new(equal)),
            }
        }
        _ => Test::Compare(operator, Box::new((left, right))),
    }
}

impl Target {
    pub(super) fn new(lvalue: &Lvalue, slots: &Slots) -> Target {
        match lvalue {
            Lvalue::Var(var) => Target::Slot(slots[var.0 as usize][0].clone()),
            Lvalue::Element(var, index) => {
                let elements = &slots[var.0 as usize];
                match Number::new(index, slots) {
                    Number::Const(Some(at)) if (0..elements.len() as i64).contains(&at) => {
                        Target::Slot(elements[at as usize].clone())
                    }
                    index => Target::Element(elements.clone(), index),
                }
            }
        }
    }

    /// The slot, with the index evaluated in this state.
    #[inline]
    pub(super) fn slot(&self, state: &[Word]) -> Result<&Slot, Fault> {
        match self {
            Target::Slot(slot) => Ok(slot),
            Target::Element(slots, index) => element(slots, index, state),
        }
    }
}
