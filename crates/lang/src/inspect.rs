//! What a debugger shows of a program beyond the steps of its system.
//!
//! Drawn nodes are those of [`Program::draw_flow_graph`](crate::Program::draw_flow_graph), by number.

use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_model::Word;

/// Looks into states of a program.
pub trait Inspector<S> {
    /// The drawn nodes of a process's flow graph where its control stands, and those that it can execute
    /// next.
    fn control(&self, system: &S, state: &[Word], process: usize) -> Control;

    /// The drawn nodes of a process's flow graph.
    fn drawn_nodes(&self, process: usize) -> Vec<DrawnNode>;

    /// The lines of the source that a process's steps come from, first and last.
    fn lines(&self, process: usize) -> Option<(usize, usize)>;

    /// The value of an expression in a state, or why it has none; spans are places in `text`.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn evaluate(&self, system: &S, text: &str, state: &[Word]) -> Result<String, Vec<Diagnostic>>;

    /// What formulas can be made of.
    fn suggestions(&self) -> Vec<Suggestion>;
}

/// Where a process is, as drawn nodes of its flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Where control stands: in flow the node that was executed last, otherwise the next statement.
    pub at: Vec<u32>,
    /// The nodes that can be executed next.
    pub next: Vec<u32>,
    /// The line of the next statement.
    pub line: Option<usize>,
}

/// A node of a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnNode {
    /// Its line in the source.
    pub line: Option<usize>,
    /// The proposition that control is there, if it has a label.
    pub proposition: Option<String>,
}

/// A text that a formula can have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    /// What it is.
    pub kind: SuggestionKind,
    /// The text.
    pub text: String,
}

/// What a suggested text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuggestionKind {
    /// A whole proposition.
    Proposition,
    /// A definition of the file.
    Definition,
    /// A variable.
    Variable,
    /// A variable with a value.
    Value,
}
