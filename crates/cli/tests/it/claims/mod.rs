//! Every figure of the README is one of a measurement: `bench/claims.txt` says which, and this compares.
//!
//! A claim has the words of a page, and a line for each number in them:
//!
//! ```text
//! README.md: complete explorations 11 to 48,000 times as fast
//!   11 = min "times as fast" of complete in bench/RESULTS-explore.md
//!   48,000 = max "times as fast" of complete in bench/RESULTS-explore.md
//! ```
//!
//! A number is the least (`min`) or the greatest (`max`) of a column, or that of the only row (`cell`), of
//! the table between the marks `<!-- begin complete -->` and `<!-- end complete -->`. `where "column" is
//! "text"`, `where "column" above 1000` and `below 1000` choose rows, several with `and`; `times 0.001` at
//! the end changes the unit. Cells that are empty or `-` do not count.
//!
//! Rounding: the figure of the table, rounded to the last digit of the number that is not a trailing zero of
//! a number with thousands separators, is the number: 48,253 gives 48,000, 2.24 gives 2.2, 104 gives 104.
//!
//! Promise: a number in [`SECTIONS`] that no claim covers is a complaint, and so is a claim whose words are
//! not there exactly once, or whose figure the table does not have. It needs no peer. [`rewrite`] has the
//! pages with new figures.

mod rewrite;

use crate::common::root;

/// The parts of pages whose numbers are measurements.
const SECTIONS: [(&str, &str); 3] = [
    ("README.md", "Beside its peers"),
    ("README.md", "How far to trust it"),
    ("bench/README.md", "In short"),
];

/// The page of the claims.
const CLAIMS: &str = "bench/claims.txt";

/// A file of the repository by its path.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The words of a page, and the source of each number in them.
struct Claim {
    page: String,
    words: String,
    sources: Vec<String>,
}

fn claims(text: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("  "), line.split_once(": "), claims.last_mut()) {
            (Some(source), _, Some(claim)) => claim.sources.push(source.trim().to_owned()),
            (None, Some((page, words)), _) => {
                let (page, words) = (page.to_owned(), words.trim().to_owned());
                claims.push(Claim { page, words, sources: Vec::new() });
            }
            _ => panic!("{CLAIMS}: neither a claim nor a source: {line}"),
        }
    }
    claims
}

/// The text below a heading, in one line, without the targets of links.
fn section(page: &str, heading: &str) -> Option<String> {
    let mut lines = page.lines().skip_while(|line| line.trim_start_matches('#').trim() != heading);
    lines.next()?;
    let below: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).collect();
    let mut text = String::new();
    for (index, part) in below.join(" ").split("](").enumerate() {
        let part = if index == 0 { part } else { part.split_once(')').map_or("", |(_, after)| after) };
        text.push_str(part);
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The numbers of a text with their places. Digits behind a letter are part of a name.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let (bytes, mut found, mut at) = (text.as_bytes(), Vec::new(), 0);
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    while at < bytes.len() {
        let start = at;
        if !is_digit(at) {
            at += 1;
            continue;
        }
        while is_digit(at) || (matches!(bytes.get(at), Some(b',' | b'.')) && is_digit(at + 1)) {
            at += 1;
        }
        let is_name = text[..start].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        if !is_name {
            found.push((start, &text[start..at]));
        }
    }
    found
}

/// The value of a number, and of a one at its last significant digit.
fn value_and_unit(number: &str) -> (f64, f64) {
    let digits = number.replace(',', "");
    let value = digits.parse().expect("a number has digits");
    let unit = match digits.split_once('.') {
        Some((_, decimals)) => 0.1_f64.powi(decimals.len() as i32),
        None if number.contains(',') => {
            10_f64.powi((digits.len() - digits.trim_end_matches('0').len()) as i32)
        }
        None => 1.0,
    };
    (value, unit)
}

/// The figure at the start of a cell, such as `7640+`.
fn figure(cell: &str) -> Option<f64> {
    let (start, number) = numbers(cell).first().copied()?;
    (start == 0).then(|| value_and_unit(number).0)
}

/// The rows of the table between the marks of this name, the head first.
fn table(page: &str, name: &str) -> Option<Vec<Vec<String>>> {
    let (_, rest) = page.split_once(&format!("<!-- begin {name} -->"))?;
    let (text, _) = rest.split_once(&format!("<!-- end {name} -->"))?;
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    Some(rows.map(cells).collect())
}

/// Splits off a text between quotation marks.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('"')?.split_once('"')
}

