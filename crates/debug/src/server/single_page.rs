//! The run as one HTML file without a server.
//!
//! The page's modules become functions of one script, in the order of their imports; the run is recorded
//! into it, position by position, with equal rows and values kept once. The file's own policy allows this
//! script and these styles by a random number (`nonce`), and no connection at all.
//!
//! Promise: the file loads nothing; texts of the debugged program stay texts.

use super::guard::Token;
use super::host;
use crate::Engine;
use crate::page;
use crate::protocol::{Command, Message};
use crate::snapshot::Snapshot;
use crate::view::ProgramView;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;

/// Positions whose states are recorded at most; a longer run is cut, and the page says so.
const MAX_POSITIONS: usize = 20_000;

/// The run of a new session as one page that needs no server; `reopen` is the command that opens it.
pub fn single_page(engine: &mut Engine, reopen: &str) -> io::Result<String> {
    let (program, snapshot) = host::open(engine)?;
    Ok(of_run(engine, &program, &snapshot, reopen))
}

/// The run of a session as one page.
pub(super) fn of_run(
    engine: &mut Engine,
    program: &ProgramView,
    snapshot: &Snapshot,
    reopen: &str,
) -> String {
    let mut ask = |command: Command| engine.handle(&command, &mut ());
    let recorded = record(&mut ask, program, snapshot, reopen);
    // Recording looked at every position.
    engine.handle(&Command::Look { position: snapshot.position }, &mut ());
    page(&recorded)
}

/// What the page needs to show the run: `recorded.js` reads it.
fn record(
    ask: &mut dyn FnMut(Command) -> Message,
    program: &ProgramView,
    snapshot: &Snapshot,
    reopen: &str,
) -> Value {
    let length = snapshot.length.min(MAX_POSITIONS);
    let mut table = Table::default();
    let states: Vec<Value> = (0..=length).map(|position| table.state(ask, position)).collect();
    let timeline = match ask(Command::Timeline { from: 0, to: length }) {
        Message::Timeline { timeline } => json!(timeline),
        _ => json!({ "events": [], "arrows": [], "strips": [] }),
    };
    // No more than is known already: recording searches nothing.
    let known =
        snapshot.stack.last().filter(|card| card.options.is_some()).map_or(0, |card| card.alternative);
    let alternatives = match (known > 0).then(|| ask(Command::Alternatives { first: 1, count: known })) {
        Some(Message::Alternatives { alternatives }) => json!(alternatives),
        _ => Value::Null,
    };
    let mut last = json!(snapshot);
    last["state"] = Value::Null;
    last["length"] = json!(length);
    last["position"] = json!(snapshot.position.min(length));
    let reopen = format!("open the session with `{reopen}`");
    let page = json!({ "folder": "", "editor": "", "reopen": reopen });
    json!({
        "program": program, "page": page, "snapshot": last, "states": states, "table": table.entries,
        "timeline": timeline, "alternatives": alternatives,
    })
}

/// Rows and values, each once.
#[derive(Default)]
struct Table {
    entries: Vec<Value>,
    numbers: HashMap<String, usize>,
}

