//! Languages of models: source text to state spaces.
//!
//! [`parallel`] is the language of Meseguer's lecture on PARALLEL with what models need beyond it. Its programs become
//! [`flow`] graphs, one a process, and those a [`machine::Machine`], which is a [`selvedge_model::System`]. So do those of
//! [`flowlang`], the language of Gunter and Peled's temporal debugger.
//!
//! ```
//! use selvedge_lang::machine::Options;
//! use selvedge_ltl::source::Source;
//!
//! let source = Source::new("one.par", "memory x = 0; process 1: x := 1 property set: <> x = 1");
//! let (program, complaints) = selvedge_lang::parallel::parse(&source);
//! let program = program.expect("a program");
//! assert!(complaints.is_empty());
//! assert_eq!(program.properties()[0].formula.to_string(), "F x = 1");
//! let system = program.system(&[], Options::default()).expect("a system");
//! # let _ = system;
//! ```

pub mod flow;
pub mod flowlang;
pub mod machine;
pub mod parallel;
mod suggest;
