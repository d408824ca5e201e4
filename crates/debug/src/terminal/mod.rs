//! The terminal: commands line by line, answers as text.
//!
//! A line is a command of `parse`, or a formula to search with the options at hand. All of it goes through
//! the protocol: what the page can do can be done here, and in a script.
//!
//! Promise: no input or output; a line in, a text out.

mod parse;
mod render;

use crate::engine::{Engine, Listener};
use crate::protocol::{Command, Message};
use crate::snapshot::{SearchOptions, Snapshot};
use crate::view::{Completion, ProgramView};
use parse::Line;

/// A session in a terminal.
pub struct Terminal {
    engine: Engine,
    program: ProgramView,
    snapshot: Box<Snapshot>,
    options: SearchOptions,
    /// Formulas that are judged along the run.
    judged: Vec<String>,
}

/// What a line leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// This text.
    Text(String),
    /// The end of the session.
    Quit,
}

impl Terminal {
    /// A session; the text tells where it begins.
    pub fn new(mut engine: Engine) -> (Terminal, String) {
        let [program, snapshot] = engine.open();
        let (program, snapshot) = match (program, snapshot) {
            (Message::Program { program }, Message::Snapshot { snapshot }) => (*program, snapshot),
            _ => (ProgramView::default(), Box::default()),
        };
        let mut terminal =
            Terminal { engine, program, snapshot, options: SearchOptions::default(), judged: Vec::new() };
        let names: Vec<&str> =
            terminal.program.processes.iter().map(|process| process.name.as_str()).collect();
        let processes = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        let mut text = format!("{}{processes}\n", terminal.program.title);
        if let Some(card) = terminal.snapshot.stack.first() {
            text += &format!("{}, {} moves\n", card.formula, card.to);
            text += &terminal.moves(0, card.to);
        }
        text += &terminal.position_text();
        (terminal, text)
    }

    /// Carries a line out.
    pub fn line(&mut self, line: &str, listener: &mut dyn Listener) -> Response {
        Response::Text(match parse::parse(line, &self.program, &self.snapshot) {
            Ok(Line::Nothing) => String::new(),
            Ok(Line::Quit) => return Response::Quit,
            Ok(Line::Help) => parse::HELP.to_owned(),
            Ok(Line::Options) => self.options_text(),
            Ok(Line::Set(name, value)) => match parse::set(&mut self.options, &name, &value) {
                Ok(()) => self.options_text(),
                Err(error) => format!("error: {error}\n"),
            },
            Ok(Line::State) => self.state_text(),
            Ok(Line::Stack) => self.stack_text(),
            Ok(Line::Path) => self.moves(0, self.snapshot.length),
            Ok(Line::Judge(formula)) => {
                match formula {
                    Some(formula) => self.judged.push(formula),
                    None => self.judged.clear(),
                }
                let command = Command::Judge { formulas: self.judged.clone() };
                let text = self.carry_out(&command, listener);
                if text.starts_with("error") {
                    self.judged.pop();
                }
                text
            }
            Ok(Line::Step(formula, mode)) => {
                let options = SearchOptions { mode: mode.unwrap_or(self.options.mode), ..self.options };
                let options = match mode {
                    Some(crate::snapshot::Mode::EveryEnd) => SearchOptions { same_end: false, ..options },
                    _ => options,
                };
                self.carry_out(&Command::Step { formula, options }, listener)
            }
            Ok(Line::Command(command)) => self.carry_out(&command, listener),
            Err(error) => format!("error: {error}\n"),
        })
    }

    /// What could stand at the end of a line.
    pub fn complete(&mut self, line: &str) -> (usize, Vec<Completion>) {
        if !line.contains(' ') {
            let names = parse::names().filter(|name| name.starts_with(line));
            let named = names.map(|name| Completion { text: format!("{name} "), ..Completion::default() });
            let named: Vec<Completion> = named.collect();
            if !named.is_empty() && !line.is_empty() {
                return (0, named);
            }
        }
        let command = Command::Complete { formula: line.to_owned(), offset: line.len() };
        match self.engine.handle(&command, &mut ()) {
            Message::Completions { start, items, .. } => (start, items),
            _ => (line.len(), Vec::new()),
        }
    }

    fn carry_out(&mut self, command: &Command, listener: &mut dyn Listener) -> String {
        match self.engine.handle(command, listener) {
            Message::Snapshot { snapshot } => {
                self.snapshot = snapshot;
                self.snapshot_text(command)
            }
            Message::Alternatives { alternatives } => self.alternatives_text(&alternatives),
            Message::Exported { text, .. } => text,
            Message::Error { text } if text.starts_with("error") => format!("{text}\n"),
            Message::Error { text } => format!("error: {text}\n"),
            other => format!("{other:?}\n"),
        }
    }
}
