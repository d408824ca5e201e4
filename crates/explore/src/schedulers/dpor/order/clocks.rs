//! What happens before what: vector clocks of the events of a run.

use super::Order;
use crate::event::{Event, Kind, Source};
use crate::ids::ThreadId;

/// A table of clocks, one row for each event.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    pub(super) width: usize,
    cells: Vec<u32>,
}

impl Clocks {
    pub(super) fn row(&self, event: usize) -> &[u32] {
        &self.cells[event * self.width..(event + 1) * self.width]
    }

    pub(super) fn push(&mut self, row: &[u32]) {
        self.cells.extend_from_slice(&row[..self.width]);
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        self.cells.truncate(rows * self.width);
    }

    /// Empty, with room for so many numbers.
    pub(super) fn with_room(cells: usize) -> Clocks {
        Clocks { width: 0, cells: Vec::with_capacity(cells) }
    }

    /// How many numbers there is room for.
    pub(super) fn room(&self) -> usize {
        self.cells.capacity()
    }

    /// Forgets everything and keeps the room.
    pub(super) fn clear(&mut self) {
        self.width = 0;
        self.cells.clear();
    }

    /// Makes room for more threads.
    pub(super) fn widen(&mut self, width: usize) {
        if !self.cells.is_empty() {
            let old = std::mem::take(&mut self.cells);
            for row in old.chunks(self.width) {
                self.cells.extend_from_slice(row);
                self.cells.resize(self.cells.len() + width - self.width, 0);
            }
        }
        self.width = width;
    }
}

pub(super) fn join(row: &mut [u32], other: &[u32]) {
    for (mine, theirs) in row.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

impl Order {
    /// The clock of what must come before an event, whatever the order: what its thread did, who spawned it, the end that
    /// a join waits for, the commits that it waits for. Returns how many of the first events of the run are among that.
    pub(super) fn begin_clock(&self, at: usize, row: &mut [u32]) -> usize {
        let (event, before) = (&self.events[at], self.interrupted_by(at).unwrap_or(at));
        row.fill(0);
        // What an exception kept from being done comes before nothing.
        let is_own = |own: &usize| *own < before && self.interrupted_by(*own).is_none();
        let own = self.back_from(self.previous[at]).find(is_own);
        let is_spawn = |(spawned, spawn): &&(ThreadId, usize)| *spawned == event.thread() && *spawn < before;
        let spawn = || Some(self.spawns.iter().rfind(is_spawn)?.1);
        let mut floor = 0;
        if let Some(before) = own.or_else(spawn) {
            join(row, self.clocks.row(before));
            floor = self.floor[before];
        }
        match event.action.kind {
            Kind::Commit => self.begin_commit(at, row),
            Kind::Join | Kind::Contain => {
                self.join_ends(before, row, |thread| Some(thread.owner()) == event.action.target);
            }
            _ if event.action.drains => {
                let owner = event.thread().owner();
                self.join_ends(before, row, |thread| thread.is_phantom() && thread.owner() == owner);
            }
            _ => {}
        }
        while floor < before && self.number[floor] <= row[self.place[floor]] {
            floor += 1;
        }
        floor
    }

    /// An event, if there is one, and those of its thread before it.
    fn back_from(&self, event: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(event, |event| self.previous[*event])
    }

    /// Adds the clocks of what such threads did among the first so many events.
    fn join_ends(&self, events: usize, row: &mut [u32], is_awaited: impl Fn(ThreadId) -> bool) {
        for awaited in (0..self.threads.len()).filter(|place| is_awaited(self.threads[*place])) {
            for own in self.back_from(self.latest[awaited]).filter(|own| *own < events) {
                join(row, self.clocks.row(own));
                if own < self.executed {
                    // What it did before comes before that.
                    break;
                }
            }
        }
    }

    /// A commit comes after its store, and where stores are committed in order, after the commits of earlier ones.
    fn begin_commit(&self, at: usize, row: &mut [u32]) {
        let Some(store) = self.partner[at] else { return };
        join(row, self.clocks.row(store));
        if self.events[at].action.drains {
            let owner = self.events[store].thread();
            let is_earlier = |event: &Event| event.thread() == owner && event.action.is_buffered;
            let earlier = (0..store).filter(|event| is_earlier(&self.events[*event]));
            for earlier in earlier.take(self.events[at].action.held_by as usize) {
                if let Some(commit) = self.partner[earlier].filter(|commit| *commit < at) {
                    join(row, self.clocks.row(commit));
                }
            }
        }
    }

    /// The store of a commit or of a load from the thread's own store.
    pub(super) fn find_partner(&self, at: usize) -> Option<usize> {
        let Event { id, action, .. } = &self.events[at];
        let is_store = |before: &Event| {
            before.action.kind == Kind::Store
                && before.action.object == action.object
                && before.thread() == id.thread.owner()
        };
        let events = &self.events[..at];
        match action.kind {
            Kind::Commit => {
                let waits =
                    |store: &usize| events[*store].action.is_buffered && self.partner[*store].is_none();
                (0..at).filter(|store| is_store(&events[*store])).find(waits)
            }
            Kind::Load if action.source != Source::Memory => events.iter().rposition(is_store),
            _ => None,
        }
    }

    /// Says whether later events happen after this one.
    #[inline]
    pub(in super::super) fn after_event(&self, earlier: usize) -> impl Fn(usize) -> bool {
        let (place, number, clocks) = (self.place[earlier], self.number[earlier], &self.clocks);
        move |later| number <= clocks.cells[later * clocks.width + place]
    }

    /// Does the later event happen after the earlier one?
    #[inline]
    pub(in super::super) fn is_after(&self, earlier: usize, later: usize) -> bool {
        self.number[earlier] <= self.clocks.row(later)[self.place[earlier]]
    }

    /// How many events of each thread happen before this one, itself included.
    pub(in super::super) fn clock(&self, event: usize) -> &[u32] {
        self.clocks.row(event)
    }

    /// How many events of each thread came before this step in the run.
    pub(in super::super) fn count(&self, step: usize) -> &[u32] {
        self.counts.row(step)
    }
}
