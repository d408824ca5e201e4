//! Data races: two accesses of the same data by different threads, at least one of them a write, of which neither happened
//! before the other by Rust's own rules ([`super::clocks`]), or that overlap.
//!
//! Flanagan and Freund, FastTrack: Efficient and Precise Dynamic Race Detection, PLDI 2009: an access is an epoch, its thread's
//! own count at that time; a read is compared with the last write alone, a write with the reads since then too. Accesses before
//! that are kept for the message alone.
//!
//! Promise: of the accesses that a new one races with, the message names the earliest of its thread, and the two places
//! in the order of the source, so that it does not depend on which of the two came first.

use crate::control::execution::{Execution, Stop};
use crate::control::object::{Object, Sync};
use crate::control::state::State;
use selvedge_explore::{ObjectId, RacingAccess, Site, ThreadId, VectorClock};
use std::fmt;
use std::panic::Location;

/// What is done to the data.
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
    /// How many steps of the run had begun by then.
    after: usize,
}

/// One of two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raced {
    thread: ThreadId,
    object: ObjectId,
    access: Access,
    place: &'static Location<'static>,
    after: usize,
}

impl Done {
    fn raced(self, object: ObjectId) -> Raced {
        let Done { access, thread, place, after, .. } = self;
        Raced { thread, object, access, place, after }
    }

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
    /// An access begins. Returns its place in the list, or what it races with.
    fn begin(&mut self, new: Done, clock: &VectorClock) -> Result<usize, Done> {
        if self.to_compare(new.access).iter().any(|done| done.races(new.access, new.thread, clock)) {
            return Err(self.racing(&new, clock));
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

    /// What a new access races with that comes first in the order of the source.
    fn racing(&self, new: &Done, clock: &VectorClock) -> Done {
        let racing = self.all.iter().filter(|done| done.races(new.access, new.thread, clock));
        let mut seen: Vec<ThreadId> = Vec::new();
        let earliest = racing.filter(|done| {
            let is_first = !seen.contains(&done.thread);
            seen.push(done.thread);
            is_first
        });
        *earliest.min_by_key(|done| Race::of(done, new)).expect("called where there is a race")
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
            if state.unusual.is_stopping {
                return None;
            }
            let thread = state.running;
            let clock = &state.threads[thread.index()].clock;
            let (time, after) = (clock.get(thread.index()), state.noted.steps());
            let new = Done { access, thread, time, is_open: true, place, after };
            let slot = &mut state.objects[object.index()];
            match accesses(slot).begin(new, clock) {
                Ok(number) => return Some(number),
                Err(earlier) => {
                    let made = slot.made.map(|made| format!("{}:{}", made.file(), made.line()));
                    let made = made.map_or(String::new(), |made| format!(" of the cell made at {made}"));
                    let race = Race::of(&earlier, &new);
                    let what = format!("{race}{made}: neither happened before the other");
                    Stop::Race(what, [earlier, new].map(|done| done.raced(object)))
                }
            }
        };
        self.end_run(race)
    }

    /// The access has ended.
    pub(crate) fn end_access(&self, object: ObjectId, number: usize) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let time = state.threads[running].clock.get(running);
        accesses(&mut state.objects[object.index()]).end(number, time);
    }
}

impl State {
    /// The accesses that ended the run as a race, if it ended so.
    pub(in crate::control) fn racing_accesses(&self) -> Vec<RacingAccess> {
        let aside = |raced: &Raced| {
            let Raced { thread, object, access, place, after } = *raced;
            RacingAccess { after, thread, action: access.text(), object, site: Site::Rust(place) }
        };
        match &self.stop {
            Some(Stop::Race(_, accesses)) => accesses.iter().map(aside).collect(),
            _ => Vec::new(),
        }
    }

    /// The access that the thread was about to begin when it ended the run as a race, in words, and where.
    pub(in crate::control) fn racing(&self, thread: ThreadId) -> Option<(String, Site)> {
        match &self.stop {
            Some(Stop::Race(_, [_, last])) if last.thread == thread => {
                let name = self.objects[last.object.index()].display_name(last.object);
                Some((format!("was about to {} {name}", last.access.text()), Site::Rust(last.place)))
            }
            _ => None,
        }
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

    /// What a thread does in a history.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Event {
        Begin(Access, &'static Location<'static>),
        /// Of the access that began last of those that this thread has under way.
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
        // A race is less likely, so that more comes before it, where threads go on for a while and synchronize often.
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
            // Some accesses have other events inside.
            while open[thread] > 0 && random.below(2) == Some(0) {
                history.push((thread, Event::End));
                open[thread] -= 1;
            }
        }
        history
    }

    /// By clocks: where the first race comes, and which it is.
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
                    let new = Done { access, thread: id, time, is_open: true, place, after: at };
                    match accesses.begin(new, clock) {
                        Ok(number) => open[*thread].push(number),
                        Err(earlier) => return Some((at, Race::of(&earlier, &new))),
                    }
                }
            }
        }
        None
    }

    /// Which events come before which: the order of each thread, and from each release to later acquires of the same.
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

    /// Where the access that begins here ends, if it does.
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

    /// By definition: the first access such that an earlier one by another thread, one of the two a write, does not
    /// end before it begins.
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
