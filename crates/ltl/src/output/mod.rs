//! Automata as text, in the HOA format, and as graphs.
//!
//! Every automaton of this crate is first converted into a [`Listing`]: states, edges with guards as sums of
//! products, acceptance. The listing is written as text, in the HOA format (Babiak et al., The Hanoi
//! Omega-Automata Format, CAV 2015), or as a graph, which `selvedge-draw` turns into DOT or SVG.

mod hoa;
mod text;

use crate::bdd::Bdds;
use crate::buchi::{Automaton, Marks, guard_cubes, is_weak};
use crate::finite::Dfa;
use crate::letter::{Alphabet, Cube, Prop};
use crate::syntax::AtomText;
use crate::{Formula, letter};
use selvedge_draw::{Direction, Graph, Node, Shape};

/// An automaton in a form that is easy to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The title of drawings and files: the formula.
    pub title: String,
    /// The propositions, by number.
    pub props: Vec<String>,
    /// The state where runs begin.
    pub initial: Vec<u32>,
    /// The edges of each state.
    pub states: Vec<Vec<ListedEdge>>,
    /// The acceptance condition.
    pub acceptance: Acceptance,
    /// At most one run on every word?
    pub deterministic: bool,
    /// Is each component accepting on all its cycles or on none?
    pub weak: bool,
}

/// One edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEdge {
    /// The letters that it reads: letters that meet one of these sets of literals.
    pub guard: Vec<Cube>,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
    /// The state after it.
    pub target: u32,
}

/// The acceptance condition of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Finite words: it ends in one of these states.
    Final(Vec<bool>),
    /// Infinite words: it visits these states infinitely often.
    Buchi(Vec<bool>),
    /// Infinite words: it meets each of this number of marks infinitely often.
    Generalised(usize),
}

impl Acceptance {
    /// Is the state accepting, if states carry the acceptance?
    fn accepts(&self, state: usize) -> bool {
        match self {
            Acceptance::Final(states) | Acceptance::Buchi(states) => states[state],
            Acceptance::Generalised(_) => false,
        }
    }
}

impl Listing {
    /// The listing of a Büchi automaton, with accepting states if it is state-based.
    pub fn of_buchi<P: AtomText>(
        title: impl Into<String>,
        alphabet: &Alphabet<P>,
        bdds: &mut Bdds,
        automaton: &Automaton,
    ) -> Listing {
        let list = |edges: &Vec<crate::buchi::Edge>| {
            let listed = edges.iter().map(|edge| ListedEdge {
                guard: guard_cubes(bdds, edge.guard),
                marks: edge.marks,
                target: edge.target,
            });
            listed.collect()
        };
        let states: Vec<Vec<ListedEdge>> = automaton.edges.iter().map(list).collect();
        let acceptance = if automaton.mark_count == 1 && automaton.is_state_based() {
            Acceptance::Buchi(
                (0..automaton.state_count() as u32).map(|s| automaton.is_accepting(s)).collect(),
            )
        } else {
            Acceptance::Generalised(automaton.mark_count)
        };
        Listing {
            title: title.into(),
            props: proposition_texts(alphabet),
            initial: vec![automaton.initial],
            states,
            acceptance,
            deterministic: automaton.is_deterministic(bdds),
            weak: is_weak(automaton),
        }
    }

    /// The listing of an automaton on finite words.
    pub fn of_dfa<P: AtomText>(title: impl Into<String>, alphabet: &Alphabet<P>, dfa: &Dfa) -> Listing {
        let mut bdds = dfa.bdds().clone();
        let mut list = |state| {
            let edges = dfa.edges(state).iter();
            let listed = edges.map(|edge| ListedEdge {
                guard: guard_cubes(&mut bdds, edge.guard),
                marks: 0,
                target: edge.target.0,
            });
            listed.collect()
        };
        Listing {
            title: title.into(),
            props: proposition_texts(alphabet),
            initial: vec![dfa.initial().0],
            states: dfa.states().map(&mut list).collect(),
            acceptance: Acceptance::Final(dfa.states().map(|state| dfa.is_accepting(state)).collect()),
            deterministic: true,
            weak: false,
        }
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// An edge's guard as text.
    fn guard_text(&self, guard: &[Cube]) -> String {
        let several = guard.len() > 1;
        let cube = |cube: &Cube| {
            let text = self.cube_text(*cube, " & ");
            if several && text.contains(" & ") { format!("({text})") } else { text }
        };
        guard.iter().map(cube).collect::<Vec<_>>().join(" | ")
    }

    fn cube_text(&self, cube: Cube, and: &str) -> String {
        let literals: Vec<String> = self
            .props
            .iter()
            .enumerate()
            .filter_map(|(index, name)| {
                let bit = Prop(index as u8).bit();
                match (cube.positive & bit != 0, cube.negative & bit != 0) {
                    (true, _) => Some(name.clone()),
                    (_, true) => Some(format!("!{name}")),
                    _ => None,
                }
            })
            .collect();
        if literals.is_empty() { "true".to_owned() } else { literals.join(and) }
    }

    /// The automaton as a graph: accepting states have a double line, marks stand in braces.
    pub fn to_graph(&self) -> Graph {
        let mut graph = Graph::new(self.title.clone()).direction(Direction::LeftRight);
        let nodes: Vec<_> = (0..self.states.len())
            .map(|state| {
                let shape = if self.acceptance.accepts(state) { Shape::DoubleCircle } else { Shape::Circle };
                graph.node(Node::new(state.to_string()).shape(shape))
            })
            .collect();
        for state in &self.initial {
            graph.initial(nodes[*state as usize]);
        }
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                graph.edge(nodes[state], nodes[edge.target as usize], self.edge_label(edge));
            }
        }
        graph
    }

    fn edge_label(&self, edge: &ListedEdge) -> String {
        let guard = self.guard_text(&edge.guard);
        match self.acceptance {
            Acceptance::Generalised(count) if count > 0 && edge.marks != 0 => {
                format!("{guard}\n{}", marks_text(edge.marks))
            }
            _ => guard,
        }
    }
}

/// The propositions as they are written in formulas.
fn proposition_texts<P: AtomText>(alphabet: &Alphabet<P>) -> Vec<String> {
    alphabet.names().iter().map(|name| Formula::Prop(name).to_string()).collect()
}

/// Marks in the form of drawings: `{0, 2}`.
pub fn marks_text(marks: Marks) -> String {
    let numbers: Vec<String> = (0..letter::MAX_PROPS)
        .filter(|index| marks >> index & 1 == 1)
        .map(|index| index.to_string())
        .collect();
    format!("{{{}}}", numbers.join(", "))
}
