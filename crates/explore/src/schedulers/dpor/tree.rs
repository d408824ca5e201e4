//! Wake-up trees: the sequences that are still to be run from a step.
//!
//! A [reversal](super::reversal) is hung into the tree of the step where it begins, unless a run that begins so was made already, or will be.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, JACM 64(4), 2017, §7.

use super::order::Order;
use super::reversal::{Reversal, Took};
use crate::event::{Action, Event, Kind};
use crate::ids::ThreadId;

/// An event of a tree, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) event: Event,
    /// Whichever way it can go. Then nothing follows.
    pub(super) any_way: bool,
    /// Is it not certain that all who sleep wake up on the way here? Then what follows may still have to be found by others.
    pub(super) is_doubtful: bool,
    /// Empty at a leaf: there it goes on freely.
    pub(super) next: Vec<Branch>,
}

impl Branch {
    /// A leaf.
    pub(super) fn leaf(event: Event, any_way: bool) -> Branch {
        Branch { event, any_way, is_doubtful: false, next: Vec::new() }
    }
}

/// Where in a list of branches a reversal goes on.
enum Found {
    Branch(usize),
    /// Beside this branch, by another way of its thread.
    Way(usize),
    Nothing,
}

impl Reversal {
    /// Hangs what is left into a tree, unless a branch of it leads to the same.
    pub(super) fn insert(&mut self, order: &Order, mut branches: &mut Vec<Branch>) {
        loop {
            let branch = match self.find_own(order, branches) {
                Found::Branch(index) => &mut branches[index],
                Found::Way(index) => {
                    let way = self.way_of(order, branches[index].event.thread());
                    branches.insert(index + 1, way);
                    return;
                }
                Found::Nothing => {
                    branches.push(self.chain(order));
                    return;
                }
            };
            if branch.next.is_empty() {
                return self.extend(order, branch);
            }
            branches = &mut branch.next;
        }
    }

    /// What is left follows a leaf only where somebody may be asleep there.
    fn extend(&self, order: &Order, leaf: &mut Branch) {
        if leaf.is_doubtful && !self.is_empty() {
            leaf.next.push(self.chain(order));
        }
    }

    /// Which branch leads to what is left?
    fn find_own(&mut self, order: &Order, branches: &[Branch]) -> Found {
        for (index, branch) in branches.iter().enumerate() {
            if self.takes_branch(order, branch) {
                return Found::Branch(index);
            }
            if let Some(way) = self.other_way(order, &branch.event) {
                let same = branches.iter().position(|branch| branch.event.id == way.id && !branch.any_way);
                return match same.filter(|same| self.takes_branch(order, &branches[*same])) {
                    Some(same) => Found::Branch(same),
                    None => Found::Way(index),
                };
            }
        }
        Found::Nothing
    }

    /// Where what is left can begin with the thread of this event, but it goes another way: that event. All ways of a thread are explored
    /// one after the other wherever one of them is, so what goes this way hangs there, and nowhere else.
    pub(super) fn other_way(&self, order: &Order, event: &Event) -> Option<Event> {
        if !event.action.is_plural {
            return None;
        }
        let at = self.left().find(|at| order.events[*at].thread() == event.thread())?;
        let is_other = order.events[at].id != event.id && self.is_minimal(order, at);
        is_other.then(|| self.event_after(order, at, &[]))
    }

    /// What is left, as one branch that begins with the event of this thread.
    pub(super) fn way_of(&mut self, order: &Order, thread: ThreadId) -> Branch {
        let at = self.left().find(|at| order.events[*at].thread() == thread);
        let event = self.event_after(order, at.expect("the thread goes another way"), &[]);
        self.takes(order, &event, false);
        let leaf = Branch { is_doubtful: self.is_doubtful, ..Branch::leaf(event, false) };
        if self.is_empty() {
            leaf
        } else {
            Branch { next: vec![self.chain(order)], ..Branch::leaf(event, false) }
        }
    }

    /// Does a branch lead to what is left? Where that cannot be told it is taken not to. Then work may be done twice; and as the branch, explored
    /// before, may be asleep at the end of what is left, it is not certain that all is explored behind that.
    pub(super) fn takes_branch(&mut self, order: &Order, branch: &Branch) -> bool {
        let event = match self.as_in_run(order, &branch.event) {
            Some(event) => event,
            None if self.may_be_about(order, &branch.event) => {
                (self.is_uncertain, self.is_doubtful) = (true, true);
                return false;
            }
            None => branch.event,
        };
        let took = self.take(order, &event, branch.any_way);
        if took == Took::Beside {
            self.beside.push(event.thread());
        }
        took != Took::Nothing
    }

    /// A branch's event as the present run has it: objects that are met for the first time after the step where the
    /// reversal begins have other numbers in other runs. What a thread does next is the same in both.
    fn as_in_run(&self, order: &Order, event: &Event) -> Option<Event> {
        if self.beside.contains(&event.thread()) {
            return None;
        }
        let place = order.known_place(event.thread()).filter(|_| self.is_spawned(order, event.thread()))?;
        let number = self.reached.get(place).copied().unwrap_or(0) + 1;
        let same = order.find(place, number, event.action.kind)?;
        let is_yield = event.action.kind == Kind::Yield;
        let action = Action {
            object: same.action.object,
            second: same.action.second,
            target: same.action.target.or(event.action.target),
            footprint: if is_yield { same.action.footprint } else { event.action.footprint },
            ..event.action
        };
        Some(Event { action, ..*event })
    }

    /// Is the thread of a branch the one of the present run that has this number? It was spawned before the step where the reversal begins, or by what
    /// was taken.
    fn is_spawned(&self, order: &Order, thread: ThreadId) -> bool {
        let is_here = |spawn: usize| spawn < self.from || self.taken().any(|at| at == spawn);
        thread.owner() == ThreadId::MAIN || order.spawn_of(thread).is_some_and(is_here)
    }

    /// Where it is not known which object of the present run an event is about: could it be one of those that are left?
    fn may_be_about(&mut self, order: &Order, event: &Event) -> bool {
        let known = *self.known.get_or_insert_with(|| order.objects_known(self.from));
        let is_new = |event: &Event| event.action.objects().any(|object| object.index() >= known);
        let last = self.last.iter().filter(|last| !last.is_taken).map(|last| &last.event);
        is_new(event) && self.left().map(|at| &order.events[at]).chain(last).any(is_new)
    }

    /// What is left, as one branch.
    fn chain(&self, order: &Order) -> Branch {
        let last = self.last.as_ref().filter(|last| !last.is_taken).map(|last| last.event);
        let left: Vec<usize> = self.left().collect();
        let events = left.iter().enumerate().map(|(index, at)| self.event_after(order, *at, &left[..index]));
        let mut events: Vec<Event> = events.chain(last).collect();
        let end = events.pop().expect("a reversal ends in an event that no branch leads to");
        let any_way = last.is_some() && end.action.is_plural;
        let leaf = Branch { is_doubtful: self.is_doubtful, ..Branch::leaf(end, any_way) };
        let before = |next, event| Branch { next: vec![next], ..Branch::leaf(event, false) };
        events.into_iter().rev().fold(leaf, before)
    }
}
