//! The number of edges to each node: a byte, and a table for the few that have more.
//!
//! Promise: as many edges are counted as were added and not removed.

use rustc_hash::FxHashMap;

/// Numbers of edges by node.
#[derive(Clone, Debug, Default)]
pub(super) struct InDegrees {
    counts: Vec<u8>,
    /// Where the byte is [`FULL`], the edges beyond.
    beyond: FxHashMap<usize, u32>,
}

const FULL: u8 = u8::MAX;

impl InDegrees {
    /// Nodes up to this number have counts.
    pub(super) fn reserve(&mut self, nodes: usize) {
        self.counts.resize(nodes, 0);
    }

    #[inline]
    pub(super) fn add(&mut self, node: usize) {
        match self.counts[node] {
            FULL => *self.beyond.entry(node).or_insert(0) += 1,
            _ => self.counts[node] += 1,
        }
    }

    /// Removes an edge. Returns whether it was the last one.
    #[inline]
    pub(super) fn remove(&mut self, node: usize) -> bool {
        if self.counts[node] == FULL
            && let Some(beyond) = self.beyond.get_mut(&node)
            && *beyond > 0
        {
            *beyond -= 1;
            return false;
        }
        self.counts[node] -= 1;
        self.counts[node] == 0
    }

    #[inline]
    pub(super) fn is_zero(&self, node: usize) -> bool {
        self.counts[node] == 0
    }

    /// The bytes in use.
    pub(super) fn memory(&self) -> usize {
        let entry = size_of::<(usize, u32)>() + 1;
        self.counts.capacity() + self.beyond.capacity() * entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_counted_beyond_a_byte() {
        for edges in [1, 2, 254, 255, 256, 257, 1000] {
            let mut degrees = InDegrees::default();
            degrees.reserve(2);
            (0..edges).for_each(|_| degrees.add(1));
            assert!(degrees.is_zero(0));
            for left in (0..edges).rev() {
                assert!(!degrees.is_zero(1));
                assert_eq!(degrees.remove(1), left == 0, "{left} of {edges} are left");
            }
            degrees.add(1);
            assert!(degrees.remove(1));
        }
    }
}
