//! The engine of an exploration: it makes runs, judges their ends, and collects what the report needs.
//!
//! From the outside in: [`deepening`] explores in rounds, [`exploration`] is one round, [`worker`] is the
//! loop over runs, [`run_once`] is one run. [`remake`] makes known runs once more, [`simplest`] chooses
//! which. With the feature `debug`, `stepped` makes runs step by step instead.

mod checkpoint;
mod context;
mod deepening;
mod exploration;
mod findings;
mod formulas;
mod notes;
mod pool;
mod recorder;
mod remake;
mod run_once;
mod simplest;
#[cfg(feature = "debug")]
mod stepped;
mod team;
mod worker;

pub(super) use deepening::{UnrollRound, explore};
pub(super) use findings::Rank;
pub(super) use notes::Nondeterminism;
pub(crate) use pool::host;
pub(super) use run_once::Body;
pub(crate) use run_once::body_result;
#[cfg(feature = "debug")]
pub(super) use stepped::{SteppedRuns, SteppedSettings, with_stepped_runs};
pub(super) use worker::{RunRules, has_deadline_choice, has_give_up_choice};
