//! Generated programs with channels: the machine against the naive interpreter, reduced against whole, one
//! worker against two, and verdicts against SPIN's.

use crate::common::generate::Random;
use crate::common::interpreter::{Processes, State, explore_naively};
use crate::common::messages::{Drawn, message_program, message_proposition};
use crate::common::promela::Pan;
use crate::common::{program, search, system};
use selvedge_lang::{Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{Budget, Steps, System, Verdict};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How many programs are compared; ten times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 600;

/// Programs have at most so many states.
const MOST_STATES: usize = 3000;

fn programs(count: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 10 * count } else { count }
}

/// The values of the states in which runs end, the errors aside; whether these are no deadlocks, and idle.
type Ends = BTreeSet<(Vec<(String, String)>, bool, bool)>;

fn naive_ends(program: &Processes, states: &BTreeSet<State>) -> Ends {
    let ends = states.iter().filter(|state| !state.has_error() && state.successors(program).is_empty());
    ends.map(|state| (state.shown(program), state.is_end(), state.is_end() && !state.has_ended())).collect()
}

/// The messages in the states in which runs end, and whether these are no deadlocks, with the values of dead
/// variables forgotten.
fn final_messages(text: &str) -> BTreeSet<(Vec<String>, bool)> {
    let system = system(text, false);
    let mut steps = Steps::new(system.words());
    let mut all = BTreeSet::new();
    for state in search(&system, 10 * MOST_STATES).states {
        steps.clear();
        system.successors(&state, &mut steps);
        if steps.is_empty() && system.error(&state).is_none() {
            all.insert((messages(system.show(&state)), system.is_end(&state)));
        }
    }
    all
}

/// The values that are lists of messages.
fn messages(shown: Vec<(String, String)>) -> Vec<String> {
    shown.into_iter().map(|(_, value)| value).filter(|value| value.starts_with('[')).collect()
}

fn ends(text: &str, program: &Processes) -> (Ends, usize, usize, usize) {
    let system = system(text, true);
    let space = search(&system, 10 * MOST_STATES);
    let names: Vec<String> =
        State::initial(program).shown(program).into_iter().map(|(name, _)| name).collect();
    let mut steps = Steps::new(system.words());
    let (mut ends, mut errors) = (Ends::new(), 0);
    for state in &space.states {
        if system.error(state).is_some() {
            errors += 1;
            continue;
        }
        steps.clear();
        system.successors(state, &mut steps);
        if steps.is_empty() {
            let shown = system.show(state).into_iter().filter(|(name, _)| names.contains(name));
            ends.insert((shown.collect(), system.is_end(state), system.is_idle(state)));
        }
        let is_moving = |process| {
            steps
                .iter()
                .any(|(action, _)| [system.process(action), system.partner(action)].contains(&Some(process)))
        };
        for process in (0..system.processes() as u32).map(selvedge_model::ProcessId) {
            assert_eq!(system.is_enabled(state, process), is_moving(process), "{process:?}\n{text}");
        }
    }
    (ends, space.states.len(), space.transitions, errors)
}

#[test]
fn the_machine_has_the_states_of_a_naive_interpreter() {
    let mut random = Random(51);
    let (mut compared, mut with_errors, mut deadlocked, mut ended, mut idle, mut met) = (0, 0, 0, 0, 0, 0);
    while compared < programs(PROGRAMS) {
        let program = message_program(&mut random, Drawn::Whole);
        let Some((states, transitions)) = explore_naively(&program, MOST_STATES) else { continue };
        let text = program.selvedge();
        let expected = naive_ends(&program, &states);
        let errors = states.iter().filter(|state| state.has_error()).count();
        met += usize::from(states.iter().any(|state| state.has_met()));
        with_errors += usize::from(errors > 0);
        deadlocked += usize::from(expected.iter().any(|(_, is_end, _)| !is_end));
        ended += usize::from(expected.iter().any(|(_, is_end, is_idle)| *is_end && !is_idle));
        idle += usize::from(expected.iter().any(|(_, _, is_idle)| *is_idle));
        let final_states = expected.iter().map(|(shown, is_end, _)| (messages(shown.clone()), *is_end));
        assert_eq!(final_messages(&text), final_states.collect(), "{text}");
        assert_eq!(ends(&text, &program), (expected, states.len(), transitions, errors), "{text}");
        compared += 1;
    }
    let counts = [met, with_errors, deadlocked, ended, idle];
    assert!(counts.iter().all(|count| *count > compared / 25), "{counts:?}");
}

