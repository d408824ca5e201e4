//! `selvedge graph`: drawings in each format, messages and exit codes.

use crate::common::{CommandRun, root, selvedge, temporary_file, words};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

const PAR: &str = "models/dekker.par";
const FLOW: &str = "models/dekker.flow";

/// Runs the command with options written as one text; `'` keeps words together.
fn graph(file: &str, options: &str) -> CommandRun {
    selvedge(&[&["graph", file][..], &words(options)].concat())
}

#[track_caller]
fn drawn(file: &str, options: &str) -> String {
    let ran = graph(file, options);
    assert_eq!(ran.code, 0, "{options}\n{}", ran.errors);
    ran.output
}

#[track_caller]
fn json(file: &str, options: &str) -> Value {
    serde_json::from_str(&drawn(file, &format!("{options} --format json"))).expect("JSON")
}

fn count(graph: &Value, what: &str) -> usize {
    graph[what].as_array().expect("a list").len()
}

fn texts<'g>(list: &'g Value, key: &str) -> Vec<&'g str> {
    list.as_array().expect("a list").iter().map(|item| item[key].as_str().expect("a text")).collect()
}

/// The indices of the nodes, or edges, of a class.
fn of_class(list: &Value, class: &str) -> Vec<usize> {
    let has = |item: &Value| item["classes"].as_array().expect("a list").iter().any(|own| own == class);
    let all = list.as_array().expect("a list").iter().enumerate();
    all.filter(|(_, item)| has(item)).map(|(index, _)| index).collect()
}

const EVERY_KIND: [(&str, &str); 8] = [
    (FLOW, "--of flow"),
    (PAR, "--of flow --process 2"),
    (PAR, "--of states"),
    (PAR, "--of states --property strong --max-nodes 50"),
    (PAR, "--of automaton --property weak"),
    (PAR, "--of product --property strong --max-nodes 60"),
    (PAR, "--of counterexample --property strong"),
    (PAR, "--of counterexample --ltl '[] c1 = 0'"),
];

#[test]
fn graphviz_reads_every_kind_and_sees_what_json_has() {
    for (file, options) in EVERY_KIND {
        let mut child = Command::new("dot")
            .arg("-Tjson0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this test needs `dot`: install graphviz");
        let dot = drawn(file, options);
        child.stdin.take().expect("a pipe").write_all(dot.as_bytes()).expect("dot reads");
        let done = child.wait_with_output().expect("dot ends");
        assert!(done.status.success(), "{options}\n{dot}");
        let read: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let names = texts(&read["objects"], "name");
        let graph = json(file, options);
        let nodes = names.iter().filter(|name| name.starts_with('n')).count();
        assert_eq!(nodes, count(&graph, "nodes"), "{options}");
        // For Graphviz, the arrow to an initial state is an edge too.
        assert_eq!(count(&read, "edges"), count(&graph, "edges") + count(&graph, "initial"), "{options}");
    }
}

/// Tags nest, and every ampersand is an entity.
#[track_caller]
fn check_well_formed(xml: &str) {
    let mut open = Vec::new();
    for (index, piece) in xml.split('<').enumerate().skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("tag {index} is not closed"));
        let name = tag.split_whitespace().next().expect("a tag has a name").trim_end_matches('/');
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "tags do not nest");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        for (at, _) in text.match_indices('&') {
            let known = ["&amp;", "&lt;", "&gt;"].iter().any(|entity| text[at..].starts_with(entity));
            assert!(known, "a bare ampersand in {text:?}");
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
}

#[test]
fn every_kind_is_a_well_formed_svg_with_all_its_nodes() {
    for (file, options) in EVERY_KIND {
        let svg = drawn(file, &format!("{options} --format svg"));
        assert!(svg.starts_with("<svg "), "{options}");
        check_well_formed(&svg);
        assert_eq!(svg.matches("data-node=").count(), count(&json(file, options), "nodes"), "{options}");
    }
}

