//! Closed pipes, full devices, and files that are not plain UTF-8 text.

use crate::common::{command, selvedge, selvedge_with_input, temporary_file};
use std::process::Stdio;

/// The exit code and the messages of a command whose output is a closed pipe.
fn without_reader(arguments: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let child = command().args(arguments).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).spawn();
    let done = child.expect("the command was built").wait_with_output().expect("the command ends");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn the_exit_code_does_not_depend_on_the_reader_of_the_output() {
    let dekker = "models/dekker.par";
    for (arguments, code) in [
        (vec!["check", dekker, "--ltl", "[] c1 = 0"], 1),
        (vec!["check", dekker, dekker, "--property", "mutex"], 0),
        (vec!["check", dekker, "--ltl", "[] c1 = 0", dekker, "--format", "json"], 1),
        (vec!["check", dekker, "--property", "mutex", "--simulate"], 3),
        (vec!["ltl", "p", "--equals", "q"], 1),
        (vec!["ltl", "p", "--trace", "!p"], 1),
        (vec!["graph", dekker], 0),
    ] {
        let (exit, errors) = without_reader(&arguments);
        assert_eq!(exit, Some(code), "{arguments:?}\n{errors}");
        assert!(!errors.contains("pipe"), "{arguments:?}\n{errors}");
    }
}

#[test]
fn a_mark_of_the_byte_order_is_no_part_of_the_text() {
    let ran =
        selvedge(&["check", &temporary_file("bom.par", b"\xef\xbb\xbfprocess 1: skip\nproperty p: true\n")]);
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
    let ran = selvedge_with_input(&["ltl", "-", "--equals", "p"], "\u{feff}p\n");
    assert_eq!((ran.code, ran.output.as_str()), (0, "equivalent\n"));
}

#[test]
fn the_end_of_a_files_name_may_be_in_capitals() {
    let ran = selvedge(&[
        "check",
        &temporary_file("capitals.FLOW", b"Process P: begin x := 1 end.\nproperty p: true\n"),
    ]);
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_stream_that_cannot_be_read_or_written_is_named() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let done = command().args(["ltl", "p"]).stdout(full).output();
    let done = done.expect("the command was built");
    assert_eq!(done.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&done.stderr);
    assert_eq!(errors, "error: standard output: No space left on device (os error 28)\n");

    let latin = std::fs::File::open(temporary_file("latin.txt", b"p &\n\xe9\n")).expect("a file");
    let done = command().args(["ltl", "-"]).stdin(latin).output();
    let errors = String::from_utf8_lossy(&done.expect("the command was built").stderr).into_owned();
    assert_eq!(errors, "error: standard input:2:1: this is not UTF-8 text\n");
}
