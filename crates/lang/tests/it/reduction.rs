//! Reduced against unreduced, on generated programs of the whole language.
//!
//! First the results: the same verdict on every formula, the same deadlocked states, the same errors. Then
//! the promise itself (`selvedge_model::reduce`), state by state and by brute force: the chosen steps
//! commute with every sequence of the other steps, and every cycle has a state with all its steps.

use crate::common::generate::Random;
use crate::common::program;
use crate::common::rich::{rich_formula, rich_program};
use selvedge_lang::machine::{EdgeId, Machine};
use selvedge_lang::{Atom, GraphProgram, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{Fairness, Order, Preserve, ProcessId, Reduced, Steps, System, Verdict, Word, explore};
use std::collections::{BTreeMap, BTreeSet};

type State = Vec<Word>;

/// How many programs are compared; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 1200;

/// How many formulas are checked of each program.
const FORMULAS: usize = 8;

/// Programs have at most so many states.
const MOST_STATES: usize = 1200;

fn programs() -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 20 * PROGRAMS } else { PROGRAMS }
}

/// A program that is not too large, and its text.
fn generated(random: &mut Random) -> (GraphProgram, String) {
    loop {
        let text = rich_program(random);
        let program = program(&text);
        let system = program.system(&[], SystemOptions::default()).expect("a system");
        if states(&system).is_some() {
            return (program, text);
        }
    }
}

/// The system with a formula's propositions; and the formula, numbered.
fn system_for(
    program: &GraphProgram,
    text: &str,
    exact: bool,
) -> (Machine, selvedge_ltl::Formula<selvedge_ltl::Prop>) {
    let formula = program.formula(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let mut alphabet: Alphabet<Atom> = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    (
        program
            .system(alphabet.names(), SystemOptions { exact, ..SystemOptions::default() })
            .expect("a system"),
        numbered,
    )
}

/// All states, if they are not too many.
fn states<S: System>(system: &S) -> Option<Vec<State>> {
    let limits = selvedge_model::Limits { states: Some(MOST_STATES), ..Default::default() };
    let budget = selvedge_model::Budget { limits, ..Default::default() };
    let found = explore(system, Order::BreadthFirst, budget, &mut ());
    let is_whole = found.end == selvedge_model::End::Complete;
    is_whole.then(|| found.states.iter().map(|state| state.to_vec()).collect())
}

/// The steps in a state.
fn steps<S: System>(system: &S, state: &[Word]) -> Vec<(S::Action, State)> {
    let mut steps = Steps::new(system.words());
    system.successors(state, &mut steps);
    steps.iter().map(|(action, target)| (action, target.to_vec())).collect()
}

/// Deadlocked and ended states, and run-time errors.
fn ends<S: System>(system: &S) -> (BTreeSet<State>, BTreeSet<String>) {
    let all = states(system).expect("not too many");
    let stuck: Vec<State> = all.into_iter().filter(|state| steps(system, state).is_empty()).collect();
    let errors = stuck.iter().filter_map(|state| system.error(state)).collect();
    (stuck.into_iter().filter(|state| system.error(state).is_none()).collect(), errors)
}

fn kind<A>(verdict: &Verdict<A>) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::MayBeViolated(_) => "may be violated",
        Verdict::Limit(_) => "limit",
    }
}

#[test]
fn the_reduction_keeps_verdicts() {
    let mut random = Random(41);
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut smaller = 0;
    for number in 0..programs() {
        let (program, text) = generated(&mut random);
        for index in 0..FORMULAS {
            let depth = 1 + random.below(3);
            let formula = rich_formula(&mut random, depth);
            // Every third formula is an invariant, which another search decides.
            let formula =
                if index % 3 == 0 { format!("[] ({})", rich_formula(&mut random, 0)) } else { formula };
            let (system, numbered) = system_for(&program, &formula, number % 4 == 0);
            let [reduced, whole] = [true, false].map(|reduction| {
                let options = selvedge_model::Options { reduction, ..Default::default() };
                selvedge_model::check(&system, &numbered, options).expect("a small automaton")
            });
            assert_eq!(kind(&reduced.verdict), kind(&whole.verdict), "{formula}\n{text}");
            *verdicts.entry(kind(&whole.verdict)).or_default() += 1;
            let is_smaller = whole.verdict == Verdict::Holds && reduced.stats.states < whole.stats.states;
            smaller += usize::from(is_smaller);
        }
    }
    let count = programs() * FORMULAS;
    assert!(verdicts["holds"] > count / 5 && verdicts["violated"] > count / 5, "{verdicts:?}");
    assert!(verdicts["may be violated"] > count / 500, "{verdicts:?}");
    assert!(smaller > verdicts["holds"] / 4, "{smaller} of {verdicts:?}");
}

