//! The clocks of slices: `after(p, d)` holds from `d` after the last line with `p` on.
//!
//! Each slice has a time for each clock: that of its last line with `p`. The moments at which clocks become
//! true wait in a queue. A clock of a slice has at most one entry in it: if there was a line with `p` since,
//! the entry is put off when its time comes.

use super::Slice;
use selvedge_ltl::Prop;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The proposition `after(p, d)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The proposition itself.
    pub prop: Prop,
    /// The proposition `p`, if it is one of the formula's.
    pub trigger: Option<Prop>,
    /// `d`, in the units of the times of lines; positive.
    pub duration: i64,
}

/// In the place of a time: the slice had no line with `p`.
const NEVER: i64 = i64::MIN;

/// A moment at which a clock of a slice becomes true, unless it was put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    time: i64,
    place: u32,
    generation: u32,
    clock: u32,
}

/// All clocks of all slices.
#[derive(Debug)]
pub(super) struct Clocks {
    pub(super) clocks: Vec<Clock>,
    /// The bits of the propositions of all clocks.
    pub(super) bits: u64,
    /// By place of a slice, then by clock: the time of the last line with `p`,
    since: Vec<i64>,
    /// and whether there is an entry in the queue.
    is_queued: Vec<bool>,
    queue: BinaryHeap<Reverse<Due>>,
}

impl Clocks {
    pub(super) fn new(clocks: Vec<Clock>) -> Clocks {
        let bits = clocks.iter().fold(0, |bits, clock| bits | clock.prop.bit());
        Clocks { clocks, bits, since: Vec::new(), is_queued: Vec::new(), queue: BinaryHeap::new() }
    }

    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.clocks.is_empty()
    }

    /// A new slice: no line had `p`.
    pub(super) fn begin(&mut self, place: u32) {
        let first = place as usize * self.clocks.len();
        let end = first + self.clocks.len();
        if self.since.len() < end {
            self.since.resize(end, NEVER);
            self.is_queued.resize(end, false);
        }
        self.since[first..end].fill(NEVER);
        self.is_queued[first..end].fill(false);
    }

    /// Has some clock of the slice been started that is not true yet?
    pub(super) fn is_running(&self, place: u32, letter: u64) -> bool {
        let first = place as usize * self.clocks.len();
        let runs = |(index, clock): (usize, &Clock)| {
            self.since[first + index] != NEVER && letter & clock.prop.bit() == 0
        };
        self.clocks.iter().enumerate().any(runs)
    }

    /// The letter of a line, in which the bits of the clocks say whether `p` holds: starts clocks, and puts
    /// the values of the clocks in place of these bits.
    pub(super) fn read(&mut self, place: u32, slices: &[Slice], letter: u64, time: i64) -> u64 {
        let first = place as usize * self.clocks.len();
        let mut shown = letter & !self.bits;
        for (index, clock) in self.clocks.iter().enumerate() {
            let since = &mut self.since[first + index];
            if letter & clock.prop.bit() != 0 {
                *since = time;
                if !self.is_queued[first + index] {
                    self.is_queued[first + index] = true;
                    self.queue.push(Reverse(Due {
                        time: time.saturating_add(clock.duration),
                        place,
                        generation: slices[place as usize].generation,
                        clock: index as u32,
                    }));
                }
            } else if *since != NEVER && time.saturating_sub(*since) >= clock.duration {
                shown |= clock.prop.bit();
            }
        }
        shown
    }

    /// The next slice in which clocks became true before this time, and their bits.
    #[inline]
    pub(super) fn next_due(&mut self, time: i64, slices: &[Slice]) -> Option<(u32, u64)> {
        match self.queue.peek() {
            Some(Reverse(first)) if first.time < time => self.take_due(time, slices),
            _ => None,
        }
    }

    fn take_due(&mut self, time: i64, slices: &[Slice]) -> Option<(u32, u64)> {
        while let Some(Reverse(due)) = self.queue.peek().copied().filter(|due| due.0.time < time) {
            let mut bits = 0;
            // All clocks of the slice that become true at this moment make one state.
            while let Some(Reverse(next)) = self.queue.peek().copied() {
                if (next.time, next.place) != (due.time, due.place) {
                    break;
                }
                self.queue.pop();
                bits |= self.expire(next, slices);
            }
            if bits != 0 {
                return Some((due.place, bits));
            }
        }
        None
    }

    /// The bit of a clock that becomes true; none if it was put off, if a line showed it, or if the slice is
    /// gone.
    fn expire(&mut self, due: Due, slices: &[Slice]) -> u64 {
        let slice = &slices[due.place as usize];
        if slice.generation != due.generation {
            return 0;
        }
        let clock = &self.clocks[due.clock as usize];
        let index = due.place as usize * self.clocks.len() + due.clock as usize;
        let time = self.since[index].saturating_add(clock.duration);
        if time > due.time {
            self.queue.push(Reverse(Due { time, ..due }));
            return 0;
        }
        self.is_queued[index] = false;
        clock.prop.bit() & !slice.letter
    }
}
