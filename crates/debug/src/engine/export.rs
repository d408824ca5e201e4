//! The run in other forms: JSON, DOT, SVG, and what the target has of its own.

use super::Engine;
use super::show::flat;
use crate::protocol::Message;
use selvedge_draw::{Direction, Graph, Node};
use serde_json::{Map, Value, json};

impl Engine {
    pub(super) fn export(&mut self, format: &str) -> Result<Message, String> {
        let title = self.program.title.clone();
        let (name, text) = match format {
            "json" => (format!("{title}.run.json"), self.run_as_json()),
            "dot" => (format!("{title}.run.dot"), self.run_as_graph().to_dot()),
            "svg" => (format!("{title}.run.svg"), self.run_as_graph().to_svg()),
            other => self.target.export(other, &self.stack.moves)?,
        };
        Ok(Message::Exported { format: format.to_owned(), name, text })
    }

    /// The run in the form of a counterexample of `selvedge check`: a prefix and a cycle of steps.
    fn run_as_json(&mut self) -> String {
        let mut steps = Vec::new();
        for position in 0..self.stack.states.len() {
            let made = position.checked_sub(1).map(|before| self.made(before));
            let process =
                made.as_ref().and_then(|made| made.process).map(|process| self.process_name(process));
            let state = flat(&self.target.values(self.stack.states[position]));
            let state: Map<String, Value> =
                state.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
            steps.push(json!({"process": process, "action": made.map(|made| made.text), "state": state}));
        }
        let cycle = self.stack.cycle().map_or_else(Vec::new, |cycle| steps.split_off(cycle + 1));
        let formulas: Vec<String> = self.stack.steps.iter().map(|step| step.formula.clone()).collect();
        let run = json!({"formulas": formulas, "moves": self.stack.moves, "prefix": steps, "cycle": cycle});
        serde_json::to_string_pretty(&run).unwrap_or_default() + "\n"
    }

    /// The states as nodes, a line each for what changed, and the moves as edges.
    fn run_as_graph(&mut self) -> Graph {
        let mut graph = Graph::new(self.program.title.clone()).direction(Direction::LeftRight);
        let last = self.stack.cycle().map_or(self.stack.length(), |_| self.stack.length() - 1);
        let mut nodes = Vec::new();
        for position in 0..=last {
            let values = match position.checked_sub(1) {
                None => flat(&self.target.values(self.stack.states[0])),
                Some(before) => {
                    let changes = self.changes(self.stack.states[before], self.stack.states[position]);
                    changes.into_iter().map(|(name, _, new)| (name, new)).collect()
                }
            };
            let values = values.into_iter().map(|(name, value)| format!("\n{name} = {value}"));
            let label = position.to_string() + &values.collect::<String>();
            nodes.push(graph.node(Node::new(label)));
        }
        for position in 0..self.stack.length() {
            let made = self.made(position);
            let process = made.process.map(|process| self.process_name(process) + ": ").unwrap_or_default();
            let to = if position == last { self.stack.cycle().unwrap_or(0) } else { position + 1 };
            graph.edge(nodes[position], nodes[to], format!("{process}{}", made.text).as_str());
        }
        graph.initial(nodes[0]);
        graph
    }
}
