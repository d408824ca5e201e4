//! Network simplex: integers for nodes that minimise the weighted length of arcs.
//!
//! Gansner, Koutsofios, North, Vo, "A Technique for Drawing Directed Graphs",
//! IEEE TSE 19(3), 1993, section 2.3. It serves twice: for ranks, and for x
//! coordinates (section 4.2). We differ in the cut values: the cut value of a
//! tree arc is the weight out minus the weight in, summed over the nodes below
//! it, since arcs within the subtree cancel. One pass over the tree gives all.
//!
//! Promise: the assignment stays feasible throughout. It is optimal unless the
//! search ends at `WORK_LIMIT`, which only very large graphs reach.

/// Bound on pivots times size of the graph; at the bound the search stops.
const WORK_LIMIT: usize = 30_000_000;

/// A constraint: `to` lies at least `length` after `from`, at a cost of `weight` per unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) weight: isize,
    pub(super) length: isize,
}

/// A spanning tree of tight arcs over a feasible assignment of a connected graph.
pub(super) struct NetworkSimplex<'a> {
    arcs: &'a [Arc],
    value: Vec<isize>,
    incident: Vec<Vec<usize>>,
    tree_arcs: Vec<Vec<usize>>,
    /// Nodes in preorder of the tree; a subtree is an interval of it.
    preorder: Vec<usize>,
    preorder_index: Vec<usize>,
    subtree_size: Vec<usize>,
    parent_arc: Vec<Option<usize>>,
    /// Weight out minus weight in, of a node and over its subtree.
    own_outflow: Vec<isize>,
    outflow: Vec<isize>,
}

impl<'a> NetworkSimplex<'a> {
    /// Finds a first assignment and its tree. The graph must be connected and acyclic.
    pub(super) fn new(node_count: usize, arcs: &'a [Arc]) -> Self {
        let mut incident = vec![Vec::new(); node_count];
        let mut own_outflow = vec![0; node_count];
        for (index, arc) in arcs.iter().enumerate() {
            incident[arc.from].push(index);
            incident[arc.to].push(index);
            own_outflow[arc.from] += arc.weight;
            own_outflow[arc.to] -= arc.weight;
        }
        let mut simplex = Self {
            arcs,
            value: longest_path(node_count, arcs),
            incident,
            tree_arcs: vec![Vec::new(); node_count],
            preorder: Vec::with_capacity(node_count),
            preorder_index: vec![0; node_count],
            subtree_size: vec![1; node_count],
            parent_arc: vec![None; node_count],
            own_outflow,
            outflow: vec![0; node_count],
        };
        if node_count > 0 {
            simplex.grow_tight_tree();
            simplex.measure_tree();
            simplex.optimise();
        }
        simplex
    }

    fn optimise(&mut self) {
        let pivot_count = WORK_LIMIT / (self.value.len() + self.arcs.len());
        for _ in 0..pivot_count {
            let Some((child, leaving)) = self.leaving_arc() else { break };
            self.pivot(child, leaving);
        }
    }

    /// Values from 0; nodes that cost nothing to move get the value with the fewest nodes.
    pub(super) fn balanced(mut self) -> Vec<usize> {
        self.balance();
        let least = self.value.iter().copied().min().unwrap_or(0);
        self.value.iter().map(|value| (value - least).cast_unsigned()).collect()
    }

    /// Values with subtrees that cost nothing to move in the middle of their range.
    pub(super) fn centered(mut self) -> Vec<isize> {
        for at in 0..self.preorder.len() {
            let child = self.preorder[at];
            let Some(arc) = self.parent_arc[child].filter(|&arc| self.cut_value(child, arc) == 0) else {
                continue;
            };
            if let Some(entering) = self.entering_arc(child, arc) {
                let room = self.slack(entering);
                self.move_subtree(child, if self.arcs[arc].from == child { -room / 2 } else { room / 2 });
            }
        }
        self.value
    }

    fn slack(&self, arc: usize) -> isize {
        let Arc { from, to, length, .. } = self.arcs[arc];
        self.value[to] - self.value[from] - length
    }

    fn other_end(&self, arc: usize, node: usize) -> usize {
        let Arc { from, to, .. } = self.arcs[arc];
        if from == node { to } else { from }
    }

