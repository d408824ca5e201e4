//! Wake-up trees: the sequences that are still to be explored from a step.
//!
//! A [reversal](super::reversal) is inserted into the wake-up tree of the step where it starts, unless a run
//! that begins with an equivalent sequence was explored already, or a branch of the tree leads to one.
//! Insertion descends into the first branch that is a weak initial of the remaining sequence; at a leaf it
//! stops, because exploration continues there without restriction.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, JACM 64(4), 2017, §7. Beyond the paper: all alternatives of
//! a thread are explored one after the other, and the events of a tree come from another run, in which
//! objects may have other numbers.

use super::happens_before::HappensBefore;
use super::reversal::{Reversal, WeakInitial};
use crate::counts::concerns_counts;
use crate::event::{Action, Event, Kind};
use crate::ids::ThreadId;

/// An event of a wake-up tree, and its subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) event: Event,
    /// Stands for any alternative of its thread. Then it is a leaf, unless an event may still be asleep
    /// here.
    pub(super) any_alternative: bool,
    /// May an event still be asleep here? Then this leaf does not cover all that follows it.
    pub(super) may_stay_asleep: bool,
    /// Empty at a leaf: there exploration continues without restriction.
    pub(super) children: Vec<Branch>,
}

impl Branch {
    /// A leaf.
    pub(super) fn leaf(event: Event, any_alternative: bool) -> Branch {
        Branch { event, any_alternative, may_stay_asleep: false, children: Vec::new() }
    }
}

/// Where in a list of branches a reversal is inserted.
enum Insertion {
    /// Below this branch.
    Below(usize),
    /// As another alternative of this branch's thread.
    AlternativeOf(usize),
    /// As the last branch.
    AtEnd,
}

impl Reversal {
    /// Inserts the remaining sequence into a wake-up tree, unless a leaf of it leads to an equivalent
    /// sequence.
    pub(super) fn insert(&mut self, order: &HappensBefore, mut branches: &mut Vec<Branch>) {
        loop {
            let branch = match self.find_insertion(order, branches) {
                Insertion::Below(index) => &mut branches[index],
                Insertion::AlternativeOf(index) => {
                    let alternative = self.as_alternative(order, branches[index].event.thread());
                    branches.insert(index + 1, alternative);
                    return;
                }
                Insertion::AtEnd => {
                    branches.push(self.as_branch(order));
                    return;
                }
            };
            if branch.children.is_empty() {
                return self.extend_leaf(order, branch);
            }
            branches = &mut branch.children;
        }
    }

    /// Extends a leaf by the remaining sequence only if an event may be asleep there.
    fn extend_leaf(&self, order: &HappensBefore, leaf: &mut Branch) {
        if leaf.may_stay_asleep && !self.is_empty() {
            leaf.children.push(self.as_branch(order));
        }
    }

    fn find_insertion(&mut self, order: &HappensBefore, branches: &[Branch]) -> Insertion {
        for (index, branch) in branches.iter().enumerate() {
            if self.descends_into(order, branch) {
                return Insertion::Below(index);
            }
            if let Some(other) = self.other_alternative(order, &branch.event) {
                let is_same = |branch: &Branch| branch.event.id == other.id && !branch.any_alternative;
                let same = branches.iter().position(is_same);
                return match same.filter(|same| self.descends_into(order, &branches[*same])) {
                    Some(same) => Insertion::Below(same),
                    None => Insertion::AlternativeOf(index),
                };
            }
        }
        Insertion::AtEnd
    }

    /// If the remaining sequence can begin with the thread of this event, but by another alternative: that
    /// alternative. All alternatives of a thread are explored one after the other wherever one of them is,
    /// so the sequence belongs beside this event and nowhere else.
    pub(super) fn other_alternative(&self, order: &HappensBefore, event: &Event) -> Option<Event> {
        if !event.action.has_alternatives {
            return None;
        }
        let at = self.remaining().find(|at| order.events[*at].thread() == event.thread())?;
        let is_other = order.events[at].id != event.id && self.is_minimal(order, at);
        is_other.then(|| self.event_after(order, at, &[]))
    }

