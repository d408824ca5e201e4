//! Walks through systems against searches, and footprints against the effects of steps.

use crate::common::generate::{Random, Statement, generate};
use crate::common::messages::{Drawn, message_program};
use crate::common::rich::rich_program;
use crate::common::{program, search, system};
use selvedge_explore::schedulers::{Exhaustive, Mixed, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_explore::{
    Action, Event, EventId, Next, Scheduler, Site, Stepper, ThreadId, Trace, dependent, run,
};
use selvedge_lang::machine::Machine;
use selvedge_lang::{Program, ProgramSystem, SystemOptions};
use selvedge_model::{Pending, ProcessId, Steps, System, Walk, Word};
use std::collections::BTreeSet;

/// The states that walks visit, and those in which they end.
type Visited = (BTreeSet<Vec<Word>>, BTreeSet<Vec<Word>>);

fn walk(system: &Machine, scheduler: &mut dyn Scheduler, max_steps: usize, most: usize) -> Option<Visited> {
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
        Box::new(Mixed::new(seed, 20)),
        Box::new(Uniform::new(seed, 20)),
        Box::new(Pct::new(3, seed, 20)),
        Box::new(Swarm::new(seed, 20).change_points(1)),
        Box::new(Pos::new(seed, 20)),
        Box::new(RoundRobin::new()),
    ]
}

#[test]
fn every_state_of_a_walk_is_reachable() {
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
fn all_walks_of_a_program_that_ends_visit_exactly_the_reachable_states() {
    let texts = [
        "memory x = 0; process 1: x := x + 1; x := x * 2 process 2: x := x + 3",
        "memory x = 0, y = 0; process 1: x := 1; if y = 0 then x := 2 else y := 3 fi process 2: y := 1; await x = 2",
        "memory x = 0; channel c[1]; process 1: send c, 1; send c, 2 process 2: receive c, x; x := x + 1",
    ];
    for text in texts {
        assert!(compare_all_walks(text), "{text}");
    }
}

/// All walks against the search; false if there are too many.
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
fn all_walks_of_generated_programs_that_end_visit_exactly_the_reachable_states() {
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

/// The enabled steps of a process, and its pending action.
type ProcessView = (Vec<(EventId, Action)>, Option<Pending>);

fn process_view(system: &Machine, walk: &Walk<'_, Machine>, process: u32) -> ProcessView {
    let own = walk.enabled().iter().filter(|event| event.thread().0 == process);
    let pending = system.pending(walk.state().expect("a state"), ProcessId(process));
    (own.map(|event| (event.id, event.action)).collect(), pending)
}

/// The pending action of a process as an event, enabled or not.
fn pending_event(process: u32, pending: &Pending) -> Event {
    let id = EventId { thread: ThreadId(process), alternative: 0 };
    Event::pending(id, Action::step(pending.footprint), Site::Unknown)
}

/// Checks all pairs of steps in the states of one walk; returns how many pairs do not clash, and how many
/// processes wait through a step that does not clash with them.
fn check_footprints(system: &Machine, seed: u64) -> (usize, usize) {
    // Where two processes take a step together, only this walk has a thread for each process.
    let mut walk = if system.has_partners() { Walk::new(system) } else { Walk::to_ends(system) };
    let mut uniform = Uniform::new(seed, 1);
    let (mut independent, mut waiting) = (0, 0);
    uniform.begin();
    for _ in 0..40 {
        let events = walk.enabled().to_vec();
        for one in &events {
            waiting += check_unaffected(system, &mut walk, one);
            for other in events.iter().filter(|other| other.thread() > one.thread() && !dependent(one, other))
            {
                let orders = [[one, other], [other, one]];
                let [first, second] = orders.map(|order| {
                    order.iter().for_each(|event| _ = walk.step(event.id));
                    let reached = (walk.state().map(<[Word]>::to_vec), walk.enabled().to_vec());
                    assert!(walk.back() && walk.back());
                    reached
                });
                assert_eq!(first, second, "{one:?} and {other:?} do not commute");
                independent += 1;
            }
        }
        let Some(chosen) = (!events.is_empty()).then(|| uniform.choose(&events)).flatten() else { break };
        walk.step(chosen);
    }
    (independent, waiting)
}

/// Checks that the step changes nothing for the processes that it does not clash with; returns how many of
/// these are blocked.
fn check_unaffected(system: &Machine, walk: &mut Walk<'_, Machine>, step: &Event) -> usize {
    let state = walk.state().expect("a state").to_vec();
    let mut waiting = 0;
    for process in (0..system.processes() as u32).filter(|process| *process != step.thread().0) {
        let Some(pending) = system.pending(&state, ProcessId(process)) else { continue };
        if dependent(step, &pending_event(process, &pending)) {
            continue;
        }
        waiting += usize::from(walk.enabled().iter().all(|event| event.thread().0 != process));
        let before = process_view(system, walk, process);
        walk.step(step.id);
        assert_eq!(process_view(system, walk, process), before, "{step:?} changes what {process} can do");
        assert!(walk.back());
    }
    waiting
}

#[test]
fn a_process_that_never_waits_is_always_enabled() {
    let mut random = Random(12);
    let (mut never_waiting, mut single) = (0, 0);
    for seed in 0..400 {
        let system =
            program(&rich_program(&mut random)).system(&[], SystemOptions::default()).expect("a system");
        let walk = if system.has_partners() { Walk::new(&system) } else { Walk::to_ends(&system) };
        let (mut walk, mut uniform) = (walk, Uniform::new(seed, 1));
        uniform.begin();
        // After an error all processes wait.
        while walk.path().len() < 60 && !walk.enabled().is_empty() && walk.failures().next().is_none() {
            let state = walk.state().expect("a state");
            for process in 0..system.processes() as u32 {
                let Some(pending) = system.pending(state, ProcessId(process)) else { continue };
                let own: Vec<&Event> =
                    walk.enabled().iter().filter(|event| event.thread().0 == process).collect();
                assert!(pending.is_guarded || !own.is_empty(), "{process} waits");
                assert!(pending.is_plural || own.len() <= 1, "{process} has several steps");
                never_waiting += usize::from(!pending.is_guarded);
                single += usize::from(!pending.is_plural);
            }
            let chosen = uniform.choose(walk.enabled()).expect("a choice");
            walk.step(chosen);
        }
    }
    assert!(never_waiting > 2000 && single > 2000, "{never_waiting} {single}");
}

#[test]
fn steps_whose_footprints_do_not_clash_can_be_swapped() {
    let mut random = Random(11);
    let (mut independent, mut waiting) = (0, 0);
    for seed in 0..800 {
        let text = match seed % 2 {
            0 => generate(&mut random, false).selvedge(),
            _ if seed % 4 == 1 => message_program(&mut random, Drawn::Whole).selvedge(),
            _ => rich_program(&mut random),
        };
        let system = program(&text).system(&[], SystemOptions::default()).expect("a system");
        // A walk of steps by two processes ends with an error, which nothing can be swapped with.
        if system.has_partners() && system.can_fail() {
            continue;
        }
        let (pairs, blocked) = check_footprints(&system, seed);
        independent += pairs;
        waiting += blocked;
    }
    assert!(independent > 2000 && waiting > 1000, "{independent} independent pairs, {waiting} wait");
}

#[test]
fn the_footprints_of_all_models_are_correct() {
    let folder = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("the models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "par") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let system = program(&text).system(&[], SystemOptions::default()).expect("a system");
        (0..5).for_each(|seed| {
            check_footprints(&system, seed);
        });
        models += 1;
    }
    assert!(models > 10, "{models} models");
}
