//! The repository's sources and documents keep the rules of `CONTRIBUTING.md`.
//!
//! One module for each family of rules: [`size`], [`comments`], [`names`], [`folders`], [`manifests`]. Every
//! complaint is one line, `path:line: text`.

mod comments;
mod documents;
mod folders;
mod manifests;
mod names;
mod size;

use crate::common::root;
use std::path::{Path, PathBuf};

/// A text file of the repository.
struct SourceFile {
    /// From the root, with slashes.
    path: String,
    text: String,
}

impl SourceFile {
    fn new(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    fn complaint(&self, line: usize, text: &str) -> String {
        format!("{}:{line}: {text}", self.path)
    }

    /// The lines with their numbers, from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// The repository's own Rust files.
fn rust_files() -> Vec<SourceFile> {
    let files = files_below(&["crates", "bench", "examples"], "rs");
    assert!(files.len() > 30, "the files were not found");
    files
}

/// The files with this extension below these folders, in the order of their paths.
fn files_below(folders: &[&str], extension: &str) -> Vec<SourceFile> {
    let root = root();
    let mut found: Vec<PathBuf> = Vec::new();
    let mut unread: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = unread.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() && !path.ends_with("target") {
                unread.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.iter().map(|path| read(&root, path)).collect()
}

fn read(root: &Path, path: &Path) -> SourceFile {
    let relative = path.strip_prefix(root).expect("a path below the root");
    let parts: Vec<String> =
        relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    SourceFile { path: parts.join("/"), text: std::fs::read_to_string(path).expect("a text file") }
}

/// Fails with the complaints of all files.
#[track_caller]
fn check(files: &[SourceFile], complaints: impl Fn(&SourceFile) -> Vec<String>) {
    let all: Vec<String> = files.iter().flat_map(complaints).collect();
    assert!(all.is_empty(), "\n{}\n", all.join("\n"));
}

/// Does the text contain the phrase between characters that are no part of a word?
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(phrase).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + phrase.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[test]
fn a_phrase_is_found_as_whole_words() {
    assert!(contains_phrase("see who has it", "who has"));
    assert!(contains_phrase("fn deed()", "deed"));
    assert!(!contains_phrase("indeed", "deed"));
    assert!(!contains_phrase("who hasn", "who has"));
    assert!(!contains_phrase("the_deed", "deed"));
}
