//! Languages of models: source text to state spaces.
//!
//! [`parallel`] is the language of Meseguer's lecture on PARALLEL with what models need beyond it;
//! [`flow`] is the language of Gunter and Peled's temporal debugger. The programs of both become
//! [`flow_graph`]s, one a process, and the graphs a [`machine::Machine`], which is a
//! [`selvedge_model::System`]. [`erlang`] has its own system, of processes with mailboxes. Commands use a
//! program through the trait [`Program`], so that they work for every [`Language`].
//!
//! ```
//! use selvedge_lang::{Program, SystemOptions};
//! use selvedge_ltl::source::Source;
//!
//! let source = Source::new("one.par", "memory x = 0; process 1: x := 1 property set: <> x = 1");
//! let (program, diagnostics) = selvedge_lang::parallel::parse(&source);
//! let program = program.expect("a program");
//! assert!(diagnostics.is_empty());
//! assert_eq!(program.properties()[0].formula.to_string(), "F x = 1");
//! let system = program.system(&[], SystemOptions::default()).expect("a system");
//! # let _ = system;
//! ```

pub mod erlang;
pub mod flow;
pub mod flow_graph;
mod inspect;
mod language;
pub mod machine;
pub mod parallel;
mod program;
mod read_options;
mod shown_run;
mod syntax;
mod work;

pub use erlang::{Delivery, ErlangOptions};
pub use inspect::{Control, DrawnNode, Inspector, Suggestion, SuggestionKind};
pub use language::{Language, ProgramVisitor};
pub use program::{Confirmation, Expect, Program, ProgramSystem, Property, Suspicion, SystemOptions};
pub use read_options::{NoSources, ReadOptions, SourceFinder, SourceRequest};
pub use shown_run::{ShownRun, ShownStep, printed_by};
pub use syntax::atom::Atom;
pub use syntax::graph_program::GraphProgram;
