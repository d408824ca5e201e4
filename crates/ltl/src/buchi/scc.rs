//! Strongly connected components.
//!
//! Tarjan, Depth-First Search and Linear Graph Algorithms, 1972, without recursion. Components are numbered
//! in the order in which they are completed, so every edge between two components leads to the component
//! with the smaller number.

use super::automaton::{Automaton, Marks};

/// A graph's components.
#[derive(Clone, Debug)]
pub struct Components {
    /// Each node's component; `None` for nodes that were not reached.
    pub of: Vec<Option<u32>>,
    /// For each component the marks on the edges inside it; `None` if there are no such edges.
    pub marks: Vec<Option<Marks>>,
}

impl Components {
    /// The components that are reachable from the automaton's initial state.
    pub fn of_automaton(automaton: &Automaton) -> Components {
        Components::new(automaton.state_count(), [automaton.initial], |state| {
            automaton.edges[state as usize].iter().map(|edge| (edge.target, edge.marks))
        })
    }

    /// The components that are reachable from the roots.
    pub fn new<I: Iterator<Item = (u32, Marks)>>(
        count: usize,
        roots: impl IntoIterator<Item = u32>,
        successors: impl Fn(u32) -> I,
    ) -> Components {
        let mut of: Vec<Option<u32>> = vec![None; count];
        // Order of discovery, from 1; 0 is undiscovered.
        let mut index = vec![0u32; count];
        let mut low = vec![0u32; count];
        let mut discovered = 0;
        let mut components = 0;
        let mut stack = Vec::new();
        for root in roots {
            if index[root as usize] != 0 {
                continue;
            }
            discovered += 1;
            (index[root as usize], low[root as usize]) = (discovered, discovered);
            stack.push(root);
            let mut calls = vec![(root, successors(root))];
            while let Some((node, rest)) = calls.last_mut() {
                let node = *node;
                if let Some((target, _)) = rest.next() {
                    if index[target as usize] == 0 {
                        discovered += 1;
                        (index[target as usize], low[target as usize]) = (discovered, discovered);
                        stack.push(target);
                        calls.push((target, successors(target)));
                    } else if of[target as usize].is_none() {
                        low[node as usize] = low[node as usize].min(index[target as usize]);
                    }
                    continue;
                }
                calls.pop();
                if let Some((parent, _)) = calls.last() {
                    low[*parent as usize] = low[*parent as usize].min(low[node as usize]);
                }
                if low[node as usize] == index[node as usize] {
                    while let Some(member) = stack.pop() {
                        of[member as usize] = Some(components);
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        let marks = inner_marks(&of, components as usize, successors);
        Components { of, marks }
    }

    /// The number of components.
    pub fn count(&self) -> usize {
        self.marks.len()
    }

    /// Does the edge stay inside a component?
    pub fn is_inner_edge(&self, from: u32, to: u32) -> bool {
        self.of[from as usize].is_some() && self.of[from as usize] == self.of[to as usize]
    }

    /// Does the component contain every mark, so that some run in it is accepting?
    pub fn is_accepting(&self, component: u32, all: Marks) -> bool {
        self.marks[component as usize] == Some(all)
    }

    /// For each component, whether an accepting one can be reached from it.
    pub fn alive(&self, automaton: &Automaton) -> Vec<bool> {
        let all = automaton.all_marks();
        let mut alive: Vec<bool> = (0..self.count() as u32).map(|c| self.is_accepting(c, all)).collect();
        let mut states: Vec<(u32, usize)> = self
            .of
            .iter()
            .enumerate()
            .filter_map(|(state, component)| component.map(|c| (c, state)))
            .collect();
        // Successors have smaller numbers, so one pass in increasing order suffices.
        states.sort_unstable();
        for (component, state) in states {
            let reaches = automaton.edges[state]
                .iter()
                .any(|e| self.of[e.target as usize].is_some_and(|c| alive[c as usize]));
            alive[component as usize] |= reaches;
        }
        alive
    }
}

fn inner_marks<I: Iterator<Item = (u32, Marks)>>(
    of: &[Option<u32>],
    components: usize,
    successors: impl Fn(u32) -> I,
) -> Vec<Option<Marks>> {
    let mut marks = vec![None; components];
    for (node, component) in of.iter().enumerate() {
        let Some(component) = component else { continue };
        for (target, edge_marks) in successors(node as u32) {
            if of[target as usize] == Some(*component) {
                *marks[*component as usize].get_or_insert(0) |= edge_marks;
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_the_classes_of_mutual_reachability() {
        // Every graph of three nodes.
        for graph in 0..512u32 {
            let edge = |a: u32, b: u32| graph >> (3 * a + b) & 1 == 1;
            let components =
                Components::new(3, [0, 1, 2], |a| (0..3).filter(move |b| edge(a, *b)).map(|b| (b, 0)));
            let mut reach = [[false; 3]; 3];
            for a in 0..3 {
                for b in 0..3 {
                    reach[a][b] = a == b || edge(a as u32, b as u32);
                }
            }
            for k in 0..3 {
                for a in 0..3 {
                    for b in 0..3 {
                        reach[a][b] |= reach[a][k] && reach[k][b];
                    }
                }
            }
            for a in 0..3 {
                for b in 0..3 {
                    let same = components.of[a] == components.of[b];
                    assert_eq!(same, reach[a][b] && reach[b][a], "graph {graph:b}");
                    if edge(a as u32, b as u32) {
                        assert!(components.of[b] <= components.of[a], "numbered against the edges");
                    }
                }
            }
        }
    }
}
