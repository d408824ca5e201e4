//! Files and functions are short, every file opens with its idea, and nothing unfinished is committed.

use super::{SourceFile, check, rust_files};

const MAX_FILE_LINES: usize = 800;
const MAX_FUNCTION_LINES: usize = 70;

/// Each function with its first line and the number of its lines. The code is formatted, so a function ends
/// at its own indentation.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        // A trait may only name it.
        let opens = lines[start..]
            .iter()
            .find(|line| line.ends_with('{') || line.ends_with(';') || line.ends_with('}'));
        if opens.is_some_and(|line| line.ends_with(';')) {
            continue;
        }
        let closing =
            |candidate: &&str| indentation(candidate) == indentation(line) && candidate.trim() == "}";
        if let Some(length) = lines[start..].iter().position(closing) {
            found.push((name, start + 1, length + 1));
        }
    }
    found
}

/// The name, if a function starts on this line.
fn function_name(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let before: Vec<&str> = words.iter().copied().take_while(|word| *word != "fn").collect();
    let qualifiers = ["pub", "pub(crate)", "pub(super)", "const", "unsafe", "async", "extern", "\"C\""];
    // A visibility such as `pub(in crate::control)` has two words.
    let is_qualifier =
        |word: &&str| qualifiers.contains(word) || word.starts_with("pub(") || word.ends_with(')');
    let is_function = before.len() < words.len() && before.iter().all(is_qualifier);
    is_function.then(|| words[before.len() + 1].to_owned())
}

#[test]
fn files_are_short() {
    check(&rust_files(), |file| {
        let lines = file.text.lines().count();
        let complaint = || file.complaint(MAX_FILE_LINES, &format!("the file has {lines} lines"));
        (lines > MAX_FILE_LINES).then(complaint).into_iter().collect()
    });
}

#[test]
fn functions_fit_a_screen() {
    check(&rust_files(), |file| {
        let long = functions(&file.text).into_iter().filter(|(_, _, lines)| *lines > MAX_FUNCTION_LINES);
        long.map(|(name, start, lines)| file.complaint(start, &format!("fn {name} has {lines} lines")))
            .collect()
    });
}

#[test]
fn every_file_opens_with_its_idea() {
    check(&rust_files(), |file| {
        let complaint = || file.complaint(1, "no head comment");
        (!file.text.starts_with("//!")).then(complaint).into_iter().collect()
    });
}

#[test]
fn nothing_unfinished_is_committed() {
    // Written in two parts, so that this file does not contain them.
    let marks =
        [["todo", "!("], ["unimplemented", "!("], ["dbg", "!("], ["FIX", "ME"], ["XX", "X:"], ["/home", "/"]];
    let is_marked = |line: &str| marks.iter().any(|mark| line.contains(&mark.concat()));
    let complaints = |file: &SourceFile| -> Vec<String> {
        let marked = file.lines().filter(|(_, line)| is_marked(line));
        marked.map(|(number, line)| file.complaint(number, line.trim())).collect()
    };
    check(&rust_files(), complaints);
}

#[test]
fn the_measure_of_functions_measures() {
    let named = "trait B {\n    fn three(\n        self,\n    );\n    fn four();\n}\n";
    assert_eq!(functions(named), []);
    let text = "impl A {\n    pub(crate) fn one(&self) {\n        f();\n    }\n}\nfn two() {\n}\n";
    assert_eq!(functions(text), [("one(&self)".to_owned(), 2, 3), ("two()".to_owned(), 6, 2)]);
}
