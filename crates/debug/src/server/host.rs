//! The host of a session: it owns the engine, carries out the commands of all tabs, and keeps the session
//! file.
//!
//! The thread that calls [`Host::run`] makes the runs. A command is written to the session file before it is
//! carried out, so a program that aborts loses nothing; commands that the page alone needs (`open`, `quit`,
//! `export` as a session or as one page) are answered here, all others by the engine:
//!
//! ```json
//! {"command": "open"}
//! {"message": "open", "program": {}, "page": {"folder": "/src", "editor": "vscode://file{file}:{line}",
//!  "reopen": "selvedge debug --session a.session"}, "snapshot": {}, "sequence": 7}
//! {"command": "quit"}
//! ```
//!
//! Each snapshot has a `sequence`: a tab that gets an answer and an event in the wrong order keeps the later
//! one. As long as its `run` is the same, the windows of the run are, too.

use super::session_file::SessionFile;
use super::{Call, Server, drawing, single_page};
use crate::engine::{Engine, Listener, Progress};
use crate::protocol::{Command, Message, Reply, Request};
use crate::snapshot::{Answer, Snapshot};
use crate::view::ProgramView;
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The address of a place in Visual Studio Code; other editors have similar ones.
pub const DEFAULT_EDITOR: &str = "vscode://file{file}:{line}";

/// A search tells the tabs this often how far it is.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);

/// A search looks at the clock once in so many states.
const STATES_PER_LOOK: u64 = 256;

/// What a session needs besides its engine.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The port on loopback; 0 is any free one.
    pub port: u16,
    /// The session file: continued if it exists, else made. Without one, the session is kept in memory.
    pub session: Option<PathBuf>,
    /// The folder that the names of source files are relative to.
    pub folder: PathBuf,
    /// The address that opens a place in the reader's editor, with `{file}` and `{line}`.
    pub editor: String,
    /// The command that opens the session again, for readers.
    pub reopen: String,
}

impl Default for HostOptions {
    fn default() -> HostOptions {
        HostOptions {
            port: 0,
            session: None,
            folder: PathBuf::new(),
            editor: DEFAULT_EDITOR.to_owned(),
            reopen: "selvedge debug".to_owned(),
        }
    }
}

/// A session with its server.
pub struct Host<'e> {
    engine: &'e mut Engine,
    server: Server,
    calls: Receiver<Call>,
    options: HostOptions,
    session: SessionFile,
    program: ProgramView,
    snapshot: Box<Snapshot>,
    sequence: u64,
    /// Counts the commands that change the run, or what is judged along it.
    run: u64,
}

