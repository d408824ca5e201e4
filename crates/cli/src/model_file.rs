//! Models from files: what every command that takes a model shares.

use crate::failure::Failure;
use crate::standard_error;
use clap::ValueEnum;
use selvedge_lang::flowlang;
use selvedge_lang::parallel::{self, Program, Property};
use selvedge_ltl::diagnostic::Severity;
use selvedge_ltl::source::{Source, Span};
use selvedge_model::Fairness;
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

/// The program of a text, in the language that the file's name tells; warnings go to standard error.
pub(crate) fn load(source: &Source, settings: &[(String, i64)]) -> Result<Program, Failure> {
    let is_flow = Path::new(&source.name).extension().is_some_and(|end| end.eq_ignore_ascii_case("flow"));
    let (program, diagnostics) =
        if is_flow { flowlang::parse_with(source, settings) } else { parallel::parse_with(source, settings) };
    let (errors, warnings): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
    for warning in &warnings {
        standard_error::print(&(warning.render(source, standard_error::has_colours()) + "\n\n"));
    }
    match program {
        Some(program) if errors.is_empty() => Ok(program),
        _ => Err(Failure::Input(source.clone(), errors)),
    }
}

/// The property of the file with this name.
pub(crate) fn property<'p>(
    program: &'p Program,
    source: &Source,
    name: &str,
) -> Result<&'p Property, Failure> {
    let properties = program.properties();
    properties.iter().find(|property| property.name == name).ok_or_else(|| {
        let known = properties.iter().map(|property| property.name.as_str());
        Failure::Usage(format!("{} has no property `{name}`; it has: {}", source.name, listed(known)))
    })
}

/// A formula of the command line as a property of the program.
pub(crate) fn formula(program: &Program, name: String, text: &str) -> Result<Property, Failure> {
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
