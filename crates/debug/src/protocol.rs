//! Commands in, messages out: one protocol for the page, the terminal and the tests.
//!
//! Each is a JSON object. A command has the field `command`, and may have an `id`, which the messages that
//! answer it repeat. A session begins with the message `program`, then `snapshot`. Commands, each as it is
//! written (left-out fields have their defaults; `options` has all of them in the first example):
//!
//! ```json
//! {"id": 1, "command": "step", "formula": "F (P0 at m2 & P1 at n1)", "options": {"order": "breadth-first",
//!  "mode": "minimal", "paths": "subset", "limit": 10000, "same-end": true, "same-sequence": false,
//!  "states": 10000000}}
//! {"command": "step", "formula": "G P1 at n1", "options": {"mode": "every-end", "same-end": false}}
//! {"command": "backtrack"}
//! {"command": "remove"}
//! {"command": "clear", "initial": 0}
//! {"command": "move", "number": 1}
//! {"command": "simple", "process": 0}
//! {"command": "look", "position": 3}
//! {"command": "timeline", "from": 0, "to": 200}
//! {"command": "alternatives", "first": 1, "count": 10}
//! {"command": "choose", "alternative": 3}
//! {"command": "validate", "formula": "F (P0 at m2 &"}
//! {"command": "complete", "formula": "F (P0 at ", "offset": 9}
//! {"command": "judge", "formulas": ["G !(P0 at m8 & P1 at n8)"]}
//! {"command": "expressions", "texts": ["c0 + c1"]}
//! {"command": "last-state", "formula": "turn = 0"}
//! {"command": "last-change", "path": "turn"}
//! {"command": "no-return", "formula": "F (P0 at m8)"}
//! {"command": "export", "format": "json"}
//! {"command": "cancel"}
//! ```
//!
//! `backtrack` and `remove` without a step, and other commands that do nothing, answer with a `snapshot`
//! whose `answer` says so. `simple` is the minimal step of `X exec(P)`; `move` takes one move by its number.
//! `look` changes the current position only; a new step drops nothing and begins at the end of the run.
//! `cancel` is read while a search runs. Messages:
//!
//! ```json
//! {"message": "program", "program": {"title": "dekker.flow", "kind": "model",
//!  "sources": [{"name": "dekker.flow", "text": "Process P0: ..."}],
//!  "processes": [{"name": "P0", "flow": 0, "code": {"source": 0, "first": 9, "last": 28}}],
//!  "flows": [{"name": "P0", "nodes": [{"label": "m1: c0 := 1", "shape": "box", "line": 11,
//!    "proposition": "P0 at m1"}], "edges": [{"from": 0, "to": 1, "label": ""}], "initial": 0}],
//!  "properties": [{"name": "mutex", "formula": "G !(P0 at m8 & P1 at n8)"}],
//!  "can_branch": true, "exec": ["exec(", ")"]}}
//! {"message": "snapshot", "id": 1, "snapshot": {"revision": 3, "length": 4, "position": 4,
//!  "state": {"values": [{"name": "turn", "path": "turn", "value": "0", "proposition": "turn = 0"},
//!      {"name": "c0", "path": "c0", "value": "0", "old": "1", "proposition": "c0 = 0"},
//!      {"name": "fork", "path": "fork", "value": "", "parts": [
//!        {"name": "[1]", "path": "fork[1]", "value": "2"}]}],
//!    "processes": [
//!      {"name": "P0", "status": "ready", "place": {"file": "dekker.flow", "line": 14}, "at": [2],
//!       "next": [7], "moves": [{"number": 0, "process": 0, "text": "c1 = 0",
//!         "place": {"file": "dekker.flow", "line": 15}}]},
//!      {"name": "P1", "status": "waiting", "waits_for": "turn = 1", "holder": 0}]},
//!  "arrived_by": {"number": 0, "process": 0, "text": "c0 := 0"},
//!  "stack": [{"formula": "F (P0 at m2 & P1 at n1)", "options": {"order": "breadth-first"}, "from": 0,
//!    "to": 4, "alternative": 1, "is_exhausted": false, "visited": 21}],
//!  "cycle": 2, "initial": {"count": 1, "chosen": 0},
//!  "expressions": [{"text": "c0 + c1", "value": "1", "old": "2", "is_error": false}],
//!  "strips": [{"formula": "G c0 = 1", "first_violation": 4, "holds": false}],
//!  "answer": {"kind": "found", "length": 4, "alternative": 1, "visited": 21}}}
//! {"message": "snapshot", "snapshot": {"answer": {"kind": "none", "found_before": 1,
//!  "is_unsatisfiable": false, "visited": 118}}}
//! {"message": "snapshot", "snapshot": {"answer": {"kind": "limit", "limit": "length", "found_before": 0,
//!  "visited": 118}}}
//! {"message": "snapshot", "snapshot": {"answer": {"kind": "cancelled", "visited": 118}}}
//! {"message": "snapshot", "snapshot": {"answer": {"kind": "position", "position": 2,
//!  "text": "P1 changed turn from 0 to 1"}}}
//! {"message": "snapshot", "snapshot": {"answer": {"kind": "said", "text": "the stack is empty"}}}
//! {"message": "timeline", "timeline": {"from": 0, "to": 2, "events": [
//!    {"position": 1, "number": 0, "process": 0, "text": "c0 := 1",
//!     "place": {"file": "dekker.flow", "line": 11},
//!     "transfer": {"kind": "give", "name": "c0", "is_queue": false},
//!     "changes": [["c0", "undefined", "1"]]},
//!    {"position": 2, "number": 1, "process": 1, "text": "c1 := 1"}],
//!  "arrows": [{"from": 1, "to": 2, "name": "mutex#1"}],
//!  "strips": [{"formula": "G c0 = 1", "verdicts": ["open", "holds", "false"],
//!    "remainders": [[0, "G c0 = 1"]]}]}}
//! {"message": "alternatives", "alternatives": {"formula": "F p", "from": 4, "first": 1, "items": [
//!    {"alternative": 1, "length": 2, "common": 1, "moves": [{"number": 0, "process": 1, "text": "n2"}],
//!     "end": [["turn", "0"]]}], "chosen": 1, "is_exhausted": true}}
//! {"message": "diagnostics", "formula": "F (P0 at m2 &", "is_valid": false, "diagnostics": [
//!    {"severity": "error", "code": "ltl::expected-operand", "message": "an operand is missing",
//!     "start": 13, "end": 13, "label": "after this", "help": ["write a proposition"]}],
//!  "suggests": "minimal"}
//! {"message": "completions", "start": 9, "end": 9, "items": [
//!    {"text": "m2", "kind": "proposition", "detail": "c0 := 0"}]}
//! {"message": "progress", "visited": 20000, "depth": 12, "found": 0}
//! {"message": "exported", "format": "json", "name": "dekker.json", "text": "{}"}
//! {"message": "error", "text": "there is no command `stpe`"}
//! ```
//!
//! Offsets in formulas count bytes of UTF-8.