#[test]
fn the_reduction_keeps_verdicts_on_fair_runs() {
    let mut random = Random(44);
    let mut verdicts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let (mut smaller, mut different) = (0, 0);
    for _ in 0..programs() / 2 {
        let (program, text) = generated(&mut random);
        for _ in 0..FORMULAS / 2 {
            let depth = 1 + random.below(3);
            let formula = rich_formula(&mut random, depth);
            let formula = if random.below(2) == 0 { format!("[]<> ({formula})") } else { formula };
            let (system, numbered) = system_for(&program, &formula, false);
            let kinds = [Fairness::None, Fairness::Weak, Fairness::Strong].map(|fairness| {
                let [reduced, whole] = [true, false].map(|reduction| {
                    let options = selvedge_model::Options { fairness, reduction, ..Default::default() };
                    selvedge_model::check(&system, &numbered, options).expect("a small automaton")
                });
                let kinds = [&reduced, &whole].map(|report| kind(&report.verdict));
                assert_eq!(kinds[0], kinds[1], "{fairness:?} {formula}\n{text}");
                *verdicts.entry((format!("{fairness:?}"), kinds[1])).or_default() += 1;
                let is_fair = fairness != Fairness::None;
                let is_smaller = reduced.stats.states < whole.stats.states;
                smaller += usize::from(is_fair && whole.verdict == Verdict::Holds && is_smaller);
                kinds[1]
            });
            different += usize::from(kinds[0] != kinds[2]);
        }
    }
    let count = programs() * FORMULAS / 4;
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let counts = ["holds", "violated"].map(|kind| verdicts[&(format!("{fairness:?}"), kind)]);
        assert!(counts.iter().all(|found| *found > count / 6), "{verdicts:?}");
    }
    assert!(smaller > count / 5 && different > count / 300, "{smaller} {different} {verdicts:?}");
}

#[test]
fn the_reduction_keeps_deadlocked_states_and_errors() {
    let mut random = Random(42);
    let (mut with_deadlocks, mut with_errors, mut with_several, mut smaller) = (0, 0, 0, 0);
    for _ in 0..programs() {
        let (program, text) = generated(&mut random);
        let system = program.system(&[], SystemOptions::default()).expect("a system");
        let whole = ends(&system);
        for preserve in [Preserve::Runs, Preserve::States, Preserve::FairRuns] {
            let reduced = ends(&Reduced::new(&system, preserve));
            assert_eq!(reduced, whole, "{preserve:?}\n{text}");
        }
        let reduced = states(&Reduced::new(&system, Preserve::States)).expect("not too many");
        smaller += usize::from(reduced.len() < states(&system).expect("not too many").len());
        with_deadlocks += usize::from(!whole.0.is_empty());
        with_errors += usize::from(!whole.1.is_empty());
        with_several += usize::from(whole.1.len() > 1);
    }
    let counts = (with_deadlocks, with_errors, with_several, smaller);
    assert!(with_deadlocks > programs() / 4 && with_errors > programs() / 24, "{counts:?}");
    assert!(with_several > programs() / 60 && smaller > programs() / 2, "{counts:?}");
}

/// At most so many states are validated from each state.
const MOST_VALIDATED: usize = 60;

/// The chosen steps of a state, validated by brute force.
struct Chosen<'a> {
    system: &'a Machine,
    preserve: Preserve,
    steps: BTreeSet<u32>,
    processes: BTreeSet<ProcessId>,
}