/// Does a row meet the conditions, `"column" is "text"` and so on?
fn meets(conditions: &str, head: &[String], row: &[String]) -> Option<bool> {
    for condition in conditions.split(" and ") {
        let (column, rest) = quoted(condition)?;
        let cell = &row[head.iter().position(|own| own == column)?];
        let is_met = match rest.trim().split_once(' ')? {
            ("is", text) => cell == quoted(text)?.0,
            ("above", bound) => figure(cell)? > bound.trim().parse().ok()?,
            ("below", bound) => figure(cell)? < bound.trim().parse().ok()?,
            _ => return None,
        };
        if !is_met {
            return Some(false);
        }
    }
    Some(true)
}

/// The figure of a source, `min "column" of table in file …`.
fn sourced(source: &str, read: Read<'_>) -> Option<f64> {
    let (source, factor) = match source.rsplit_once(" times ") {
        Some((before, factor)) if factor.parse::<f64>().is_ok() => (before, factor.parse::<f64>().ok()?),
        _ => (source, 1.0),
    };
    let (source, conditions) =
        source.split_once(" where ").map_or((source, None), |(source, rest)| (source, Some(rest)));
    let (which, rest) = source.split_once(' ')?;
    let (column, rest) = quoted(rest)?;
    let (name, file) = rest.trim().strip_prefix("of ")?.split_once(" in ")?;
    let rows = table(&read(file.trim())?, name)?;
    let (head, rows) = rows.split_first()?;
    let at = head.iter().position(|own| own == column)?;
    let mut figures = Vec::new();
    for row in rows {
        if conditions.is_none_or(|conditions| meets(conditions, head, row) == Some(true)) {
            match row.get(at)?.as_str() {
                "" | "-" => {}
                cell => figures.push(figure(cell)?),
            }
        }
    }
    let found = match which {
        "min" => figures.into_iter().reduce(f64::min)?,
        "max" => figures.into_iter().reduce(f64::max)?,
        "cell" if figures.len() == 1 => figures[0],
        _ => return None,
    };
    Some(found * factor)
}

/// What is wrong with the numbers of a claim.
fn complaints_of(claim: &Claim, read: Read<'_>) -> Vec<String> {
    let numbers = numbers(&claim.words);
    if numbers.len() != claim.sources.len() {
        return vec![format!(
            "`{}` has {} numbers and {} sources",
            claim.words,
            numbers.len(),
            claim.sources.len()
        )];
    }
    let mut complaints = Vec::new();
    for ((_, number), line) in numbers.into_iter().zip(&claim.sources) {
        let Some(source) = line.strip_prefix(number).and_then(|rest| rest.strip_prefix(" = ")) else {
            complaints.push(format!("`{}`: the source of {number} is not `{line}`", claim.words));
            continue;
        };
        let (value, unit) = value_and_unit(number);
        match sourced(source, read) {
            None => complaints.push(format!("`{}`: there is no figure `{source}`", claim.words)),
            // A figure in the middle between two may be rounded to either.
            Some(found) if (found - value).abs() > unit * 0.500_001 => {
                complaints.push(format!("`{}`: {number} is {found} in `{source}`", claim.words));
            }
            Some(_) => {}
        }
    }
    complaints
}

/// What is wrong with the claims and the numbers of [`SECTIONS`].
fn complaints(read: Read<'_>) -> Vec<String> {
    let claims = claims(&read(CLAIMS).expect("the claims"));
    let mut complaints: Vec<String> = claims.iter().flat_map(|claim| complaints_of(claim, read)).collect();
    let mut uses = vec![0; claims.len()];
    for (page, heading) in SECTIONS {
        let Some(text) = read(page).and_then(|page| section(&page, heading)) else {
            complaints.push(format!("{page} has no section `{heading}`"));
            continue;
        };
        let mut covered = vec![false; text.len()];
        for (claim, uses) in claims.iter().zip(&mut uses).filter(|(claim, _)| claim.page == page) {
            for (start, words) in text.match_indices(&claim.words) {
                covered[start..start + words.len()].fill(true);
                *uses += 1;
            }
        }
        let bare = numbers(&text).into_iter().filter(|(start, _)| !covered[*start]);
        complaints.extend(bare.map(|(start, number)| {
            let end = text[start..].char_indices().nth(40).map_or(text.len(), |(length, _)| start + length);
            format!("{page}: {number} is in no claim: {}", &text[start..end])
        }));
    }
    let unused = claims.iter().zip(uses).filter(|(_, uses)| *uses != 1);
    complaints.extend(
        unused.map(|(claim, uses)| {
            format!("{}: `{}` is there {uses} times, not once", claim.page, claim.words)
        }),
    );
    complaints
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}

