//! The options of `selvedge watch`, as clap parses them. [`WatchPlan`](super::plan::WatchPlan) is what they
//! mean.

use super::help;
use super::time::TimeUnit;
use crate::option_values::{parse_natural, parse_positive};
use clap::{Args, ValueEnum};
use selvedge_monitor::DEFAULT_MAX_SLICES;
use std::path::PathBuf;

/// Violations that are shown for each formula, unless the user says otherwise.
const DEFAULT_SHOWN: u64 = 100;

/// Watch a log: check formulas on its lines, finished or as it grows.
#[derive(Args)]
#[command(after_help = help::AFTER)]
pub(crate) struct Arguments {
    /// The log; without it, or with `-`, standard input
    pub(super) file: Option<PathBuf>,

    /// Check this formula; may be given several times
    #[arg(long, value_name = "FORMULA", required = true)]
    pub(super) ltl: Vec<String>,

    /// How the log is written; by default csv for files that end in `.csv`, json otherwise
    #[arg(long, value_name = "FORMAT")]
    pub(super) input: Option<InputFormat>,

    /// Read on as the log grows, until the command is interrupted (SIGINT, SIGTERM)
    #[arg(long)]
    pub(super) follow: bool,

    /// The field with the time of a line, for `after`; by default `time`, `timestamp` or `ts`
    #[arg(long, value_name = "FIELD")]
    pub(super) time: Option<String>,

    /// The unit of times that are numbers
    #[arg(long, value_name = "UNIT", default_value = "s")]
    pub(super) time_unit: TimeUnit,

    /// Skip and count lines that cannot be read, and accept fields that no line has
    #[arg(long)]
    pub(super) lenient: bool,

    /// The most violations to show for each formula; all are counted
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SHOWN)]
    #[arg(value_parser = parse_natural::<u64>, allow_negative_numbers = true)]
    pub(super) show: u64,

    /// The most slices of a formula that may be open or decided at a time
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_SLICES)]
    #[arg(value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    pub(super) max_slices: usize,

    /// How to print violations and verdicts
    #[arg(long, default_value = "text")]
    pub(super) format: Format,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum InputFormat {
    /// One object a line
    Json,
    /// Cells between commas, below a header with their names
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For reading
    Text,
    /// For programs: an object a line, for each violation and for the verdicts
    Json,
}
