//! Erlang, under concrete values or abstract ones.
//!
//! Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract Interpretation, WFLP 2001, for
//! real source text. [`read`] makes an [`ErlangProgram`] of a file; its propositions are the terms that
//! the program calls `prop/1` with.
//!
//! - [`syntax`]: tokens, macros, grammar; [`formula`]: propositions and quantifiers over processes;
//!   [`declarations`]: properties and other attributes;
//! - `code`: functions in the form that is evaluated; `library`: the modules of OTP that are part of it;
//! - `term`: values, concrete and abstract; [`domain`]: abstract domains; `intern`: what is stored once;
//! - `evaluate`: evaluation inside one process; [`system`]: processes, messages, steps;
//! - `program`: the whole; `confirm`, `replay`: is what a run under a domain shows real?

pub(crate) mod code;
mod confirm;
pub mod declarations;
pub mod domain;
pub(crate) mod evaluate;
pub mod formula;
pub(crate) mod intern;
mod library;
mod options;
mod program;
mod ranges;
mod replay;
pub mod syntax;
pub mod system;
pub(crate) mod term;

pub use options::{Delivery, ErlangOptions};
pub use program::{ErlangProgram, read};
