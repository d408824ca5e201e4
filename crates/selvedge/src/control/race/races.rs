//! Data races: two accesses of the same data by different threads, at least one of them a write, of which
//! neither happens before the other by the rules of the Rust memory model ([`super::clocks`]), or that
//! overlap.
//!
//! Flanagan and Freund, FastTrack: Efficient and Precise Dynamic Race Detection, PLDI 2009: an access is an
//! epoch, the own count of its thread at that time; a read is compared with the last write alone, a write
//! with the reads since then too. Earlier accesses are kept for the message alone.
//!
//! Promise: of the accesses that a new access races with, the message names the earliest of its thread, and
//! the two places in the order of the source, so that it does not depend on which access came first.

use crate::control::object::{Object, ObjectTable, Sync};
use crate::control::{State, Stop};
use selvedge_explore::{ObjectId, RacingAccess, Site, ThreadId, VectorClock};
use std::fmt;
use std::panic::Location;

/// How data is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Access {
    pub(in crate::control) fn text(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }
}

/// All accesses of a piece of data in a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    /// In the order in which they began.
    all: Vec<AccessRecord>,
    last_write: Option<usize>,
    /// All accesses before this index happened before it.
    since: usize,
    /// How many accesses have begun and not ended.
    open: usize,
}

/// An access.
#[derive(Clone, Copy, Debug)]
struct AccessRecord {
    access: Access,
    thread: ThreadId,
    /// The count of its thread when it ended.
    time: u32,
    /// It has begun and not ended.
    is_open: bool,
    place: &'static Location<'static>,
    /// How many steps of the run had begun when it began.
    after: usize,
}

/// An access that races with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raced {
    thread: ThreadId,
    object: ObjectId,
    access: Access,
    place: &'static Location<'static>,
    after: usize,
}

impl AccessRecord {
    fn raced(self, object: ObjectId) -> Raced {
        let AccessRecord { access, thread, place, after, .. } = self;
        Raced { thread, object, access, place, after }
    }

    /// An access that the running thread begins now.
    fn now(state: &State, access: Access, place: &'static Location<'static>) -> AccessRecord {
        let thread = state.running;
        let (time, after) = (state.threads[thread].clock.get(thread.index()), state.step.written.steps());
        AccessRecord { access, thread, time, is_open: true, place, after }
    }

    /// Does it race with a new access of this thread?
    fn races(&self, access: Access, thread: ThreadId, clock: &VectorClock) -> bool {
        self.thread != thread
            && (self.access == Access::Write || access == Access::Write)
            && (self.is_open || self.time > clock.get(self.thread.index()))
    }

    /// Does every access that races with the other race with this one too? Then only this one is kept, the
    /// earlier.
    fn stands_for(&self, other: &AccessRecord) -> bool {
        (self.thread, self.time, self.is_open) == (other.thread, other.time, other.is_open)
            && self.access >= other.access
    }
}

impl Accesses {
    /// An access begins. Returns its index, or the access that it races with.
    fn begin(&mut self, new: AccessRecord, clock: &VectorClock) -> Result<usize, AccessRecord> {
        if self.to_compare(new.access).iter().any(|record| record.races(new.access, new.thread, clock)) {
            return Err(self.racing(&new, clock));
        }
        Ok(self.add(new))
    }

    /// Adds an access. Returns its index.
    fn add(&mut self, new: AccessRecord) -> usize {
        let number = self.all.len();
        self.all.push(new);
        self.open += 1;
        if new.access == Access::Write {
            self.last_write = Some(number);
            self.since = number;
        }
        number
    }

    /// The accesses that decide whether a new one races.
    fn to_compare(&self, access: Access) -> &[AccessRecord] {
        let since = if self.open > 0 { 0 } else { self.since };
        match (access, self.last_write) {
            (Access::Write, _) => &self.all[since..],
            (Access::Read, Some(last_write)) => &self.all[since..=last_write],
            (Access::Read, None) => &[],
        }
    }

    /// An access ends at this count of its thread.
    fn end(&mut self, number: usize, time: u32) {
        let record = &mut self.all[number];
        record.time = time;
        record.is_open = false;
        self.open -= 1;
        // A write that is nested in it may have begun later and ended earlier.
        self.since = self.since.min(number);
        let is_last = number + 1 == self.all.len();
        if is_last && number > 0 && self.all[number - 1].stands_for(&self.all[number]) {
            self.all.pop();
            self.last_write = self.last_write.map(|last| last.min(number - 1));
            self.since = self.since.min(number - 1);
        }
    }

