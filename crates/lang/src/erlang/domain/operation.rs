//! The operations of Erlang on integers, on numbers themselves.
//!
//! The reference manual's "Arithmetic Expressions" and "Term Comparisons": `div` and `rem` truncate towards
//! zero, `bsr` rounds down, a shift by a negative number shifts the other way, and the bits of a negative
//! number are those of its two's complement. `/` gives a float and is not here.
//!
//! Promise: an operation never panics and never allocates more than [`MAX_BITS`] bits.

use num_bigint::{BigInt, Sign};
use std::fmt;

/// The maximal number of bits of a result. Erlang's own numbers end here, too (with `system_limit`).
pub const MAX_BITS: u64 = 4_194_303;

/// An operation on one integer. The sign `+` changes nothing and is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperation {
    /// `-`
    Minus,
    /// `bnot`
    BitNot,
    /// `abs`
    Absolute,
}

/// An operation on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `div`
    Divide,
    /// `rem`
    Remainder,
    /// `band`
    BitAnd,
    /// `bor`
    BitOr,
    /// `bxor`
    BitXor,
    /// `bsl`
    ShiftLeft,
    /// `bsr`
    ShiftRight,
}

/// A comparison of two integers; the others of Erlang follow from these two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `==` and `=:=`
    Equal,
}

/// The result of an operation on numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Computed {
    /// An integer.
    Integer(BigInt),
    /// The exception `badarith`: a division by zero.
    Error,
    /// A number of more than [`MAX_BITS`] bits, which is not computed.
    TooLarge,
}

impl UnaryOperation {
    /// Every operation, in the order of its declaration.
    pub const ALL: [UnaryOperation; 3] =
        [UnaryOperation::Minus, UnaryOperation::BitNot, UnaryOperation::Absolute];

    /// The operator in Erlang; `abs` is a function there.
    pub fn name(self) -> &'static str {
        match self {
            UnaryOperation::Minus => "-",
            UnaryOperation::BitNot => "bnot",
            UnaryOperation::Absolute => "abs",
        }
    }

    /// The result for a number.
    pub fn compute(self, n: &BigInt) -> BigInt {
        match self {
            UnaryOperation::Minus => -n,
            UnaryOperation::BitNot => -n - 1,
            UnaryOperation::Absolute => BigInt::from(n.magnitude().clone()),
        }
    }
}

impl BinaryOperation {
    /// Every operation, in the order of its declaration.
    pub const ALL: [BinaryOperation; 10] = [
        BinaryOperation::Add,
        BinaryOperation::Subtract,
        BinaryOperation::Multiply,
        BinaryOperation::Divide,
        BinaryOperation::Remainder,
        BinaryOperation::BitAnd,
        BinaryOperation::BitOr,
        BinaryOperation::BitXor,
        BinaryOperation::ShiftLeft,
        BinaryOperation::ShiftRight,
    ];

    /// The operator in Erlang.
    pub fn name(self) -> &'static str {
        match self {
            BinaryOperation::Add => "+",
            BinaryOperation::Subtract => "-",
            BinaryOperation::Multiply => "*",
            BinaryOperation::Divide => "div",
            BinaryOperation::Remainder => "rem",
            BinaryOperation::BitAnd => "band",
            BinaryOperation::BitOr => "bor",
            BinaryOperation::BitXor => "bxor",
            BinaryOperation::ShiftLeft => "bsl",
            BinaryOperation::ShiftRight => "bsr",
        }
    }

    /// Is this an operation that raises `badarith` for some integers?
    pub fn can_fail(self) -> bool {
        matches!(self, BinaryOperation::Divide | BinaryOperation::Remainder)
    }

    /// The result for two numbers.
    pub fn compute(self, left: &BigInt, right: &BigInt) -> Computed {
        let integer = match self {
            BinaryOperation::Add => left + right,
            BinaryOperation::Subtract => left - right,
            BinaryOperation::Multiply if left.bits() + right.bits() > MAX_BITS + 1 => {
                return Computed::TooLarge;
            }
            BinaryOperation::Multiply => left * right,
            BinaryOperation::Divide | BinaryOperation::Remainder if is_zero(right) => return Computed::Error,
            BinaryOperation::Divide => left / right,
            BinaryOperation::Remainder => left % right,
            BinaryOperation::BitAnd => left & right,
            BinaryOperation::BitOr => left | right,
            BinaryOperation::BitXor => left ^ right,
            BinaryOperation::ShiftLeft => return shift(left, right),
            BinaryOperation::ShiftRight => return shift(left, &-right),
        };
        if integer.bits() > MAX_BITS { Computed::TooLarge } else { Computed::Integer(integer) }
    }
}