use crate::snapshot::{Alternatives, Mode, SearchOptions, Snapshot, Timeline};
use crate::view::{Completion, ProgramView};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

/// A command with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Messages that answer the command repeat it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// What a reader asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    /// Searches a temporal step from the end of the run, and puts it on the stack.
    Step {
        /// The formula.
        formula: String,
        /// How to search.
        #[serde(default)]
        options: SearchOptions,
    },
    /// Another way to satisfy the formula of the last step; if there is none, the step is gone.
    Backtrack,
    /// Takes the last step from the stack.
    Remove,
    /// Empties the stack, and begins in this initial state.
    Clear {
        /// Its number; by default the one that was chosen before.
        #[serde(default)]
        initial: Option<usize>,
    },
    /// Takes one move of the state at the end of the run.
    Move {
        /// Its number.
        number: u32,
    },
    /// One step of a process: the minimal step of `X exec(P)`.
    Simple {
        /// The process.
        process: u32,
    },
    /// Looks at a position of the run.
    Look {
        /// The position.
        position: usize,
    },
    /// The events of a window.
    Timeline {
        /// The first position.
        from: usize,
        /// The last position.
        to: usize,
    },
    /// Lists alternatives of the last step, and searches them as far as needed.
    Alternatives {
        /// The first, counted from 1.
        first: usize,
        /// How many.
        count: usize,
    },
    /// Makes an alternative that was found before the last step.
    Choose {
        /// Its number, counted from 1.
        alternative: usize,
    },
    /// What is wrong with a formula that is being typed.
    Validate {
        /// The formula so far.
        formula: String,
    },
    /// What could stand at a place of a formula.
    Complete {
        /// The formula so far.
        formula: String,
        /// The place.
        offset: usize,
    },
    /// Judges these formulas along the run, instead of those before.
    Judge {
        /// The formulas.
        formulas: Vec<String>,
    },
    /// Shows the values of these expressions, instead of those before.
    Expressions {
        /// The expressions.
        texts: Vec<String>,
    },
    /// Looks at the last position before the current one where a formula holds.
    LastState {
        /// The formula, judged on the state and its past.
        formula: String,
    },
    /// Looks at the last move up to the current position that changed a value.
    LastChange {
        /// The value.
        path: String,
    },
    /// Looks at the first position of the run from which every run satisfies a formula.
    NoReturn {
        /// The formula.
        formula: String,
    },
    /// The run in another form.
    Export {
        /// `json`, `dot` or `svg`; a target may have others.
        format: String,
    },
    /// Ends the search that runs.
    Cancel,
}

