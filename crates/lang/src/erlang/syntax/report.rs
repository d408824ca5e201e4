//! The messages of one file, up to a number of errors.

use super::MAX_DIAGNOSTICS;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};

/// Collects diagnostics.
#[derive(Default)]
pub(super) struct Report {
    diagnostics: Vec<Diagnostic>,
    error_count: usize,
}

impl Report {
    /// Adds a message, unless it is an error beyond the first [`MAX_DIAGNOSTICS`] or a repetition.
    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.contains(&diagnostic) {
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.error_count += 1;
            if self.error_count > MAX_DIAGNOSTICS {
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// The messages in the order of the text.
    pub(super) fn in_order(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.primary.0.start);
        self.diagnostics
    }
}
