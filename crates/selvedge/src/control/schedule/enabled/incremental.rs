//! What can be done next, from what could be done before.
//!
//! A step concerns few: its own thread, those who wait for the lock that it took or gave back, who joins the thread that it
//! ended, and who it spawned. Where it is of such a kind, the list is changed in these places; otherwise all threads are
//! looked at.
//!
//! Promise: the list is the one that [`State::look`] makes; tests of this crate compare the two at every step.

use crate::control::schedule::CandidateEvent;
use crate::control::schedule::ExecutedAction;
use crate::control::state::State;
use crate::control::thread::{Pending, Status};
use selvedge_explore::{Kind, ThreadId};

impl State {
    /// An event is done that stands at this place. Changes the list as far as that concerns others. Returns where the
    /// event stands then, or nothing where all threads have to be looked at.
    #[inline(always)]
    pub(in crate::control) fn tell_others<L: CandidateEvent>(
        &mut self,
        done: &ExecutedAction,
        place: usize,
        list: &mut Vec<L>,
    ) -> Option<usize> {
        match done.kind {
            _ if self.unusual.is_stale || self.unusual.has_throwers || self.unusual.spins_freely => None,
            Kind::Load | Kind::Fence | Kind::Join => Some(place),
            // A store to a buffer can be committed; one to memory lets those go on who wait for that.
            Kind::Store | Kind::Update if done.is_buffered || self.unusual.has_spinners => None,
            Kind::Store | Kind::Update => {
                if !self.read_only {
                    L::is_overwritten(done.object, list);
                }
                Some(place)
            }
            Kind::Lock | Kind::Unlock => self.recheck(done, place, list),
            Kind::TryLock | Kind::ReadLock | Kind::TryReadLock | Kind::WriteLock | Kind::TryWriteLock => {
                self.recheck(done, place, list)
            }
            Kind::UnlockRead | Kind::UnlockWrite => self.recheck(done, place, list),
            Kind::Spawn => self.list_child(place, list),
            _ => None,
        }
    }

    /// Is nothing under way by which a step concerns others than those who wait for its object?
    #[inline(always)]
    fn is_simple(&self) -> bool {
        !self.unusual.is_stale
            && !self.unusual.has_throwers
            && !self.unusual.has_spinners
            && !self.unusual.spins_freely
            && self.contained.is_none()
            && !self.buffers.has_stores()
    }

    /// Where an action of this kind, which goes one way only, cannot be done: is all that follows that it is not listed?
    #[inline(always)]
    pub(in crate::control) fn waits_simply(&self, kind: Kind) -> bool {
        kind != Kind::Yield && kind != Kind::Return && self.is_simple()
    }

    /// Those who wait for the object of an event can go on now, or cannot any more.
    #[inline]
    fn recheck<L: CandidateEvent>(
        &self,
        done: &ExecutedAction,
        mut place: usize,
        list: &mut Vec<L>,
    ) -> Option<usize> {
        let object = done.object;
        if !self.is_simple() || object.is_none() || done.second.is_some() {
            return None;
        }
        for (index, thread) in self.threads[..self.thread_count].iter().enumerate() {
            let pending = &thread.pending;
            let is_concerned = pending.action.object == object && pending.may_wait;
            if !is_concerned || thread.status != Status::Live || index == done.thread.index() {
                continue;
            }
            if !is_listed_once(pending) {
                return None;
            }
            let id = ThreadId(index as u32);
            let (at, is_there) = find(list, id);
            match (is_there, self.can_do(id, pending)) {
                (true, false) => {
                    list.remove(at);
                    place -= usize::from(at < place);
                }
                (false, true) => {
                    list.insert(at, L::plain(self, id, pending));
                    place += usize::from(at <= place);
                }
                _ => {}
            }
        }
        Some(place)
    }

    /// Lists a thread that has just been spawned, and has begun, if it can go on.
    fn list_child<L: CandidateEvent>(&mut self, place: usize, list: &mut Vec<L>) -> Option<usize> {
        let child = self.spawned?;
        if !self.is_simple() || self.births != self.births_listed + 1 {
            return None;
        }
        self.births_listed = self.births;
        let (at, count) = (find(list, child).0, list.len());
        let has_ended = self.threads[child.index()].status == Status::Ended;
        if !has_ended && !self.list_at(at, child, list) {
            return None;
        }
        let comes_before = at <= place && list.len() > count;
        Some(place + usize::from(comes_before))
    }

    /// An event is done that stands at this place; its thread has announced something else, or ended; who was spawned has
    /// begun. Says whether the list is what can be done now; if not, all threads have to be looked at.
    pub(in crate::control) fn update_enabled<L: CandidateEvent>(
        &mut self,
        done: &ExecutedAction,
        place: usize,
        list: &mut Vec<L>,
    ) -> bool {
        if !self.is_simple() || self.is_over() {
            return false;
        }
        let Some(place) = self.tell_others(done, place, list) else { return false };
        if self.births != self.births_listed {
            return false;
        }
        let thread = done.thread;
        let slot = &self.threads[thread.index()];
        if slot.status == Status::Live && is_listed_once(&slot.pending) && self.can_do(thread, &slot.pending)
        {
            list[place] = L::plain(self, thread, &slot.pending);
            return true;
        }
        list.remove(place);
        match slot.status {
            Status::Live => is_listed_once(&slot.pending),
            Status::Ended => self.list_joiners(thread, list),
            Status::Lost => false,
        }
    }

    /// Lists a thread that is not there, at its place, if it can go on.
    #[inline]
    fn list_at<L: CandidateEvent>(&self, place: usize, thread: ThreadId, list: &mut Vec<L>) -> bool {
        let pending = &self.threads[thread.index()].pending;
        if !is_listed_once(pending) {
            return false;
        }
        if self.can_do(thread, pending) {
            list.insert(place, L::plain(self, thread, pending));
        }
        true
    }

    /// A thread has ended: lists who waited for that.
    fn list_joiners<L: CandidateEvent>(&self, ended: ThreadId, list: &mut Vec<L>) -> bool {
        for (index, thread) in self.threads[..self.thread_count].iter().enumerate() {
            let action = &thread.pending.action;
            let id = ThreadId(index as u32);
            match action.kind {
                _ if thread.status != Status::Live => {}
                Kind::Join if action.target != Some(ended) => {}
                Kind::Join if !self.list_at(find(list, id).0, id, list) => return false,
                Kind::Contain | Kind::Return => return false,
                _ => {}
            }
        }
        true
    }
}

/// Is it listed once at most, whatever others do, and is nothing noticed beside?
#[inline(always)]
fn is_listed_once(pending: &Pending) -> bool {
    pending.is_plain() && pending.action.kind != Kind::Yield
}

/// Where a thread's event is, or would be.
#[inline]
fn find<L: CandidateEvent>(list: &[L], thread: ThreadId) -> (usize, bool) {
    let at = list.iter().position(|event| event.thread() >= thread).unwrap_or(list.len());
    (at, list.get(at).is_some_and(|event| event.thread() == thread))
}
