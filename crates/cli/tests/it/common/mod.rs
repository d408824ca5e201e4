//! Running the command in tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The output, the messages and the exit code of one run of the command.
pub(crate) struct CommandRun {
    pub(crate) output: String,
    pub(crate) errors: String,
    pub(crate) code: i32,
}

/// Runs `selvedge` with these arguments, in the root of the repository.
pub(crate) fn selvedge(arguments: &[&str]) -> CommandRun {
    selvedge_with_input(arguments, "")
}

/// The same, on a terminal of so many columns.
pub(crate) fn selvedge_with_columns(arguments: &[&str], columns: usize) -> CommandRun {
    run(command().args(arguments).env("COLUMNS", columns.to_string()), "")
}

/// The same, with this text on standard input.
pub(crate) fn selvedge_with_input(arguments: &[&str], input: &str) -> CommandRun {
    run(command().args(arguments), input)
}

/// The command, to be run in the root of the repository.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(root());
    command
}

fn run(command: &mut Command, input: &str) -> CommandRun {
    use std::io::Write;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    // A command that reads nothing may end before its input is written.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("the command ends");
    CommandRun {
        output: String::from_utf8(done.stdout).expect("UTF-8"),
        errors: String::from_utf8(done.stderr).expect("UTF-8"),
        code: done.status.code().expect("no signal"),
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a file for one test and returns its path. Tests run side by side, so each name is used by one test
/// only.
pub(crate) fn temporary_file(name: &str, content: &[u8]) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, content).expect("a writable folder");
    file.display().to_string()
}

/// The words of a command line; single quotes keep words together.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('\'').enumerate();
    let words = quoted.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect::<Vec<_>>(),
        _ => vec![part],
    });
    words.collect()
}

/// The text with every time in seconds made the same: `0.03 s` becomes `0.00 s`.
pub(crate) fn without_times(text: &str) -> String {
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
