//! Arithmetic: on integers of any size, on floats, and by the domain's tables on abstract integers.

use super::Evaluator;
use super::bifs::Applied;
use crate::erlang::code::bif::Bif;
use crate::erlang::domain::{BinaryOperation, Computed, Outcome, UnaryOperation};
use crate::erlang::term::compare::big_of_whole;
use crate::erlang::term::{Kind, Term, Value, atom};
use num_bigint::BigInt;
use std::ops::{Add, Mul, Sub};

impl Evaluator {
    /// The results of an arithmetic function; `None` if it is another one.
    pub(super) fn arithmetic(&mut self, bif: Bif, values: &[Value]) -> Option<Vec<Applied>> {
        let is_binary = matches!(
            bif,
            Bif::Add
                | Bif::Subtract
                | Bif::Multiply
                | Bif::Divide
                | Bif::Div
                | Bif::Rem
                | Bif::BitAnd
                | Bif::BitOr
                | Bif::BitXor
                | Bif::ShiftLeft
                | Bif::ShiftRight
        );
        if is_binary {
            return Some(self.binary(bif, values[0], values[1]));
        }
        let is_unary = matches!(
            bif,
            Bif::Plus
                | Bif::Minus
                | Bif::BitNot
                | Bif::Abs
                | Bif::Float
                | Bif::Trunc
                | Bif::Round
                | Bif::Floor
                | Bif::Ceil
        );
        is_unary.then(|| self.unary(bif, values[0]))
    }

    fn binary(&mut self, bif: Bif, left: Value, right: Value) -> Vec<Applied> {
        let operation = integer_operation(bif);
        match (self.terms.get(left).clone(), self.terms.get(right).clone(), operation) {
            (Term::Integer(a), Term::Integer(b), Some(operation)) => match operation.compute(&a, &b) {
                Computed::Integer(number) => vec![Applied::Value(self.make_integer(number))],
                Computed::Error => self.error(atom::BADARITH),
                Computed::TooLarge => self.error(atom::SYSTEM_LIMIT),
            },
            (Term::Abstract(a), Term::Abstract(b), Some(operation)) => {
                let integers = self.domain.integers.as_ref().expect("a domain of integers");
                let outcomes = integers.binary(operation, a, b).to_vec();
                self.outcomes(&outcomes)
            }
            (a, b, _) => match (self.number(&a), self.number(&b)) {
                (Number::Not, _) | (_, Number::Not) => self.error(atom::BADARITH),
                (Number::Float(a), Number::Float(b)) => self.float_operation(bif, a, b),
                _ => self.unknown_number(bif),
            },
        }
    }

    fn outcomes(&mut self, outcomes: &[Outcome]) -> Vec<Applied> {
        let mut results = Vec::new();
        for outcome in outcomes {
            match outcome {
                Outcome::Integer(element) => {
                    results.push(Applied::Value(self.terms.intern(Term::Abstract(*element))));
                }
                Outcome::Error => results.extend(self.error(atom::BADARITH)),
            }
        }
        results
    }

    /// A term as an operand of floats.
    fn number(&self, term: &Term) -> Number {
        match term {
            Term::Integer(number) => number.to_string().parse().map_or(Number::Unknown, Number::Float),
            Term::Float(bits) => Number::Float(f64::from_bits(*bits)),
            Term::Abstract(_) | Term::Top(Kind::Any | Kind::Integer | Kind::Float) => Number::Unknown,
            _ => Number::Not,
        }
    }

    fn float_operation(&mut self, bif: Bif, a: f64, b: f64) -> Vec<Applied> {
        let result = match bif {
            Bif::Add => a.add(b),
            Bif::Subtract => a.sub(b),
            Bif::Multiply => a.mul(b),
            Bif::Divide if b != 0.0 => a / b,
            _ => return self.error(atom::BADARITH),
        };
        self.float(result)
    }

    fn float(&mut self, result: f64) -> Vec<Applied> {
        if !result.is_finite() {
            return self.error(atom::BADARITH);
        }
        // One zero, so that equal floats are one term.
        let float = self.terms.intern(Term::Float((result + 0.0).to_bits()));
        vec![Applied::Value(self.abstraction(float))]
    }

