//! Operations on strides: every result is in one of the strides that are returned.
//!
//! Bounds as in interval arithmetic; remainders as in Granger's congruences. Operands are split by sign, so
//! that every operation is monotone in the magnitudes. Bit operations take the complement in place of a
//! negative number (Warren, Hacker's Delight, 2nd edition, section 4-3, in a coarser form), and follow the
//! low bits that a remainder tells.
//!
//! Promise: for all numbers of the operands, the result is in a stride of the answer, and `error` is set if
//! some pair raises `badarith`. Sets of few numbers are computed number by number, without any loss.

use super::operation::{BinaryOperation, Computed, UnaryOperation, is_zero};
use super::stride::{Stride, floor_mod, gcd, smaller};
use num_bigint::BigInt;

/// Pairs of operands that are computed one by one.
const MAX_PAIRS: usize = 400;

/// Shifts up to here are followed exactly; the bounds of longer ones are coarser.
const MAX_SHIFT: u64 = 256;

/// Low bits that are followed; a remainder tells few.
const MAX_KNOWN_BITS: u64 = 64;

/// The results of an operation on sets of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// Together, these contain every result.
    pub(super) strides: Vec<Stride>,
    /// May the operation raise `badarith`?
    pub(super) error: bool,
}

/// An operation on each number of a set.
pub(super) fn unary(operation: UnaryOperation, a: &Stride) -> Vec<Stride> {
    match operation {
        UnaryOperation::Minus => vec![negated(a)],
        UnaryOperation::BitNot => vec![complement(a)],
        UnaryOperation::Absolute => parts(a).into_iter().map(|part| part.magnitudes).collect(),
    }
}

/// An operation on each pair of numbers of two sets.
pub(super) fn binary(operation: BinaryOperation, a: &Stride, b: &Stride) -> Results {
    one_by_one(operation, a, b).unwrap_or_else(|| by_bounds(operation, a, b))
}

/// Every pair on its own, if there are few.
fn one_by_one(operation: BinaryOperation, a: &Stride, b: &Stride) -> Option<Results> {
    let left = a.numbers(MAX_PAIRS)?;
    let right = b.numbers(MAX_PAIRS / left.len())?;
    let mut results = Results::default();
    for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
        match operation.compute(x, y) {
            Computed::Integer(n) => results.strides.push(Stride::point(n)),
            Computed::Error => results.error = true,
            Computed::TooLarge => return None,
        }
    }
    Some(results)
}

fn by_bounds(operation: BinaryOperation, a: &Stride, b: &Stride) -> Results {
    let error = operation.can_fail() && b.contains(&BigInt::ZERO);
    let strides = match operation {
        BinaryOperation::Add => vec![sum(a, b)],
        BinaryOperation::Subtract => vec![sum(a, &negated(b))],
        BinaryOperation::Multiply => of_parts(a, b, |a, b| {
            Some(product(&a.magnitudes, &b.magnitudes).negated_if(a.is_negative != b.is_negative))
        }),
        BinaryOperation::Divide => of_parts(a, b, |a, b| {
            Some(quotient(&a.magnitudes, &b.magnitudes)?.negated_if(a.is_negative != b.is_negative))
        }),
        BinaryOperation::Remainder => {
            of_parts(a, b, |a, b| Some(remainder(&a.magnitudes, &b.magnitudes)?.negated_if(a.is_negative)))
        }
        BinaryOperation::BitAnd => of_parts(a, b, |a, b| Some(bit_and(&a.set, &b.set))),
        BinaryOperation::BitOr => {
            let and =
                |a: &Part, b: &Part| Some(complement(&bit_and(&complement(&a.set), &complement(&b.set))));
            of_parts(a, b, and)
        }
        BinaryOperation::BitXor => of_parts(a, b, |a, b| Some(bit_xor(&a.set, &b.set))),
        BinaryOperation::ShiftLeft => shifted(a, b),
        BinaryOperation::ShiftRight => shifted(a, &negated(b)),
    };
    Results { strides, error }
}

/// The numbers of a set that have one sign; zero is not negative.
struct Part {
    is_negative: bool,
    set: Stride,
    magnitudes: Stride,
}

fn parts(a: &Stride) -> Vec<Part> {
    let negative = a.between(None, Some(BigInt::from(-1)));
    let negative = negative.map(|set| Part { is_negative: true, magnitudes: negated(&set), set });
    let rest = a.between(Some(BigInt::ZERO), None);
    let rest = rest.map(|set| Part { is_negative: false, magnitudes: set.clone(), set });
    negative.into_iter().chain(rest).collect()
}

/// An operation on each pair of parts.
fn of_parts(a: &Stride, b: &Stride, operation: impl Fn(&Part, &Part) -> Option<Stride>) -> Vec<Stride> {
    let (left, right) = (parts(a), parts(b));
    left.iter().flat_map(|a| right.iter().filter_map(|b| operation(a, b))).collect()
}

