//! What earlier runs tell about the next: how many events each thread has at each place, which thread
//! starts which, and which places share an object.
//!
//! Two places belong to one *group* if an event of each was on the same object in some run. Objects have
//! other numbers in other runs, places do not.
//!
//! Promise: estimates depend on threads, kinds, objects and places of events alone, so they are the same
//! whether runs are light or full; a saved text gives them back.

use crate::checkpoint::Reader;
use crate::event::{Event, Kind, Site};
use crate::ids::ThreadId;
use crate::trace::Trace;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A place in the source: its line and column, or its line in a model. The file does not count: the
/// same line and column of two files are one place, which makes a group larger than it need be.
pub(super) type SourcePlace = u64;

/// The place of an event; `None` if it is unknown.
pub(super) fn place(site: Site) -> Option<SourcePlace> {
    match site {
        Site::Unknown => None,
        Site::Rust(location) => Some(u64::from(location.line()) << 32 | u64::from(location.column())),
        Site::Line(line) => Some(u64::from(line)),
    }
}

/// Counts of events in earlier runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    /// In the order in which they were met, so a parent comes before its children.
    threads: Vec<ThreadEstimate>,
    /// The index of each place.
    places: BTreeMap<SourcePlace, usize>,
    /// By place: another place of its group, or the place itself; a union-find forest.
    groups: Vec<usize>,
    /// The plan for all events, then one for each group that two threads share at least.
    plans: Vec<Plan>,
}

/// A run can end before a thread has executed all its events, so the estimate is the greatest number of any
/// run.
#[derive(Clone, Debug)]
struct ThreadEstimate {
    thread: ThreadId,
    /// The thread that starts it; `None` for main, and for processes of models.
    parent: Option<usize>,
    events: Greatest,
    /// The same by place.
    by_place: Vec<Greatest>,
}

/// A number of events: the greatest of any run, and that of the run that is counted.
#[derive(Clone, Copy, Debug, Default)]
struct Greatest {
    greatest: u32,
    current: u32,
}

impl Greatest {
    fn add_one(&mut self) {
        self.current = self.current.saturating_add(1);
        self.greatest = self.greatest.max(self.current);
    }
}

/// What a walk over some events has to know.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The places of the events; none if all events count.
    pub(super) places: Vec<SourcePlace>,
    pub(super) expected: Vec<Expected>,
}

/// The expected number of events of a thread in a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) thread: ThreadId,
    /// Its own events, and those of all threads that it will start, and so on.
    pub(super) events: u32,
    /// Is it there from the beginning?
    pub(super) is_root: bool,
}

impl Estimates {
    /// The plans: the first is for all events, the others are for groups. None before the first run.
    pub(super) fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// Counts a run.
    pub(super) fn count(&mut self, run: &Trace) {
        for thread in &mut self.threads {
            thread.events.current = 0;
            thread.by_place.iter_mut().for_each(|count| count.current = 0);
        }
        // The place at which each object was first used in the run.
        let mut first_uses: Vec<Option<usize>> = Vec::new();
        for step in run.all_steps() {
            self.count_event(&step.event, &mut first_uses);
        }
        self.make_plans();
    }

    fn count_event(&mut self, event: &Event, first_uses: &mut Vec<Option<usize>>) {
        if matches!(event.action.kind, Kind::Yield | Kind::Sleep) {
            return;
        }
        let thread = self.thread_index(event.thread());
        self.threads[thread].events.add_one();
        if let (Kind::Spawn, Some(child)) = (event.action.kind, event.action.target) {
            let child = self.thread_index(child);
            // A child that is met before its parent stays a root.
            if child > thread {
                self.threads[child].parent = Some(thread);
            }
        }
        let (Some(object), Some(place)) = (event.action.object, place(event.site)) else { return };
        let place = self.place_index(place);
        let by_place = &mut self.threads[thread].by_place;
        by_place.resize(by_place.len().max(place + 1), Greatest::default());
        by_place[place].add_one();
        first_uses.resize(first_uses.len().max(object.index() + 1), None);
        let first = *first_uses[object.index()].get_or_insert(place);
        let (one, other) = (self.group(first), self.group(place));
        self.groups[one.max(other)] = one.min(other);
    }

    fn thread_index(&mut self, thread: ThreadId) -> usize {
        let known = self.threads.iter().position(|known| known.thread == thread);
        known.unwrap_or_else(|| {
            let events = Greatest::default();
            self.threads.push(ThreadEstimate { thread, parent: None, events, by_place: Vec::new() });
            self.threads.len() - 1
        })
    }

