//! The command `selvedge`.
//!
//! Each subcommand is a module with three parts: its `Arguments`, which clap parses; its plan, which is what
//! the arguments mean, validated and typed; and its function `run`, which carries the plan out, writes to
//! the given output and returns the answer. Exit codes are the same for all subcommands: see [`Outcome`] and
//! [`Failure`].

mod check;
mod debug;
mod erlang_arguments;
mod failure;
mod graph;
mod graph_json;
mod interruption;
mod ltl;
mod model_file;
mod option_values;
mod output;
mod phrases;
mod show;
mod source_finder;
mod standard_error;
mod watch;

use clap::{Parser, Subcommand};
use failure::{Failure, Outcome};
use output::Output;
use std::io::Write;
use std::process::ExitCode;

/// Keeps concurrent programs from unravelling.
#[derive(Parser)]
#[command(name = "selvedge", version, max_term_width = 100)]
#[command(after_help = "\
Exit codes:
  0  it holds
  1  it does not
  2  bad input or usage
  3  stopped by a limit")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the properties of models: on every state, along every run
    Check(check::Arguments),
    /// Debug a model: runs are chosen by formulas; look at a recorded run
    Debug(debug::Arguments),
    /// Draw a model: flow graphs, states, the automaton of a property, the product, a counterexample
    Graph(graph::Arguments),
    /// Look at a formula of linear temporal logic: its normal form, class, automata, truth on a word
    Ltl(ltl::Arguments),
    /// Show a saved run, or a monitored path, as a table
    Show(show::Arguments),
    /// Watch a log: check formulas on its lines, finished or as it grows
    Watch(watch::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut output = Output::new(std::io::stdout().lock());
    let result = match arguments.command {
        Command::Check(arguments) => check::run(arguments, &mut output),
        Command::Debug(arguments) => debug::run(arguments, &mut output),
        Command::Graph(arguments) => graph::run(arguments, &mut output),
        Command::Ltl(arguments) => ltl::run(&arguments, &mut output),
        Command::Show(arguments) => show::run(&arguments, &mut output),
        Command::Watch(arguments) => watch::run(arguments, &mut output),
    };
    let result = result.and_then(|outcome| output.flush().map(|()| outcome).map_err(Failure::from));
    match result {
        Ok(Outcome::Yes) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Err(failure) => {
            standard_error::print(&failure.render(standard_error::has_colours()));
            failure.exit_code()
        }
    }
}
