//! The languages of models, each known by the extension of its files.
//!
//! A language is added here: a variant, its extension, and the arm of [`Language::read`] that calls its
//! parser.

use crate::program::Program;
use crate::read_options::ReadOptions;
use crate::{erlang, flow, parallel};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Source;
use std::path::Path;

/// A language of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// [`parallel`]
    Parallel,
    /// [`flow`]
    Flow,
    /// Erlang
    Erlang,
}

/// What a caller does with the program of a file, whichever language it is written in.
pub trait ProgramVisitor {
    /// What it answers.
    type Output;

    /// Takes the program, unless there are errors, and all diagnostics.
    fn visit<P: Program>(self, program: Option<P>, diagnostics: Vec<Diagnostic>) -> Self::Output;
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 3] = [Language::Parallel, Language::Flow, Language::Erlang];

    /// The extension of its files, without the full stop.
    pub fn extension(self) -> &'static str {
        match self {
            Language::Parallel => "par",
            Language::Flow => "flow",
            Language::Erlang => "erl",
        }
    }

    /// Its name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::Parallel => "PARALLEL",
            Language::Flow => "flow",
            Language::Erlang => "Erlang",
        }
    }

    /// The language whose extension the file has; PARALLEL if no language has it.
    pub fn of_file(name: &str) -> Language {
        let extension = Path::new(name).extension().unwrap_or_default();
        let named =
            Language::ALL.into_iter().find(|language| extension.eq_ignore_ascii_case(language.extension()));
        named.unwrap_or(Language::Parallel)
    }

    /// Reads a file, and hands the program to the visitor.
    pub fn read<V: ProgramVisitor>(
        self,
        source: &Source,
        options: &ReadOptions<'_>,
        visitor: V,
    ) -> V::Output {
        match self {
            Language::Parallel => {
                let (program, diagnostics) = parallel::parse_with(source, options.settings);
                visitor.visit(program, diagnostics)
            }
            Language::Flow => {
                let (program, diagnostics) = flow::parse_with(source, options.settings);
                visitor.visit(program, diagnostics)
            }
            Language::Erlang => {
                let (program, diagnostics) = erlang::read(source, options);
                visitor.visit(program, diagnostics)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_names_the_language() {
        assert_eq!(Language::of_file("models/dekker.flow"), Language::Flow);
        assert_eq!(Language::of_file("DEKKER.FLOW"), Language::Flow);
        assert_eq!(Language::of_file("dekker.par"), Language::Parallel);
        assert_eq!(Language::of_file("dekker"), Language::Parallel);
        assert_eq!(Language::of_file("models/erlang/locker.erl"), Language::Erlang);
    }

    #[test]
    fn every_shared_code_has_the_prefix_of_its_language() {
        let mut counts = Vec::new();
        for (dialect, prefix) in [(&parallel::dialect::PARALLEL, "par::"), (&flow::dialect::FLOW, "flow::")] {
            let fields = format!("{:?}", dialect.codes);
            let codes: Vec<&str> = fields.split('"').skip(1).step_by(2).collect();
            for code in &codes {
                assert!(code.starts_with(prefix), "`{code}` in the language of `{prefix}`");
            }
            counts.push(codes.len());
        }
        assert_eq!(counts, [30, 30]);
    }
}
