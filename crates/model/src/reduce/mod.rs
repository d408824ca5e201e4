//! Partial-order reduction: a system with fewer steps that satisfies the same formulas.
//!
//! Steps of different processes often commute, and then a single order of them suffices. In each state
//! [`System::reduced_successors`] takes a subset of the steps, such that every run of the system has a
//! stutter-equivalent run in the reduced system: the same labels, but for how often each repeats (Peled, All
//! from One, One for All, CAV'93; Valmari, Stubborn Sets for Reduced State Space Generation, 1990;
//! Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996). Stutter-invariant
//! formulas have the same value on both runs.
//!
//! The promise of `reduced_successors`, for a state s:
//!
//! 1. The reduced steps are steps of s; there is one if s has one. They depend on s alone. A step that a
//!    bound of the language [cuts off](System::first_cut) is no step.
//! 2. They form a persistent set: after any sequence of steps outside of the set, each step of the set is
//!    still enabled, commutes with the sequence, and no further step of its process is enabled.
//! 3. Unless the set has all steps of s, none of its steps changes the label or leads to an error, and none
//!    is *sticky*. Every cycle of states has a sticky step, so it has a state with all its steps: no process
//!    is ignored for ever. Kurshan, Levin, Minea, Peled and Yenigün, Static Partial Order Reduction,
//!    TACAS'98: sticky steps are determined in the program before the search, so the reduction is
//!    independent of the search order and the number of workers.
//! 4. With [`Preserve::States`], a step from a state to itself may be left out, unless it is the only step.
//!
//! An error ends a run, so it commutes with no step; still no error is lost. Let a run from s end in an
//! error. By 3 the error is not that of a reduced step. If the run takes a reduced step, that step can come
//! first. If it takes none, a reduced step can be put before the whole run: the label stays, and the same
//! error follows. The sticky steps bound the number of such insertions.
//!
//! In the same way each step of a run is taken in the reduced system too, so no [crash](System::crash) is
//! lost, as a crash depends on the action alone; and no process that [waits for
//! ever](System::waits_for_ever), as it does so in all later states.
//!
//! A label with an unknown proposition stands for several letters, and where it repeats it may be a
//! different letter each time: there a formula can distinguish repetitions. So [`Reduced`] records whether
//! it has met such a label, and the caller then searches the whole system. (If the whole system has such a
//! label, so has the reduced system.)
//!
//! Promise: both systems have the same deadlock states, the same error messages and crashes and, without
//! unknown labels, the same verdicts on stutter-invariant formulas. All runs count; fair runs are not
//! considered.

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::system::{Cut, Pending, ProcessId, States, Steps, System, Word};
use selvedge_ltl::Letter;

/// What a reduction preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preserve {
    /// The labels along runs, up to stuttering.
    Runs,
    /// The labels of states, the deadlocks and the errors; but not the states in which a run can stay for
    /// ever.
    States,
}

/// A system that takes the reduced steps of another.
#[derive(Debug)]
pub struct Reduced<'a, S> {
    system: &'a S,
    preserve: Preserve,
    has_unknown: AtomicBool,
}

impl<'a, S: System> Reduced<'a, S> {
    /// The system with fewer steps.
    pub fn new(system: &'a S, preserve: Preserve) -> Reduced<'a, S> {
        Reduced { system, preserve, has_unknown: AtomicBool::new(false) }
    }

    /// Did a search meet a label with an unknown proposition?
    pub fn has_unknown(&self) -> bool {
        self.has_unknown.load(Ordering::Relaxed)
    }
}

impl<S: System> System for Reduced<'_, S> {
    type Action = S::Action;

    fn words(&self) -> usize {
        self.system.words()
    }

    fn processes(&self) -> usize {
        self.system.processes()
    }

    fn initial(&self, out: &mut States) {
        self.system.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>) {
        self.system.reduced_successors(self.preserve, state, out);
    }

    fn label(&self, state: &[Word]) -> Letter {
        let label = self.system.label(state);
        if label.may_true & label.may_false != 0 {
            self.has_unknown.store(true, Ordering::Relaxed);
        }
        label
    }

    fn process(&self, action: Self::Action) -> Option<ProcessId> {
        self.system.process(action)
    }

    fn partner(&self, action: Self::Action) -> Option<ProcessId> {
        self.system.partner(action)
    }

    fn has_partners(&self) -> bool {
        self.system.has_partners()
    }

    fn is_enabled(&self, state: &[Word], process: ProcessId) -> bool {
        self.system.is_enabled(state, process)
    }

    fn certainly_enabled(&self, state: &[Word], steps: &Steps<Self::Action>) -> u64 {
        self.system.certainly_enabled(state, steps)
    }

    fn has_real_steps(&self) -> bool {
        self.system.has_real_steps()
    }

    fn first_cut(&self) -> Option<Cut> {
        self.system.first_cut()
    }

    fn is_cut(&self, state: &[Word]) -> bool {
        self.system.is_cut(state)
    }

    fn remembered(&self) -> u64 {
        u64::from(self.has_unknown()) | self.system.remembered() << 1
    }

    fn remember(&self, remembered: u64) {
        self.has_unknown.store(remembered & 1 == 1, Ordering::Relaxed);
        self.system.remember(remembered >> 1);
    }

    fn table_bytes(&self) -> usize {
        self.system.table_bytes()
    }

    fn pending(&self, state: &[Word], process: ProcessId) -> Option<Pending> {
        self.system.pending(state, process)
    }

    fn alternative(&self, state: &[Word], action: Self::Action) -> u32 {
        self.system.alternative(state, action)
    }

    fn printed(&self, state: &[Word], action: Self::Action) -> Option<String> {
        self.system.printed(state, action)
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.system.is_end(state)
    }

    fn is_idle(&self, state: &[Word]) -> bool {
        self.system.is_idle(state)
    }

    fn error(&self, state: &[Word]) -> Option<String> {
        self.system.error(state)
    }

    fn crash(&self, action: Self::Action) -> Option<String> {
        self.system.crash(action)
    }

    fn waits_for_ever(&self, state: &[Word]) -> Vec<(String, String)> {
        self.system.waits_for_ever(state)
    }

    fn process_name(&self, process: ProcessId) -> String {
        self.system.process_name(process)
    }

    fn describe(&self, action: Self::Action) -> String {
        self.system.describe(action)
    }

    fn source_line(&self, action: Self::Action) -> Option<usize> {
        self.system.source_line(action)
    }

    fn source_file(&self, action: Self::Action) -> Option<String> {
        self.system.source_file(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.system.show(state)
    }

    fn show_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        self.system.show_briefly(state)
    }

    fn waiting(&self, state: &[Word]) -> Vec<(String, String)> {
        self.system.waiting(state)
    }
}
