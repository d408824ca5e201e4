//! Tests under the debugger, each in a process of its own, driven by the messages that the page sends.
#![cfg(feature = "debug")]

mod debuggee;
mod exported;
mod programs;

use debuggee::{Debuggee, forget_crashes, in_terminal, run, run_with};
use expect_test::expect_file;
use selvedge_testkit::browser::browser;
use serde_json::json;
use std::sync::{Mutex, PoisonError};

/// The formula that leads two threads into their critical sections.
const BOTH: &str = "F (in_critical(1) & in_critical(2))";

/// Tests of the same run save it in the same file, and take turns.
static TURN: Mutex<()> = Mutex::new(());

const RACE: &str = "programs::increments_exclude_each_other";

#[test]
fn a_formula_leads_to_a_race_and_the_exported_test_fails_in_the_same_way() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut session = Debuggee::start("increments_exclude_each_other", RACE);
    let answer = session.step(BOTH);
    assert_eq!(
        (answer["kind"].as_str(), answer["alternative"].as_u64()),
        (Some("found"), Some(1)),
        "{answer}"
    );
    let text = session.export("rust");
    session.quit();
    let header = "//! What the debugger exported, by the test in `main.rs`, which compares it.\n\n\
         use super::programs::increments_exclude_each_other;\n\n";
    let ignored = text.replace("#[test]\n", "#[test]\n#[ignore = \"fails; run by another test\"]\n");
    expect_file!["exported.rs"].assert_eq(&format!("{header}{ignored}"));
    let message = |output: String| {
        let line = output.lines().find(|line| line.starts_with("error[run::"));
        line.expect("a failure").to_owned()
    };
    let explored = message(run(RACE, false));
    let replayed = message(run("exported::increments_exclude_each_other_replayed", false));
    assert!(explored.starts_with("error[run::data-race]: "), "{explored}");
    assert_eq!(replayed, explored);
}

#[test]
fn a_formula_leads_to_a_race_in_the_browser() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut session = Debuggee::start("increments_exclude_each_other", RACE);
    let page = browser().open(&session.url());
    page.wait_for("document.body.dataset.position === '0'");
    page.press("/");
    page.write(BOTH);
    page.press("Enter");
    page.wait_for("document.body.dataset.length === '7' && document.body.dataset.position === '7'");
    page.wait_for("document.body.innerText.includes('data race: write at')");
    for shown in ["in_critical(1)", "in_critical(2)", "atomic#1", "thread 1"] {
        page.wait_for(&format!("document.body.innerText.includes('{shown}')"));
    }
    page.press("ArrowLeft");
    page.wait_for("document.body.dataset.position === '6'");
    assert_eq!(page.complaints(), Vec::<String>::new());
    let text = session.export("rust");
    assert!(text.contains("selvedge::replay(recording, increments_exclude_each_other);"), "{text}");
    session.quit();
}

#[test]
fn a_script_drives_a_test_in_the_terminal_as_the_guide_shows() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let script = "F (in_critical(1) & in_critical(2))\nlook 5\nstate\nvalue waits(1)\nat(1)\n";
    let (output, is_success) = in_terminal(RACE, script);
    assert!(is_success, "{output}");
    let is_shown =
        |line: &&str| !line.is_empty() && !line.starts_with("running ") && !line.starts_with("test ");
    let shown: Vec<&str> = output.lines().map(str::trim_end).filter(is_shown).collect();
    // The first block of the guide, after the line with the command.
    let guide = include_str!("../../../../docs/debug-rust.md");
    let (before, rest) = guide.split_once("```text\n").expect("a transcript");
    let (block, after) = rest.split_once("```").expect("its end");
    let command = block.lines().next().expect("a command");
    let expected = format!("{before}```text\n{command}\n{}\n```{after}", shown.join("\n"));
    expect_file!["../../../../docs/debug-rust.md"].assert_eq(&expected);
}

#[test]
fn a_session_in_the_terminal_goes_on_after_an_abort() {
    const ABORTS: &str = "programs::a_test_is_killed";
    forget_crashes(ABORTS);
    let (output, is_success) = in_terminal(ABORTS, "F begun\nF failed\nstate\n");
    assert!(!is_success && output.contains("> F failed\n") && !output.contains("> state\n"), "{output}");
    let (output, is_success) = in_terminal(ABORTS, "F failed\nquit\n");
    assert!(is_success, "{output}");
    let expected = "this line ended the process, and is not carried out again: F failed\n> F failed\nfound: ";
    assert!(output.contains("> F begun\nfound: ") && output.contains(expected), "{output}");
}

#[test]
fn a_saved_trace_is_the_beginning_of_a_session() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let output = run(RACE, false);
    let help = output.split("= help: debug with `SELVEDGE_DEBUG=").nth(1).expect("a command");
    let (file, command) = help.split_once(' ').expect("a file and a command");
    assert!(command.starts_with(&format!("cargo test {RACE} -- --exact`\n")), "{command}");
    let mut session = Debuggee::start(file, RACE);
    let opened = session.send(&json!({ "command": "open" }));
    let snapshot = &opened["snapshot"];
    let card = snapshot["stack"][0]["formula"].as_str().unwrap_or_default();
    assert!(card.contains("data race"), "{snapshot}");
    let end = snapshot["state"]["end"]["text"].as_str().unwrap_or_default();
    assert!(end.starts_with("data race: "), "{snapshot}");
    session.quit();
}

#[test]
fn a_test_that_ends_its_process_loses_no_command() {
    const ABORTS: &str = "programs::a_test_aborts";
    let mut session = Debuggee::start("a_test_aborts", ABORTS);
    assert_eq!(session.step("F begun")["kind"], "found");
    session.send_to_death(&json!({ "command": "step", "formula": "F failed" }));
    let mut again = Debuggee::start_again("a_test_aborts", ABORTS);
    let opened = again.send(&json!({ "command": "open" }));
    assert_eq!(opened["snapshot"]["stack"][0]["formula"], "F begun", "{opened}");
    let greeting = opened["snapshot"]["answer"]["text"].as_str().unwrap_or_default();
    assert!(greeting.contains("F failed"), "{greeting}");
    // The step that ended the process is known, and is an end of its run.
    assert_eq!(again.step("F failed")["kind"], "found");
    let opened = again.send(&json!({ "command": "open" }));
    let end = opened["snapshot"]["state"]["end"]["text"].as_str().unwrap_or_default();
    assert!(end.contains("ended the process"), "{opened}");
    again.quit();
}

#[test]
fn an_exploration_without_the_attribute_is_debugged_first() {
    let mut session = Debuggee::start("an_exploration_is_debugged", "programs::an_exploration_is_debugged");
    assert_eq!(session.step("F ready")["kind"], "found");
    session.quit();
}

#[test]
fn other_tests_run_as_always() {
    let output = run_with("programs::another_test_explores", true, Some("increments_exclude_each_other"));
    assert!(output.contains("1 passed"), "{output}");
}

#[test]
fn a_missing_trace_is_named() {
    let output = run_with("programs::another_test_explores", false, Some("no-such.trace"));
    assert!(output.contains("selvedge: SELVEDGE_DEBUG: there is no trace `no-such.trace`"), "{output}");
}
