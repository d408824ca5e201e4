//! Erlang: real source text, searched as it runs, or under an abstract interpretation.
//!
//! [`syntax`] reads files as `erlc` does: tokens, macros and includes, the whole grammar, and the errors
//! that need no more than the tree. [`formula`] reads formulas: linear temporal logic whose propositions are
//! terms; [`declarations`] are the properties and other attributes of a file. [`domain`] is what a search
//! keeps of values.

pub mod declarations;
pub mod domain;
pub mod formula;
pub mod syntax;
