//! A uniform random walk, over all events or over those of one group of places.
//!
//! Zhao, Wolff, Mathur and Roychoudhury, Selectively Uniform Concurrency Testing, ASPLOS 2025. If a thread
//! is chosen with a probability in proportion to the number of events that it and the threads that it will
//! start have left, every interleaving is equally likely. In a selective walk only the events of a group
//! count: a thread is drawn that executes the next one of them, and all others are held back before theirs;
//! in between, threads that are not held back run: any of them, as in the paper, or that with the highest
//! random priority, so that one can be far ahead. The paper selects an object; we select places, since
//! objects have other numbers in other runs.
//!
//! Promise: with exact counts, and threads that do not wait for each other, each order of the selected
//! events is equally likely. No thread is held back for ever: if no other thread is enabled, or one yields,
//! a thread is drawn again.

use super::estimates::{Expected, Plan, SourcePlace, place};
use crate::event::Kind;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::random::Random;
use crate::schedulers::alternative_at;
use crate::schedulers::per_thread::PerThread;

/// The state of a walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    /// The selected places; none if all events are selected.
    selected: Vec<SourcePlace>,
    /// The thread that executes the next selected event, if it is drawn.
    drawn: Option<ThreadId>,
    /// By thread: the number of selected events that it and the threads that it will start have left.
    left: PerThread<u32>,
    /// By thread: that number when it starts.
    at_start: PerThread<u32>,
    /// Does the free thread with the highest priority run, or any?
    has_priorities: bool,
    /// By thread; 0 before it is drawn.
    priorities: PerThread<u64>,
    /// The indices of first events of threads that are not held back.
    free: Vec<usize>,
}

impl Walk {
    /// A run begins.
    pub(super) fn begin(&mut self, plan: &Plan, has_priorities: bool) {
        self.selected.clone_from(&plan.places);
        self.drawn = None;
        self.has_priorities = has_priorities;
        self.priorities.clear();
        self.left.clear();
        self.at_start.clear();
        for Expected { thread, events, is_root } in &plan.expected {
            *self.at_start.of(*thread) = *events;
            *self.left.of(*thread) = if *is_root { *events } else { 0 };
        }
    }

    /// Chooses an event by the weights of threads.
    pub(super) fn pick(&mut self, enabled: &[impl Candidate], random: &mut Random) -> Option<usize> {
        if self.selected.is_empty() {
            let index = self.draw(enabled, random)?;
            return alternative_at(index, enabled, random);
        }
        let index = match self.pick_free(enabled, random) {
            Some(index) => index,
            None => {
                // Every thread is held back: one of them is drawn, and goes on.
                let index = self.draw(enabled, random)?;
                self.drawn = Some(enabled[index].thread());
                index
            }
        };
        alternative_at(index, enabled, random)
    }

    /// A thread that is not held back: any, or that with the highest priority.
    fn pick_free(&mut self, enabled: &[impl Candidate], random: &mut Random) -> Option<usize> {
        if self.drawn.is_none() {
            self.drawn = self.draw(enabled, random).map(|index| enabled[index].thread());
        }
        self.free.clear();
        for index in 0..enabled.len() {
            let event = &enabled[index];
            let is_first = index == 0 || enabled[index - 1].thread() != event.thread();
            if is_first && (Some(event.thread()) == self.drawn || !self.is_selected(event)) {
                self.free.push(index);
            }
        }
        if !self.has_priorities {
            return random.below(self.free.len()).map(|chosen| self.free[chosen]);
        }
        let mut best = (0, None);
        for index in &self.free {
            let priority = self.priorities.of(enabled[*index].thread());
            if *priority == 0 {
                *priority = random.word() | 1;
            }
            best = best.max((*priority, Some(*index)));
        }
        best.1
    }

    /// The index of the first event of a thread that is drawn by the weights. An enabled thread has an
    /// event left, whatever the estimate is.
    fn draw(&mut self, enabled: &[impl Candidate], random: &mut Random) -> Option<usize> {
        let mut total = 0;
        for index in 0..enabled.len() {
            total += self.weight(enabled, index);
        }
        let mut drawn = random.below(total as usize)? as u64;
        for index in 0..enabled.len() {
            let weight = self.weight(enabled, index);
            if drawn < weight {
                return Some(index);
            }
            drawn -= weight;
        }
        None
    }

    /// The weight of a thread at its first event, 0 at its other alternatives.
    #[inline]
    fn weight(&mut self, enabled: &[impl Candidate], index: usize) -> u64 {
        let thread = enabled[index].thread();
        if index > 0 && enabled[index - 1].thread() == thread {
            return 0;
        }
        u64::from((*self.left.of(thread)).max(1))
    }

    #[inline]
    fn is_selected(&self, event: &impl Candidate) -> bool {
        let event = event.light();
        event.object.is_some() && place(event.site).is_some_and(|place| self.selected.contains(&place))
    }

    /// An event is executed.
    pub(super) fn done(&mut self, event: &impl Candidate, random: &mut Random) {
        let thread = event.thread();
        let is_counted = self.selected.is_empty() || self.is_selected(event);
        let left = self.left.of(thread);
        *left = left.saturating_sub(u32::from(is_counted));
        if event.kind() == Kind::Spawn
            && let Some(child) = event.light().target
        {
            self.start(thread, child, random);
        }
        if event.counts_as_yield() {
            *self.priorities.of(thread) = 0;
            self.drawn = None;
        } else if self.drawn == Some(thread) && is_counted {
            self.drawn = None;
        }
    }

    /// A thread starts: its events are no longer its parent's. If its parent was drawn, it may have been
    /// for these.
    fn start(&mut self, parent: ThreadId, child: ThreadId, random: &mut Random) {
        let events = *self.at_start.of(child);
        *self.left.of(child) = events;
        let left = self.left.of(parent);
        let total = (*left).max(1) as usize;
        *left = left.saturating_sub(events);
        if self.drawn == Some(parent) && random.below(total).is_some_and(|drawn| drawn < events as usize) {
            self.drawn = Some(child);
        }
    }
}
