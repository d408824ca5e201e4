//! LTL model checking: is there a run of the system that the automaton of the negated formula accepts?
//!
//! `compiled_property` compiles a formula to the automaton of its `negation`. `product_step` is the
//! transition relation of system and automaton, `product` stores what one worker explores of it. `component`
//! finds accepting components, `emptiness` adds `fairness`, `lasso` makes a run of a component,
//! `counterexample` replays it by `lasso_eval`. `vacuity` asks whether a verdict says anything.

mod accepting_parts;
mod automaton_states;
mod compiled_property;
mod component;
mod counterexample;
mod emptiness;
pub mod fairness;
mod give_way;
mod lasso;
pub mod lasso_eval;
pub(crate) mod movers;
mod negation;
mod product;
mod product_records;
mod product_step;
mod suspended;
mod vacuity;

pub(crate) use accepting_parts::AcceptingParts;
pub(crate) use automaton_states::{AutomatonStates, MAX_AUTOMATON_STATES, members, only, set_of};
pub(crate) use compiled_property::CompiledProperty;
pub(crate) use component::{Acceptance, OnTheFlyGraph, OutEdge, SearchPosition};
pub use counterexample::{Counterexample, Step};
pub(crate) use emptiness::{NodeSet, SearchedProduct, accepting_nodes};
pub use fairness::{Fairness, FairnessDebt, MAX_FAIR_PROCESSES};
pub(crate) use give_way::GiveWay;
pub(crate) use lasso::lasso;
pub use lasso_eval::satisfies;
pub use negation::Negation;
pub(crate) use product::Product;
pub(crate) use product_step::{ExploredProduct, ProductEdge, TransitionRelation, UnknownReading};
pub(crate) use suspended::{KnownNodes, SuspendedSearch};
pub use vacuity::find_vacuity;