    /// Of the accesses that a new one races with, the first in the order of the source.
    fn racing(&self, new: &AccessRecord, clock: &VectorClock) -> AccessRecord {
        let racing = self.all.iter().filter(|record| record.races(new.access, new.thread, clock));
        let mut seen: Vec<ThreadId> = Vec::new();
        let earliest = racing.filter(|record| {
            let is_first = !seen.contains(&record.thread);
            seen.push(record.thread);
            is_first
        });
        *earliest.min_by_key(|record| Race::of(record, new)).expect("called if there is a race")
    }
}

/// Two accesses, in the order of the source.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Race([(&'static Location<'static>, Access); 2]);

impl Race {
    fn of(one: &AccessRecord, other: &AccessRecord) -> Race {
        let mut places = [(one.place, one.access), (other.place, other.access)];
        places.sort();
        Race(places)
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(one, first), (other, second)] = self.0;
        let (first, second) = (first.text(), second.text());
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

/// The running thread begins to access data. Returns the number of the access, or the race that ends the
/// run.
pub(in crate::control) fn begin_access(
    state: &mut State,
    object: ObjectId,
    access: Access,
    place: &'static Location<'static>,
) -> Result<usize, Stop> {
    let new = AccessRecord::now(state, access, place);
    let clock = &state.threads[new.thread].clock;
    let slot = &mut state.objects[object];
    let race = |created_at: &Location<'_>, earlier: AccessRecord| {
        let race = Race::of(&earlier, &new);
        let (file, line) = (created_at.file(), created_at.line());
        let text = format!("{race} of the cell made at {file}:{line}: neither happened before the other");
        Stop::Race(text, [earlier, new].map(|record| record.raced(object)))
    };
    let created_at = slot.created_at();
    accesses(slot).begin(new, clock).map_err(|earlier| race(created_at, earlier))
}

/// The same for an access that races with another, and is not judged.
pub(in crate::control) fn begin_unordered_access(
    state: &mut State,
    object: ObjectId,
    access: Access,
    place: &'static Location<'static>,
) -> usize {
    let new = AccessRecord::now(state, access, place);
    accesses(&mut state.objects[object]).add(new)
}

/// Would an access of the running thread conflict with an access of another thread that has not ended?
pub(in crate::control) fn overlaps(state: &mut State, object: ObjectId, access: Access) -> bool {
    let running = state.running;
    let conflicts = |earlier: &AccessRecord| {
        earlier.thread != running && (earlier.access == Access::Write || access == Access::Write)
    };
    let mut all = accesses(&mut state.objects[object]).all.iter();
    all.any(|earlier| earlier.is_open && conflicts(earlier))
}

/// The access has ended.
pub(in crate::control) fn end_access(state: &mut State, object: ObjectId, number: usize) {
    let running = state.running;
    let time = state.threads[running].clock.get(running.index());
    accesses(&mut state.objects[object]).end(number, time);
}

impl Raced {
    /// The access beside the steps of a trace.
    pub(in crate::control) fn racing_access(&self) -> RacingAccess {
        let Raced { thread, object, access, place, after } = *self;
        RacingAccess { after, thread, action: access.text(), object, site: Site::Rust(place) }
    }

    pub(in crate::control) fn thread(&self) -> ThreadId {
        self.thread
    }

    /// The access that a thread was about to begin, in words, and where.
    pub(in crate::control) fn describe(&self, objects: &ObjectTable) -> (String, Site) {
        let name = objects.name(self.object);
        (format!("was about to {} {name}", self.access.text()), Site::Rust(self.place))
    }
}

