//! Every control has a name and a role in the browser's accessibility tree.

use crate::keyboard::Reader;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Roles of controls, as the tree names them.
const CONTROLS: [&str; 15] = [
    "button",
    "link",
    "checkbox",
    "radio",
    "combobox",
    "textbox",
    "searchbox",
    "slider",
    "spinbutton",
    "menuitem",
    "option",
    "treeitem",
    "tree",
    "listbox",
    "menu",
];

fn role(node: &Value) -> &str {
    node["role"]["value"].as_str().unwrap_or_default()
}

fn name(node: &Value) -> &str {
    node["name"]["value"].as_str().unwrap_or_default()
}

fn is_focusable(node: &Value) -> bool {
    let properties = node["properties"].as_array().map(Vec::as_slice).unwrap_or_default();
    properties
        .iter()
        .any(|property| property["name"] == json!("focusable") && property["value"]["value"] == json!(true))
}

/// A control without a name, or something that can have the focus and is no control.
fn complaints(nodes: &[Value]) -> Vec<String> {
    let is_control = |node: &Value| CONTROLS.iter().any(|control| role(node).eq_ignore_ascii_case(control));
    let named_regions = ["region", "group", "RootWebArea", "dialog", "MenuListPopup"];
    let mut complaints = Vec::new();
    for node in nodes {
        if is_control(node) && name(node).trim().is_empty() {
            complaints.push(format!("a {} without a name: {node}", role(node)));
        }
        if is_focusable(node)
            && !is_control(node)
            && (!named_regions.contains(&role(node)) || name(node).is_empty())
        {
            complaints.push(format!("it can have the focus, and is `{}` `{}`", role(node), name(node)));
        }
    }
    complaints
}

/// The names of all nodes with this role.
fn names<'n>(nodes: &'n [Value], wanted: &str) -> BTreeSet<&'n str> {
    nodes.iter().filter(|node| role(node) == wanted).map(name).collect()
}

#[test]
fn every_control_has_a_name_and_a_role() {
    let reader = Reader::new();
    reader.ask("F (P0 at m2 & P1 at n2)");
    reader.ask("F P0 at m8");
    reader.key("v");
    reader.page.press("a");
    reader.page.wait_for("document.querySelectorAll('.alternative').length > 0");
    reader.page.wait_for(
        "document.querySelectorAll('.event').length > 10 && document.querySelector('.strip-name') !== null",
    );
    let mut seen = BTreeSet::new();
    for view in ["code", "flow"] {
        reader.page.wait_for(&format!("document.body.dataset.view === '{view}'"));
        let nodes = reader.page.accessibility();
        assert_eq!(complaints(&nodes), Vec::<String>::new(), "in the view {view}");
        seen.extend(nodes.iter().map(|node| role(node).to_owned()));
        let buttons = names(&nodes, "button");
        for expected in
            ["Backtrack: another way", "Remove the last step", "Clear the stack", "Keys and help", "Session"]
        {
            assert!(buttons.contains(expected), "{expected}: {buttons:?}");
        }
        assert!(names(&nodes, "slider").contains("Position in the run"));
        reader.page.press("g");
    }
    reader.page.press("s");
    reader.page.wait_for("document.activeElement.role === 'menuitem'");
    let nodes = reader.page.accessibility();
    assert_eq!(complaints(&nodes), Vec::<String>::new(), "with the menu open");
    assert!(names(&nodes, "menuitem").contains("Session file"));
    reader.page.press("Escape");
    reader.page.press("?");
    reader.page.wait_for("document.querySelector('dialog[open]') !== null");
    let nodes = reader.page.accessibility();
    assert_eq!(complaints(&nodes), Vec::<String>::new(), "with the help open");
    reader.page.press("Escape");
    for expected in ["main", "banner", "tree", "list", "slider"] {
        assert!(seen.contains(expected), "{expected}: {seen:?}");
    }
}

#[test]
fn the_page_fits_1280_pixels() {
    let reader = Reader::new();
    reader.ask("F (P0 at m2 & P1 at n2)");
    for _ in 0..2 {
        let sizes = reader.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight, \
             ...[...document.querySelectorAll('main .panel, .timeline')].map((panel) => panel.getBoundingClientRect().right)]",
        );
        let sizes: Vec<f64> = sizes.as_array().expect("sizes").iter().filter_map(Value::as_f64).collect();
        assert!(sizes[0] <= 1280.0 && sizes[1] <= 800.0, "the page scrolls: {sizes:?}");
        assert!(sizes[2..].iter().all(|right| *right <= 1280.0), "a panel is cut off: {sizes:?}");
        reader.page.press("g");
    }
}
