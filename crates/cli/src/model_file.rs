//! Models from files, in every language: the part that all commands on models share.
//!
//! [`with_program`] chooses the language by the extension of the file; everything behind it is generic in
//! the trait [`Program`].

use crate::erlang_arguments::ErlangPlan;
use crate::failure::Failure;
use crate::phrases::join_names;
use crate::source_finder::FileFinder;
use crate::standard_error;
use selvedge_lang::{Language, Program, ProgramVisitor, Property, ReadOptions};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::{Source, Span};
use selvedge_model::System;
use std::path::Path;

/// A command on a model, for every language.
pub(crate) trait ModelCommand {
    type Answer;

    fn run<P: Program>(self, program: P) -> Result<Self::Answer, Failure>;
}

/// A step of a program.
pub(crate) type ActionOf<P> = <<P as Program>::System as System>::Action;

/// Reads a file as text.
pub(crate) fn read(file: &Path) -> Result<Source, Failure> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    decode(&name, bytes)
}

/// Bytes as text, without the byte-order mark that some editors write.
pub(crate) fn decode(name: &str, bytes: Vec<u8>) -> Result<Source, Failure> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(&text))),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..offset]).into_owned();
            let (line, column) = Source::new("", before).position(offset);
            Err(Failure::Usage(format!("{name}:{line}:{column}: this is not UTF-8 text")))
        }
    }
}

/// How a model is read: the values of its constants, and the options of its language.
pub(crate) struct ReadPlan {
    pub(crate) settings: Vec<(String, i64)>,
    pub(crate) erlang: ErlangPlan,
}

/// Parses a model, and runs the command on its program.
pub(crate) fn with_program<C: ModelCommand>(
    source: &Source,
    plan: &ReadPlan,
    command: C,
) -> Result<C::Answer, Failure> {
    let language = Language::of_file(&source.name);
    plan.erlang.refuse_other(&source.name, language)?;
    let finder = FileFinder { main: Path::new(&source.name), paths: &plan.erlang.paths };
    let options = ReadOptions { settings: &plan.settings, erlang: &plan.erlang.options, finder: &finder };
    language.read(source, &options, RunUnlessErrors { source, command })
}

/// Runs the command if the program has no errors; prints warnings.
struct RunUnlessErrors<'s, C> {
    source: &'s Source,
    command: C,
}

impl<C: ModelCommand> ProgramVisitor for RunUnlessErrors<'_, C> {
    type Output = Result<C::Answer, Failure>;

    fn visit<P: Program>(self, program: Option<P>, diagnostics: Vec<Diagnostic>) -> Self::Output {
        let (errors, warnings): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
        for warning in &warnings {
            let text = warning.render(self.source, standard_error::has_colours());
            standard_error::print(&(text + "\n\n"));
        }
        match program {
            Some(program) if errors.is_empty() => self.command.run(program),
            _ => Err(Failure::Input(self.source.clone(), errors)),
        }
    }
}

/// The property of the file with this name.
pub(crate) fn find_property<'p, P: Program>(
    program: &'p P,
    source: &Source,
    name: &str,
) -> Result<&'p Property<P::Atom>, Failure> {
    let properties = program.properties();
    properties.iter().find(|property| property.name == name).ok_or_else(|| {
        let known = join_names(properties.iter().map(|property| property.name.as_str()));
        Failure::Usage(format!("{} has no property `{name}`; it has: {known}", source.name))
    })
}

/// A formula of the command line as a property of the program.
pub(crate) fn parse_property<P: Program>(
    program: &P,
    name: String,
    text: &str,
) -> Result<Property<P::Atom>, Failure> {
    let refuse = |diagnostics| Failure::Input(Source::new("<formula>", text), diagnostics);
    let formula = program.formula(text).map_err(refuse)?;
    let written = program.written(text);
    Ok(Property { name, span: Span::new(0, text.len()), formula, written, expect: None })
}
