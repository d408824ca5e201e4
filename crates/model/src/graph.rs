//! A state space as a drawing.
//!
//! One node a state, with its values; one edge a step, with who takes it.
//!
//! Promise: no more states than asked for are drawn, and a picture that is not whole says so in its title.

use crate::budget::{Budget, Limits};
use crate::frontier::Order;
use crate::search::{End, explore};
use crate::system::{Steps, System, Word};
use selvedge_draw::{Edge, Emphasis, Graph, Node};

/// The states that can be reached, at most so many, and the steps between them.
pub fn state_graph<S: System>(system: &S, title: &str, most: usize) -> Graph {
    let limits = Limits { states: Some(most), ..Limits::default() };
    let exploration = explore(system, Order::BreadthFirst, Budget { limits, ..Budget::default() }, &mut ());
    let whole = exploration.end == End::Complete;
    let title = if whole { title.to_owned() } else { format!("{title} (the first {most} states)") };
    let mut graph = Graph::new(title);
    let states: Vec<&[Word]> = exploration.states.iter().take(most).collect();
    let nodes: Vec<_> = states.iter().map(|state| graph.node(look(system, state))).collect();
    let mut initial = crate::States::new(system.words());
    system.initial(&mut initial);
    for state in initial.iter() {
        if let Some(id) = exploration.states.find(state).filter(|id| id.index() < nodes.len()) {
            graph.initial(nodes[id.index()]);
        }
    }
    let mut steps = Steps::new(system.words());
    for (from, state) in states.iter().enumerate() {
        steps.clear();
        system.successors(state, &mut steps);
        for (action, target) in steps.iter() {
            let Some(to) = exploration.states.find(target).filter(|id| id.index() < nodes.len()) else {
                continue;
            };
            let process = system.process_name(system.process(action));
            let label = format!("{process}: {}", system.describe(action));
            graph.edge(nodes[from], nodes[to.index()], Edge::new(label));
        }
    }
    graph
}

/// A state's node: its values, a line each; errors stand out.
fn look<S: System>(system: &S, state: &[Word]) -> Node {
    let lines: Vec<String> =
        system.show(state).iter().map(|(name, value)| format!("{name} = {value}")).collect();
    match system.error(state) {
        Some(message) => Node::new(message).emphasis(Emphasis::Bad).tooltip(lines.join("\n")),
        None => Node::new(lines.join("\n")),
    }
}
