//! What PARALLEL and flow have in common.
//!
//! Tokens, declarations of variables, constants, definitions and properties, expressions, and formulas with
//! their atoms, definitions and quantifiers. What differs between the languages is a [`dialect::Dialect`];
//! each language folder has its own, with its grammar of processes. The order of work: [`token`] and
//! [`parser`] read text into [`tree`]s, [`declare`] fills a [`resolve::Scope`], [`resolve`] looks up the
//! names of expressions, [`formula`] and [`unfold`] those of formulas; the
//! result of all is a [`graph_program::GraphProgram`].
//!
//! Promise: the languages depend on this folder, and this folder on no language.

pub(crate) mod at;
pub(crate) mod atom;
mod channel;
pub(crate) mod constant;
pub(crate) mod declare;
pub(crate) mod dialect;
mod expression;
pub(crate) mod formula;
pub(crate) mod function;
pub(crate) mod graph_program;
mod inspect_program;
pub(crate) mod kinds;
pub(crate) mod parser;
mod quantifier;
pub(crate) mod record;
pub(crate) mod resolve;
pub(crate) mod suggest;
pub(crate) mod token;
pub(crate) mod tree;
pub(crate) mod unfold;
mod variable;

pub use declare::MAX_LENGTH;
pub use parser::{MAX_DIAGNOSTICS, MAX_NESTING};
pub use quantifier::MAX_RANGE;
pub use unfold::MAX_FORMULA;
