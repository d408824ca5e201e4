//! The runs of a session, made on a thread of their own, which answers the questions of the target.
//!
//! The target lives as long as a session wants it to, and the body of the test is borrowed: only choices and
//! descriptions of states pass between the two. If a run leaves its thread of the operating system broken
//! (a stack that could not be unwound), another thread makes the next run.
//!
//! Promise: one thread at a time makes runs; when [`with_runs`] returns, no run is under way.

use super::state::{IsFailure, RunState, StateKey};
use crate::explorer::api::Options;
use crate::explorer::engine::{Body, SteppedRuns, SteppedSettings, with_stepped_runs};
use selvedge_explore::{EventId, Trace};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A question about runs.
enum Request {
    /// The states after these choices and each of these events.
    Moves(Vec<EventId>, Vec<EventId>),
    /// The state after these choices.
    State(Vec<EventId>),
    /// The run with these choices that goes on to its end.
    Complete(Vec<EventId>),
}

/// An answer.
enum Reply {
    States(Vec<Arrival>),
    Run(Box<CompleteRun>),
}

/// A state that a run has reached.
pub(super) struct Arrival {
    pub(super) state: RunState,
    pub(super) key: StateKey,
    /// The last step, in words.
    pub(super) text: String,
    /// The object of the last step, by its name.
    pub(super) object: Option<String>,
}

/// A run that is over.
pub(super) struct CompleteRun {
    pub(super) outcome: String,
    pub(super) trace: Trace,
}

/// The way to the thread that makes runs.
pub(super) struct Runs {
    requests: Sender<Request>,
    replies: Receiver<Result<Reply, String>>,
}

/// What is debugged: a body, how its runs are made, and which outcomes are failures.
#[derive(Clone, Copy)]
pub(super) struct Debugged<'d> {
    pub(super) options: &'d Options,
    pub(super) body: Body<'d>,
    pub(super) settings: &'d SteppedSettings,
    pub(super) is_failure: &'d IsFailure<'d>,
}

/// Does the work, while another thread makes the runs that it asks for.
pub(super) fn with_runs<R>(debugged: Debugged<'_>, work: impl FnOnce(Runs) -> R) -> R {
    let (requests, asked) = channel();
    let (answers, replies) = channel();
    std::thread::scope(|scope| {
        let maker = std::thread::Builder::new().name("selvedge runs".to_owned());
        let spawned = maker.spawn_scoped(scope, move || make_runs(debugged, asked, &answers));
        spawned.expect("the operating system has a thread for the runs");
        work(Runs { requests, replies })
    })
}

/// Answers requests until there are no more.
fn make_runs(debugged: Debugged<'_>, asked: Receiver<Request>, answers: &Sender<Result<Reply, String>>) {
    let Debugged { options, body, settings, is_failure } = debugged;
    let mut asked = Some(asked);
    while let Some(requests) = asked.take() {
        let answered = with_stepped_runs(options, body, settings.clone(), |runs| {
            for request in &requests {
                // A closed channel is the end of the session, which the loop notices.
                let _ = answers.send(answer(runs, request, is_failure));
                if runs.is_broken() {
                    return Some(requests);
                }
            }
            None
        });
        match answered {
            Ok(rest) => asked = rest,
            Err(payload) => {
                let message = crate::control::exception::message(&*payload);
                let _ = answers.send(Err(format!("the runs ended: {message}")));
            }
        }
    }
}

fn answer(
    runs: &mut SteppedRuns<'_, '_>,
    request: Request,
    is_failure: &IsFailure<'_>,
) -> Result<Reply, String> {
    match request {
        Request::State(choices) => {
            runs.go_to(&choices)?;
            Ok(Reply::States(vec![Arrival::here(runs, is_failure)]))
        }
        Request::Moves(mut choices, events) => {
            let mut states = Vec::with_capacity(events.len());
            for event in events {
                choices.push(event);
                runs.go_to(&choices)?;
                states.push(Arrival::here(runs, is_failure));
                choices.pop();
            }
            Ok(Reply::States(states))
        }
        Request::Complete(choices) => {
            runs.go_to(&choices)?;
            runs.go_on_to_end()?;
            let outcome =
                runs.outcome().map_or_else(|| "takes too many steps".to_owned(), ToString::to_string);
            Ok(Reply::Run(Box::new(CompleteRun { outcome, trace: runs.trace() })))
        }
    }
}

impl Arrival {
    fn here(runs: &SteppedRuns<'_, '_>, is_failure: &IsFailure<'_>) -> Arrival {
        let state = RunState::of(runs, is_failure);
        let key = state.key(runs);
        let object = runs.events().last().and_then(|event| event.action.object);
        let object = object.map(|object| runs.object_name(object));
        Arrival { state, key, text: runs.describe_last_step(), object }
    }
}

impl Runs {
    fn ask(&self, request: Request) -> Result<Reply, String> {
        let is_gone = || "the thread that makes the runs has ended".to_owned();
        self.requests.send(request).map_err(|_| is_gone())?;
        self.replies.recv().map_err(|_| is_gone())?
    }

    /// The state after these choices.
    pub(super) fn state(&self, choices: Vec<EventId>) -> Result<Arrival, String> {
        match self.ask(Request::State(choices))? {
            Reply::States(states) => states.into_iter().next().ok_or_else(unexpected),
            _ => Err(unexpected()),
        }
    }

    /// The states after these choices and each of these events.
    pub(super) fn moves(&self, choices: Vec<EventId>, events: Vec<EventId>) -> Result<Vec<Arrival>, String> {
        match self.ask(Request::Moves(choices, events))? {
            Reply::States(states) => Ok(states),
            _ => Err(unexpected()),
        }
    }

    /// The run with these choices that goes on to its end, each thread as long as it can.
    pub(super) fn complete(&self, choices: Vec<EventId>) -> Result<CompleteRun, String> {
        match self.ask(Request::Complete(choices))? {
            Reply::Run(run) => Ok(*run),
            _ => Err(unexpected()),
        }
    }
}

fn unexpected() -> String {
    "an answer to another question".to_owned()
}
