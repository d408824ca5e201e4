//! The propositions of a run, and the formulas that are judged on them.
//!
//! A change of a proposition is one step. It says which formulas mention the proposition, so that changes
//! which no formula has in common commute. It drains no store buffer and orders no memory access: data races
//! stay visible. The run only records changes; they are judged once it has ended.
//!
//! If a formula mentions `holds`, locks change `holds(thread, lock)` by steps of their own, after they are
//! taken and before they are given back ([`holds`]).

mod holds;

use super::thread::Pending;
use super::{Execution, State};
use selvedge_explore::event::Footprint;
use selvedge_explore::trace::{RecordedFormula, VerdictPlace};
use selvedge_explore::{Action, Kind, Site, ThreadId, Trace};
use selvedge_monitor::{Fact, Property};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

/// The propositions and formulas of a run.
#[derive(Debug, Default)]
pub(crate) struct Propositions {
    holding: HashSet<Fact>,
    formulas: Vec<Arc<Property<Fact>>>,
    /// The changes that threads have announced.
    announced: HashMap<ThreadId, Fact>,
    /// What happened up to the end of the body, each with the number of its step among the steps that
    /// concern propositions and formulas.
    pub(crate) recorded: Vec<(usize, Recorded)>,
    /// The formulas that the run violates, once it is judged.
    pub(crate) violated: Vec<ViolatedFormula>,
    /// Has every formula of the run a verdict?
    pub(crate) is_judged: bool,
    /// The name of the proposition or formula of each step that concerns one.
    names: Vec<String>,
    /// Has a thread other than the body changed a proposition or added a formula?
    has_other_steps: bool,
    holds: holds::Holds,
    /// The proposition of the last step, if that was a pulse.
    #[cfg(feature = "debug")]
    pulsed: Option<Fact>,
}

/// A step that formulas are judged by.
#[derive(Clone, Debug)]
pub(crate) enum Recorded {
    Set(Fact),
    Release(Fact),
    /// The proposition holds in one state, and in the next it does not.
    Pulse(Fact),
    /// The formula of this name is judged from now on.
    Check(Arc<str>, Arc<Property<Fact>>),
}

/// A formula that the run violates.
#[derive(Clone, Debug)]
pub(crate) struct ViolatedFormula {
    /// Its number among the formulas of the run, from 0.
    pub(crate) formula: usize,
    /// The number of the step at which the verdict fell, among the steps that concern propositions and
    /// formulas; `None` if it fell at the end, where the last state stays for ever.
    pub(crate) step: Option<usize>,
    /// The values of its variables.
    pub(crate) binding: Option<String>,
}

impl Propositions {
    pub(in crate::control) fn clear(&mut self) {
        let Propositions {
            holding,
            formulas,
            announced,
            recorded,
            violated,
            is_judged,
            names,
            has_other_steps,
            holds,
            #[cfg(feature = "debug")]
            pulsed,
        } = self;
        #[cfg(feature = "debug")]
        pulsed.take();
        holding.clear();
        formulas.clear();
        announced.clear();
        recorded.clear();
        violated.clear();
        names.clear();
        (*is_judged, *has_other_steps) = (false, false);
        holds.clear();
    }

    /// Does it matter whether steps of other threads come before the return of the body?
    pub(crate) fn decide_by_others(&self) -> bool {
        self.has_other_steps && !self.formulas.is_empty()
    }

    /// The formulas that mention a proposition, one bit each; the last bit stands for all formulas from the
    /// last number on.
    fn formulas_that_mention(&self, fact: &Fact) -> u64 {
        let mentioning = self.formulas.iter().enumerate().filter(|(_, formula)| formula.mentions(fact));
        mentioning.fold(0, |bits, (number, _)| bits | 1 << number.min(63))
    }

    /// Changes a proposition. Returns whether the change changes anything.
    fn change(&mut self, kind: Kind, fact: &Fact) -> bool {
        match kind {
            Kind::SetProp => self.holding.insert(fact.clone()),
            Kind::ReleaseProp => self.holding.remove(fact),
            _ => {
                self.holding.remove(fact);
                true
            }
        }
    }

