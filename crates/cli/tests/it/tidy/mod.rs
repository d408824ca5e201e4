//! The house in order: what the eye would complain of, said by a test.
//!
//! Files stay under 800 lines and functions under 70; every Rust file opens with its idea; nothing unfinished and no path
//! of somebody's machine is committed.

use std::path::{Path, PathBuf};

const MAX_FILE_LINES: usize = 800;
const MAX_FUNCTION_LINES: usize = 70;

/// The repository's own Rust files.
fn rust_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut todo = vec![root.join("crates"), root.join("bench"), root.join("examples")];
    while let Some(folder) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() && !path.ends_with("target") {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 30, "the files were not found");
    found.sort();
    found
}

#[track_caller]
fn check(complaint: impl Fn(&Path, &str) -> Vec<String>) {
    let complaints: Vec<String> = rust_files()
        .iter()
        .flat_map(|path| complaint(path, &std::fs::read_to_string(path).expect("a text file")))
        .collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Each function with the number of its lines. The code is formatted, so a function ends at its own indentation.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let starts = |line: &str| {
        let words = words(line);
        let before: Vec<&str> = words.iter().map(String::as_str).take_while(|word| *word != "fn").collect();
        let qualifiers = ["pub", "pub(crate)", "pub(super)", "const", "unsafe", "async", "extern", "\"C\""];
        (before.len() < words.len() && before.iter().all(|word| qualifiers.contains(word)))
            .then(|| words[before.len() + 1].clone())
    };
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = starts(line) else { continue };
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
            found.push((name, length + 1));
        }
    }
    found
}

#[test]
fn files_are_short() {
    check(|path, text| {
        let lines = text.lines().count();
        if lines > MAX_FILE_LINES { vec![format!("{}: {lines} lines", path.display())] } else { Vec::new() }
    });
}

#[test]
fn functions_fit_a_screen() {
    check(|path, text| {
        let long = functions(text).into_iter().filter(|(_, lines)| *lines > MAX_FUNCTION_LINES);
        long.map(|(name, lines)| format!("{}: fn {name} has {lines} lines", path.display())).collect()
    });
}

#[test]
fn every_file_opens_with_its_idea() {
    check(|path, text| {
        if text.starts_with("//!") {
            Vec::new()
        } else {
            vec![format!("{}: no head comment", path.display())]
        }
    });
}

#[test]
fn nothing_unfinished_is_committed() {
    // Written in two parts, so that this file does not complain of itself.
    let marks =
        [["todo", "!("], ["unimplemented", "!("], ["dbg", "!("], ["FIX", "ME"], ["XX", "X:"], ["/home", "/"]];
    check(|path, text| {
        let lines = text.lines().enumerate();
        lines
            .filter(|(_, line)| marks.iter().any(|mark| line.contains(&mark.concat())))
            .map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim()))
            .collect()
    });
}

#[test]
fn the_measure_of_functions_measures() {
    let named = "trait B {\n    fn three(\n        self,\n    );\n    fn four();\n}\n";
    assert_eq!(functions(named), []);
    let text = "impl A {\n    pub(crate) fn one(&self) {\n        f();\n    }\n}\nfn two() {\n}\n";
    assert_eq!(functions(text), [("one(&self)".to_owned(), 3), ("two()".to_owned(), 2)]);
}
