//! What the reading of a file depends on beside its text.
//!
//! Nothing here does input or output: a caller that can read files hands over a [`SourceFinder`].

use crate::erlang::ErlangOptions;
use selvedge_ltl::source::Source;

/// What the reading of a file depends on beside its text.
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    /// Values of the file's constants; in Erlang, of macros.
    pub settings: &'a [(String, i64)],
    /// The options of Erlang programs; other languages have no use for them.
    pub erlang: &'a ErlangOptions,
    /// Finds the other files that the file names.
    pub finder: &'a dyn SourceFinder,
}

/// Finds the texts that a file names.
pub trait SourceFinder {
    /// The text, under a name for messages; or why there is none, in a sentence without a full stop.
    fn find(&self, request: &SourceRequest<'_>) -> Result<Source, String>;
}

/// A text that a file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRequest<'a> {
    /// `-include("path")`
    Include {
        /// The path as it is written.
        path: &'a str,
        /// The name of the file that includes it, as its [`Source`] has it.
        from: &'a str,
    },
    /// `-include_lib("application/include/file.hrl")`
    IncludeLib {
        /// The path as it is written; its first directory is an application.
        path: &'a str,
        /// The name of the file that includes it, as its [`Source`] has it.
        from: &'a str,
    },
    /// The module of this name.
    Module(&'a str),
    /// The file of an abstract domain.
    Domain(&'a str),
}

/// A finder that has no other files than the one that is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl SourceFinder for NoSources {
    fn find(&self, request: &SourceRequest<'_>) -> Result<Source, String> {
        Err(match request {
            SourceRequest::Include { path, .. } | SourceRequest::IncludeLib { path, .. } => {
                format!("`{path}` is not available")
            }
            SourceRequest::Module(name) => format!("the module `{name}` is not available"),
            SourceRequest::Domain(name) => format!("the domain `{name}` is not available"),
        })
    }
}
