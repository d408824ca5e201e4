//! Pseudorandom numbers that depend on the seed alone: the same on every machine, in every version.
//!
//! SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). A
//! bounded number is the upper half of a product (Lemire, Fast Random Integer Generation in an Interval,
//! 2019, without the rejection).
//!
//! Promise: the sequence of a seed never changes, because failing runs are recorded as seeds.

/// A generator; the number is its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number below the bound; `None` if the bound is 0.
    #[inline]
    pub fn below(&mut self, bound: usize) -> Option<usize> {
        let scaled = (u128::from(self.word()) * bound as u128) >> 64;
        (bound > 0).then_some(scaled as usize)
    }

    /// A generator for run number `run` with this seed. The generators of different runs are independent.
    pub fn of_run(seed: u64, run: u64) -> Random {
        Random(Random(seed ^ Random(run).word()).word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut random = Random(42);
        let first: Vec<u64> = (0..3).map(|_| random.word()).collect();
        // The reference implementation of Vigna gives these for the seed 42.
        assert_eq!(first, [13_679_457_532_755_275_413, 2_949_826_092_126_892_291, 5_139_283_748_462_763_858]);
        assert_eq!(Random::of_run(7, 3), Random::of_run(7, 3));
        assert_ne!(Random::of_run(7, 3), Random::of_run(7, 4));
        assert_ne!(Random::of_run(7, 3), Random::of_run(3, 7));
    }

    #[test]
    fn bounded_numbers_are_evenly_distributed_below_their_bound() {
        let mut random = Random(1);
        let mut seen = [0_u32; 7];
        for _ in 0..7_000 {
            seen[random.below(7).expect("a bound above 0")] += 1;
        }
        assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
        assert_eq!(random.below(0), None);
    }
}
