//! Erlang: real source text, searched as it runs, or under an abstract interpretation.
//!
//! [`syntax`] reads files as `erlc` does: tokens, macros and includes, the whole grammar, and the errors
//! that need no more than the tree.

pub mod domain;
pub mod syntax;
