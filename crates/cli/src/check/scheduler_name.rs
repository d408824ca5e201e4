//! The schedulers that `--simulate` takes by name.

use clap::builder::{EnumValueParser, PossibleValue, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error, ValueEnum};
use selvedge_lang::Language;
use std::ffi::OsStr;
use std::path::Path;

/// The scheduler that chooses the runs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SchedulerName {
    /// Every process that can move is as likely as every other
    Uniform,
    /// Each run by one of several random schedulers; the number of steps of each process is estimated
    Mixed,
    /// Processes have priorities, which change at a few random steps
    Pct,
    /// Processes have weights, others in each run
    Swarm,
    /// Steps have priorities, drawn again where they clash
    Pos,
    /// One process after the other; one run, without chance
    RoundRobin,
    /// Every distinct run once, and where they end: runs that differ in the order of independent steps count
    /// as one
    Systematic,
}

impl SchedulerName {
    /// Does the scheduler draw random numbers?
    pub(super) fn is_random(self) -> bool {
        !matches!(self, SchedulerName::RoundRobin | SchedulerName::Systematic)
    }

    /// The name as the command line spells it.
    pub(super) fn spelling(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// Parses the name of a scheduler. The name is optional, so clap takes a file that follows `--simulate` for
/// a name; the message then explains where files stand.
#[derive(Clone)]
pub(super) struct SchedulerNameParser;

impl TypedValueParser for SchedulerNameParser {
    type Value = SchedulerName;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        text: &OsStr,
    ) -> Result<SchedulerName, Error> {
        let parsed = EnumValueParser::<SchedulerName>::new().parse_ref(command, argument, text);
        parsed.map_err(|mut error| {
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
        Some(Box::new(SchedulerName::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// Does the path exist, or is its extension that of a model?
fn is_file(path: &Path) -> bool {
    let has_extension = |language: Language| path.extension().is_some_and(|own| own == language.extension());
    path.exists() || Language::ALL.into_iter().any(has_extension)
}
