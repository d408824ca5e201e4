//! Data races: two accesses of the same data by different threads, at least one of them a write, of which neither happened
//! before the other by Rust's own rules ([`super::clocks`]), or that overlap.
//!
//! Flanagan and Freund, FastTrack: Efficient and Precise Dynamic Race Detection, PLDI 2009: an access is an epoch, its thread's
//! own count at that time; a read is compared with the last write alone, a write with the reads since then too. Accesses before
//! that are kept for the message alone.
//!
//! Promise: of the accesses that a new one races with, the message names the earliest of its thread, and the two places
//! in the order of the source, so that it does not depend on which of the two came first.

use super::execution::{Execution, Stop};
use super::object::{Object, Sync};
use selvedge_explore::{ObjectId, ThreadId, VectorClock};
use std::fmt;
use std::panic::Location;

/// What is done to the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

/// All accesses of a piece of data in a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    /// In the order in which they began.
    all: Vec<Done>,
    last_write: Option<usize>,
    /// Those before this one happened before it.
    since: usize,
    /// How many have begun and not ended.
    open: usize,
}

#[derive(Clone, Copy, Debug)]
struct Done {
    access: Access,
    thread: ThreadId,
    /// The count of its thread when it ended.
    time: u32,
    /// It has begun and not ended.
    is_open: bool,
    place: &'static Location<'static>,
}

impl Done {
    /// Does it race with another thread's new access?
    fn races(&self, access: Access, thread: ThreadId, clock: &VectorClock) -> bool {
        self.thread != thread
            && (self.access == Access::Write || access == Access::Write)
            && (self.is_open || self.time > clock.get(self.thread.index()))
    }

    /// Does all that races with the other one race with this one too? Then only this one is kept, the earlier.
    fn stands_for(&self, other: &Done) -> bool {
        (self.thread, self.time, self.is_open) == (other.thread, other.time, other.is_open)
            && self.access >= other.access
    }
}

impl Accesses {
    /// An access begins. Returns its place in the list, or that it races.
    fn begin(&mut self, new: Done, clock: &VectorClock) -> Result<usize, Race> {
        if self.to_compare(new.access).iter().any(|done| done.races(new.access, new.thread, clock)) {
            return Err(self.race(&new, clock));
        }
        let number = self.all.len();
        self.all.push(new);
        self.open += 1;
        if new.access == Access::Write {
            self.last_write = Some(number);
            self.since = number;
        }
        Ok(number)
    }

    /// Those that suffice to find out whether a new access races.
    fn to_compare(&self, access: Access) -> &[Done] {
        let since = if self.open > 0 { 0 } else { self.since };
        match (access, self.last_write) {
            (Access::Write, _) => &self.all[since..],
            (Access::Read, Some(last_write)) => &self.all[since..=last_write],
            (Access::Read, None) => &[],
        }
    }

    /// An access ends at this count of its thread.
    fn end(&mut self, number: usize, time: u32) {
        let done = &mut self.all[number];
        done.time = time;
        done.is_open = false;
        self.open -= 1;
        // A write inside of it may have come later, and ended earlier.
        self.since = self.since.min(number);
        let is_last = number + 1 == self.all.len();
        if is_last && number > 0 && self.all[number - 1].stands_for(&self.all[number]) {
            self.all.pop();
            self.last_write = self.last_write.map(|last| last.min(number - 1));
            self.since = self.since.min(number - 1);
        }
    }

    /// The race of a new access, with what comes first in the order of the source.
    fn race(&self, new: &Done, clock: &VectorClock) -> Race {
        let racing = self.all.iter().filter(|done| done.races(new.access, new.thread, clock));
        let mut seen: Vec<ThreadId> = Vec::new();
        let earliest = racing.filter(|done| {
            let is_first = !seen.contains(&done.thread);
            seen.push(done.thread);
            is_first
        });
        let races = earliest.map(|done| Race::of(done, new));
        races.min().expect("called where there is a race")
    }
}

/// Two accesses; in the order of the source.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Race([(&'static Location<'static>, Access); 2]);

impl Race {
    fn of(one: &Done, other: &Done) -> Race {
        let mut places = [(one.place, one.access), (other.place, other.access)];
        places.sort();
        Race(places)
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |access| match access {
            Access::Read => "read",
            Access::Write => "write",
        };
        let [(one, first), (other, second)] = self.0;
        let (first, second) = (text(first), text(second));
        write!(
            f,
            "{first} at {}:{} and {second} at {}:{}",
            one.file(),
            one.line(),
            other.file(),
            other.line()
        )
    }
}

impl Execution {
    /// The running thread begins to access data. Returns the access's number, or nothing where accesses do not count any more:
    /// at the end of a run.
    pub(crate) fn begin_access(
        &self,
        object: ObjectId,
        access: Access,
        place: &'static Location<'static>,
    ) -> Option<usize> {
        let race = {
            let state = &mut *self.state.borrow_mut();
            if state.is_stopping {
                return None;
            }
            let thread = state.running;
            let clock = &state.threads[thread.index()].clock;
            let time = clock.get(thread.index());
            let object = &mut state.objects[object.index()];
            match accesses(object).begin(Done { access, thread, time, is_open: true, place }, clock) {
                Ok(number) => return Some(number),
                Err(race) => {
                    let made = object.made.map(|made| format!("{}:{}", made.file(), made.line()));
                    let made = made.map_or(String::new(), |made| format!(" of the cell made at {made}"));
                    format!("{race}{made}: neither happened before the other")
                }
            }
        };
        self.end_run(Stop::Race(race))
    }

    /// The access has ended.
    pub(crate) fn end_access(&self, object: ObjectId, number: usize) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let time = state.threads[running].clock.get(running);
        accesses(&mut state.objects[object.index()]).end(number, time);
    }
}

fn accesses(object: &mut Object) -> &mut Accesses {
    match &mut object.sync {
        Sync::Cell(accesses) => accesses,
        _ => unreachable!("only cells are accessed"),
    }
}
