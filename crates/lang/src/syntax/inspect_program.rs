//! What a debugger shows of a program whose processes are flow graphs.

use super::dialect::AtMeaning;
use super::graph_program::GraphProgram;
use super::parser::Parser;
use super::resolve::Resolver;
use super::token::{Lexer, Token};
use crate::flow_graph::{Cell, FlowGraph, Node, NodeId, element_text};
use crate::inspect::{Control, DrawnNode, Inspector, Suggestion, SuggestionKind};
use crate::machine::{Machine, infer};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use selvedge_model::{ProcessId, System, Word};

/// A variable with more values is suggested without them.
const MAX_VALUES: usize = 12;

impl Inspector<Machine> for GraphProgram {
    fn control(&self, system: &Machine, state: &[Word], process: usize) -> Control {
        let graph = &self.flow_graphs.graphs[process];
        let drawn = graph.drawing().1;
        let number = system.control_node(state, process);
        let node = &graph.nodes[number];
        let drawn_as = |number: usize| drawn[number].map(|id| id.0);
        let here: Vec<u32> = drawn_as(number).into_iter().collect();
        let is_enabled = system.is_enabled(state, ProcessId(process as u32));
        let at = match self.scope.dialect.at {
            AtMeaning::NextStatement => here.clone(),
            AtMeaning::LastNode => {
                let leads_here = |from: &Node| {
                    from.edges.iter().any(|edge| shares_statement(&graph.nodes[edge.target.0 as usize], node))
                };
                let executed = (0..graph.nodes.len()).filter(|number| leads_here(&graph.nodes[*number]));
                let mut at: Vec<u32> = executed.filter_map(drawn_as).collect();
                at.sort_unstable();
                at.dedup();
                at
            }
        };
        let line = node.edges.first().map(|edge| self.line(edge.span));
        Control { at, next: if is_enabled { here } else { Vec::new() }, line }
    }

    fn drawn_nodes(&self, process: usize) -> Vec<DrawnNode> {
        let graph = &self.flow_graphs.graphs[process];
        let (drawing, drawn) = graph.drawing();
        let mut nodes = vec![DrawnNode::default(); drawing.node_count()];
        for (node, id) in graph.nodes.iter().zip(drawn) {
            let Some(id) = id else { continue };
            let described = &mut nodes[id.0 as usize];
            if described.line.is_none() {
                described.line = node.edges.first().map(|edge| self.line(edge.span));
            }
            if described.proposition.is_none() {
                described.proposition = self.label_at(graph, process, node);
            }
        }
        nodes
    }

    fn lines(&self, process: usize) -> Option<(usize, usize)> {
        let graph = &self.flow_graphs.graphs[process];
        let edges = || graph.nodes.iter().flat_map(|node| &node.edges);
        let lines = || edges().map(|edge| self.line(edge.span));
        Some((lines().min()?, lines().max()?))
    }

    fn evaluate(&self, system: &Machine, text: &str, state: &[Word]) -> Result<String, Vec<Diagnostic>> {
        let hyphenated = self.hyphenated.iter().map(String::as_str).collect();
        let lexer = Lexer { text, at: 0, end: text.len(), hyphenated: &hyphenated, in_formula: true };
        let mut parser = Parser::in_formula(lexer, self.scope.dialect);
        let expr = parser.comparison();
        let (token, span) = parser.peek();
        let mut diagnostics = std::mem::take(&mut parser.diagnostics);
        if diagnostics.is_empty() && token != Token::End {
            let code = self.scope.dialect.codes.unexpected;
            diagnostics.push(Diagnostic::error(code, "the expression ends before this", span, ""));
        }
        let mut scope = self.scope.clone();
        let mut resolver = Resolver::of_formula(&mut scope, &mut diagnostics, usize::MAX);
        let term = resolver.value(&expr);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(diagnostics);
        }
        system.value_text(&term, state).map_err(|fault| {
            let code = self.scope.dialect.codes.expected_number;
            vec![Diagnostic::error(code, fault.to_string(), Span::new(0, text.len()), "")]
        })
    }

    fn suggestions(&self) -> Vec<Suggestion> {
        let mut all = Vec::new();
        let mut add = |kind, text| all.push(Suggestion { kind, text });
        for (process, graph) in self.flow_graphs.graphs.iter().enumerate() {
            let name = &graph.name;
            add(SuggestionKind::Proposition, format!("enabled({name})"));
            add(SuggestionKind::Proposition, format!("exec({name})"));
            for node in &graph.nodes {
                for statement in &node.statements {
                    let text = self.at_text(process, *statement);
                    text.into_iter().for_each(|text| add(SuggestionKind::Proposition, text));
                }
            }
        }
        for text in ["deadlock", "ended"] {
            add(SuggestionKind::Proposition, text.to_owned());
        }
        self.definitions.keys().for_each(|name| add(SuggestionKind::Definition, name.clone()));
        let domains = self.domains.get_or_init(|| infer(&self.flow_graphs));
        for (number, variable) in self.flow_graphs.variables.iter().enumerate() {
            let names = match variable.length {
                Some(length) => {
                    (0..length).map(|index| element_text(&variable.name, &index.to_string())).collect()
                }
                None => vec![variable.name.clone()],
            };
            let values: Vec<Cell> = domains.values_of(number).into_iter().take(MAX_VALUES + 1).collect();
            for name in names {
                let values =
                    values.iter().filter(|value| **value != Cell::Undefined && values.len() <= MAX_VALUES);
                values.for_each(|value| {
                    add(SuggestionKind::Value, format!("{name} = {}", variable.kind.text(*value)));
                });
                add(SuggestionKind::Variable, name);
            }
        }
        all.sort();
        all.dedup();
        all
    }
}

fn shares_statement(one: &Node, other: &Node) -> bool {
    one.statements.iter().any(|statement| other.statements.contains(statement))
}

impl GraphProgram {
    fn line(&self, span: Span) -> usize {
        self.scope.line(span)
    }

    /// The proposition that holds if control is at a node of the drawing: in flow after its statement was
    /// executed, otherwise before.
    fn label_at(&self, graph: &FlowGraph, process: usize, node: &Node) -> Option<String> {
        let statement = match self.scope.dialect.at {
            AtMeaning::NextStatement => node.statements.first(),
            AtMeaning::LastNode => {
                let target = |target: NodeId| graph.nodes[target.0 as usize].statements.first();
                node.edges.first().and_then(|edge| target(edge.target))
            }
        };
        statement.and_then(|statement| self.at_text(process, *statement))
    }

    /// The proposition that a process is at a label, by the label's number.
    fn at_text(&self, process: usize, statement: u32) -> Option<String> {
        let (label, _) = self.scope.labels.iter().find(|(_, number)| **number == statement)?;
        let name = &self.scope.process_names[process];
        Some(match self.scope.dialect.at {
            AtMeaning::NextStatement => format!("at({name}, {label})"),
            AtMeaning::LastNode => format!("{name} at {label}"),
        })
    }
}