    /// Any number, or an error.
    fn unknown_number(&mut self, bif: Bif) -> Vec<Applied> {
        let (integer, float) = (self.any_integer(), self.terms.top(Kind::Float));
        let values = match bif {
            Bif::Divide => vec![float],
            Bif::Add | Bif::Subtract | Bif::Multiply => vec![integer, float],
            _ => vec![integer],
        };
        let mut results: Vec<Applied> = values.into_iter().map(Applied::Value).collect();
        results.extend(self.error(atom::BADARITH));
        results
    }

    fn unary(&mut self, bif: Bif, value: Value) -> Vec<Applied> {
        let operation = match bif {
            Bif::Minus => Some(UnaryOperation::Minus),
            Bif::BitNot => Some(UnaryOperation::BitNot),
            Bif::Abs => Some(UnaryOperation::Absolute),
            _ => None,
        };
        match (self.terms.get(value).clone(), operation) {
            (Term::Integer(number), Some(operation)) => {
                vec![Applied::Value(self.make_integer(operation.compute(&number)))]
            }
            (Term::Abstract(element), Some(operation)) => {
                let integers = self.domain.integers.as_ref().expect("a domain of integers");
                let outcomes = integers.unary(operation, element).to_vec();
                self.outcomes(&outcomes)
            }
            (Term::Integer(_) | Term::Abstract(_), None) if bif != Bif::Float => vec![Applied::Value(value)],
            (Term::Integer(number), None) => {
                let float = number.to_string().parse().unwrap_or(f64::INFINITY);
                self.float(float)
            }
            (Term::Float(bits), _) => self.float_function(bif, f64::from_bits(bits)),
            (Term::Abstract(_), None) => vec![Applied::Value(self.terms.top(Kind::Float))],
            (Term::Top(Kind::Any | Kind::Integer | Kind::Float), _) => match bif {
                Bif::Float => {
                    let float = self.terms.top(Kind::Float);
                    let mut results = vec![Applied::Value(float)];
                    results.extend(self.error(atom::BADARG));
                    results
                }
                _ => self.unknown_number(
                    if matches!(bif, Bif::Trunc | Bif::Round | Bif::Floor | Bif::Ceil | Bif::BitNot) {
                        Bif::Div
                    } else {
                        Bif::Add
                    },
                ),
            },
            _ if matches!(bif, Bif::Plus | Bif::Minus | Bif::BitNot) => self.error(atom::BADARITH),
            _ => self.error(atom::BADARG),
        }
    }

    fn float_function(&mut self, bif: Bif, float: f64) -> Vec<Applied> {
        let whole = match bif {
            Bif::Plus | Bif::Float => return self.float(float),
            Bif::Minus => return self.float(-float),
            Bif::Abs => return self.float(float.abs()),
            Bif::Trunc => float.trunc(),
            Bif::Round => float.round(),
            Bif::Floor => float.floor(),
            Bif::Ceil => float.ceil(),
            _ => return self.error(atom::BADARITH),
        };
        let integer: BigInt = big_of_whole(whole);
        vec![Applied::Value(self.make_integer(integer))]
    }
}

enum Number {
    Not,
    Unknown,
    Float(f64),
}

fn integer_operation(bif: Bif) -> Option<BinaryOperation> {
    Some(match bif {
        Bif::Add => BinaryOperation::Add,
        Bif::Subtract => BinaryOperation::Subtract,
        Bif::Multiply => BinaryOperation::Multiply,
        Bif::Div => BinaryOperation::Divide,
        Bif::Rem => BinaryOperation::Remainder,
        Bif::BitAnd => BinaryOperation::BitAnd,
        Bif::BitOr => BinaryOperation::BitOr,
        Bif::BitXor => BinaryOperation::BitXor,
        Bif::ShiftLeft => BinaryOperation::ShiftLeft,
        Bif::ShiftRight => BinaryOperation::ShiftRight,
        _ => return None,
    })
}