#[test]
fn every_figure_of_the_readme_is_one_of_a_measurement() {
    let complaints = complaints(&read);
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
#[ignore = "writes the pages: to be run after a measurement"]
fn rewrite_the_figures() {
    for (path, text) in rewrite::rewritten(&read) {
        std::fs::write(root().join(path), text).expect("the page can be written");
    }
}

/// Changes every digit of every number of the sections, one at a time.
#[test]
fn changing_one_digit_of_a_page_makes_it_fail() {
    let mut changed = 0;
    for (page, heading) in SECTIONS {
        let text = read(page).expect("a page");
        let from = text.find(&format!("## {heading}\n")).expect("the section");
        let to = text[from + 3..].find("\n#").map_or(text.len(), |length| from + 3 + length);
        for (start, number) in numbers(&text[from..to]) {
            for at in (start..start + number.len()).map(|at| from + at) {
                let Some(digit) = text[at..].chars().next().and_then(|char| char.to_digit(10)) else {
                    continue;
                };
                let altered = format!("{}{}{}", &text[..at], (digit + 1) % 10, &text[at + 1..]);
                let read = |path: &str| if path == page { Some(altered.clone()) } else { read(path) };
                assert!(!complaints(&read).is_empty(), "{page}: {number} can change alone");
                changed += 1;
            }
        }
    }
    assert!(changed > 10, "only {changed} digits were changed");
}

mod on_small_pages {
    use super::rewrite::rewritten;
    use super::{complaints, numbers, section, value_and_unit};

    const README: &str = "# A\n## Beside its peers\n\n| [x](b2.md) | 2 to 48,000\n  times, at 0.5 s |\n\n## How far to trust it\nP1\n## B\n7\n";
    const BENCH: &str = "## In short\n\nnothing\n";
    const TABLE: &str = "<!-- begin t -->\n\n| name | n | ms |\n|---|--:|--:|\n| a | 2.4 | 900 |\n| b | 48253+ | 512 |\n\n<!-- end t -->\n";
    const CLAIMS: &str = "# comment\nREADME.md: 2 to 48,000 times, at 0.5 s\n  2 = min \"n\" of t in t.md\n  \
                          48,000 = max \"n\" of t in t.md\n  0.5 = cell \"ms\" of t in t.md where \"name\" is \"b\" and \"n\" above 3 times 0.001\n";

    /// A file, with one text in the place of another in one of the files.
    fn altered(path: &str, alter: (&str, &str, &str)) -> Option<String> {
        let text = match path {
            "README.md" => README,
            "bench/README.md" => BENCH,
            "t.md" => TABLE,
            _ => CLAIMS,
        };
        Some(if path == alter.0 { text.replacen(alter.1, alter.2, 1) } else { text.to_owned() })
    }

    #[track_caller]
    fn check(alter: (&str, &str, &str), expected: &str) {
        let found = complaints(&|path: &str| altered(path, alter)).join("\n");
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
    }

    #[test]
    fn pages_and_tables_cannot_change_alone() {
        check(("", "", ""), "");
        check(("README.md", "48,000", "47,000"), "47,000 is in no claim");
        check(("README.md", "P1", "P1 and 3"), "3 is in no claim");
        check(("README.md", "B\n7", "B\n8"), "");
        check(("bench/README.md", "nothing", "4 times"), "4 is in no claim");
        check(("t.md", "48253", "47253"), "48,000 is 47253 in");
        check(("t.md", "2.4", "2.6"), "2 is 2.6 in");
        check(("t.md", "512", "552"), "0.5 is 0.552");
        check(("t.md", "| b |", "| c |"), "there is no figure `cell");
        check(("t.md", "begin t", "begin u"), "there is no figure `min");
        check(("bench/claims.txt", "48,000 times", "47,000 times"), "the source of 47,000 is not");
        check(("bench/claims.txt", "max \"n\"", "max \"m\""), "there is no figure `max");
    }

    #[test]
    fn rewritten_pages_have_the_figures_of_the_tables() {
        let measured_again = |path: &str| altered(path, ("t.md", "48253", "51900"));
        assert!(!complaints(&measured_again).is_empty());
        let files = rewritten(&measured_again);
        let read = |path: &str| files.get(path).cloned().or_else(|| measured_again(path));
        assert_eq!(complaints(&read), Vec::<String>::new());
        assert!(read("README.md").unwrap().contains("2.4 to 52,000\n  times, at 0.51 s"));
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let found = numbers("a1, 2.5 and 1,000. u64: 3x");
        assert_eq!(found.iter().map(|(_, number)| *number).collect::<Vec<_>>(), ["2.5", "1,000", "3"]);
        assert_eq!(value_and_unit("48,000"), (48_000.0, 1000.0));
        assert_eq!(value_and_unit("100"), (100.0, 1.0));
        assert!((value_and_unit("1.0").1 - 0.1).abs() < 1e-12);
        assert_eq!(section(README, "How far to trust it").as_deref(), Some("P1"));
    }
}
