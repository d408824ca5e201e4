//! Arithmetic on 64-bit integers and null, and its faults.
//!
//! Null spreads through arithmetic, as in the equations of Meseguer's lecture (`null + N? = null`); it
//! equals itself only, and is neither less nor greater than any value.
//!
//! Promise: nothing wraps around; overflow and division by zero are [`Fault`]s.

use super::Operator;
use std::fmt;

/// A number, or null.
pub(crate) type Value = Option<i64>;

/// What ends a run as an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A result that does not fit into 64 bits.
    Overflow,
    /// `x / 0` or `x % 0`.
    DivisionByZero,
    /// An index outside of its array, or null.
    Index,
    /// An assertion that does not hold.
    Assertion,
    /// An atomic statement that does not end.
    Endless,
}

impl Fault {
    /// Every kind, in the order of their numbers.
    pub(crate) const ALL: [Fault; 5] =
        [Fault::Overflow, Fault::DivisionByZero, Fault::Index, Fault::Assertion, Fault::Endless];
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Overflow => "the result does not fit into 64 bits",
            Fault::DivisionByZero => "division by zero",
            Fault::Index => "the index is outside of the array",
            Fault::Assertion => "the assertion does not hold",
            Fault::Endless => "the atomic statement does not end",
        })
    }
}

/// The result of an arithmetic operator.
pub(crate) fn arithmetic(operator: Operator, left: Value, right: Value) -> Result<Value, Fault> {
    let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
    let result = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide | Operator::Remainder if right == 0 => return Err(Fault::DivisionByZero),
        Operator::Divide => left.checked_div(right),
        Operator::Remainder => Some(left.wrapping_rem(right)),
        _ => unreachable!("a test is no arithmetic"),
    };
    result.map(Some).ok_or(Fault::Overflow)
}

/// The result of a comparison.
pub(crate) fn compare(operator: Operator, left: Value, right: Value) -> bool {
    match operator {
        Operator::Equal => return left == right,
        Operator::Differs => return left != right,
        _ => {}
    }
    let (Some(left), Some(right)) = (left, right) else { return false };
    match operator {
        Operator::Less => left < right,
        Operator::AtMost => left <= right,
        Operator::Greater => left > right,
        Operator::AtLeast => left >= right,
        _ => unreachable!("not a comparison"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_spreads_and_equals_itself_only() {
        assert_eq!(arithmetic(Operator::Divide, None, Some(0)), Ok(None));
        assert!(compare(Operator::Equal, None, None));
        assert!(compare(Operator::Differs, None, Some(0)));
        assert!(!compare(Operator::AtMost, None, None));
    }

    #[test]
    fn overflow_and_division_by_zero_are_faults() {
        let (least, most) = (Some(i64::MIN), Some(i64::MAX));
        assert_eq!(arithmetic(Operator::Add, most, Some(1)), Err(Fault::Overflow));
        assert_eq!(arithmetic(Operator::Divide, least, Some(-1)), Err(Fault::Overflow));
        assert_eq!(arithmetic(Operator::Remainder, least, Some(-1)), Ok(Some(0)));
        assert_eq!(arithmetic(Operator::Remainder, most, Some(0)), Err(Fault::DivisionByZero));
    }
}