#[test]
fn dekkers_flow_graphs_have_the_labels_of_the_paper() {
    let graph = json(FLOW, "");
    assert_eq!(texts(&graph["parts"], "title"), ["P0", "P1"]);
    let labels = texts(&graph["nodes"], "label");
    for expected in
        ["m2: c0 := 0", "m6: if turn = 1", "m7: while c1 = 0", "m8: critical := 0", "n8: critical := 1"]
    {
        assert!(labels.contains(&expected), "{expected} is not among {labels:?}");
    }
    assert_eq!((count(&graph, "nodes"), count(&graph, "edges"), count(&graph, "initial")), (24, 28, 2));
    let one = json(FLOW, "--process P1");
    assert_eq!(texts(&one["parts"], "title"), ["P1"]);
    assert_eq!(count(&one, "nodes"), 12);
}

#[test]
fn dekkers_state_spaces_have_the_known_sizes() {
    let sizes = |options: &str| {
        let graph = json(PAR, options);
        assert_eq!(graph["whole"], true, "{options}");
        (count(&graph, "nodes"), count(&graph, "edges"))
    };
    assert_eq!(sizes("--of states --exact --max-states 263"), (263, 586));
    assert_eq!(sizes("--of states"), (152, 336));
}

#[test]
fn a_truncated_drawing_says_so() {
    let ran = graph(PAR, "--of states --exact --max-nodes 262 --format json");
    assert_eq!(
        (ran.code, ran.errors.as_str()),
        (0, "note: only the first 262 states are drawn; --max-nodes draws more\n")
    );
    let graph: Value = serde_json::from_str(&ran.output).expect("JSON");
    assert_eq!(graph["whole"], false);
    assert_eq!(count(&graph, "nodes"), 262);
    assert!(!of_class(&graph["nodes"], "cut").is_empty());
    assert!(drawn(PAR, "--of states --max-nodes 10 --format svg").contains("(the first 10 states)</text>"));
    let flow = json(FLOW, "--max-nodes 12");
    assert_eq!((flow["whole"].clone(), texts(&flow["parts"], "title")), (Value::Bool(false), vec!["P0"]));
    assert_eq!(texts(&flow["nodes"], "label").last(), Some(&"… and 1 more process"));
}

#[test]
fn the_product_has_as_many_states_as_the_check_searched() {
    let checked = selvedge(&["check", PAR, "--property", "weak", "--format", "json"]);
    let checked: Value = serde_json::from_str(&checked.output).expect("JSON");
    let searched = checked["properties"][0]["product_states"].as_u64().expect("a number") as usize;
    let product = json(PAR, "--of product --property weak --max-nodes 5000");
    assert_eq!(product["whole"], true);
    assert_eq!(count(&product, "nodes"), searched);
}

#[test]
fn the_drawn_automaton_is_that_of_the_negation_with_the_models_propositions() {
    let graph = json(PAR, "--of automaton --property strong");
    assert_eq!(count(&graph, "nodes"), 2);
    assert!(texts(&graph["edges"], "label").iter().any(|label| label.contains("!at(1, crit)")));
    assert!(graph["title"].as_str().expect("a text").ends_with("the automaton of its negation"));
}

/// The run of the drawing is the run of the check, step by step.
#[track_caller]
fn check_same_run(file: &str, property: &str, fair: &str) {
    let ran = selvedge(&["check", file, "--property", property, "--fair", fair, "--format", "json"]);
    let checked: Value = serde_json::from_str(&ran.output).expect("JSON");
    let run = &checked["properties"][0]["counterexample"];
    let steps = |part: &str| run[part].as_array().expect("steps").clone();
    let checked_steps: Vec<String> = [steps("prefix")[1..].to_vec(), steps("cycle")]
        .concat()
        .iter()
        .map(|step| match step["process"].as_str() {
            Some(process) => format!("{process}: {}", step["action"].as_str().expect("a text")),
            None => "the run has ended".to_owned(),
        })
        .collect();
    let graph = json(file, &format!("--of counterexample --property {property} --fair {fair}"));
    assert_eq!(texts(&graph["edges"], "label"), checked_steps, "{file} {property}");
    let states = steps("prefix").len() + steps("cycle").len().saturating_sub(1);
    assert_eq!(count(&graph, "nodes"), states, "{file} {property}");
    assert_eq!(of_class(&graph["edges"], "cycle").len(), steps("cycle").len(), "{file} {property}");
}

