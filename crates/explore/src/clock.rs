//! Vector clocks: the happens-before relation of events.
//!
//! Fidge, Timestamps in Message-Passing Systems That Preserve the Partial Ordering, 1988; Mattern, Virtual
//! Time and Global States of Distributed Systems, 1989. The entry of a thread counts its events that came
//! before; entries beyond the end are 0.
//!
//! Promise: [`VectorClock::join`] is a least upper bound; [`VectorClock::is_before`] is the partial order.

/// The number of entries without an allocation. Most programs have no more threads.
const NEAR: usize = 8;

/// A vector clock.
#[derive(Clone, Debug, Default)]
pub struct VectorClock {
    near: [u32; NEAR],
    /// The entries of further threads.
    far: Vec<u32>,
}

impl VectorClock {
    /// The clock of an initial event: no event happens before it.
    pub const fn new() -> VectorClock {
        VectorClock { near: [0; NEAR], far: Vec::new() }
    }

    /// The number of events of the thread that happen before.
    #[inline]
    pub fn get(&self, thread: usize) -> u32 {
        match self.near.get(thread) {
            Some(count) => *count,
            None => self.far.get(thread - NEAR).copied().unwrap_or(0),
        }
    }

    /// Counts an event of this thread. Returns its number, from 1.
    #[inline]
    pub fn tick(&mut self, thread: usize) -> u32 {
        let count = match self.near.get_mut(thread) {
            Some(count) => count,
            None => self.far_entry(thread - NEAR),
        };
        *count += 1;
        *count
    }

    #[cold]
    fn far_entry(&mut self, index: usize) -> &mut u32 {
        if self.far.len() <= index {
            self.far.resize(index + 1, 0);
        }
        &mut self.far[index]
    }

    /// Becomes the least upper bound of this clock and the other.
    #[inline]
    pub fn join(&mut self, other: &VectorClock) {
        for (mine, theirs) in self.near.iter_mut().zip(&other.near) {
            *mine = (*mine).max(*theirs);
        }
        if !other.far.is_empty() {
            self.join_far(&other.far);
        }
    }

    #[cold]
    fn join_far(&mut self, other: &[u32]) {
        if self.far.len() < other.len() {
            self.far.resize(other.len(), 0);
        }
        for (mine, theirs) in self.far.iter_mut().zip(other) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Becomes a copy of the other clock, and keeps its memory.
    #[inline]
    pub fn copy_from(&mut self, other: &VectorClock) {
        self.near = other.near;
        if !(self.far.is_empty() && other.far.is_empty()) {
            self.far.clone_from(&other.far);
        }
    }

    /// Becomes the clock of an initial event, and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.near = [0; NEAR];
        self.far.clear();
    }

    /// Is every entry at most that of the other clock?
    pub fn is_before(&self, other: &VectorClock) -> bool {
        let far = || self.far.iter().enumerate().all(|(index, count)| *count <= other.get(NEAR + index));
        self.near.iter().zip(&other.near).all(|(mine, theirs)| mine <= theirs) && far()
    }
}

impl PartialEq for VectorClock {
    fn eq(&self, other: &VectorClock) -> bool {
        self.is_before(other) && other.is_before(self)
    }
}

impl Eq for VectorClock {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn some(random: &mut Random) -> VectorClock {
        let length = random.below(NEAR + 4).unwrap_or(0);
        let mut clock = VectorClock::new();
        for thread in 0..length {
            (0..random.below(3).unwrap_or(0)).for_each(|_| _ = clock.tick(thread));
        }
        clock
    }

    #[test]
    fn joining_gives_the_least_upper_bound() {
        let mut random = Random(1);
        for _ in 0..10_000 {
            let [a, b, c] = [(); 3].map(|()| some(&mut random));
            let mut both = a.clone();
            both.join(&b);
            assert!(a.is_before(&both) && b.is_before(&both), "{a:?} {b:?} {both:?}");
            let is_bound = a.is_before(&c) && b.is_before(&c);
            assert_eq!(is_bound, both.is_before(&c), "{a:?} {b:?} {c:?}");
            let mut copy = c.clone();
            copy.copy_from(&a);
            assert_eq!(copy, a, "the clock was {c:?} before the copy");
            copy.clear();
            assert_eq!(copy, VectorClock::new());
        }
    }

    #[test]
    fn entries_beyond_the_inline_ones_count_in_the_same_way() {
        for thread in [0, NEAR - 1, NEAR, NEAR + 3] {
            let mut clock = VectorClock::new();
            assert_eq!((clock.tick(thread), clock.tick(thread)), (1, 2));
            let counts: Vec<u32> = (0..NEAR + 5).map(|other| clock.get(other)).collect();
            let expected: Vec<u32> = (0..NEAR + 5).map(|other| if other == thread { 2 } else { 0 }).collect();
            assert_eq!(counts, expected);
        }
    }

    #[test]
    fn a_clock_is_before_its_next_tick() {
        let mut clock = VectorClock::new();
        let before = clock.clone();
        assert_eq!(clock.tick(3), 1);
        assert!(before.is_before(&clock) && !clock.is_before(&before));
        assert_eq!((clock.get(3), clock.get(0), clock.get(9)), (1, 0, 0));
    }
}
