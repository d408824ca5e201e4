//! Panics inside of explorations: silent, and remembered.
//!
//! A hook of our own stands before the program's. Inside of a controlled thread it writes nothing: a panic
//! is an outcome, and the report has it. Only if a panic makes the process abort, all that is known is
//! reported at once. Outside of controlled threads the program's own hook runs as before.

use crate::control::Execution;
use crate::control::diagnose;
use crate::control::fiber::with_current;
use crate::control::teardown::Stopped;
use crate::production::interrupt::{Killed, Thrown};
use std::any::Any;
use std::fmt;
use std::panic::PanicHookInfo;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INSTALLED: Once = Once::new();

/// Is the program's own hook not called?
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// From now on the program's own hook is not called: in a child process, whose parent will panic in the same
/// way. (A hook may want locks that other threads held when the process forked, as std's hook does while it
/// prints a backtrace.)
#[cfg(unix)]
pub(crate) fn silence_program_hook() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Puts the hook in place, once for the process.
pub(crate) fn install_hook() {
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            with_current(|execution| match execution {
                Some(execution) => on_panic(execution, info),
                None if IS_SILENT.load(Ordering::Relaxed) => {}
                None => before(info),
            });
        }));
    });
}

/// A thread of this execution panics, or the process is about to abort.
fn on_panic(execution: &Execution, info: &PanicHookInfo<'_>) {
    if cannot_unwind(info) {
        return diagnose::report_crash(execution, undefined_behaviour(info));
    }
    if let Ok(mut state) = execution.state.try_borrow_mut() {
        let (running, place) = (state.running, info.location());
        let place = place.map(|place| format!("{}:{}", place.file(), place.line()));
        state.end.panic_message = Some(text_of(info));
        state.threads[running].panicked_at = place;
    }
    execution.crash_report.begin_panic();
}

fn text_of(info: &PanicHookInfo<'_>) -> String {
    message(info.payload())
}

/// The library's messages if a panic leaves a destructor that runs because of another panic, or a function
/// that must not unwind. The hook is the last code that runs: the process aborts when it returns.
const LAST: [&str; 2] = ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

/// How a message begins that reports undefined behaviour, which debug builds notice. The process aborts
/// then, too.
const UNDEFINED: [&str; 4] = [
    "null pointer dereference",
    "misaligned pointer dereference",
    "unsafe precondition(s) violated",
    "trying to construct an enum from an invalid value",
];

fn cannot_unwind(info: &PanicHookInfo<'_>) -> bool {
    info.payload().downcast_ref::<&str>().is_some_and(|text| LAST.contains(text))
        || undefined_behaviour(info).is_some()
}

/// The undefined behaviour that a message reports, and where.
fn undefined_behaviour(info: &PanicHookInfo<'_>) -> Option<String> {
    let text = text_of(info);
    if !UNDEFINED.iter().any(|beginning| text.starts_with(beginning)) {
        return None;
    }
    // The lines after the first one are advice of the library.
    let first = text.lines().next().unwrap_or_default();
    let at = info.location().map_or(String::new(), |at| format!(" at {}:{}", at.file(), at.line()));
    Some(format!("{first}{at}"))
}

/// What unwound a thread down to its first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unwound {
    /// A panic with this message.
    Panic(String),
    /// An exception that was not caught, in words.
    Thrown(String),
    /// It was killed.
    Killed,
}

impl Unwound {
    /// By this payload.
    pub(crate) fn by(payload: &(dyn Any + Send)) -> Unwound {
        match payload.downcast_ref::<Thrown>() {
            Some(thrown) if thrown.is::<Killed>() => Unwound::Killed,
            Some(thrown) => Unwound::Thrown(format!("{thrown:?}")),
            None => Unwound::Panic(message(payload)),
        }
    }

    /// Is it an outcome of the run, if no thread has observed it by a join? A killed thread ends as another
    /// one wanted.
    pub(crate) fn is_failure(&self) -> bool {
        *self != Unwound::Killed
    }
}

impl fmt::Display for Unwound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwound::Panic(message) => write!(f, "panicked: {message}"),
            Unwound::Thrown(what) => write!(f, "was interrupted by {what}"),
            Unwound::Killed => write!(f, "was killed"),
        }
    }
}

/// The message of a panic.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a message".to_owned(),
    }
}

/// Panics with the payload of another thread's panic: there the hook was silent, or there was no panic; here
/// it speaks.
pub(crate) fn rethrow(payload: Box<dyn Any + Send>) -> ! {
    if payload.is::<&str>() || payload.is::<String>() {
        panic!("{}", message(&*payload));
    }
    std::panic::resume_unwind(payload)
}

/// Is it the payload that stops a thread at the end of its run?
pub(crate) fn is_stop(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Stopped>()
}
