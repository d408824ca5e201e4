//! Is there a run that the automaton accepts? Decided by several workers.
//!
//! All workers search for an accepting component (`ufscc`). When a worker finds one, its known nodes go to
//! the [lasso] that the sequential search uses too.
//!
//! The set whose sum accepts lies inside one component, but need not be strongly connected by itself. Say
//! the path of worker 1 is a, b, c, d, and an edge leads from d back to a. Worker 1 finds d and a in two
//! sets, and unites d with c. Now worker 2, which went from a to d, unites d with a. Worker 1 finds d and a
//! in one set and stops uniting: the set is a, c, d, its sum has the edge from c to d, and only b, outside
//! of the set, leads to c. So `reconnect` completes the component from the known nodes. (`explored` has this
//! interleaving.)
//!
//! Promise: the verdict is that of one worker; the run that is shown depends on which worker is first.

use super::product::SharedProduct;
use super::ufscc::{SharedSearch, Worker};
use super::union_find::UnionFind;
use super::{MAX_WORKERS, run_workers};
use crate::check::Answer;
use crate::ltl::{ExploredProduct, Fairness, NodeSet, TransitionRelation, lasso};
use crate::search::{Budget, CHECK_PERIOD, Limit, Meter, Stats};
use crate::sync::PoisonError;
use crate::sync::atomic::Ordering;
use crate::system::System;
use rustc_hash::FxHashMap;

/// An accepted run, if there is one, and the figures. Not for strong fairness.
pub(crate) fn find_run<S: System>(
    relation: TransitionRelation<'_, S>,
    budget: Budget<'_>,
) -> Answer<S::Action> {
    assert!(relation.fairness != Fairness::Strong, "sums of strong fairness do not only grow");
    let meter = &mut Meter::start(budget);
    let product = SharedProduct::new(relation, budget);
    let roots = match product.roots() {
        Ok(roots) => roots,
        Err(limit) => return (Err(limit), Stats { time: meter.elapsed(), ..product.figures() }),
    };
    let search = SharedSearch::new(product, roots, UnionFind::new());
    let depth = run_search(&search, budget, meter);
    let stats = Stats { time: meter.elapsed(), ..figures(&search, depth) };
    let limit = search.signal.limit();
    let accepting = search.accepting.into_inner().unwrap_or_else(PoisonError::into_inner);
    let answer = match (accepting, limit) {
        (Some(node), _) => {
            let mut product = search.graph.finished();
            let set = nodes_of_set(&search.sets, node, product.nodes());
            let component = reconnect(&mut product, node, set);
            Ok(Some(lasso(&mut product, component)))
        }
        (None, Some(limit)) => Err(limit),
        (None, None) => Ok(None),
    };
    (answer, stats)
}

/// The known nodes in the set of this node.
pub(super) fn nodes_of_set(sets: &UnionFind, node: u32, known: impl Iterator<Item = u32>) -> Vec<u32> {
    let root = sets.find(node);
    known.filter(|node| sets.find(*node) == root).collect()
}

/// The nodes of a set if edges between them connect them strongly; otherwise all known nodes of the node's
/// component.
pub(super) fn reconnect<P: ExploredProduct>(product: &mut P, node: u32, set: Vec<u32>) -> Vec<u32> {
    let set = NodeSet::new(set);
    let inside = component(product, node, &|node| set.index(node).is_some());
    if inside.len() == set.nodes().len() {
        return inside;
    }
    component(product, node, &|_| true)
}

/// The strongly connected component of the node in the graph of the nodes inside.
pub(super) fn component<P: ExploredProduct>(
    product: &mut P,
    node: u32,
    is_inside: &dyn Fn(u32) -> bool,
) -> Vec<u32> {
    let mut sources: FxHashMap<u32, Vec<u32>> = FxHashMap::from_iter([(node, Vec::new())]);
    let (mut queue, mut edges) = (vec![node], Vec::new());
    while let Some(from) = queue.pop() {
        product.known_edges(from, &mut edges);
        for edge in edges.iter().filter(|edge| is_inside(edge.target)) {
            let known = sources.entry(edge.target).or_insert_with(|| {
                queue.push(edge.target);
                Vec::new()
            });
            known.push(from);
        }
    }
    let mut component = Vec::new();
    queue.push(node);
    while let Some(to) = queue.pop() {
        if let Some(before) = sources.remove(&to) {
            component.push(to);
            queue.extend(before);
        }
    }
    component
}

