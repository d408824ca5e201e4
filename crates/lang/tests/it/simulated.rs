//! Simulations against searches: on the models every simulated state is reachable, and a simulation finds no
//! violation of a property that holds, here and on generated programs.

use crate::common::formulas::{self, Operators};
use crate::common::generate::{Random, generate};
use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{Mixed, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_lang::{Atom, Expect, GraphProgram, Program, SystemOptions, flow, parallel};
use selvedge_ltl::source::Source;
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{Budget, End, Fairness, Limits, Order, SimulationOptions, explore, simulate};

/// Models with more states than this are not searched to the end here.
const MAX_STATES: usize = 100_000;

/// The models that have more.
const TOO_LARGE: [&str; 1] = ["thread-game.par"];

/// How many programs with formulas are compared; twenty times as many if `SELVEDGE_LONG` is set.
fn cases() -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 40_000 } else { 2000 }
}

fn plan(max_steps: usize, fairness: Fairness) -> SimulationOptions<'static> {
    SimulationOptions { max_steps, fairness, ..SimulationOptions::default() }
}

fn schedulers(seed: u64, runs: u64) -> [Box<dyn Scheduler>; 6] {
    [
        Box::new(Uniform::new(seed, runs)),
        Box::new(Mixed::new(seed, runs)),
        Box::new(Pct::new(3, seed, runs)),
        Box::new(Swarm::new(seed, runs)),
        Box::new(Pos::new(seed, runs)),
        Box::new(RoundRobin::new()),
    ]
}

/// The formulas over numbered propositions, and their alphabet.
fn numbered<'f>(formulas: impl Iterator<Item = &'f Formula<Atom>>) -> (Vec<Formula<Prop>>, Alphabet<Atom>) {
    let mut alphabet = Alphabet::default();
    let numbered = formulas.map(|formula| alphabet.number(formula).expect("few propositions"));
    (numbered.collect(), alphabet)
}

/// All models: their names and programs.
fn models() -> Vec<(String, GraphProgram)> {
    let folder = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(folder).expect("the models").map(|entry| {
        let name = entry.expect("an entry").file_name().into_string();
        name.expect("UTF-8")
    });
    let mut models: Vec<(String, GraphProgram)> = names
        .filter(|name| name.ends_with(".par") || name.ends_with(".flow"))
        .map(|name| {
            let source = Source::new(&*name, crate::common::model(&name));
            let is_flow = name.ends_with(".flow");
            let (program, _) = if is_flow { flow::parse(&source) } else { parallel::parse(&source) };
            (name, program.expect("a program"))
        })
        .collect();
    models.sort_by(|a, b| a.0.cmp(&b.0));
    models
}

#[test]
fn simulated_states_of_a_model_are_reachable_and_violations_are_expected() {
    let models = models();
    assert!(models.len() >= 18, "{} models", models.len());
    let mut too_large = Vec::new();
    let mut violated = 0;
    for (name, program) in &models {
        let properties = program.properties();
        let (formulas, alphabet) = numbered(properties.iter().map(|property| &property.formula));
        let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
        let limits = Limits { states: Some(MAX_STATES), ..Limits::default() };
        let known = explore(&system, Order::BreadthFirst, Budget { limits, ..Budget::default() }, &mut ());
        if known.end != End::Complete {
            too_large.push(name.as_str());
        }
        for mut scheduler in schedulers(1, 5) {
            let simulation = simulate(&system, &formulas, &mut *scheduler, plan(300, Fairness::None))
                .expect("no fairness, no limit on processes");
            if known.end == End::Complete {
                assert!(simulation.states.iter().all(|state| known.states.find(state).is_some()), "{name}");
            }
            for (property, violation) in properties.iter().zip(&simulation.violations) {
                let is_expected = property.expect == Some(Expect::Violated);
                assert!(violation.is_none() || is_expected, "{name}: {}", property.name);
                violated += usize::from(violation.is_some());
            }
        }
    }
    assert_eq!(too_large, TOO_LARGE);
    assert!(violated > 50, "{violated} violations were found");
}

#[test]
fn the_checker_finds_every_violation_that_a_simulation_finds() {
    let mut random = Random(41);
    let (mut violated, mut found) = (0, 0);
    for seed in 0..cases() {
        let generated = generate(&mut random, seed % 2 == 0);
        let program = crate::common::program(&generated.selvedge());
        let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][random.index(3)];
        let random_formulas: Vec<_> =
            (0..3).map(|_| formulas::formula(&mut random, &generated, Operators::All, 3)).collect();
        let texts = random_formulas.iter().map(|formula| program.formula(&formulas::selvedge(formula)));
        let texts: Vec<_> = texts.map(|formula| formula.expect("a formula")).collect();
        let (numbers, alphabet) = numbered(texts.iter());
        let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
        let mut scheduler = schedulers(seed, 5).into_iter().nth(random.index(6)).expect("one of six");
        let simulation =
            simulate(&system, &numbers, &mut *scheduler, plan(60, fairness)).expect("few processes");
        for (formula, violation) in random_formulas.iter().zip(&simulation.violations) {
            let holds = formulas::holds(&program, formula, false, fairness);
            let text = || format!("{}\n{} {fairness:?}", generated.selvedge(), formulas::selvedge(formula));
            assert!(!holds || violation.is_none(), "{}", text());
            violated += usize::from(!holds);
            found += usize::from(violation.is_some());
        }
    }
    let total = 3 * cases() as usize;
    assert!(violated > total / 4 && violated < total * 3 / 4, "{violated} of {total} are violated");
    assert!(found * 10 > violated * 6, "{found} of {violated} violations were found");
}
