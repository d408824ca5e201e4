//! From a PARALLEL file to a program: declarations are checked, families unfolded, processes compiled.

use super::ast::{File, Process};
use super::channels::{declare_channel, refuse_too_many_meetings};
use super::compile::{Procedures, flow_graph};
use super::create::{created_body, declare_creatable};
use super::dialect::PARALLEL;
use super::parse::FileParser;
use super::types::declare_types;
use crate::flow_graph::FlowGraph;
use crate::syntax::MAX_DIAGNOSTICS;
use crate::syntax::declare::{Builder, Owner, UniqueNames, finish_diagnostics};
use crate::syntax::graph_program::GraphProgram;
use crate::syntax::token::{Lexer, declared_with_hyphen};
use crate::syntax::tree::Name;
use rustc_hash::FxHashSet;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};

/// The most processes of one program, families unfolded.
pub const MAX_PROCESSES: usize = 20_000;

/// Reads a file: the program, unless there are errors, and all diagnostics about it.
pub fn parse(source: &Source) -> (Option<GraphProgram>, Vec<Diagnostic>) {
    parse_with(source, &[])
}

/// Reads a file with other values for some of its `const`s.
pub fn parse_with(source: &Source, settings: &[(String, i64)]) -> (Option<GraphProgram>, Vec<Diagnostic>) {
    let text = source.text.as_str();
    let hyphenated = declared_with_hyphen(text);
    let mut parser = FileParser::new(Lexer::new(text, &hyphenated));
    let file = parser.file();
    if parser.shared.is_too_deep {
        return (None, parser.shared.diagnostics);
    }
    let mut builder = Builder::new(text, &PARALLEL, &hyphenated, parser.shared.diagnostics);
    match graphs(&file, &mut builder, settings) {
        Some(graphs) => {
            let (program, diagnostics) = builder.finish(&file.declarations, graphs);
            finish_diagnostics(Some(program), diagnostics)
        }
        None => finish_diagnostics(None, builder.diagnostics),
    }
}

/// One graph a process; `None` if there are too many processes, none, or too many errors.
fn graphs(file: &File, builder: &mut Builder<'_>, settings: &[(String, i64)]) -> Option<Vec<FlowGraph>> {
    let mut names = UniqueNames::default();
    declare_types(file, builder, &mut names);
    builder.declare(&file.declarations, settings, &mut names);
    declare_channels(file, builder, &mut names);
    let looping = declare_statements(file, builder, &mut names);
    let procedures = declare_procedures(file, builder, &mut names);
    let instances = instances(file, builder)?;
    let mut graphs = Vec::new();
    // A `create` anywhere assigns the parameters of the created process.
    for instance in instances.iter().filter(|instance| instance.created.is_some()) {
        declare_locals(instance, builder);
    }
    for (index, instance) in instances.iter().enumerate() {
        if instance.created.is_none() {
            declare_locals(instance, builder);
        }
        let mut resolver = builder.resolver(Some(&instance.owner()));
        let process = (index as u32, instance.name.clone());
        let created = instance.created.map(|number| created_body(instance.process, number));
        let body = created.as_ref().unwrap_or(&instance.process.body);
        let mut graph = flow_graph(process, body, &mut resolver, (&looping, &procedures))?;
        let priority = instance.process.priority.as_ref();
        graph.priority =
            priority.and_then(|priority| builder.integer_of(Some(&instance.owner()), priority)).unwrap_or(0);
        graphs.push(graph);
        // All members of a family have the same errors; those of one member are enough.
        if index + 1 < instances.len() && builder.error_count() > MAX_DIAGNOSTICS {
            return None;
        }
    }
    refuse_too_many_meetings(file, &graphs, builder);
    Some(graphs)
}

fn declare_channels(file: &File, builder: &mut Builder<'_>, names: &mut UniqueNames) {
    for channel in &file.channels {
        builder.declare_name(&channel.name, names);
        declare_channel(channel, builder);
    }
}

/// The names of the looping user statements.
pub(super) type LoopingStatements = FxHashSet<String>;

fn declare_statements(file: &File, builder: &mut Builder<'_>, names: &mut UniqueNames) -> LoopingStatements {
    let mut looping = LoopingStatements::default();
    for (number, statement) in file.statements.iter().enumerate() {
        builder.declare_name(&statement.name, names);
        builder.scope.labels.insert(statement.name.text.clone(), number as u32);
        if statement.looping {
            looping.insert(statement.name.text.clone());
        }
    }
    looping
}

fn declare_procedures<'f>(
    file: &'f File,
    builder: &mut Builder<'_>,
    names: &mut UniqueNames,
) -> Procedures<'f> {
    let mut procedures = Procedures::default();
    for procedure in &file.procedures {
        builder.declare_name(&procedure.name, names);
        procedures.insert(&procedure.name.text, procedure);
    }
    procedures
}

/// A member of a family of processes, or a process of its own.
struct Instance<'f> {
    process: &'f Process,
    name: String,
    /// The parameters of its family, with their values.
    parameters: Vec<(String, i64)>,
    /// Its number among its kind, from 0, if it is created.
    created: Option<usize>,
}

impl Instance<'_> {
    fn owner(&self) -> Owner<'_> {
        let has_locals = !self.process.locals.is_empty();
        Owner { process: &self.name, has_locals, parameters: &self.parameters }
    }
}

