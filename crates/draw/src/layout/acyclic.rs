//! Cycle removal: which edges to reverse so that the graph has no cycle.
//!
//! Two orientations. `depth_first` reverses the back edges of a depth-first search (Gansner, Koutsofios,
//! North, Vo 1993, section 2.1): it finds the loops of a flow graph. `breadth_first` reverses, inside
//! strongly connected components only, the edges that point to an earlier node of a breadth-first search: it
//! keeps state spaces shallow where a depth-first search would wind through them.
//!
//! Promise: reversing the returned edges leaves no cycle; an edge on no cycle is never reversed.

use std::collections::VecDeque;

/// A graph without self-loops, as edge list and incident edges.
pub(super) struct Digraph<'a> {
    edges: &'a [(usize, usize)],
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    /// Where searches start: initial nodes, then sources, then all others.
    starts: Vec<usize>,
}

impl<'a> Digraph<'a> {
    pub(super) fn new(node_count: usize, edges: &'a [(usize, usize)], initials: &[usize]) -> Self {
        let mut leaving = vec![Vec::new(); node_count];
        let mut entering = vec![Vec::new(); node_count];
        for (edge, &(from, to)) in edges.iter().enumerate() {
            leaving[from].push(edge);
            entering[to].push(edge);
        }
        let sources = (0..node_count).filter(|&node| entering[node].is_empty());
        let starts = initials.iter().copied().chain(sources).chain(0..node_count).collect();
        Self { edges, leaving, entering, starts }
    }

    /// The back edges of a depth-first search.
    pub(super) fn depth_first(&self) -> Vec<bool> {
        self.search().1
    }

    /// The edges inside strongly connected components that point backwards in
    /// the order of a breadth-first search.
    pub(super) fn breadth_first(&self) -> Vec<bool> {
        let number = self.breadth_first_numbers();
        let component = self.strong_components();
        let backward =
            |&(from, to): &(usize, usize)| component[from] == component[to] && number[to] < number[from];
        self.edges.iter().map(backward).collect()
    }

    /// Nodes in the order in which a depth-first search leaves them, and its back edges.
    fn search(&self) -> (Vec<usize>, Vec<bool>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Color {
            Unseen,
            Open,
            Closed,
        }
        let mut color = vec![Color::Unseen; self.leaving.len()];
        let mut back = vec![false; self.edges.len()];
        let mut postorder = Vec::new();
        for &start in &self.starts {
            if color[start] != Color::Unseen {
                continue;
            }
            color[start] = Color::Open;
            let mut stack = vec![(start, 0)];
            while let Some((node, next)) = stack.last_mut() {
                let Some(&edge) = self.leaving[*node].get(*next) else {
                    color[*node] = Color::Closed;
                    postorder.push(*node);
                    stack.pop();
                    continue;
                };
                *next += 1;
                let to = self.edges[edge].1;
                match color[to] {
                    Color::Unseen => {
                        color[to] = Color::Open;
                        stack.push((to, 0));
                    }
                    Color::Open => back[edge] = true,
                    Color::Closed => {}
                }
            }
        }
        (postorder, back)
    }

    /// Kosaraju's algorithm: search the converse graph in reverse postorder.
    fn strong_components(&self) -> Vec<usize> {
        let mut component = vec![usize::MAX; self.leaving.len()];
        for &root in self.search().0.iter().rev() {
            if component[root] != usize::MAX {
                continue;
            }
            component[root] = root;
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                for &edge in &self.entering[node] {
                    let from = self.edges[edge].0;
                    if component[from] == usize::MAX {
                        component[from] = root;
                        todo.push(from);
                    }
                }
            }
        }
        component
    }

    fn breadth_first_numbers(&self) -> Vec<usize> {
        let mut number = vec![usize::MAX; self.leaving.len()];
        let mut reached = 0;
        for &start in &self.starts {
            let mut queue = VecDeque::from([start]);
            while let Some(node) = queue.pop_front() {
                if number[node] != usize::MAX {
                    continue;
                }
                number[node] = reached;
                reached += 1;
                queue.extend(self.leaving[node].iter().map(|&edge| self.edges[edge].1));
            }
        }
        number
    }
}

/// The edges, with the `backward` ones reversed.
pub(super) fn with_reversed(edges: &[(usize, usize)], backward: &[bool]) -> Vec<(usize, usize)> {
    let reverse_if_back =
        |(&(from, to), &back): (&(usize, usize), &bool)| if back { (to, from) } else { (from, to) };
    edges.iter().zip(backward).map(reverse_if_back).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::rank::unit_arcs;
    use crate::layout::simplex::longest_path;

    const FLOW: &[(usize, usize)] = &[(0, 1), (1, 2), (2, 3), (1, 3), (3, 1), (1, 4)];

    #[test]
    fn depth_first_search_reverses_the_loop_of_a_flow_graph() {
        let backward = Digraph::new(5, FLOW, &[0]).depth_first();
        assert_eq!(backward, [false, false, false, false, true, false]);
    }

    #[test]
    fn no_edge_of_a_dag_is_reversed() {
        let edges = [(3, 0), (0, 1), (3, 2), (2, 1), (3, 1)];
        let digraph = Digraph::new(4, &edges, &[]);
        assert_eq!(digraph.depth_first(), [false; 5]);
        assert_eq!(digraph.breadth_first(), [false; 5]);
    }

    #[test]
    fn both_orientations_break_every_cycle_of_a_torus() {
        let side = 9;
        let node = |row: usize, column: usize| (row % side) * side + column % side;
        let cells = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
        let edges: Vec<_> = cells
            .flat_map(|(row, column)| {
                [(node(row, column), node(row + 1, column)), (node(row, column), node(row, column + 1))]
            })
            .collect();
        let digraph = Digraph::new(side * side, &edges, &[0]);
        for backward in [digraph.depth_first(), digraph.breadth_first()] {
            // The longest path function panics on a cycle.
            longest_path(side * side, &unit_arcs(&with_reversed(&edges, &backward)));
        }
    }
}
