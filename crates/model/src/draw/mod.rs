//! State spaces, products and runs as drawings.
//!
//! A node is a state with its values; an edge is a step with its process. `label` has the texts, `product`
//! draws the product that an LTL check searches, `run` draws counterexamples.
//!
//! Promise: a drawing has at most the given number of states, without merging or reduction. An incomplete
//! drawing says so in its title and at the states that have more steps than are drawn.

mod label;
mod product;
mod run;

pub use product::draw_product;
pub use run::draw_run;

use crate::search::{Budget, End, Exploration, Limit, Limits, Order, explore};
use crate::system::{States, Steps, System, Word};
use label::Labels;
use selvedge_draw::{Edge, Emphasis, Graph, Node};

/// A drawing of states.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The drawing.
    pub graph: Graph,
    /// Does the drawing have every reachable state?
    pub is_whole: bool,
    /// Why not.
    pub limit: Option<Limit>,
}

/// The first `max_states` reachable states, and the steps between them.
pub fn state_graph<S: System>(system: &S, title: &str, max_states: usize) -> Graph {
    draw_states(system, title, &[], max_states).graph
}

/// The same, with the propositions that hold in each state; `propositions` has their texts, by number.
pub fn draw_states<S: System>(
    system: &S,
    title: &str,
    propositions: &[String],
    max_states: usize,
) -> Picture {
    let space = DrawnStates::explore(system, max_states);
    let labels = Labels::new(system, space.states(), propositions);
    space.draw(title, |state| labels.node(state), |action| labels.edge(action))
}

/// The part of a state space that is drawn.
struct DrawnStates<'s, S> {
    system: &'s S,
    exploration: Exploration,
    states: Vec<Box<[Word]>>,
    max_states: usize,
}

impl<'s, S: System> DrawnStates<'s, S> {
    fn explore(system: &'s S, max_states: usize) -> DrawnStates<'s, S> {
        let limits = Limits { states: Some(max_states), ..Limits::default() };
        let budget = Budget { limits, ..Budget::default() };
        let exploration = explore(system, Order::BreadthFirst, budget, &mut ());
        DrawnStates {
            system,
            states: exploration.states.iter().map(Into::into).collect(),
            exploration,
            max_states,
        }
    }

    fn states(&self) -> impl Iterator<Item = &[Word]> {
        self.states.iter().map(|state| &**state)
    }

    /// The node's number, if the state is drawn.
    fn number(&self, state: &[Word]) -> Option<usize> {
        self.exploration.states.find(state).map(|id| id.index()).filter(|index| *index < self.max_states)
    }

    fn draw(&self, title: &str, node: impl Fn(&[Word]) -> Node, edge: impl Fn(S::Action) -> Edge) -> Picture {
        let limit = if let End::Limit(limit) = self.exploration.end { Some(limit) } else { None };
        let title = match limit {
            None => title.to_owned(),
            Some(Limit::Language) => format!("{title} (without the steps that a bound cut off)"),
            Some(_) => format!("{title} (the first {} states)", self.max_states),
        };
        let mut graph = Graph::new(title);
        let nodes: Vec<_> = self.states().map(|state| graph.node(node(state))).collect();
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        for number in initial.iter().filter_map(|state| self.number(state)) {
            graph.initial(nodes[number]);
        }
        let mut steps = Steps::new(self.system.words());
        for (from, state) in self.states().enumerate() {
            steps.clear();
            self.system.successors(state, &mut steps);
            let mut left_out = 0;
            for (action, target) in steps.iter() {
                match self.number(target) {
                    Some(to) => drop(graph.edge(nodes[from], nodes[to], edge(action))),
                    None => left_out += 1,
                }
            }
            let is_cut = left_out > 0 || self.system.is_cut(state);
            mark(self.system, state, steps.is_empty(), is_cut, graph.node_mut(nodes[from]));
        }
        Picture { graph, is_whole: limit.is_none(), limit }
    }
}

/// Marks a state that is an error, a deadlock, an end, or the edge of the drawing.
fn mark<S: System>(system: &S, state: &[Word], is_last: bool, is_cut: bool, node: &mut Node) {
    if is_cut {
        node.label.push_str("\n…");
        node.emphasis = Emphasis::Muted;
        node.classes.push("cut".to_owned());
    }
    if system.error(state).is_some() {
        node.emphasis = Emphasis::Bad;
        node.classes.push("error".to_owned());
    } else if is_last && !is_cut && !system.is_end(state) {
        node.label.push_str("\ndeadlock");
        node.emphasis = Emphasis::Bad;
        node.classes.push("deadlock".to_owned());
    } else if is_last && !is_cut {
        node.classes.push("end".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit;
    use selvedge_draw::NodeId;
    use selvedge_ltl::Letter;

    /// A chain of `length` states; the last is the end.
    fn chain(length: u32) -> explicit::Graph {
        let letters = (0..length).map(|index| Letter::exactly(u64::from(index) & 1)).collect();
        explicit::Graph::new(letters, (1..length).map(|to| (to - 1, 0, to)).collect(), 1)
    }

    #[test]
    fn a_drawing_of_all_states_is_whole() {
        for max_states in [5, 6, 100] {
            let picture = draw_states(&chain(5), "five", &[], max_states);
            assert!(picture.is_whole);
            assert_eq!((picture.graph.node_count(), picture.graph.edge_count()), (5, 4));
            assert_eq!(picture.graph.title(), "five");
            assert_eq!(picture.graph.node_attributes(NodeId(4)).classes, ["end"]);
        }
    }

    #[test]
    fn an_incomplete_drawing_says_so_in_the_title_and_at_the_states() {
        let picture = draw_states(&chain(5), "five", &[], 3);
        assert!(!picture.is_whole);
        assert_eq!((picture.graph.node_count(), picture.graph.edge_count()), (3, 2));
        assert_eq!(picture.graph.title(), "five (the first 3 states)");
        let cut = picture.graph.node_attributes(NodeId(2));
        assert_eq!(cut.classes, ["cut"]);
        assert!(cut.label.ends_with('…'));
        assert!(picture.graph.node_attributes(NodeId(1)).classes.is_empty());
    }

    #[test]
    fn a_drawn_state_lists_the_propositions_that_hold() {
        let graph = draw_states(&chain(3), "three", &["odd".to_owned()], 10).graph;
        let odd: Vec<bool> = graph.nodes().map(|(_, node)| node.label.contains("true: odd")).collect();
        assert_eq!(odd, [false, true, false]);
    }
}
