//! The search for accepted runs under every interleaving of two workers: exploration, elimination, and the
//! run of what remains.
//!
//! Graphs are so small that each worker has a few states. The reference is the search of one worker.

use super::super::level_worker::Sizes;
use super::super::nodes::find_run_in_sizes;
use super::{TINY, explore_all, nodes_of, own_and_other};
use crate::explicit::Graph;
use crate::ltl::{Counterexample, Fairness, Negation, TransitionRelation, UnknownReading};
use crate::search::{Budget, Limit, Limits, Stats};
use selvedge::MemoryModel::{Pso, Sc, Tso};
use selvedge_ltl::buchi::SearchAutomaton;
use selvedge_ltl::{Formula, Letter, Prop};

/// Levels of one place are for one worker: interleavings multiply from level to level.
const SMALL: Sizes = Sizes { small_level: 1, ..TINY };

/// A graph whose nodes belong to these partitions in turn; proposition 0 holds in some of them.
#[track_caller]
fn graph(partitions: &[usize], arcs: &[(usize, usize)], labelled: &[usize]) -> Graph {
    let nodes = nodes_of(partitions);
    let is_labelled = |node: u32| labelled.iter().any(|index| nodes[*index] == node);
    let labels = (0..=nodes[nodes.len() - 1]).map(|node| Letter::exactly(u64::from(is_labelled(node))));
    let arcs = arcs.iter().map(|(from, to)| (nodes[*from], 0, nodes[*to])).collect();
    Graph::new(labels.collect(), arcs, 1)
}

/// The states of a run and where its cycle begins, if there is a run; and what was counted.
type FoundRun = (Option<(Vec<u64>, usize)>, [usize; 3]);

fn found<A>(run: Option<Counterexample<A>>, stats: &Stats) -> FoundRun {
    let states = |run: Counterexample<A>| {
        let states = run.prefix.iter().chain(&run.cycle).map(|step| step.state[0]).collect();
        (states, run.prefix.len())
    };
    (run.map(states), [stats.states, stats.transitions, stats.product_states])
}

fn automaton(formula: &Formula<Prop>) -> SearchAutomaton {
    Negation::of(formula).expect("a small formula").search_automaton()
}

/// Explores the search of a graph for a violation of a formula.
#[track_caller]
fn check(graph: &Graph, formula: &Formula<Prop>, fairness: Fairness) {
    let automaton = automaton(formula);
    let relation = TransitionRelation::new(graph, &automaton, fairness, UnknownReading::May);
    let (one, stats) = find_run_in_sizes(relation, Budget::default(), SMALL);
    let one = found(one.expect("no limit"), &stats);
    for memory in [Sc, Tso, Pso] {
        let report = explore_all(memory, || {
            let budget = Budget { workers: 2, alone: 0, ..Budget::default() };
            let (run, stats) = find_run_in_sizes(relation, budget, SMALL);
            found(run.expect("no limit"), &stats)
        });
        let all: Vec<&FoundRun> = report.values().collect();
        assert_eq!(all.len(), 1, "the answer depends on timing: {all:?}");
        assert_eq!(all[0].0.is_some(), one.0.is_some(), "{memory:?} {all:?}");
        assert!(all[0].0.is_some() || *all[0] == one, "{memory:?} {all:?} {one:?}");
    }
}

fn recurs() -> Formula<Prop> {
    Formula::prop(Prop(0)).eventually().always()
}

/// Node 0 leads to a node of each partition, beside these arcs.
#[track_caller]
fn fork(arcs: &[(usize, usize)], labelled: &[usize]) -> Graph {
    let (own, other) = own_and_other();
    graph(&[own, own, other], &[&[(0, 1), (0, 2)], arcs].concat(), labelled)
}

#[test]
fn everything_is_eliminated_where_a_formula_holds() {
    check(&fork(&[(1, 0), (2, 0)], &[0]), &recurs(), Fairness::None);
    check(&fork(&[(1, 2)], &[2]), &recurs(), Fairness::None);
}

#[test]
fn a_cycle_remains_where_a_weak_formula_is_violated() {
    check(&fork(&[(2, 1), (1, 2)], &[0]), &recurs(), Fairness::None);
    check(&fork(&[(1, 0), (2, 2)], &[1]), &recurs(), Fairness::None);
}

#[test]
fn what_remains_of_a_strong_part_is_searched() {
    let persists = Formula::prop(Prop(0)).always().eventually();
    check(&fork(&[(1, 2), (2, 1)], &[1, 2]), &persists, Fairness::None);
    check(&fork(&[(1, 0), (2, 2)], &[0, 1]), &persists, Fairness::None);
    check(&fork(&[(1, 1), (1, 2)], &[2]), &recurs(), Fairness::Weak);
}

#[test]
fn a_limit_stops_both_workers() {
    let graph = fork(&[(1, 0), (2, 0)], &[0]);
    let automaton = automaton(&recurs());
    let relation = TransitionRelation::new(&graph, &automaton, Fairness::None, UnknownReading::May);
    for most in 0..3 {
        let report = explore_all(Sc, || {
            let limits = Limits { states: Some(most), ..Limits::default() };
            let budget = Budget { workers: 2, alone: 0, limits, ..Budget::default() };
            let (run, stats) = find_run_in_sizes(relation, budget, SMALL);
            (run.err() == Some(Limit::States), stats.states)
        });
        assert!(report.values().all(|(is_limit, states)| *is_limit && *states <= most), "{most}");
    }
}
