//! The session file: the commands of a session, a JSON text a line.
//!
//! ```json
//! {"selvedge": "session", "version": 1, "title": "dekker.flow"}
//! {"command": "step", "formula": "F (P0 at m2 & P1 at n1)"}
//! {"done": true}
//! {"command": "backtrack"}
//! ```
//!
//! A command is written before it is carried out, and `done` after it. If the debugged program ends its
//! process meanwhile, the file ends with a command that is not done: opening the session again carries out
//! the commands before it, and names that one instead of meeting the same end again. A command that was
//! cancelled or refused is marked `"done": false` and left out.

use crate::protocol::{Command, Message};
use crate::snapshot::Answer;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

const VERSION: u64 = 1;

/// The largest session file that is opened.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The commands so far, in a file or in memory.
#[derive(Debug)]
pub(crate) struct SessionFile {
    file: Option<File>,
    text: String,
    unfinished: Option<String>,
}

impl SessionFile {
    /// Opens or makes the file; the commands are those that it has.
    pub(crate) fn open(path: Option<&Path>, title: &str) -> io::Result<(SessionFile, Vec<Command>)> {
        let mut session = SessionFile { file: None, text: String::new(), unfinished: None };
        let mut commands = Vec::new();
        if let Some(path) = path {
            let mut options = OpenOptions::new();
            options.create(true).append(true).read(true);
            // Formulas and values may be private.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(path).map_err(|error| named(path, &error))?;
            if file.metadata()?.len() > MAX_BYTES {
                return Err(invalid(path, 0, "it is too long"));
            }
            io::Read::read_to_string(&mut file, &mut session.text)?;
            (commands, session.unfinished) =
                read(&session.text, title).map_err(|(line, text)| invalid(path, line, &text))?;
            // A process that ended while it wrote left half a line.
            if !session.text.is_empty() && !session.text.ends_with('\n') {
                file.write_all(b"\n")?;
                session.text.push('\n');
            }
            session.file = Some(file);
        }
        if session.text.is_empty() {
            session.write(&json!({ "selvedge": "session", "version": VERSION, "title": title }))?;
        } else if session.unfinished.is_some() {
            session.write(&json!({ "done": false }))?;
        }
        Ok((session, commands))
    }

    /// Writes a command before it is carried out.
    pub(crate) fn begin(&mut self, command: &Command) -> io::Result<()> {
        if changes_session(command) { self.write(&serde_json::to_value(command)?) } else { Ok(()) }
    }

    /// Writes that the command has been carried out, or has had no effect.
    pub(crate) fn end(&mut self, command: &Command, message: &Message, position: usize) -> io::Result<()> {
        let Message::Snapshot { snapshot } = message else {
            let is_done = matches!(message, Message::Alternatives { .. });
            return if changes_session(command) { self.write(&json!({ "done": is_done })) } else { Ok(()) };
        };
        if changes_session(command) {
            let is_cancelled = matches!(snapshot.answer, Some(Answer::Cancelled { .. }));
            return self.write(&json!({ "done": !is_cancelled }));
        }
        // Looking back led here: the search need not be made again.
        self.write(&serde_json::to_value(Command::Look { position })?)?;
        self.write(&json!({ "done": true }))
    }

    /// The whole file.
    pub(crate) fn text(&self) -> io::Result<String> {
        Ok(self.text.clone())
    }

    /// What to tell the reader of a session that is opened again.
    pub(crate) fn greeting(&self, commands: usize) -> Option<String> {
        if let Some(unfinished) = &self.unfinished {
            return Some(format!(
                "The session is back, up to a command that ended the process: {unfinished}"
            ));
        }
        (commands > 0).then(|| format!("The session is back: {commands} commands."))
    }

    fn write(&mut self, line: &Value) -> io::Result<()> {
        let line = format!("{line}\n");
        self.text.push_str(&line);
        match &mut self.file {
            Some(file) => file.write_all(line.as_bytes()),
            None => Ok(()),
        }
    }
}

