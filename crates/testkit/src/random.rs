//! Pseudo-random numbers for generators of test cases.
//!
//! SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). A
//! bounded number is the remainder of a division.
//!
//! Promise: a seed gives the same numbers on every machine, for good; tests pin counts of drawn cases.

/// A generator; its state is the number.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    #[allow(clippy::should_implement_trait)] // a generator has no end
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number, reduced to be smaller than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of the elements.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut random = Random(42);
        // Vigna's reference implementation gives these for the seed 42.
        assert_eq!(random.next(), 13_679_457_532_755_275_413);
        assert_eq!(random.next(), 2_949_826_092_126_892_291);
        assert_eq!(random.below(1000), 858);
    }
}
