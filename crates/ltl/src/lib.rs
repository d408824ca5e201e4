//! Linear temporal logic: the language of all properties in Selvedge.

pub mod bdd;
pub mod buchi;
pub mod diagnostic;
pub mod finite;
pub mod formula;
pub mod letter;
pub mod nnf;
pub mod output;
pub mod progression;
pub mod property;
mod resugar;
pub mod semantics;
pub mod simplify;
pub mod source;
pub mod stutter;
pub mod syntax;
pub mod vacuity;
pub mod word;

pub use formula::{Binary, Formula, Unary};
pub use letter::{Alphabet, Cube, Letter, Prop};
pub use word::Word;
