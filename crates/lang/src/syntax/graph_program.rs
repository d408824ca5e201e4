//! A program of PARALLEL or of flow: processes that are flow graphs.

use super::atom::Atom;
use super::declare::one_line;
use super::formula::{AsWritten, AtomReader, Definitions, RawAtom};
use super::resolve::{Resolver, Scope};
use super::unfold::unfold;
use crate::flow_graph::{FlowGraph, FlowGraphs};
use crate::inspect::Inspector;
use crate::machine::{self, Domains, Machine, Observed, TooManyPropositions, infer};
use crate::program::{Program, Property, SystemOptions};
use selvedge_draw::Graph;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use std::sync::{Arc, OnceLock};

/// A program whose processes are flow graphs.
#[derive(Clone, Debug)]
pub struct GraphProgram {
    pub(crate) scope: Scope,
    pub(crate) definitions: Definitions,
    pub(crate) flow_graphs: Arc<FlowGraphs>,
    pub(crate) properties: Vec<Property<Atom>>,
    /// The declared names that have a hyphen.
    pub(crate) hyphenated: Vec<String>,
    /// The values of the variables, inferred when the first system is made; all later systems use them too.
    pub(crate) domains: OnceLock<Domains>,
}

impl Program for GraphProgram {
    type Atom = Atom;
    type System = Machine;

    fn properties(&self) -> &[Property<Atom>] {
        &self.properties
    }

    fn formula(&self, text: &str) -> Result<Formula<Atom>, Vec<Diagnostic>> {
        let (mut diagnostics, whole) = (Vec::new(), Span::new(0, text.len()));
        let raw = self.read_formula(text, &mut diagnostics);
        let mut scope = self.scope.clone();
        let resolver = Resolver::of_formula(&mut scope, &mut diagnostics, usize::MAX);
        let unfolded = unfold((&raw, whole), resolver, &self.definitions);
        let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if has_errors { Err(diagnostics) } else { Ok(unfolded) }
    }

    fn written(&self, text: &str) -> Option<String> {
        let raw = self.read_formula(text, &mut Vec::new());
        raw.is_unfolded(&self.definitions).then(|| one_line(text))
    }

    fn system(&self, atoms: &[Atom], options: SystemOptions) -> Result<Machine, Diagnostic> {
        let observed: Vec<Observed> = atoms.iter().map(Atom::observed).collect();
        let domains = self.domains.get_or_init(|| infer(&self.flow_graphs));
        let program = (self.flow_graphs.clone(), domains);
        Machine::new(program, &observed, options, self.scope.line_starts.clone())
            .map_err(|error| self.too_many_propositions(error))
    }

    fn has_same_states(&self, atoms: &[Atom], options: SystemOptions) -> bool {
        let observed: Vec<Observed> = atoms.iter().map(Atom::observed).collect();
        machine::has_same_states(&self.flow_graphs, &observed, options)
    }

    fn flow_graph_names(&self) -> Vec<&str> {
        self.flow_graphs.graphs.iter().map(|graph| graph.name.as_str()).collect()
    }

    fn draw_flow_graph(&self, index: usize) -> Graph {
        self.flow_graphs.graphs[index].to_graph()
    }

    fn inspector(&self) -> Option<&dyn Inspector<Machine>> {
        Some(self)
    }
}

impl GraphProgram {
    /// The flow graphs, one a process.
    pub fn flow_graphs(&self) -> &[FlowGraph] {
        &self.flow_graphs.graphs
    }

    /// A formula over this program, with its definitions as they are written.
    fn read_formula(&self, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Formula<RawAtom> {
        let hyphenated = self.hyphenated.iter().map(String::as_str).collect();
        let is_declared =
            |word: &str| self.scope.begins_proposition(word) || self.definitions.contains_key(word);
        let reader = AtomReader::new(self.scope.dialect, &hyphenated, &is_declared);
        reader.formula(text, Span::new(0, text.len()), diagnostics)
    }

    fn too_many_propositions(&self, error: TooManyPropositions) -> Diagnostic {
        let code = self.scope.dialect.codes.too_many_propositions;
        Diagnostic::error(code, error.to_string(), Span::default(), "")
            .help("check the properties one at a time")
    }
}
