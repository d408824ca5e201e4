//! A run under a domain, followed with concrete values.
//!
//! A concrete run follows an abstract one if the same processes take the same steps in the same order, with
//! values for which the abstract ones stand: v stands for w if v is at most as precise as the abstraction of
//! w (Huch, 2001, Definition 7). [`Followed`] is the system of the concrete runs that do so: its states are
//! concrete states with the place in the abstract run, so that the searches of `selvedge-model` decide
//! whether one of them shows what the abstract run shows.
//!
//! A proposition that the domain leaves open may be none for the concrete value. So a concrete run may leave
//! out the steps of a `prop`. A concrete run that ends earlier than the abstract one is a run, too. A state
//! from which no step follows is cut off, and no end.

use super::system::{Action, Machine};
use selvedge_ltl::Letter;
use selvedge_model::system::Cut;
use selvedge_model::{Counterexample, ProcessId, States, Steps, System, Word};

/// The concrete runs that follow an abstract run.
pub(super) struct Followed<'a> {
    concrete: &'a Machine,
    abstracted: &'a Machine,
    /// The steps of the prefix, then those of the cycle; steps that change nothing are left out.
    steps: Vec<Action>,
    /// The first step of the cycle; `None` if the run ends after its last step.
    cycle_start: Option<usize>,
}

impl<'a> Followed<'a> {
    pub(super) fn new(
        concrete: &'a Machine,
        abstracted: &'a Machine,
        run: &Counterexample<Action>,
    ) -> Followed<'a> {
        let moves = |steps: &[selvedge_model::Step<Action>]| {
            let actions = steps.iter().filter_map(|step| step.action);
            actions.filter(|action| !abstracted.is_stutter(*action)).collect::<Vec<_>>()
        };
        let (prefix, cycle) = (moves(&run.prefix), moves(&run.cycle));
        let cycle_start = (!cycle.is_empty()).then_some(prefix.len());
        Followed { concrete, abstracted, steps: [prefix, cycle].concat(), cycle_start }
    }

    /// Was a step of the concrete runs cut off by a bound of the language?
    pub(super) fn is_limited(&self) -> bool {
        self.concrete.first_cut().is_some()
    }

    /// The place after a step.
    fn after(&self, place: usize) -> usize {
        match self.cycle_start {
            Some(start) if place + 1 == self.steps.len() => start,
            _ => place + 1,
        }
    }

    /// The places of the steps that can be next: some steps may be left out.
    fn next_places(&self, place: usize) -> Vec<usize> {
        let mut places = Vec::new();
        let mut place = place;
        while place < self.steps.len() && !places.contains(&place) {
            places.push(place);
            if !self.abstracted.is_proposition(self.steps[place]) {
                break;
            }
            place = self.after(place);
        }
        places
    }
}

impl System for Followed<'_> {
    type Action = Action;

    fn words(&self) -> usize {
        2
    }

    fn processes(&self) -> usize {
        self.concrete.processes()
    }

    fn initial(&self, out: &mut States) {
        let mut states = States::new(1);
        self.concrete.initial(&mut states);
        states.iter().for_each(|state| out.push(&[state[0], 0]));
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Action>) {
        let mut steps = Steps::new(1);
        self.concrete.successors(&state[..1], &mut steps);
        let places = self.next_places(state[1] as usize);
        for (action, next) in steps.iter() {
            for place in &places {
                if self.abstracted.stands_for(self.steps[*place], self.concrete, action) {
                    out.push(action, &[next[0], self.after(*place) as Word]);
                }
            }
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.concrete.label(&state[..1])
    }

    fn process(&self, action: Action) -> Option<ProcessId> {
        self.concrete.process(action)
    }

    fn certainly_enabled(&self, state: &[Word], _steps: &Steps<Action>) -> u64 {
        let mut steps = Steps::new(1);
        self.concrete.successors(&state[..1], &mut steps);
        self.concrete.certainly_enabled(&state[..1], &steps)
    }

    fn first_cut(&self) -> Option<Cut> {
        let text = "a concrete run does not follow the abstract one".to_owned();
        Some(Cut { bound: "replay", file: None, line: None, text })
    }

    fn is_cut(&self, state: &[Word]) -> bool {
        let mut steps = Steps::new(1);
        self.concrete.successors(&state[..1], &mut steps);
        !steps.is_empty() || self.concrete.is_cut(&state[..1])
    }

    fn table_bytes(&self) -> usize {
        self.concrete.table_bytes()
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.concrete.is_end(&state[..1])
    }

    fn is_idle(&self, state: &[Word]) -> bool {
        self.concrete.is_idle(&state[..1])
    }

    fn crash(&self, action: Action) -> Option<String> {
        self.concrete.crash(action)
    }

    fn waits_for_ever(&self, state: &[Word]) -> Vec<(String, String)> {
        self.concrete.waits_for_ever(&state[..1])
    }

    fn process_name(&self, process: ProcessId) -> String {
        self.concrete.process_name(process)
    }

    fn describe(&self, action: Action) -> String {
        self.concrete.describe(action)
    }

    fn source_line(&self, action: Action) -> Option<usize> {
        self.concrete.source_line(action)
    }

    fn source_file(&self, action: Action) -> Option<String> {
        self.concrete.source_file(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.concrete.show(&state[..1])
    }

    fn waiting(&self, state: &[Word]) -> Vec<(String, String)> {
        self.concrete.waiting(&state[..1])
    }
}