fn accesses(object: &mut Object) -> &mut Accesses {
    match &mut object.sync {
        Sync::Cell(accesses) => accesses,
        _ => unreachable!("only cells are accessed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    const THREADS: usize = 3;

    /// An event of a history.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Event {
        Begin(Access, &'static Location<'static>),
        /// Of the last open access of this thread.
        End,
        Release(usize),
        Acquire(usize),
    }

    type History = Vec<(usize, Event)>;

    #[track_caller]
    fn here() -> &'static Location<'static> {
        Location::caller()
    }

    fn generate(random: &mut Random) -> History {
        let places = [here(), here(), here(), here(), here()];
        let mut open = [0; THREADS];
        let mut history = History::new();
        // Races come later in a history if threads go on for a while and synchronise often.
        let (threads, goes_on) = (2 + random.below(2).unwrap_or(0), 1 + random.below(6).unwrap_or(0));
        let mut thread = 0;
        for _ in 0..random.below(20).unwrap_or(0) {
            if random.below(goes_on) == Some(0) {
                thread = random.below(threads).unwrap_or(0);
                history.push((thread, Event::Acquire(random.below(2).unwrap_or(0))));
            }
            let object = random.below(2).unwrap_or(0);
            let event = match random.below(8).unwrap_or(0) {
                0..=2 => Event::Release(object),
                3 => Event::Acquire(object),
                4 | 5 => Event::Begin(Access::Write, places[random.below(5).unwrap_or(0)]),
                _ => Event::Begin(Access::Read, places[random.below(5).unwrap_or(0)]),
            };
            history.push((thread, event));
            if matches!(event, Event::Begin(..)) {
                open[thread] += 1;
            }
            // Some accesses have other events nested in them.
            while open[thread] > 0 && random.below(2) == Some(0) {
                history.push((thread, Event::End));
                open[thread] -= 1;
            }
        }
        history
    }

    /// By clocks: the index of the first race, and the race.
    fn by_clocks(history: &History) -> Option<(usize, Race)> {
        let mut clocks = vec![VectorClock::new(); THREADS];
        (0..THREADS).for_each(|thread| _ = clocks[thread].tick(thread));
        let mut objects = [VectorClock::new(), VectorClock::new()];
        let mut open = vec![Vec::new(); THREADS];
        let mut accesses = Accesses::default();
        for (at, (thread, event)) in history.iter().enumerate() {
            let clock = &mut clocks[*thread];
            match *event {
                Event::Release(object) => {
                    objects[object].join(clock);
                    clock.tick(*thread);
                }
                Event::Acquire(object) => clock.join(&objects[object]),
                Event::End => {
                    let number = open[*thread].pop().expect("an access is under way");
                    accesses.end(number, clock.get(*thread));
                }
                Event::Begin(access, place) => {
                    let (id, time) = (ThreadId(*thread as u32), clock.get(*thread));
                    let new = AccessRecord { access, thread: id, time, is_open: true, place, after: at };
                    match accesses.begin(new, clock) {
                        Ok(number) => open[*thread].push(number),
                        Err(earlier) => return Some((at, Race::of(&earlier, &new))),
                    }
                }
            }
        }
        None
    }

    /// The happens-before relation: program order, and from each release to later acquires of the same
    /// object.
    fn order(history: &History) -> Vec<Vec<bool>> {
        let count = history.len();
        let mut before = vec![vec![false; count]; count];
        for later in 0..count {
            for earlier in 0..later {
                let ((one, a), (other, b)) = (history[earlier], history[later]);
                let passes = matches!((a, b), (Event::Release(x), Event::Acquire(y)) if x == y);
                if one == other || passes {
                    before[earlier][later] = true;
                    for first in 0..earlier {
                        before[first][later] |= before[first][earlier];
                    }
                }
            }
        }
        before
    }

    /// The index at which the access that begins here ends, if it does.
    fn end_of(history: &History, begin: usize) -> Option<usize> {
        let mut depth = 0;
        (begin..history.len()).filter(|at| history[*at].0 == history[begin].0).find(|at| {
            match history[*at].1 {
                Event::Begin(..) => depth += 1,
                Event::End => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }

    /// By definition: the first access such that an earlier one of another thread, one of the two a write,
    /// does not end before it begins.
    fn by_definition(history: &History) -> Option<(usize, Race)> {
        let before = order(history);
        for (later, (other, event)) in history.iter().enumerate() {
            let Event::Begin(access, place) = *event else { continue };
            let mut first = [const { None }; THREADS];
            for (earlier, (one, event)) in history[..later].iter().enumerate() {
                let Event::Begin(its_access, its_place) = *event else { continue };
                let is_ordered = end_of(history, earlier).is_some_and(|end| before[end][later]);
                if one != other && (access, its_access) != (Access::Read, Access::Read) && !is_ordered {
                    let mut places = [(its_place, its_access), (place, access)];
                    places.sort();
                    first[*one].get_or_insert(Race(places));
                }
            }
            if let Some(race) = first.into_iter().flatten().min() {
                return Some((later, race));
            }
        }
        None
    }

    #[test]
    fn clocks_find_the_race_that_the_definition_finds() {
        let mut random = Random(5);
        let (mut races, mut none) = (0, 0);
        for _ in 0..50_000 {
            let history = generate(&mut random);
            let expected = by_definition(&history);
            assert_eq!(by_clocks(&history), expected, "{history:#?}");
            *if expected.is_some() { &mut races } else { &mut none } += 1;
        }
        assert!(races > 5000 && none > 5000, "{races} with a race, {none} without");
    }
}
