//! The options of `selvedge graph`, as clap parses them. [`GraphPlan`](super::plan::GraphPlan) is what they
//! mean.

use crate::erlang_arguments::ErlangArguments;
use crate::option_values::{FairnessOption, parse_positive, parse_setting};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Draw a model: flow graphs, states, the automaton of a property, the product, a counterexample.
#[derive(Args)]
#[command(after_help = "\
What stands out: initial states have an arrow from nowhere; errors and deadlocks are red; the cycle of a counterexample \
and what is accepting in a product are blue; where steps were left out, a state is grey and ends in `…`. Marks of an \
automaton stand in braces. Values that are the same in all states are left out; the pointer shows all, in an SVG, \
with `-` for a value that does not matter, since no step reads it before it is assigned.

JSON: {\"title\", \"whole\", \"initial\": [id], \"parts\": [{\"title\", \"nodes\": [id]}],
  \"nodes\": [{\"id\", \"label\", \"tooltip\", \"shape\", \"emphasis\", \"classes\"}],
  \"edges\": [{\"from\", \"to\", \"label\", \"tooltip\", \"style\", \"emphasis\", \"classes\"}]}
where `whole` is false if something was left out, and classes are among `end`, `deadlock`, `error`, `cut`, `accepting`, \
`stutter`, `cycle` and `violation`.

Exit codes:
  0  drawn
  1  nothing to draw, since the property has no counterexample
  2  bad input or usage
  3  stopped by a limit before there was anything to draw

Examples:
  selvedge graph models/dekker.flow --output dekker.svg
  selvedge graph models/dekker.par --of states --property mutex -o states.svg
  selvedge graph models/dekker.par --of counterexample --property strong
  selvedge graph models/dekker.par --of automaton --ltl '[]<> enterCrit(1)'
  selvedge graph models/bakery.par | dot -Tpdf -o bakery.pdf")]
pub(crate) struct Arguments {
    /// The model, a `.par`, `.flow` or `.erl` file
    pub(super) file: PathBuf,

    /// What to draw [default: flow; of an Erlang program, states]
    #[arg(long, value_name = "WHAT")]
    pub(super) of: Option<DrawingKind>,

    /// Draw the flow graphs of these processes only; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) process: Vec<String>,

    /// The property that the automaton, product or counterexample is of; with --of states, show what of it
    /// holds where
    #[arg(long, value_name = "NAME")]
    pub(super) property: Option<String>,

    /// The same for a formula that is not in the file
    #[arg(long, value_name = "FORMULA", conflicts_with = "property")]
    pub(super) ltl: Option<String>,

    /// With --of counterexample: only count runs in which no process is passed over for ever
    #[arg(long, default_value = "none")]
    pub(super) fair: FairnessOption,

    /// States exactly as in the lecture, with the process that moved last
    #[arg(long)]
    pub(super) exact: bool,

    /// Give a constant of the model another value, as in N=5; in Erlang, define the macro ?N
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(super) settings: Vec<(String, i64)>,

    /// Draw no more nodes than this; a drawing that is cut off says so
    #[arg(long, visible_alias = "max-states", value_name = "N", default_value_t = 200)]
    #[arg(value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    pub(super) max_nodes: usize,

    /// With --of counterexample: stop searching after so many seconds, at least 1
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive::<u64>, allow_negative_numbers = true)]
    pub(super) timeout: Option<u64>,

    /// How to write it [default: as the output file's name says, otherwise dot]
    #[arg(long)]
    pub(super) format: Option<Format>,

    /// Write to this file instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    #[command(flatten)]
    pub(super) erlang: ErlangArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DrawingKind {
    /// The flow graph of each process
    Flow,
    /// The states that can be reached, and the steps between them
    States,
    /// The Büchi automaton of the property's negation, which is what a check searches with
    Automaton,
    /// The states together with those of the automaton: what a check searches
    Product,
    /// A run that violates the property: the one that `selvedge check` shows
    Counterexample,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Graphviz
    Dot,
    /// A picture that stands alone
    Svg,
    /// For programs
    Json,
}
