//! The options of `selvedge check`, as clap parses them. [`CheckPlan`](super::plan::CheckPlan) is what they
//! mean.

use super::help;
use super::scheduler_name::{SchedulerName, SchedulerNameParser};
use super::search_plan::DEFAULT_MAX_MEMORY_MIB;
use super::simulate::MAX_STEPS;
use crate::debug::{FrontEnd, PageOptions};
use crate::erlang_arguments::ErlangArguments;
use crate::option_values::{FairnessOption, parse_in_range, parse_natural, parse_positive, parse_setting};
use clap::{Args, ValueEnum};
use selvedge_model::MAX_WAITING_SETS;
use selvedge_model::workers::MAX_WORKERS;
use std::path::PathBuf;

/// Check the properties of models: on every state, along every run.
#[derive(Args)]
#[command(after_help = help::AFTER)]
pub(crate) struct Arguments {
    /// The models, `.par`, `.flow` and `.erl` files
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,

    /// Check this formula instead of the file's properties; may be given several times. Run-time errors are
    /// listed too; deadlocks only with --deadlock, or where the model can have run-time errors
    #[arg(long, value_name = "FORMULA")]
    pub(super) ltl: Vec<String>,

    /// Check instead that this, without operators of time, holds in every reachable state; may be given
    /// several times, and together with --ltl
    #[arg(long, value_name = "TEST")]
    pub(super) invariant: Vec<String>,

    /// Check only the properties of these names. Run-time errors are listed too; deadlocks only with
    /// --deadlock, or where the model can have run-time errors
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ltl", "invariant"])]
    pub(super) property: Vec<String>,

    /// Only count runs in which no process is passed over for ever
    #[arg(long, default_value = "none")]
    pub(super) fair: FairnessOption,

    /// A deadlock is a failure
    #[arg(long)]
    pub(super) deadlock: bool,

    /// Tell at most so many deadlocks, nearest first: one for each set of places that wait
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = parse_in_range::<u8>(1..=MAX_WAITING_SETS as u64), allow_negative_numbers = true)]
    pub(super) max_deadlocks: u8,

    /// States and steps exactly as in the lecture, with the process that moved last; implies --no-reduction
    #[arg(long)]
    pub(super) exact: bool,

    /// Take every step in every state. Otherwise some orders of independent steps stand for all, where that
    /// is sound: with formulas that do not see how often a state repeats, and without `exec`; for Erlang
    /// also without fairness. Verdicts, deadlocks and errors are the same; paths are then short, not always
    /// shortest
    #[arg(long)]
    pub(super) no_reduction: bool,

    /// Give a constant of the model another value, as in N=5; in Erlang, define the macro ?N
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(super) settings: Vec<(String, i64)>,

    /// So many threads share the work of a search over more than 100,000 states. The verdicts are the same;
    /// a counterexample may be another one, of an invariant as short [default: as many as the machine has
    /// cores for invariants and for formulas with `expect holds`; one for other formulas, for Erlang, and
    /// with --checkpoint]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = parse_in_range::<u8>(1..=MAX_WORKERS as u64), allow_negative_numbers = true)]
    pub(super) workers: Option<u8>,

    /// Stop when there would be more than so many states
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    pub(super) max_states: Option<usize>,

    /// Stop when the search uses so many MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_MAX_MEMORY_MIB)]
    #[arg(value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    pub(super) max_memory: usize,

    /// Stop a search after so many seconds, at least 1
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive::<u64>, allow_negative_numbers = true)]
    pub(super) timeout: Option<u64>,

    /// Write to this file, again and again, how far the searches are; if the file is there, go on from it.
    /// So a search survives the end of its process. The file is removed when all is decided. For PARALLEL
    /// and flow
    #[arg(long, value_name = "FILE", conflicts_with_all = ["simulate", "debug"])]
    pub(super) checkpoint: Option<PathBuf>,

    /// How to print the results
    #[arg(long, default_value = "text")]
    pub(super) format: Format,

    /// Open the counterexample of the first property that has one in the debugger, in the browser or in the
    /// terminal, instead of printing verdicts
    #[arg(long, value_name = "WHERE", num_args = 0..=1, default_missing_value = "browser", require_equals = true)]
    #[arg(conflicts_with_all = ["simulate", "format"])]
    pub(super) debug: Option<DebugOption>,

    #[command(flatten)]
    pub(super) simulation: SimulationArguments,

    #[command(flatten)]
    pub(super) erlang: ErlangArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For reading
    Text,
    /// For programs: one object a file
    Json,
}

/// Where the debugger is shown.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DebugOption {
    /// In the browser
    Browser,
    /// Line by line
    Terminal,
}

impl DebugOption {
    pub(super) fn front_end(self) -> FrontEnd {
        match self {
            DebugOption::Browser => FrontEnd::Page(PageOptions::default()),
            DebugOption::Terminal => FrontEnd::Terminal,
        }
    }
}

/// The options of a simulation.
#[derive(Args)]
pub(super) struct SimulationArguments {
    /// Walk through some runs instead of searching all states, as this scheduler chooses them; without a
    /// name, as `uniform` does, and then files stand before it. Where a run comes back to a state, going
    /// round is judged too, a hundred times a run at most
    #[arg(long, value_name = "SCHEDULER", num_args = 0..=1, default_missing_value = "uniform")]
    #[arg(value_parser = SchedulerNameParser)]
    #[arg(conflicts_with_all = ["max_states", "no_reduction", "workers"])]
    pub(super) simulate: Option<SchedulerName>,

    /// Where chance begins; the same seed gives the same runs [default: 0]
    #[arg(long, value_name = "N", requires = "simulate")]
    #[arg(value_parser = parse_natural::<u64>, allow_negative_numbers = true)]
    pub(super) seed: Option<u64>,

    /// Make so many runs, or at most so many if systematic [default: 1; systematic 10000]
    #[arg(long, value_name = "N", requires = "simulate")]
    #[arg(value_parser = parse_positive::<u64>, allow_negative_numbers = true)]
    pub(super) runs: Option<u64>,

    /// Give a run up after so many steps, at most a million [default: 1000]
    #[arg(long, value_name = "N", requires = "simulate")]
    #[arg(value_parser = parse_in_range::<u64>(1..=MAX_STEPS), allow_negative_numbers = true)]
    pub(super) steps: Option<u64>,
}