fn declare_locals(instance: &Instance<'_>, builder: &mut Builder<'_>) {
    let mut names = UniqueNames::default();
    for local in &instance.process.locals {
        builder.declare_name(&local.name, &mut names);
        builder.declare_variable(local, Some(&instance.owner()));
    }
}

/// The processes, families unfolded; `None` if there are too many, or none.
fn instances<'f>(file: &'f File, builder: &mut Builder<'_>) -> Option<Vec<Instance<'f>>> {
    let mut instances: Vec<Instance<'f>> = Vec::new();
    for process in &file.processes {
        let most = MAX_PROCESSES.saturating_sub(instances.len());
        if process.created.is_some() {
            instances.extend(creatable(process, most, builder)?);
            continue;
        }
        if process.family.is_empty() {
            refuse_number_zero(&process.name, builder);
            let name = process.name.text.clone();
            instances.push(Instance { process, name, parameters: Vec::new(), created: None });
            continue;
        }
        let members = members(process, most, builder)?;
        instances.extend(members.into_iter().map(|parameters| {
            let values: Vec<String> = parameters.iter().map(|(_, value)| value.to_string()).collect();
            let name = format!("{}({})", process.name.text, values.join(", "));
            Instance { process, name, parameters, created: None }
        }));
    }
    if instances.len() > MAX_PROCESSES {
        report_too_many_processes(instances[MAX_PROCESSES].process.name.span, builder);
        return None;
    }
    declare_processes(&instances, builder);
    if instances.is_empty() {
        report_no_process(file, builder);
        return None;
    }
    Some(instances)
}

/// The processes that can be created; `None` if there are more than `most`, or none, which is reported.
fn creatable<'f>(process: &'f Process, most: usize, builder: &mut Builder<'_>) -> Option<Vec<Instance<'f>>> {
    let (max, _) = process.created.as_ref()?;
    let count = builder.length(max, "the number of processes that are created");
    if count > most {
        report_too_many_processes(process.name.span, builder);
        return None;
    }
    declare_creatable(process, count, builder);
    let instance = |number: usize| Instance {
        process,
        name: format!("{}({})", process.name.text, number + 1),
        parameters: Vec::new(),
        created: Some(number),
    };
    Some((0..count).map(instance).collect())
}

/// The parameters of each member of a family, the last one counted first; `None` if there are more than
/// `most`, which is reported.
fn members(process: &Process, most: usize, builder: &mut Builder<'_>) -> Option<Vec<Vec<(String, i64)>>> {
    let mut members = vec![Vec::new()];
    for range in &process.family {
        let (first, last) = (builder.integer(&range.first)?, builder.integer(&range.last)?);
        let count = usize::try_from(i128::from(last) - i128::from(first) + 1).unwrap_or(0);
        if count.saturating_mul(members.len()) > most {
            report_too_many_processes(process.name.span, builder);
            return None;
        }
        let with = |member: &Vec<(String, i64)>, value| {
            [member.as_slice(), &[(range.variable.text.clone(), value)]].concat()
        };
        members =
            members.iter().flat_map(|member| (first..=last).map(move |value| with(member, value))).collect();
    }
    Some(members)
}

fn declare_processes(instances: &[Instance<'_>], builder: &mut Builder<'_>) {
    for (index, instance) in instances.iter().enumerate() {
        builder.scope.process_names.push(instance.name.clone());
        let before = builder.scope.processes.insert(instance.name.clone(), index as u32);
        if let Some(before) = before {
            let name = &instance.process.name;
            let message = format!("there are two processes `{}`", instance.name);
            builder.diagnostics.push(
                Diagnostic::error("par::declared-twice", message, name.span, "the second")
                    .context(instances[before as usize].process.name.span, "the first"),
            );
        }
    }
}

fn refuse_number_zero(name: &Name, builder: &mut Builder<'_>) {
    if name.text.bytes().all(|byte| byte == b'0') {
        let message = "the numbers of processes begin with 1";
        builder.diagnostics.push(
            Diagnostic::error("par::process-zero", message, name.span, "")
                .help("0 is the last mover before any process moved"),
        );
    }
}

fn report_too_many_processes(span: Span, builder: &mut Builder<'_>) {
    let message = format!("there are more than {MAX_PROCESSES} processes");
    builder.diagnostics.push(Diagnostic::error("par::too-many-processes", message, span, "from here on"));
}

/// The file has no process, or its families are empty. Another error may be the reason, and then it is
/// enough.
fn report_no_process(file: &File, builder: &mut Builder<'_>) {
    if builder.error_count() > 0 {
        return;
    }
    let diagnostic = match file.processes.first().and_then(|process| process.family.first()) {
        None => {
            let place = Span::new(builder.text.len(), builder.text.len());
            Diagnostic::error("par::no-process", "the file has no process", place, "")
                .help("write `process 1: skip`, say")
        }
        Some(family) => {
            let (first, last) = (builder.integer(&family.first), builder.integer(&family.last));
            let bounds = format!("from {} to {}", first.unwrap_or(0), last.unwrap_or(0));
            let message = format!("there is no process, for there is no `{}` {bounds}", family.variable.text);
            let place = Span::new(family.first.span.start, family.last.span.end);
            Diagnostic::error("par::no-process", message, place, "an empty range")
                .help("a range counts upwards: its last number is not below its first")
        }
    };
    builder.diagnostics.push(diagnostic);
}
