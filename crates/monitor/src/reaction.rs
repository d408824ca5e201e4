//! What to do about a finding: a violated formula, or locks that can deadlock.

use std::fmt;

/// What a monitor does about what it finds.
#[derive(Default)]
pub enum Reaction<T> {
    /// Writes it to standard error; the program goes on.
    #[default]
    Tell,
    /// Keeps it for the report alone.
    Keep,
    /// Calls a function with it.
    Call(Box<dyn FnMut(&T) + Send>),
    /// Panics with its text.
    Panic,
    /// Writes it to standard error and ends the process with this exit code.
    Exit(i32),
}

impl<T: fmt::Display> Reaction<T> {
    pub(crate) fn handle(&mut self, finding: &T) {
        match self {
            Reaction::Keep => {}
            Reaction::Tell => tell(finding),
            Reaction::Call(function) => function(finding),
            Reaction::Panic => panic!("{finding}"),
            Reaction::Exit(code) => {
                tell(finding);
                std::process::exit(*code);
            }
        }
    }
}

fn tell(finding: &impl fmt::Display) {
    use std::io::Write;
    // A program whose standard error is closed goes on.
    let _ = write!(std::io::stderr(), "{finding}");
}

impl<T> fmt::Debug for Reaction<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reaction::Tell => "Tell",
            Reaction::Keep => "Keep",
            Reaction::Call(_) => "Call",
            Reaction::Panic => "Panic",
            Reaction::Exit(_) => "Exit",
        })
    }
}
