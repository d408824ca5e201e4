//! A session with a test: in the browser, or in the terminal.
//!
//! `SELVEDGE_DEBUG_TERMINAL=1` reads commands from standard input, a line each, and writes to standard
//! output, past the test harness. Otherwise a server on loopback shows the page; its address goes to
//! standard error.
//!
//! Promise: a command is in the session file before it is carried out. If the program ends the process, the
//! next session with the same test goes on with the commands before; a session that is ended in order leaves
//! no file.

use super::lines::LineLog;
use crate::explorer::report::{TestName, WantedDebugging, session_file};
use selvedge_debug::engine::Engine;
use selvedge_debug::server::{Host, HostOptions};
use selvedge_debug::target::Target;
use selvedge_debug::terminal::{Response, Terminal};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The environment variable that asks for the terminal.
const TERMINAL: &str = "SELVEDGE_DEBUG_TERMINAL";

/// The environment variable with the port of the page; any free one without it.
const PORT: &str = "SELVEDGE_DEBUG_PORT";

/// The environment variable with the address that opens a place in an editor.
const EDITOR: &str = "SELVEDGE_DEBUG_EDITOR";

/// Holds a session until it is ended.
///
/// # Errors
/// What the reader is told: there is no initial state, the session file cannot be read, no port is free.
pub(super) fn hold(
    name: &TestName,
    wanted: &WantedDebugging,
    target: impl Target + 'static,
) -> Result<(), String> {
    let engine = Engine::new(Box::new(target)).map_err(|error| error.to_string())?;
    let file = session_file(name, wanted).map_err(|error| format!("the session file: {error}"))?;
    if std::env::var_os(TERMINAL).is_some_and(|value| value != "0") {
        return in_terminal(engine, &file.with_extension("lines")).map_err(|error| error.to_string());
    }
    in_browser(name, wanted, engine, &file).map_err(|error| error.to_string())
}

/// Lines in, texts out. The lines of a session before that did not end are carried out first.
fn in_terminal(engine: Engine, file: &Path) -> io::Result<()> {
    let (mut log, earlier) = LineLog::open(file)?;
    let (mut terminal, text) = Terminal::new(engine);
    let mut output = io::stdout();
    output.write_all(text.as_bytes())?;
    for line in &earlier {
        if let Response::Text(text) = terminal.line(line, &mut ()) {
            write!(output, "> {line}\n{text}")?;
        }
    }
    if let Some(line) = &log.unfinished {
        writeln!(output, "this line ended the process, and is not carried out again: {line}")?;
    }
    let is_typed = io::stdin().is_terminal();
    loop {
        if is_typed {
            write!(output, "> ")?;
        }
        output.flush()?;
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            break;
        }
        let line = line.trim();
        if !is_typed {
            writeln!(output, "> {line}")?;
            output.flush()?;
        }
        log.begin(line)?;
        let Response::Text(text) = terminal.line(line, &mut ()) else { break };
        log.end()?;
        output.write_all(text.as_bytes())?;
    }
    output.flush()?;
    std::fs::remove_file(file)
}

fn in_browser(name: &TestName, wanted: &WantedDebugging, mut engine: Engine, file: &Path) -> io::Result<()> {
    let defaults = HostOptions::default();
    let options = HostOptions {
        port: std::env::var(PORT).ok().and_then(|port| port.parse().ok()).unwrap_or(0),
        session: Some(file.to_owned()),
        folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::new()),
        editor: std::env::var(EDITOR).unwrap_or(defaults.editor),
        reopen: wanted.command(name),
    };
    let mut host = Host::start(&mut engine, options)?;
    say(&format!("selvedge: {name} is debugged at {}", host.url()));
    host.run()?;
    std::fs::remove_file(file)
}

/// Tells the reader, past the test harness, which captures what `eprintln` prints.
pub(super) fn say(text: &str) {
    // If standard error is closed, the line is lost.
    let _ = writeln!(io::stderr(), "{text}");
}
