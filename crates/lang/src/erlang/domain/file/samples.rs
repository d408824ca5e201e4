//! Numbers that a domain is tested on: near the borders of its regions, small, large and random ones.
//!
//! Promise: every region has a sample, those with several numbers have several, and the samples of a domain
//! are the same on every machine. Numbers near zero come first, since they are read best in a message.

use super::super::regions::Regions;
use num_bigint::BigInt;
use selvedge_explore::Random;
use std::collections::BTreeSet;

/// All numbers up to this magnitude are candidates.
const SMALL: i64 = 64;

/// All numbers so near to a border of regions are candidates.
const NEAR: i64 = 8;

/// Random numbers of each size.
const RANDOM_SAMPLES: usize = 4;

/// Sizes of random numbers, in bits.
const RANDOM_BITS: [u32; 4] = [8, 12, 16, 40];

/// Samples of all regions together, unless there are too many regions for that.
const MAX_SAMPLES: usize = 400;

const SEED: u64 = 5;

/// The samples, those near zero first.
pub(super) fn samples(regions: &Regions) -> Vec<BigInt> {
    let mut by_region = vec![Vec::new(); regions.len()];
    for n in candidates(regions) {
        by_region[regions.region_of(&n)].push(n);
    }
    let at_most = (MAX_SAMPLES / regions.len()).max(4);
    let mut samples: Vec<BigInt> =
        by_region.into_iter().flat_map(|numbers| thinned(numbers, at_most)).collect();
    samples.sort_by_cached_key(|n| (n.magnitude().clone(), *n < BigInt::ZERO));
    samples
}

/// The smallest numbers of a region, and a few of its largest.
fn thinned(mut numbers: Vec<BigInt>, at_most: usize) -> Vec<BigInt> {
    numbers.sort_by_cached_key(|n| n.magnitude().clone());
    let count = numbers.len();
    let few = at_most / 4;
    if count > at_most {
        numbers.drain(at_most - few..count - few);
    }
    numbers
}

fn candidates(regions: &Regions) -> BTreeSet<BigInt> {
    let mut all: BTreeSet<BigInt> = (-SMALL..=SMALL).map(BigInt::from).collect();
    for cut in regions.grid().cuts {
        all.extend((-NEAR..=NEAR).map(|step| &cut + step));
    }
    for bits in [31_u32, 32, 63, 64] {
        let large: BigInt = BigInt::from(1) << bits;
        all.extend([large.clone() - 1, large.clone(), large.clone() + 1, -large]);
    }
    for region in 0..regions.len() {
        let stride = regions.stride(region);
        let near = regions.representative(region);
        let steps = (-2..=2).map(|step| near + &stride.modulus * step);
        all.extend(steps.filter(|n| stride.contains(n)));
        all.extend(stride.low.iter().chain(&stride.high).cloned());
    }
    let mut random = Random(SEED);
    for bits in RANDOM_BITS {
        for _ in 0..RANDOM_SAMPLES {
            let word = random.word();
            let magnitude = BigInt::from(word >> (64 - bits));
            all.insert(if word & 1 == 0 { magnitude } else { -magnitude });
        }
    }
    all
}
