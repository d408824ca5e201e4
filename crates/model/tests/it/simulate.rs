//! Simulated runs judged against the naive checker, on many small random graphs and formulas, under every
//! fairness.

use crate::common::*;
use selvedge_explore::schedulers::{Exhaustive, Mixed, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_explore::{Random, Scheduler};
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::explicit::Graph;
use selvedge_model::{
    Budget, CheckError, Fairness, Limit, Limits, Options, Simulation, SimulationOptions, Verdict, check,
    simulate,
};
use std::cell::Cell;
use std::time::Duration;

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

/// The number of graphs, each with three formulas and three kinds of fairness; the long runs have more.
fn graphs() -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 8000 } else { 400 }
}

fn options(max_steps: usize, fairness: Fairness) -> SimulationOptions<'static> {
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

type GraphSimulation = Simulation<(u32, u32)>;

#[track_caller]
fn simulated(
    graph: &Graph,
    formulas: &[Formula<Prop>],
    scheduler: &mut dyn Scheduler,
    options: SimulationOptions<'_>,
) -> GraphSimulation {
    simulate(graph, formulas, scheduler, options).expect("few processes")
}

#[test]
fn simulated_violations_are_real_and_most_are_found() {
    let mut random = Random(5);
    let (mut violated, mut found) = ([0; 3], [0; 3]);
    for seed in 0..graphs() {
        let graph = random_graph(&mut random, 6, 0);
        let formulas: Vec<_> = (0..3).map(|_| random_formula(&mut random, 3)).collect();
        for (number, fairness) in FAIRNESS.into_iter().enumerate() {
            let holds: Vec<bool> =
                formulas.iter().map(|formula| naive_holds(&graph, formula, fairness)).collect();
            violated[number] += holds.iter().filter(|holds| !**holds).count();
            for (kind, mut scheduler) in schedulers(seed, 10).into_iter().enumerate() {
                let simulation = simulated(&graph, &formulas, &mut *scheduler, options(40, fairness));
                let simulation = simulation.violations.into_iter().enumerate();
                for (index, bad) in simulation.filter_map(|(index, bad)| Some((index, bad?))) {
                    naive_replay(&graph, &bad.path, fairness);
                    assert!(!holds[index], "{:?} {fairness:?} {graph:?}", formulas[index]);
                    found[number] += usize::from(kind == 0);
                }
            }
        }
    }
    for (violated, found) in violated.into_iter().zip(found) {
        assert!(violated > graphs() as usize && found * 10 > violated * 8, "{found} of {violated}");
    }
}

#[test]
fn only_certain_violations_are_found_where_labels_are_unknown() {
    let mut random = Random(7);
    let (mut found, mut uncertain) = (0, 0);
    for seed in 0..2000 {
        let graph = random_graph(&mut random, 6, 3);
        let formula = random_formula(&mut random, 3);
        let verdict = check(&graph, &formula, Options::default()).expect("a small formula").verdict;
        let mut uniform = Uniform::new(seed, 10);
        let simulation =
            simulated(&graph, std::slice::from_ref(&formula), &mut uniform, options(40, Fairness::None));
        let is_found = simulation.violations[0].is_some();
        assert!(!is_found || matches!(verdict, Verdict::Violated(_)), "{formula:?} {graph:?}");
        found += usize::from(is_found);
        uncertain += usize::from(matches!(verdict, Verdict::MayBeViolated(_)));
    }
    assert!(found > 300 && uncertain > 100, "{found}, {uncertain}");
}

/// From 0 to an end (1), a deadlock (2), or round for ever (3).
fn fork() -> Graph {
    let arcs = vec![(0, 0, 1), (0, 1, 2), (0, 2, 3), (3, 0, 3)];
    Graph::new(vec![Letter::exactly(0); 4], arcs, 3).with_unfinished(2)
}

#[test]
fn ends_and_deadlocks_are_counted_and_the_first_is_kept() {
    let simulation = simulated(&fork(), &[], &mut Uniform::new(1, 300), options(10, Fairness::None));
    assert_eq!(
        (simulation.runs, simulation.states.len(), simulation.errors, simulation.limit),
        (300, 4, 0, None)
    );
    let endless = simulation.runs - simulation.ended - simulation.deadlocks;
    for count in [simulation.ended, simulation.deadlocks, endless] {
        assert!((50..150).contains(&count), "{count}");
    }
    assert_eq!(simulation.steps, simulation.ended + simulation.deadlocks + 10 * endless);
    let stuck = simulation.deadlock.expect("a deadlock");
    assert_eq!(nodes(&stuck.path.prefix), [0, 2]);
    let all = simulated(&fork(), &[], &mut Exhaustive::new(), options(10, Fairness::None));
    assert_eq!((all.runs, all.ended, all.deadlocks), (3, 1, 1));
    assert_eq!(nodes(&all.first.expect("a run").prefix), [0, 1]);
}

#[test]
fn a_reached_limit_ends_the_run_and_is_reported() {
    let graph = Graph::new(vec![Letter::exactly(0); 2], vec![(0, 0, 1), (1, 0, 0)], 1);
    let reads = Cell::new(0);
    let clock = || {
        reads.set(reads.get() + 1);
        Duration::from_secs(reads.get())
    };
    let limits = |limits: Limits| Budget { limits, clock: &clock, ..Budget::default() };
    let with = |budget: Budget<'_>, max_steps, runs| {
        simulated(
            &graph,
            &[],
            &mut Uniform::new(1, runs),
            SimulationOptions { budget, ..options(max_steps, Fairness::None) },
        )
    };
    let late = with(limits(Limits { time: Some(Duration::from_secs(3)), ..Limits::default() }), 1_000_000, 5);
    assert_eq!((late.runs, late.limit), (1, Some(Limit::Time)));
    assert!(late.steps < 10_000, "{}", late.steps);
    let late = with(limits(Limits { time: Some(Duration::from_secs(5)), ..Limits::default() }), 10, 1000);
    assert!(late.limit == Some(Limit::Time) && late.runs < 10, "{}", late.runs);
    let full = with(limits(Limits { bytes: Some(100_000), ..Limits::default() }), 1_000_000, 5);
    assert_eq!((full.runs, full.limit), (1, Some(Limit::Bytes)));
    let many = with(limits(Limits { states: Some(1), ..Limits::default() }), 10, 5);
    assert_eq!((many.runs, many.limit), (1, Some(Limit::States)));
    // All runs were made, so no limit was reached.
    let just = with(limits(Limits { states: Some(1), ..Limits::default() }), 10, 1);
    assert_eq!((just.runs, just.limit), (1, None));
}

#[test]
fn fairness_for_too_many_processes_is_refused() {
    let arcs = (0..65).map(|process| (0, process, 0)).collect();
    let graph = Graph::new(vec![Letter::exactly(0)], arcs, 65);
    let with = |fairness| {
        simulate(&graph, &[], &mut Uniform::new(1, 1), options(10, fairness))
            .map(|simulation| simulation.runs)
    };
    assert_eq!(with(Fairness::None), Ok(1));
    assert_eq!(with(Fairness::Weak), Err(CheckError::TooManyProcesses(65)));
}
