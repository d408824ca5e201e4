//! A program from a file: declarations checked, families unfolded, processes compiled, properties read.

use super::ast::{File, Name, Process, Variable as Declared};
use super::compile::flow_graph;
use super::formula::{Definition, Definitions, read};
use super::parse::{MAX_DIAGNOSTICS, Parser};
use super::resolve::{Resolver, Scope, Unknown};
use super::token::{Hyphenated, Lexer, declared_with_hyphen};
use super::{Program, Property, unfold};
use crate::flow::{Cell, Channel, ChannelId, FlowGraph, FlowProgram, Variable};
use crate::suggest;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::{Source, Span};
use std::sync::{Arc, OnceLock};

/// The most processes of one program, families unfolded.
pub const MAX_PROCESSES: usize = 20_000;

/// The longest array, and the largest capacity of a channel.
pub const MAX_LENGTH: usize = 65_536;

/// Reads a file: the program, unless there are errors, and everything that is to be said about it.
pub fn parse(source: &Source) -> (Option<Program>, Vec<Diagnostic>) {
    parse_with(source, &[])
}

/// Reads a file with other values for some of its `const`s.
pub fn parse_with(source: &Source, settings: &[(String, i64)]) -> (Option<Program>, Vec<Diagnostic>) {
    let text = source.text.as_str();
    let hyphenated = declared_with_hyphen(text);
    let lexer = Lexer { text, at: 0, end: text.len(), hyphenated: &hyphenated, in_formula: false };
    let mut parser = Parser::new(lexer);
    let file = parser.file();
    if parser.too_deep {
        return (None, parser.diagnostics);
    }
    let mut builder = Builder { text, scope: Scope::default(), diagnostics: parser.diagnostics };
    let program = builder.program(&file, &hyphenated, settings);
    told(program, builder.diagnostics)
}

/// The program, unless there are errors, and what is to be said, in order.
pub(crate) fn told(
    program: Option<Program>,
    mut diagnostics: Vec<Diagnostic>,
) -> (Option<Program>, Vec<Diagnostic>) {
    let mut seen = FxHashSet::default();
    diagnostics.retain(|diagnostic| seen.insert((diagnostic.code, diagnostic.primary.0)));
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    // Errors before warnings, and not more than a person reads.
    diagnostics
        .sort_by_key(|diagnostic| (std::cmp::Reverse(diagnostic.severity), diagnostic.primary.0.start));
    diagnostics.truncate(MAX_DIAGNOSTICS);
    (program.filter(|_| !failed), diagnostics)
}

