//! All distinct runs against all states: programs that end have the same final states by DPOR, by all
//! interleavings, and by the search.

use crate::common::ending::ending_program;
use crate::common::generate::Random;
use crate::common::program;
use crate::common::rich::rich_program;
use crate::common::sleep::SleepSets;
use selvedge_explore::schedulers::{Dpor, Exhaustive};
use selvedge_explore::{Next, RunEnd, Scheduler, Stepper, Trace, run};
use selvedge_lang::machine::Machine;
use selvedge_lang::{Program, SystemOptions};
use selvedge_model::{Simulation, SimulationOptions, Steps, System, Walk, Word, simulate};
use std::collections::{BTreeMap, BTreeSet};

type State = Vec<Word>;

/// How many programs are compared; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 1500;

/// Programs have at most so many states.
const MOST_STATES: usize = 10_000;

/// Programs with more distinct runs are left out.
const MOST_RUNS: u64 = 3000;

/// All interleavings are run if there are at most so many.
const MOST_UNREDUCED: u64 = 1000;

fn programs() -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 20 * PROGRAMS } else { PROGRAMS }
}

/// The states in which runs end, run-time errors, and the states in which runs only idle.
#[derive(Debug, PartialEq, Eq, Default)]
struct Ends {
    ends: BTreeSet<State>,
    errors: BTreeSet<String>,
    idle: BTreeSet<State>,
}

/// The ends that a search finds; `None` if there are too many states, or runs need not end.
fn ends_by_search(system: &Machine) -> Option<Ends> {
    let mut ends = Ends::default();
    let mut initial = selvedge_model::States::new(system.words());
    system.initial(&mut initial);
    // Whether the search below a state is finished; a state that is reached again before that is on a cycle.
    let mut is_finished: BTreeMap<State, bool> = BTreeMap::new();
    let mut todo: Vec<(State, bool)> = initial.iter().map(|state| (state.to_vec(), false)).collect();
    let mut steps = Steps::new(system.words());
    while let Some((state, is_back)) = todo.pop() {
        match is_finished.get(&state) {
            _ if is_back => {
                is_finished.insert(state, true);
                continue;
            }
            Some(true) => continue,
            Some(false) => return None,
            None => is_finished.insert(state.clone(), false),
        };
        if is_finished.len() > MOST_STATES {
            return None;
        }
        steps.clear();
        system.successors(&state, &mut steps);
        let next: Vec<(State, bool)> =
            steps.iter().filter(|(_, next)| *next != state).map(|(_, next)| (next.to_vec(), false)).collect();
        if let Some(error) = system.error(&state) {
            ends.errors.insert(error);
        } else if next.is_empty() {
            let set = if steps.is_empty() { &mut ends.ends } else { &mut ends.idle };
            set.insert(state.clone());
        }
        todo.push((state, true));
        todo.extend(next);
    }
    Some(ends)
}

/// The ends of the scheduler's runs, and how many runs there were; `None` if there are too many.
fn ends_by_runs(system: &Machine, scheduler: &mut dyn Scheduler, most: u64) -> Option<(Ends, u64)> {
    let (mut walk, mut trace) = (Walk::to_ends(system), Trace::default());
    let (mut ends, mut runs) = (Ends::default(), 0);
    loop {
        walk.restart();
        match run(&mut walk, scheduler, MOST_STATES, &mut trace) {
            RunEnd::StepLimit => panic!("a run that goes through more states than there are"),
            RunEnd::GivenUp => {}
            RunEnd::Finished => {
                runs += 1;
                let path = walk.run().expect("a run");
                let state = path.prefix.last().expect("a state").state.to_vec();
                let set = if walk.is_idle() { &mut ends.idle } else { &mut ends.ends };
                if !path.cycle.is_empty() {
                    set.insert(state);
                }
                ends.errors.extend(walk.failures().filter_map(|run| system.error(&run.prefix.last()?.state)));
            }
        }
        if scheduler.finish(&trace) == Next::Done {
            return Some((ends, runs));
        }
        if runs > most {
            return None;
        }
    }
}

fn systematic(system: &Machine, max_runs: u64) -> Simulation<<Machine as System>::Action> {
    let plan = SimulationOptions {
        max_steps: MOST_STATES,
        max_runs,
        is_to_ends: true,
        ..SimulationOptions::default()
    };
    simulate(system, &[], &mut Dpor::new(), plan).expect("no fairness, no limit on processes")
}

fn states<A>(simulation: &Simulation<A>) -> BTreeSet<State> {
    simulation.ends.iter().map(<[Word]>::to_vec).collect()
}

/// The result of comparing a program.
#[derive(Debug, Default)]
struct Compared {
    programs: usize,
    /// There were too many runs.
    left_out: usize,
    /// All runs were made.
    unreduced: usize,
    fewer: usize,
    runs: u64,
    sleep_set_blocked: u64,
    infeasible_reversals: u64,
    ends: usize,
    deadlocks: usize,
    errors: usize,
    idle: usize,
}

