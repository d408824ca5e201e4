//! Partial-order reduction: a system with fewer steps that the same formulas hold of.
//!
//! Steps of different processes often commute, and then one order of them is as good as any other. In each state
//! [`System::reduced_successors`] takes some of the steps, such that every run of the system has one in the reduced
//! system whose labels are the same, but for how often each repeats (Peled, All from One, One for All, CAV'93;
//! Valmari, Stubborn Sets for Reduced State Space Generation, 1990; Godefroid, Partial-Order Methods for the
//! Verification of Concurrent Systems, 1996). Formulas that are stutter-invariant cannot tell the two apart.
//!
//! What `reduced_successors` promises, for a state s:
//!
//! 1. Its steps are steps of s; there is one if s has one. They depend on s alone.
//! 2. They are persistent: whatever others do first, the steps that are not among them, each of these can still be
//!    taken, leads to the same state before as after, and no step of the same processes is added to them.
//! 3. Unless they are all, none of them changes the label or leads to an error, and none is *sticky*. Every cycle of
//!    states has a sticky step, so it has a state with all its steps: no process is put off for ever. Kurshan, Levin,
//!    Minea, Peled and Yenigün, Static Partial Order Reduction, TACAS'98: what is sticky is found in the program before
//!    the search, so the reduction is the same for every order of search and for any number of workers.
//! 4. With [`Aim::States`], a step that leads from a state to itself may be left out, unless there is no other.
//!
//! An error ends everything, so it commutes with nothing; still nothing is lost. Let a run end in an error, by 3 not
//! by one of the steps of s. If it takes one of these steps, the step can come first. If it does not, one of them can be
//! put before all of it: the label stays, the same error comes after. By the sticky steps this ends.
//!
//! A label that does not know a proposition is no letter but several, and where it repeats it may be one and then
//! another: there formulas do see how often. So [`Reduced`] remembers whether it met such a label, and the
//! caller looks at the whole system if it did. (If the whole system has one, so has the reduced.)
//!
//! Promise: deadlocks are the same states, errors are the same messages, stutter-invariant formulas have the same
//! verdicts, unknown labels aside. That is for all runs; fair runs are not considered.

use crate::system::{Pending, ProcessId, States, Steps, System, Word};
use selvedge_ltl::Letter;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a reduced system must have in common with the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The labels along runs, but for how often each repeats.
    Runs,
    /// The labels of states, the deadlocks and the errors; but not which states a run may stay in for ever.
    States,
}

/// A system that takes the reduced steps of another.
#[derive(Debug)]
pub struct Reduced<'a, S> {
    system: &'a S,
    aim: Aim,
    has_unknown: AtomicBool,
}

impl<'a, S: System> Reduced<'a, S> {
    /// The system with fewer steps.
    pub fn new(system: &'a S, aim: Aim) -> Reduced<'a, S> {
        Reduced { system, aim, has_unknown: AtomicBool::new(false) }
    }

    /// Did one of the labels that were asked for not know a proposition?
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
        self.system.reduced_successors(self.aim, state, out);
    }

    fn label(&self, state: &[Word]) -> Letter {
        let label = self.system.label(state);
        if label.may_true & label.may_false != 0 {
            self.has_unknown.store(true, Ordering::Relaxed);
        }
        label
    }

    fn process(&self, action: Self::Action) -> ProcessId {
        self.system.process(action)
    }

    fn is_enabled(&self, state: &[Word], process: ProcessId) -> bool {
        self.system.is_enabled(state, process)
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

    fn error(&self, state: &[Word]) -> Option<String> {
        self.system.error(state)
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
