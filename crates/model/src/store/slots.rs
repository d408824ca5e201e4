//! The slots of a table as bytes, and back.
//!
//! To make slots anew, every state is hashed, and put into a slot that is far away in memory. A process that
//! goes on from a checkpoint takes the slots from the one before instead, one behind the other, and puts
//! only the states behind them into their slots. Nearly half of the slots of a table that has just grown are
//! empty, so a bit says which are taken, and only entries of those are written: 4.3 bytes a state.
//!
//! Promise: a table with slots from bytes finds the same states as one whose slots were made anew. Slots of
//! other states are refused: every entry must be of a known state, and some states are looked up.

use super::table::{EMPTY, FIRST_SLOT_BITS, MAX_SLOT_BITS, StateId, StateTable};
use crate::checkpoint::{Malformed, Reader, TWICE, Writer};

/// One of so many states is looked up.
const SAMPLE: usize = 256;

/// The number of slots that one word of bits says of whether they are taken.
const BLOCK: usize = 64;

impl StateTable {
    /// The number of slots.
    pub(crate) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// Writes the slots of all states.
    pub(crate) fn write_slots(&self, out: &mut Writer) {
        out.number(self.len());
        out.number(self.slot_bits as usize);
        let mut entries = Vec::with_capacity(self.len());
        for block in self.slots.chunks_exact(BLOCK) {
            let is_taken =
                |word: u64, (slot, entry): (usize, &u32)| word | u64::from(*entry != EMPTY) << slot;
            out.word(block.iter().enumerate().fold(0, is_taken));
            entries.extend(block.iter().copied().filter(|entry| *entry != EMPTY));
        }
        out.halves(entries.into_iter());
    }

    /// Gives all states their slots, the first ones those that [`write_slots`](StateTable::write_slots)
    /// wrote. Returns the number of slots that it wrote, if they are not too few by now.
    pub(crate) fn index(&mut self, written: Option<&mut Reader<'_>>) -> Result<usize, Malformed> {
        let read = written.map(|reader| self.read_slots(reader)).transpose()?;
        let Some((indexed, slots)) = read.filter(|(_, slots)| self.len() <= slots.len() / 8 * 7) else {
            while self.len() > (1 << self.slot_bits) / 8 * 7 {
                self.slot_bits += 1;
            }
            return Malformed::unless(self.fill_slots(0), TWICE).map(|()| 0);
        };
        let taken = slots.len();
        (self.slot_bits, self.slots) = (taken.ilog2(), slots);
        Malformed::unless(self.fill_slots(indexed), TWICE)?;
        let is_found = |id| self.find(self.get(StateId(id))) == Some(StateId(id));
        let are_found = (0..indexed).step_by(SAMPLE).all(is_found);
        Malformed::unless(are_found, "a state is not in its slot").map(|()| taken)
    }

    /// Slots, and the number of states that are in them.
    fn read_slots(&self, reader: &mut Reader<'_>) -> Result<(u32, Vec<u32>), Malformed> {
        let count = reader.number(self.len())?;
        let bits = reader.number(MAX_SLOT_BITS as usize)?;
        Malformed::unless(bits >= FIRST_SLOT_BITS as usize, "too few slots")?;
        Malformed::unless(count <= (1 << bits) / 8 * 7, "more states than slots")?;
        let (blocks, _) = reader.take((1 << bits) / 8)?.as_chunks::<8>();
        let mut entries = reader.halves(count)?;
        let mut slots = vec![EMPTY; 1 << bits];
        let (mask, mut are_known) = ((1_u32 << bits) - 1, true);
        for (block, taken) in slots.chunks_exact_mut(BLOCK).zip(blocks) {
            let mut taken = u64::from_le_bytes(*taken);
            while taken != 0 {
                let entry = entries.next().ok_or_else(|| Malformed("a slot has no state".to_owned()))?;
                are_known &= ((entry & mask) as usize) < count;
                block[taken.trailing_zeros() as usize] = entry;
                taken &= taken - 1;
            }
        }
        Malformed::unless(are_known && entries.next().is_none(), "a slot of an unknown state")?;
        Ok((count as u32, slots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Word;
    use selvedge_explore::Random;

    fn table(random: &mut Random, count: usize) -> StateTable {
        let mut table = StateTable::new(2);
        while table.len() < count {
            table.insert(&[random.word() % 5000, random.word() % 50]);
        }
        table
    }

    fn words_of(table: &StateTable) -> Vec<Word> {
        table.iter().flatten().copied().collect()
    }

    #[test]
    fn slots_from_bytes_are_those_that_are_made_anew() {
        let mut random = Random(91);
        for round in 0..60 {
            let count = 1 + (random.word() % 30_000) as usize;
            let mut own = table(&mut random, count);
            let mut written = Writer::default();
            own.write_slots(&mut written);
            let slots = own.slot_count();
            // More states come: none, few, or so many that the slots are made anew.
            let more = (random.word() % [1, 50, 40_000][round % 3]) as usize;
            while own.len() < count + more {
                own.insert(&[random.word() % 5000, random.word() % 50]);
            }
            let mut anew = StateTable::new(2);
            anew.append(&words_of(&own));
            let mut resumed = anew.clone();
            assert_eq!(anew.index(None), Ok(0));
            let has_room = own.len() <= slots / 8 * 7;
            let taken = resumed.index(Some(&mut Reader::new(written.bytes())));
            assert_eq!(taken, Ok(if has_room { slots } else { 0 }));
            resumed.validate();
            anew.validate();
        }
    }

    #[test]
    fn a_table_without_states_has_slots() {
        let mut table = StateTable::new(2);
        assert_eq!(table.index(None), Ok(0));
        let mut written = Writer::default();
        table.write_slots(&mut written);
        assert_eq!(table.index(Some(&mut Reader::new(written.bytes()))), Ok(table.slot_count()));
        assert!(table.insert(&[3, 4]).1);
        table.validate();
    }

    #[test]
    fn slots_that_are_damaged_do_not_panic() {
        let mut random = Random(92);
        let own = table(&mut random, 700);
        let mut written = Writer::default();
        own.write_slots(&mut written);
        let mut refused = 0;
        for _ in 0..3000 {
            let mut bytes = written.bytes().to_vec();
            let index = (random.word() % bytes.len() as u64) as usize;
            bytes[index] ^= 1 << (random.word() % 8);
            let mut other = StateTable::new(2);
            other.append(&words_of(&own));
            // Whatever is said, nothing panics: only the file's checksum knows of every change.
            refused += usize::from(other.index(Some(&mut Reader::new(&bytes))).is_err());
        }
        assert!((1..3000).contains(&refused), "{refused} changes are refused");
        for length in 0..written.bytes().len() {
            let mut other = StateTable::new(2);
            other.append(&words_of(&own));
            assert!(other.index(Some(&mut Reader::new(&written.bytes()[..length]))).is_err());
        }
    }

    #[test]
    fn slots_of_other_states_are_refused() {
        let mut random = Random(93);
        let mut written = Writer::default();
        table(&mut random, 700).write_slots(&mut written);
        // They fit into the same slots, so those are not made anew.
        let mut other = StateTable::new(2);
        other.append(&words_of(&table(&mut random, 800)));
        let refused = other.index(Some(&mut Reader::new(written.bytes())));
        assert_eq!(refused, Err(Malformed("a state is not in its slot".to_owned())));
    }
}
