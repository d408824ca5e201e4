//! `--checkpoint`: a search whose process is killed goes on in another one; files that do not fit are
//! refused.
#![cfg(unix)]

use crate::common::{command, selvedge, temporary_file, without_times};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Some hundred thousand states; the second property has a search of its own.
const MODEL: &str = "
memory a = 0, b = 0, c = 0, d = 0, e = 0;
process 1: repeat choose a in 0..6; assert a < 7 forever
process 2: repeat choose b in 0..6; assert b < 7 forever
process 3: repeat choose c in 0..6; assert c < 7 forever
process 4: repeat choose d in 0..6; assert d < 7 forever
process 5: repeat choose e in 0..6; assert e < 7 forever
property bounded: [] b < 11
property late: [] (e < 7 \\/ a < 6)
property again: []<> (b < 7 \\/ c < 7)
property stays: <>[] a = 1 expect violated
";

/// The path of a checkpoint that is not there yet.
fn new_checkpoint(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn length(path: &PathBuf) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Runs the command in processes of which each is killed when it has written to the checkpoint. Returns the
/// output of the last one, which ends by itself, and the number of killed ones.
fn in_pieces(arguments: &[&str], checkpoint: &PathBuf, most_kills: usize) -> (String, Option<i32>, usize) {
    let mut kills = 0;
    loop {
        let before = length(checkpoint);
        let mut child = command()
            .args(arguments)
            .arg("--checkpoint")
            .arg(checkpoint)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command was built");
        while kills < most_kills && child.try_wait().expect("a child").is_none() {
            if length(checkpoint) > before.max(1000) {
                child.kill().expect("a process of this test");
                kills += 1;
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let ended = child.wait_with_output().expect("the command ends");
        if ended.status.code().is_some() {
            return (String::from_utf8(ended.stdout).expect("UTF-8"), ended.status.code(), kills);
        }
    }
}

#[test]
fn a_killed_search_goes_on_and_has_the_same_verdicts() {
    let model = temporary_file("checkpointed.par", MODEL.as_bytes());
    for (name, options) in [
        ("one.checkpoint", &["--no-reduction"][..]),
        ("two.checkpoint", &["--no-reduction", "--workers", "2"][..]),
        ("strong.checkpoint", &["--no-reduction", "--fair", "strong", "--property", "again"][..]),
        ("deadlock.checkpoint", &["--no-reduction", "--deadlock", "--property", "bounded"][..]),
    ] {
        let arguments = [&["check", &model], options].concat();
        let whole = selvedge(&arguments);
        let checkpoint = new_checkpoint(name);
        let (output, code, kills) = in_pieces(&arguments, &checkpoint, 6);
        assert_eq!(without_times(&output), without_times(&whole.output), "{options:?}");
        assert_eq!(code, Some(whole.code), "{options:?}");
        assert!(kills > 0, "{options:?}: the search is too short for this test");
        assert!(!checkpoint.exists(), "{options:?}: the file is of no more use");
    }
}

/// A checkpoint of this model, of a search that was killed.
fn interrupted(name: &str, model: &str) -> PathBuf {
    let checkpoint = new_checkpoint(name);
    let mut child = command()
        .args(["check", model, "--no-reduction", "--checkpoint"])
        .arg(&checkpoint)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command was built");
    while length(&checkpoint) < 1000 {
        assert!(child.try_wait().expect("a child").is_none(), "the search is too short for this test");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a process of this test");
    child.wait().expect("the command ends");
    checkpoint
}

#[test]
fn a_checkpoint_of_another_search_or_a_damaged_one_is_refused() {
    let model = temporary_file("refused.par", MODEL.as_bytes());
    let other = temporary_file("refused-other.par", MODEL.replace("c < 7)", "c < 6)").as_bytes());
    let checkpoint = interrupted("refused.checkpoint", &model);
    let path = checkpoint.display().to_string();
    let bytes = std::fs::read(&checkpoint).expect("a checkpoint");
    // What is behind the valid part, whose length is in the file, was being written when the process ended.
    let valid = u64::from_le_bytes(bytes[24..32].try_into().expect("eight bytes")) as usize;
    let bytes = bytes[..valid].to_vec();
    let check = |arguments: &[&str], why: &str| {
        let ran = selvedge(&[&["check"], arguments, &["--checkpoint", &path]].concat());
        let begin = format!("error: cannot go on from the checkpoint {path}: {why}");
        assert!(ran.errors.starts_with(&begin), "{arguments:?}: {}", ran.errors);
        assert!(ran.errors.ends_with("; the file is left as it is, move it away to begin anew\n"));
        assert_eq!((ran.output.as_str(), ran.code), ("", 2), "{arguments:?}");
        assert!(checkpoint.exists());
    };
    let another = |line: &str| format!("it is of another search (its {line}");
    check(&[&other, "--no-reduction"], &another("program and constants: "));
    check(&[&model], &another("reduction: false; here reduction: true)"));
    check(&[&model, "--no-reduction", "--fair", "weak"], &another("fairness: None; here fairness: Weak)"));
    check(&[&model, "--no-reduction", "--workers", "2"], &another("workers: one; here workers: several)"));
    check(&[&model, "--no-reduction", "--property", "again"], &another("properties: All; here "));
    for damaged in [&bytes[..bytes.len() - 1], &bytes[..100]] {
        std::fs::write(&checkpoint, damaged).expect("room");
        check(&[&model, "--no-reduction"], "it is damaged;");
    }
    for index in [17, 30, 60, bytes.len() / 2] {
        let mut changed = bytes.clone();
        changed[index] ^= 4;
        std::fs::write(&checkpoint, changed).expect("room");
        check(
            &[&model, "--no-reduction"],
            if index == 17 { "it has version 1027, " } else { "it is damaged;" },
        );
    }
    std::fs::write(&checkpoint, "some other file").expect("room");
    check(&[&model, "--no-reduction"], "it is no checkpoint of `selvedge check`;");
}

#[test]
fn a_checkpoint_is_for_one_model_of_some_languages() {
    let checkpoint = new_checkpoint("unused.checkpoint");
    let path = checkpoint.display().to_string();
    let several = selvedge(&["check", "models/dekker.par", "models/peterson.par", "--checkpoint", &path]);
    let message = "error: --checkpoint is for one model, and there are several\n";
    assert_eq!((several.errors.as_str(), several.code), (message, 2));
    let erlang = selvedge(&["check", "models/erlang/database.erl", "--checkpoint", &path]);
    let message = "error: --checkpoint is not for Erlang: its states are known to their own process alone\n";
    assert_eq!((erlang.errors.as_str(), erlang.code), (message, 2));
    assert!(!checkpoint.exists());
}

#[test]
fn a_search_that_a_limit_stopped_goes_on_under_another_limit() {
    let model = temporary_file("limited.par", MODEL.as_bytes());
    let checkpoint = new_checkpoint("limited.checkpoint");
    let path = checkpoint.display().to_string();
    let arguments = ["check", &model, "--no-reduction", "--property", "again", "--checkpoint", &path];
    let limited = selvedge(&[&arguments[..], &["--max-memory", "4"]].concat());
    assert!(limited.output.contains("stopped by the limit of memory"), "{}", limited.output);
    let note = format!("note: the same command goes on from the checkpoint {path}\n");
    assert!(limited.errors.starts_with(&note) && limited.code == 3, "{}", limited.errors);
    let on = selvedge(&arguments);
    assert_eq!(on.errors, format!("note: going on from the checkpoint {path}\n"));
    let whole = selvedge(&arguments[..5]);
    assert_eq!((without_times(&on.output), on.code), (without_times(&whole.output), 0));
    assert!(!checkpoint.exists());
}
