//! The progress on a long log, on a terminal.

use crate::standard_error;
use std::time::Instant;

/// The clock is looked at after so many lines.
const LINES_BETWEEN: u64 = 1 << 16;
/// Nothing is shown during the first seconds.
const FIRST_AFTER_S: f64 = 1.0;

/// Shows how far the log is read.
pub(super) struct Progress {
    is_visible: bool,
    began: Instant,
    count: u64,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress { is_visible: standard_error::is_terminal(), began: Instant::now(), count: 0 }
    }
}

impl Progress {
    /// A line was judged.
    #[inline]
    pub(super) fn line(&mut self, number: u64) {
        self.count += 1;
        if self.is_visible && self.count.is_multiple_of(LINES_BETWEEN) {
            self.show(number);
        }
    }

    #[cold]
    fn show(&self, number: u64) {
        let seconds = self.began.elapsed().as_secs_f64();
        if seconds >= FIRST_AFTER_S {
            let rate = self.count as f64 / seconds;
            standard_error::print(&format!("\r{seconds:6.0} s  line {number}  {rate:.0}/s\x1b[K"));
        }
    }

    /// Removes the line.
    pub(super) fn clear(&self) {
        if self.is_visible {
            standard_error::print("\r\x1b[K");
        }
    }
}
