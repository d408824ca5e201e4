//! Models in the languages of several checkers, and one measured run of each checker.
//!
//! [`models`] has the texts in PARALLEL, Promela and Maude; [`stateright`] the same algorithms as
//! stateright's users write them; [`tools`] runs them.

pub mod models;
pub mod stateright;
pub mod tools;
