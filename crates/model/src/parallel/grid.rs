//! An array that grows while several workers use it.
//!
//! A tree of two levels over blocks of elements; a block is made when one of its elements is first asked for, and never
//! moves. Elements are shared, so they are atomics.
//!
//! Promise: an element is where it was; asking takes no lock once its block is there.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const BLOCK_BITS: u32 = 12;
const BRANCH_BITS: u32 = 10;

type Block<T> = OnceLock<Box<[T]>>;
type Branch<T> = OnceLock<Box<[Block<T>]>>;

/// Elements, one for each number of 32 bits; each is the default until somebody changes it.
#[derive(Debug)]
pub(crate) struct Grid<T> {
    branches: Box<[Branch<T>]>,
    blocks: AtomicUsize,
}

fn filled<T>(bits: u32, make: impl Fn() -> T) -> Box<[T]> {
    (0..1 << bits).map(|_| make()).collect()
}

impl<T: Default> Grid<T> {
    pub(crate) fn new() -> Grid<T> {
        let top_bits = u32::BITS - BLOCK_BITS - BRANCH_BITS;
        Grid { branches: filled(top_bits, OnceLock::new), blocks: AtomicUsize::new(0) }
    }

    /// The element with this number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &T {
        let branch = &self.branches[(number >> (BLOCK_BITS + BRANCH_BITS)) as usize];
        let branch = branch.get_or_init(|| filled(BRANCH_BITS, OnceLock::new));
        let block = &branch[(number >> BLOCK_BITS) as usize & ((1 << BRANCH_BITS) - 1)];
        let block = block.get_or_init(|| {
            self.blocks.fetch_add(1, Ordering::Relaxed);
            filled(BLOCK_BITS, T::default)
        });
        &block[number as usize & ((1 << BLOCK_BITS) - 1)]
    }

    /// The bytes of the elements.
    pub(crate) fn memory(&self) -> usize {
        self.blocks.load(Ordering::Relaxed) * (size_of::<T>() << BLOCK_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    #[test]
    fn what_many_add_is_all_there() {
        let grid: Grid<AtomicUsize> = Grid::new();
        let numbers = |seed| {
            let mut random = Random(seed);
            (0..20_000).map(move |_| (random.word() % 40_000) as u32 * 107_000)
        };
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let grid = &grid;
                scope.spawn(move || {
                    numbers(seed).for_each(|number| {
                        grid.get(number).fetch_add(1, Ordering::Relaxed);
                    });
                });
            }
        });
        let mut expected = std::collections::HashMap::new();
        (0..4).flat_map(numbers).for_each(|number| *expected.entry(number).or_insert(0) += 1);
        assert!(expected.iter().all(|(number, count)| grid.get(*number).load(Ordering::Relaxed) == *count));
        assert!(grid.memory() > 0);
    }
}
