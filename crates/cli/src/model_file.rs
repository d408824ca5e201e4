//! Models from files: what every command that takes a model shares.

use crate::failure::Failure;
use clap::ValueEnum;
use selvedge_lang::{Language, Program, ProgramVisitor, Property};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::{Source, Span};
use selvedge_model::Fairness;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Messages list at most so many names.
const MAX_LISTED: usize = 20;

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fair {
    /// All runs count
    None,
    /// A process that can always move does move again and again
    Weak,
    /// A process that can move again and again does move again and again
    Strong,
}

impl From<Fair> for Fairness {
    fn from(fair: Fair) -> Fairness {
        match fair {
            Fair::None => Fairness::None,
            Fair::Weak => Fairness::Weak,
            Fair::Strong => Fairness::Strong,
        }
    }
}

/// The text of a file.
pub(crate) fn read(file: &Path) -> Result<Source, Failure> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    text(&name, bytes)
}

/// Bytes as text, which some editors begin with a mark of their byte order.
pub(crate) fn text(name: &str, bytes: Vec<u8>) -> Result<Source, Failure> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(&text))),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
            let (line, column) = Source::new("", before).position(at);
            Err(Failure::Usage(format!("{name}:{line}:{column}: this is not UTF-8 text")))
        }
    }
}

/// What a command does with a model, whichever language it is written in.
pub(crate) trait ModelCommand {
    /// What it answers.
    type Output;

    fn run<P: Program>(self, program: &P) -> Result<Self::Output, Failure>;
}

/// Runs a command on the program of a text, in the language of the file's extension.
pub(crate) fn with_program<C: ModelCommand>(
    source: &Source,
    settings: &[(String, i64)],
    command: C,
) -> Result<C::Output, Failure> {
    Language::of_file(&source.name).read(source, settings, Accepting { source, command })
}

/// Runs a command on a program that has no errors.
struct Accepting<'s, C> {
    source: &'s Source,
    command: C,
}

impl<C: ModelCommand> ProgramVisitor for Accepting<'_, C> {
    type Output = Result<C::Output, Failure>;

    fn visit<P: Program>(self, program: Option<P>, diagnostics: Vec<Diagnostic>) -> Self::Output {
        self.command.run(&accept(self.source, program, diagnostics)?)
    }
}

/// The program, if it has no errors; warnings go to standard error.
fn accept<P>(source: &Source, program: Option<P>, diagnostics: Vec<Diagnostic>) -> Result<P, Failure> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for warning in &warnings {
        // A warning that nobody can read is no reason to stop.
        let _ = writeln!(std::io::stderr(), "{}\n", warning.render(source, colours));
    }
    match program {
        Some(program) if errors.is_empty() => Ok(program),
        _ => Err(Failure::Input(source.clone(), errors)),
    }
}

/// The property of the file with this name.
pub(crate) fn property<'p, P: Program>(
    program: &'p P,
    source: &Source,
    name: &str,
) -> Result<&'p Property<P::Atom>, Failure> {
    let properties = program.properties();
    properties.iter().find(|property| property.name == name).ok_or_else(|| {
        let known = properties.iter().map(|property| property.name.as_str());
        Failure::Usage(format!("{} has no property `{name}`; it has: {}", source.name, listed(known)))
    })
}

/// A formula of the command line as a property of the program.
pub(crate) fn formula<P: Program>(
    program: &P,
    name: String,
    text: &str,
) -> Result<Property<P::Atom>, Failure> {
    let formula = program
        .formula(text)
        .map_err(|diagnostics| Failure::Input(Source::new("<formula>", text), diagnostics))?;
    Ok(Property { name, span: Span::new(0, text.len()), formula, expect: None })
}

/// Names for a message.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > MAX_LISTED => {
            format!("{} and {} more", names[..MAX_LISTED].join(", "), count - MAX_LISTED)
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_lists_some_names_and_counts_the_rest() {
        assert_eq!(listed([].into_iter()), "none");
        assert_eq!(listed(["a", "b"].into_iter()), "a, b");
        let many = listed(["p"; 10_000].into_iter());
        assert!(many.ends_with("p and 9980 more"), "{many}");
    }
}