/// Does opening the session again need the command?
fn changes_session(command: &Command) -> bool {
    match command {
        Command::Step { .. }
        | Command::Backtrack
        | Command::Remove
        | Command::Clear { .. }
        | Command::Move { .. }
        | Command::Simple { .. }
        | Command::Look { .. }
        | Command::Alternatives { .. }
        | Command::Choose { .. }
        | Command::Judge { .. }
        | Command::Expressions { .. } => true,
        Command::Timeline { .. }
        | Command::Validate { .. }
        | Command::Complete { .. }
        | Command::LastState { .. }
        | Command::LastChange { .. }
        | Command::NoReturn { .. }
        | Command::Export { .. }
        | Command::Cancel => false,
    }
}

/// The commands that are done, and the text of one that has no end.
fn read(text: &str, title: &str) -> Result<(Vec<Command>, Option<String>), (usize, String)> {
    let mut commands: Vec<Command> = Vec::new();
    let mut open: Option<Command> = None;
    let line_count = text.lines().count();
    for (index, line) in text.lines().enumerate() {
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            // The process ended while it wrote this line.
            Err(_) if index > 0 && index + 1 == line_count && !text.ends_with('\n') => break,
            Err(error) => return Err((index + 1, error.to_string())),
        };
        if index == 0 {
            check_head(&value, title).map_err(|text| (1, text))?;
        } else if let Some(is_done) = value["done"].as_bool() {
            commands.extend(open.take().filter(|_| is_done));
        } else {
            let command = serde_json::from_value(value).map_err(|error| (index + 1, error.to_string()))?;
            // Commands before this one were carried out, marked or not: it could not have begun otherwise.
            commands.extend(open.replace(command));
        }
    }
    let unfinished = open.map(|command| serde_json::to_string(&command).unwrap_or_default());
    Ok((commands, unfinished))
}

fn check_head(head: &Value, title: &str) -> Result<(), String> {
    if head["selvedge"] != json!("session") {
        return Err("this is not a session file of Selvedge".to_owned());
    }
    if head["version"] != json!(VERSION) {
        return Err(format!("it has version {}, and this program reads version {VERSION}", head["version"]));
    }
    let of = head["title"].as_str().unwrap_or_default();
    if of == title { Ok(()) } else { Err(format!("it is a session of `{of}`, not of `{title}`")) }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn invalid(path: &Path, line: usize, text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}:{line}: {text}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "{\"selvedge\":\"session\",\"version\":1,\"title\":\"a\"}\n";

    fn check(rest: &str, expected: (usize, bool)) {
        let (commands, unfinished) = read(&format!("{HEAD}{rest}"), "a").expect("a session");
        assert_eq!((commands.len(), unfinished.is_some()), expected, "{rest}");
    }

    #[test]
    fn commands_that_are_done_are_read_and_the_one_without_an_end_is_named() {
        let (step, done, undone) =
            ("{\"command\":\"backtrack\"}\n", "{\"done\":true}\n", "{\"done\":false}\n");
        check("", (0, false));
        check(&format!("{step}{done}{step}{done}"), (2, false));
        check(&format!("{step}{done}{step}"), (1, true));
        check(&format!("{step}{undone}{step}{done}"), (1, false));
        check(&format!("{step}{done}{step}{{\"don"), (1, true));
        check(&format!("{step}{done}{{\"comm"), (1, false));
    }

    #[test]
    fn other_files_are_refused_with_their_line() {
        let refused = |text: &str| read(text, "a").expect_err("no session");
        assert_eq!(refused("hello\n").0, 1);
        assert_eq!(refused("{}\n"), (1, "this is not a session file of Selvedge".to_owned()));
        assert_eq!(refused("{\"selvedge\":\"session\",\"version\":2}\n").0, 1);
        assert_eq!(refused(&HEAD.replace("\"a\"", "\"b\"")).1, "it is a session of `b`, not of `a`");
        assert_eq!(refused(&format!("{HEAD}{{\"command\":\"fly\"}}\n")).0, 2);
        assert_eq!(refused(&format!("{HEAD}half a line\n{{\"command\":\"remove\"}}\n")).0, 2);
    }

    #[test]
    fn a_session_in_memory_has_the_same_text() {
        let (mut session, _) = SessionFile::open(None, "a").expect("memory");
        session.begin(&Command::Remove).expect("memory");
        let (_, unfinished) = read(&session.text().expect("memory"), "a").expect("a session");
        assert_eq!(unfinished.as_deref(), Some("{\"command\":\"remove\"}"));
    }
}
