//! Panics inside of explorations: quiet, and remembered.
//!
//! A hook of our own stands before the program's. Inside of a controlled thread it writes nothing: a panic is an
//! outcome, and is told with the report. Only where a panic makes the process abort, all that is known is told at once. Everywhere else the program's own hook goes on as before.

use crate::control::fiber::current;
use crate::control::teardown::Stopped;
use crate::production::interrupt::{Killed, Thrown};
use std::any::Any;
use std::fmt;
use std::panic::PanicHookInfo;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INSTALLED: Once = Once::new();

/// Is the program's own hook left out?
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on the program's own hook is left out everywhere: in a child process, whose parent will panic in the same way. (A hook
/// may want locks that other threads held when the child was made, as std's does while it prints a backtrace.)
#[cfg(unix)]
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Puts the hook in place, once for the process.
pub(crate) fn install_hook() {
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match current() {
            Some(execution) if cannot_unwind(info) => execution.say_last_words(undefined(info)),
            Some(execution) => {
                if let Ok(mut state) = execution.state.try_borrow_mut() {
                    state.message = Some(text_of(info));
                    let (running, place) = (state.running.index(), info.location());
                    let place = place.map(|place| format!("{}:{}", place.file(), place.line()));
                    state.threads[running].panicked_at = place;
                }
                execution.crash_report.panics();
            }
            None if IS_QUIET.load(Ordering::Relaxed) => {}
            None => before(info),
        }));
    });
}

fn text_of(info: &PanicHookInfo<'_>) -> String {
    message(info.payload())
}

/// What the library says where a panic leaves a destructor that runs because of another panic, or a function that must not
/// be left so. The hook is the last thing that runs: the process aborts when it returns.
const LAST: [&str; 2] = ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

/// How it begins where it says that something is undefined, as builds for debugging notice. The process aborts then, too.
const UNDEFINED: [&str; 4] = [
    "null pointer dereference",
    "misaligned pointer dereference",
    "unsafe precondition(s) violated",
    "trying to construct an enum from an invalid value",
];

fn cannot_unwind(info: &PanicHookInfo<'_>) -> bool {
    info.payload().downcast_ref::<&str>().is_some_and(|text| LAST.contains(text)) || undefined(info).is_some()
}

/// What a program did that is undefined, and where, if that is what is said.
fn undefined(info: &PanicHookInfo<'_>) -> Option<String> {
    let text = text_of(info);
    if !UNDEFINED.iter().any(|beginning| text.starts_with(beginning)) {
        return None;
    }
    // What comes after the first line is advice of the library's.
    let first = text.lines().next().unwrap_or_default();
    let at = info.location().map_or(String::new(), |at| format!(" at {}:{}", at.file(), at.line()));
    Some(format!("{first}{at}"))
}

/// What unwound a thread from its end to its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unwound {
    /// A panic with this message.
    Panic(String),
    /// An exception that nobody caught, in words.
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

    /// Is it of interest to others, where nobody joined the thread? Who is killed ends as somebody wished.
    pub(crate) fn is_news(&self) -> bool {
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

/// What a panic said.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a message".to_owned(),
    }
}

/// Panics with what another thread panicked with: there the hook was quiet, or there was no panic; here it is told.
pub(crate) fn again(payload: Box<dyn Any + Send>) -> ! {
    if payload.is::<&str>() || payload.is::<String>() {
        panic!("{}", message(&*payload));
    }
    std::panic::resume_unwind(payload)
}

/// Was it thrown to end a thread, by us?
pub(crate) fn is_stop(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Stopped>()
}
