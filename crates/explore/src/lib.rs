//! Runs of concurrent programs, and who decides how they go.
//!
//! A [`Stepper`] is something that runs: it says what its threads can do next and does what it is told. A
//! [`Scheduler`] decides. [`run()`] brings the two together and records a [`Trace`]. Nothing here knows coroutines,
//! languages or files: Rust programs under control and models step in the same way, so every scheduler serves both.

pub mod clock;
pub mod dependency;
pub mod event;
pub mod ids;
pub mod light;
pub mod open;
pub mod random;
pub mod run;
pub mod saved;
pub mod schedulers;
pub mod simplify;
pub mod trace;

pub use clock::VectorClock;
pub use dependency::dependent;
pub use event::{Action, Effect, Event, Kind, Site, Source};
pub use ids::{EventId, ObjectId, ThreadId};
pub use light::{Candidate, LightEvent, LightRun, ThreadScheduler};
pub use open::Open;
pub use random::Random;
pub use run::{End, Next, Record, Scheduler, Stepper, run, run_light};
pub use simplify::simplify;
pub use trace::{Aside, Ending, FormatError, Recording, Stall, Step, Switch, Trace};
