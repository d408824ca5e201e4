//! flow: the language of the temporal debugger, in which each process is drawn as a flow graph.
//!
//! The Pascal-like language of Elsa Gunter and Doron Peled, Temporal Debugging for Concurrent Systems, Figure 3.
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
//! Expressions, comments, definitions and properties are those of [`crate::parallel`]. An assignment is one step with its
//! reads, a test is one step either way, and `wait e` is one step that can be taken only where e holds. `begin` is no step.
//!
//! A variable that is assigned somewhere need not be declared, as in Figure 3; it is undefined at first, and equals nothing
//! but `null` until it is assigned. `var turn = 0;` gives it an initial value, where the paper has a process for that.
//!
//! The nodes of a process are numbered from 1 in post-order, a test after the statements that it guards. Those of the first
//! process are `m1`, `m2`, .., then come `n1`, `o1`, .. `z1`, `a1`, .. `l1`, `mm1`, `mn1`, ..; `label: statement` gives a node
//! another name. `P0 at m2` (or `P0.at.m2`, `P0_at_m2`, `at(P0, m2)`) holds where `m2` is the node that P0 executed
//! last; `P0 at m0` where it has executed nothing yet.
//!
//! ```
//! use selvedge_ltl::source::Source;
//! let text = "Process P0: begin x := 1; wait x = 2 end. property waits: <> [] P0.at.m1";
//! let (program, complaints) = selvedge_lang::flowlang::parse(&Source::new("one.flow", text));
//! assert!(complaints.is_empty());
//! assert_eq!(program.expect("a program").properties()[0].formula.to_string(), "F G P0.at.m1");
//! ```
//!
//! Promise: a text of any kind gives a program or messages, never a panic; what is not understood is refused.

mod ast;
mod codes;
mod graph;
mod parse;
mod proposition;

pub(super) use codes::recode;

use crate::flow::{Cell, FlowGraph, Variable};
use crate::parallel::Program;
use crate::parallel::build::{Builder, MAX_PROCESSES, Names, told};
use crate::parallel::resolve::{Resolver, Scope};
use crate::parallel::token::{Lexer, declared_with_hyphen};
use ast::{File, Process, Statement, StatementKind};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};

/// Reads a file: the program, unless there are errors, and everything that is to be said about it.
pub fn parse(source: &Source) -> (Option<Program>, Vec<Diagnostic>) {
    parse_with(source, &[])
}

/// Reads a file with other values for some of its `const`s.
pub fn parse_with(source: &Source, settings: &[(String, i64)]) -> (Option<Program>, Vec<Diagnostic>) {
    let text = source.text.as_str();
    let hyphenated = declared_with_hyphen(text);
    let lexer = Lexer { text, at: 0, end: text.len(), hyphenated: &hyphenated, in_formula: false };
    let mut parser = parse::Parser::new(lexer);
    let file = parser.file();
    let mut diagnostics = parser.shared.diagnostics;
    let mut program = None;
    if !parser.shared.too_deep {
        let scope = Scope { nodes: Some(Vec::new()), ..Scope::default() };
        let mut builder = Builder { text, scope, diagnostics };
        builder.declarations(&file.declarations, settings);
        let graphs = graphs(&file, &mut builder);
        program = graphs.map(|graphs| builder.finish(&file.declarations, &hyphenated, graphs));
        diagnostics = builder.diagnostics;
    }
    recode(&mut diagnostics);
    told(program, diagnostics)
}

/// One graph a process; `None` if there are too many, or none.
fn graphs(file: &File, builder: &mut Builder<'_>) -> Option<Vec<FlowGraph>> {
    let place = Span::new(builder.text.len(), builder.text.len());
    if file.processes.is_empty() {
        // Where something else is wrong, that may be why.
        if !builder.has_errors() {
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
    let mut names = Names::default();
    for (index, process) in file.processes.iter().enumerate() {
        names.add(&process.name, &mut builder.diagnostics);
        builder.scope.processes.insert(process.name.text.clone(), index as u32);
        builder.scope.process_names.push(process.name.text.clone());
    }
    let mut resolver = builder.resolver(None);
    file.processes.iter().for_each(|process| declare(&process.body, &mut resolver));
    let graph = |(index, process): (usize, &Process)| {
        let (graph, labels) = graph::flow_graph(process, &graph::letters(index), &mut resolver);
        resolver.scope.nodes.get_or_insert_default().push(labels);
        graph
    };
    Some(file.processes.iter().enumerate().map(graph).collect())
}

/// Variables that are assigned need no declaration.
fn declare(statement: &Statement, resolver: &mut Resolver<'_>) {
    match &statement.kind {
        StatementKind::Assign(place, _) => {
            let scope = &mut *resolver.scope;
            if let Some(name) = parse::variable(place)
                && !scope.variable_ids.contains_key(name)
                && !scope.constants.contains_key(name)
            {
                let name = name.to_owned();
                scope.declare(name.clone(), Variable { name, length: None, initial: Cell::Undefined });
            }
        }
        StatementKind::Wait(_) => {}
        StatementKind::While(_, body) => declare(body, resolver),
        StatementKind::If(_, yes, no) => {
            declare(yes, resolver);
            no.iter().for_each(|no| declare(no, resolver));
        }
        StatementKind::Block(block) => block.iter().for_each(|inner| declare(inner, resolver)),
    }
}
