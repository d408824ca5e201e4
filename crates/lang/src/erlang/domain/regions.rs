//! The integers, divided into finitely many regions on each of which an abstraction is constant.
//!
//! The tests of an abstraction compare a number with constants and look at remainders. The constants divide
//! the integers into intervals, and the least common multiple of the moduli divides each interval into
//! classes of one remainder. So every region is a [`Stride`], every concretization is a set of regions, and
//! questions about concretizations (is it empty, has it one number, are two disjoint) have exact answers.
//!
//! Promise: every integer is in exactly one region, and no region is empty.

use super::bit_set::{BitSet, CAPACITY};
use super::stride::{Stride, floor_mod};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Remainders times intervals that are looked at for regions.
const MAX_CELLS: usize = 1 << 16;

/// What divides the integers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Grid {
    /// A region ends before each of these numbers.
    pub(super) cuts: BTreeSet<BigInt>,
    /// The numbers of a region have the same remainder by each of these.
    pub(super) moduli: BTreeSet<u64>,
}

impl Grid {
    /// Everything that divides in either grid.
    pub(super) fn merge(&mut self, other: &Grid) {
        self.cuts.extend(other.cuts.iter().cloned());
        self.moduli.extend(&other.moduli);
    }

    /// The least common multiple of the moduli, if it is small.
    fn modulus(&self) -> Option<usize> {
        self.moduli.iter().try_fold(1usize, |all, modulus| {
            let modulus = usize::try_from(*modulus).ok()?;
            let multiple = all.checked_mul(modulus / gcd(all, modulus))?;
            (multiple <= MAX_CELLS).then_some(multiple)
        })
    }
}

/// The regions of a grid.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    cuts: Vec<BigInt>,
    modulus: usize,
    strides: Vec<Stride>,
    /// By interval and remainder; `None` if no number is there.
    numbers: Vec<Option<u16>>,
}

impl Regions {
    /// `None` if there are more than a [`BitSet`] has.
    pub(super) fn new(grid: &Grid) -> Option<Regions> {
        let modulus = grid.modulus()?;
        let cuts: Vec<BigInt> = grid.cuts.iter().cloned().collect();
        if (cuts.len() + 1) * modulus > MAX_CELLS {
            return None;
        }
        let mut regions = Regions { cuts, modulus, strides: Vec::new(), numbers: Vec::new() };
        for interval in 0..=regions.cuts.len() {
            let low = interval.checked_sub(1).map(|before| regions.cuts[before].clone());
            let high = regions.cuts.get(interval).map(|cut| cut - 1);
            for residue in 0..modulus {
                let stride =
                    Stride::new(low.clone(), high.clone(), &BigInt::from(modulus), &BigInt::from(residue));
                regions.numbers.push(stride.is_some().then_some(regions.strides.len() as u16));
                regions.strides.extend(stride);
            }
            if regions.strides.len() > CAPACITY {
                return None;
            }
        }
        Some(regions)
    }

    pub(super) fn len(&self) -> usize {
        self.strides.len()
    }

    /// What divides the integers into these regions.
    pub(super) fn grid(&self) -> Grid {
        Grid { cuts: self.cuts.iter().cloned().collect(), moduli: [self.modulus as u64].into() }
    }

    /// The numbers of a region.
    pub(super) fn stride(&self, region: usize) -> &Stride {
        &self.strides[region]
    }

    /// The region of a number.
    pub(super) fn region_of(&self, n: &BigInt) -> usize {
        let interval = self.cuts.partition_point(|cut| cut <= n);
        let residue = self.small_remainder(n);
        let number = self.numbers[interval * self.modulus + residue];
        usize::from(number.expect("the number is in its region"))
    }

    /// Some number of a region, near to zero.
    pub(super) fn representative(&self, region: usize) -> &BigInt {
        let stride = &self.strides[region];
        let is_positive = stride.low.as_ref().is_some_and(|low| *low >= BigInt::ZERO);
        let near = if is_positive { &stride.low } else { &stride.high };
        near.as_ref().or(stride.low.as_ref()).unwrap_or(&stride.residue)
    }

    /// Every region that may have a number of the stride.
    pub(super) fn meeting(&self, stride: &Stride) -> BitSet {
        if let Some(n) = stride.only() {
            return [self.region_of(n)].into_iter().collect();
        }
        let first = stride.low.as_ref().map_or(0, |low| self.cuts.partition_point(|cut| cut <= low));
        let last = match &stride.high {
            Some(high) => self.cuts.partition_point(|cut| cut <= high),
            None => self.cuts.len(),
        };
        // Numbers of both have the same remainder by every common factor of the moduli.
        let factor = gcd(self.modulus, self.small_remainder(&stride.modulus));
        let residue = self.small_remainder(&stride.residue) % factor;
        let intervals = (first..=last).map(|interval| interval * self.modulus);
        let cells = intervals.flat_map(|start| (start + residue..start + self.modulus).step_by(factor));
        let regions = cells.filter_map(|cell| self.numbers[cell]).map(usize::from);
        regions.filter(|region| self.may_meet(*region, stride)).collect()
    }

    /// May the region have a number of the stride, which has the same remainder by common factors?
    fn may_meet(&self, region: usize, stride: &Stride) -> bool {
        let own = &self.strides[region];
        let is_endless = |own: &Option<BigInt>, other: &Option<BigInt>| own.is_none() && other.is_none();
        // In a common direction without end, they meet for certain.
        is_endless(&own.low, &stride.low) || is_endless(&own.high, &stride.high) || own.may_meet(stride)
    }

    /// The remainder by the modulus of these regions.
    fn small_remainder(&self, n: &BigInt) -> usize {
        match self.modulus {
            1 => 0,
            modulus => usize::try_from(floor_mod(n, &BigInt::from(modulus))).expect("a small remainder"),
        }
    }

    /// The regions of these that lie inside of a region of the coarser division, given by its number.
    pub(super) fn inside(&self, coarse: &Regions) -> Vec<usize> {
        (0..self.len()).map(|region| coarse.region_of(self.representative(region))).collect()
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(cuts: &[i64], moduli: &[u64]) -> Option<Regions> {
        let cuts = cuts.iter().map(|cut| BigInt::from(*cut)).collect();
        Regions::new(&Grid { cuts, moduli: moduli.iter().copied().collect() })
    }

    #[test]
    fn every_number_is_in_exactly_one_region() {
        for (cuts, moduli) in [(&[][..], &[][..]), (&[0, 1], &[2]), (&[-3, 0, 5], &[2, 3]), (&[7], &[4, 6])] {
            let regions = regions(cuts, moduli).expect("few regions");
            for n in (-40..40).map(BigInt::from) {
                let home = regions.region_of(&n);
                for region in 0..regions.len() {
                    assert_eq!(regions.stride(region).contains(&n), region == home, "{n}");
                    assert_eq!(regions.region_of(regions.representative(region)), region);
                }
                assert_eq!(regions.meeting(&Stride::point(n)).len(), 1);
            }
        }
    }

    #[test]
    fn empty_regions_are_left_out_and_too_many_are_refused() {
        assert_eq!(regions(&[0, 1], &[2]).expect("few regions").len(), 5);
        assert!(regions(&[], &[256]).is_some());
        assert!(regions(&[], &[257]).is_none());
        assert!(regions(&[], &[u64::MAX]).is_none());
        assert!(regions(&[], &[99_991, 99_989]).is_none());
    }
}
