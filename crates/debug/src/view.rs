//! What a reader sees of a target: the program, a state, a move.
//!
//! All of it is data, and JSON by `serde`; [`protocol`](crate::protocol) has examples. Lines are numbered
//! from 1, everything else from 0. Fields that are `None` or empty are left out of the JSON.

use serde::{Deserialize, Serialize};

/// What does not change during a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramView {
    /// The file, or the name of the test.
    pub title: String,
    /// What is debugged.
    pub kind: TargetKind,
    /// The texts of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceText>,
    /// The processes or threads; more may appear in later states.
    pub processes: Vec<ProcessView>,
    /// The flow graphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowView>,
    /// The properties of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyView>,
    /// Can there be other moves than those of the given run? Not in a recording.
    pub can_branch: bool,
    /// Where it cannot branch: the command that has the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_command: Option<String>,
    /// How to write "this process moves": `exec(` and `)` around its name, if the target has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec: Option<(String, String)>,
}

/// What is debugged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// A model.
    #[default]
    Model,
    /// A Rust test.
    Rust,
    /// A recorded run.
    Recording,
}

/// A text of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// The file's name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A process or thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessView {
    /// Its name.
    pub name: String,
    /// Its flow graph among [`ProgramView::flows`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<u32>,
    /// The lines of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeRange>,
}

/// Lines of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeRange {
    /// The text among [`ProgramView::sources`].
    pub source: u32,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// A place in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The file's name.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowView {
    /// The name of its process.
    pub name: String,
    /// The nodes, by number.
    pub nodes: Vec<FlowNode>,
    /// The edges.
    pub edges: Vec<FlowEdge>,
    /// The node where the process starts.
    pub initial: u32,
    /// The drawing, if the server has made one: node `n` is the element with the class `node-n`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
}

/// A node of a flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowNode {
    /// The statement there.
    pub label: String,
    /// `box`, `diamond` or `ellipse`.
    pub shape: String,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The proposition that control is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposition: Option<String>,
}

/// An edge of a flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowEdge {
    /// The node that it leaves.
    pub from: u32,
    /// The node that it enters.
    pub to: u32,
    /// Its label.
    pub label: String,
}

/// A property of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyView {
    /// Its name.
    pub name: String,
    /// Its formula.
    pub formula: String,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateView {
    /// Variables and other values.
    pub values: Vec<ValueView>,
    /// A row for each process, in the order of [`ProgramView::processes`], later processes last.
    pub processes: Vec<ProcessRow>,
    /// If nothing can be done: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndView>,
}

/// A value of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ValueView {
    /// The name within its parent: `turn`, `[2]`.
    pub name: String,
    /// The whole name: `fork[2]`.
    pub path: String,
    /// The value as text; empty if there are parts.
    pub value: String,
    /// The value before the last move, if it was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The proposition that it has this value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposition: Option<String>,
    /// The parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ValueView>,
}

/// A process in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessRow {
    /// Its name.
    pub name: String,
    /// What it can do.
    pub status: ProcessStatus,
    /// What it waits for, or why it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// The process that has what it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<u32>,
    /// The line where control stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// The nodes of its flow graph where control stands: filled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<u32>,
    /// The nodes that can be executed next: outlined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<u32>,
    /// What it can do, for `ready`; filled in by the engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveView>,
}

/// What a process can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessStatus {
    /// It can move.
    #[default]
    Ready,
    /// It waits.
    Waiting,
    /// It has ended.
    Ended,
    /// It does not exist yet.
    NotStarted,
}

/// Why nothing can be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndView {
    /// What kind of end it is.
    pub kind: EndKind,
    /// In words.
    pub text: String,
}

/// What kind of end a state without moves is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// All processes have ended.
    #[default]
    Ended,
    /// Processes wait for ever.
    Deadlock,
    /// A run-time error, a panic, a failed assertion.
    Error,
    /// A bound of the language or of the target cut the moves off.
    Cut,
    /// The recording ends here.
    Recorded,
}

/// A move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoveView {
    /// Its number among the moves of its state.
    pub number: u32,
    /// The process that moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
    /// What it does: `c0 := 1`.
    pub text: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// What it prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// What it passes to, or takes from, other processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Transfer>,
}

/// How a move passes something between processes: an arrow leads from each `give` to the next `take` with
/// the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Given or taken.
    pub kind: TransferKind,
    /// What: `mutex#1`, `channel c`, `the mailbox of @1`.
    pub name: String,
    /// Are several kept, first in, first out? Otherwise a `take` is from the last `give`.
    pub is_queue: bool,
}

/// Given or taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransferKind {
    /// A message is sent, a lock released, a thread spawned or ended.
    #[default]
    Give,
    /// A message is received, a lock acquired, a thread begun or joined.
    Take,
}

/// Something that a formula can have here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// What it is.
    pub kind: CompletionKind,
    /// One line about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompletionKind {
    /// An operator of the logic.
    Operator,
    /// A whole proposition.
    #[default]
    Proposition,
    /// A variable.
    Variable,
    /// A value.
    Value,
    /// A process.
    Process,
    /// A property or definition of the file.
    Definition,
}
