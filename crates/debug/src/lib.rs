//! The temporal debugger: a run is chosen by formulas.
//!
//! After Gunter and Peled, Temporal Debugging for Concurrent Systems, 2002. A *temporal step* is a finite
//! sequence of states from the current one that satisfies a formula; the found steps are a *stack*, which
//! can be backtracked, step by step.
//!
//! A [`Target`] is what is debugged: a model, a Rust test, a recording. The engine searches it and keeps the
//! stack. [`Command`]s go in and [`Message`]s come out, as JSON where a process boundary lies between:
//! the page, the terminal and the tests use the same ones.
//!
//! Promise: the engine does no input or output, and reads neither clock nor environment.

pub mod engine;
pub mod explicit;
pub mod model;
mod page;
pub mod protocol;
pub mod recording;
mod search;
pub mod server;
pub mod snapshot;
pub mod target;
pub mod terminal;
pub mod view;

pub use engine::{Engine, Listener, Progress};
pub use model::{Model, ModelTarget};
pub use protocol::{Command, Message};
pub use target::{Move, Question, QuestionId, StateId, Target, TargetError};
pub use terminal::Terminal;
