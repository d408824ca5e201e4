//! A window of the run: events with what they change, and arrows between lanes.

use super::Engine;
use super::show::{flat, flatten};
use crate::snapshot::{Arrow, Timeline, TimelineEvent};
use crate::target::StateId;
use crate::view::{MoveView, Transfer, TransferKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A window has at most so many positions.
const MAX_WINDOW: usize = 2000;

impl Engine {
    pub(super) fn timeline(&mut self, from: usize, to: usize) -> Result<Timeline, String> {
        let to = to.min(self.stack.length()).min(from.saturating_add(MAX_WINDOW));
        if from > to {
            return Err(format!("the run has no position {from}; its last is {}", self.stack.length()));
        }
        let mut events = Vec::with_capacity(to - from);
        for before in from..to {
            let made = self.made(before);
            let changes = self.changes(self.stack.states[before], self.stack.states[before + 1]);
            events.push(TimelineEvent { position: before + 1, made, changes });
        }
        let arrows = self.arrows();
        let is_seen = |arrow: &Arrow| [arrow.from, arrow.to].iter().any(|end| (from + 1..=to).contains(end));
        let arrows = arrows.into_iter().filter(is_seen).collect();
        Ok(Timeline { from, to, events, arrows, strips: self.strip_windows(from, to) })
    }

    /// The values that differ between two states: path, old, new.
    pub(super) fn changes(&mut self, before: StateId, after: StateId) -> Vec<(String, String, String)> {
        if before == after {
            return Vec::new();
        }
        let old = flatten(&self.target.values(before));
        let new = flat(&self.target.values(after));
        let changed = new.into_iter().filter_map(|(path, new)| {
            let old = old.get(&path).cloned().unwrap_or_default();
            (old != new).then_some((path, old, new))
        });
        changed.collect()
    }

    /// All arrows of the run.
    pub(super) fn arrows(&mut self) -> Vec<Arrow> {
        let moves: Vec<MoveView> = (0..self.stack.length()).map(|before| self.made(before)).collect();
        let mut given: FxHashMap<String, VecDeque<(usize, Option<u32>)>> = FxHashMap::default();
        let mut arrows = Vec::new();
        for (position, made) in (1..).zip(moves) {
            let Some(Transfer { kind, name, is_queue }) = made.transfer else { continue };
            let given = given.entry(name.clone()).or_default();
            match kind {
                TransferKind::Give => {
                    if !is_queue {
                        given.clear();
                    }
                    given.push_back((position, made.process));
                }
                TransferKind::Take => {
                    let from = if is_queue { given.pop_front() } else { given.front().copied() };
                    let from = from.filter(|(_, giver)| is_queue || *giver != made.process);
                    arrows.extend(from.map(|(from, _)| Arrow { from, to: position, name }));
                }
            }
        }
        arrows
    }
}
