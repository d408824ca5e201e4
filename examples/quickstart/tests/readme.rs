//! The README of the repository shows the test of `counter.rs` and its failure as they are.

mod counter;

use std::process::Command;

/// The first code block of the README in this language.
fn first_block(language: &str) -> Vec<String> {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    let lines = readme.lines().skip_while(|line| *line != format!("```{language}")).skip(1);
    lines.take_while(|line| *line != "```").map(str::to_owned).collect()
}

/// Panics with a message that names the first line that differs.
#[track_caller]
fn assert_same(shown: &[String], actual: &[&str]) {
    for (index, line) in shown.iter().enumerate() {
        let actual = actual.get(index).copied().unwrap_or("nothing more");
        assert_eq!(line.trim_end(), actual.trim_end(), "line {} of the block in the README", index + 1);
    }
    assert_eq!(shown.len(), actual.len(), "lines of the block in the README");
}

#[test]
fn the_readme_shows_the_test() {
    let text = include_str!("counter.rs");
    let is_shown = |line: &&str| !line.starts_with("//!") && !line.starts_with("#[should_panic");
    let actual: Vec<&str> = text.lines().filter(is_shown).skip_while(|line| line.is_empty()).collect();
    assert_same(&first_block("rust"), &actual);
}

#[test]
fn the_readme_shows_the_failure() {
    let shown = first_block("text");
    let tests = std::env::current_exe().expect("the path of this program");
    let run = Command::new(tests)
        .args(["counter::two_increments_make_two", "--exact", "--nocapture"])
        .env_remove("SELVEDGE_REPLAY")
        .output()
        .expect("this program runs");
    let errors = String::from_utf8_lossy(&run.stderr);
    let from_first_line = errors.lines().skip_while(|line| *line != shown[0]);
    assert_same(&shown, &from_first_line.take(shown.len()).collect::<Vec<_>>());
}