impl Stride {
    fn negated_if(self, is_negative: bool) -> Stride {
        if is_negative { negated(&self) } else { self }
    }

    /// The lower bound of numbers that are not negative.
    fn low_magnitude(&self) -> &BigInt {
        self.low.as_ref().expect("numbers that are not negative have a bound")
    }
}

/// The numbers between bounds that some result lies between, with a remainder that it has.
fn stride(low: Option<BigInt>, high: Option<BigInt>, modulus: &BigInt, residue: &BigInt) -> Stride {
    Stride::new(low, high, modulus, residue).expect("numbers have a result")
}

fn negated(a: &Stride) -> Stride {
    stride(a.high.as_ref().map(|n| -n), a.low.as_ref().map(|n| -n), &a.modulus, &-&a.residue)
}

/// `bnot`: -1 - n.
fn complement(a: &Stride) -> Stride {
    sum(&negated(a), &Stride::point(BigInt::from(-1)))
}

fn sum(a: &Stride, b: &Stride) -> Stride {
    let add = |x: &Option<BigInt>, y: &Option<BigInt>| Some(x.as_ref()? + y.as_ref()?);
    let modulus = gcd(&a.modulus, &b.modulus);
    stride(add(&a.low, &b.low), add(&a.high, &b.high), &modulus, &(&a.residue + &b.residue))
}

/// The product of numbers that are not negative. (m x + r)(n y + s) = m n x y + m s x + n r y + r s.
fn product(a: &Stride, b: &Stride) -> Stride {
    if [a, b].iter().any(|set| set.only().is_some_and(is_zero)) {
        return Stride::point(BigInt::ZERO);
    }
    let modulus = gcd(&(&a.modulus * &b.modulus), &(&a.modulus * &b.residue));
    let modulus = gcd(&modulus, &(&b.modulus * &a.residue));
    let high = a.high.as_ref().zip(b.high.as_ref()).map(|(x, y)| x * y);
    stride(Some(a.low_magnitude() * b.low_magnitude()), high, &modulus, &(&a.residue * &b.residue))
}

/// The quotient of numbers that are not negative; `None` if the divisor is zero.
fn quotient(a: &Stride, b: &Stride) -> Option<Stride> {
    let b = b.between(Some(BigInt::from(1)), None)?;
    let low = b.high.as_ref().map_or(BigInt::ZERO, |divisor| a.low_magnitude() / divisor);
    let high = a.high.as_ref().map(|dividend| dividend / b.low_magnitude());
    let (modulus, residue) = match b.only() {
        // Every dividend is a multiple of the divisor.
        Some(n) if is_zero(&(&a.modulus % n)) && is_zero(&(&a.residue % n)) => {
            (&a.modulus / n, &a.residue / n)
        }
        _ => (BigInt::from(1), BigInt::ZERO),
    };
    Some(stride(Some(low), high, &modulus, &residue))
}

/// The remainder of numbers that are not negative; `None` if the divisor is zero.
fn remainder(a: &Stride, b: &Stride) -> Option<Stride> {
    let b = b.between(Some(BigInt::from(1)), None)?;
    if a.high.as_ref().is_some_and(|high| high < b.low_magnitude()) {
        return Some(a.clone());
    }
    let high = smaller(a.high.clone(), b.high.as_ref().map(|high| high - 1));
    // a - b q: a multiple of every common divisor of the numbers b is subtracted.
    let modulus = gcd(&a.modulus, &gcd(&b.modulus, &b.residue));
    Some(stride(Some(BigInt::ZERO), high, &modulus, &a.residue))
}

/// `band` of sets of one sign each.
fn bit_and(a: &Stride, b: &Stride) -> Stride {
    let is_ones = |set: &Stride| set.only().is_some_and(|n| *n == BigInt::from(-1));
    if is_ones(a) || is_ones(b) {
        return if is_ones(a) { b.clone() } else { a.clone() };
    }
    let high = match (a.is_negative(), b.is_negative()) {
        (false, true) => a.high.clone(),
        (true, false) => b.high.clone(),
        _ => smaller(a.high.clone(), b.high.clone()),
    };
    // Two negative numbers: the complement of the `bor` of their complements.
    let low = match a.is_negative() && b.is_negative() {
        true => all_ones(&complement(a), &complement(b)).map(|ones| -ones - 1),
        false => Some(BigInt::ZERO),
    };
    let (modulus, residue) = low_bits(BinaryOperation::BitAnd, a, b);
    stride(low, high, &modulus, &residue)
}

