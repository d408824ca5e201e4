//! Models of the repository as targets, with their texts and flow graphs.

use selvedge_debug::model::{ControlView, Reading};
use selvedge_debug::view::{
    CodeRange, Completion, CompletionKind, FlowEdge, FlowNode, FlowView, ProcessView, ProgramView,
    PropertyView, SourceText,
};
use selvedge_debug::{Model, ModelTarget, Target};
use selvedge_draw::Shape;
use selvedge_lang::machine::Machine;
use selvedge_lang::{GraphProgram, Inspector, Program, ProgramSystem, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Source;
use selvedge_model::Word;

const EXACT: SystemOptions = SystemOptions { exact: true, concrete: false, fair: false };

struct FileModel {
    name: &'static str,
    text: String,
    program: GraphProgram,
}

/// A model of `models/`, with the values of constants.
pub(crate) fn model(name: &'static str, settings: &[(String, i64)]) -> Box<dyn Target> {
    let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let source = Source::new(name, &text);
    let (program, diagnostics) = match name.ends_with(".flow") {
        true => selvedge_lang::flow::parse_with(&source, settings),
        false => selvedge_lang::parallel::parse_with(&source, settings),
    };
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let system = program.system(&[], EXACT).expect("a system");
    Box::new(ModelTarget::new(FileModel { name, text, program }, system))
}

impl FileModel {
    fn flow(&self, index: usize) -> FlowView {
        let graph = self.program.draw_flow_graph(index);
        let nodes = graph.nodes().zip(self.program.drawn_nodes(index)).map(|((_, node), drawn)| FlowNode {
            label: node.label.clone(),
            shape: if node.shape == Shape::Diamond { "diamond" } else { "box" }.to_owned(),
            line: drawn.line.map(|line| line as u32),
            proposition: drawn.proposition,
        });
        let edges = graph.edges().map(|(from, to, edge)| FlowEdge {
            from: from.0,
            to: to.0,
            label: edge.label.clone(),
        });
        FlowView {
            name: self.program.flow_graph_names()[index].to_owned(),
            nodes: nodes.collect(),
            edges: edges.collect(),
            initial: graph.initials()[0].0,
            svg: None,
        }
    }

    fn process(&self, index: usize, name: &str) -> ProcessView {
        let range =
            |(first, last): (usize, usize)| CodeRange { source: 0, first: first as u32, last: last as u32 };
        ProcessView {
            name: name.to_owned(),
            flow: Some(index as u32),
            code: self.program.lines(index).map(range),
        }
    }
}

impl Model for FileModel {
    type System = Machine;

    fn read(&self, text: &str) -> Result<Reading<Machine>, Vec<Diagnostic>> {
        let mut alphabet = Alphabet::default();
        let formula = alphabet.number(&self.program.formula(text)?).expect("few propositions");
        let system = self.program.system(alphabet.names(), EXACT).map_err(|error| vec![error])?;
        let propositions = alphabet.names().iter().map(ToString::to_string).collect();
        Ok(Reading { formula, propositions, system, shares_states: true })
    }

    fn program(&self) -> ProgramView {
        let names = self.program.flow_graph_names();
        let properties = self.program.properties().iter().map(|property| PropertyView {
            name: property.name.clone(),
            formula: property.formula.to_string(),
        });
        ProgramView {
            title: self.name.to_owned(),
            sources: vec![SourceText { name: self.name.to_owned(), text: self.text.clone() }],
            processes: names.iter().enumerate().map(|(index, name)| self.process(index, name)).collect(),
            flows: (0..names.len()).map(|index| self.flow(index)).collect(),
            properties: properties.collect(),
            exec: Some(("exec(".to_owned(), ")".to_owned())),
            ..ProgramView::default()
        }
    }

    fn forget_last_mover(&self, system: &Machine, state: &mut [Word]) {
        system.forget_last_mover(state);
    }

    fn control(&self, system: &Machine, state: &[Word], process: usize) -> ControlView {
        let control = self.program.control(system, state, process);
        ControlView { at: control.at, next: control.next, line: control.line.map(|line| line as u32) }
    }

    fn evaluate(&self, system: &Machine, text: &str, state: &[Word]) -> Result<String, String> {
        let value = self.program.evaluate(system, text, state);
        value.map_err(|diagnostics| diagnostics[0].message.clone())
    }

    fn completions(&self) -> Vec<Completion> {
        let texts = self.program.suggestions().into_iter().map(|suggestion| suggestion.text);
        texts
            .map(|text| Completion { text, kind: CompletionKind::Proposition, detail: String::new() })
            .collect()
    }

    fn has_comparisons(&self) -> bool {
        true
    }
}
