//! The search by levels under every interleaving of two workers: batches, full mailboxes, the end of a
//! level, and parents.
//!
//! Graphs are so small that each worker has a few states. The reference takes the levels one after the other
//! as their definition says.

use super::super::levels::explore_in_sizes;
use super::{TINY, explore_all, nodes_of, own_and_other};
use crate::explicit::Graph;
use crate::search::{Budget, End, Limit, Limits};
use crate::store::{StateId, hash};
use selvedge::MemoryModel::{Pso, Sc, Tso};
use selvedge_ltl::Letter;
use std::collections::{BTreeMap, BTreeSet};

/// From and to.
type Arc = (u32, u32);

fn graph(nodes: u32, arcs: &[Arc]) -> Graph {
    let labels = (0..nodes).map(|_| Letter::exactly(0)).collect();
    Graph::new(labels, arcs.iter().map(|(from, to)| (*from, 0, *to)).collect(), 1)
}

/// By node, its parent: of the nodes in the level before that lead to it, the one with the least hash.
fn reference(arcs: &[Arc]) -> BTreeMap<u32, u32> {
    let mut parents = BTreeMap::from([(0, 0)]);
    let mut level = BTreeSet::from([0]);
    while !level.is_empty() {
        let mut next: BTreeMap<u32, u32> = BTreeMap::new();
        for (from, to) in arcs.iter().filter(|(from, to)| level.contains(from) && !parents.contains_key(to)) {
            let rank = |node: u32| hash(&[u64::from(node)]) >> 32;
            let parent = next.entry(*to).or_insert(*from);
            *parent = [*parent, *from].into_iter().min_by_key(|node| rank(*node)).expect("two nodes");
        }
        level = next.keys().copied().collect();
        parents.extend(next);
    }
    parents
}

/// Explores the search of a graph, whose nodes belong to these partitions in turn.
#[track_caller]
fn check(partitions: &[usize], arcs: &[(usize, usize)]) {
    let nodes = nodes_of(partitions);
    let arcs: Vec<Arc> = arcs.iter().map(|(from, to)| (nodes[*from], nodes[*to])).collect();
    let graph = graph(nodes[nodes.len() - 1] + 1, &arcs);
    let expected = reference(&arcs);
    for memory in [Sc, Tso, Pso] {
        let report = explore_all(memory, || {
            let budget = Budget { workers: 2, alone: 0, ..Budget::default() };
            let search = explore_in_sizes(&graph, budget, TINY, &mut ());
            assert_eq!((search.end, search.stats.transitions), (End::Complete, arcs.len()));
            let word = |state: &[u64]| state[0] as u32;
            let ids = (0..3 * search.stats.states as u32).map(StateId).filter(|id| search.has(*id));
            let path =
                |id| -> Vec<u32> { search.path(&graph, id).iter().map(|step| word(&step.state)).collect() };
            ids.map(path).map(|path| (path[path.len() - 1], path[path.len().max(2) - 2])).collect()
        });
        let found: Vec<BTreeMap<u32, u32>> = report.values().cloned().collect();
        assert_eq!(found, std::slice::from_ref(&expected), "{memory:?}");
    }
}

#[test]
fn states_go_to_the_worker_of_their_partition() {
    let (own, other) = own_and_other();
    check(&[own, other], &[(0, 1), (1, 0)]);
    check(&[own, other, own], &[(0, 1), (1, 2)]);
}

#[test]
fn the_parent_with_the_least_rank_is_kept() {
    let (own, other) = own_and_other();
    check(&[own, own, other, other], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
}

#[test]
fn workers_whose_mailboxes_are_full_store_what_they_receive() {
    let (own, other) = own_and_other();
    check(&[own, own, other, own, other], &[(0, 1), (0, 2), (1, 2), (1, 4), (2, 1), (2, 3)]);
}

#[test]
fn a_limit_stops_both_workers() {
    let (own, other) = own_and_other();
    let nodes = nodes_of(&[own, own, other, own, other]);
    let arcs = [(0, 1), (0, 2), (1, 4), (2, 3)].map(|(from, to): (usize, usize)| (nodes[from], nodes[to]));
    let graph = graph(nodes[4] + 1, &arcs);
    for most in 0..5 {
        let report = explore_all(Sc, || {
            let limits = Limits { states: Some(most), ..Limits::default() };
            let budget = Budget { workers: 2, alone: 0, limits, ..Budget::default() };
            let search = explore_in_sizes(&graph, budget, TINY, &mut ());
            assert_eq!(search.end, End::Limit(Limit::States));
            search.stats.states
        });
        assert!(report.values().all(|states| *states <= most), "{most}");
    }
}
