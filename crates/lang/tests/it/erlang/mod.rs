//! Erlang's front end: the grammar, its messages, and trees that are printed and read again.

mod generate;
mod grammar;
mod lint;
mod lint_oracle;
mod messages;
mod otp;
mod preprocessor;
mod printed;

use selvedge_lang::erlang::syntax::tree::{Expr, FormKind, Module};
use selvedge_lang::erlang::syntax::{Options, SourceMap, parse};
use selvedge_ltl::source::Source;

/// The module of a text without mistakes.
#[track_caller]
fn module_of(text: &str) -> Module {
    let mut sources = SourceMap::default();
    let (module, diagnostics) = parse(Source::new("m.erl", text), &mut sources, &Options::default());
    let messages: Vec<String> =
        diagnostics.iter().map(|diagnostic| sources.render(diagnostic, false)).collect();
    assert!(messages.is_empty(), "{text}\n{}", messages.join("\n"));
    module
}

/// The expression that a text is.
#[track_caller]
fn expr_of(text: &str) -> Expr {
    let module = module_of(&format!("-module(m).\nf() ->\n{text}.\n"));
    let Some(FormKind::Function(function)) = module.forms.into_iter().map(|form| form.kind).nth(1) else {
        panic!("no function")
    };
    let clause = function.clauses.into_iter().next().expect("a clause");
    clause.kind.body.into_iter().next().expect("an expression")
}
