//! States and product nodes, each stored once.
//!
//! `table` stores states, `node_table` numbers the nodes of a product, `stack` holds the nodes and edges of
//! a deep search. A store owns its memory and gives out numbers; searches keep numbers only.

mod node_table;
mod stack;
mod table;

pub(crate) use node_table::{NodeTable, UNKNOWN};
pub(crate) use stack::Stack;
pub(crate) use table::hash;
pub use table::{Probe, StateId, StateTable};