pub(crate) struct Builder<'a> {
    pub(crate) text: &'a str,
    pub(crate) scope: Scope,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Builder<'_> {
    fn program(
        &mut self,
        file: &File,
        hyphenated: &Hyphenated<'_>,
        settings: &[(String, i64)],
    ) -> Option<Program> {
        self.declarations(file, settings);
        let instances = self.instances(file)?;
        let mut graphs = Vec::new();
        for (index, instance) in instances.iter().enumerate() {
            self.locals(instance);
            let mut resolver = self.resolver(Some(instance));
            graphs.push(flow_graph(instance.name.clone(), &instance.process.body, &mut resolver)?);
            // A family's members have the same mistakes; one of them is enough.
            let errors = self.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
            if errors > MAX_DIAGNOSTICS && index + 1 < instances.len() {
                return None;
            }
        }
        Some(self.finish(file, hyphenated, graphs))
    }

    /// Definitions and properties are read when every name is known.
    pub(crate) fn finish(
        &mut self,
        file: &File,
        hyphenated: &Hyphenated<'_>,
        graphs: Vec<FlowGraph>,
    ) -> Program {
        let definitions = self.definitions(file, hyphenated);
        let properties = self.properties(file, hyphenated, &definitions);
        let variables = self.scope.variables.clone();
        let flow = FlowProgram { variables, channels: self.scope.channels.clone(), graphs };
        let newlines = self.text.match_indices('\n').map(|(offset, _)| offset + 1);
        Program {
            scope: std::mem::take(&mut self.scope),
            definitions,
            flow: Arc::new(flow),
            properties,
            hyphenated: hyphenated.iter().map(|name| (*name).to_owned()).collect(),
            line_starts: std::iter::once(0).chain(newlines).collect(),
            domains: OnceLock::new(),
        }
    }

    pub(crate) fn resolver(&mut self, instance: Option<&Instance<'_>>) -> Resolver<'_> {
        Resolver {
            scope: &mut self.scope,
            diagnostics: &mut self.diagnostics,
            unknown: Unknown::Declare,
            process: instance.filter(|i| !i.process.locals.is_empty()).map(|i| i.name.clone()),
            parameter: instance.and_then(|instance| instance.parameter.clone()),
        }
    }

    pub(crate) fn declarations(&mut self, file: &File, settings: &[(String, i64)]) {
        let mut names = Names::default();
        for constant in &file.constants {
            names.add(&constant.name, &mut self.diagnostics);
            let set = settings.iter().rev().find(|(name, _)| *name == constant.name.text);
            let value = match set {
                Some((_, value)) => Some(*value),
                None => self.integer(&constant.value),
            };
            self.scope.constants.insert(constant.name.text.clone(), value.unwrap_or(0));
        }
        self.unknown_settings(settings);
        for variable in &file.memory {
            names.add(&variable.name, &mut self.diagnostics);
            self.variable(variable, None);
        }
        for channel in &file.channels {
            names.add(&channel.name, &mut self.diagnostics);
            let capacity = self.length(&channel.capacity, "a channel's capacity");
            let id = ChannelId(self.scope.channels.len() as u32);
            self.scope.channels.push(Channel { name: channel.name.text.clone(), capacity });
            self.scope.channel_ids.insert(channel.name.text.clone(), id);
        }
        for (number, statement) in file.statements.iter().enumerate() {
            names.add(&statement.name, &mut self.diagnostics);
            let entry = (number as u32, statement.looping);
            self.scope.statements.insert(statement.name.text.clone(), entry);
        }
    }

    fn unknown_settings(&mut self, settings: &[(String, i64)]) {
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
            let place = Span::default();
            self.diagnostics.push(Diagnostic::error("par::unknown-constant", message, place, "").help(help));
        }
    }

    fn integer(&mut self, expr: &super::ast::Expr) -> Option<i64> {
        match self.resolver(None).constant(expr)? {
            Cell::Int(value) => Some(value),
            _ => {
                let message = "expected an integer, found null";
                self.diagnostics.push(Diagnostic::error("par::expected-constant", message, expr.span, ""));
                None
            }
        }
    }

    fn length(&mut self, expr: &super::ast::Expr, what: &str) -> usize {
        let Some(value) = self.integer(expr) else { return 1 };
        match usize::try_from(value) {
            Ok(length) if (1..=MAX_LENGTH).contains(&length) => length,
            _ => {
                let message = format!("{what} is from 1 to {MAX_LENGTH}, not {value}");
                self.diagnostics.push(Diagnostic::error("par::bad-length", message, expr.span, ""));
                1
            }
        }
    }

    fn variable(&mut self, declared: &Declared, instance: Option<&Instance<'_>>) {
        let length = declared.length.as_ref().map(|length| self.length(length, "an array's length"));
        let initial = match &declared.initial {
            Some(expr) => self.resolver(instance).constant(expr).unwrap_or(Cell::Null),
            None => Cell::Undefined,
        };
        let name = match instance {
            Some(instance) => format!("{}@{}", declared.name.text, instance.name),
            None => declared.name.text.clone(),
        };
        self.scope.declare(name.clone(), Variable { name, length, initial });
    }

    fn locals(&mut self, instance: &Instance<'_>) {
        let mut names = Names::default();
        for local in &instance.process.locals {
            names.add(&local.name, &mut self.diagnostics);
            self.variable(local, Some(instance));
        }
    }

    /// The processes, families unfolded; `None` if there are too many, or none.
    fn instances<'f>(&mut self, file: &'f File) -> Option<Vec<Instance<'f>>> {
        let mut instances: Vec<Instance<'f>> = Vec::new();
        for process in &file.processes {
            let Some(family) = &process.family else {
                self.check_number(&process.name);
                instances.push(Instance { process, name: process.name.text.clone(), parameter: None });
                continue;
            };
            let (first, last) = (self.integer(&family.first)?, self.integer(&family.last)?);
            if last.saturating_sub(first) >= (MAX_PROCESSES - instances.len().min(MAX_PROCESSES)) as i64 {
                self.too_many_processes(process.name.span);
                return None;
            }
            instances.extend((first..=last).map(|index| Instance {
                process,
                name: format!("{}({index})", process.name.text),
                parameter: Some((family.parameter.text.clone(), index)),
            }));
        }
        if instances.len() > MAX_PROCESSES {
            self.too_many_processes(instances[MAX_PROCESSES].process.name.span);
            return None;
        }
        for (index, instance) in instances.iter().enumerate() {
            self.scope.process_names.push(instance.name.clone());
            let before = self.scope.processes.insert(instance.name.clone(), index as u32);
            if let Some(before) = before {
                let name = &instance.process.name;
                let message = format!("there are two processes `{}`", instance.name);
                self.diagnostics.push(
                    Diagnostic::error("par::declared-twice", message, name.span, "the second")
                        .context(instances[before as usize].process.name.span, "the first"),
                );
            }
        }
        if instances.is_empty() {
            self.no_process(file);
            return None;
        }
        Some(instances)
    }

    fn check_number(&mut self, name: &Name) {
        if name.text.bytes().all(|byte| byte == b'0') {
            let message = "the numbers of processes begin with 1";
            self.diagnostics.push(
                Diagnostic::error("par::process-zero", message, name.span, "")
                    .help("0 is the last mover before anybody moved"),
            );
        }
    }

    fn too_many_processes(&mut self, span: Span) {
        let message = format!("there are more than {MAX_PROCESSES} processes");
        self.diagnostics.push(Diagnostic::error("par::too-many-processes", message, span, "from here on"));
    }

    /// The file has no process, or its families are empty; where something else is wrong, that may be why.
    fn no_process(&mut self, file: &File) {
        if self.has_errors() {
            return;
        }
        let diagnostic = match file.processes.first().and_then(|process| process.family.as_ref()) {
            None => {
                let place = Span::new(self.text.len(), self.text.len());
                Diagnostic::error("par::no-process", "the file has no process", place, "")
                    .help("write `process 1: skip`, say")
            }
            Some(family) => {
                let (first, last) = (self.integer(&family.first), self.integer(&family.last));
                let bounds = format!("from {} to {}", first.unwrap_or(0), last.unwrap_or(0));
                let message =
                    format!("there is no process, for there is no `{}` {bounds}", family.parameter.text);
                let place = Span::new(family.first.span.start, family.last.span.end);
                Diagnostic::error("par::no-process", message, place, "an empty range")
                    .help("a range counts upwards: its last number is not below its first")
            }
        };
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn definitions(&mut self, file: &File, hyphenated: &Hyphenated<'_>) -> Definitions {
        let mut names = Names::default();
        let mut definitions = Definitions::default();
        let known = self.known(file);
        for define in &file.defines {
            names.add(&define.name, &mut self.diagnostics);
            let parameters: Vec<String> = define.parameters.iter().map(|name| name.text.clone()).collect();
            let knows = |word: &str| known.contains(word) || parameters.iter().any(|p| p == word);
            let formula = read(self.text, define.formula, hyphenated, &knows, &mut self.diagnostics);
            definitions.insert(define.name.text.clone(), Definition { parameters, formula });
        }
        definitions
    }

    fn known(&self, file: &File) -> FxHashSet<String> {
        let defined = file.defines.iter().map(|define| define.name.text.clone());
        let processes = self.scope.process_names.iter().filter(|_| self.scope.nodes.is_some());
        self.scope.variable_ids.keys().chain(processes).cloned().chain(defined).collect()
    }

    fn properties(
        &mut self,
        file: &File,
        hyphenated: &Hyphenated<'_>,
        definitions: &Definitions,
    ) -> Vec<Property> {
        let mut names = Names::default();
        let known = self.known(file);
        let mut properties = Vec::new();
        for property in &file.properties {
            names.add(&property.name, &mut self.diagnostics);
            let knows = |word: &str| known.contains(word);
            let raw = read(self.text, property.formula, hyphenated, &knows, &mut self.diagnostics);
            let formula =
                unfold((&raw, property.formula), &mut self.scope, definitions, &mut self.diagnostics);
            let (name, span, expect) = (property.name.text.clone(), property.formula, property.expect);
            properties.push(Property { name, span, formula, expect });
        }
        properties
    }
}

/// One process of a family, or one that stands alone.
pub(crate) struct Instance<'f> {
    process: &'f Process,
    name: String,
    parameter: Option<(String, i64)>,
}

/// Names of one kind, each to be declared once.
#[derive(Default)]
pub(crate) struct Names {
    places: FxHashMap<String, Span>,
}

impl Names {
    pub(crate) fn add(&mut self, name: &Name, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(first) = self.places.insert(name.text.clone(), name.span) {
            let message = format!("`{}` is declared twice", name.text);
            diagnostics.push(
                Diagnostic::error("par::declared-twice", message, name.span, "the second")
                    .context(first, "the first"),
            );
        }
    }
}