impl Table {
    fn state(&mut self, ask: &mut dyn FnMut(Command) -> Message, position: usize) -> Value {
        let Message::Snapshot { snapshot } = ask(Command::Look { position }) else {
            return json!({ "values": [], "processes": [] });
        };
        let mut state = json!(snapshot.state);
        let [values, processes] = ["values", "processes"].map(|field| match state[field].take() {
            Value::Array(items) => items.into_iter().map(|item| self.number(item)).collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        let mut short = json!({ "values": values, "processes": processes });
        if !state["end"].is_null() {
            short["end"] = state["end"].take();
        }
        short
    }

    fn number(&mut self, mut entry: Value) -> usize {
        forget_old(&mut entry);
        let new = self.entries.len();
        let number = *self.numbers.entry(entry.to_string()).or_insert(new);
        if number == new {
            self.entries.push(entry);
        }
        number
    }
}

/// Old values follow from the state before.
fn forget_old(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.remove("old");
        if let Some(Value::Array(parts)) = fields.get_mut("parts") {
            parts.iter_mut().for_each(forget_old);
        }
    }
}

/// The file with this record.
fn page(recorded: &Value) -> String {
    let nonce = Token::random().map(|token| token.to_string()).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; form-action 'none'"
    );
    let styles: String =
        page::styles().map(|text| format!("<style nonce=\"{nonce}\">\n{text}</style>\n")).collect();
    // In a script, `<` appears only inside of texts, where it can be written so.
    let record = recorded.to_string().replace('<', "\\u003c");
    let script = bundle("app.js");
    let head = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n{styles}");
    let body = format!(
        "<script type=\"application/json\" id=\"recorded\" nonce=\"{nonce}\">{record}</script>\n\
         <script type=\"module\" nonce=\"{nonce}\">\n{script}</script>\n"
    );
    let html = page::file("").map(|file| file.text).unwrap_or_default();
    let is_loaded = |line: &str| ["<link ", "<script "].iter().any(|tag| line.trim_start().starts_with(tag));
    let mut out = String::new();
    for line in html.lines().filter(|line| !is_loaded(line)) {
        match line.trim() {
            "</head>" => out.push_str(&head),
            "</body>" => out.push_str(&body),
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// A module with all that it imports, as one script: a constant with the exports of each.
fn bundle(first: &str) -> String {
    let mut order: Vec<&'static str> = Vec::new();
    sort_imports(first, &mut order);
    order.iter().map(|path| module(path)).collect()
}

/// Imports before importers. The page's modules import each other without cycles.
fn sort_imports(path: &str, order: &mut Vec<&'static str>) {
    let Some(file) = page::file(path).filter(|file| !order.contains(&file.path)) else { return };
    for (_, imported) in file.text.lines().filter_map(import) {
        sort_imports(imported, order);
    }
    order.push(file.path);
}

/// The names and the file of a line `import { a, b } from "./file.js";`.
fn import(line: &str) -> Option<(&str, &str)> {
    let (names, rest) = line.strip_prefix("import {")?.split_once("} from \"./")?;
    Some((names.trim(), rest.strip_suffix("\";")?))
}

fn module(path: &str) -> String {
    let text = page::file(path).map(|file| file.text).unwrap_or_default();
    let mut body = String::new();
    let mut exports = Vec::new();
    for line in text.lines() {
        if let Some((names, imported)) = import(line) {
            body.push_str(&format!("const {{ {names} }} = {};\n", constant(imported)));
            continue;
        }
        let declared = line.strip_prefix("export ");
        exports.extend(declared.and_then(declared_name));
        body.push_str(declared.unwrap_or(line));
        body.push('\n');
    }
    format!("const {} = (() => {{\n{body}return {{ {} }};\n}})();\n", constant(path), exports.join(", "))
}

fn constant(path: &str) -> String {
    let name: String = path.trim_end_matches(".js").chars().filter(|char| char.is_alphanumeric()).collect();
    format!("module_{name}")
}

/// The name in `async function f(`, `class C {`, `const X =`.
fn declared_name(declaration: &str) -> Option<&str> {
    let declaration = declaration.strip_prefix("async ").unwrap_or(declaration);
    let keywords = ["function ", "class ", "const ", "let "];
    let rest = keywords.iter().find_map(|keyword| declaration.strip_prefix(keyword))?;
    rest.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_bundled_before_their_importers_and_no_module_is_left_out() {
        let mut order = Vec::new();
        sort_imports("app.js", &mut order);
        assert_eq!(order.last(), Some(&"app.js"));
        let scripts: Vec<&str> = page::modules().collect();
        assert_eq!(order.len(), scripts.len(), "{order:?} of {scripts:?}");
        for (position, path) in order.iter().enumerate() {
            let text = page::file(path).expect("a file").text;
            for (_, imported) in text.lines().filter_map(import) {
                let before = order.iter().position(|other| *other == imported).expect("it is bundled");
                assert!(before < position, "{path} imports {imported}");
            }
        }
    }

    #[test]
    fn every_import_and_export_has_the_form_that_bundling_reads() {
        for path in page::modules() {
            let text = page::file(path).expect("a file").text;
            for line in text.lines() {
                if line.starts_with("import") {
                    assert!(import(line).is_some(), "{path}: {line}");
                }
                if let Some(declaration) = line.strip_prefix("export ") {
                    assert!(declared_name(declaration).is_some(), "{path}: {line}");
                }
            }
            assert!(!text.contains("</script"), "{path} would end its script");
        }
    }
}
