//! The runs of a Rust test as what the debugger searches.
//!
//! A state is remembered by the choices that first led to it; asking for its moves makes a run for each of
//! them. So a state is visited once, whatever the number of its interleavings, and nothing of the
//! program is stored (Gunter and Peled, §5, memoryless search).
//!
//! Promise: the moves of a state are those of the run that first reached it, in the order of threads.

use super::export;
use super::propositions::{ABOUT_RUNS, RunAtom, RunAtoms};
use super::runs::{Arrival, Runs};
use super::sources;
use super::state::{RunState, StateKey};
use super::views;
use crate::explorer::report::{RunSetup, TestName};
use selvedge_debug::target::{GivenRun, Move, Question, QuestionId, StateId, Target, TargetError};
use selvedge_debug::view::{
    Completion, CompletionKind, MoveView, ProcessView, ProgramView, SourceText, StateView, TargetKind,
};
use selvedge_explore::trace::Recording;
use selvedge_explore::{EventId, ThreadId};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::parse;
use selvedge_ltl::{Alphabet, Letter};
use std::collections::{BTreeSet, HashMap};

/// The runs of a test.
pub(super) struct TestTarget {
    runs: Runs,
    name: TestName,
    setup: RunSetup,
    nodes: Vec<Node>,
    /// The states by what makes them the same, and the thread that moved last.
    known: HashMap<(StateKey, Option<ThreadId>), StateId>,
    /// The first state of each class.
    classes: HashMap<StateKey, StateId>,
    /// The threads and phantoms, in the order in which the session met them.
    processes: Vec<ThreadId>,
    questions: Vec<Vec<RunAtom>>,
    /// The run that the session begins with.
    given: Option<Recording>,
}

/// A known state.
struct Node {
    /// The state before, and the choice that led from there.
    parent: Option<(StateId, EventId)>,
    class: StateId,
    state: RunState,
    moves: Option<Vec<KnownMove>>,
}

/// A move whose state is known.
struct KnownMove {
    to: StateId,
    view: MoveView,
}

impl TestTarget {
    pub(super) fn new(
        runs: Runs,
        (name, setup): (TestName, RunSetup),
        given: Option<Recording>,
    ) -> TestTarget {
        TestTarget {
            runs,
            name,
            setup,
            nodes: Vec::new(),
            known: HashMap::new(),
            classes: HashMap::new(),
            processes: vec![ThreadId::MAIN],
            questions: Vec::new(),
            given,
        }
    }

    /// The choices that lead to a state.
    fn choices(&self, state: StateId) -> Vec<EventId> {
        let mut choices = Vec::new();
        let mut at = state;
        while let Some((before, choice)) = self.nodes[at.0 as usize].parent {
            choices.push(choice);
            at = before;
        }
        choices.reverse();
        choices
    }

    /// The number of a state; `parent` is how it was reached, if it is new.
    fn intern(&mut self, parent: Option<(StateId, EventId)>, state: RunState, key: StateKey) -> StateId {
        let mover = state.last_mover;
        if let Some(known) = self.known.get(&(key.clone(), mover)) {
            return *known;
        }
        let id = StateId(self.nodes.len() as u32);
        let threads = state.snapshot.threads.iter().map(|thread| thread.id);
        for process in threads.chain(state.enabled.iter().map(|event| event.thread())) {
            if !self.processes.contains(&process) {
                self.processes.push(process);
            }
        }
        let class = *self.classes.entry(key.clone()).or_insert(id);
        self.known.insert((key, mover), id);
        self.nodes.push(Node { parent, class, state, moves: None });
        id
    }

    /// The initial state.
    fn root(&mut self) -> Result<StateId, TargetError> {
        if self.nodes.is_empty() {
            let Arrival { state, key, .. } = self.runs.state(Vec::new()).map_err(TargetError)?;
            self.intern(None, state, key);
        }
        Ok(StateId(0))
    }

