//! The temporal debugger on a Rust test (feature `debug`).
//!
//! `SELVEDGE_DEBUG=NAME cargo test NAME` does not explore the test: it opens a session, in which a person
//! chooses the run, step by step or by formulas (Gunter and Peled, Temporal Debugging for Concurrent
//! Systems, 2002). A saved trace as the value begins with that run.
//!
//! | module | content |
//! |---|---|
//! | `runs` | the thread that makes runs, and the questions that it answers |
//! | `state` | a state of a run, and when two are the same |
//! | `propositions` | what formulas say about a state |
//! | `target` | the states and moves that the debugger searches |
//! | `views`, `sources` | what readers see of them |
//! | `recorded` | saved runs in the numbers of this session's threads |
//! | `session`, `lines` | the session in the browser or in the terminal; the lines of the latter in a file |
//! | `export` | a run as a test of its own |
//!
//! Promise: the session has no limit of time, and no watchdog looks at it. Other tests run as always.

mod export;
mod lines;
mod propositions;
mod recorded;
mod runs;
mod session;
mod sources;
mod state;
mod target;
#[cfg(test)]
mod tests;
mod views;

use super::api::{DeadlinePolicy, Options, Strategy};
use super::engine::{Body, SteppedSettings, has_deadline_choice, has_give_up_choice};
use super::report::{RunSetup, TestName, WantedDebugging, adopt};
use crate::control::SharedThreadTree;
use recorded::{choices, fatal_runs, renumbered};
use runs::{Debugged, with_runs};
use selvedge_explore::ThreadTree;
use selvedge_explore::trace::Recording;
use state::IsFailure;
use target::TestTarget;

/// Opens a session on a test, and returns when it is over.
pub(crate) fn debug(
    name: &TestName,
    wanted: &WantedDebugging,
    options: &Options,
    body: Body<'_>,
    is_failure: &IsFailure<'_>,
) {
    let mut options = options.clone();
    options.name = Some(name.clone());
    let ended = with_target(wanted.recording.clone(), options, body, is_failure, |target| {
        session::hold(name, wanted, target)
    });
    if let Err(message) = ended {
        panic!("selvedge: {name}: {message}");
    }
    session::say(&format!("selvedge: {name} was debugged, not explored"));
}

/// Does the work with the runs of a body as a target; a recording is the run that the session begins with.
fn with_target<R>(
    given: Option<Recording>,
    mut options: Options,
    body: Body<'_>,
    is_failure: &IsFailure<'_>,
    work: impl FnOnce(TestTarget) -> R,
) -> R {
    let name = options.name.clone().unwrap_or_else(TestName::of_current_thread);
    let mut tree = ThreadTree::default();
    let given = given.map(|recording| renumbered(recording, &mut tree));
    let mut settings = SteppedSettings {
        spins_freely: false,
        keeps_time: options.deadlines != DeadlinePolicy::Never,
        fatal: fatal_runs(&name, &mut tree),
    };
    if let Some(recording) = &given {
        adopt(recording, &mut options.settings);
        settings.spins_freely = has_give_up_choice(choices(recording));
        settings.keeps_time = has_deadline_choice(choices(recording));
    }
    options.threads = SharedThreadTree::new(tree);
    let setup =
        RunSetup { strategy: "debugger".into(), ..RunSetup::of(&Strategy::nothing(), &options.settings) };
    let debugged = Debugged { options: &options, body, settings: &settings, is_failure };
    with_runs(debugged, |runs| work(TestTarget::new(runs, (name, setup), given)))
}
