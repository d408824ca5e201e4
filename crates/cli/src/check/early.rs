//! What a command has found, told while it goes on.
//!
//! The report on standard output has verdicts and runs, and comes at the end. A command that takes longer
//! than a moment says on standard error, in a line, what it has found, as soon as it is found.
//!
//! Promise: each line is about something that the report has too. A short command says nothing early.

use super::progress;
use crate::standard_error;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A command that ends before this has nothing to tell early.
const A_MOMENT: Duration = Duration::from_secs(1);

/// The findings of a command that were not told yet.
#[derive(Debug)]
pub(crate) struct EarlyNotes {
    start: Instant,
    untold: Mutex<Vec<String>>,
}

impl Default for EarlyNotes {
    fn default() -> EarlyNotes {
        EarlyNotes { start: Instant::now(), untold: Mutex::default() }
    }
}

impl EarlyNotes {
    /// Notes a finding, and tells it unless the command has just begun.
    pub(super) fn note(&self, finding: String) {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner).push(finding);
        self.tell();
    }

    /// Tells the findings that were not told yet, unless the command has just begun. A search calls this now
    /// and then.
    pub(super) fn tell(&self) {
        if self.start.elapsed() < A_MOMENT {
            return;
        }
        for finding in self.untold.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            progress::clear();
            standard_error::print_note(&format!("found: {finding}"));
        }
    }
}