    /// Builds a spanning tree of arcs without slack; where no such arc leaves the tree, the tree is moved.
    fn grow_tight_tree(&mut self) {
        let node_count = self.value.len();
        let mut reached = vec![false; node_count];
        reached[0] = true;
        let mut members = vec![0];
        let mut next = 0;
        loop {
            while let Some(&node) = members.get(next) {
                next += 1;
                for at in 0..self.incident[node].len() {
                    let arc = self.incident[node][at];
                    let neighbour = self.other_end(arc, node);
                    if !reached[neighbour] && self.slack(arc) == 0 {
                        reached[neighbour] = true;
                        self.insert_tree_arc(arc);
                        members.push(neighbour);
                    }
                }
            }
            if members.len() == node_count {
                return;
            }
            let leads_out = |arc: &usize| reached[self.arcs[*arc].from] != reached[self.arcs[*arc].to];
            let arc = (0..self.arcs.len()).filter(leads_out).min_by_key(|&arc| self.slack(arc));
            let arc = arc.expect("network simplex works on one connected component");
            let inner = if reached[self.arcs[arc].from] { self.arcs[arc].from } else { self.arcs[arc].to };
            let shift = if inner == self.arcs[arc].from { self.slack(arc) } else { -self.slack(arc) };
            for &member in &members {
                self.value[member] += shift;
            }
            let outer = self.other_end(arc, inner);
            reached[outer] = true;
            self.insert_tree_arc(arc);
            members.push(outer);
            // The move may have tightened arcs of earlier members.
            next = 0;
        }
    }

    fn insert_tree_arc(&mut self, arc: usize) {
        let Arc { from, to, .. } = self.arcs[arc];
        self.tree_arcs[from].push(arc);
        self.tree_arcs[to].push(arc);
    }

    fn remove_tree_arc(&mut self, arc: usize) {
        let Arc { from, to, .. } = self.arcs[arc];
        self.tree_arcs[from].retain(|&other| other != arc);
        self.tree_arcs[to].retain(|&other| other != arc);
    }

    /// Recomputes preorder, subtree sizes and outflows from node 0.
    fn measure_tree(&mut self) {
        self.preorder.clear();
        let mut stack = vec![(0, None)];
        while let Some((node, parent_arc)) = stack.pop() {
            self.parent_arc[node] = parent_arc;
            self.preorder_index[node] = self.preorder.len();
            self.preorder.push(node);
            self.subtree_size[node] = 1;
            self.outflow[node] = self.own_outflow[node];
            for &arc in &self.tree_arcs[node] {
                if Some(arc) != parent_arc {
                    stack.push((self.other_end(arc, node), Some(arc)));
                }
            }
        }
        for &node in self.preorder.iter().rev() {
            if let Some(arc) = self.parent_arc[node] {
                let parent = self.other_end(arc, node);
                self.subtree_size[parent] += self.subtree_size[node];
                self.outflow[parent] += self.outflow[node];
            }
        }
    }

    fn cut_value(&self, child: usize, parent_arc: usize) -> isize {
        if self.arcs[parent_arc].from == child { self.outflow[child] } else { -self.outflow[child] }
    }

    /// The tree arc with the most negative cut value, and the node below it.
    fn leaving_arc(&self) -> Option<(usize, usize)> {
        let tree_arcs = self.preorder.iter().filter_map(|&node| Some((node, self.parent_arc[node]?)));
        let (child, arc) = tree_arcs.min_by_key(|&(child, arc)| self.cut_value(child, arc))?;
        (self.cut_value(child, arc) < 0).then_some((child, arc))
    }

    /// The tightest arc that crosses the cut of a tree arc the other way.
    fn entering_arc(&self, child: usize, leaving: usize) -> Option<usize> {
        let subtree = self.subtree(child);
        let below = |node: usize| subtree.contains(&self.preorder_index[node]);
        let child_is_tail = self.arcs[leaving].from == child;
        let crosses_back = |arc: &usize| {
            let Arc { from, to, .. } = self.arcs[*arc];
            below(from) != child_is_tail && below(to) == child_is_tail
        };
        (0..self.arcs.len()).filter(crosses_back).min_by_key(|&arc| self.slack(arc))
    }

    fn subtree(&self, root: usize) -> std::ops::Range<usize> {
        self.preorder_index[root]..self.preorder_index[root] + self.subtree_size[root]
    }

    fn move_subtree(&mut self, root: usize, shift: isize) {
        for &node in &self.preorder[self.subtree(root)] {
            self.value[node] += shift;
        }
    }

    fn pivot(&mut self, child: usize, leaving: usize) {
        let entering = self.entering_arc(child, leaving);
        let entering = entering.expect("a negative cut is crossed by an arc the other way");
        let slack = self.slack(entering);
        self.move_subtree(child, if self.arcs[leaving].from == child { -slack } else { slack });
        self.remove_tree_arc(leaving);
        self.insert_tree_arc(entering);
        self.measure_tree();
    }

