//! Phrases that several messages share.

/// Messages list at most so many names.
const MAX_LISTED: usize = 20;

/// `1 run`, `2 runs`
pub(crate) fn format_count(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A list of names; of a long list only the beginning.
pub(crate) fn join_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > MAX_LISTED => {
            format!("{} and {} more", names[..MAX_LISTED].join(", "), count - MAX_LISTED)
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_lists_some_names_and_counts_the_rest() {
        assert_eq!(join_names([].into_iter()), "none");
        assert_eq!(join_names(["a", "b"].into_iter()), "a, b");
        let many = join_names(["p"; 10_000].into_iter());
        assert!(many.ends_with("p and 9980 more"), "{many}");
    }
}
