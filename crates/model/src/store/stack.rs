//! A stack in chunks.
//!
//! A search may push as many elements as it has nodes. A vector that doubles would hold up to twice as much
//! as it needs, and three times while it moves.
//!
//! Promise: the bytes in use are those of the elements and of two chunks.

/// The number of elements in a chunk.
const CHUNK: usize = 1 << 12;

/// Last in, first out.
#[derive(Debug)]
pub(crate) struct Stack<T> {
    /// Chunks below the top one, all full.
    full: Vec<Vec<T>>,
    top: Vec<T>,
    /// An empty chunk that is kept, so that a search at the edge of a chunk allocates nothing.
    spare: Vec<T>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack { full: Vec::new(), top: Vec::new(), spare: Vec::new() }
    }
}

impl<T: Copy> Stack<T> {
    pub(crate) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.top.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, element: T) {
        if self.top.len() == CHUNK {
            let mut chunk = std::mem::take(&mut self.spare);
            chunk.reserve_exact(CHUNK);
            self.full.push(std::mem::replace(&mut self.top, chunk));
        }
        self.top.push(element);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.top.is_empty()
            && let Some(chunk) = self.full.pop()
        {
            self.spare = std::mem::replace(&mut self.top, chunk);
        }
        self.top.pop()
    }

    /// The elements from this index on.
    pub(crate) fn iter_from(&self, start: usize) -> impl Iterator<Item = T> {
        let chunk = |number: usize| self.full.get(number).unwrap_or(&self.top);
        (start..self.len()).map(move |index| chunk(index / CHUNK)[index % CHUNK])
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        let elements = self.full.len() * CHUNK + self.top.capacity() + self.spare.capacity();
        elements * size_of::<T>() + self.full.capacity() * size_of::<Vec<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    #[test]
    fn a_stack_agrees_with_a_vector() {
        let mut random = Random(3);
        let (mut stack, mut vector) = (Stack::default(), Vec::new());
        let mut goes_up = true;
        for round in 0..200_000_u32 {
            if random.word().is_multiple_of(5000) {
                goes_up = !goes_up;
            }
            match random.word() % 8 {
                0..=5 if goes_up => {
                    stack.push(round);
                    vector.push(round);
                }
                6 if random.word().is_multiple_of(500) => {
                    let length = (random.word() % (vector.len() as u64 + 1)) as usize;
                    assert!(stack.iter_from(length).eq(vector[length..].iter().copied()));
                }
                _ => assert_eq!(stack.pop(), vector.pop()),
            }
            assert_eq!(stack.len(), vector.len());
        }
        assert!(stack.memory() <= (vector.len() + 2 * CHUNK) * size_of::<u32>() + 1000);
    }
}
