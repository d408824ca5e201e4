//! Network simplex: ranks that minimise the total length of the edges.
//!
//! Gansner, Koutsofios, North, Vo, "A Technique for Drawing Directed Graphs",
//! IEEE TSE 19(3), 1993, section 2.3. We differ in the cut values: the cut value
//! of a tree edge is the sum, over the nodes below it, of edges out minus edges
//! in, since edges within the subtree cancel. One pass over the tree gives all.
//!
//! Promise: the ranks stay feasible throughout. They are optimal unless the
//! search ends at `WORK_LIMIT`, which only very large graphs reach.

/// Bound on pivots times size of the graph; then the ranks stay as they are.
const WORK_LIMIT: usize = 100_000_000;

/// A spanning tree of tight edges over a feasible ranking of a connected graph.
pub(super) struct NetworkSimplex<'a> {
    edges: &'a [(usize, usize)],
    rank: Vec<isize>,
    incident: Vec<Vec<usize>>,
    tree_edges: Vec<Vec<usize>>,
    in_tree: Vec<bool>,
    /// Nodes in preorder of the tree; a subtree is an interval of it.
    preorder: Vec<usize>,
    place: Vec<usize>,
    subtree_size: Vec<usize>,
    parent_edge: Vec<Option<usize>>,
    /// Edges out minus edges in, over the subtree of a node.
    outflow: Vec<isize>,
}

impl<'a> NetworkSimplex<'a> {
    /// Starts from any feasible ranking. The graph must be connected.
    pub(super) fn new(start: Vec<usize>, edges: &'a [(usize, usize)]) -> Self {
        let node_count = start.len();
        let mut incident = vec![Vec::new(); node_count];
        for (edge, &(from, to)) in edges.iter().enumerate() {
            incident[from].push(edge);
            incident[to].push(edge);
        }
        let mut simplex = Self {
            edges,
            rank: start.into_iter().map(usize::cast_signed).collect(),
            incident,
            tree_edges: vec![Vec::new(); node_count],
            in_tree: vec![false; edges.len()],
            preorder: Vec::with_capacity(node_count),
            place: vec![0; node_count],
            subtree_size: vec![1; node_count],
            parent_edge: vec![None; node_count],
            outflow: vec![0; node_count],
        };
        if node_count > 0 {
            simplex.grow_tight_tree();
            simplex.measure_tree();
        }
        simplex
    }

    /// Pivots to the optimum, balances, and counts the ranks from 0.
    pub(super) fn solve(mut self) -> Vec<usize> {
        let pivot_count = WORK_LIMIT / (self.rank.len() + self.edges.len()).max(1);
        for _ in 0..pivot_count {
            let Some((child, leaving)) = self.leaving_edge() else { break };
            self.pivot(child, leaving);
        }
        self.balance();
        let least = self.rank.iter().copied().min().unwrap_or(0);
        self.rank.iter().map(|rank| (rank - least).cast_unsigned()).collect()
    }

    fn slack(&self, edge: usize) -> isize {
        let (from, to) = self.edges[edge];
        self.rank[to] - self.rank[from] - 1
    }

    fn other_end(&self, edge: usize, node: usize) -> usize {
        let (from, to) = self.edges[edge];
        if from == node { to } else { from }
    }

    /// A spanning tree of edges without slack, moving the tree whenever it is stuck.
    fn grow_tight_tree(&mut self) {
        let node_count = self.rank.len();
        let mut reached = vec![false; node_count];
        reached[0] = true;
        let mut members = vec![0];
        let mut next = 0;
        loop {
            while let Some(&node) = members.get(next) {
                next += 1;
                for at in 0..self.incident[node].len() {
                    let edge = self.incident[node][at];
                    let neighbour = self.other_end(edge, node);
                    if !reached[neighbour] && self.slack(edge) == 0 {
                        reached[neighbour] = true;
                        self.insert_tree_edge(edge);
                        members.push(neighbour);
                    }
                }
            }
            if members.len() == node_count {
                return;
            }
            let leads_out = |edge: &usize| reached[self.edges[*edge].0] != reached[self.edges[*edge].1];
            let edge = (0..self.edges.len()).filter(leads_out).min_by_key(|&edge| self.slack(edge));
            let edge = edge.expect("network simplex works on one connected component");
            let inner = if reached[self.edges[edge].0] { self.edges[edge].0 } else { self.edges[edge].1 };
            let shift = if inner == self.edges[edge].0 { self.slack(edge) } else { -self.slack(edge) };
            for &member in &members {
                self.rank[member] += shift;
            }
            let outer = self.other_end(edge, inner);
            reached[outer] = true;
            self.insert_tree_edge(edge);
            members.push(outer);
            // The move may have tightened edges of members already passed.
            next = 0;
        }
    }

