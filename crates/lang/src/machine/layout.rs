//! How a state is packed into words.
//!
//! Each part of a state is a [`Field`] of as few bits as its values need: each program counter, the last
//! mover, and each variable as an index into the table of the values that it can take ([`super::infer`]). A
//! variable that can take too many is a [counter](super::counters), whose values are an interval; or it has
//! a word of its own and two bits that say whether it is an integer, null or undefined.
//!
//! Promise: fields do not overlap, and no field crosses a word.

use super::counters::Interval;
use super::domain::{Domain, value};
use crate::flow_graph::Cell;
use crate::flow_graph::arithmetic::Value;
use selvedge_model::Word;
use std::sync::Arc;

/// Some bits of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    word: u32,
    shift: u8,
    mask: Word,
}

impl Field {
    /// Has it no bits? Then it always holds 0.
    pub(super) fn is_empty(self) -> bool {
        self.mask == 0
    }

    #[inline]
    pub(super) fn get(self, state: &[Word]) -> Word {
        (state[self.word as usize] >> self.shift) & self.mask
    }

    /// The word and the first bit, as a key; `None` if it has no bits.
    pub(super) fn key(self) -> Option<(u32, u8)> {
        (self.mask != 0).then_some((self.word, self.shift))
    }

    #[inline]
    pub(super) fn set(self, state: &mut [Word], value: Word) {
        debug_assert!(value <= self.mask, "a value outside of its field");
        let word = &mut state[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (value << self.shift);
    }
}

impl Field {
    /// The word, the mask in it and the bits that setting the field to a value writes.
    pub(super) fn write(self, value: Word) -> (u32, Word, Word) {
        debug_assert!(value <= self.mask, "a value outside of its field");
        (self.word, self.mask << self.shift, value << self.shift)
    }

    /// Adds to the number that the field holds. The sum must fit.
    #[inline]
    pub(super) fn add(self, state: &mut [Word], delta: i64) {
        let sum = self.get(state).wrapping_add_signed(delta);
        assert!(sum <= self.mask, "a value outside of its domain");
        self.set(state, sum);
    }
}

/// How the values of a variable are written into its field.
#[derive(Clone, Debug)]
pub(super) enum Coding {
    /// All integers of an interval, from this one on.
    Interval(i64),
    /// Indices into a sorted table.
    Table(Arc<[Cell]>),
    /// Any value; the second field says of which kind.
    Any,
}

/// The fields of a variable, an element or a message, and its coding.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) field: Field,
    kind: Field,
    pub(super) coding: Coding,
}

impl Slot {
    /// A slot for a number from 0 on that the field holds.
    pub(super) fn counter(field: Field) -> Slot {
        Slot { field, kind: Field::default(), coding: Coding::Interval(0) }
    }

    #[inline]
    pub(super) fn load(&self, state: &[Word]) -> Value {
        match &self.coding {
            Coding::Interval(first) => Some(first + self.field.get(state) as i64),
            _ => value(self.cell(state)),
        }
    }

    /// The value; undefined and null are different.
    pub(super) fn cell(&self, state: &[Word]) -> Cell {
        let bits = self.field.get(state);
        match &self.coding {
            Coding::Interval(first) => Cell::Int(first + bits as i64),
            Coding::Table(table) => table[bits as usize],
            Coding::Any => match self.kind.get(state) {
                0 => Cell::Int(bits as i64),
                1 => Cell::Null,
                _ => Cell::Undefined,
            },
        }
    }

    #[inline]
    pub(super) fn store(&self, state: &mut [Word], cell: Cell) {
        match &self.coding {
            Coding::Any => {
                let (kind, bits) = match cell {
                    Cell::Int(value) => (0, value as u64),
                    Cell::Null => (1, 0),
                    Cell::Undefined => (2, 0),
                };
                self.kind.set(state, kind);
                self.field.set(state, bits);
            }
            _ => self.field.set(state, self.code(cell).expect("a value outside of its domain")),
        }
    }

