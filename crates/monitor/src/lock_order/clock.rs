//! The order of acquisitions by spawn and join alone.
//!
//! The segments of Bensalem and Havelund (Dynamic Deadlock Analysis of Multi-Threaded Programs, HVC 2005)
//! as vector clocks: a holder begins a new segment when it spawns a child. A clock says of each other
//! holder up to which segment its acquisitions came before. Acquisitions of locks order nothing: another
//! schedule may take them the other way round.
//!
//! Promise: an acquisition of `h` in segment `s` comes before another holder's with clock `c` if and only
//! if `c.get(h) >= s`.

use super::ids::HolderId;

/// A vector clock. Holders without recorded acquisitions have no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// Sorted by holder.
    entries: Vec<(HolderId, u32)>,
}

impl Clock {
    /// The last segment of the holder that came before; segments are counted from 1.
    pub(super) fn get(&self, holder: HolderId) -> u32 {
        match self.entries.binary_search_by_key(&holder, |entry| entry.0) {
            Ok(index) => self.entries[index].1,
            Err(_) => 0,
        }
    }

    /// All segments of the holder up to this one came before.
    pub(super) fn raise(&mut self, holder: HolderId, segment: u32) {
        match self.entries.binary_search_by_key(&holder, |entry| entry.0) {
            Ok(index) => self.entries[index].1 = self.entries[index].1.max(segment),
            Err(index) => self.entries.insert(index, (holder, segment)),
        }
    }

    /// Becomes the least upper bound of both clocks.
    pub(super) fn join(&mut self, other: &Clock) {
        let mine = std::mem::take(&mut self.entries);
        let (mut left, mut right) = (mine.iter().peekable(), other.entries.iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let (holder, segment) = match a.0.cmp(&b.0) {
                std::cmp::Ordering::Less => *left.next().expect("peeked"),
                std::cmp::Ordering::Greater => *right.next().expect("peeked"),
                std::cmp::Ordering::Equal => {
                    let a = left.next().expect("peeked");
                    (a.0, a.1.max(right.next().expect("peeked").1))
                }
            };
            self.entries.push((holder, segment));
        }
        self.entries.extend(left.chain(right));
    }

    /// Leaves out the holders that the function refuses.
    pub(super) fn retain(&mut self, keep: impl Fn(HolderId) -> bool) {
        self.entries.retain(|entry| keep(entry.0));
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (HolderId, u32)> + '_ {
        self.entries.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, HolderId};

    fn clock(entries: &[(u64, u32)]) -> Clock {
        let mut clock = Clock::default();
        for (holder, segment) in entries {
            clock.raise(HolderId::new(*holder), *segment);
        }
        clock
    }

    #[test]
    fn joining_takes_the_greater_entry_of_each_holder() {
        let mut joined = clock(&[(1, 4), (3, 1), (7, 2)]);
        joined.join(&clock(&[(2, 5), (3, 3), (7, 1), (9, 1)]));
        assert_eq!(joined, clock(&[(9, 1), (7, 2), (3, 3), (2, 5), (1, 4)]));
        assert_eq!(joined.get(HolderId::new(3)), 3);
        assert_eq!(joined.get(HolderId::new(4)), 0);
    }

    #[test]
    fn raising_never_lowers() {
        let mut raised = clock(&[(1, 4)]);
        raised.raise(HolderId::new(1), 2);
        assert_eq!(raised, clock(&[(1, 4)]));
    }
}
