//! What a long search has done so far, on a terminal.

use selvedge_model::Stats;
use std::io::{IsTerminal, Write};

/// Before so many seconds nothing is shown.
const FIRST_AFTER_S: f64 = 1.0;

/// Is there somebody to show it to?
pub(super) fn is_wanted() -> bool {
    std::io::stderr().is_terminal()
}

/// Writes one line over the last one.
pub(super) fn show(stats: &Stats) {
    let seconds = stats.time.as_secs_f64();
    if seconds < FIRST_AFTER_S {
        return;
    }
    let rate = stats.states as f64 / seconds;
    let megabytes = stats.bytes as f64 / (1024.0 * 1024.0);
    // Progress that cannot be shown is not worth failing for.
    let _ = write!(
        std::io::stderr(),
        "\r{seconds:6.0} s  {} states  {rate:.0}/s  depth {}  {megabytes:.0} MiB\x1b[K",
        stats.states,
        stats.depth
    );
}

/// Removes the line.
pub(super) fn clear() {
    if is_wanted() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
