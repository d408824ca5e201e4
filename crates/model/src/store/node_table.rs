//! The nodes of a product, and where the search has them.
//!
//! A node is a pair of a state of the system and a state of the automaton. For a small automaton, the
//! usual case, its number is computed: the states of the automaton are the columns of a matrix with a row
//! for each state of the system. The rows are in blocks, and a column of a block is stored when one of
//! its nodes has a position: most states of the system may meet one state of the automaton alone. A large
//! automaton seldom combines all of its states with one state of the system, so its pairs are in a hash
//! table.
//!
//! Promise: a node has one number; its position is [`UNKNOWN`] until the search sets it.

use super::{StateId, StateTable};
use crate::system::Word;

/// The largest number of automaton states for which the table is a matrix.
const MAX_COLUMNS: usize = 8;

/// The position of a node that the search has not come to.
pub(crate) const UNKNOWN: u32 = 0;

/// The binary logarithm of the number of positions in a block.
const BLOCK_BITS: u32 = 6;

/// The number of positions in a block.
const BLOCK: usize = 1 << BLOCK_BITS;

/// A set of pairs.
#[derive(Debug)]
pub(crate) struct NodeTable {
    numbers: Numbers,
    /// In blocks; `None` for a block of unknown nodes.
    positions: Vec<Option<Box<[u32; BLOCK]>>>,
    blocks: usize,
    /// The number of nodes with a position.
    count: usize,
}

#[derive(Debug)]
enum Numbers {
    Matrix { columns: u32 },
    Hashed(StateTable),
}

/// The bytes that an allocator needs for itself at each block.
const BLOCK_OVERHEAD: usize = 16;

/// The number of a pair in a matrix with so many columns.
#[inline]
fn number(state: StateId, automaton: u32, columns: u32) -> u32 {
    let (block, within) = (state.0 >> BLOCK_BITS, state.0 & (BLOCK as u32 - 1));
    (block * columns + automaton) << BLOCK_BITS | within
}

fn key(state: StateId, automaton: u32) -> Word {
    u64::from(state.0) << 32 | u64::from(automaton)
}

impl NodeTable {
    /// An empty set, for an automaton with this many states.
    pub(crate) fn new(automaton_states: usize) -> NodeTable {
        let numbers = match automaton_states {
            0..=MAX_COLUMNS => Numbers::Matrix { columns: automaton_states.max(1) as u32 },
            _ => Numbers::Hashed(StateTable::new(1)),
        };
        NodeTable { numbers, positions: Vec::new(), blocks: 0, count: 0 }
    }

    /// The number of nodes with a position.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// All nodes with a position have smaller numbers.
    pub(crate) fn bound(&self) -> usize {
        self.positions.len() << BLOCK_BITS
    }

    /// Do the nodes of this many states have numbers?
    pub(crate) fn has_room(&self, states: usize) -> bool {
        match self.numbers {
            Numbers::Matrix { columns } => {
                states.next_multiple_of(BLOCK).saturating_mul(columns as usize) < u32::MAX as usize
            }
            Numbers::Hashed(_) => true,
        }
    }

    /// The node's number.
    #[inline]
    pub(crate) fn number(&mut self, state: StateId, automaton: u32) -> u32 {
        match &mut self.numbers {
            Numbers::Matrix { columns } => number(state, automaton, *columns),
            Numbers::Hashed(table) => table.insert(&[key(state, automaton)]).0.0,
        }
    }

    /// The node's number, if the node has a position.
    pub(crate) fn find(&self, state: StateId, automaton: u32) -> Option<u32> {
        let number = match &self.numbers {
            Numbers::Matrix { columns } => number(state, automaton, *columns),
            Numbers::Hashed(table) => table.find(&[key(state, automaton)])?.0,
        };
        (self.position(number) != UNKNOWN).then_some(number)
    }

    /// The pair with this number.
    #[inline]
    pub(crate) fn pair(&self, node: u32) -> (StateId, u32) {
        match &self.numbers {
            Numbers::Matrix { columns } => {
                let (block, within) = (node >> BLOCK_BITS, node & (BLOCK as u32 - 1));
                (StateId((block / columns) << BLOCK_BITS | within), block % columns)
            }
            Numbers::Hashed(table) => {
                let word = table.get(StateId(node))[0];
                (StateId((word >> 32) as u32), word as u32)
            }
        }
    }

    /// The number of pairs that have numbers because they were asked for; none if numbers are computed.
    pub(crate) fn pairs(&self) -> usize {
        match &self.numbers {
            Numbers::Matrix { .. } => 0,
            Numbers::Hashed(table) => table.len(),
        }
    }

    /// The position of a node.
    #[inline]
    pub(crate) fn position(&self, node: u32) -> u32 {
        let block = self.positions.get((node >> BLOCK_BITS) as usize);
        block.and_then(Option::as_ref).map_or(UNKNOWN, |block| block[node as usize % BLOCK])
    }

    /// Sets the position of a node.
    #[inline]
    pub(crate) fn set_position(&mut self, node: u32, position: u32) {
        let number = (node >> BLOCK_BITS) as usize;
        if number >= self.positions.len() {
            self.positions.resize_with(number + 1, || None);
        }
        let blocks = &mut self.blocks;
        let block = self.positions[number].get_or_insert_with(|| {
            *blocks += 1;
            Box::new([UNKNOWN; BLOCK])
        });
        let cell = &mut block[node as usize % BLOCK];
        self.count += usize::from(*cell == UNKNOWN);
        *cell = position;
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        let pairs = match &self.numbers {
            Numbers::Matrix { .. } => 0,
            Numbers::Hashed(table) => table.memory(),
        };
        let block = BLOCK * size_of::<u32>() + BLOCK_OVERHEAD;
        pairs + self.blocks * block + self.positions.capacity() * size_of::<Option<Box<[u32; BLOCK]>>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;
    use std::collections::HashMap;

    #[test]
    fn a_matrix_and_a_hash_table_know_the_same_nodes() {
        let mut random = Random(31);
        let mut tables = [NodeTable::new(8), NodeTable::new(9)];
        assert!(matches!(tables[0].numbers, Numbers::Matrix { .. }));
        assert!(matches!(tables[1].numbers, Numbers::Hashed(_)));
        let mut expected = HashMap::new();
        for round in 1..20_000 {
            let state = StateId((random.word() % 3000) as u32);
            let automaton = (random.word() % 8) as u32;
            for table in &mut tables {
                let known = table.find(state, automaton);
                assert_eq!(known.is_some(), expected.contains_key(&(state, automaton)));
                let node = table.number(state, automaton);
                assert_eq!(table.pair(node), (state, automaton));
                let position = expected.get(&(state, automaton)).copied().unwrap_or(UNKNOWN);
                assert_eq!(table.position(node), position);
                assert!(known.is_none_or(|known| known == node));
                table.set_position(node, round);
                assert!((node as usize) < table.bound());
            }
            expected.insert((state, automaton), round);
        }
        assert_eq!(tables.each_ref().map(NodeTable::len), [expected.len(); 2]);
    }
}
