//! The schedulers that `--simulate` takes by name.

use clap::builder::{EnumValueParser, PossibleValue, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error, ValueEnum};
use selvedge_lang::Language;
use std::ffi::OsStr;
use std::path::Path;

/// Who decides how runs go.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Chooser {
    /// Every process that can move is as likely as every other
    Uniform,
    /// Processes have priorities, which change at a few random steps
    Pct,
    /// Processes have weights, others in each run
    Swarm,
    /// Steps have priorities, drawn again where they clash
    Pos,
    /// One process after the other; one run, without chance
    RoundRobin,
    /// Every distinct run once, and where they end: runs that differ in the order of independent steps count as one
    Systematic,
}

/// Reads a scheduler. The name is optional, so a file that follows `--simulate` is taken for it; then we say where files
/// stand.
#[derive(Clone)]
pub(super) struct ChooserParser;

impl TypedValueParser for ChooserParser {
    type Value = Chooser;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, text: &OsStr) -> Result<Chooser, Error> {
        let read = EnumValueParser::<Chooser>::new().parse_ref(command, argument, text);
        read.map_err(|mut error| {
            if is_file(Path::new(text)) {
                let text = text.to_string_lossy();
                let tip =
                    format!("files stand before --simulate, or after a scheduler: --simulate uniform {text}");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Chooser::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// Does it exist, or is it named as models are?
fn is_file(path: &Path) -> bool {
    let has_extension = |language: Language| path.extension().is_some_and(|own| own == language.extension());
    path.exists() || Language::ALL.into_iter().any(has_extension)
}
