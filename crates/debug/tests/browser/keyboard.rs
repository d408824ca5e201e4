//! Section 6 of Gunter and Peled, Temporal Debugging for Concurrent Systems, in the page, by the keyboard
//! alone.

use crate::models::model;
use crate::support::Session;
use selvedge_debug::server::HostOptions;
use selvedge_testkit::browser::{Page, browser};
use serde_json::json;

/// A page with the model, driven by keys.
pub(crate) struct Reader {
    pub(crate) page: Page,
    _session: Session,
}

impl Reader {
    pub(crate) fn new() -> Reader {
        Reader::of("models/dekker.flow", &[])
    }

    fn of(file: &'static str, settings: &'static [(&str, i64)]) -> Reader {
        let settings: Vec<(String, i64)> =
            settings.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let session = Session::start(move || model(file, &settings), HostOptions::default());
        let page = browser().open(&session.url);
        page.wait_for(
            "document.body.dataset.length === '0' && document.querySelector('.process .move') !== null",
        );
        Reader { page, _session: session }
    }

    /// Presses a key that sends a command, and returns the answer.
    pub(crate) fn key(&self, key: &str) -> String {
        let before = self.page.evaluate("Number(document.body.dataset.sequence)");
        self.page.press(key);
        self.page.wait_for(&format!(
            "Number(document.body.dataset.sequence) > {before} && !document.body.hasAttribute('data-busy')"
        ));
        self.text("document.getElementById('answer').textContent")
    }

    /// Searches a step with the mode that the page suggests.
    pub(crate) fn ask(&self, formula: &str) -> String {
        self.page.press("/");
        self.page.write(formula);
        assert_eq!(self.text("document.getElementById('formula').value"), formula);
        self.key("Enter")
    }

    /// Searches a step in this mode.
    fn ask_in_mode(&self, mode: &str, formula: &str) -> String {
        self.page.press("m");
        while self.text("document.querySelector('[name=mode]:checked').value") != mode {
            self.page.press("m");
        }
        self.ask(formula)
    }

    fn text(&self, expression: &str) -> String {
        let value = self.page.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression}: {value}")).to_owned()
    }

    /// The value of a variable, as the tree of the state shows it.
    fn value(&self, path: &str) -> String {
        let label = self
            .text(&format!("document.querySelector('[role=treeitem][aria-label^=\"{path} \"]').ariaLabel"));
        label.rsplit(' ').next().unwrap_or_default().to_owned()
    }

    /// The filled node of a flow graph.
    fn node(&self, process: usize) -> String {
        let node = self.text(&format!("document.querySelector('.program.p{process} .node.at').ariaLabel"));
        node.split(':').next().unwrap_or_default().to_owned()
    }

    /// The formulas on the stack, newest first.
    fn stack(&self) -> Vec<String> {
        let cards = self
            .page
            .evaluate("[...document.querySelectorAll('.card-formula')].map((card) => card.textContent)");
        cards
            .as_array()
            .expect("cards")
            .iter()
            .map(|card| card.as_str().expect("a text").to_owned())
            .collect()
    }
}

#[test]
fn section_6_by_the_keyboard_alone() {
    let reader = Reader::new();
    assert!(reader.ask("F (P0 at m2 & P1 at n1)").starts_with("Found: 4 moves."));
    assert_eq!((reader.value("c0"), reader.value("c1")), ("0".to_owned(), "1".to_owned()));

    // Every end of G P1 at n1, each once.
    reader.page.press("e");
    assert!(reader.ask_in_mode("every-end", "G P1 at n1").starts_with("Found: 0 moves."));
    for alternative in 2..=10 {
        assert!(reader.key("b").contains(&format!("alternative {alternative}.")));
    }
    assert!(reader.key("b").contains("the step had 10 alternatives, and is gone"));
    reader.page.press("e");
    // The page suggests the maximal step, which goes on for ever.
    assert!(reader.ask("G P1 at n1").contains("It goes on for ever"));
    assert_eq!(reader.stack(), ["G P1 at n1", "F (P0 at m2 & P1 at n1)"]);
    reader.key("Backspace");
    assert!(reader.ask("(G P1 at n1) & (F P0 at m8)").starts_with("Found: 2 moves."));

    reader.key("c");
    assert!(reader.stack().is_empty());
    both_processes_try(&reader);
    assert_eq!(reader.page.complaints(), Vec::<String>::new());
}