impl Compared {
    fn compare(&mut self, text: &str) {
        let system = program(text).system(&[], SystemOptions::default()).expect("a system");
        let Some(expected) = ends_by_search(&system) else { return };
        let mut dpor = Dpor::new();
        let Some((ends, runs)) = ends_by_runs(&system, &mut dpor, MOST_RUNS) else {
            self.left_out += 1;
            return;
        };
        assert_eq!(ends, expected, "{text}");
        self.programs += 1;
        self.runs += runs;
        let figures = dpor.figures();
        assert_eq!(figures.runs, runs, "{text}");
        let traces = ends_by_runs(&system, &mut SleepSets::default(), u64::MAX).map(|(_, traces)| traces);
        assert_eq!(Some(runs), traces, "one run for each trace: {text}");
        self.sleep_set_blocked += figures.sleep_set_blocked;
        self.infeasible_reversals += figures.infeasible_reversals;
        let simulation = systematic(&system, u64::MAX);
        assert!(simulation.is_complete(), "{text}");
        assert_eq!(simulation.runs, runs, "{text}");
        assert_eq!(states(&simulation), expected.ends, "{text}");
        let errors: BTreeSet<String> = simulation.failures.iter().map(|(error, _)| error.clone()).collect();
        assert_eq!(errors, expected.errors, "{text}");
        if let Some((all, unreduced)) = ends_by_runs(&system, &mut Exhaustive::new(), MOST_UNREDUCED) {
            assert_eq!(all, expected, "{text}");
            assert!(runs <= unreduced, "{runs} runs of {unreduced}: {text}");
            self.unreduced += 1;
            self.fewer += usize::from(runs < unreduced);
        }
        self.ends += expected.ends.len();
        self.deadlocks += expected.ends.iter().filter(|state| !system.is_end(state)).count();
        self.errors += expected.errors.len();
        self.idle += expected.idle.len();
    }
}

#[test]
fn dpor_finds_the_final_states_of_programs_that_end() {
    let mut random = Random(51);
    let mut compared = Compared::default();
    while compared.programs < programs() {
        compared.compare(&ending_program(&mut random));
    }
    let Compared { programs, left_out, unreduced, fewer, ends, deadlocks, errors, idle, .. } = compared;
    assert!(
        left_out < programs / 100 && unreduced > programs * 9 / 10 && fewer > programs / 2,
        "{compared:?}"
    );
    assert!(ends > 2 * programs && deadlocks > programs && errors > programs / 4, "{compared:?}");
    assert!(idle > programs / 5, "{compared:?}");
}

/// Has the program a loop inside of `atomic`? It may iterate a hundred thousand times in each step.
fn loops_in_atomic(text: &str) -> bool {
    text.split("atomic ")
        .skip(1)
        .any(|rest| rest.split(" end").next().is_some_and(|body| body.contains("while")))
}

#[test]
fn dpor_finds_the_final_states_of_programs_of_the_whole_language() {
    let mut random = Random(52);
    let mut compared = Compared::default();
    while compared.programs < programs() / 4 {
        let text = rich_program(&mut random);
        if !loops_in_atomic(&text) {
            compared.compare(&text);
        }
    }
    // Programs with channels of capacity 0 have all their interleavings run.
    assert!(compared.left_out < compared.programs / 20, "{compared:?}");
    assert!(
        compared.errors > compared.programs / 5 && compared.deadlocks > compared.programs / 2,
        "{compared:?}"
    );
}

#[test]
fn a_process_that_waits_for_two_variables_can_move_before_both_are_written() {
    let mut compared = Compared::default();
    compared.compare(
        "memory x = null, y = null; channel c[1];\nprocess 1: receive c, x; y := 2\nprocess 2: send c, null; x := 1\n\
         process 3: x := 1; await x = y",
    );
    assert_eq!(compared.programs, 1);
}

#[test]
fn dpor_finds_the_final_states_of_models_that_end() {
    let smaller = crate::common::model("leader-election.par").replace("const N = 4", "const N = 3");
    let texts = [crate::common::model("two-phase-commit.par"), crate::common::model("pipeline.par"), smaller];
    let ends = texts.map(|text| {
        let system = program(&text).system(&[], SystemOptions::default()).expect("a system");
        let expected = ends_by_search(&system).expect("runs that end");
        let simulation = systematic(&system, u64::MAX);
        assert!(simulation.is_complete() && simulation.failures.is_empty() && simulation.idle == 0, "{text}");
        assert_eq!(states(&simulation), expected.ends, "{text}");
        (simulation.runs, simulation.ends.len())
    });
    assert_eq!(ends, [(1032, 12), (24, 1), (2016, 1)]);
}

#[test]
fn a_simulation_with_endless_runs_is_cut_and_not_complete() {
    let text = "memory x = 0; process 1: repeat x := 1 - x forever process 2: x := 2";
    let system = program(text).system(&[], SystemOptions::default()).expect("a system");
    let simulation = systematic(&system, 20);
    assert_eq!((simulation.runs, simulation.is_done, simulation.is_complete()), (20, false, false));
    assert!(simulation.cut > 0);
}
