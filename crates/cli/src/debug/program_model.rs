//! A program of any language as a model of the debugger.

use crate::failure::Failure;
use selvedge_debug::model::{ControlView, Reading};
use selvedge_debug::view::{
    CodeRange, Completion, CompletionKind, FlowEdge, FlowNode, FlowView, ProcessView, ProgramView,
    PropertyView, SourceText, Transfer, TransferKind,
};
use selvedge_debug::{Model, ModelTarget};
use selvedge_draw::Shape;
use selvedge_lang::{Program, ProgramSystem, Property, SuggestionKind, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use selvedge_model::{System, Word};

/// States of one form, whatever propositions are asked for.
const EXACT: SystemOptions = SystemOptions { exact: true, concrete: false, fair: false };

pub(super) struct ProgramModel<P> {
    program: P,
    view: ProgramView,
    completions: Vec<Completion>,
}

/// The target of a program.
pub(super) fn target<P: Program>(
    program: P,
    source: &Source,
) -> Result<ModelTarget<ProgramModel<P>>, Failure> {
    let system = program.system(&[], EXACT).map_err(|error| Failure::Usage(error.message))?;
    let view = program_view(&program, source, system.processes());
    let completions = completions(&program);
    Ok(ModelTarget::new(ProgramModel { program, view, completions }, system))
}

impl<P: Program> Model for ProgramModel<P> {
    type System = P::System;

    fn read(&self, text: &str) -> Result<Reading<P::System>, Vec<Diagnostic>> {
        let formula = self.program.formula(text)?;
        let mut alphabet: Alphabet<P::Atom> = Alphabet::default();
        let whole = Span::new(0, text.len());
        let too_many = |error: selvedge_ltl::letter::TooManyProps| {
            vec![Diagnostic::error("debug::too-many-propositions", error.to_string(), whole, "")]
        };
        let formula = alphabet.number(&formula).map_err(too_many)?;
        let system = self.program.system(alphabet.names(), EXACT).map_err(|error| vec![error])?;
        let shares_states = self.program.has_same_states(alphabet.names(), EXACT);
        let propositions = alphabet.names().iter().map(ToString::to_string).collect();
        Ok(Reading { formula, propositions, system, shares_states })
    }

    fn program(&self) -> ProgramView {
        self.view.clone()
    }

    fn forget_last_mover(&self, system: &P::System, state: &mut [Word]) {
        system.forget_last_mover(state);
    }

    fn control(&self, system: &P::System, state: &[Word], process: usize) -> ControlView {
        let Some(inspector) = self.program.inspector() else { return ControlView::default() };
        let control = inspector.control(system, state, process);
        ControlView { at: control.at, next: control.next, line: control.line.map(|line| line as u32) }
    }

    fn evaluate(&self, system: &P::System, text: &str, state: &[Word]) -> Result<String, String> {
        let Some(inspector) = self.program.inspector() else {
            let value = system.show(state).into_iter().find(|(name, _)| name == text);
            return value.map(|(_, value)| value).ok_or_else(|| format!("there is no value `{text}`"));
        };
        inspector.evaluate(system, text, state).map_err(|diagnostics| {
            let messages: Vec<String> = diagnostics.into_iter().map(|it| it.message).collect();
            messages.join("; ")
        })
    }

    fn completions(&self) -> Vec<Completion> {
        self.completions.clone()
    }

    /// A message of a channel: `send c, e` or `receive c, x`.
    fn transfer(&self, step: &str) -> Option<Transfer> {
        let (word, rest) = step.split_once(' ')?;
        let kind = match word {
            "send" => TransferKind::Give,
            "receive" => TransferKind::Take,
            _ => return None,
        };
        let (channel, _) = rest.split_once(',')?;
        Some(Transfer { kind, name: format!("channel {channel}"), is_queue: true })
    }

    fn has_comparisons(&self) -> bool {
        self.program.inspector().is_some()
    }
}

fn program_view<P: Program>(program: &P, source: &Source, processes: usize) -> ProgramView {
    let property = |property: &Property<P::Atom>| PropertyView {
        name: property.name.clone(),
        formula: property.formula.to_string(),
    };
    let inspector = program.inspector();
    let mut view = ProgramView {
        title: source.name.clone(),
        sources: vec![SourceText { name: source.name.clone(), text: source.text.clone() }],
        properties: program.properties().iter().map(property).collect(),
        exec: inspector.map(|_| ("exec(".to_owned(), ")".to_owned())),
        ..ProgramView::default()
    };
    for (index, name) in program.flow_graph_names().into_iter().enumerate().take(processes) {
        let lines = inspector.and_then(|inspector| inspector.lines(index));
        let code = lines.map(|(first, last)| CodeRange { source: 0, first: first as u32, last: last as u32 });
        view.processes.push(ProcessView { name: name.to_owned(), flow: Some(index as u32), code });
        view.flows.push(flow_view(program, index, name));
    }
    view
}

fn flow_view<P: Program>(program: &P, index: usize, name: &str) -> FlowView {
    let graph = program.draw_flow_graph(index);
    let described = program.inspector().map(|inspector| inspector.drawn_nodes(index)).unwrap_or_default();
    let nodes = graph.nodes().map(|(id, node)| {
        let shape = match node.shape {
            Shape::Diamond => "diamond",
            Shape::Ellipse => "ellipse",
            _ => "box",
        };
        let described = described.get(id.0 as usize);
        FlowNode {
            label: node.label.clone(),
            shape: shape.to_owned(),
            line: described.and_then(|it| it.line).map(|line| line as u32),
            proposition: described.and_then(|it| it.proposition.clone()),
        }
    });
    let edges =
        graph.edges().map(|(from, to, edge)| FlowEdge { from: from.0, to: to.0, label: edge.label.clone() });
    let initial = graph.initials().first().map_or(0, |node| node.0);
    FlowView { name: name.to_owned(), nodes: nodes.collect(), edges: edges.collect(), initial, svg: None }
}

fn completions<P: Program>(program: &P) -> Vec<Completion> {
    let suggestions = program.inspector().map(|inspector| inspector.suggestions()).unwrap_or_default();
    let suggested = suggestions.into_iter().map(|suggestion| Completion {
        text: suggestion.text,
        kind: match suggestion.kind {
            SuggestionKind::Proposition => CompletionKind::Proposition,
            SuggestionKind::Definition => CompletionKind::Definition,
            SuggestionKind::Variable => CompletionKind::Variable,
            SuggestionKind::Value => CompletionKind::Value,
        },
        detail: String::new(),
    });
    suggested.collect()
}
