//! The nodes of a product, numbered in the order in which they are found.
//!
//! A node is a pair of a state of the system and a state of the automaton. For a small automaton, the usual
//! case, the numbers are in a matrix with a row for each state of the system: one access, no hashing. A
//! large automaton seldom combines all of its states with one state of the system, so its pairs are in a
//! hash table.
//!
//! Promise: both tables give the same numbers.

use super::{StateId, StateTable};
use crate::system::Word;

/// The largest number of automaton states for which the table is a matrix.
const MAX_COLUMNS: u32 = 8;

/// A cell of the matrix without a node.
const NONE: u32 = u32::MAX;

/// A set of pairs.
#[derive(Debug)]
pub(crate) enum NodeTable {
    Matrix { columns: u32, numbers: Vec<u32>, pairs: Vec<(StateId, u8)> },
    Hashed(StateTable),
}

fn key(state: StateId, automaton: u32) -> Word {
    u64::from(state.0) << 32 | u64::from(automaton)
}

impl NodeTable {
    /// An empty set, for an automaton with this many states.
    pub(crate) fn new(automaton_states: usize) -> NodeTable {
        match u32::try_from(automaton_states) {
            Ok(columns @ 0..=MAX_COLUMNS) => {
                NodeTable::Matrix { columns, numbers: Vec::new(), pairs: Vec::new() }
            }
            _ => NodeTable::Hashed(StateTable::new(1)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            NodeTable::Matrix { pairs, .. } => pairs.len(),
            NodeTable::Hashed(table) => table.len(),
        }
    }

    /// The node's number; a new number if the node is new.
    #[inline]
    pub(crate) fn insert(&mut self, state: StateId, automaton: u32) -> u32 {
        match self {
            NodeTable::Matrix { columns, numbers, pairs } => {
                let cell = state.index() * *columns as usize + automaton as usize;
                if cell >= numbers.len() {
                    numbers.resize((state.index() + 1) * *columns as usize, NONE);
                }
                if numbers[cell] == NONE {
                    numbers[cell] = pairs.len() as u32;
                    pairs.push((state, automaton as u8));
                }
                numbers[cell]
            }
            NodeTable::Hashed(table) => table.insert(&[key(state, automaton)]).0.0,
        }
    }

    /// The node's number, if the node is stored.
    pub(crate) fn find(&self, state: StateId, automaton: u32) -> Option<u32> {
        match self {
            NodeTable::Matrix { columns, numbers, .. } => {
                let cell = state.index() * *columns as usize + automaton as usize;
                numbers.get(cell).copied().filter(|number| *number != NONE)
            }
            NodeTable::Hashed(table) => table.find(&[key(state, automaton)]).map(|node| node.0),
        }
    }

    /// The pair with this number.
    #[inline]
    pub(crate) fn pair(&self, node: u32) -> (StateId, u32) {
        match self {
            NodeTable::Matrix { pairs, .. } => {
                let (state, automaton) = pairs[node as usize];
                (state, u32::from(automaton))
            }
            NodeTable::Hashed(table) => {
                let word = table.get(StateId(node))[0];
                (StateId((word >> 32) as u32), word as u32)
            }
        }
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        match self {
            NodeTable::Matrix { numbers, pairs, .. } => {
                numbers.capacity() * size_of::<u32>() + pairs.capacity() * size_of::<(StateId, u8)>()
            }
            NodeTable::Hashed(table) => table.memory(),
        }
    }

    /// Panics, saying which invariant broke.
    #[cfg(test)]
    fn validate(&self) {
        match self {
            NodeTable::Matrix { numbers, pairs, .. } => {
                let used = numbers.iter().filter(|number| **number != NONE).count();
                assert_eq!(used, pairs.len(), "every node has one cell of the matrix");
            }
            NodeTable::Hashed(table) => table.validate(),
        }
        for node in 0..self.len() as u32 {
            let (state, automaton) = self.pair(node);
            assert_eq!(self.find(state, automaton), Some(node), "a stored pair is found");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    #[test]
    fn a_matrix_and_a_hash_table_number_alike() {
        let mut random = Random(31);
        let mut tables = [NodeTable::new(8), NodeTable::new(9)];
        assert!(matches!(tables, [NodeTable::Matrix { .. }, NodeTable::Hashed(_)]));
        for _ in 0..20_000 {
            let state = StateId((random.word() % 3000) as u32);
            let automaton = (random.word() % 8) as u32;
            let [one, other] = tables.each_ref().map(|table| table.find(state, automaton));
            assert_eq!(one, other);
            let [one, other] = tables.each_mut().map(|table| table.insert(state, automaton));
            assert_eq!(one, other);
            assert_eq!(tables.each_ref().map(|table| table.pair(one)), [(state, automaton); 2]);
            if tables[0].len().is_power_of_two() {
                tables.iter().for_each(NodeTable::validate);
            }
        }
        tables.iter().for_each(NodeTable::validate);
        assert_eq!(tables[0].len(), tables[1].len());
    }
}
