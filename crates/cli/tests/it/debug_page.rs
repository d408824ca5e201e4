//! `selvedge debug` in the browser: the command, its page, and its session file after a crash.

use crate::common::{command, temporary_file};
use selvedge_testkit::browser::{Page, browser};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// The command while it serves a page.
struct Debugger {
    child: Child,
    page: Page,
}

fn debug(arguments: &[&str]) -> Debugger {
    let mut child = command()
        .args(["debug", "--no-browser"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command was built");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let url = line.trim().strip_prefix("the page is at ").unwrap_or_else(|| panic!("{line}"));
    let page = browser().open(url);
    page.wait_for("document.body.dataset.position !== '' && document.querySelector('.process') !== null");
    Debugger { child, page }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        // As a crash would end it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_session_goes_on_after_the_command_was_killed() {
    let session = temporary_file("debug-page.session", b"");
    std::fs::remove_file(&session).expect("it was written");
    let arguments = ["--session", session.as_str(), "models/dekker.flow"];
    let first = debug(&arguments);
    first.page.press("/");
    first.page.write("F (P0 at m2 & P1 at n2)");
    first.page.press("Enter");
    // The event may come before the answer, which gives the keys back to the page.
    first.page.wait_for("document.body.dataset.length === '6' && !document.body.hasAttribute('data-busy')");
    first.page.press("1");
    first.page.wait_for("document.body.dataset.length === '7'");
    drop(first);
    let second = debug(&arguments);
    second.page.wait_for("document.body.dataset.length === '7' && document.body.dataset.position === '7'");
    second.page.wait_for("document.getElementById('answer').textContent.startsWith('The session is back')");
    second.page.wait_for("document.querySelectorAll('.program .code').length === 2");
    assert_eq!(second.page.complaints(), Vec::<String>::new());
}

#[test]
fn recordings_and_families_of_processes_have_pages_too() {
    let philosophers = debug(&["--set", "N=3", "models/philosophers.par"]);
    philosophers.page.wait_for("document.querySelectorAll('.process').length === 3");
    philosophers.page.press("2");
    philosophers.page.wait_for("document.body.dataset.length === '1'");
    assert_eq!(philosophers.page.complaints(), Vec::<String>::new());
    let recording = debug(&["docs/lost-update.trace"]);
    recording.page.wait_for("document.querySelectorAll('.event').length === 7");
    recording.page.wait_for("document.getElementById('notice').textContent.includes('SELVEDGE_DEBUG=')");
    assert_eq!(recording.page.complaints(), Vec::<String>::new());
}
