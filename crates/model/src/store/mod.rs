//! States and product nodes, each stored once.
//!
//! `table` stores states (`probe` looks them up, `fill` makes its slots), `node_table` numbers the nodes of
//! a product, `stack` and `row_stack` hold the nodes and edges of a deep search, `state_bits` is a bit for
//! each state. A store owns its memory and gives out numbers; searches keep numbers only.

mod fill;
mod node_table;
mod probe;
mod row_stack;
mod slots;
mod stack;
mod state_bits;
mod table;

pub(crate) use node_table::{NodeTable, UNKNOWN};
pub use probe::Probe;
pub(crate) use row_stack::RowStack;
pub(crate) use stack::Stack;
pub(crate) use state_bits::StateBits;
pub(crate) use table::hash;
pub use table::{StateId, StateTable};
