//! An array that grows while several workers use it.
//!
//! A tree of two levels over blocks of elements. A block is made when one of its elements is first accessed,
//! and never moves. Workers share elements, so elements are made of atomics.
//!
//! Promise: the address of an element never changes; an access takes no lock once the element's block
//! exists.

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

/// Elements by index; each has its default value until a worker changes it.
#[derive(Debug)]
pub(crate) struct ChunkedArray<T> {
    shape: ArrayShape,
    branches: Box<[Branch<T>]>,
    blocks: Counter,
}

fn filled<T>(bits: u32, make: impl Fn() -> T) -> Box<[T]> {
    (0..1 << bits).map(|_| make()).collect()
}

impl<T: Default> ChunkedArray<T> {
    pub(crate) fn new(shape: ArrayShape) -> ChunkedArray<T> {
        ChunkedArray { shape, branches: filled(shape.top_bits, OnceLock::new), blocks: Counter::new(0) }
    }

    /// The element with this index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> &T {
        let ArrayShape { block_bits, branch_bits, .. } = self.shape;
        let branch = &self.branches[(index >> (block_bits + branch_bits)) as usize];
        let branch = branch.get_or_init(|| filled(branch_bits, OnceLock::new));
        let block = &branch[(index >> block_bits) as usize & ((1 << branch_bits) - 1)];
        let block = block.get_or_init(|| {
            self.blocks.fetch_add(1, Ordering::Relaxed);
            filled(block_bits, T::default)
        });
        &block[index as usize & ((1 << block_bits) - 1)]
    }

    /// The bytes of the elements.
    pub(crate) fn memory(&self) -> usize {
        self.blocks.load(Ordering::Relaxed) * (size_of::<T>() << self.shape.block_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::atomic::AtomicUsize;
    use selvedge_explore::Random;

    #[test]
    fn all_that_several_threads_add_is_there() {
        let array: ChunkedArray<AtomicUsize> = ChunkedArray::new(ArrayShape::WHOLE);
        let indices = |seed| {
            let mut random = Random(seed);
            (0..20_000).map(move |_| (random.word() % 40_000) as u32 * 107_000)
        };
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let array = &array;
                scope.spawn(move || {
                    indices(seed).for_each(|index| {
                        array.get(index).fetch_add(1, Ordering::Relaxed);
                    });
                });
            }
        });
        let mut expected = std::collections::HashMap::new();
        (0..4).flat_map(indices).for_each(|index| *expected.entry(index).or_insert(0) += 1);
        assert!(expected.iter().all(|(index, count)| array.get(*index).load(Ordering::Relaxed) == *count));
        assert!(array.memory() > 0);
    }
}