/// A message with the number of the command that it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The number of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The message.
    #[serde(flatten)]
    pub message: Message,
}

/// What the engine says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "kebab-case")]
pub enum Message {
    /// What does not change.
    Program {
        /// The program.
        program: Box<ProgramView>,
    },
    /// The session as it stands.
    Snapshot {
        /// The session.
        snapshot: Box<Snapshot>,
    },
    /// A window of the run.
    Timeline {
        /// The window.
        timeline: Timeline,
    },
    /// Alternatives of the last step.
    Alternatives {
        /// The alternatives.
        alternatives: Alternatives,
    },
    /// What is wrong with a formula.
    Diagnostics {
        /// The formula.
        formula: String,
        /// Can it be searched?
        is_valid: bool,
        /// Errors and warnings.
        diagnostics: Vec<DiagnosticView>,
        /// The mode that suits it: maximal for `G`, minimal otherwise.
        suggests: Mode,
    },
    /// What could stand at a place.
    Completions {
        /// Where the text to replace begins.
        start: usize,
        /// Where it ends.
        end: usize,
        /// What could stand there.
        items: Vec<Completion>,
    },
    /// A search runs.
    Progress {
        /// States visited so far.
        visited: u64,
        /// The length of the current path.
        depth: usize,
        /// Alternatives found so far.
        found: usize,
    },
    /// The run in another form.
    Exported {
        /// The form.
        format: String,
        /// A name for the file.
        name: String,
        /// The text.
        text: String,
    },
    /// The command could not be carried out; nothing has changed.
    Error {
        /// Why.
        text: String,
    },
}

/// A diagnostic of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticView {
    /// `error` or `warning`.
    pub severity: String,
    /// Its code.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What to write below.
    pub label: String,
    /// What to do.
    pub help: Vec<String>,
}

impl DiagnosticView {
    /// The diagnostic as data.
    pub fn new(diagnostic: &Diagnostic) -> DiagnosticView {
        let (span, label) = &diagnostic.primary;
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        DiagnosticView {
            severity: severity.to_owned(),
            code: diagnostic.code.to_owned(),
            message: diagnostic.message.clone(),
            start: span.start,
            end: span.end,
            label: label.clone(),
            help: diagnostic.help.clone(),
        }
    }
}
