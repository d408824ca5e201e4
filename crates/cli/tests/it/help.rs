//! The help of each command reads well on terminals of every usual width.

use crate::common::{selvedge, selvedge_with_columns, words};

const COMMANDS: [&[&str]; 7] = [
    &["--help"],
    &["check", "--help"],
    &["debug", "--help"],
    &["graph", "--help"],
    &["ltl", "--help"],
    &["show", "--help"],
    &["watch", "--help"],
];

/// Help is at most this wide, on every terminal.
const MAX_WIDTH: usize = 100;

/// The lines below the options.
fn epilogue(command: &[&str], columns: usize) -> Vec<String> {
    let ran = selvedge_with_columns(command, columns);
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
    let lines: Vec<String> = ran.output.lines().map(str::to_owned).collect();
    let is_option = |line: &String| line.starts_with("      --") || line.starts_with("  -");
    let last = lines.iter().rposition(is_option).expect("options");
    let after = lines[last + 1..].iter().position(|line| !line.is_empty() && !line.starts_with(' '));
    lines[last + 1 + after.expect("an epilogue")..].to_vec()
}

fn is_indented(line: &&String) -> bool {
    line.starts_with(' ')
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[test]
fn paragraphs_fill_their_lines_and_lists_are_not_broken() {
    for command in COMMANDS {
        let wide = epilogue(command, 300);
        assert!(wide.iter().any(|line| line.starts_with("Exit codes")), "{command:?}");
        for columns in [80, 90, 120] {
            let lines = epilogue(command, columns);
            let lists = |lines: &[String]| lines.iter().filter(is_indented).cloned().collect::<Vec<_>>();
            assert_eq!(lists(&lines), lists(&wide), "{command:?} at {columns}");
            for pair in lines.windows(2) {
                let most = columns.min(MAX_WIDTH);
                assert!(width(&pair[0]) <= most, "{command:?} at {columns}: {}", pair[0]);
                let is_paragraph = pair.iter().all(|line| !line.is_empty() && !line.starts_with(' '));
                let word = pair[1].split(' ').next().unwrap_or_default();
                assert!(
                    !is_paragraph || width(&pair[0]) + 1 + width(word) > most,
                    "{command:?} at {columns}: `{word}` fits on the line before\n{}\n{}",
                    pair[0],
                    pair[1]
                );
            }
        }
    }
}

#[test]
fn the_examples_of_the_help_are_right() {
    for command in COMMANDS {
        let lines = epilogue(command, 80);
        for example in lines.iter().filter_map(|line| line.strip_prefix("  selvedge ")) {
            let example = example.split(" | ").next().expect("a command");
            let words = words(example);
            // Drawings go to standard output, not into files.
            let files = words.iter().position(|word| ["-o", "--output"].contains(word));
            let ran = selvedge(&words[..files.unwrap_or(words.len())]);
            assert_ne!(ran.code, 2, "{example}\n{}", ran.errors);
        }
    }
}
