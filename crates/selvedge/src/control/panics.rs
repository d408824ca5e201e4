//! Panics inside of explorations: quiet, and remembered.
//!
//! A hook of our own stands before the program's. Inside of a controlled thread it writes nothing: a panic is an
//! outcome, and is told with the report. Everywhere else the program's own hook goes on as before.

use super::context::current;
use super::execution::Stopped;
use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::Once;

static INSTALLED: Once = Once::new();

/// Puts the hook in place, once for the process.
pub(crate) fn install_hook() {
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match current() {
            Some(execution) => {
                if let Ok(mut state) = execution.state.try_borrow_mut() {
                    state.message = Some(text_of(info));
                }
            }
            None => before(info),
        }));
    });
}

fn text_of(info: &PanicHookInfo<'_>) -> String {
    message(info.payload())
}

/// What a panic said.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a message".to_owned(),
    }
}

/// Was it thrown to end a thread, by us?
pub(crate) fn is_stop(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Stopped>()
}
