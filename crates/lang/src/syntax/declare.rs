//! From declarations to a program: a scope is filled, then definitions and properties are read.
//!
//! A language adds its own declarations and its processes between the two halves: [`Builder::declare`] comes
//! first, [`Builder::finish`] last, with the flow graphs of the processes.

use super::atom::Atom;
use super::dialect::{Codes, Dialect};
use super::formula::{AsWritten, AtomReader, Definition, Definitions, RawAtom};
use super::function::{Bound, Function, Unfolding};
use super::graph_program::GraphProgram;
use super::parser::{MAX_DIAGNOSTICS, Parser};
use super::resolve::{Resolver, Scope, Unknown};
use super::suggest;
use super::token::{Hyphenated, Lexer};
use super::tree::{Declarations, Expr, Name};
use super::unfold::unfold;
use crate::flow_graph::{Cell, FlowGraph, FlowGraphs};
use crate::program::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use std::sync::{Arc, OnceLock};

/// The longest array, and the largest capacity of a channel.
pub const MAX_LENGTH: usize = 65_536;

/// The program, unless there are errors, and its diagnostics: errors first, in the order of the text.
pub(crate) fn finish_diagnostics(
    program: Option<GraphProgram>,
    mut diagnostics: Vec<Diagnostic>,
) -> (Option<GraphProgram>, Vec<Diagnostic>) {
    let mut seen = FxHashSet::default();
    diagnostics.retain(|diagnostic| seen.insert((diagnostic.code, diagnostic.primary.0)));
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    diagnostics
        .sort_by_key(|diagnostic| (std::cmp::Reverse(diagnostic.severity), diagnostic.primary.0.start));
    diagnostics.truncate(MAX_DIAGNOSTICS);
    (program.filter(|_| !has_errors), diagnostics)
}

/// Builds the program of a file.
pub(crate) struct Builder<'a> {
    pub(crate) text: &'a str,
    pub(crate) scope: Scope,
    pub(crate) diagnostics: Vec<Diagnostic>,
    hyphenated: &'a Hyphenated<'a>,
}

/// The process that a text belongs to.
pub(crate) struct Owner<'o> {
    pub(crate) process: &'o str,
    /// Has the process local variables?
    pub(crate) has_locals: bool,
    /// The parameters of its family, with their values.
    pub(crate) parameters: &'o [(String, i64)],
}

