//! Tokens, macros, grammar and syntax tree of Erlang.
//!
//! [`parse`] reads one file. Tokens come from `erl_tokenize` and macros are expanded by `erl_pp`; the
//! grammar is that of OTP's `erl_parse`, by recursive descent. Nothing here does input or output: included
//! files come from a function that the caller hands over.
//!
//! ```
//! use selvedge_lang::erlang::syntax::{Options, SourceMap, parse};
//! use selvedge_ltl::source::Source;
//!
//! let mut sources = SourceMap::default();
//! let source = Source::new("one.erl", "-module(one).\nmain() -> ?N + 1.\n");
//! let options = Options { defines: vec![("N".into(), "4".into())], ..Options::default() };
//! let (module, diagnostics) = parse(source, &mut sources, &options);
//! assert!(diagnostics.is_empty());
//! let function = module.functions().next().expect("a function");
//! assert_eq!(function.name.kind.as_ref(), "main");
//! let position = sources.position(function.clauses[0].kind.body[0].span);
//! assert_eq!(position.to_string(), "one.erl:2:11");
//! ```

mod block;
mod collection;
mod conditional;
mod expression;
mod form;
pub mod lint;
mod macro_error;
mod macro_graph;
mod parser;
mod pattern;
mod preprocess;
pub mod print;
mod print_form;
mod report;
mod scan;
pub mod source_map;
mod token;
pub mod tree;
mod type_parser;
pub mod types;

use parser::Parser;
use preprocess::preprocess;
use report::Report;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
pub use source_map::{Position, SourceMap};
use tree::{FormKind, Identifier, Module, Node};

/// The deepest nesting of a tree that is accepted.
pub const MAX_NESTING: usize = 200;

/// The errors of one file beyond so many are not reported.
pub const MAX_DIAGNOSTICS: usize = 20;

/// Finds an included file, or says why there is none.
pub type FindInclude<'a> = &'a dyn Fn(&Include) -> Result<Source, String>;

/// A file that `-include` or `-include_lib` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The path as it is written.
    pub path: String,
    /// `-include_lib`: the path's first directory is an application of OTP.
    pub is_lib: bool,
    /// The name of the file that includes it.
    pub from: String,
}

/// What a parse depends on beside the text.
#[derive(Clone)]
pub struct Options<'a> {
    /// Macros with their text: `("N", "4")` defines `?N`.
    pub defines: Vec<(String, String)>,
    /// Finds included files.
    pub find_include: FindInclude<'a>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            defines: Vec::new(),
            find_include: &|include| Err(format!("`{}` is not available", include.path)),
        }
    }
}

/// Reads a file: what it understood, and what is wrong with it.
///
/// The file and all that it includes become part of `sources`; spans of the tree and of the diagnostics are
/// positions in it. The tree lacks the parts that are wrong; it is whole if no diagnostic is an error.
pub fn parse(source: Source, sources: &mut SourceMap, options: &Options<'_>) -> (Module, Vec<Diagnostic>) {
    let file_name = source.name.clone();
    let base = Span::new(0, 0);
    let mut report = Report::default();
    let preprocessed = preprocess(source, sources, options, &mut report);
    let mut forms = Vec::new();
    for form in &preprocessed.forms {
        if form.is_broken {
            continue;
        }
        match Parser::new(&form.lexemes, form.end).form() {
            Ok(form) => forms.push(form),
            Err(error) => report.add(*error),
        }
    }
    let name = module_name(&forms).unwrap_or_else(|| Node::new(base, file_stem(&file_name).into()));
    (Module { name, forms }, report.in_order())
}

fn module_name(forms: &[tree::Form]) -> Option<Identifier> {
    forms.iter().find_map(|form| match &form.kind {
        FormKind::Module(name) => Some(Node::new(form.span, name.clone())),
        _ => None,
    })
}

/// The file's name without directories and ending.
fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.strip_suffix(".erl").unwrap_or(file)
}
