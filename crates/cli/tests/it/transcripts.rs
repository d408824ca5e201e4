//! The transcripts of the README are run, and must print what it says.

mod common;

use std::path::Path;

/// The commands of the `console` blocks, each with what should follow it.
fn transcripts(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if inside => match line.strip_prefix("$ ") {
                Some(command) => found.push((command.to_owned(), String::new())),
                None => {
                    let (_, output) = found.last_mut().expect("output follows a command");
                    output.push_str(line);
                    output.push('\n');
                }
            },
            _ => {}
        }
    }
    found
}

/// A command line's words; single quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| {
            if index % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        })
        .collect()
}

#[test]
fn the_readmes_transcripts_are_true() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).expect("the README");
    let mut run = 0;
    for (command, expected) in transcripts(&text) {
        let command = command.replace("cargo run --release --", "selvedge");
        let words = words(&command);
        assert_eq!(words[0], "selvedge", "{command}");
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let ran = common::selvedge(&arguments);
        assert_eq!(common::without_times(&ran.output), expected, "{command}\n{}", ran.errors);
        run += 1;
    }
    assert!(run >= 3, "only {run} transcripts were found");
}
