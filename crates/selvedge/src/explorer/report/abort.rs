//! The report of a run in the middle of which the process aborts.

#[cfg(unix)]
use super::death::DeathReport;
use super::failure::Failure;
use super::setup::{RunOrigin, RunSetup};
use super::test_name::TestName;
use crate::control::CrashReport;
#[cfg(unix)]
use crate::control::diagnose::{DeathCause, DyingRun};
use crate::explorer::child_process::CrashNotice;
use selvedge_explore::Trace;
use std::io::Write;
use std::sync::Arc;

/// The advice for the user.
const HELP: &str = "`Explorer::in_child_process(true)` or `#[selvedge::test(child_process = true)]` makes an outcome of an abort";

/// Reports an abort: a child process to its parent, any other process to the user.
pub(crate) struct AbortReport {
    pub(crate) name: TestName,
    pub(crate) setup: RunSetup,
    pub(crate) notice: Option<Arc<CrashNotice>>,
}

impl CrashReport for AbortReport {
    fn begin_panic(&self) {
        if let Some(notice) = &self.notice {
            notice.begin_unwinding();
        }
    }

    fn report_abort(&self, why: &str, trace: &Trace, went_past: bool) {
        let is_child = self.notice.as_ref().is_some_and(|notice| notice.write(&why, went_past));
        if is_child {
            // The child aborts before std prints its message: the parent prints more.
            std::process::abort();
        }
        self.print(why, trace);
    }

    #[cfg(unix)]
    fn report_death(&self, run: &DyingRun<'_>) {
        let child = self.notice.as_ref().filter(|notice| notice.is_child());
        match (child, run.cause) {
            (Some(notice), DeathCause::StackOverflow { .. } | DeathCause::Blocked) => {
                notice.write(&run.sentence(), notice.is_unwinding());
            }
            // The parent sees the signal.
            (Some(_), DeathCause::Signal { .. }) => {}
            (None, _) => DeathReport { test: &self.name, setup: &self.setup, help: HELP }.write(run),
        }
    }
}

impl AbortReport {
    /// Prints a failure message on standard error and saves the run.
    fn print(&self, why: &str, trace: &Trace) {
        let outcome = format!("abort: {why}");
        let notes = [HELP.to_owned()];
        let failure = Failure {
            kind: "abort",
            sentence: why,
            outcome: &outcome,
            trace,
            extent: None,
            notes: &notes,
            setup: &self.setup,
            origin: RunOrigin::default(),
        };
        let text = failure.message(&self.name);
        // If standard error is closed, the message is lost.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