#[test]
fn the_drawn_counterexample_is_the_one_that_check_shows() {
    check_same_run(PAR, "strong", "none");
    check_same_run(PAR, "strong", "weak");
    check_same_run(FLOW, "alone", "none");
}

#[test]
fn deadlocks_and_errors_are_marked() {
    let text = "memory x = 0;\nprocess 1: x := 1; await x = 2\nprocess 2: assert x = 0\n";
    let file = temporary_file("graph-marks.par", text.as_bytes());
    let graph = json(&file, "--of states");
    let labels = texts(&graph["nodes"], "label");
    let deadlocked = of_class(&graph["nodes"], "deadlock");
    assert!(
        !deadlocked.is_empty() && deadlocked.iter().all(|node| labels[*node].ends_with("\ndeadlock")),
        "{labels:?}"
    );
    let failed = of_class(&graph["nodes"], "error");
    assert!(!failed.is_empty() && failed.iter().all(|node| labels[*node].contains("assert")), "{labels:?}");
}

#[test]
fn a_property_that_holds_has_no_counterexample_to_draw() {
    let ran = graph(PAR, "--of counterexample --property mutex");
    assert_eq!((ran.code, ran.output.as_str()), (1, ""));
    assert_eq!(
        ran.errors,
        "note: models/dekker.par: mutex holds, so that there is no counterexample to draw\n"
    );
}

#[test]
fn the_output_files_name_tells_the_format() {
    for (name, start) in [("flow.svg", "<svg "), ("flow.dot", "digraph "), ("flow.json", "{")] {
        let file = temporary_file(name, b"");
        let ran = selvedge(&["graph", FLOW, "-o", &file]);
        assert_eq!((ran.code, ran.output.as_str()), (0, ""), "{}", ran.errors);
        assert!(std::fs::read_to_string(file).expect("a text").starts_with(start), "{name}");
    }
}

#[track_caller]
fn check_refused(file: &str, options: &str, code: i32, message: &str) {
    let ran = graph(file, options);
    assert_eq!((ran.code, ran.output.as_str()), (code, ""), "{options}");
    assert!(ran.errors.contains(message), "{options}: {}", ran.errors);
}

#[test]
fn contradictory_options_of_a_drawing_are_refused_with_a_hint() {
    check_refused(PAR, "--process 3", 2, "models/dekker.par has no process `3`; it has: 1, 2");
    check_refused(
        PAR,
        "--of states --property mutual",
        2,
        "has no property `mutual`; it has: mutex, strong, weak",
    );
    check_refused(PAR, "--of product", 2, "which property? --property takes one of: mutex, strong, weak");
    check_refused(PAR, "--of states --process 1", 2, "--process is for --of flow");
    check_refused(
        PAR,
        "--property mutex",
        2,
        "--property is for --of states, automaton, product, counterexample",
    );
    check_refused(PAR, "--of states --fair weak", 2, "--fair is for --of counterexample");
    check_refused(PAR, "--of automaton --ltl '[] nothing = '", 2, "<formula>");
    check_refused(PAR, "-o drawing.png", 2, "name it .dot, .svg or .json");
    check_refused("models/no-such.par", "", 2, "models/no-such.par: ");
    check_refused(PAR, "--of counterexample --property strong --max-nodes 3", 3, "--max-nodes 7 draws them");
}

/// The pictures of the documents, each with the command that draws it. `UPDATE_PICTURES=1` writes them anew.
#[test]
fn the_pictures_of_the_documents_are_what_the_commands_draw() {
    let pictures: [(&str, &[&str]); 2] = [
        ("docs/dekker.svg", &["graph", FLOW, "--format", "svg"]),
        ("docs/response.svg", &["ltl", "G (request -> F grant)", "--automaton", "buchi", "--format", "svg"]),
    ];
    for (picture, command) in pictures {
        let file = root().join(picture);
        let ran = selvedge(command);
        assert_eq!(ran.code, 0, "{}", ran.errors);
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            std::fs::write(&file, &ran.output).expect("a writable folder");
        }
        let committed = std::fs::read_to_string(&file).expect("a picture");
        assert!(committed == ran.output, "{picture} is not what `selvedge {}` draws", command.join(" "));
    }
}
