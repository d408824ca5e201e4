//! Sticky steps: every loop of a process's graph has one.
//!
//! The condition on cycles of Kurshan, Levin, Minea, Peled and Yenigün (Static Partial Order Reduction,
//! TACAS'98): a cycle of states takes each process that moves on it round a loop of its own graph, so it is
//! enough that every loop of every graph has a sticky step. Sticky steps are in no ample set, so steps are
//! chosen that would not be in one anyway: visible steps, then the steps that touch the most shared
//! resources. The choice is greedy: steps are added to an acyclic graph one by one, the least shared first,
//! and a step that would close a loop is sticky.
//!
//! Promise: without the sticky steps no graph has a loop.

use crate::work::count_step;

/// In a graph of more steps than this there is no choice: every step to a node of no larger number is
/// sticky.
const MAX_CHOSEN: usize = 400;

/// A step of one process's graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphStep {
    pub(super) source: u32,
    pub(super) target: u32,
    /// How much is lost if it is sticky: the lower, the more. `None` if nothing is lost.
    pub(super) rank: Option<u32>,
}

/// For each step, whether it is sticky.
pub(super) fn choose_sticky(node_count: usize, steps: &[GraphStep]) -> Vec<bool> {
    if steps.len() > MAX_CHOSEN {
        return steps.iter().map(|step| step.rank.is_none() || step.target <= step.source).collect();
    }
    let mut order: Vec<usize> = (0..steps.len()).filter(|step| steps[*step].rank.is_some()).collect();
    order.sort_by_key(|step| steps[*step].rank);
    let mut is_sticky = vec![true; steps.len()];
    let mut acyclic: Vec<Vec<u32>> = vec![Vec::new(); node_count];
    for step in order {
        let GraphStep { source, target, .. } = steps[step];
        if !has_path(&acyclic, target, source) {
            acyclic[source as usize].push(target);
            is_sticky[step] = false;
        }
    }
    is_sticky
}

/// Is there a path from one node to another? From each node there is one to itself.
fn has_path(successors: &[Vec<u32>], from: u32, to: u32) -> bool {
    let mut seen = vec![false; successors.len()];
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        count_step();
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node as usize], true) {
            todo.extend(&successors[node as usize]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that are sticky, of steps with sources, targets and ranks.
    #[track_caller]
    fn check(steps: &[(u32, u32, Option<u32>)], expected: &[usize]) {
        let nodes = 1 + steps.iter().map(|step| step.0.max(step.1)).max().unwrap_or(0) as usize;
        let steps: Vec<GraphStep> =
            steps.iter().map(|&(source, target, rank)| GraphStep { source, target, rank }).collect();
        let is_sticky = choose_sticky(nodes, &steps);
        let sticky: Vec<usize> = (0..steps.len()).filter(|step| is_sticky[*step]).collect();
        assert_eq!(sticky, expected);
    }

    #[test]
    fn a_loop_has_its_most_shared_step_sticky() {
        check(&[(0, 1, Some(0)), (1, 2, Some(3)), (2, 0, Some(1))], &[1]);
    }

    #[test]
    fn one_visible_step_is_enough_for_two_loops() {
        let common = (0, 1, None);
        check(&[common, (1, 2, Some(0)), (1, 3, Some(0)), (2, 0, Some(0)), (3, 0, Some(0))], &[0]);
    }

    #[test]
    fn a_step_to_itself_is_sticky() {
        check(&[(0, 0, Some(0)), (0, 1, Some(0))], &[0]);
    }

    #[test]
    fn large_graphs_have_no_loop_without_a_sticky_step_either() {
        let count = MAX_CHOSEN as u32 + 1;
        let ring: Vec<(u32, u32, Option<u32>)> =
            (0..count).map(|node| (node, (node + 1) % count, Some(0))).collect();
        check(&ring, &[MAX_CHOSEN]);
    }
}