impl Chosen<'_> {
    /// The states that an edge leads to.
    fn after(&self, state: &[Word], edge: EdgeId) -> BTreeSet<State> {
        let matching = steps(self.system, state).into_iter().filter(|(action, _)| *action == edge);
        matching.map(|(_, target)| target).collect()
    }

    fn is_idle(&self, state: &State, target: &State) -> bool {
        self.preserve == Preserve::States && state == target
    }

    /// Panics unless each chosen step is enabled, changes no label and leads to no error; and processes that
    /// have chosen steps have no other steps.
    fn validate_here(&self, state: &State) {
        for edge in &self.steps {
            let after = self.after(state, EdgeId(*edge));
            assert!(!after.is_empty(), "a chosen step is disabled");
            for target in &after {
                assert_eq!(self.system.label(state), self.system.label(target), "a chosen step is visible");
                assert_eq!(self.system.error(target), None, "a chosen step is an error");
                if self.preserve == Preserve::FairRuns {
                    self.validate_enabled(state, target, self.system.process(EdgeId(*edge)));
                }
            }
        }
        for (action, target) in steps(self.system, state) {
            let is_new = self.system.process(action).is_some_and(|process| self.processes.contains(&process))
                && !self.steps.contains(&action.0);
            assert!(!is_new || self.is_idle(state, &target), "a process with chosen steps has another step");
        }
    }

    /// Panics if a step changes whether another process is enabled.
    fn validate_enabled(&self, state: &State, target: &State, mover: Option<ProcessId>) {
        let all = (0..self.system.processes() as u32).map(ProcessId);
        for process in all.filter(|process| Some(*process) != mover) {
            let [before, after] = [state, target].map(|state| self.system.is_enabled(state, process));
            assert_eq!(before, after, "a chosen step blocks or wakes {process:?}");
        }
    }

    /// Panics unless the chosen steps commute with another.
    fn validate_order(&self, state: &State, other: EdgeId) {
        for edge in self.steps.iter().map(|edge| EdgeId(*edge)) {
            let other_first: BTreeSet<State> =
                self.after(state, other).iter().flat_map(|target| self.after(target, edge)).collect();
            let chosen_first: BTreeSet<State> =
                self.after(state, edge).iter().flat_map(|target| self.after(target, other)).collect();
            let errors = |states: &BTreeSet<State>| -> BTreeSet<String> {
                states.iter().filter_map(|state| self.system.error(state)).collect()
            };
            // An error ends a run, so it has to be reachable after the chosen step too.
            assert_eq!(
                errors(&self.after(state, other)),
                errors(&chosen_first),
                "the chosen step changes the errors"
            );
            let without_error: BTreeSet<State> =
                chosen_first.into_iter().filter(|state| self.system.error(state).is_none()).collect();
            assert_eq!(other_first, without_error, "a chosen step does not commute");
        }
    }

    /// Validates this state and those that are reached by steps that were not chosen.
    fn validate(&self, state: &State) {
        let mut seen = BTreeSet::from([state.clone()]);
        let mut todo = vec![state.clone()];
        while let Some(state) = todo.pop() {
            self.validate_here(&state);
            for (action, target) in steps(self.system, &state) {
                if self.steps.contains(&action.0) || self.is_idle(&state, &target) {
                    continue;
                }
                self.validate_order(&state, action);
                let has_no_error = self.system.error(&target).is_none();
                if has_no_error && seen.len() < MOST_VALIDATED && seen.insert(target.clone()) {
                    todo.push(target);
                }
            }
        }
    }
}

/// Validates every state of the reduced system; returns how many have fewer steps.
fn validate(system: &Machine, preserve: Preserve) -> usize {
    let reduced = Reduced::new(system, preserve);
    let mut fewer = BTreeSet::new();
    for state in states(&reduced).expect("not too many") {
        let [reduced_steps, all] = [steps(&reduced, &state), steps(system, &state)];
        assert!(
            reduced_steps.iter().all(|step| all.contains(step)),
            "a reduced step is not a step of the whole system"
        );
        assert_eq!(
            reduced_steps.is_empty(),
            all.is_empty(),
            "the reduced system has no step, the whole system has"
        );
        let changing = all.iter().filter(|(_, target)| preserve != Preserve::States || *target != state);
        if changing.clone().all(|step| reduced_steps.contains(step)) {
            continue;
        }
        let steps = reduced_steps.iter().map(|(action, _)| action.0).collect();
        let processes = reduced_steps.iter().filter_map(|(action, _)| system.process(*action)).collect();
        Chosen { system, preserve, steps, processes }.validate(&state);
        fewer.insert(state);
    }
    let mut left = fewer.clone();
    // A state with fewer steps that leads only to removed states is on no cycle of such states, and is
    // removed.
    loop {
        let is_last = |state: &State| !steps(&reduced, state).iter().any(|(_, target)| left.contains(target));
        let last: Vec<State> = left.iter().filter(|state| is_last(state)).cloned().collect();
        if last.is_empty() {
            break;
        }
        last.iter().for_each(|state| assert!(left.remove(state)));
    }
    assert!(left.is_empty(), "a cycle without a state with all its steps");
    fewer.len()
}

#[test]
fn the_chosen_steps_are_ample_by_brute_force() {
    let mut random = Random(43);
    let mut fewer = 0;
    for _ in 0..programs() / 3 {
        let (program, text) = generated(&mut random);
        let formula = format!("[] ({})", rich_formula(&mut random, 2));
        let (system, _) = system_for(&program, &formula, false);
        if states(&system).is_none() {
            continue;
        }
        for preserve in [Preserve::Runs, Preserve::States, Preserve::FairRuns] {
            let checked = std::panic::catch_unwind(|| validate(&system, preserve));
            fewer += checked.unwrap_or_else(|_| panic!("{preserve:?} {formula}\n{text}"));
        }
    }
    assert!(fewer > 2 * programs(), "{fewer}");
}
