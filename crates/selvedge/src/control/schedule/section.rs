//! Atomic sections: code of the program that is executed in one step.
//!
//! A transaction is one, and so is an opaque effect (`liftIO` of Walker's thesis, Figure 12): input and
//! output, say, or a use of a lock that the exploration does not see. Its thread announces an effect like
//! any other action and executes the code when it is chosen; an effect depends on all other effects.
//! Effects are ordered as if each of them took one lock that they all share: it waits until its thread's
//! stores are in memory, and happens before all later effects. That hides no data race between accesses
//! that can meet: in some explored order of the effects, no effect comes between the two accesses.
//!
//! Promise: no other thread goes on during a section. A visible action inside of one is refused, unless its
//! thread unwinds; an effect inside of an effect is a part of it.

use crate::control::race;
use crate::control::state::AtomicSection;
use crate::control::thread::Pending;
use crate::control::{Execution, State};
use selvedge_explore::{Action, Kind, Site};
use std::panic::Location;

impl Execution {
    /// The running thread executes an opaque effect, when it is chosen.
    pub(crate) fn effect<R>(&self, place: &'static Location<'static>, work: impl FnOnce() -> R) -> R {
        if self.state.borrow().conditions.section == AtomicSection::Effect {
            return work();
        }
        self.visible(Pending::new(Action::new(Kind::Effect), Site::Rust(place)));
        {
            let State { threads, effects, running, .. } = &mut *self.state.borrow_mut();
            threads[*running].clock.join(effects);
        }
        let _releases = ReleasesEffect(self);
        self.within_section(AtomicSection::Effect, work)
    }

    /// Executes code in which no other action may be visible.
    pub(in crate::control) fn within_section<R>(
        &self,
        section: AtomicSection,
        work: impl FnOnce() -> R,
    ) -> R {
        let before = std::mem::replace(&mut self.state.borrow_mut().conditions.section, section);
        let _leaves = LeavesSection { execution: self, before };
        work()
    }
}

/// Restores the section before when it is dropped.
struct LeavesSection<'e> {
    execution: &'e Execution,
    before: AtomicSection,
}

impl Drop for LeavesSection<'_> {
    fn drop(&mut self) {
        self.execution.state.borrow_mut().conditions.section = self.before;
    }
}

/// Releases to later effects what the running thread has seen and done, at the end of its effect.
struct ReleasesEffect<'e>(&'e Execution);

impl Drop for ReleasesEffect<'_> {
    fn drop(&mut self) {
        let State { threads, effects, running, .. } = &mut *self.0.state.borrow_mut();
        race::send(&mut threads[*running], running.index(), effects);
    }
}