/// `bxor` of sets of one sign each.
fn bit_xor(a: &Stride, b: &Stride) -> Stride {
    let positive = |set: &Stride| if set.is_negative() { complement(set) } else { set.clone() };
    let (x, y) = (positive(a), positive(b));
    let high = all_ones(&x, &y);
    // Two numbers differ by no more than their differing bits.
    let distance = |x: &Stride, y: &Stride| Some(x.low_magnitude() - y.high.as_ref()?);
    let low = distance(&x, &y).max(distance(&y, &x)).max(Some(BigInt::ZERO));
    let (modulus, residue) = low_bits(BinaryOperation::BitXor, a, b);
    if a.is_negative() == b.is_negative() {
        stride(low, high, &modulus, &residue)
    } else {
        stride(high.map(|high| -high - 1), low.map(|low| -low - 1), &modulus, &residue)
    }
}

/// The number of ones alone that has the most bits that a number of these sets, none negative, has.
fn all_ones(a: &Stride, b: &Stride) -> Option<BigInt> {
    let bits = a.high.as_ref()?.bits().max(b.high.as_ref()?.bits());
    Some((BigInt::from(1) << bits) - 1)
}

/// The low bits of the result that the remainders of the operands tell, as a modulus and a residue.
fn low_bits(operation: BinaryOperation, a: &Stride, b: &Stride) -> (BigInt, BigInt) {
    let (known_a, known_b) = (known_bits(a), known_bits(b));
    let mut residue = BigInt::ZERO;
    let mut count = 0;
    while count < MAX_KNOWN_BITS {
        let bit = |set: &Stride, known: u64| (count < known).then(|| bit_of(&set.residue, count));
        let result = match (operation, bit(a, known_a), bit(b, known_b)) {
            (BinaryOperation::BitAnd, Some(false), _) | (BinaryOperation::BitAnd, _, Some(false)) => false,
            (BinaryOperation::BitAnd, Some(true), Some(true)) => true,
            (BinaryOperation::BitXor, Some(a), Some(b)) => a != b,
            _ => break,
        };
        residue.set_bit(count, result);
        count += 1;
    }
    (BigInt::from(1) << count, residue)
}

/// How many low bits all numbers of the set share.
fn known_bits(set: &Stride) -> u64 {
    set.modulus.trailing_zeros().unwrap_or(MAX_KNOWN_BITS)
}

fn bit_of(n: &BigInt, index: u64) -> bool {
    !is_zero(&floor_mod(&(n >> index), &BigInt::from(2)))
}

/// Each number of `a`, shifted to the left by each of `b`: to the right if that is negative.
fn shifted(a: &Stride, b: &Stride) -> Vec<Stride> {
    let mut results = Vec::new();
    for by in parts(b) {
        for a in parts(a) {
            results.push(match by.is_negative {
                true => shifted_right(&a, &by.magnitudes),
                false => product(&a.magnitudes, &power_of_two(&by.magnitudes)).negated_if(a.is_negative),
            });
        }
    }
    results
}

/// The powers 2ⁿ for numbers that are not negative.
fn power_of_two(exponents: &Stride) -> Stride {
    let power = |exponent: u64| BigInt::from(1) << exponent;
    let low = u64::try_from(exponents.low_magnitude()).unwrap_or(MAX_SHIFT).min(MAX_SHIFT);
    let high = exponents.high.as_ref().and_then(|high| u64::try_from(high).ok());
    let high = high.filter(|high| *high <= MAX_SHIFT);
    stride(Some(power(low)), high.map(power), &power(low), &BigInt::ZERO)
}

/// Numbers of one sign, shifted to the right by numbers that are not negative, and rounded down.
fn shifted_right(a: &Part, by: &Stride) -> Stride {
    let shift = |n: &BigInt, by: Option<&BigInt>| match by {
        Some(by) => match BinaryOperation::ShiftRight.compute(n, by) {
            Computed::Integer(shifted) => shifted,
            _ => unreachable!("a shift to the right makes a number smaller"),
        },
        None => BigInt::from(if a.is_negative { -1 } else { 0 }),
    };
    let (least, most) = (by.low.as_ref(), by.high.as_ref());
    // Zero is what a positive number comes near to, and -1 what a negative one does.
    let (for_low, for_high) = if a.is_negative { (least, most) } else { (most, least) };
    let low = a.set.low.as_ref().map(|n| shift(n, for_low));
    let high = a.set.high.as_ref().map(|n| shift(n, for_high));
    let divisor = by.only().and_then(|by| u64::try_from(by).ok()).filter(|by| *by <= MAX_SHIFT);
    let (modulus, residue) = match divisor.map(|by| BigInt::from(1) << by) {
        Some(divisor) if is_zero(&(&a.set.modulus % &divisor)) && !is_zero(&a.set.modulus) => {
            (&a.set.modulus / &divisor, &a.set.residue / &divisor)
        }
        _ => (BigInt::from(1), BigInt::ZERO),
    };
    stride(low, high, &modulus, &residue)
}