    /// The remaining sequence as a branch that begins with the event of this thread.
    pub(super) fn as_alternative(&mut self, order: &HappensBefore, thread: ThreadId) -> Branch {
        let at = self.remaining().find(|at| order.events[*at].thread() == thread);
        let event =
            self.event_after(order, at.expect("the sequence has another alternative of the thread"), &[]);
        self.takes(order, &event, false);
        if self.is_empty() {
            Branch { may_stay_asleep: self.may_stay_asleep, ..Branch::leaf(event, false) }
        } else {
            Branch { children: vec![self.as_branch(order)], ..Branch::leaf(event, false) }
        }
    }

    /// Is the branch a weak initial of the remaining sequence? If that is unknown the answer is no. Then a
    /// trace may be explored twice; and since the event of the branch, explored before, may be asleep at the
    /// end of this sequence, its leaf may not cover all that follows.
    pub(super) fn descends_into(&mut self, order: &HappensBefore, branch: &Branch) -> bool {
        let event = match self.translate(order, &branch.event) {
            Some(event) => event,
            None if self.may_share_object(order, &branch.event) => {
                (self.is_ambiguous, self.may_stay_asleep) = (true, true);
                return false;
            }
            None => branch.event,
        };
        let role = self.take(order, &event, branch.any_alternative);
        if role == WeakInitial::Independent {
            self.unknown_threads.push(event.thread());
            if concerns_counts(event.action.kind) {
                self.changes_outside.push(event);
            }
        }
        role != WeakInitial::No
    }

    /// The event of a branch with the object numbers of the current run: objects that are first used after
    /// the start of the reversal have other numbers in other runs. The next event of a thread is the same in
    /// both runs.
    fn translate(&self, order: &HappensBefore, event: &Event) -> Option<Event> {
        if self.unknown_threads.contains(&event.thread()) {
            return None;
        }
        let thread = order.find_thread(event.thread())?;
        let number = self.reached.get(thread).copied().unwrap_or(0) + 1;
        let same = order.find_event(thread, number, event.action.kind)?;
        let is_yield = event.action.kind == Kind::Yield;
        let action = Action {
            object: same.action.object,
            second: same.action.second,
            footprint: if is_yield { same.action.footprint } else { event.action.footprint },
            ..event.action
        };
        Some(Event { action, ..*event })
    }

    /// For an event that cannot be translated: may it access a new object that a remaining event accesses?
    fn may_share_object(&mut self, order: &HappensBefore, event: &Event) -> bool {
        let known = *self.known_objects.get_or_insert_with(|| order.objects_known(self.from));
        let has_new_object = |event: &Event| event.action.objects().any(|object| object.index() >= known);
        let last = self.last.iter().filter(|last| !last.is_taken).map(|last| &last.event);
        has_new_object(event) && self.remaining().map(|at| &order.events[at]).chain(last).any(has_new_object)
    }

    /// The remaining sequence as a branch.
    fn as_branch(&self, order: &HappensBefore) -> Branch {
        let last = self.last_event();
        let remaining: Vec<usize> = self.remaining().collect();
        let events = remaining.iter().enumerate();
        let events = events.map(|(index, at)| self.event_after(order, *at, &remaining[..index]));
        let mut events: Vec<Event> = events.chain(last).collect();
        let end = events.pop().expect("no leaf leads to the whole sequence, so an event remains");
        let any_alternative = last.is_some() && end.action.has_alternatives;
        let leaf = Branch { may_stay_asleep: self.may_stay_asleep, ..Branch::leaf(end, any_alternative) };
        let parent = |child, event| Branch { children: vec![child], ..Branch::leaf(event, false) };
        events.into_iter().rev().fold(leaf, parent)
    }
}