    fn place_index(&mut self, place: SourcePlace) -> usize {
        let next = self.groups.len();
        let index = *self.places.entry(place).or_insert(next);
        if index == next {
            self.groups.push(index);
        }
        index
    }

    /// The first place of the group of a place.
    fn group(&self, mut place: usize) -> usize {
        while self.groups[place] != place {
            place = self.groups[place];
        }
        place
    }

    fn make_plans(&mut self) {
        let groups = self.shared_groups().into_iter().map(Some);
        self.plans = std::iter::once(None).chain(groups).map(|group| self.plan(group)).collect();
    }

    /// The groups whose places are used by two threads at least, by their first places.
    fn shared_groups(&self) -> Vec<usize> {
        let mut users: Vec<(Option<usize>, bool)> = vec![(None, false); self.groups.len()];
        for (number, thread) in self.threads.iter().enumerate() {
            let is_used = |place: &usize| thread.by_place[*place].greatest > 0;
            for place in (0..thread.by_place.len()).filter(is_used) {
                let (first, is_shared) = &mut users[self.group(place)];
                *is_shared |= *first.get_or_insert(number) != number;
            }
        }
        (0..users.len()).filter(|place| users[*place].1).collect()
    }

    /// The plan for the events of this group, or for all events.
    fn plan(&self, group: Option<usize>) -> Plan {
        let is_in_group = |place: usize| Some(self.group(place)) == group;
        let places = self.places.iter().filter(|(_, index)| is_in_group(**index));
        let places = places.map(|(place, _)| *place).collect();
        let own = |thread: &ThreadEstimate| match group {
            None => thread.events.greatest,
            Some(_) => {
                let counts = thread.by_place.iter().enumerate();
                counts.filter(|(place, _)| is_in_group(*place)).map(|(_, count)| count.greatest).sum()
            }
        };
        let expected = |thread: &ThreadEstimate| Expected {
            thread: thread.thread,
            events: own(thread),
            is_root: thread.parent.is_none(),
        };
        let mut expected: Vec<Expected> = self.threads.iter().map(expected).collect();
        for number in (0..self.threads.len()).rev() {
            if let Some(parent) = self.threads[number].parent {
                expected[parent].events = expected[parent].events.saturating_add(expected[number].events);
            }
        }
        Plan { places, expected }
    }

    /// The checkpoint as text.
    pub(super) fn save(&self) -> String {
        let mut text = "estimates\n".to_owned();
        let mut places: Vec<SourcePlace> = vec![0; self.groups.len()];
        for (place, index) in &self.places {
            places[*index] = *place;
        }
        for (place, group) in places.iter().zip(&self.groups) {
            let _ = writeln!(text, "place {place} {group}");
        }
        for thread in &self.threads {
            let parent = thread.parent.map_or(0, |parent| parent + 1);
            let events = thread.events.greatest;
            let _ = write!(text, "thread {} {parent} {events} {}", thread.thread.0, thread.by_place.len());
            thread.by_place.iter().for_each(|count| _ = write!(text, " {}", count.greatest));
            text.push('\n');
        }
        text
    }

    /// Continues from a checkpoint.
    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Estimates, String> {
        if !reader.advance_if("estimates") {
            return Err("the estimates are missing".to_owned());
        }
        let mut estimates = Estimates::default();
        while reader.advance_if("place") {
            let (place, group) = (reader.number()?, reader.number()?);
            let index = estimates.groups.len();
            if group > index {
                return Err(format!("place {index} cannot be in the group of a later place, {group}"));
            }
            estimates.places.insert(place, index);
            estimates.groups.push(group);
        }
        while reader.advance_if("thread") {
            let (thread, parent) = (reader.number()?, reader.number::<usize>()?);
            let (events, count) = (greatest(reader)?, reader.number::<usize>()?);
            if parent > estimates.threads.len() || count > estimates.groups.len() {
                return Err(format!("thread {thread} has an unknown parent or place"));
            }
            let by_place = (0..count).map(|_| greatest(reader)).collect::<Result<Vec<Greatest>, String>>()?;
            let parent = parent.checked_sub(1);
            estimates.threads.push(ThreadEstimate { thread: ThreadId(thread), parent, events, by_place });
        }
        if !estimates.threads.is_empty() {
            estimates.make_plans();
        }
        Ok(estimates)
    }
}

fn greatest(reader: &mut Reader<'_>) -> Result<Greatest, String> {
    Ok(Greatest { greatest: reader.number()?, current: 0 })
}
