//! The last words of a process that aborts in the middle of a run.

use super::child_process::Notice;
use super::failure::Failure;
use crate::control::CrashReport;
use selvedge_explore::Trace;
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

/// What can be done about it.
const HELP: &str = "`Explorer::in_child_process(true)` or `#[selvedge::test(child_process = true)]` makes an outcome of an abort";

/// Tells of the run: a scout to who comes behind it, others to people.
pub(super) struct Abort {
    pub(super) name: Arc<str>,
    pub(super) strategy: Arc<str>,
    pub(super) notice: Option<Arc<Notice>>,
}

impl CrashReport for Abort {
    fn panics(&self) {
        if let Some(notice) = &self.notice {
            notice.panics();
        }
    }

    fn tell(&self, why: &str, trace: &Trace, went_past: bool) {
        let is_scout = self.notice.as_ref().is_some_and(|notice| notice.write(&why, went_past));
        if is_scout {
            // Before std says that it aborts: who comes behind tells more.
            std::process::abort();
        }
        self.tell_people(why, trace);
    }

    fn overflows(&self, what: &dyn Display) -> bool {
        self.notice.as_ref().is_some_and(|notice| notice.write(what, notice.unwinds()))
    }
}

impl Abort {
    /// Tells on standard error, and saves the run.
    fn tell_people(&self, why: &str, trace: &Trace) {
        let outcome = format!("abort: {why}");
        let notes = [HELP.to_owned()];
        let failure = Failure {
            kind: "abort",
            sentence: why,
            outcome: &outcome,
            trace,
            seen: None,
            notes: &notes,
            strategy: &self.strategy,
        };
        let text = failure.tell(&self.name);
        // Whoever cannot write there cannot be told.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