#[test]
fn reduced_and_whole_searches_by_one_and_two_workers_agree() {
    let mut random = Random(52);
    let (mut compared, mut smaller) = (0, 0);
    while compared < programs(PROGRAMS / 2) {
        let drawn = message_program(&mut random, Drawn::Whole);
        if explore_naively(&drawn, MOST_STATES).is_none() {
            continue;
        }
        compared += 1;
        let text = drawn.selvedge();
        let program = program(&text);
        for shape in ["[] (P)", "<> (P)", "[]<> (P)", "[] ((P) -> <> (Q))", "(P) U (Q)"] {
            let [one, other] = [(); 2].map(|()| message_proposition(&mut random)[0].clone());
            let formula = shape.replace('P', &one).replace('Q', &other);
            let unfolded = program.formula(&formula).expect("a formula");
            let mut alphabet = Alphabet::default();
            let numbered = alphabet.number(&unfolded).expect("few propositions");
            let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
            let [whole, reduced, shared] = [(false, 1), (true, 1), (true, 2)].map(|(reduction, workers)| {
                let budget = Budget { workers, ..Budget::default() };
                let options = selvedge_model::Options { reduction, budget, ..Default::default() };
                selvedge_model::check(&system, &numbered, options).expect("an automaton")
            });
            let holds = |verdict: &Verdict<_>| matches!(verdict, Verdict::Holds);
            assert_eq!(holds(&reduced.verdict), holds(&whole.verdict), "{formula}\n{text}");
            assert_eq!(holds(&shared.verdict), holds(&whole.verdict), "two workers: {formula}\n{text}");
            smaller += usize::from(holds(&whole.verdict) && reduced.stats.states < whole.stats.states);
        }
    }
    assert!(smaller > compared / 10, "{smaller} of {compared}");
}

#[test]
fn spin_gives_the_same_verdicts_about_channels() {
    let mut random = Random(53);
    let (mut compared, mut violated) = (0, 0);
    for number in 0..programs(8) {
        let drawn = loop {
            let drawn = message_program(&mut random, Drawn::ForSpin);
            if explore_naively(&drawn, MOST_STATES).is_some_and(|(states, _)| states.len() > 20) {
                break drawn;
            }
        };
        let shapes = ["[] (P)", "<> (P)", "[]<> (P)", "<>[] (P)", "[] ((P) -> <> (Q))", "(P) U (Q)"];
        let formulas: Vec<[String; 2]> = shapes
            .iter()
            .map(|shape| {
                let [one, other] = [(); 2].map(|()| message_proposition(&mut random));
                [0, 1].map(|tool| shape.replace('P', &one[tool]).replace('Q', &other[tool]))
            })
            .collect();
        let for_spin: Vec<String> = formulas.iter().map(|[_, formula]| formula.clone()).collect();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("channels-{number}"));
        let pan = Pan::new(folder, &drawn.promela(&for_spin));
        let text = drawn.selvedge();
        let program = program(&text);
        for (index, [formula, _]) in formulas.iter().enumerate() {
            let unfolded = program.formula(formula).expect("a formula");
            let mut alphabet = Alphabet::default();
            let numbered = alphabet.number(&unfolded).expect("few propositions");
            let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
            let checked = selvedge_model::check(&system, &numbered, selvedge_model::Options::default());
            let ours = matches!(checked.expect("an automaton").verdict, Verdict::Holds);
            assert_eq!(pan.holds(index, false), Some(ours), "{formula}\n{text}");
            compared += 1;
            violated += usize::from(!ours);
        }
    }
    assert!(violated > compared / 5 && violated < compared, "{violated} of {compared}");
}
