//! Numbers that a domain is tested on: near the borders of its regions, small, large and random ones.
//!
//! Promise: every region has a sample, those with several numbers have several, and the samples of a domain
//! are the same on every machine. Numbers near zero come first, since they are read best in a message.

use super::super::regions::Regions;
use num_bigint::BigInt;
use selvedge_explore::Random;
use std::collections::BTreeSet;

/// Random numbers of each size.
const RANDOM_SAMPLES: usize = 4;

/// Sizes of random numbers, in bits.
const RANDOM_BITS: [u32; 4] = [4, 8, 16, 40];

const SEED: u64 = 5;

/// The samples, those near zero first.
pub(super) fn samples(regions: &Regions) -> Vec<BigInt> {
    let mut all: BTreeSet<BigInt> = (-4..=4).map(BigInt::from).collect();
    for cut in regions.grid().cuts {
        all.extend((-2..=2).map(|step| &cut + step));
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
    }
    let mut random = Random(SEED);
    for bits in RANDOM_BITS {
        for _ in 0..RANDOM_SAMPLES {
            let word = random.word();
            let magnitude = BigInt::from(word >> (64 - bits));
            all.insert(if word & 1 == 0 { magnitude } else { -magnitude });
        }
    }
    let mut all: Vec<BigInt> = all.into_iter().rev().collect();
    all.sort_by_key(|n| n.magnitude().clone());
    all
}
