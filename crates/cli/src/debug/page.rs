//! The session in the browser: its server on loopback, its session file, and the browser that is opened.
//!
//! The address has the token that lets a page in. Other users of the machine can read the arguments of its
//! processes, so the browser is not given the address but a file that only this user can read, which leads
//! to it.

use crate::failure::Failure;
use selvedge_debug::Engine;
use selvedge_debug::server::{DEFAULT_EDITOR, Host, HostOptions, Token};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The address of a place in the reader's editor, with `{file}` and `{line}`.
const EDITOR_VARIABLE: &str = "SELVEDGE_EDITOR";

/// How the page is served.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageOptions {
    /// The port on loopback; 0 is any free one.
    pub(crate) port: u16,
    /// Where the commands of the session are kept.
    pub(crate) session: SessionPlace,
    /// Is the address printed, and no browser opened?
    pub(crate) is_printed_only: bool,
}

/// Where the commands of a session are kept.
#[derive(Clone, Debug, Default)]
pub(crate) enum SessionPlace {
    /// In memory: the session begins with a run that no file has.
    #[default]
    Memory,
    /// In a new file among the temporary ones.
    Temporary,
    /// In this file.
    File(PathBuf),
}

/// Serves a session until a tab ends it.
pub(super) fn run(mut engine: Engine, options: &PageOptions, output: &mut dyn Write) -> Result<(), Failure> {
    let session = match &options.session {
        SessionPlace::Memory => None,
        SessionPlace::Temporary => Some(temporary("session")?),
        SessionPlace::File(file) => Some(file.clone()),
    };
    let reopen = reopening_command(&options.session, session.as_deref());
    let host_options = HostOptions {
        port: options.port,
        session: session.clone(),
        folder: std::env::current_dir().unwrap_or_default(),
        editor: std::env::var(EDITOR_VARIABLE).unwrap_or_else(|_| DEFAULT_EDITOR.to_owned()),
        reopen: reopen.clone(),
    };
    let mut host =
        Host::start(&mut engine, host_options).map_err(|error| Failure::Usage(error.to_string()))?;
    writeln!(output, "the page is at {}", host.url())?;
    if session.is_some() {
        writeln!(output, "the session is kept; to go on later: {reopen}")?;
    }
    output.flush()?;
    let opened = if options.is_printed_only { None } else { open_browser(&host.url()).ok() };
    let ended = host.run();
    if let Some(file) = opened {
        // It is not needed any more, and may be gone already.
        drop(std::fs::remove_file(file));
    }
    ended.map_err(|error| Failure::Usage(error.to_string()))
}

/// The command line of this process, with the session file if it is a new one.
fn reopening_command(place: &SessionPlace, session: Option<&Path>) -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = format!("selvedge {}", arguments.join(" "));
    match (place, session) {
        (SessionPlace::Temporary, Some(session)) => format!("{command} --session {}", session.display()),
        _ => command,
    }
}

/// A path among the temporary files that no other process knows.
fn temporary(ending: &str) -> io::Result<PathBuf> {
    Ok(std::env::temp_dir().join(format!("selvedge-{}.{ending}", Token::random()?)))
}

/// Opens the address in the reader's browser, by a file that leads to it.
fn open_browser(url: &str) -> io::Result<PathBuf> {
    let path = temporary("html")?;
    let page = format!(
        "<!doctype html><title>Selvedge</title><meta http-equiv=\"refresh\" content=\"0; url={url}\">\n"
    );
    private_file(&path)?.write_all(page.as_bytes())?;
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = Stdio::null;
    Command::new(program).args(first).arg(&path).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()?;
    Ok(path)
}

/// A new file that other users cannot read.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}
