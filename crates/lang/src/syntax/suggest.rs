//! "Did you mean": the known name nearest to an unknown one.
//!
//! Distance as in Damerau (1964), restricted to neighbours swapped once; a third of the name's letters may
//! be wrong, and of a name of two letters none.

use crate::work::count_step;

/// The candidate that was most likely meant.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = name.chars().count() / 3;
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, allowed), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters were left out, added, mistaken or swapped; anything above `allowed` counts as far.
fn distance(left: &str, right: &str, allowed: usize) -> usize {
    count_step();
    let left: Vec<char> = left.chars().flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    if left.len().abs_diff(right.len()) > allowed {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut next = vec![i; right.len() + 1];
        for j in 1..=right.len() {
            let changed = usize::from(left[i - 1] != right[j - 1]);
            next[j] = (row[j] + 1).min(next[j - 1] + 1).min(row[j - 1] + changed);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_and_a_far_one_is_not() {
        assert_eq!(nearest("crti", ["rem", "crit"]), Some("crit"));
        assert_eq!(nearest("Turn", ["c1", "turn"]), Some("turn"));
        assert_eq!(nearest("x", ["y", "crit"]), None);
    }
}
