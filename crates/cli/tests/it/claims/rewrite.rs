//! The pages with the figures of the tables as they are now: for use after a measurement.
//!
//! `cargo test -p selvedge-cli --test it rewrite_the_figures -- --ignored` writes them.

use super::{CLAIMS, Claim, Read, claims, numbers, sourced};
use std::collections::BTreeMap;

/// A figure as pages show it: two digits, or all before the point below 10,000; a count has no point.
pub(super) fn shown(figure: f64) -> String {
    let size = figure.abs();
    if size >= 9_999.5 {
        let unit = 10_f64.powi(size.log10().floor() as i32 - 1);
        return with_separators(&format!("{:.0}", (figure / unit).round() * unit));
    }
    match size {
        size if size >= 999.5 || size.fract() == 0.0 => with_separators(&format!("{figure:.0}")),
        size if size >= 9.95 => format!("{figure:.0}"),
        size if size >= 0.995 => format!("{figure:.1}"),
        size => format!("{figure:.*}", (1.0 - size.log10().floor()) as usize),
    }
}

fn with_separators(digits: &str) -> String {
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups.iter().map(|group| String::from_utf8_lossy(group)).collect::<Vec<_>>().join(",")
}

/// A text with these numbers in the place of its own.
fn renumbered(text: &str, figures: &[String]) -> String {
    let (mut new, mut end) = (String::new(), 0);
    for ((start, number), figure) in numbers(text).into_iter().zip(figures) {
        new.push_str(&text[end..start]);
        new.push_str(figure);
        end = start + number.len();
    }
    new + &text[end..]
}

/// Where the words are in a page, across lines.
fn place_of(page: &str, words: &str) -> Option<(usize, usize)> {
    let words: Vec<&str> = words.split_whitespace().collect();
    page.match_indices(words[0]).find_map(|(start, _)| {
        let mut rest = &page[start..];
        for (index, word) in words.iter().enumerate() {
            rest = if index == 0 { rest } else { rest.trim_start() };
            rest = rest.strip_prefix(word)?;
        }
        Some((start, page.len() - rest.len()))
    })
}

/// The figures of a claim; its own number where the table has none.
fn figures(claim: &Claim, read: Read<'_>) -> Vec<String> {
    let own = numbers(&claim.words);
    let sources = claim.sources.iter().map(|line| line.split_once(" = ").map_or("", |(_, source)| source));
    own.iter()
        .zip(sources)
        .map(|((_, number), source)| sourced(source, read).map_or((*number).to_owned(), shown))
        .collect()
}

/// The files that change, with their new text.
pub(super) fn rewritten(read: Read<'_>) -> BTreeMap<String, String> {
    let text = read(CLAIMS).expect("the claims");
    let mut files = BTreeMap::new();
    let mut list = text.clone();
    for claim in claims(&text) {
        let figures = figures(&claim, read);
        let page = files.entry(claim.page.clone()).or_insert_with(|| read(&claim.page).unwrap_or_default());
        if let Some((start, end)) = place_of(page, &claim.words) {
            *page = format!("{}{}{}", &page[..start], renumbered(&page[start..end], &figures), &page[end..]);
        }
        let new_words = renumbered(&claim.words, &figures);
        list = list.replacen(&format!(": {}\n", claim.words), &format!(": {new_words}\n"), 1);
        let (head, tail) = list.split_once(&format!(": {new_words}\n")).expect("the words are there");
        let mut lines: Vec<String> = tail.lines().map(str::to_owned).collect();
        for (line, figure) in lines.iter_mut().zip(&figures) {
            if let Some((_, source)) = line.split_once(" = ") {
                *line = format!("  {figure} = {source}");
            }
        }
        list = format!("{head}: {new_words}\n{}\n", lines.join("\n"));
    }
    files.insert(CLAIMS.to_owned(), list);
    files
}

#[test]
fn figures_are_shown_with_two_digits() {
    let check = |figure: f64, expected: &str| assert_eq!(shown(figure), expected);
    check(48_253.2, "48,000");
    check(1_234_567.0, "1,200,000");
    check(1_234.4, "1,234");
    check(104.4, "104");
    check(2.0, "2");
    check(10.8, "11");
    check(2.24, "2.2");
    check(0.0526, "0.053");
}
