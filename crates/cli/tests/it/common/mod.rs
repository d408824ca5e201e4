//! Running the command in tests.

#![allow(dead_code, unreachable_pub)] // each test uses its own part

use std::process::{Command, Stdio};

/// What a run of the command printed, and how it ended.
pub struct Ran {
    pub output: String,
    pub errors: String,
    pub code: i32,
}

/// Runs `selvedge` with these arguments.
pub fn selvedge(arguments: &[&str]) -> Ran {
    selvedge_with_input(arguments, "")
}

/// The same, on a terminal of so many columns.
pub fn selvedge_with_columns(arguments: &[&str], columns: usize) -> Ran {
    run(Command::new(env!("CARGO_BIN_EXE_selvedge")).args(arguments).env("COLUMNS", columns.to_string()), "")
}

/// The same, with something on standard input.
pub fn selvedge_with_input(arguments: &[&str], input: &str) -> Ran {
    run(Command::new(env!("CARGO_BIN_EXE_selvedge")).args(arguments), input)
}

fn run(command: &mut Command, input: &str) -> Ran {
    use std::io::Write;
    let mut child = command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    // A command that reads nothing may be gone before it is written to.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("the command ends");
    Ran {
        output: String::from_utf8(done.stdout).expect("UTF-8"),
        errors: String::from_utf8(done.stderr).expect("UTF-8"),
        code: done.status.code().expect("no signal"),
    }
}

/// The text with every time in seconds made the same: `0.03 s` becomes `0.00 s`.
pub fn without_times(text: &str) -> String {
    let is_time = |word: &str| {
        let digits = word.strip_suffix(" s").and_then(|number| number.split_once('.'));
        digits.is_some_and(|(whole, rest)| {
            !whole.is_empty()
                && rest.len() == 2
                && (whole.to_owned() + rest).bytes().all(|b| b.is_ascii_digit())
        })
    };
    let lines = text.lines().map(|line| match line.rsplit_once(", ") {
        Some((before, last)) if is_time(last) => format!("{before}, 0.00 s\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}
