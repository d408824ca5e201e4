//! A run of 10,000 states: only the window that is looked at is in the page.

use crate::support::Session;
use selvedge_debug::Target;
use selvedge_debug::explicit::Explicit;
use selvedge_debug::server::HostOptions;
use selvedge_testkit::browser::browser;
use serde_json::json;

const MOVES: u64 = 10_000;

/// One long path, along which three processes take turns.
fn path() -> Box<dyn Target> {
    let mut graph = Explicit::new(3);
    let mut last = graph.node("first");
    for number in 1..=MOVES {
        let next = graph.node(if number == MOVES { "last" } else { "between" });
        graph.arc(last, (number % 3) as u32, next);
        last = next;
    }
    Box::new(graph)
}

#[test]
fn a_run_of_10_000_states_takes_at_most_2_000_elements_and_a_few_requests() {
    let session = Session::start(path, HostOptions::default());
    let step = json!({ "command": "step", "formula": "F last", "options": { "limit": MOVES } });
    let found = session.command(&step);
    assert_eq!(found["snapshot"]["length"], json!(MOVES), "{}", found["text"]);
    let page = browser().open(&session.url);
    let elements = "document.querySelectorAll('*').length";
    let events = "document.querySelectorAll('.event').length";
    page.wait_for(&format!("document.body.dataset.position === '{MOVES}' && {events} > 5"));
    assert!(page.evaluate(elements).as_u64() <= Some(2000), "{}", page.evaluate(elements));
    let requests = page.evaluate(
        "performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('command')).length",
    );
    assert!(requests.as_u64() <= Some(4), "{requests} requests to open");
    for position in [0, 5000, 9999] {
        page.evaluate(&format!(
            "(() => {{ const slider = document.querySelector('.slider'); slider.value = {position}; slider.dispatchEvent(new Event('input')); }})()"
        ));
        let window = format!(
            "[...document.querySelectorAll('.event')].some((box) => box.dataset.position === '{}')",
            position + 1
        );
        page.wait_for(&format!("document.body.dataset.position === '{position}' && {window}"));
        assert!(page.evaluate(elements).as_u64() <= Some(2000), "{}", page.evaluate(elements));
    }
    for _ in 0..9 {
        page.press("-");
    }
    page.wait_for(&format!("{events} > 100"));
    assert!(page.evaluate(elements).as_u64() <= Some(2000), "{}", page.evaluate(elements));
    assert_eq!(page.complaints(), Vec::<String>::new());
}
