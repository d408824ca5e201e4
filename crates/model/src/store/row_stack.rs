//! A stack of rows of numbers, most of which differ little from the row below.
//!
//! A number is the difference from the number below it in one byte, or, if it does not fit, in a word on a
//! stack of its own.
//!
//! Promise: rows are those that were pushed; the bytes in use are about one for each number of a row, if
//! rows next to each other are alike.

use super::Stack;

/// A byte that says that the difference is on the stack of words.
const WIDE: u8 = u8::MAX;

/// Last in, first out: rows of `N` numbers.
#[derive(Debug)]
pub(crate) struct RowStack<const N: usize> {
    differences: Stack<[u8; N]>,
    wide: Stack<u32>,
    /// The row on top; zeros if there is none.
    top: [u32; N],
}

impl<const N: usize> Default for RowStack<N> {
    fn default() -> Self {
        RowStack { differences: Stack::default(), wide: Stack::default(), top: [0; N] }
    }
}

/// A difference as a number that is small if the difference is near zero on either side.
#[inline]
fn fold(difference: u32) -> u32 {
    difference << 1 ^ ((difference as i32) >> 31) as u32
}

#[inline]
fn unfold(folded: u32) -> u32 {
    folded >> 1 ^ (folded & 1).wrapping_neg()
}

impl<const N: usize> RowStack<N> {
    pub(crate) fn len(&self) -> usize {
        self.differences.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, row: [u32; N]) {
        let mut bytes = [0; N];
        for column in 0..N {
            let folded = fold(row[column].wrapping_sub(self.top[column]));
            bytes[column] = folded.min(u32::from(WIDE)) as u8;
            if bytes[column] == WIDE {
                self.wide.push(folded);
            }
        }
        self.differences.push(bytes);
        self.top = row;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<[u32; N]> {
        let bytes = self.differences.pop()?;
        let row = self.top;
        for column in (0..N).rev() {
            let folded = match bytes[column] {
                WIDE => self.wide.pop().expect("a word for each wide difference"),
                byte => u32::from(byte),
            };
            self.top[column] = row[column].wrapping_sub(unfold(folded));
        }
        Some(row)
    }

    #[inline]
    pub(crate) fn last(&self) -> Option<[u32; N]> {
        (self.len() > 0).then_some(self.top)
    }

    /// Removes the rows from this index on.
    pub(crate) fn truncate(&mut self, length: usize) {
        while self.len() > length {
            self.pop();
        }
    }

    /// The rows from this index on.
    pub(crate) fn rows_from(&self, start: usize) -> Vec<[u32; N]> {
        let (mut row, mut wide) = (self.top, self.wide.len());
        let mut rows = Vec::new();
        let bytes: Vec<[u8; N]> = self.differences.iter_from(start).collect();
        for bytes in bytes.into_iter().rev() {
            rows.push(row);
            for column in (0..N).rev() {
                let folded = if bytes[column] == WIDE {
                    wide -= 1;
                    self.wide.iter_from(wide).next().expect("a word for each wide difference")
                } else {
                    u32::from(bytes[column])
                };
                row[column] = row[column].wrapping_sub(unfold(folded));
            }
        }
        rows.reverse();
        rows
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.differences.memory() + self.wide.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    #[test]
    fn a_stack_of_rows_agrees_with_a_vector() {
        let mut random = Random(8);
        let (mut stack, mut vector) = (RowStack::<3>::default(), Vec::<[u32; 3]>::new());
        for _ in 0..200_000 {
            let word = random.word();
            match word % 16 {
                0..=8 => {
                    let below = vector.last().copied().unwrap_or_default();
                    // Near differences, far ones, and those at the border of a byte.
                    let near = |column: usize| {
                        below[column].wrapping_add((word >> 8) as u32 % 300).wrapping_sub(150)
                    };
                    let row = match word >> 32 & 3 {
                        0 => [random.word() as u32, near(1), u32::MAX],
                        1 => [0, u32::MAX / 2, random.word() as u32],
                        _ => [near(0), near(1), near(2)],
                    };
                    stack.push(row);
                    vector.push(row);
                }
                9 if (word >> 16).is_multiple_of(500) => {
                    let length = (random.word() % (vector.len() as u64 + 1)) as usize;
                    assert_eq!(stack.rows_from(length), vector[length..]);
                    stack.truncate(length);
                    vector.truncate(length);
                }
                _ => assert_eq!(stack.pop(), vector.pop()),
            }
            assert_eq!((stack.len(), stack.last()), (vector.len(), vector.last().copied()));
        }
    }

    #[test]
    fn a_number_near_the_one_below_takes_one_byte() {
        let mut stack = RowStack::<2>::default();
        (0..1_000_000).for_each(|round| stack.push([round, 5 * round]));
        assert!(stack.memory() < 2_100_000);
    }
}
