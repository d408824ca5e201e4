//! Vector clocks: what has happened before what.
//!
//! Fidge, Timestamps in Message-Passing Systems That Preserve the Partial Ordering, 1988; Mattern, Virtual Time and
//! Global States of Distributed Systems, 1989. The entry of a thread counts its events that came before; entries
//! beyond the end are 0.
//!
//! Promise: [`VectorClock::join`] is a least upper bound; [`VectorClock::is_before`] is the partial order.

/// A vector clock.
#[derive(Clone, Debug, Default)]
pub struct VectorClock(Vec<u32>);

impl VectorClock {
    /// Nothing has happened before.
    pub const fn new() -> VectorClock {
        VectorClock(Vec::new())
    }

    /// How many events of the thread came before.
    #[inline]
    pub fn get(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    /// One more event of this thread. Returns its number, from 1.
    #[inline]
    pub fn tick(&mut self, thread: usize) -> u32 {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] += 1;
        self.0[thread]
    }

    /// All that came before the other one came before this one too.
    #[inline]
    pub fn join(&mut self, other: &VectorClock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Becomes the other, and keeps the space.
    #[inline]
    pub fn copy_from(&mut self, other: &VectorClock) {
        self.0.clone_from(&other.0);
    }

    /// Becomes the clock of a beginning, and keeps the space.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Did all that came before this one come before the other one too?
    pub fn is_before(&self, other: &VectorClock) -> bool {
        self.0.iter().enumerate().all(|(thread, count)| *count <= other.get(thread))
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
        let length = random.below(5).unwrap_or(0);
        VectorClock((0..length).map(|_| random.below(3).unwrap_or(0) as u32).collect())
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
        }
    }

    #[test]
    fn a_tick_is_after_what_it_was() {
        let mut clock = VectorClock::new();
        let before = clock.clone();
        assert_eq!(clock.tick(3), 1);
        assert!(before.is_before(&clock) && !clock.is_before(&before));
        assert_eq!((clock.get(3), clock.get(0), clock.get(9)), (1, 0, 0));
    }
}
