//! States and steps as text.

use super::code::Number;
use super::{EdgeId, Machine};
use crate::flow_graph::arithmetic::Fault;
use crate::flow_graph::{Cell, Edge, Effect, Node, Term, VarId, element_text};
use selvedge_ltl::source::Span;
use selvedge_model::{ProcessId, System, Word};

/// Shown in place of a dead variable's value, which the machine does not keep.
pub(super) const FORGOTTEN: &str = "-";

impl Machine {
    /// The step in its flow graph.
    pub(super) fn edge(&self, action: EdgeId) -> &Edge {
        let number = self.own_edge(action);
        let process = self.edges[number as usize].process as usize;
        let base = self.processes[process].base as usize;
        // Edges are numbered node by node, so the node is the last one that begins at or before the edge.
        let nodes = &self.nodes[base..base + self.program.graphs[process].nodes.len()];
        let node = nodes.partition_point(|edges| edges.start <= number) - 1;
        &self.program.graphs[process].nodes[node].edges[(number - nodes[node].start) as usize]
    }

    /// A step in a few words; of two processes, what each does.
    pub(super) fn step_text(&self, action: EdgeId) -> String {
        let text = self.edge(action).text.clone();
        match self.meetings.pair(action) {
            Some((_, accept)) => {
                let accept = self.edge(EdgeId(accept));
                format!("{text} -> {} (line {})", accept.text, self.line(accept.span))
            }
            None => text,
        }
    }

    /// The values that a `print` shows, perhaps none; its texts are part of the step's description. A
    /// `print` inside of an `atomic` shows nothing.
    pub(super) fn printed_values(&self, state: &[Word], action: EdgeId) -> Option<String> {
        let Effect::Print(terms) = &self.edge(action).effect else { return None };
        let value = |term: &Term| match Number::new(term, &self.slots).eval(state) {
            Ok(value) => term.kind(&self.program.variables).text(value.map_or(Cell::Null, Cell::Int)),
            Err(fault) => fault.to_string(),
        };
        let values: Vec<String> = terms.iter().map(value).collect();
        Some(values.join(", "))
    }

    /// The line in which a span begins, from 1.
    pub(super) fn line(&self, span: Span) -> usize {
        self.line_starts.partition_point(|start| *start <= span.start)
    }

    /// The node of a process's flow graph where its control is, by number.
    pub(crate) fn control_node(&self, state: &[Word], process: usize) -> usize {
        self.processes[process].field.get(state) as usize
    }

    /// The value of a term in a state.
    pub(crate) fn value_text(&self, term: &Term, state: &[Word]) -> Result<String, Fault> {
        let value = Number::new(term, &self.slots).eval(state)?;
        Ok(term.kind(&self.program.variables).text(value.map_or(Cell::Null, Cell::Int)))
    }

    fn node(&self, state: &[Word], process: usize) -> &Node {
        let control = &self.processes[process];
        &self.program.graphs[process].nodes[control.field.get(state) as usize]
    }

    /// The line of a step, with that of the call that it comes from.
    fn place(&self, edge: &Edge) -> String {
        let line = self.line(edge.span);
        match edge.call {
            Some(call) => format!("line {line}, called on line {}", self.line(call)),
            None => format!("line {line}"),
        }
    }

    /// The statement at a node, with its line.
    fn location(&self, node: &Node) -> String {
        match node.edges.first() {
            Some(edge) => format!("{} ({})", node.label, self.place(edge)),
            None => node.label.clone(),
        }
    }

    /// The step that a process at this node waits for, if there is only one, or else the statement; with its
    /// line.
    fn awaited(&self, node: &Node) -> String {
        match node.edges.as_slice() {
            [edge] => format!("{} ({})", edge.text, self.place(edge)),
            _ => self.location(node),
        }
    }

