//! Is there a run that the automaton accepts? Asked by several workers.
//!
//! All search for an accepting component (`ufscc`); when one is found, its nodes as far as they are known, strongly connected
//! and with all marks, are handed to the [lasso] that the sequential search uses too.
//!
//! The set in which the marks came together is inside of one component, but need not be connected strongly by itself. Say
//! one worker's path is a, b, c, d and an arc leads back to a: it unites d and c, and then finds that another worker, who came
//! from a to d and from c to a, has united those with a. So it need not go on, and b, by which c is reached, is left out for now. In
//! such a case the component is looked for in all that is known.
//!
//! Promise: the answer is that of one worker; which run is shown depends on who was first.

use super::product::Shared;
use super::ufscc::{Task, Worker};
use super::union_find::UnionFind;
use super::{MAX_WORKERS, team};
use crate::budget::{Budget, Limit, Meter, PERIOD, Stats};
use crate::check::Answer;
use crate::fairness::Fairness;
use crate::lasso::lasso;
use crate::ltl::NodeSet;
use crate::rules::{Explored, Rules};
use crate::system::System;
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run that is accepted, if there is one, and the figures. Not for strong fairness.
pub(crate) fn find_run<S: System>(rules: Rules<'_, S>, budget: Budget<'_>) -> Answer<S::Action> {
    assert!(rules.fairness != Fairness::Strong, "sums of strong fairness do not only grow");
    let meter = &mut Meter::start(budget);
    let product = Shared::new(rules, budget);
    let roots = match product.roots() {
        Ok(roots) => roots,
        Err(limit) => return (Err(limit), Stats { time: meter.elapsed(), ..product.figures() }),
    };
    let (found, stack_bytes) = (Mutex::new(None), AtomicUsize::new(0));
    let task = Task { product, sets: UnionFind::new(), roots, found, stack_bytes };
    let depth = search(&task, budget, meter);
    let stats = Stats { time: meter.elapsed(), ..figures(&task, depth) };
    let limit = task.product.signal.limit();
    let found = task.found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let answer = match (found, limit) {
        (Some(node), _) => {
            let root = task.sets.find(node);
            let mut product = task.product.finished();
            let set = product.nodes().filter(|node| task.sets.find(*node) == root).collect();
            let part = connected_part(&mut product, node, set);
            Ok(Some(lasso(&mut product, part)))
        }
        (None, Some(limit)) => Err(limit),
        (None, None) => Ok(None),
    };
    (answer, stats)
}

/// The nodes of a set if they are connected strongly by arcs between them; if not, all those of the node's component that are known.
fn connected_part<P: Explored>(product: &mut P, node: u32, set: Vec<u32>) -> Vec<u32> {
    let set = NodeSet::new(set);
    let inside = component(product, node, &|node| set.index(node).is_some());
    if inside.len() == set.nodes().len() {
        return inside;
    }
    component(product, node, &|_| true)
}

/// The nodes that this one reaches, and that reach it, on ways through these nodes only.
fn component<P: Explored>(product: &mut P, node: u32, is_inside: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let mut sources: FxHashMap<u32, Vec<u32>> = FxHashMap::from_iter([(node, Vec::new())]);
    let (mut queue, mut hops) = (vec![node], Vec::new());
    while let Some(from) = queue.pop() {
        product.hops(from, &mut hops);
        for hop in hops.iter().filter(|hop| is_inside(hop.target)) {
            let known = sources.entry(hop.target).or_insert_with(|| {
                queue.push(hop.target);
                Vec::new()
            });
            known.push(from);
        }
    }
    let mut part = Vec::new();
    queue.push(node);
    while let Some(to) = queue.pop() {
        if let Some(before) = sources.remove(&to) {
            part.push(to);
            queue.extend(before);
        }
    }
    part
}

/// Lets all workers search; returns how deep they went.
fn search<S: System>(task: &Task<'_, S>, budget: Budget<'_>, meter: &mut Meter<'_>) -> usize {
    let workers = budget.workers.clamp(1, MAX_WORKERS);
    let most_bytes = budget.limits.bytes.unwrap_or(usize::MAX);
    // Who leads may be slower than the others, so all look at the bytes; the clock is the leader's.
    let help = |number| {
        let mut worker = Worker::new(task, number);
        let mut until_reading = PERIOD / workers;
        worker.run(&mut |depth| {
            until_reading = until_reading.checked_sub(1).unwrap_or(PERIOD / workers);
            let is_too_much = until_reading == 0 && figures(task, depth).bytes > most_bytes;
            if is_too_much { Err(Limit::Bytes) } else { Ok(()) }
        });
        worker.depth
    };
    let lead = || {
        let mut worker = Worker::new(task, 0);
        worker.run(&mut |depth| {
            // The others do about as much. How many states there may be is looked at where they are stored.
            for _ in 0..workers {
                meter.tick();
            }
            match meter.is_due() {
                true => meter.read(figures(task, depth)).map_or(Ok(()), Err),
                false => Ok(()),
            }
        });
        worker.depth
    };
    team(&task.product.signal, workers, help, lead).into_iter().max().unwrap_or(0)
}

fn figures<S: System>(task: &Task<'_, S>, depth: usize) -> Stats {
    let tables = task.product.figures();
    let bytes = tables.bytes + task.sets.memory() + task.stack_bytes.load(Ordering::Relaxed);
    Stats { depth, bytes, ..tables }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Seen;
    use crate::fairness::Duty;
    use crate::rules::Hop;
    use crate::system::Word;
    use selvedge_ltl::buchi::Marks;

    /// Arcs from node to node, each with its marks.
    struct Arcs(&'static [(u32, u32, Marks)]);

    impl Explored for Arcs {
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

        fn hops(&mut self, node: u32, out: &mut Vec<Hop<u32>>) -> u64 {
            let hop = |(_, target, marks): &(u32, u32, Marks)| Hop {
                target: *target,
                seen: Seen { marks: *marks, duty: Duty::default() },
                action: Some(*target),
            };
            out.clear();
            out.extend(self.0.iter().filter(|arc| arc.0 == node).map(hop));
            0
        }

        fn known_roots(&self) -> Vec<u32> {
            vec![0]
        }
    }

    fn part(arcs: &'static [(u32, u32, Marks)], set: &[u32]) -> Vec<u32> {
        let mut part = connected_part(&mut Arcs(arcs), set[0], set.to_vec());
        part.sort_unstable();
        part
    }

    #[test]
    fn a_set_that_is_connected_is_the_part() {
        // Node 5 is in the component too, and nobody needs it.
        let arcs = &[(0, 1, 0), (1, 2, 1), (2, 1, 0), (2, 5, 0), (5, 1, 0)];
        assert_eq!(part(arcs, &[1, 2]), [1, 2]);
    }

    #[test]
    fn what_connects_a_set_belongs_to_the_part() {
        // As in this module's head, with 1, 2, 3, 4 for a, b, c, d; the mark is where only 2 leads to.
        let arcs = &[(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 1, 0), (1, 4, 0), (3, 1, 1), (4, 6, 0)];
        let part = part(arcs, &[1, 3, 4]);
        assert_eq!(part, [1, 2, 3, 4]);
        let found = lasso(&mut Arcs(arcs), part);
        let cycle: Vec<u64> = found.cycle.iter().map(|step| step.state[0]).collect();
        assert_eq!(cycle.len(), 3, "{cycle:?}");
        assert!(cycle.contains(&3), "{cycle:?}");
    }
}