    /// Makes a run for each move of a state, unless its moves are known.
    fn know_moves(&mut self, state: StateId) -> Result<(), TargetError> {
        if self.nodes[state.0 as usize].moves.is_some() {
            return Ok(());
        }
        let enabled = self.nodes[state.0 as usize].state.enabled.clone();
        let events = enabled.iter().map(|event| event.id).collect();
        let arrivals = self.runs.moves(self.choices(state), events).map_err(TargetError)?;
        let mut moves = Vec::with_capacity(enabled.len());
        for (event, arrival) in enabled.iter().zip(arrivals) {
            let Arrival { state: next, key, text, object } = arrival;
            let view = MoveView {
                number: moves.len() as u32,
                process: self.process(event.thread()),
                text,
                place: views::place(event.site),
                transfer: object.and_then(|object| views::transfer(event.action.kind, object)),
                ..MoveView::default()
            };
            moves.push(KnownMove { to: self.intern(Some((state, event.id)), next, key), view });
        }
        self.nodes[state.0 as usize].moves = Some(moves);
        Ok(())
    }

    /// The place of a thread among the processes.
    fn process(&self, thread: ThreadId) -> Option<u32> {
        self.processes.iter().position(|known| *known == thread).map(|place| place as u32)
    }

    fn known_moves(&self, state: StateId) -> &[KnownMove] {
        self.nodes[state.0 as usize].moves.as_deref().unwrap_or_default()
    }

    /// The recorded run as moves from state to state. Its threads have the numbers of this session, which
    /// has begun with them.
    fn given_moves(&mut self, recording: &Recording) -> Result<Vec<u32>, TargetError> {
        let mut state = self.root()?;
        let mut moves = Vec::new();
        for (step, recorded) in recording.steps.iter().enumerate() {
            let enabled = &self.nodes[state.0 as usize].state.enabled;
            let Some(number) = enabled.iter().position(|event| recorded.matches(event)) else {
                let message =
                    "the test does not take this step of the recording any more; the run ends before it";
                return Err(TargetError(format!("step {step}: {message}")));
            };
            self.know_moves(state)?;
            moves.push(number as u32);
            state = self.known_moves(state)[number].to;
        }
        Ok(moves)
    }

    /// The state after these moves.
    fn state_after(&mut self, moves: &[u32]) -> Result<StateId, TargetError> {
        let mut state = self.root()?;
        for number in moves {
            self.know_moves(state)?;
            let Some(next) = self.known_moves(state).get(*number as usize) else { break };
            state = next.to;
        }
        Ok(state)
    }
}

impl Target for TestTarget {
    fn program(&mut self) -> ProgramView {
        let root = self.root().map(|root| &self.nodes[root.0 as usize].state.snapshot);
        let sources = root.map(sources::of).unwrap_or_default();
        ProgramView {
            title: self.name.to_string(),
            kind: TargetKind::Rust,
            sources: sources.into_iter().map(|(name, text)| SourceText { name, text }).collect(),
            processes: vec![ProcessView { name: "main".to_owned(), ..ProcessView::default() }],
            can_branch: true,
            exec: Some(("exec(".to_owned(), ")".to_owned())),
            ..ProgramView::default()
        }
    }

    fn initial(&mut self) -> Result<Vec<StateId>, TargetError> {
        Ok(vec![self.root()?])
    }

    fn moves(&mut self, state: StateId, out: &mut Vec<Move>) -> Result<(), TargetError> {
        self.know_moves(state)?;
        out.extend(
            self.known_moves(state).iter().map(|made| Move { process: made.view.process, to: made.to }),
        );
        Ok(())
    }

    fn class(&mut self, state: StateId) -> StateId {
        self.nodes[state.0 as usize].class
    }

    fn question(&mut self, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let formula = parse(text, &RunAtoms).into_result()?;
        let mut alphabet = Alphabet::default();
        let formula = alphabet.number(&formula).map_err(|error| {
            let span = Span::new(0, text.len());
            vec![Diagnostic::error("debug::too-many", error.to_string(), span, "in this formula")]
        })?;
        let propositions = alphabet.names().iter().map(RunAtom::to_string).collect();
        self.questions.push(alphabet.names().to_vec());
        let id = QuestionId(self.questions.len() as u32 - 1);
        Ok(Question { id, formula, propositions })
    }

