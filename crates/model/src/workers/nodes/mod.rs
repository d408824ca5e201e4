//! Is there a run that the automaton accepts? Decided by several workers, breadth first.
//!
//! Depth-first search finds accepting components on the fly, but one step after the other. Several workers
//! take another way: an accepted run goes round a cycle inside an [accepting part](AcceptingParts) of the
//! automaton, and a node of the product to which no edge of its part leads lies on no such cycle. So the
//! workers explore the product level by level, and count the edges to each node (`in_degrees`); then they
//! *eliminate* the nodes without any, and the edges from these, until nothing changes: a topological sort
//! (Kahn, Topological Sorting of Large Networks, CACM 1962), as in OWCTY (Černá and Pelánek, Distributed
//! Explicit Fair Cycle Detection, SPIN 2003). In a *weak* part every cycle is accepted, so whatever remains
//! is a violation, and if nothing remains there is none. Weak parts are those of most formulas that people
//! write (Barnat, Brim and Ročkai, A Time-Optimal On-the-Fly Parallel Algorithm for Model Checking of Weak
//! LTL Properties, ICFEM 2009). What remains of other parts, or under fairness, is decided by one worker's
//! search for components, inside of what remains.
//!
//! As in a [search for states](super::levels), each worker has a partition of the states (`node_partition`),
//! and steps go to the worker of their target in batches. `expander` makes the edges of all nodes of a state
//! at once, `tasks` says what is done with a level, `node_search` takes one level after the other, and
//! `remainder` is the product of what remains.
//!
//! The search begins as that of one worker, which decides what is small, and finds most violations; it gives
//! way to all workers when it has found [`Budget::alone`] states, and what it has decided stays decided.
//! It does not if a `sample` of the product tells that they would take longer.
//!
//! Promise: verdicts, and the figures of a complete search but for depth, bytes and time, are those of one
//! worker; the run is the same for every number of workers from two on.

mod expander;
mod in_degrees;
mod node_partition;
mod node_search;
mod remainder;
mod sample;
mod tasks;

use super::MAX_WORKERS;
use super::level_worker::Sizes;
use crate::check::Answer;
use crate::ltl::{
    AcceptingParts, AutomatonStates, Fairness, GiveWay, MAX_AUTOMATON_STATES, Product, TransitionRelation,
    accepting_nodes, lasso, set_of,
};
use crate::search::{Budget, Meter};
use crate::system::System;
use node_search::NodeSearch;

/// An accepted run, if there is one, and the figures.
pub(crate) fn find_run<S: System>(
    relation: TransitionRelation<'_, S>,
    budget: Budget<'_>,
) -> Answer<S::Action> {
    find_run_in_sizes(relation, budget, Sizes::USUAL)
}

pub(super) fn find_run_in_sizes<S: System>(
    relation: TransitionRelation<'_, S>,
    budget: Budget<'_>,
    sizes: Sizes,
) -> Answer<S::Action> {
    let workers = budget.workers.clamp(1, MAX_WORKERS);
    let mut product = Product::new(relation, Meter::start(budget));
    let has_sets = relation.automaton.state_count() <= MAX_AUTOMATON_STATES;
    let parts = (workers > 1 && has_sets).then(|| AcceptingParts::new(relation.automaton));
    if parts.is_some() {
        product.give_way(GiveWay::new(budget.alone, move || sample::pays(relation, budget.alone, sizes)));
    }
    let found = accepting_nodes(&mut product);
    match parts {
        Some(parts) if product.has_given_way() => {
            let most_states = budget.limits.states;
            NodeSearch::new(relation, &parts, product.suspended(), most_states, workers, sizes).run()
        }
        _ => {
            let answer = found.map(|nodes| nodes.map(|nodes| lasso(&mut product, nodes)));
            (answer, product.stats())
        }
    }
}

/// The automaton states of the nodes that one worker decides if they remain.
fn decided_alone<S>(relation: &TransitionRelation<'_, S>, parts: &AcceptingParts) -> AutomatonStates {
    let all = 0..relation.automaton.state_count() as u32;
    match relation.fairness {
        Fairness::None => set_of(all.filter(|state| parts.has_strong(*state))),
        Fairness::Weak | Fairness::Strong => set_of(all.filter(|state| parts.has(*state))),
    }
}