    fn insert_tree_edge(&mut self, edge: usize) {
        let (from, to) = self.edges[edge];
        self.in_tree[edge] = true;
        self.tree_edges[from].push(edge);
        self.tree_edges[to].push(edge);
    }

    fn remove_tree_edge(&mut self, edge: usize) {
        let (from, to) = self.edges[edge];
        self.in_tree[edge] = false;
        self.tree_edges[from].retain(|&other| other != edge);
        self.tree_edges[to].retain(|&other| other != edge);
    }

    /// Recomputes preorder, subtree sizes and outflows from node 0.
    fn measure_tree(&mut self) {
        self.preorder.clear();
        let mut stack = vec![(0, None)];
        while let Some((node, parent_edge)) = stack.pop() {
            self.parent_edge[node] = parent_edge;
            self.place[node] = self.preorder.len();
            self.preorder.push(node);
            self.subtree_size[node] = 1;
            self.outflow[node] =
                self.incident[node].iter().map(|&edge| if self.edges[edge].0 == node { 1 } else { -1 }).sum();
            for &edge in &self.tree_edges[node] {
                if Some(edge) != parent_edge {
                    stack.push((self.other_end(edge, node), Some(edge)));
                }
            }
        }
        for &node in self.preorder.iter().rev() {
            if let Some(edge) = self.parent_edge[node] {
                let parent = self.other_end(edge, node);
                self.subtree_size[parent] += self.subtree_size[node];
                self.outflow[parent] += self.outflow[node];
            }
        }
    }

    fn cut_value(&self, child: usize, parent_edge: usize) -> isize {
        if self.edges[parent_edge].0 == child { self.outflow[child] } else { -self.outflow[child] }
    }

    /// The tree edge with the most negative cut value, and the node below it.
    fn leaving_edge(&self) -> Option<(usize, usize)> {
        let tree_edges = self.preorder.iter().filter_map(|&node| Some((node, self.parent_edge[node]?)));
        let (child, edge) = tree_edges.min_by_key(|&(child, edge)| self.cut_value(child, edge))?;
        (self.cut_value(child, edge) < 0).then_some((child, edge))
    }

    /// Replaces a tree edge by the tightest edge that crosses its cut the other way.
    fn pivot(&mut self, child: usize, leaving: usize) {
        let subtree = self.place[child]..self.place[child] + self.subtree_size[child];
        let below = |node: usize| subtree.contains(&self.place[node]);
        let child_is_tail = self.edges[leaving].0 == child;
        let crosses_back = |edge: &usize| {
            let (from, to) = self.edges[*edge];
            below(from) != child_is_tail && below(to) == child_is_tail
        };
        let entering = (0..self.edges.len()).filter(crosses_back).min_by_key(|&edge| self.slack(edge));
        let entering = entering.expect("a negative cut is crossed by an edge the other way");
        let shift = if child_is_tail { -self.slack(entering) } else { self.slack(entering) };
        for &node in &self.preorder[subtree] {
            self.rank[node] += shift;
        }
        self.remove_tree_edge(leaving);
        self.insert_tree_edge(entering);
        self.measure_tree();
    }

    /// Moves nodes with as many edges in as out to the least crowded rank they may take.
    fn balance(&mut self) {
        let least = self.rank.iter().copied().min().unwrap_or(0);
        let most = self.rank.iter().copied().max().unwrap_or(0);
        let mut crowd = vec![0usize; (most - least + 1).cast_unsigned()];
        for &rank in &self.rank {
            crowd[(rank - least).cast_unsigned()] += 1;
        }
        for node in 0..self.rank.len() {
            let enters = |edge: &&usize| self.edges[**edge].1 == node;
            let (entering, leaving): (Vec<_>, Vec<_>) = self.incident[node].iter().partition(enters);
            if entering.len() != leaving.len() || entering.is_empty() {
                continue;
            }
            let highest = entering.iter().map(|&&edge| self.rank[self.edges[edge].0] + 1).max();
            let lowest = leaving.iter().map(|&&edge| self.rank[self.edges[edge].1] - 1).min();
            let (Some(highest), Some(lowest)) = (highest, lowest) else { continue };
            let crowd_at = |rank: isize| crowd[(rank - least).cast_unsigned()];
            let best = (highest..=lowest).min_by_key(|&rank| crowd_at(rank)).unwrap_or(self.rank[node]);
            let here = self.rank[node];
            if crowd_at(best) + 1 < crowd_at(here) {
                crowd[(here - least).cast_unsigned()] -= 1;
                crowd[(best - least).cast_unsigned()] += 1;
                self.rank[node] = best;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::rank::longest_path;

    fn total_span(node_count: usize, edges: &[(usize, usize)]) -> usize {
        let rank = NetworkSimplex::new(longest_path(node_count, edges), edges).solve();
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