    /// Every value of a state, with its name.
    pub(super) fn describe_state(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for (process, graph) in self.program.graphs.iter().enumerate() {
            shown.push((graph.name.clone(), self.location(self.node(state, process))));
        }
        let forgotten = self.forgotten(state);
        for (number, (variable, slots)) in self.program.variables.iter().zip(&self.slots).enumerate() {
            if self.program.is_message_count(VarId(number as u32)) {
                continue;
            }
            for (index, slot) in slots.iter().enumerate() {
                let name = match variable.length {
                    Some(_) => element_text(&variable.name, &index.to_string()),
                    None => variable.name.clone(),
                };
                let value = match forgotten[number] {
                    true => FORGOTTEN.to_owned(),
                    false => variable.kind.text(slot.cell(state)),
                };
                shown.push((name, value));
            }
        }
        shown.extend(self.describe_channels(state));
        if let Some(last) = self.last_mover {
            let name = |process: usize| match process {
                0 => "0",
                process => &self.program.graphs[process - 1].name,
            };
            let [one, other] = self.movers_of(last.get(state));
            let text = if one == other {
                name(one).to_owned()
            } else {
                name(one).to_owned() + " and " + name(other)
            };
            shown.push(("last mover".to_owned(), text));
        }
        shown
    }

    /// The messages of every channel that has room for some.
    fn describe_channels(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        let mut buffers = self.channels.iter();
        for channel in &self.program.channels {
            for (index, buffer) in buffers.by_ref().take(channel.length.unwrap_or(1)).enumerate() {
                let name = match channel.length {
                    Some(_) => element_text(&channel.name, &index.to_string()),
                    None => channel.name.clone(),
                };
                if !channel.is_rendezvous() {
                    shown.push((name, buffer.text(&channel.fields, state)));
                }
            }
        }
        shown
    }

    /// A state as short as a drawing needs: lines only where a process has the same statement on several
    /// lines, arrays as one value, and no dead variables.
    pub(super) fn describe_state_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for (process, graph) in self.program.graphs.iter().enumerate() {
            let node = self.node(state, process);
            let is_same_location = |other: &Node| self.location(other) == self.location(node);
            let mut same_label = graph.nodes.iter().filter(|other| other.label == node.label);
            let is_unique = same_label.all(is_same_location);
            shown
                .push((graph.name.clone(), if is_unique { node.label.clone() } else { self.location(node) }));
        }
        let forgotten = self.forgotten(state);
        for (number, (variable, slots)) in self.program.variables.iter().zip(&self.slots).enumerate() {
            let values: Vec<String> = slots.iter().map(|slot| variable.kind.text(slot.cell(state))).collect();
            let is_array = variable.length.is_some();
            let value = if is_array { format!("[{}]", values.join(", ")) } else { values.concat() };
            if !forgotten[number] && !self.program.is_message_count(VarId(number as u32)) {
                shown.push((variable.name.clone(), value));
            }
        }
        // Channels and the last mover are shown as in `describe_state`.
        let all = self.describe_state(state);
        let rest = self.describe_channels(state).len() + usize::from(self.last_mover.is_some());
        shown.extend_from_slice(&all[all.len() - rest..]);
        shown
    }

    /// For each variable, whether it is dead in the state, so that its value is not kept.
    fn forgotten(&self, state: &[Word]) -> Vec<bool> {
        let mut forgotten = vec![false; self.program.variables.len()];
        for (live, control) in self.live.iter().zip(&self.processes) {
            let node = control.field.get(state) as usize;
            for (index, var) in live.own.iter().enumerate() {
                forgotten[var.0 as usize] = !live.is_live(node, index);
            }
        }
        forgotten
    }

    /// The processes that are blocked, each with what it waits for.
    pub(super) fn waiting_processes(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut waiting = Vec::new();
        if self.error.get(state) != 0 {
            return waiting;
        }
        for (process, graph) in self.program.graphs.iter().enumerate() {
            let node = self.node(state, process);
            if !node.edges.is_empty() && !self.is_enabled(state, ProcessId(process as u32)) {
                waiting.push((graph.name.clone(), self.awaited(node)));
            }
        }
        waiting
    }

    pub(super) fn error_text(&self, state: &[Word]) -> Option<String> {
        let number = self.error.get(state) as u32;
        if number == 0 {
            return None;
        }
        let kinds = Fault::ALL.len() as u32;
        let first = number - (number - 1) % kinds;
        let fault = Fault::ALL[((number - 1) % kinds) as usize];
        let index = self.edges.iter().position(|edge| edge.first_error == first)?;
        let edge = self.edge(EdgeId(index as u32));
        let process = &self.program.graphs[self.edges[index].process as usize].name;
        Some(format!("{fault}: process {process}, {}, `{}`", self.place(edge), edge.text))
    }
}
