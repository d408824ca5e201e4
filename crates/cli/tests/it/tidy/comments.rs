//! Comments are narrow, and their sentences are about threads, runs and states, not about unnamed persons.

use super::{SourceFile, check, contains_phrase, files_below, rust_files};

/// A comment line ends before this column.
const MAX_COLUMNS: usize = 110;

/// Phrases that hide the subject of a sentence.
const RIDDLES: [&str; 12] = [
    "somebody",
    "nobody",
    "anybody",
    "everybody",
    "whoever",
    "those who",
    "who waits",
    "who has",
    "who is",
    "who was",
    "who writes",
    "who reads",
];

/// The comment of a line of Rust, if it has one.
fn comment(line: &str) -> Option<&str> {
    if line.trim_start().starts_with("//") {
        return Some(line.trim_start());
    }
    // Inside of quotation marks, `//` is text.
    let quotes = |text: &str| text.matches('"').count() - text.matches("\\\"").count();
    let (start, _) = line.match_indices(" // ").find(|(start, _)| quotes(&line[..*start]) % 2 == 0)?;
    Some(&line[start..])
}

/// The text of a comment without its mark.
fn comment_text(comment: &str) -> &str {
    comment.trim_start().trim_start_matches('/').trim_start_matches('!').trim()
}

/// A comment that is wider than allowed.
fn wide_comments(file: &SourceFile) -> Vec<String> {
    let is_wide = |line: &str| line.trim_start().starts_with("//") && line.chars().count() >= MAX_COLUMNS;
    let wide = file.lines().filter(|(_, line)| is_wide(line));
    wide.map(|(number, line)| {
        file.complaint(number, &format!("a comment of {} columns", line.chars().count()))
    })
    .collect()
}

/// A riddle in these texts, each with its line. A phrase may go on in the next text.
fn riddles(file: &SourceFile, texts: &[(usize, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, (number, text)) in texts.iter().enumerate() {
        let following = texts.get(index + 1).filter(|(next, _)| *next == number + 1);
        let next_word = following.and_then(|(_, next)| next.split_whitespace().next()).unwrap_or_default();
        let joined = format!("{text} {next_word}").to_lowercase();
        for riddle in RIDDLES.iter().filter(|riddle| contains_phrase(&joined, riddle)) {
            let is_next = contains_phrase(&next_word.to_lowercase(), riddle);
            if !is_next || contains_phrase(&text.to_lowercase(), riddle) {
                complaints.push(file.complaint(*number, &format!("`{riddle}` in: {text}")));
            }
        }
    }
    complaints
}

fn riddles_of_comments(file: &SourceFile) -> Vec<String> {
    let comments = file.lines().filter_map(|(number, line)| Some((number, comment_text(comment(line)?))));
    riddles(file, &comments.collect::<Vec<_>>())
}

/// Blocks of code and output are left out.
fn riddles_of_document(file: &SourceFile) -> Vec<String> {
    let mut is_block = false;
    let mut texts = Vec::new();
    for (number, line) in file.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if !is_fence && !is_block {
            texts.push((number, line));
        }
        is_block ^= is_fence;
    }
    riddles(file, &texts)
}

#[test]
fn comments_end_before_column_110() {
    check(&rust_files(), wide_comments);
}

#[test]
fn comments_have_no_riddles() {
    check(&rust_files(), riddles_of_comments);
}

#[test]
fn documents_have_no_riddles() {
    let mut documents = files_below(&["docs"], "md");
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let pages = pages.iter().filter_map(|page| {
        let text = std::fs::read_to_string(super::root().join(page)).ok()?;
        Some(SourceFile::new(page, &text))
    });
    documents.extend(pages);
    assert!(documents.len() > 3, "the documents were not found");
    check(&documents, riddles_of_document);
}

#[test]
fn the_measure_of_comments_measures() {
    let wide = format!("{}\n    // {}\nlet x = {};\n", "a".repeat(200), "b".repeat(103), "c".repeat(200));
    let file = SourceFile::new("a.rs", &wide);
    assert_eq!(wide_comments(&file), ["a.rs:2: a comment of 110 columns"]);
    let narrow = SourceFile::new("a.rs", &format!("    // {}\n", "ü".repeat(102)));
    assert_eq!(wide_comments(&narrow), Vec::<String>::new());
}

#[test]
fn the_search_for_riddles_finds_them() {
    let text = "/// Nobody knows.\nlet nobody = 1; // nor those\n// who wait\nlet x = \"a // nobody\";\n// the one who\n// reads\n";
    let found = riddles_of_comments(&SourceFile::new("a.rs", text));
    let expected = [
        "a.rs:1: `nobody` in: Nobody knows.",
        "a.rs:2: `those who` in: nor those",
        "a.rs:5: `who reads` in: the one who",
    ];
    assert_eq!(found, expected);
    let page = SourceFile::new("a.md", "whoever\n```text\nnobody\n```\neverybody\n");
    let expected = ["a.md:1: `whoever` in: whoever", "a.md:5: `everybody` in: everybody"];
    assert_eq!(riddles_of_document(&page), expected);
}
