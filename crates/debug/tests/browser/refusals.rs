//! What the server refuses: foreign hosts and pages, a missing token, long requests; and what the page may
//! not do.

use crate::support::Session;
use selvedge_debug::explicit::Explicit;
use selvedge_debug::server::{HostOptions, MAX_BODY, POLICY};
use selvedge_testkit::browser::browser;
use serde_json::json;

/// Two states, and a move from each to the other.
fn session() -> Session {
    let target = || {
        let mut graph = Explicit::new(1);
        let (first, second) = (graph.node("p"), graph.node("q"));
        graph.arc(first, 0, second);
        graph.arc(second, 0, first);
        Box::new(graph) as Box<dyn selvedge_debug::Target>
    };
    Session::start(target, HostOptions::default())
}

#[test]
fn requests_from_elsewhere_are_refused() {
    let session = session();
    let (own, path) = (session.host(), session.path());
    let get = |path: &str, headers: &str| {
        session.exchange(format!("GET {path} HTTP/1.1\r\n{headers}\r\n").as_bytes()).status()
    };
    assert_eq!(get(path, &format!("Host: {own}\r\n")), 200);
    assert_eq!(get(path, "Host: example.org\r\n"), 403);
    assert_eq!(get(path, &format!("Host: {own}\r\nOrigin: http://example.org\r\n")), 403);
    assert_eq!(get("/", &format!("Host: {own}\r\n")), 403, "the token is missing");
    assert_eq!(get("/app.js", &format!("Host: {own}\r\n")), 403, "the token is missing");
    assert_eq!(get(&format!("{path}../../etc/passwd"), &format!("Host: {own}\r\n")), 404);
    let other: String = path.chars().map(|char| if char == '0' { '1' } else { char }).collect();
    assert_eq!(get(&format!("{other}0"), &format!("Host: {own}\r\n")), if other == path { 404 } else { 403 });
}

#[test]
fn commands_are_posted_as_json_of_bounded_length() {
    let session = session();
    let post = |kind: &str, body: &str| {
        let head = format!(
            "POST {}command HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            session.path(),
            session.host(),
            body.len()
        );
        session.exchange(format!("{head}{body}").as_bytes()).status()
    };
    assert_eq!(post("application/json", "{\"command\":\"open\"}"), 200);
    assert_eq!(
        post("text/plain", "{\"command\":\"open\"}"),
        415,
        "a form of another page can send this type"
    );
    assert_eq!(post("application/json", &"a".repeat(10_000_000)), 413, "10 MB");
    assert_eq!(post("application/json", &"a".repeat(MAX_BODY + 1)), 413);
    assert_eq!(post("application/json", &"a".repeat(MAX_BODY)), 200, "it is read, and is no command");
    let refused = session.command(&json!({ "command": "stpe" }));
    assert_eq!(refused["message"], json!("error"));
    assert!(refused["text"].as_str().is_some_and(|text| text.contains("stpe")), "{refused}");
}

#[test]
fn every_response_has_the_policy() {
    let session = session();
    for path in [session.path().to_owned(), format!("{}app.js", session.path()), "/".to_owned()] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", session.host());
        let response = session.exchange(request.as_bytes());
        let head = response.head();
        assert!(head.contains(&format!("Content-Security-Policy: {POLICY}\r\n")), "{path}: {head}");
        assert!(head.contains("X-Content-Type-Options: nosniff"), "{path}: {head}");
        assert!(!head.contains("Access-Control"), "{path}: {head}");
    }
    assert!(POLICY.starts_with("default-src 'none';") && !POLICY.contains("unsafe"));
}

#[test]
fn the_browser_refuses_inline_scripts_styles_and_other_hosts() {
    let session = session();
    let page = browser().open(&session.url);
    page.wait_for("document.body.dataset.length === '0'");
    assert_eq!(page.complaints(), Vec::<String>::new());
    page.evaluate(
        "(() => {
            window.ran = false;
            const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            document.body.append(script);
            const link = document.createElement('div');
            link.setAttribute('onclick', 'window.ran = true');
            link.setAttribute('style', 'position: fixed');
            document.body.append(link);
            link.click();
            window.kind = getComputedStyle(link).position;
        })()",
    );
    assert_eq!(page.evaluate("window.ran"), json!(false), "an inline script ran");
    assert_eq!(page.evaluate("window.kind"), json!("static"), "an inline style counted");
    let elsewhere = page.evaluate("fetch('http://127.0.0.2:9/').then(() => 'loaded', () => 'refused')");
    assert_eq!(elsewhere, json!("refused"));
    let complaints = page.complaints();
    for kind in ["inline script", "inline style", "event handler", "Connecting to"] {
        assert!(complaints.iter().any(|text| text.contains(kind)), "{kind}: {complaints:#?}");
    }
}

#[test]
fn a_second_tab_joins_and_a_closed_one_loses_nothing() {
    let session = session();
    let first = browser().open(&session.url);
    first.wait_for("document.body.dataset.length === '0'");
    first.press("1");
    first.wait_for("document.body.dataset.length === '1'");
    let second = browser().open(&session.url);
    second.wait_for("document.body.dataset.length === '1'");
    second.press("1");
    first.wait_for("document.body.dataset.length === '2'");
    drop(first);
    drop(second);
    let third = browser().open(&session.url);
    third.wait_for("document.body.dataset.length === '2' && document.body.dataset.position === '2'");
    assert_eq!(third.complaints(), Vec::<String>::new());
}
