//! Steps of a process of which every loop has one.
//!
//! The condition on cycles of Kurshan, Levin, Minea, Peled and Yenigün (Static Partial Order Reduction, TACAS'98): a cycle of states takes
//! each process that moves on it round a loop of its own graph, so it is enough that every loop of every graph has a sticky step.
//! Sticky steps are never put before others', so those are chosen that would not be anyway: visible ones, then those that touch the most that
//! is shared. Greedily: steps are put into a graph without loops one by one, the ones that are better not sticky first, and a step
//! that would close a loop is sticky.
//!
//! Promise: without the sticky steps no graph has a loop.

/// A graph of more steps than this is not chosen from: every step to a node of no larger number is sticky.
const MAX_CHOSEN: usize = 400;

/// A step of one process's graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) source: u32,
    pub(super) target: u32,
    /// What it costs the reduction if this one is not sticky, as the lower the better; `None` if it may as well be sticky.
    pub(super) rank: Option<u32>,
}

/// For each step, whether it is sticky.
pub(super) fn sticky(node_count: usize, arcs: &[Arc]) -> Vec<bool> {
    if arcs.len() > MAX_CHOSEN {
        return arcs.iter().map(|arc| arc.rank.is_none() || arc.target <= arc.source).collect();
    }
    let mut order: Vec<usize> = (0..arcs.len()).filter(|arc| arcs[*arc].rank.is_some()).collect();
    order.sort_by_key(|arc| arcs[*arc].rank);
    let mut is_sticky = vec![true; arcs.len()];
    let mut kept: Vec<Vec<u32>> = vec![Vec::new(); node_count];
    for arc in order {
        let Arc { source, target, .. } = arcs[arc];
        if !leads_to(&kept, target, source) {
            kept[source as usize].push(target);
            is_sticky[arc] = false;
        }
    }
    is_sticky
}

/// Is there a way from one node to another? Each is one to itself.
fn leads_to(next: &[Vec<u32>], from: u32, to: u32) -> bool {
    let mut seen = vec![false; next.len()];
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node as usize], true) {
            todo.extend(&next[node as usize]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that are sticky, of steps with sources, targets and ranks.
    #[track_caller]
    fn check(arcs: &[(u32, u32, Option<u32>)], expected: &[usize]) {
        let nodes = 1 + arcs.iter().map(|arc| arc.0.max(arc.1)).max().unwrap_or(0) as usize;
        let arcs: Vec<Arc> =
            arcs.iter().map(|&(source, target, rank)| Arc { source, target, rank }).collect();
        let found = sticky(nodes, &arcs);
        let found: Vec<usize> = (0..arcs.len()).filter(|arc| found[*arc]).collect();
        assert_eq!(found, expected);
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