    fn label(&mut self, question: QuestionId, state: StateId) -> Result<Letter, TargetError> {
        let state = &self.nodes[state.0 as usize].state;
        let atoms = self.questions[question.0 as usize].iter().enumerate();
        let bits = atoms.filter(|(_, atom)| atom.holds_in(state)).map(|(bit, _)| 1_u64 << bit);
        Ok(Letter::exactly(bits.sum()))
    }

    fn view(&mut self, state: StateId) -> StateView {
        views::state(&self.nodes[state.0 as usize].state, &self.processes)
    }

    fn describe(&mut self, state: StateId, number: u32) -> MoveView {
        let known = self.known_moves(state).get(number as usize);
        known.map(|made| made.view.clone()).unwrap_or_default()
    }

    fn evaluate(&mut self, expression: &str, state: StateId) -> Result<String, String> {
        let state = &self.nodes[state.0 as usize].state;
        let expression = expression.trim();
        let is_it = |name: &str, own: Option<&str>| name == expression || own == Some(expression);
        let mut objects = state.snapshot.objects.iter();
        if let Some(object) = objects.find(|object| is_it(&object.name, object.own_name.as_deref())) {
            return Ok(object.value.clone());
        }
        match parse(expression, &RunAtoms).into_result() {
            Ok(selvedge_ltl::Formula::Prop(atom)) => Ok(atom.holds_in(state).to_string()),
            Ok(_) => Err("neither an object, as `atomic#1`, nor a proposition".to_owned()),
            Err(errors) => Err(errors.first().map(|error| error.message.to_string()).unwrap_or_default()),
        }
    }

    fn completions(&mut self) -> Vec<Completion> {
        let item = |text: String, kind, detail: &str| Completion { text, kind, detail: detail.to_owned() };
        let about = ABOUT_RUNS.iter().map(|(name, counts, detail)| {
            let text = if counts.contains(&0) { (*name).to_owned() } else { format!("{name}(") };
            item(text, CompletionKind::Proposition, detail)
        });
        let mut found: BTreeSet<(String, bool)> = BTreeSet::new();
        for node in &self.nodes {
            let snapshot = &node.state.snapshot;
            found.extend(snapshot.facts.iter().map(|fact| (fact.to_string(), true)));
            found.extend(snapshot.objects.iter().map(|object| (object.name.clone(), false)));
        }
        let kind =
            |is_fact: bool| if is_fact { CompletionKind::Proposition } else { CompletionKind::Variable };
        about.chain(found.into_iter().map(|(text, is_fact)| item(text, kind(is_fact), ""))).collect()
    }

    fn given_run(&mut self) -> Option<GivenRun> {
        let recording = self.given.take()?;
        let title = format!("the run that {}", recording.get("outcome").unwrap_or("was saved"));
        let moves = self.given_moves(&recording).unwrap_or_default();
        Some(GivenRun { initial: 0, moves, cycle: None, title })
    }

    fn export(&mut self, format: &str, moves: &[u32]) -> Result<(String, String), String> {
        if format != "rust" {
            return Err(format!("a run cannot be exported as `{format}`; there are rust, json, dot and svg"));
        }
        let state = self.state_after(moves).map_err(|error| error.0)?;
        let run = self.runs.complete(self.choices(state))?;
        Ok(export::test(&self.name, &self.setup, &run.outcome, &run.trace))
    }

    fn next_state(&mut self) -> Option<StateId> {
        Some(StateId(self.nodes.len() as u32))
    }

    fn forget(&mut self, from: StateId) {
        // The class of a state is its first state, which has a smaller number.
        self.nodes.truncate(from.0 as usize);
        self.known.retain(|_, state| *state < from);
        self.classes.retain(|_, state| *state < from);
        for node in &mut self.nodes {
            node.moves.take_if(|moves| moves.iter().any(|made| made.to >= from));
        }
    }
}

#[cfg(test)]
impl TestTarget {
    pub(super) fn state(&self, state: StateId) -> &RunState {
        &self.nodes[state.0 as usize].state
    }
}
