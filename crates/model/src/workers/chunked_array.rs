//! An array of rows that grows while several workers use it.
//!
//! A tree of two levels over blocks of rows. A block is made when one of its rows is first accessed, and
//! never moves. Workers share elements, so elements are made of atomics or locks.
//!
//! Promise: the address of a row never changes; an access takes no lock once the row's block exists.

use crate::sync::atomic::Ordering;
use crate::sync::{Counter, OnceLock};

type Block<T> = OnceLock<Box<[T]>>;
type Branch<T> = OnceLock<Box<[Block<T>]>>;

/// How the bits of an index are divided, from the lowest up: within a block, within a branch, among the
/// branches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayShape {
    pub(crate) block_bits: u32,
    pub(crate) branch_bits: u32,
    pub(crate) top_bits: u32,
}

impl ArrayShape {
    /// Room for every index of 32 bits.
    pub(crate) const WHOLE: ArrayShape = ArrayShape { block_bits: 12, branch_bits: 10, top_bits: 10 };
}

/// Rows of the same width by index; each element has its default value until a worker changes it.
#[derive(Debug)]
pub(crate) struct ChunkedArray<T> {
    shape: ArrayShape,
    width: usize,
    branches: Box<[Branch<T>]>,
    blocks: Counter,
}

fn filled<T>(count: usize, make: impl Fn() -> T) -> Box<[T]> {
    (0..count).map(|_| make()).collect()
}

impl<T: Default> ChunkedArray<T> {
    /// Rows of `width` elements.
    pub(crate) fn new(shape: ArrayShape, width: usize) -> ChunkedArray<T> {
        let branches = filled(1 << shape.top_bits, OnceLock::new);
        ChunkedArray { shape, width, branches, blocks: Counter::new(0) }
    }

    /// The row with this index.
    #[inline]
    pub(crate) fn row(&self, index: u32) -> &[T] {
        &self.rows_from(index)[..self.width]
    }

    /// The elements of the rows from this index on, as far as they are in the same block.
    #[inline]
    pub(crate) fn rows_from(&self, index: u32) -> &[T] {
        let ArrayShape { block_bits, branch_bits, .. } = self.shape;
        let branch = &self.branches[(index >> (block_bits + branch_bits)) as usize];
        let branch = branch.get_or_init(|| filled(1 << branch_bits, OnceLock::new));
        let block = &branch[(index >> block_bits) as usize & ((1 << branch_bits) - 1)];
        let block = block.get_or_init(|| {
            self.blocks.fetch_add(1, Ordering::Relaxed);
            filled(self.width << block_bits, T::default)
        });
        &block[(index as usize & ((1 << block_bits) - 1)) * self.width..]
    }

    /// The first element of the row with this index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> &T {
        &self.row(index)[0]
    }

    /// The bytes of the elements.
    pub(crate) fn memory(&self) -> usize {
        self.blocks.load(Ordering::Relaxed) * ((self.width * size_of::<T>()) << self.shape.block_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::atomic::AtomicUsize;
    use selvedge_explore::Random;

    #[test]
    fn all_that_several_threads_add_is_there() {
        let array: ChunkedArray<AtomicUsize> = ChunkedArray::new(ArrayShape::WHOLE, 3);
        let indices = |seed| {
            let mut random = Random(seed);
            (0..20_000)
                .map(move |_| ((random.word() % 40_000) as u32 * 107_000, (random.word() % 3) as usize))
        };
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let array = &array;
                scope.spawn(move || {
                    indices(seed).for_each(|(index, column)| {
                        array.row(index)[column].fetch_add(1, Ordering::Relaxed);
                    });
                });
            }
        });
        let mut expected = std::collections::HashMap::new();
        (0..4).flat_map(indices).for_each(|cell| *expected.entry(cell).or_insert(0) += 1);
        let found = |(index, column): &(u32, usize)| array.row(*index)[*column].load(Ordering::Relaxed);
        assert!(expected.iter().all(|(cell, count)| found(cell) == *count));
        assert!(array.memory() > 0);
    }
}