    /// Moves nodes with equal weight in and out to the feasible value with the fewest nodes ("balance" in
    /// the paper).
    fn balance(&mut self) {
        let least = self.value.iter().copied().min().unwrap_or(0);
        let most = self.value.iter().copied().max().unwrap_or(0);
        let index = |value: isize| (value - least).cast_unsigned();
        let mut occupancy = vec![0usize; index(most) + 1];
        for &value in &self.value {
            occupancy[index(value)] += 1;
        }
        for node in (0..self.value.len()).filter(|&node| self.own_outflow[node] == 0) {
            let Some(room) = self.room(node) else { continue };
            let here = self.value[node];
            let best = room.min_by_key(|&value| occupancy[index(value)]).unwrap_or(here);
            if occupancy[index(best)] + 1 < occupancy[index(here)] {
                occupancy[index(here)] -= 1;
                occupancy[index(best)] += 1;
                self.value[node] = best;
            }
        }
    }

    /// The feasible values of a node while all others stay.
    fn room(&self, node: usize) -> Option<std::ops::RangeInclusive<isize>> {
        let arcs = || self.incident[node].iter().map(|&arc| self.arcs[arc]);
        let least = arcs().filter(|arc| arc.to == node).map(|arc| self.value[arc.from] + arc.length).max();
        let most = arcs().filter(|arc| arc.from == node).map(|arc| self.value[arc.to] - arc.length).min();
        Some(least?..=most?)
    }
}

/// The least value of each node if none is below 0. Panics on a cycle.
pub(super) fn longest_path(node_count: usize, arcs: &[Arc]) -> Vec<isize> {
    let mut leaving = vec![Vec::new(); node_count];
    let mut waiting = vec![0usize; node_count];
    for arc in arcs {
        leaving[arc.from].push(arc);
        waiting[arc.to] += 1;
    }
    let mut value = vec![0; node_count];
    let mut ready: Vec<usize> = (0..node_count).filter(|&node| waiting[node] == 0).collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        for arc in &leaving[node] {
            value[arc.to] = value[arc.to].max(value[node] + arc.length);
            waiting[arc.to] -= 1;
            if waiting[arc.to] == 0 {
                ready.push(arc.to);
            }
        }
    }
    assert_eq!(done, node_count, "longest paths need a graph without cycles");
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::rank::unit_arcs;
    use std::collections::BTreeSet;

    impl NetworkSimplex<'_> {
        /// Panics, saying which invariant broke.
        fn validate(&self) {
            assert!((0..self.arcs.len()).all(|arc| self.slack(arc) >= 0), "the assignment is not feasible");
            let tree: BTreeSet<usize> = self.tree_arcs.iter().flatten().copied().collect();
            assert_eq!(tree.len() + 1, self.value.len(), "the tree does not span the graph");
            assert!(tree.iter().all(|arc| self.slack(*arc) == 0), "a tree arc has slack");
            let nodes: BTreeSet<usize> = self.preorder.iter().copied().collect();
            assert!(nodes.into_iter().eq(0..self.value.len()), "the preorder misses a node");
            assert_eq!(self.leaving_arc(), None, "a tree arc has a negative cut value");
        }
    }

    fn total_span(node_count: usize, edges: &[(usize, usize)]) -> usize {
        let arcs = unit_arcs(edges);
        let simplex = NetworkSimplex::new(node_count, &arcs);
        simplex.validate();
        let rank = simplex.balanced();
        assert!(edges.iter().all(|&(from, to)| rank[from] < rank[to]), "{rank:?} is not feasible");
        edges.iter().map(|&(from, to)| rank[to] - rank[from]).sum()
    }

    /// The optimum by trying every ranking with fewer ranks than nodes.
    fn least_span(node_count: usize, edges: &[(usize, usize)]) -> usize {
        let mut best = usize::MAX;
        for code in 0..node_count.pow(u32::try_from(node_count).unwrap()) {
            let rank = |node: usize| code / node_count.pow(u32::try_from(node).unwrap()) % node_count;
            if edges.iter().all(|&(from, to)| rank(from) < rank(to)) {
                best = best.min(edges.iter().map(|&(from, to)| rank(to) - rank(from)).sum());
            }
        }
        best
    }

    #[test]
    fn the_example_of_the_paper_is_ranked_optimally() {
        // Figure 2-3: a b c d h in a chain, a e g h and a f g beside it.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 7), (0, 4), (0, 5), (4, 6), (5, 6), (6, 7)];
        assert_eq!(total_span(8, &edges), 10);
    }

    #[test]
    fn all_connected_dags_with_five_nodes_are_ranked_optimally() {
        let pairs: Vec<_> = (0..5).flat_map(|to| (0..to).map(move |from| (from, to))).collect();
        for mask in 0u32..1 << pairs.len() {
            let chosen = |at: &usize| mask >> at & 1 == 1;
            let edges: Vec<_> = (0..pairs.len()).filter(chosen).map(|at| pairs[at]).collect();
            // Every node but 0 joins an earlier one, so the graph is connected.
            if (1..5).all(|node| edges.iter().any(|edge| edge.1 == node)) {
                assert_eq!(total_span(5, &edges), least_span(5, &edges), "{edges:?}");
            }
        }
    }
}
