//! Is there a run that the automaton accepts? Asked by several workers.
//!
//! All search for an accepting component (`ufscc`); when one is found, its nodes as far as they are known, strongly connected
//! and with all marks, are handed to the [lasso] that the sequential search uses too.
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
use crate::rules::Rules;
use crate::system::System;
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
            let part = product.nodes().filter(|node| task.sets.find(*node) == root).collect();
            Ok(Some(lasso(&mut product, part)))
        }
        (None, Some(limit)) => Err(limit),
        (None, None) => Ok(None),
    };
    (answer, stats)
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
