//! flow: the language of the temporal debugger, in which each process is drawn as a flow graph.
//!
//! The Pascal-like language of Elsa Gunter and Doron Peled, Temporal Debugging for Concurrent Systems,
//! Figure 3.
//!
//! ```text
//! file      = { declaration }
//! declaration = "var" variable { "," variable } ";"
//!           | "const" name "=" expression { "," name "=" expression } ";"
//!           | ( "Process" | "process" ) name ":" statement "."
//!           | "define" name [ "(" name { "," name } ")" ] "=" formula [ ";" ]
//!           | "property" name ":" formula [ "expect" ( "holds" | "violated" ) ]
//! variable  = name [ "[" expression "]" ] [ "=" expression ]
//! statement = place ":=" expression | "wait" test | "begin" [ statement ] { ";" [ statement ] } "end"
//!           | "while" test "do" statement | "if" test "then" statement [ "else" statement ]
//!           | label ":" statement
//! place     = name [ "[" expression "]" ]
//! ```
//!
//! Expressions, comments, definitions and properties are those of [`crate::parallel`]. An assignment is one
//! step with its reads, a test is one step either way, and `wait e` is one step that is enabled only where e
//! holds. `begin` is no step.
//!
//! A variable that is assigned somewhere need not be declared, as in Figure 3; it is undefined at first, and
//! equals nothing but `null` until it is assigned. `var turn = 0;` gives it an initial value; the paper has
//! a process for that.
//!
//! The nodes of a process are numbered from 1 in post-order, a test after the statements that it guards.
//! Those of the first process are `m1`, `m2`, .., then come `n1`, `o1`, .. `z1`, `a1`, .. `l1`, `mm1`,
//! `mn1`, ..; `label: statement` gives a node another name. `P0 at m2` (or `P0.at.m2`, `P0_at_m2`, `at(P0,
//! m2)`) holds where `m2` is the node that P0 executed last; `P0 at m0` where it has executed no node yet.
//!
//! ```
//! use selvedge_lang::Program;
//! use selvedge_ltl::source::Source;
//! let text = "Process P0: begin x := 1; wait x = 2 end. property waits: <> [] P0.at.m1";
//! let (program, diagnostics) = selvedge_lang::flow::parse(&Source::new("one.flow", text));
//! assert!(diagnostics.is_empty());
//! assert_eq!(program.expect("a program").properties()[0].formula.to_string(), "F G P0.at.m1");
//! ```
//!
//! Promise: a text of any kind gives a program or messages, never a panic; what is not understood is
//! refused.

mod ast;
pub(crate) mod dialect;
mod graph;
mod parse;

use crate::flow_graph::{Cell, FlowGraph, Variable};
use crate::syntax::declare::{Builder, UniqueNames, finish_diagnostics};
use crate::syntax::graph_program::GraphProgram;
use crate::syntax::resolve::Resolver;
use crate::syntax::token::{Lexer, declared_with_hyphen};
use crate::syntax::tree::ExprKind;
use ast::{File, Process, Statement, StatementKind};
use dialect::FLOW;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};

/// The most processes of one program.
pub const MAX_PROCESSES: usize = 20_000;

/// Reads a file: the program, unless there are errors, and all diagnostics about it.
pub fn parse(source: &Source) -> (Option<GraphProgram>, Vec<Diagnostic>) {
    parse_with(source, &[])
}

/// Reads a file with other values for some of its `const`s.
pub fn parse_with(source: &Source, settings: &[(String, i64)]) -> (Option<GraphProgram>, Vec<Diagnostic>) {
    let text = source.text.as_str();
    let hyphenated = declared_with_hyphen(text);
    let mut parser = parse::FileParser::new(Lexer::new(text, &hyphenated));
    let file = parser.file();
    if parser.shared.is_too_deep {
        return finish_diagnostics(None, parser.shared.diagnostics);
    }
    let mut builder = Builder::new(text, &FLOW, &hyphenated, parser.shared.diagnostics);
    builder.declare(&file.declarations, settings, &mut UniqueNames::default());
    match graphs(&file, &mut builder) {
        Some(graphs) => {
            let (program, diagnostics) = builder.finish(&file.declarations, graphs);
            finish_diagnostics(Some(program), diagnostics)
        }
        None => finish_diagnostics(None, builder.diagnostics),
    }
}

/// One graph a process; `None` if there are too many, or none.
fn graphs(file: &File, builder: &mut Builder<'_>) -> Option<Vec<FlowGraph>> {
    let place = Span::new(builder.text.len(), builder.text.len());
    if file.processes.is_empty() {
        // Another error may be the reason, and then it is enough.
        if builder.error_count() == 0 {
            let diagnostic = Diagnostic::error("flow::no-process", "the file has no process", place, "");
            builder.diagnostics.push(diagnostic.help("write `Process P0: begin x := 1 end.`, say"));
        }
        return None;
    }
    if file.processes.len() > MAX_PROCESSES {
        let message = format!("there are more than {MAX_PROCESSES} processes");
        builder.diagnostics.push(Diagnostic::error("flow::too-many-processes", message, place, ""));
        return None;
    }
    let mut names = UniqueNames::default();
    for (index, process) in file.processes.iter().enumerate() {
        builder.declare_name(&process.name, &mut names);
        builder.scope.processes.insert(process.name.text.clone(), index as u32);
        builder.scope.process_names.push(process.name.text.clone());
    }
    let mut resolver = builder.resolver(None);
    file.processes.iter().for_each(|process| declare_assigned(&process.body, &mut resolver));
    let graph = |(index, process): (usize, &Process)| {
        let (graph, labels) = graph::flow_graph(process, &graph::letters(index), &mut resolver);
        resolver.scope.node_labels.push(labels);
        graph
    };
    Some(file.processes.iter().enumerate().map(graph).collect())
}

/// Declares the variables that are assigned, which need no declaration of their own.
fn declare_assigned(statement: &Statement, resolver: &mut Resolver<'_>) {
    match &statement.kind {
        StatementKind::Assign(lvalue, _) => {
            let scope = &mut *resolver.scope;
            if let ExprKind::Name(name) = &lvalue.kind
                && !scope.variable_ids.contains_key(name)
                && !scope.constants.contains_key(name)
            {
                let name = name.to_owned();
                scope.declare(name.clone(), Variable::new(name, None, Cell::Undefined));
            }
        }
        StatementKind::Wait(_) => {}
        StatementKind::While(_, body) => declare_assigned(body, resolver),
        StatementKind::If(_, yes, no) => {
            declare_assigned(yes, resolver);
            no.iter().for_each(|no| declare_assigned(no, resolver));
        }
        StatementKind::Block(block) => block.iter().for_each(|inner| declare_assigned(inner, resolver)),
    }
}
