//! Vector clocks of the events of a run.

use super::HappensBefore;
use crate::event::{Event, Kind, ReadsFrom};
use crate::ids::ThreadId;

/// A table of clocks, with one row for each event.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    pub(super) width: usize,
    cells: Vec<u32>,
}

impl Clocks {
    pub(super) fn row(&self, event: usize) -> &[u32] {
        &self.cells[event * self.width..(event + 1) * self.width]
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    pub(super) fn push(&mut self, row: &[u32]) {
        self.cells.extend_from_slice(&row[..self.width]);
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        self.cells.truncate(rows * self.width);
    }

    /// An empty table, with memory for so many cells.
    pub(super) fn with_capacity(cells: usize) -> Clocks {
        Clocks { width: 0, cells: Vec::with_capacity(cells) }
    }

    /// The number of cells that there is memory for.
    pub(super) fn capacity(&self) -> usize {
        self.cells.capacity()
    }

    /// Removes all rows, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.width = 0;
        self.cells.clear();
    }

    /// Adds entries for more threads to each row.
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

/// Turns a clock into the least upper bound of itself and another.
pub(super) fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

impl HappensBefore {
    /// Computes the clock of the mandatory predecessors of an event, which come before it in every run:
    /// program order, the spawn of its thread, the last event of a joined thread, the commits that it waits
    /// for. Returns the length of a prefix of the run that consists of such predecessors.
    pub(super) fn mandatory_clock(&self, at: usize, clock: &mut [u32]) -> usize {
        let (event, before) = (&self.events[at], self.interrupted_by(at).unwrap_or(at));
        clock.fill(0);
        // An event that an exception interrupted was never executed, so no event comes after it.
        let is_executed = |own: &usize| *own < before && self.interrupted_by(*own).is_none();
        let own = self.thread_events_from(self.previous[at]).find(is_executed);
        let is_spawn = |(spawned, spawn): &&(ThreadId, usize)| *spawned == event.thread() && *spawn < before;
        let spawn = || Some(self.spawns.iter().rfind(is_spawn)?.1);
        let mut prefix = 0;
        // If the number was used before, the last event with it may be one of another thread.
        let previous = if self.reuses_numbers { own.max(spawn()) } else { own.or_else(spawn) };
        if let Some(before) = previous {
            join(clock, self.clocks.row(before));
            prefix = self.prefix_before[before];
        }
        match event.action.kind {
            Kind::Commit => self.join_commit_predecessors(at, clock),
            Kind::Join | Kind::Contain => {
                self.join_last_events(before, clock, |thread| Some(thread.owner()) == event.action.target);
            }
            _ if event.action.drains => {
                let owner = event.thread().owner();
                self.join_last_events(before, clock, |thread| thread.is_phantom() && thread.owner() == owner);
            }
            _ => {}
        }
        while prefix < before && self.number[prefix] <= clock[self.thread_of[prefix]] {
            prefix += 1;
        }
        prefix
    }

    /// An event and the earlier events of its thread, backwards.
    fn thread_events_from(&self, event: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(event, |event| self.previous[*event])
    }

    /// Joins the clocks of the last events of the awaited threads among the first so many events.
    fn join_last_events(&self, events: usize, clock: &mut [u32], is_awaited: impl Fn(ThreadId) -> bool) {
        for awaited in (0..self.threads.len()).filter(|thread| is_awaited(self.threads[*thread])) {
            for own in self.thread_events_from(self.latest[awaited]).filter(|own| *own < events) {
                join(clock, self.clocks.row(own));
                if own < self.executed {
                    // The clock of an executed event covers the earlier events of its thread.
                    break;
                }
            }
        }
    }

    /// A commit comes after its store and, if stores are committed in order, after the commits of earlier
    /// stores.
    fn join_commit_predecessors(&self, at: usize, clock: &mut [u32]) {
        let Some(store) = self.partner[at] else { return };
        join(clock, self.clocks.row(store));
        if self.events[at].action.drains {
            let owner = self.events[store].thread();
            let is_earlier = |event: &Event| event.thread() == owner && event.action.is_buffered;
            let earlier = (0..store).filter(|event| is_earlier(&self.events[*event]));
            for earlier in earlier.take(self.events[at].action.preceding_stores as usize) {
                if let Some(commit) = self.partner[earlier].filter(|commit| *commit < at) {
                    join(clock, self.clocks.row(commit));
                }
            }
        }
    }

    /// The store of a commit, or of a load from the thread's own store.
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
                let is_uncommitted =
                    |store: &usize| events[*store].action.is_buffered && self.partner[*store].is_none();
                (0..at).filter(|store| is_store(&events[*store])).find(is_uncommitted)
            }
            Kind::Load if action.reads_from != ReadsFrom::Memory => events.iter().rposition(is_store),
            _ => None,
        }
    }

    /// A test whether this event happens before a later one. Cheaper than [`HappensBefore::is_ordered`] for
    /// many events.
    #[inline]
    pub(in super::super) fn successors_of(&self, earlier: usize) -> impl Fn(usize) -> bool {
        let (thread, number, clocks) = (self.thread_of[earlier], self.number[earlier], &self.clocks);
        move |later| number <= clocks.cells[later * clocks.width + thread]
    }

    /// Does the earlier event happen before the later one?
    #[inline]
    pub(in super::super) fn is_ordered(&self, earlier: usize, later: usize) -> bool {
        self.number[earlier] <= self.clocks.row(later)[self.thread_of[earlier]]
    }

    /// The number of events of each thread that happen before this one, including the event itself.
    pub(crate) fn clock(&self, event: usize) -> &[u32] {
        self.clocks.row(event)
    }

    /// The number of events of each thread before this step in the run.
    pub(in super::super) fn counts_before(&self, step: usize) -> &[u32] {
        self.counts.row(step)
    }
}
