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

/// The same, with something on standard input.
pub fn selvedge_with_input(arguments: &[&str], input: &str) -> Ran {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(arguments)
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
