//! Sets of integers between two bounds, at a fixed distance from each other.
//!
//! An interval (Cousot and Cousot, 1976) together with a congruence (Granger, Static analysis of
//! arithmetical congruences, 1989): all n with low ≤ n ≤ high and n ≡ residue (mod modulus). Either bound
//! may be missing. The modulus 0 is that of a set with one number.
//!
//! Promise: a stride is never empty, and its bounds are numbers of the set. Two equal sets are equal
//! strides.

use super::operation::{is_negative, is_zero};
use num_bigint::BigInt;

/// A set of integers; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stride {
    /// The smallest number, if there is one.
    pub(super) low: Option<BigInt>,
    /// The largest number, if there is one.
    pub(super) high: Option<BigInt>,
    /// The distance between neighbours; 0 if there is only one number.
    pub(super) modulus: BigInt,
    /// The remainder of every number, from 0 up to the modulus; the number itself if there is only one.
    pub(super) residue: BigInt,
}

impl Stride {
    /// The numbers between the bounds with this remainder; `None` if there is none. The modulus 0 stands for
    /// the residue alone.
    pub(super) fn new(
        low: Option<BigInt>,
        high: Option<BigInt>,
        modulus: &BigInt,
        residue: &BigInt,
    ) -> Option<Stride> {
        if is_zero(modulus) {
            let is_below = low.is_some_and(|low| *residue < low);
            let is_above = high.is_some_and(|high| *residue > high);
            return (!is_below && !is_above).then(|| Stride::point(residue.clone()));
        }
        let modulus = BigInt::from(modulus.magnitude().clone());
        let low = low.map(|low| &low + floor_mod(&(residue - &low), &modulus));
        let high = high.map(|high| &high - floor_mod(&(&high - residue), &modulus));
        match (&low, &high) {
            (Some(low), Some(high)) if low > high => None,
            (Some(low), Some(high)) if low == high => Some(Stride::point(low.clone())),
            _ => {
                let residue = floor_mod(residue, &modulus);
                Some(Stride { low, high, modulus, residue })
            }
        }
    }

    /// One number.
    pub(super) fn point(n: BigInt) -> Stride {
        Stride { low: Some(n.clone()), high: Some(n.clone()), modulus: BigInt::ZERO, residue: n }
    }

    /// The only number, if there is only one.
    pub(super) fn only(&self) -> Option<&BigInt> {
        is_zero(&self.modulus).then_some(&self.residue)
    }

    pub(super) fn contains(&self, n: &BigInt) -> bool {
        let is_between =
            self.low.as_ref().is_none_or(|low| low <= n) && self.high.as_ref().is_none_or(|high| n <= high);
        is_between && (self.only().is_some() || floor_mod(n, &self.modulus) == self.residue)
    }

    /// Every number, in order, if there are at most so many.
    pub(super) fn numbers(&self, at_most: usize) -> Option<Vec<BigInt>> {
        if let Some(only) = self.only() {
            return (at_most > 0).then(|| vec![only.clone()]);
        }
        let (low, high) = (self.low.as_ref()?, self.high.as_ref()?);
        let steps = usize::try_from((high - low) / &self.modulus).ok()?;
        (steps < at_most).then(|| (0..=steps).map(|step| low + &self.modulus * step).collect())
    }

    /// May the two sets have a number in common? `false` is certain.
    ///
    /// With two moduli that have a common factor, numbers of each set may be near the other without meeting
    /// it, in an interval that is too short: the answer is `true` then.
    pub(super) fn may_meet(&self, other: &Stride) -> bool {
        match (self.only(), other.only()) {
            (Some(n), _) => other.contains(n),
            (_, Some(n)) => self.contains(n),
            _ => {
                let factor = gcd(&self.modulus, &other.modulus);
                let is_congruent = is_zero(&floor_mod(&(&self.residue - &other.residue), &factor));
                is_congruent
                    && self
                        .between(other.low.clone(), other.high.clone())
                        .is_some_and(|part| other.between(part.low, part.high).is_some())
            }
        }
    }

    /// The numbers that are also between these bounds.
    pub(super) fn between(&self, low: Option<BigInt>, high: Option<BigInt>) -> Option<Stride> {
        let low = larger(self.low.clone(), low);
        let high = smaller(self.high.clone(), high);
        Stride::new(low, high, &self.modulus, &self.residue)
    }

    /// Is every number below zero?
    pub(super) fn is_negative(&self) -> bool {
        self.high.as_ref().is_some_and(is_negative)
    }
}

/// The larger of two lower bounds; none is the smallest.
fn larger(a: Option<BigInt>, b: Option<BigInt>) -> Option<BigInt> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

/// The smaller of two upper bounds; none is the largest.
pub(super) fn smaller(a: Option<BigInt>, b: Option<BigInt>) -> Option<BigInt> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The remainder from 0 up to the modulus, which is positive.
pub(super) fn floor_mod(n: &BigInt, modulus: &BigInt) -> BigInt {
    let remainder = n % modulus;
    if is_negative(&remainder) { remainder + modulus } else { remainder }
}

/// The greatest common divisor, not negative; that of 0 and n is n.
pub(super) fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !is_zero(&b) {
        (a, b) = (b.clone(), a % b);
    }
    BigInt::from(a.magnitude().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stride(low: Option<i64>, high: Option<i64>, modulus: i64, residue: i64) -> Option<Stride> {
        let bound = |n: Option<i64>| n.map(BigInt::from);
        Stride::new(bound(low), bound(high), &BigInt::from(modulus), &BigInt::from(residue))
    }

    #[test]
    fn bounds_are_numbers_of_the_set() {
        let odd = stride(Some(-4), Some(4), 2, 5).expect("numbers");
        assert_eq!((odd.low.clone(), odd.high.clone()), (Some(BigInt::from(-3)), Some(BigInt::from(3))));
        assert_eq!(odd.residue, BigInt::from(1));
        assert_eq!(odd.numbers(4), Some([-3, -1, 1, 3].map(BigInt::from).to_vec()));
        assert_eq!(odd.numbers(3), None);
        assert_eq!(stride(Some(1), Some(3), 4, 2), Some(Stride::point(BigInt::from(2))));
        assert_eq!(stride(Some(3), Some(5), 4, 2), None);
        assert_eq!(stride(Some(3), None, 0, 2), None);
    }

    #[test]
    fn sets_without_a_common_number_are_found_apart() {
        let all: Vec<Stride> = (1..5)
            .flat_map(|modulus| (0..modulus).map(move |residue| (modulus, residue)))
            .flat_map(|(modulus, residue)| {
                [(None, None), (Some(-5), Some(3)), (Some(1), None), (None, Some(0))]
                    .into_iter()
                    .filter_map(move |(low, high)| stride(low, high, modulus, residue))
            })
            .collect();
        let numbers: Vec<BigInt> = (-40..40).map(BigInt::from).collect();
        for a in &all {
            for b in &all {
                let meets = numbers.iter().any(|n| a.contains(n) && b.contains(n));
                assert!(a.may_meet(b) || !meets, "{a:?} {b:?}");
                let same = a.modulus == b.modulus;
                assert!(meets || !a.may_meet(b) || !same, "{a:?} {b:?}");
            }
        }
    }
}