impl Comparison {
    /// The operator in the file of a domain.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::Equal => "=",
        }
    }

    /// The result for two numbers.
    pub fn compute(self, left: &BigInt, right: &BigInt) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::Equal => left == right,
        }
    }
}

impl fmt::Display for UnaryOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for BinaryOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// To the left by this number of bits, or to the right, rounded down, if it is negative.
fn shift(n: &BigInt, bits: &BigInt) -> Computed {
    if is_zero(n) {
        return Computed::Integer(BigInt::ZERO);
    }
    match u64::try_from(bits.magnitude()) {
        Ok(bits_left) if !is_negative(bits) => {
            let fits = bits_left.checked_add(n.bits()).is_some_and(|total| total <= MAX_BITS);
            if fits { Computed::Integer(n << bits_left) } else { Computed::TooLarge }
        }
        Ok(bits_right) if bits_right <= n.bits() => Computed::Integer(n >> bits_right),
        Err(_) if !is_negative(bits) => Computed::TooLarge,
        // Every bit is shifted out: the sign alone is left.
        _ => Computed::Integer(BigInt::from(if is_negative(n) { -1 } else { 0 })),
    }
}

pub(super) fn is_zero(n: &BigInt) -> bool {
    n.sign() == Sign::NoSign
}

pub(super) fn is_negative(n: &BigInt) -> bool {
    n.sign() == Sign::Minus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: i64, operation: BinaryOperation, right: i64, expected: Option<i64>) {
        let expected = expected.map_or(Computed::Error, |n| Computed::Integer(BigInt::from(n)));
        assert_eq!(operation.compute(&BigInt::from(left), &BigInt::from(right)), expected);
    }

    #[test]
    fn division_truncates_and_the_remainder_has_the_sign_of_the_dividend() {
        check(-7, BinaryOperation::Divide, 2, Some(-3));
        check(-7, BinaryOperation::Remainder, 2, Some(-1));
        check(7, BinaryOperation::Remainder, -2, Some(1));
        check(7, BinaryOperation::Divide, 0, None);
    }

    #[test]
    fn shifts_round_down_and_turn_round() {
        check(-5, BinaryOperation::ShiftRight, 1, Some(-3));
        check(-5, BinaryOperation::ShiftLeft, -1, Some(-3));
        check(3, BinaryOperation::ShiftRight, -2, Some(12));
        check(-1, BinaryOperation::ShiftRight, i64::MAX, Some(-1));
        check(9, BinaryOperation::ShiftRight, i64::MAX, Some(0));
        check(0, BinaryOperation::ShiftLeft, i64::MAX, Some(0));
    }

    #[test]
    fn bits_of_negative_numbers_are_those_of_the_complement() {
        check(-4, BinaryOperation::BitAnd, 7, Some(4));
        check(-4, BinaryOperation::BitOr, 1, Some(-3));
        check(-1, BinaryOperation::BitXor, 5, Some(-6));
    }

    #[test]
    fn numbers_of_too_many_bits_are_not_computed() {
        let huge = BigInt::from(u64::MAX) * BigInt::from(u64::MAX);
        let one = BigInt::from(1);
        assert_eq!(BinaryOperation::ShiftLeft.compute(&one, &huge), Computed::TooLarge);
        assert_eq!(BinaryOperation::ShiftLeft.compute(&one, &BigInt::from(MAX_BITS)), Computed::TooLarge);
        assert_eq!(BinaryOperation::ShiftRight.compute(&one, &huge), Computed::Integer(BigInt::ZERO));
        let large = one << (MAX_BITS / 2 + 1);
        assert_eq!(BinaryOperation::Multiply.compute(&large, &large), Computed::TooLarge);
    }
}
