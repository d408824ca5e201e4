//! A counterexample as a drawing: a path, and the cycle that it leads to.
//!
//! Promise: the drawing has the states of the run in its order; a state that the run visits twice is drawn
//! twice, but the cycle's last step leads back to the first state of the cycle.

use super::label::Labels;
use crate::ltl::{Counterexample, Step};
use crate::system::System;
use selvedge_draw::{Edge, Emphasis, Graph, Node, NodeId, Style};

/// The run, with emphasis on its cycle or, where it has none, on its last state.
pub fn draw_run<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    title: &str,
    propositions: &[String],
) -> Graph {
    let steps = || run.prefix.iter().chain(&run.cycle);
    let labels = Labels::new(system, steps().map(|step| &*step.state), propositions);
    let mut graph = Graph::new(title);
    let node = |number: usize, step: &Step<S::Action>| {
        let node = labels.node(&step.state);
        Node { label: format!("{number}\n{}", node.label).trim_end().to_owned(), ..node }
    };
    let mut last: Option<NodeId> = None;
    for (number, step) in run.prefix.iter().enumerate() {
        let here = graph.node(node(number, step));
        match (last, step.action) {
            (Some(before), Some(action)) => drop(graph.edge(before, here, labels.edge(action))),
            _ => graph.initial(here),
        }
        last = Some(here);
    }
    let Some(start) = last else { return graph };
    if run.cycle.is_empty() {
        let end = graph.node_mut(start);
        end.emphasis = Emphasis::Bad;
        end.classes.push("violation".to_owned());
        return graph;
    }
    let in_cycle = |node: Node| node.emphasis(Emphasis::Strong).class("cycle");
    *graph.node_mut(start) = in_cycle(graph.node_attributes(start).clone());
    let mut from = start;
    for (index, step) in run.cycle.iter().enumerate() {
        let is_back = index + 1 == run.cycle.len();
        let to = if is_back { start } else { graph.node(in_cycle(node(run.prefix.len() + index, step))) };
        let edge = match step.action {
            Some(action) => labels.edge(action),
            None => Edge::new("the run has ended").style(Style::Dashed).class("stutter"),
        };
        graph.edge(from, to, edge.emphasis(Emphasis::Strong).class("cycle"));
        from = to;
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit;
    use crate::{Options, Verdict, check};
    use selvedge_ltl::{Alphabet, Letter};

    /// Checks a formula on 0 -> 1 -> 2 -> 1, with p in 0 and q in 2, and draws the run that violates it.
    fn drawn(text: &str) -> Graph {
        let mut alphabet = Alphabet::default();
        alphabet.number(&"p & q".parse().expect("a formula")).expect("few propositions");
        let formula = alphabet.number(&text.parse().expect("a formula")).expect("few propositions");
        let letters = [1, 0, 2].map(Letter::exactly).to_vec();
        let system = explicit::Graph::new(letters, vec![(0, 0, 1), (1, 0, 2), (2, 0, 1)], 1);
        match check(&system, &formula, Options::default()).expect("a small formula").verdict {
            Verdict::Violated(run) => draw_run(&system, &run, text, &["p".to_owned(), "q".to_owned()]),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn classes(graph: &Graph) -> Vec<String> {
        graph.nodes().map(|(_, node)| node.classes.join(" ")).collect()
    }

    #[test]
    fn the_drawn_cycle_leads_back_to_its_first_state() {
        let graph = drawn("F G p");
        assert_eq!(classes(&graph), ["", "cycle", "cycle"]);
        let ends: Vec<(u32, u32)> = graph.edges().map(|(from, to, _)| (from.0, to.0)).collect();
        assert_eq!(ends, [(0, 1), (1, 2), (2, 1)]);
        assert_eq!(graph.initials(), [NodeId(0)]);
    }

    #[test]
    fn the_last_state_of_a_run_without_a_cycle_is_the_violation() {
        let graph = drawn("G !q");
        assert_eq!(classes(&graph), ["", "", "violation"]);
        assert_eq!(graph.edge_count(), 2);
        assert!(graph.node_attributes(NodeId(2)).label.ends_with("true: q"));
    }
}