fn both_processes_try(reader: &Reader) {
    assert!(reader.ask("F (P0 at m2 & P1 at n2)").starts_with("Found: 6 moves."));
    assert_eq!(reader.value("turn"), "0");
    assert!(reader.ask("(G P1 at n2) & (F P0 at m8)").starts_with("There is no such sequence"));
    reader.page.press("g");
    reader.page.wait_for("document.querySelector('.program.p0 .node.at') !== null");
    let mut answer = reader.ask_in_mode("every-end", "G P1 at n2");
    let mut nodes = Vec::new();
    while answer.starts_with("Found") {
        nodes.push(reader.node(0));
        answer = reader.key("b");
    }
    nodes.sort();
    nodes.dedup();
    assert_eq!(nodes, ["m2", "m6", "m7"], "where it is, m7 and m6");
    assert!(reader.ask("G P1 at n2").contains("It goes on for ever"));
    reader.key("Backspace");

    assert!(reader.ask("F P0 at m8").starts_with("Found: 5 moves."));
    // The window of the timeline comes after the answer.
    let label = "event.ariaLabel.endsWith('P1: n3: c1 := 1')";
    reader.page.wait_for(&format!("[...document.querySelectorAll('.event')].some((event) => {label})"));
    assert_eq!((reader.node(0).as_str(), reader.node(1).as_str()), ("m8", "n3"));
    reader.key("ArrowLeft");
    assert_eq!(reader.node(0), "m7");
    reader.key("End");
    reader.key("Backspace");
    for formula in ["F P1 at n3", "F P0 at m7", "F P0 at m8"] {
        assert!(reader.ask(formula).starts_with("Found"), "{formula}");
    }
    assert_eq!(
        reader.page.evaluate("document.body.dataset.length"),
        json!("11"),
        "the same in smaller steps"
    );
    for _ in 0..3 {
        reader.key("Backspace");
    }
    assert!(reader.ask("!(P0 at m8) U (P1 at n8)").starts_with("There is no such sequence"));
    assert!(reader.ask("!(P1 at n8) U (P0 at m8)").starts_with("Found: 5 moves."));
    let again = "X (!(P1 at n8) U (!(P0 at m8) & X (!(P1 at n8) U P0 at m8)))";
    assert!(reader.ask(again).starts_with("Found: 6 moves."), "P0 enters again before P1");
}

#[test]
fn digits_take_simple_steps_and_errors_are_underlined() {
    let reader = Reader::new();
    for (key, stack) in [("1", "X exec(P0)"), ("2", "X exec(P1)"), ("2", "X exec(P1)")] {
        reader.key(key);
        assert_eq!(reader.stack()[0], stack);
    }
    reader.page.press("/");
    reader.page.write("F P0 at m99");
    reader.page.wait_for("document.querySelector('.wrong.error')?.textContent.includes('m99')");
    reader.page.wait_for("document.getElementById('formula').ariaInvalid === 'true'");
    for _ in 0.."m99".len() {
        reader.page.press("Backspace");
    }
    reader.page.wait_for(
        "document.querySelectorAll('#completions[aria-busy=false] [role=option]').length > 1 && \
         document.getElementById('formula').value === 'F P0 at '",
    );
    reader.page.press("ArrowDown");
    reader.page.press("ArrowDown");
    reader.page.press("Enter");
    reader.page.wait_for("document.getElementById('formula').ariaInvalid === 'false' && document.getElementById('formula').value.startsWith('F P0 at m')");
    assert_eq!(reader.page.complaints(), Vec::<String>::new());
}

#[test]
fn a_search_shows_how_far_it_is_and_can_be_cancelled() {
    // Ten philosophers have 4.7 million states, in none of which eleven eat.
    let reader = Reader::of("models/philosophers.par", &[("N", 10)]);
    assert!(reader.ask("F (eating = 1)").starts_with("Found"));
    reader.page.press("/");
    reader.page.write("F (eating = 11)");
    reader.page.press("Enter");
    reader.page.wait_for("document.getElementById('progress').textContent.includes('states, depth')");
    assert!(reader.key("Escape").starts_with("The search was cancelled."));
    assert_eq!(reader.stack().len(), 1, "the stack is as it was");
    assert_eq!(reader.page.complaints(), Vec::<String>::new());
}
