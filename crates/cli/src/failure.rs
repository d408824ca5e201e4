//! How a command ends: with an answer, or with the reason why there is none.

use selvedge_ltl::buchi::TranslateError;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::finite::FiniteError;
use selvedge_ltl::source::Source;
use std::process::ExitCode;

/// The answer of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Exit code 0: the claim holds.
    Yes,
    /// Exit code 1: the claim does not hold.
    No,
}

impl From<bool> for Outcome {
    fn from(holds: bool) -> Outcome {
        if holds { Outcome::Yes } else { Outcome::No }
    }
}

/// The reason why a command has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Exit code 2: the text cannot be understood.
    Input(Source, Vec<Diagnostic>),
    /// Exit code 2: the arguments contradict each other, or a file cannot be read or written.
    Usage(String),
    /// Exit code 3: a limit stopped the work first.
    Limit(String),
    /// Exit code 3: a signal stopped the work first.
    Interrupted(String),
}

impl Failure {
    pub(crate) fn render(&self, colours: bool) -> String {
        match self {
            Failure::Input(source, diagnostics) => {
                diagnostics.iter().map(|diagnostic| diagnostic.render(source, colours) + "\n\n").collect()
            }
            Failure::Usage(message) => format!("error: {message}\n"),
            Failure::Limit(message) => format!("stopped by a limit: {message}\n"),
            Failure::Interrupted(message) => format!("interrupted: {message}\n"),
        }
    }

    /// The message alone.
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Input(..) => self.render(false),
            Failure::Usage(message) | Failure::Limit(message) | Failure::Interrupted(message) => {
                message.clone()
            }
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(..) | Failure::Usage(_) => ExitCode::from(2),
            Failure::Limit(_) | Failure::Interrupted(_) => ExitCode::from(3),
        }
    }
}

/// Errors of standard output; those of files are reported with the name of the file.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Usage(format!("standard output: {error}"))
    }
}

impl From<TranslateError> for Failure {
    fn from(error: TranslateError) -> Failure {
        match error {
            TranslateError::TooLarge("states") => {
                Failure::Limit(format!("{error}; --max-states raises the limit"))
            }
            TranslateError::TooLarge(_) => Failure::Limit(error.to_string()),
            TranslateError::FutureBelowPast => Failure::Usage(error.to_string()),
        }
    }
}

impl From<FiniteError> for Failure {
    fn from(error: FiniteError) -> Failure {
        match error {
            FiniteError::TooLarge { .. } => Failure::Limit(format!("{error}; --max-states raises it")),
            FiniteError::PastOverFuture(_) => Failure::Usage(error.to_string()),
        }
    }
}
