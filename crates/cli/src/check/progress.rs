//! The progress of a long search, on a terminal.

use crate::standard_error;
use selvedge_model::Stats;

/// Nothing is shown during the first seconds.
const FIRST_AFTER_S: f64 = 1.0;

/// Does a terminal show the progress?
pub(super) fn is_visible() -> bool {
    standard_error::is_terminal()
}

/// Writes one line over the last one.
pub(super) fn show(stats: &Stats) {
    let seconds = stats.time.as_secs_f64();
    if seconds < FIRST_AFTER_S {
        return;
    }
    let rate = stats.states as f64 / seconds;
    let megabytes = stats.bytes as f64 / (1024.0 * 1024.0);
    standard_error::print(&format!(
        "\r{seconds:6.0} s  {} states  {rate:.0}/s  depth {}  {megabytes:.0} MiB\x1b[K",
        stats.states, stats.depth
    ));
}

/// Removes the line.
pub(super) fn clear() {
    if is_visible() {
        standard_error::print("\r\x1b[K");
    }
}