/// Lets all workers search; returns the greatest depth.
fn run_search<S: System>(
    search: &SharedSearch<SharedProduct<'_, S>>,
    budget: Budget<'_>,
    meter: &mut Meter<'_>,
) -> usize {
    let workers = budget.workers.clamp(1, MAX_WORKERS);
    let most_bytes = budget.limits.bytes.unwrap_or(usize::MAX);
    // The leader may be slower than the others, so all workers check the bytes; only the leader reads the
    // clock.
    let help = |number| {
        let mut worker = Worker::new(search, number);
        let mut until_check = CHECK_PERIOD / workers;
        worker.run(&mut |depth| {
            until_check = until_check.checked_sub(1).unwrap_or(CHECK_PERIOD / workers);
            let is_too_much = until_check == 0 && figures(search, depth).bytes > most_bytes;
            if is_too_much { Err(Limit::Bytes) } else { Ok(()) }
        });
        worker.depth
    };
    let lead = || {
        let mut worker = Worker::new(search, 0);
        worker.run(&mut |depth| {
            // The other workers do about as much. The number of states is checked where states are stored.
            for _ in 0..workers {
                meter.tick();
            }
            match meter.is_due() {
                true => meter.read(figures(search, depth)).map_or(Ok(()), Err),
                false => Ok(()),
            }
        });
        worker.depth
    };
    run_workers(&search.signal, workers, help, lead).into_iter().max().unwrap_or(0)
}

fn figures<S: System>(search: &SharedSearch<SharedProduct<'_, S>>, depth: usize) -> Stats {
    let tables = search.graph.figures();
    let bytes = tables.bytes + search.sets.memory() + search.stack_bytes.load(Ordering::Relaxed);
    Stats { depth, bytes, ..tables }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::{Acceptance, FairnessDebt, ProductEdge};
    use crate::system::Word;
    use selvedge_ltl::buchi::Marks;

    /// Arcs from node to node, each with its marks.
    struct Arcs(&'static [(u32, u32, Marks)]);

    impl ExploredProduct for Arcs {
        type Action = u32;

        fn all_marks(&self) -> Marks {
            1
        }

        fn node_bound(&self) -> usize {
            10
        }

        fn state(&self, node: u32) -> Box<[Word]> {
            Box::new([Word::from(node)])
        }

        fn known_edges(&mut self, node: u32, out: &mut Vec<ProductEdge<u32>>) -> u64 {
            let edge = |(_, target, marks): &(u32, u32, Marks)| ProductEdge {
                target: *target,
                acceptance: Acceptance { marks: *marks, debt: FairnessDebt::default() },
                action: Some(*target),
            };
            out.clear();
            out.extend(self.0.iter().filter(|arc| arc.0 == node).map(edge));
            0
        }

        fn known_roots(&self) -> Vec<u32> {
            vec![0]
        }
    }

    fn reconnected(arcs: &'static [(u32, u32, Marks)], set: &[u32]) -> Vec<u32> {
        let mut component = reconnect(&mut Arcs(arcs), set[0], set.to_vec());
        component.sort_unstable();
        component
    }

    #[test]
    fn a_strongly_connected_set_needs_no_other_nodes() {
        // Node 5 is in the component too, and not needed.
        let arcs = &[(0, 1, 0), (1, 2, 1), (2, 1, 0), (2, 5, 0), (5, 1, 0)];
        assert_eq!(reconnected(arcs, &[1, 2]), [1, 2]);
    }

    #[test]
    fn a_set_is_completed_by_the_nodes_that_connect_it() {
        // As in this module's head, with 1, 2, 3, 4 for a, b, c, d; the mark is where only 2 leads to.
        let arcs = &[(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 1, 0), (1, 4, 0), (3, 1, 1), (4, 6, 0)];
        let component = reconnected(arcs, &[1, 3, 4]);
        assert_eq!(component, [1, 2, 3, 4]);
        let run = lasso(&mut Arcs(arcs), component);
        let cycle: Vec<u64> = run.cycle.iter().map(|step| step.state[0]).collect();
        assert_eq!(cycle.len(), 3, "{cycle:?}");
        assert!(cycle.contains(&3), "{cycle:?}");
    }

    #[test]
    #[should_panic(expected = "an accepting component has an edge with the missing mark or process")]
    fn a_set_without_the_nodes_that_connect_it_has_no_lasso() {
        // The set that the interleaving of this module's head leaves: 0, 2, 3 for a, c, d.
        let arcs = &[(0, 1, 0), (0, 3, 0), (1, 2, 0), (2, 3, 1), (3, 0, 0)];
        lasso(&mut Arcs(arcs), vec![0, 2, 3]);
    }
}
