//! What leaves the page: the session file, which opens again, and one HTML page without a server.

use crate::support::Session;
use selvedge_debug::Target;
use selvedge_debug::explicit::Explicit;
use selvedge_debug::server::HostOptions;
use selvedge_testkit::browser::browser;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A ladder of three rungs: two ways from each to the next, by two processes. Its names look like markup.
fn ladder() -> Box<dyn Target> {
    let mut graph = Explicit::new(2);
    let rungs: Vec<_> = ["bottom", "low", "high", "top"].map(|name| graph.node(name)).into();
    for pair in rungs.windows(2) {
        for process in 0..2 {
            let side = graph.node("side");
            graph.arc(pair[0], process, side);
            graph.arc(side, process, pair[1]);
        }
    }
    Box::new(graph)
}

fn temporary(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is there if the test ran before.
    drop(std::fs::remove_file(&path));
    path
}

fn with_session(path: &Path) -> HostOptions {
    HostOptions { session: Some(path.to_owned()), ..HostOptions::default() }
}

/// The parts of a snapshot that a session has to bring back.
fn essence(session: &Session) -> Value {
    let opened = session.command(&json!({ "command": "open" }));
    let snapshot = &opened["snapshot"];
    json!([
        snapshot["length"],
        snapshot["position"],
        snapshot["stack"],
        snapshot["state"],
        snapshot["strips"]
    ])
}

#[test]
fn a_session_is_written_at_every_command_and_opens_again() {
    let path = temporary("ladder.session");
    let first = Session::start(ladder, with_session(&path));
    for command in [
        json!({ "command": "step", "formula": "F low" }),
        json!({ "command": "backtrack" }),
        json!({ "command": "step", "formula": "F top", "options": { "mode": "minimal", "paths": "all" } }),
        json!({ "command": "alternatives", "first": 1, "count": 3 }),
        json!({ "command": "choose", "alternative": 3 }),
        json!({ "command": "judge", "formulas": ["G !high"] }),
        json!({ "command": "look", "position": 2 }),
        json!({ "command": "step", "formula": "F (" }),
    ] {
        first.command(&command);
    }
    let expected = essence(&first);
    // The process may end at any time: the file is read while the session goes on.
    let copy = temporary("copy.session");
    std::fs::copy(&path, &copy).expect("a session file");
    let second = Session::start(ladder, with_session(&copy));
    assert_eq!(essence(&second), expected);
    let exported = first.command(&json!({ "command": "export", "format": "session" }));
    assert_eq!(exported["text"].as_str(), Some(std::fs::read_to_string(&path).expect("a file").as_str()));
}

#[test]
fn a_command_that_ended_its_process_is_named_and_not_carried_out_again() {
    let path = temporary("aborted.session");
    let head = json!({ "selvedge": "session", "version": 1, "title": "a graph" });
    let step = json!({ "command": "step", "formula": "F low" });
    let abort = json!({ "command": "step", "formula": "F top" });
    std::fs::write(&path, format!("{head}\n{step}\n{}\n{abort}\n", json!({ "done": true }))).expect("a file");
    let session = Session::start(ladder, with_session(&path));
    let opened = session.command(&json!({ "command": "open" }));
    assert_eq!(opened["snapshot"]["length"], json!(2));
    let said = opened["snapshot"]["answer"]["text"].as_str().unwrap_or_default();
    assert!(said.contains("F top"), "{said}");
}

#[test]
fn a_page_without_a_server_shows_the_run() {
    let session = Session::start(ladder, HostOptions::default());
    session.command(&json!({ "command": "step", "formula": "F top" }));
    session.command(&json!({ "command": "judge", "formulas": ["G !high", "F '</script><b>'"] }));
    session.command(&json!({ "command": "judge", "formulas": ["G !high"] }));
    let exported = session.command(&json!({ "command": "export", "format": "html" }));
    let html = exported["text"].as_str().expect("a page");
    for outside in ["src=", "href=\"http", "@import", "url("] {
        assert!(!html.contains(outside), "the page loads {outside}");
    }
    let path = temporary("ladder.html");
    std::fs::write(&path, html).expect("a file");
    drop(session);
    let page = browser().open(&format!("file://{}", path.display()));
    page.wait_for(
        "document.body.dataset.position === '6' && document.querySelectorAll('.event').length === 6",
    );
    page.press("ArrowLeft");
    page.wait_for("document.body.dataset.position === '5'");
    page.press("Home");
    page.wait_for("document.body.dataset.position === '0'");
    page.press_with("ArrowRight", 8);
    page.wait_for("document.body.dataset.position === '6'");
    page.wait_for("document.querySelector('.verdict-false') !== null");
    page.press("b");
    page.wait_for("document.getElementById('answer').textContent.includes('selvedge debug')");
    assert_eq!(page.complaints(), Vec::<String>::new());
}