    /// Resets the slot to its state before its first use.
    pub(super) fn clear(&self, state: &mut [Word]) {
        self.field.set(state, 0);
        self.kind.set(state, 0);
    }

    /// The fields of the slot with what they hold for a value.
    pub(super) fn fields(&self, cell: Cell) -> impl Iterator<Item = (Field, Word)> {
        let width = 1 + self.field.word.max(self.kind.word) as usize;
        let mut state = vec![0; width];
        self.store(&mut state, cell);
        [self.field, self.kind]
            .map(|field| (field, field.get(&state)))
            .into_iter()
            .filter(|(field, _)| field.mask != 0)
    }

    /// The bits of a value; `None` if the variable cannot take it, or if one field does not hold it.
    pub(super) fn code(&self, cell: Cell) -> Option<Word> {
        match (&self.coding, cell) {
            (Coding::Interval(first), Cell::Int(value)) => {
                let offset = value.checked_sub(*first)?;
                u64::try_from(offset).ok().filter(|offset| *offset <= self.field.mask)
            }
            (Coding::Table(table), cell) => table.binary_search(&cell).ok().map(|index| index as u64),
            _ => None,
        }
    }
}

/// Allots fields to words.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// How many bits of each word are used.
    used_bits: Vec<u8>,
    /// The first word that may have room.
    first_open_word: usize,
}

impl Layout {
    /// A field that can hold the numbers below `count`.
    pub(super) fn field(&mut self, count: usize) -> Field {
        let bits = if count <= 1 { 0 } else { (usize::BITS - (count - 1).leading_zeros()) as u8 };
        self.bits(bits)
    }

    fn bits(&mut self, bits: u8) -> Field {
        if bits == 0 {
            return Field::default();
        }
        let word = match (self.first_open_word..self.used_bits.len())
            .find(|word| self.used_bits[*word] + bits <= 64)
        {
            Some(word) => word,
            None => {
                self.used_bits.push(0);
                self.used_bits.len() - 1
            }
        };
        let shift = self.used_bits[word];
        self.used_bits[word] += bits;
        // Only the last few words are searched for room, so that a layout of many fields takes linear time.
        self.first_open_word = self.first_open_word.max(self.used_bits.len().saturating_sub(8));
        Field { word: word as u32, shift, mask: if bits == 64 { Word::MAX } else { (1 << bits) - 1 } }
    }

    /// A slot for the values of a domain.
    pub(super) fn slot(&mut self, coding: &Coding, count: usize) -> Slot {
        match coding {
            Coding::Any => {
                let kind = self.bits(2);
                Slot { field: self.bits(64), kind, coding: Coding::Any }
            }
            _ => Slot { field: self.field(count), kind: Field::default(), coding: coding.clone() },
        }
    }

    /// How many words a state has: at least one.
    pub(super) fn words(&self) -> usize {
        self.used_bits.len().max(1)
    }
}

/// How the values of a counter are written, and how many there are.
pub(super) fn counter_coding((least, greatest): Interval) -> (Coding, usize) {
    (Coding::Interval(least), greatest.abs_diff(least) as usize + 1)
}

/// How the values of a domain are written, and how many there are.
pub(super) fn coding(domain: &Domain, exact: bool) -> (Coding, usize) {
    let Some(cells) = domain else { return (Coding::Any, 0) };
    let plain = |cell: &Cell| if exact || *cell != Cell::Undefined { *cell } else { Cell::Null };
    let mut table: Vec<Cell> = cells.iter().map(plain).collect();
    table.dedup();
    let count = table.len();
    match (table.first(), table.last()) {
        (Some(Cell::Int(first)), Some(Cell::Int(last))) if last.wrapping_sub(*first) == count as i64 - 1 => {
            (Coding::Interval(*first), count)
        }
        _ => (Coding::Table(table.into()), count),
    }
}
