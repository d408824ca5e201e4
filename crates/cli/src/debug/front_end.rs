//! The session, shown in the terminal or in the browser.

use super::arguments::FrontEnd;
use super::line_editor::{LineEditor, read_plainly};
use super::page;
use crate::failure::Failure;
use crate::standard_error;
use selvedge_debug::terminal::Response;
use selvedge_debug::{Engine, Listener, Progress, Terminal};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Runs a session to its end.
pub(super) fn run(engine: Engine, front_end: &FrontEnd, output: &mut dyn Write) -> Result<(), Failure> {
    match front_end {
        FrontEnd::Terminal => run_terminal(engine, output),
        FrontEnd::Page(options) => page::run(engine, options, output),
    }
}

fn run_terminal(engine: Engine, output: &mut dyn Write) -> Result<(), Failure> {
    let (mut terminal, beginning) = Terminal::new(engine);
    write!(output, "{beginning}")?;
    output.flush()?;
    let is_interactive = std::io::stdin().is_terminal();
    let mut editor = LineEditor::default();
    loop {
        let line = match is_interactive {
            true => editor.read("> ", &mut |line| terminal.complete(line))?,
            false => read_plainly()?,
        };
        let Some(line) = line else { return Ok(()) };
        if !is_interactive {
            writeln!(output, "> {line}")?;
        }
        match terminal.line(&line, &mut Watcher::default()) {
            Response::Text(text) => write!(output, "{text}")?,
            Response::Quit => return Ok(()),
        }
        output.flush()?;
    }
}

/// Shows how far a search is, on a terminal, once a second.
#[derive(Default)]
struct Watcher {
    last: Option<Instant>,
}

/// The clock is looked at once in so many states.
const STATES_PER_LOOK: u64 = 1024;

impl Listener for Watcher {
    fn progress(&mut self, progress: Progress) -> bool {
        if progress.visited.is_multiple_of(STATES_PER_LOOK) && standard_error::is_terminal() {
            let last = *self.last.get_or_insert_with(Instant::now);
            if last.elapsed() >= Duration::from_secs(1) {
                standard_error::print(&format!(
                    "{} states visited, depth {}\r",
                    progress.visited, progress.depth
                ));
                self.last = Some(Instant::now());
            }
        }
        true
    }
}
