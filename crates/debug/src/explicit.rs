//! A target given by lists of its states and moves, for tests and small examples.
//!
//! Propositions are plain names: `p`, `q`. The state is shown as its number.

use crate::target::{Move, Question, QuestionId, StateId, Target, TargetError};
use crate::view::{
    Completion, CompletionKind, EndKind, EndView, MoveView, ProcessRow, ProcessStatus, ProcessView,
    ProgramView, StateView, ValueView,
};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Names, parse};
use selvedge_ltl::{Alphabet, Letter};

/// A graph with labelled nodes.
#[derive(Clone, Debug, Default)]
pub struct Explicit {
    nodes: Vec<Node>,
    initial: Vec<StateId>,
    processes: u32,
    questions: Vec<Vec<String>>,
}

#[derive(Clone, Debug)]
struct Node {
    holding: Vec<String>,
    moves: Vec<Move>,
    class: StateId,
}

impl Explicit {
    /// A graph with this number of processes, and no nodes yet.
    pub fn new(processes: u32) -> Explicit {
        Explicit { processes, ..Explicit::default() }
    }

    /// Adds a node with the propositions that hold there, separated by blanks. The first node is initial.
    pub fn node(&mut self, holding: &str) -> StateId {
        let id = StateId(self.nodes.len() as u32);
        let holding = holding.split_whitespace().map(str::to_owned).collect();
        self.nodes.push(Node { holding, moves: Vec::new(), class: id });
        if self.initial.is_empty() {
            self.initial.push(id);
        }
        id
    }

    /// Adds a move of a process.
    pub fn arc(&mut self, from: StateId, process: u32, to: StateId) {
        self.nodes[from.0 as usize].moves.push(Move { process: Some(process), to });
    }

    /// Makes a node initial, too.
    pub fn also_initial(&mut self, node: StateId) {
        self.initial.push(node);
    }

    /// Gives a node the class of another.
    pub fn same_class(&mut self, node: StateId, other: StateId) {
        self.nodes[node.0 as usize].class = self.nodes[other.0 as usize].class;
    }
}

impl Target for Explicit {
    fn program(&mut self) -> ProgramView {
        let processes =
            (0..self.processes).map(|number| ProcessView { name: name(number), ..ProcessView::default() });
        ProgramView {
            title: "a graph".to_owned(),
            processes: processes.collect(),
            can_branch: true,
            ..ProgramView::default()
        }
    }

    fn initial(&mut self) -> Result<Vec<StateId>, TargetError> {
        Ok(self.initial.clone())
    }

    fn moves(&mut self, state: StateId, out: &mut Vec<Move>) -> Result<(), TargetError> {
        out.extend_from_slice(&self.nodes[state.0 as usize].moves);
        Ok(())
    }

    fn class(&mut self, state: StateId) -> StateId {
        self.nodes[state.0 as usize].class
    }

    fn question(&mut self, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let formula = parse(text, &Names).into_result()?;
        let mut alphabet = Alphabet::default();
        let formula = alphabet.number(&formula).map_err(|_| {
            vec![Diagnostic::error("debug::too-many", "too many propositions", Span::new(0, text.len()), "")]
        })?;
        let propositions: Vec<String> = alphabet.names().to_vec();
        self.questions.push(propositions.clone());
        let id = QuestionId(self.questions.len() as u32 - 1);
        Ok(Question { id, formula, propositions })
    }

    fn label(&mut self, question: QuestionId, state: StateId) -> Result<Letter, TargetError> {
        let holding = &self.nodes[state.0 as usize].holding;
        let names = self.questions[question.0 as usize].iter().enumerate();
        let bits = names.filter(|(_, name)| holding.contains(name)).map(|(bit, _)| 1 << bit);
        Ok(Letter::exactly(bits.sum()))
    }

    fn view(&mut self, state: StateId) -> StateView {
        let node = &self.nodes[state.0 as usize];
        let value = |name: &str, value: String| ValueView {
            name: name.to_owned(),
            path: name.to_owned(),
            value,
            ..ValueView::default()
        };
        let values = vec![value("node", state.0.to_string()), value("holds", node.holding.join(" "))];
        let row = |number| {
            let can_move = node.moves.iter().any(|made| made.process == Some(number));
            let status = if can_move { ProcessStatus::Ready } else { ProcessStatus::Waiting };
            ProcessRow { name: name(number), status, ..ProcessRow::default() }
        };
        let end = EndView { kind: EndKind::Ended, text: "there are no moves".to_owned() };
        let end = node.moves.is_empty().then_some(end);
        StateView { values, processes: (0..self.processes).map(row).collect(), end }
    }

    fn describe(&mut self, state: StateId, number: u32) -> MoveView {
        let made = self.nodes[state.0 as usize].moves[number as usize];
        let text = format!("go to {}", made.to.0);
        MoveView { number, process: made.process, text, ..MoveView::default() }
    }

    fn evaluate(&mut self, expression: &str, state: StateId) -> Result<String, String> {
        let holds = self.nodes[state.0 as usize].holding.iter().any(|name| name == expression);
        Ok(holds.to_string())
    }

    fn completions(&mut self) -> Vec<Completion> {
        let mut names: Vec<&String> = self.nodes.iter().flat_map(|node| &node.holding).collect();
        names.sort();
        names.dedup();
        let item = |name: &String| Completion {
            text: name.clone(),
            kind: CompletionKind::Proposition,
            detail: String::new(),
        };
        names.into_iter().map(item).collect()
    }
}

fn name(process: u32) -> String {
    format!("P{process}")
}