    /// The propositions that hold, in order; that of a pulse holds in the state that the pulse leads to.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn holding(&self) -> Vec<Fact> {
        let pulsed = self.pulsed.iter().filter(|fact| !self.holding.contains(*fact));
        let mut facts: Vec<Fact> = self.holding.iter().chain(pulsed).cloned().collect();
        facts.sort_unstable();
        facts
    }

    /// The name that the program gave a lock.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn lock_name(&self, object: selvedge_explore::ObjectId) -> Option<Arc<str>> {
        self.holds.name(object)
    }

    /// A step begins: the proposition of a pulse does not hold any more.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn end_pulse(&mut self) {
        self.pulsed = None;
    }

    /// The proposition or formula of the last step that concerned one, in words.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn last_name(&self) -> &str {
        self.names.last().map_or("", |name| name)
    }

    /// The formulas that were added up to the end of the body, in this order, with their names.
    fn checks(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Property<Fact>>)> {
        self.recorded.iter().filter_map(|(_, step)| match step {
            Recorded::Check(name, property) => Some((name, property)),
            _ => None,
        })
    }

    /// The names of these formulas, each with its verdict: does the run satisfy it? `None` if the run is not
    /// judged.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = (&Arc<str>, Option<bool>)> {
        let is_violated = |number| self.violated.iter().any(|violated| violated.formula == number);
        let verdict = move |number| self.is_judged.then(|| !is_violated(number));
        self.checks().enumerate().map(move |(number, (name, _))| (name, verdict(number)))
    }

    /// Gives the steps of a trace that concern propositions and formulas their names, and the trace its
    /// formulas.
    pub(in crate::control) fn describe(&self, trace: &mut Trace) {
        let concerned: Vec<usize> = trace
            .steps()
            .iter()
            .enumerate()
            .filter(|(_, step)| step.event.action.kind.concerns_formulas())
            .map(|(number, _)| number)
            .collect();
        for (number, name) in concerned.iter().zip(&self.names) {
            trace.values[*number].clone_from(name);
        }
        let formula = |(number, (name, property)): (usize, (&Arc<str>, &Arc<Property<Fact>>))| {
            let violated = self.violated.iter().find(|violated| violated.formula == number);
            let place = violated.and_then(|violated| match violated.step {
                Some(step) => concerned.get(step).map(|step| VerdictPlace::At(*step as u64)),
                None => Some(VerdictPlace::End),
            });
            RecordedFormula {
                name: name.to_string(),
                text: property.to_string(),
                binding: violated.and_then(|violated| violated.binding.clone()),
                began: None,
                violated: place,
            }
        };
        trace.formulas = self.checks().enumerate().map(formula).collect();
    }
}

/// The mark of a change that is void, behind the proposition.
const VOID: &str = " (void)";

/// A number for a proposition that is the same in all runs.
fn number_of(fact: &Fact) -> u64 {
    let mut hasher = DefaultHasher::new();
    fact.hash(&mut hasher);
    hasher.finish()
}

impl Execution {
    /// The running thread changes a proposition, when it is chosen.
    pub(crate) fn change_proposition(&self, kind: Kind, fact: Fact, place: &'static Location<'static>) {
        let writes = {
            let state = &mut *self.state.borrow_mut();
            state.propositions.announced.insert(state.running, fact.clone());
            state.propositions.formulas_that_mention(&fact)
        };
        let footprint = Footprint { reads: 0, writes };
        let action = Action { footprint, expected: Some(number_of(&fact)), ..Action::new(kind) };
        self.visible(Pending::new(action, Site::Rust(place)));
        let State { propositions, step, running, conditions, .. } = &mut *self.state.borrow_mut();
        propositions.announced.remove(running);
        let is_void = kind == Kind::SetProp && propositions.holds.is_withdrawn(*running);
        let is_change = !is_void && propositions.change(kind, &fact);
        propositions.names.push(format!("{fact}{}", if is_void { VOID } else { "" }));
        propositions.has_other_steps |= *running != ThreadId::MAIN;
        #[cfg(feature = "debug")]
        if kind == Kind::PulseProp {
            propositions.pulsed = Some(fact.clone());
        }
        // A void change would be one if it came before the step that made it void.
        step.read_only = !is_change && !is_void;
        step.affects_outcome |= is_change && propositions.formulas_that_mention(&fact) != 0;
        if is_change && !conditions.is_body_over {
            let change = match kind {
                Kind::SetProp => Recorded::Set(fact),
                Kind::ReleaseProp => Recorded::Release(fact),
                _ => Recorded::Pulse(fact),
            };
            propositions.recorded.push((propositions.names.len() - 1, change));
        }
    }

    /// A formula is judged from now on, when the running thread is chosen.
    pub(crate) fn check_formula(
        &self,
        name: &str,
        property: Arc<Property<Fact>>,
        place: &'static Location<'static>,
    ) {
        self.ask_for_holds(name, &property);
        let action = Action { footprint: Footprint::ANY, ..Action::new(Kind::CheckFormula) };
        self.visible(Pending::new(action, Site::Rust(place)));
        let state = &mut *self.state.borrow_mut();
        let State { propositions, step, conditions, threads, running, .. } = state;
        propositions.names.push(format!("`{name}`"));
        propositions.has_other_steps |= *running != ThreadId::MAIN;
        propositions.formulas.push(property.clone());
        step.affects_outcome = true;
        // Changes that are announced may be mentioned by the new formula.
        for (thread, fact) in &propositions.announced {
            threads[*thread].pending.action.footprint.writes = propositions.formulas_that_mention(fact);
        }
        if !conditions.is_body_over {
            let check = Recorded::Check(name.into(), property);
            propositions.recorded.push((propositions.names.len() - 1, check));
        }
    }
}
