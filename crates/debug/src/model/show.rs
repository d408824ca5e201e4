//! States and moves of a model, for readers.

use super::{Model, ModelTarget};
use crate::target::StateId;
use crate::view::{
    EndKind, EndView, MoveView, ProcessRow, ProcessStatus, ProcessView, ProgramView, SourcePlace, StateView,
    Transfer, TransferKind, ValueView,
};
use selvedge_model::{Communication, ProcessId, States, System, Word};

/// The name under which a system shows the process that moved last, which is no value.
const LAST_MOVER: &str = "last mover";

impl<M: Model> ModelTarget<M> {
    pub(super) fn program_view(&self) -> ProgramView {
        let mut program = self.model.program();
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let first = initial.iter().next().unwrap_or_default();
        for number in program.processes.len()..self.row_count(first) {
            let name = self.system.process_name(ProcessId(number as u32));
            program.processes.push(ProcessView { name, ..ProcessView::default() });
        }
        program.can_branch = true;
        program
    }

    /// The number of rows for processes: up to the last process that is there in the state.
    fn row_count(&self, state: &[Word]) -> usize {
        let all = self.system.processes().min(MAX_ROWS);
        if self.has_fixed_processes {
            return all;
        }
        let shown = self.system.show(state);
        let is_there = |number: &usize| {
            let process = ProcessId(*number as u32);
            let name = self.system.process_name(process);
            shown.iter().any(|(known, _)| *known == name) || all < MAX_ROWS
        };
        (0..all).rev().find(is_there).map_or(0, |last| last + 1)
    }

    /// The values of a state as a tree: `fork[2]` is a part of `fork`.
    pub(super) fn value_views(&self, state: StateId) -> Vec<ValueView> {
        let count = if self.has_fixed_processes { self.system.processes().min(MAX_ROWS) as u32 } else { 0 };
        let names: Vec<String> =
            (0..count).map(|number| self.system.process_name(ProcessId(number))).collect();
        let mut values: Vec<ValueView> = Vec::new();
        for (path, value) in self.system.show(self.table.get(state)) {
            if names.contains(&path) || path == LAST_MOVER {
                continue;
            }
            let proposition = self.proposition(&path, &value);
            let leaf = |name: &str| ValueView {
                name: name.to_owned(),
                path: path.clone(),
                value: value.clone(),
                proposition: proposition.clone(),
                ..ValueView::default()
            };
            match path.split_once('[') {
                Some((array, rest)) if !array.is_empty() => {
                    let name = format!("[{rest}");
                    match values.last_mut().filter(|last| last.path == array) {
                        Some(last) => last.parts.push(leaf(&name)),
                        None => values.push(ValueView {
                            name: array.to_owned(),
                            path: array.to_owned(),
                            parts: vec![leaf(&name)],
                            ..ValueView::default()
                        }),
                    }
                }
                _ => values.push(leaf(&path)),
            }
        }
        values
    }

    fn proposition(&self, path: &str, value: &str) -> Option<String> {
        let is_number = value == "null" || value.parse::<i64>().is_ok();
        (self.model.has_comparisons() && is_number).then(|| format!("{path} = {value}"))
    }

    pub(super) fn state_view(&mut self, state: StateId) -> StateView {
        self.successors(state);
        let words = self.table.get(state);
        let waiting = self.system.waiting(words);
        let for_ever = self.system.waits_for_ever(words);
        let actions = self.steps.actions(0).iter();
        let enabled: Vec<Option<ProcessId>> =
            actions.flat_map(|action| [self.system.process(*action), self.system.partner(*action)]).collect();
        let row = |number: usize| {
            let process = ProcessId(number as u32);
            let name = self.system.process_name(process);
            let text = |list: &[(String, String)]| list.iter().find(|it| it.0 == name).map(|it| it.1.clone());
            let waits_for =
                text(&for_ever).map(|text| format!("{text}, for ever")).or_else(|| text(&waiting));
            let status = if enabled.contains(&Some(process)) {
                ProcessStatus::Ready
            } else if waits_for.is_some() || self.system.pending(words, process).is_some() {
                ProcessStatus::Waiting
            } else {
                ProcessStatus::Ended
            };
            let waits_for = waits_for.filter(|_| status == ProcessStatus::Waiting);
            let control = self.model.control(&self.system, words, number);
            let place = control.line.map(|line| SourcePlace { file: self.title.clone(), line });
            let (at, next) = (control.at, control.next);
            ProcessRow { name, status, waits_for, place, at, next, ..ProcessRow::default() }
        };
        let processes = (0..self.row_count(words)).map(row).collect();
        let end = if enabled.is_empty() { Some(self.end_view(state)) } else { None };
        StateView { values: self.value_views(state), processes, end }
    }

    fn end_view(&self, state: StateId) -> EndView {
        let words = self.table.get(state);
        if let Some(text) = self.system.error(words) {
            return EndView { kind: EndKind::Error, text };
        }
        if self.system.is_cut(words) {
            let cut = self.system.first_cut().map_or_else(String::new, |cut| format!(": {}", cut.text));
            return EndView { kind: EndKind::Cut, text: format!("a bound cut the steps off{cut}") };
        }
        if self.system.is_end(words) {
            let text =
                if self.system.is_idle(words) { "the rest is idle" } else { "every process has ended" };
            return EndView { kind: EndKind::Ended, text: text.to_owned() };
        }
        let waiting = self.system.waiting(words).into_iter();
        let texts: Vec<String> = waiting.map(|(name, text)| format!("{name} waits for {text}")).collect();
        EndView { kind: EndKind::Deadlock, text: texts.join("; ") }
    }

    /// A move of the state whose steps are at hand.
    pub(super) fn move_view(&self, state: StateId, number: u32) -> MoveView {
        let words = self.table.get(state);
        if number as usize >= self.steps.len() {
            return MoveView { number, text: "there is no such move".to_owned(), ..MoveView::default() };
        }
        let (action, _) = self.steps.get(number as usize);
        let process = self.system.process(action);
        let file = self.system.source_file(action);
        let line = self.system.source_line(action);
        let place = line
            .map(|line| SourcePlace { file: file.unwrap_or_else(|| self.title.clone()), line: line as u32 });
        let pending = process.and_then(|process| self.system.pending(words, process));
        let transfer = pending.and_then(|pending| match pending.communication {
            Communication::Send(to) => Some((TransferKind::Give, to)),
            Communication::Receive(_) => process.map(|process| (TransferKind::Take, process)),
            Communication::None | Communication::Spawn(_) => None,
        });
        let transfer = transfer.map(|(kind, owner)| {
            let name = format!("the mailbox of {}", self.system.process_name(owner));
            Transfer { kind, name, is_queue: true }
        });
        MoveView {
            number,
            process: process.map(|process| process.0),
            text: self.system.describe(action),
            place,
            printed: self.system.printed(words, action),
            transfer: transfer.or_else(|| self.model.transfer(&self.system.describe(action))),
        }
    }
}

/// At most so many processes have a row.
const MAX_ROWS: usize = 64;