impl<'e> Host<'e> {
    /// Opens the session and starts its server. Commands of a session file are carried out first.
    pub fn start(engine: &'e mut Engine, options: HostOptions) -> io::Result<Host<'e>> {
        let (program, snapshot) = open(engine)?;
        let (session, earlier) = SessionFile::open(options.session.as_deref(), &program.title)?;
        let (server, calls) = Server::start(options.port)?;
        let mut host =
            Host { engine, server, calls, options, session, program, snapshot, sequence: 0, run: 0 };
        for command in &earlier {
            host.handle(command);
        }
        host.snapshot.answer = host.session.greeting(earlier.len()).map(|text| Answer::Said { text });
        Ok(host)
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Carries out commands until a tab ends the session.
    pub fn run(&mut self) -> io::Result<()> {
        while let Ok(call) = self.calls.recv() {
            let (answer, is_end) = self.answer(&call.command)?;
            call.reply(answer.to_string());
            if is_end {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, text: &str) -> io::Result<(Value, bool)> {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return Ok((json!({ "message": "error", "text": "a command is a JSON object" }), false));
        };
        let answer = match (value["command"].as_str(), value["format"].as_str()) {
            (Some("open"), _) => self.open(),
            (Some("quit"), _) => {
                self.server.events().publish("{\"message\":\"ended\"}");
                return Ok((json!({ "message": "ended" }), true));
            }
            (Some("export"), Some("session")) => self.exported("session", "session", &self.session.text()?),
            (Some("export"), Some("html")) => {
                let page = self.single_page();
                self.exported("html", "html", &page)
            }
            _ => match serde_json::from_value::<Request>(value) {
                Ok(request) => self.command(&request)?,
                Err(error) => json!({ "message": "error", "text": error.to_string() }),
            },
        };
        Ok((answer, false))
    }

    fn open(&mut self) -> Value {
        let (folder, reopen) = (self.options.folder.display().to_string(), &self.options.reopen);
        let page = json!({ "folder": folder, "editor": self.options.editor, "reopen": reopen });
        json!({
            "message": "open", "program": self.program, "page": page,
            "snapshot": self.snapshot, "sequence": self.sequence, "run": self.run,
        })
    }

    /// Carries out a command of the protocol: it is written down, handled, and told to all tabs.
    fn command(&mut self, request: &Request) -> io::Result<Value> {
        self.session.begin(&request.command)?;
        let message = self.handle(&request.command);
        self.session.end(&request.command, &message, self.snapshot.position)?;
        let is_snapshot = matches!(message, Message::Snapshot { .. });
        let reply = serde_json::to_value(Reply { id: request.id, message });
        let mut reply = reply.map_err(io::Error::other)?;
        if is_snapshot {
            reply["sequence"] = json!(self.sequence);
            reply["run"] = json!(self.run);
            self.server.events().publish(&reply.to_string());
        }
        Ok(reply)
    }

    fn handle(&mut self, command: &Command) -> Message {
        let cancelled = self.server.cancelled();
        cancelled.store(false, Ordering::SeqCst);
        let mut told = Told { server: &self.server, cancelled, last: Instant::now() };
        let message = self.engine.handle(command, &mut told);
        if let Message::Snapshot { snapshot } = &message {
            self.sequence += 1;
            self.run += u64::from(changes_run(command));
            self.snapshot = snapshot.clone();
        }
        message
    }

    fn exported(&self, format: &str, ending: &str, text: &str) -> Value {
        let stem: String =
            self.program.title.chars().map(|char| if char.is_alphanumeric() { char } else { '-' }).collect();
        json!({ "message": "exported", "format": format, "name": format!("{stem}.{ending}"), "text": text })
    }

    /// The run as one page that needs no server.
    fn single_page(&mut self) -> String {
        single_page::of_run(self.engine, &self.program, &self.snapshot, &self.options.reopen)
    }
}

/// The program of a session, with its drawings, and its first snapshot.
pub(super) fn open(engine: &mut Engine) -> io::Result<(ProgramView, Box<Snapshot>)> {
    let [program, snapshot] = engine.open();
    let (Message::Program { mut program }, Message::Snapshot { snapshot }) = (program, snapshot) else {
        return Err(io::Error::other("the session does not begin with its program and a snapshot"));
    };
    drawing::draw_flows(&mut program);
    Ok((*program, snapshot))
}

/// Can the events or verdicts of a window be others after this command?
fn changes_run(command: &Command) -> bool {
    matches!(
        command,
        Command::Step { .. }
            | Command::Backtrack
            | Command::Remove
            | Command::Clear { .. }
            | Command::Move { .. }
            | Command::Simple { .. }
            | Command::Choose { .. }
            | Command::Judge { .. }
    )
}

/// Tells the tabs how far a search is, and ends it if one of them asks.
struct Told<'s> {
    server: &'s Server,
    cancelled: Arc<AtomicBool>,
    last: Instant,
}

impl Listener for Told<'_> {
    fn progress(&mut self, progress: Progress) -> bool {
        if progress.visited.is_multiple_of(STATES_PER_LOOK) && self.last.elapsed() >= PROGRESS_PAUSE {
            self.last = Instant::now();
            let Progress { visited, depth, found } = progress;
            let message =
                json!({ "message": "progress", "visited": visited, "depth": depth, "found": found });
            self.server.events().publish(&message.to_string());
        }
        !self.cancelled.load(Ordering::SeqCst)
    }
}