impl<'a> Builder<'a> {
    /// The builder of a text whose declared names with hyphens are these.
    pub(crate) fn new(
        text: &'a str,
        dialect: &'static Dialect,
        hyphenated: &'a Hyphenated<'a>,
        diagnostics: Vec<Diagnostic>,
    ) -> Builder<'a> {
        Builder { text, scope: Scope::new(dialect, text), diagnostics, hyphenated }
    }

    /// Declares constants, with other values for some of them, and shared variables; adds their names.
    pub(crate) fn declare(
        &mut self,
        declarations: &Declarations,
        settings: &[(String, i64)],
        names: &mut UniqueNames,
    ) {
        for constant in &declarations.constants {
            self.declare_name(&constant.name, names);
            let setting = settings.iter().rev().find(|(name, _)| *name == constant.name.text);
            let value = match setting {
                Some((_, value)) => Some(*value),
                None => self.integer(&constant.value),
            };
            self.scope.constants.insert(constant.name.text.clone(), value.unwrap_or(0));
        }
        self.refuse_unknown_settings(settings);
        self.declare_functions(declarations);
        for variable in &declarations.variables {
            self.declare_name(&variable.name, names);
            self.declare_variable(variable, None);
        }
    }

    /// Reads definitions as expressions, so that programs can use them.
    fn declare_functions(&mut self, declarations: &Declarations) {
        let (lexer, dialect) = (Lexer::new(self.text, self.hyphenated), self.scope.dialect);
        for define in &declarations.defines {
            let function = Function::new(define, lexer, |lexer| Parser::new(lexer, dialect));
            self.scope.functions.insert(define.name.text.clone(), Arc::new(function));
        }
    }

    /// Reports a name that is declared for the second time.
    pub(crate) fn declare_name(&mut self, name: &Name, names: &mut UniqueNames) {
        self.diagnostics.extend(names.add(name, self.codes()));
    }

    fn refuse_unknown_settings(&mut self, settings: &[(String, i64)]) {
        for (name, _) in settings {
            if self.scope.constants.contains_key(name) {
                continue;
            }
            let message = format!("the file has no constant `{name}` to be set");
            let meant = suggest::nearest(name, self.scope.constants.keys().map(String::as_str));
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("declare it: `const {name} = 3;`"),
            };
            let code = self.codes().unknown_constant;
            self.diagnostics.push(Diagnostic::error(code, message, Span::default(), "").help(help));
        }
    }

    /// A constant expression that has to be an integer.
    pub(crate) fn integer(&mut self, expr: &Expr) -> Option<i64> {
        self.integer_of(None, expr)
    }

    /// A constant expression in a text of the owner that has to be an integer.
    pub(crate) fn integer_of(&mut self, owner: Option<&Owner<'_>>, expr: &Expr) -> Option<i64> {
        match self.resolver(owner).constant(expr)? {
            Cell::Int(value) => Some(value),
            _ => {
                let message = "expected an integer, found null";
                let code = self.codes().expected_constant;
                self.diagnostics.push(Diagnostic::error(code, message, expr.span, ""));
                None
            }
        }
    }

    /// The length of an array, or the capacity of a channel; 1 if it is none, which is reported.
    pub(crate) fn length(&mut self, expr: &Expr, what: &str) -> usize {
        let Some(value) = self.integer(expr) else { return 1 };
        match usize::try_from(value) {
            Ok(length) if (1..=MAX_LENGTH).contains(&length) => length,
            _ => {
                let message = format!("{what} is from 1 to {MAX_LENGTH}, not {value}");
                let code = self.codes().bad_length;
                self.diagnostics.push(Diagnostic::error(code, message, expr.span, ""));
                1
            }
        }
    }

    /// Looks up the names of a text that belongs to the owner, or to no process.
    pub(crate) fn resolver(&mut self, owner: Option<&Owner<'_>>) -> Resolver<'_> {
        let parameters = owner.map_or(&[][..], |owner| owner.parameters);
        Resolver {
            scope: &mut self.scope,
            diagnostics: &mut self.diagnostics,
            unknown: Unknown::Declare,
            max_shown: MAX_DIAGNOSTICS,
            process: owner.filter(|owner| owner.has_locals).map(|owner| owner.process.to_owned()),
            parameters: parameters
                .iter()
                .map(|(name, value)| (name.clone(), Bound::number(*value)))
                .collect(),
            unfolding: Unfolding::default(),
        }
    }

    /// Reads definitions and properties, since all names are declared now.
    pub(crate) fn finish(mut self, declarations: &Declarations, graphs: Vec<FlowGraph>) -> Finished {
        let definitions = self.definitions(declarations);
        let properties = self.properties(declarations, &definitions);
        let Builder { mut scope, diagnostics, hyphenated, .. } = self;
        scope.fix_kinds();
        let flow_graphs =
            FlowGraphs { variables: scope.variables.clone(), channels: scope.channels.clone(), graphs };
        let program = GraphProgram {
            scope,
            definitions,
            flow_graphs: Arc::new(flow_graphs),
            properties,
            hyphenated: hyphenated.iter().map(|name| (*name).to_owned()).collect(),
            domains: OnceLock::new(),
        };
        (program, diagnostics)
    }

    fn definitions(&mut self, declarations: &Declarations) -> Definitions {
        let mut names = UniqueNames::default();
        let mut definitions = Definitions::default();
        let declared = self.declared_names(declarations);
        for define in &declarations.defines {
            self.declare_name(&define.name, &mut names);
            let parameters: Vec<String> = define.parameters.iter().map(|name| name.text.clone()).collect();
            let is_declared = |word: &str| declared.contains(word) || parameters.iter().any(|p| p == word);
            let reader = AtomReader::new(self.scope.dialect, self.hyphenated, &is_declared);
            let mut errors = Vec::new();
            let mut formula = reader.formula(self.text, define.formula, &mut errors);
            // `(i + 1) % 3` is an expression and no formula.
            let function = &self.scope.functions[&define.name.text];
            match &function.body {
                Some(body) if !errors.is_empty() => formula = Formula::Prop(RawAtom::Test(body.clone())),
                _ => self.diagnostics.append(&mut errors),
            }
            definitions.insert(define.name.text.clone(), Definition { parameters, formula });
        }
        definitions
    }

    /// The names that a proposition can begin with.
    fn declared_names(&self, declarations: &Declarations) -> FxHashSet<String> {
        let defined = declarations.defines.iter().map(|define| define.name.text.clone());
        let with_processes = self.scope.processes_begin_propositions();
        let processes = self.scope.process_names.iter().filter(|_| with_processes);
        self.scope.variable_ids.keys().chain(processes).cloned().chain(defined).collect()
    }

    fn properties(&mut self, declarations: &Declarations, definitions: &Definitions) -> Vec<Property<Atom>> {
        let mut names = UniqueNames::default();
        let declared = self.declared_names(declarations);
        let mut properties = Vec::new();
        for property in &declarations.properties {
            self.declare_name(&property.name, &mut names);
            let is_declared = |word: &str| declared.contains(word);
            let reader = AtomReader::new(self.scope.dialect, self.hyphenated, &is_declared);
            let raw = reader.formula(self.text, property.formula, &mut self.diagnostics);
            let resolver = Resolver::of_formula(&mut self.scope, &mut self.diagnostics, MAX_DIAGNOSTICS);
            let formula = unfold((&raw, property.formula), resolver, definitions);
            let (name, span, expect) = (property.name.text.clone(), property.formula, property.expect);
            let written = raw.is_unfolded(definitions).then(|| one_line(&self.text[span.range()]));
            properties.push(Property { name, span, formula, written, expect });
        }
        properties
    }

    pub(crate) fn error_count(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    fn codes(&self) -> &'static Codes {
        &self.scope.dialect.codes
    }
}

/// The text of a formula without line breaks and comments.
pub(crate) fn one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The program, and all diagnostics about it.
pub(crate) type Finished = (GraphProgram, Vec<Diagnostic>);

/// Names of one kind, each to be declared once.
#[derive(Default)]
pub(crate) struct UniqueNames {
    spans: FxHashMap<String, Span>,
}

impl UniqueNames {
    /// Adds a name; the diagnostic if it is declared already.
    pub(crate) fn add(&mut self, name: &Name, codes: &Codes) -> Option<Diagnostic> {
        let first = self.spans.insert(name.text.clone(), name.span)?;
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(codes.declared_twice, message, name.span, "the second");
        Some(diagnostic.context(first, "the first"))
    }
}
