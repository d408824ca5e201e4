//! A drawing of what an LTL check searches: the product of a system with the automaton of the negated
//! formula.
//!
//! The product is a system itself, whose states have one word more, so the one reachability loop makes it.
//! It is the plain product: no fairness, no reduction.
//!
//! Promise: a node is drawn for each reachable pair, an edge for each step of the product.

use super::label::Labels;
use super::{DrawnStates, Picture};
use crate::ltl::Negation;
use crate::system::{Cut, ProcessId, States, Steps, System, Word};
use selvedge_draw::{Edge, Emphasis, Style};
use selvedge_ltl::Letter;
use selvedge_ltl::buchi::{Marks, SearchAutomaton};
use selvedge_ltl::output::marks_text;

/// The first `max_states` reachable pairs of a system state and an automaton state.
///
/// Accepting states of the automaton are emphasised if its acceptance is by states, otherwise edges with
/// marks are.
pub fn draw_product<S: System>(
    system: &S,
    negation: &mut Negation,
    title: &str,
    propositions: &[String],
    max_states: usize,
) -> Picture {
    let automaton = negation.search_automaton();
    let product = Product { system, automaton: &automaton };
    let space = DrawnStates::explore(&product, max_states);
    let width = system.words();
    let labels = Labels::new(system, space.states().map(|pair| &pair[..width]), propositions);
    let by_states = negation.automaton.mark_count == 1 && negation.automaton.is_state_based();
    let node = |pair: &[Word]| {
        let at = pair[width] as u32;
        let mut node = labels.node(&pair[..width]);
        node.label.push_str(&format!("\nautomaton: {at}"));
        if by_states && negation.automaton.is_accepting(at) {
            node.label.push_str(", accepting");
            node = node.emphasis(Emphasis::Strong).class("accepting");
        }
        node
    };
    let edge = |step: Step<S::Action>| {
        let edge = match step.action {
            Some(action) => labels.edge(action),
            None => Edge::new("the run has ended").style(Style::Dashed).class("stutter"),
        };
        if by_states || step.marks == 0 {
            return edge;
        }
        let label = format!("{} {}", edge.label, marks_text(step.marks));
        Edge { label, ..edge }.emphasis(Emphasis::Strong).class("accepting")
    };
    space.draw(title, node, edge)
}

/// The product as a system.
struct Product<'a, S> {
    system: &'a S,
    automaton: &'a SearchAutomaton,
}

/// A step of both: the action of the system, unless it stutters, and the marks of the automaton's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step<A> {
    action: Option<A>,
    marks: Marks,
}

impl<S: System> Product<'_, S> {
    fn split<'p>(&self, pair: &'p [Word]) -> (&'p [Word], u32) {
        let (state, at) = pair.split_at(self.system.words());
        (state, at[0] as u32)
    }
}

impl<S: System> System for Product<'_, S> {
    type Action = Step<S::Action>;

    fn words(&self) -> usize {
        self.system.words() + 1
    }

    fn processes(&self) -> usize {
        self.system.processes()
    }

    fn initial(&self, out: &mut States) {
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        for state in initial.iter() {
            out.push(&[state, &[Word::from(self.automaton.initial)]].concat());
        }
    }

    fn successors(&self, pair: &[Word], out: &mut Steps<Self::Action>) {
        let (state, at) = self.split(pair);
        let width = state.len();
        let mut matching: Vec<(u32, Marks)> = Vec::new();
        for edge in self.automaton.step(at, self.system.label(state)) {
            // A guard of several cubes is several edges; a single one suffices.
            if !matching.contains(&(edge.target, edge.marks)) {
                matching.push((edge.target, edge.marks));
            }
        }
        let mut steps = Steps::new(width);
        self.system.successors(state, &mut steps);
        let has_ended = steps.is_empty() && !self.system.is_cut(state);
        let stutter = has_ended.then_some((None, state));
        for (action, target) in steps.iter().map(|(action, target)| (Some(action), target)).chain(stutter) {
            for &(to, marks) in &matching {
                let next = out.push(Step { action, marks }, pair);
                next[..width].copy_from_slice(target);
                next[width] = Word::from(to);
            }
        }
    }

    fn label(&self, pair: &[Word]) -> Letter {
        self.system.label(self.split(pair).0)
    }

    fn process(&self, step: Self::Action) -> Option<ProcessId> {
        self.system.process(step.action?)
    }

    fn partner(&self, step: Self::Action) -> Option<ProcessId> {
        self.system.partner(step.action?)
    }

    fn first_cut(&self) -> Option<Cut> {
        self.system.first_cut()
    }

    fn is_cut(&self, pair: &[Word]) -> bool {
        self.system.is_cut(self.split(pair).0)
    }

    fn error(&self, pair: &[Word]) -> Option<String> {
        self.system.error(self.split(pair).0)
    }

    fn describe(&self, step: Self::Action) -> String {
        step.action.map_or(String::new(), |action| self.system.describe(action))
    }

    fn show(&self, pair: &[Word]) -> Vec<(String, String)> {
        let (state, at) = self.split(pair);
        let mut shown = self.system.show(state);
        shown.push(("automaton".to_owned(), at.to_string()));
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit;
    use crate::{Options, Verdict, check};
    use selvedge_ltl::{Alphabet, Formula, Prop};

    fn formula(text: &str) -> Formula<Prop> {
        let mut alphabet = Alphabet::default();
        alphabet.number(&text.parse().expect("a formula")).expect("few propositions")
    }

    /// States 0 to 2 in a ring, p in the first; state 1 also has a step to an end.
    fn ring() -> explicit::Graph {
        let letters = [1, 0, 0, 0].map(Letter::exactly).to_vec();
        explicit::Graph::new(letters, vec![(0, 0, 1), (1, 0, 2), (2, 0, 0), (1, 0, 3)], 1)
    }

    #[test]
    fn the_drawing_of_a_formula_that_holds_has_all_nodes_of_the_search() {
        for text in ["G F p -> F p", "G F (p & X !p) -> G F p", "F G !p | G F p"] {
            let formula = formula(text);
            let report = check(&ring(), &formula, Options::default()).expect("a small formula");
            assert_eq!(report.verdict, Verdict::Holds, "{text}");
            let mut negation = Negation::of(&formula).expect("a small formula");
            let picture = draw_product(&ring(), &mut negation, text, &[], 1000);
            assert!(picture.is_whole);
            assert_eq!(picture.graph.node_count(), report.stats.product_states, "{text}");
        }
    }

    #[test]
    fn a_run_that_has_ended_stutters() {
        let mut negation = Negation::of(&formula("G F p")).expect("a small formula");
        let graph = draw_product(&ring(), &mut negation, "", &[], 1000).graph;
        let stutters = graph.edges().filter(|(_, _, edge)| edge.classes.contains(&"stutter".to_owned()));
        assert!(stutters.count() > 0);
        let is_accepting = |classes: &[String]| classes.contains(&"accepting".to_owned());
        let accepting = graph.nodes().any(|(_, node)| is_accepting(&node.classes))
            || graph.edges().any(|(_, _, edge)| is_accepting(&edge.classes));
        assert!(accepting, "a violated formula has something accepting in its product");
    }
}
