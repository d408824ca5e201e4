//! Phrases that several messages share.

/// `1 run`, `2 runs`
pub(crate) fn format_count(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
