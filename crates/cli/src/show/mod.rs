//! `selvedge show`: a trace file as text, or as a page.
//!
//! All that is printed is made of the file alone, by [`Recording::overview`]: what is known of the run, how
//! its threads ended, its schedule, its table. The message of the failing test had the same parts.

use crate::failure::{Failure, Outcome};
use clap::Args;
use selvedge_debug::Engine;
use selvedge_debug::recording::RecordingTarget;
use selvedge_debug::server::single_page;
use selvedge_explore::trace::{FormatError, Recording};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Show a saved run, or a monitored path, as a table.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  shown
  2  bad input or usage

Examples:
  selvedge show docs/lost-update.trace")]
pub(crate) struct Arguments {
    /// The trace file, or `-` to read it from standard input
    ///
    /// A failing test saves its run, and its message names the file. A monitor writes its path by
    /// `trace_file`.
    file: String,

    /// Write the run to this file, as one HTML page with its timeline, which loads nothing else
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
}

/// Shows the file.
pub(crate) fn run(arguments: &Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let bytes = read(&arguments.file)?;
    let recording =
        Recording::from_bytes(&bytes).map_err(|error| refusal(&arguments.file, &bytes, &error))?;
    match &arguments.html {
        None => write!(output, "{}", recording.overview())?,
        Some(out) => write_page(&arguments.file, recording, out)?,
    }
    Ok(Outcome::Yes)
}

fn write_page(file: &str, recording: Recording, out: &Path) -> Result<(), Failure> {
    let failure = |error: std::io::Error| Failure::Usage(format!("{}: {error}", out.display()));
    let target = RecordingTarget::new(file.to_owned(), recording);
    let mut engine = Engine::new(Box::new(target)).map_err(|error| Failure::Usage(error.0))?;
    let page = single_page(&mut engine, &format!("selvedge debug {file}")).map_err(failure)?;
    std::fs::write(out, page).map_err(failure)
}

fn read(file: &str) -> Result<Vec<u8>, Failure> {
    let failure = |error: std::io::Error| Failure::Usage(format!("{file}: {error}"));
    if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(failure)?;
        return Ok(bytes);
    }
    std::fs::read(file).map_err(failure)
}

/// The reason why the file cannot be read, at its line.
fn refusal(file: &str, bytes: &[u8], error: &FormatError) -> Failure {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let before: usize = text.split_inclusive('\n').take(error.line - 1).map(str::len).sum();
    let line = text[before..].lines().next().unwrap_or_default();
    let span = Span::new(before, before + line.len());
    let diagnostic = Diagnostic::error("trace::format", "this is not a trace file", span, &error.message);
    Failure::Input(Source::new(file, text), vec![diagnostic])
}
