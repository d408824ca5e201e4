//! Systems walked against searched, and footprints against what steps really do.

mod common;

use common::generate::{Random, Statement, generate};
use common::{program, search, system};
use selvedge_explore::schedulers::{Exhaustive, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_explore::{Next, Scheduler, Stepper, Trace, dependent, run};
use selvedge_lang::parallel::ParallelSystem;
use selvedge_model::{Steps, System, Walk, Word};
use std::collections::BTreeSet;

/// The states that walks visit, and those in which they end.
type Visited = (BTreeSet<Vec<Word>>, BTreeSet<Vec<Word>>);

fn walk(
    system: &ParallelSystem,
    scheduler: &mut dyn Scheduler,
    max_steps: usize,
    most: usize,
) -> Option<Visited> {
    let (mut walk, mut trace) = (Walk::new(system), Trace::default());
    let (mut states, mut ends) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..most {
        walk.restart();
        run(&mut walk, scheduler, max_steps, &mut trace);
        states.extend(walk.path().iter().map(|step| step.state.to_vec()));
        if walk.enabled().is_empty() {
            ends.extend(walk.state().map(<[Word]>::to_vec));
        }
        if scheduler.finish(&trace) == Next::Done {
            return Some((states, ends));
        }
    }
    None
}

fn schedulers(seed: u64) -> Vec<Box<dyn Scheduler>> {
    vec![
        Box::new(Uniform::new(seed, 20)),
        Box::new(Pct::new(3, seed, 20)),
        Box::new(Swarm::new(seed, 20).change_points(1)),
        Box::new(Pos::new(seed, 20)),
        Box::new(RoundRobin::new()),
    ]
}

#[test]
fn every_state_of_a_walk_is_one_of_the_search() {
    let mut random = Random(3);
    for seed in 0..100 {
        let system = system(&generate(&mut random, false).selvedge(), false);
        let known: BTreeSet<Vec<Word>> = search(&system, 1_000_000).states.into_iter().collect();
        for mut scheduler in schedulers(seed) {
            let (states, _) = walk(&system, &mut *scheduler, 60, 1000).expect("few runs");
            assert!(states.is_subset(&known));
        }
    }
}

#[test]
fn all_walks_of_a_program_that_ends_visit_exactly_what_the_search_finds() {
    let texts = [
        "memory x = 0; process 1: x := x + 1; x := x * 2 process 2: x := x + 3",
        "memory x = 0, y = 0; process 1: x := 1; if y = 0 then x := 2 else y := 3 fi process 2: y := 1; await x = 2",
        "memory x = 0; channel c[1]; process 1: send c, 1; send c, 2 process 2: receive c, x; x := x + 1",
    ];
    for text in texts {
        assert!(compare_all_walks(text), "{text}");
    }
}

/// All walks against the search; says whether there are few enough to make them all.
#[track_caller]
fn compare_all_walks(text: &str) -> bool {
    let system = system(text, false);
    let Some(all) = walk(&system, &mut Exhaustive::new(), 1000, 20_000) else { return false };
    let searched = search(&system, 10_000).states;
    let mut steps = Steps::new(system.words());
    let ends = searched.iter().filter(|state| {
        steps.clear();
        system.successors(state, &mut steps);
        steps.is_empty()
    });
    let ends: BTreeSet<Vec<Word>> = ends.cloned().collect();
    assert_eq!(all, (searched.into_iter().collect(), ends), "{text}");
    true
}

#[test]
fn all_walks_of_generated_programs_that_end_visit_exactly_what_the_search_finds() {
    let mut random = Random(19);
    let (mut compared, mut too_many) = (0, 0);
    for index in 0..20_000 {
        let program = generate(&mut random, index % 2 == 0);
        let (mut loops, mut statements) = (false, 0);
        program.visit(&mut |statement| {
            statements += 1;
            loops |= matches!(statement, Statement::Looping(_) | Statement::While(..) | Statement::Repeat(_));
        });
        if !loops && statements <= 10 {
            let is_compared = compare_all_walks(&program.selvedge());
            compared += usize::from(is_compared);
            too_many += usize::from(!is_compared);
        }
    }
    assert!(compared > 300 && too_many * 4 < compared, "{compared} compared, {too_many} not");
}

/// The steps of the process in the state: actions and where they lead.
fn steps_of(system: &ParallelSystem, state: &[Word], process: u32) -> Vec<(String, Vec<Word>)> {
    let mut steps = Steps::new(system.words());
    system.successors(state, &mut steps);
    let mine = steps.iter().filter(|(action, _)| system.process(*action).0 == process);
    mine.map(|(action, next)| (format!("{action:?}"), next.to_vec())).collect()
}

/// Checks all pairs of steps in the states of one walk; returns how many pairs do not clash.
fn check_footprints(system: &ParallelSystem, seed: u64) -> usize {
    let mut walk = Walk::new(system);
    let mut uniform = Uniform::new(seed, 1);
    let mut independent = 0;
    uniform.begin();
    for _ in 0..40 {
        let (state, events) = (walk.state().expect("a state").to_vec(), walk.enabled().to_vec());
        for (one, other) in events.iter().flat_map(|one| events.iter().map(move |other| (one, other))) {
            if one.thread() < other.thread() && !dependent(one, other) {
                independent += 1;
                commute(system, &state, (one.id.thread.0, one.id.alternative), other.thread().0);
                commute(system, &state, (other.id.thread.0, other.id.alternative), one.thread().0);
            }
        }
        let Some(chosen) = (!events.is_empty()).then(|| uniform.choose(&events)).flatten() else { break };
        walk.step(chosen);
    }
    independent
}

/// After the step, the other process can take the same steps, and each commutes with it where it does not clash.
fn commute(system: &ParallelSystem, state: &[Word], (process, alternative): (u32, u32), other: u32) {
    let (action, next) = &steps_of(system, state, process)[alternative as usize];
    let actions = |steps: Vec<(String, Vec<Word>)>| steps.into_iter().map(|step| step.0).collect::<Vec<_>>();
    let before = steps_of(system, state, other);
    assert_eq!(
        actions(before.clone()),
        actions(steps_of(system, next, other)),
        "{action} changes what {other} can do"
    );
    for (index, (name, between)) in before.iter().enumerate() {
        let one_way = &steps_of(system, next, other)[index].1;
        let after = steps_of(system, between, process);
        let clashes = after.get(alternative as usize).is_none_or(|step| step.1 != *one_way);
        let independent = does_not_clash(system, state, (process, alternative), (other, index as u32));
        assert!(!independent || !clashes, "{action} and {name} do not commute");
    }
}

fn does_not_clash(system: &ParallelSystem, state: &[Word], one: (u32, u32), other: (u32, u32)) -> bool {
    let footprint = |(process, alternative): (u32, u32)| {
        let mut steps = Steps::new(system.words());
        system.successors(state, &mut steps);
        let mut mine = steps.iter().filter(|(action, _)| system.process(*action).0 == process);
        system.footprint(state, mine.nth(alternative as usize).expect("a step").0)
    };
    let (a, b) = (footprint(one), footprint(other));
    a.writes & (b.reads | b.writes) == 0 && a.reads & b.writes == 0
}

#[test]
fn steps_whose_footprints_do_not_clash_can_be_swapped() {
    let mut random = Random(11);
    let mut independent = 0;
    for seed in 0..400 {
        let system = program(&generate(&mut random, false).selvedge());
        let system = system.system(&[], selvedge_lang::machine::Options::default()).expect("a system");
        independent += check_footprints(&system, seed);
    }
    assert!(independent > 1000, "{independent} independent pairs");
}

#[test]
fn footprints_tell_the_truth_on_the_models() {
    let folder = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("the models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "par") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let system =
            program(&text).system(&[], selvedge_lang::machine::Options::default()).expect("a system");
        (0..5).for_each(|seed| {
            check_footprints(&system, seed);
        });
        models += 1;
    }
    assert!(models > 10, "{models} models");
}
