//! `selvedge ltl`: questions about one formula.
//!
//! One module for each question: [`analysis`], [`automaton`], [`equivalence`], [`evaluation`].

mod analysis;
mod automaton;
mod equivalence;
mod evaluation;
mod formula_context;
mod plan;

use crate::failure::{Failure, Outcome};
use crate::option_values::parse_positive;
use clap::{Args, ValueEnum};
use plan::{LtlPlan, Task};
use selvedge_ltl::buchi::Limits;
use std::io::Write;

/// Look at a formula of linear temporal logic.
///
/// Without further options: its normal form, its class, whether it is stutter-invariant, satisfiable and
/// valid.
#[derive(Args)]
#[command(after_help = "\
Operators, from the tightest:
  ! X WX F G Y WY O H, then U R W M S T, then &, then |, then ->, then <->

Other spellings:
  [] <> for G F, ~ for !, && and /\\ for &, || and \\/ for |, => for ->,
  <=> for <->, V for R, Z for WY

Exit codes:
  0  answered; with --equals: equivalent; with --trace: satisfied
  1  with --equals: not equivalent; with --trace: violated
  2  bad input or usage
  3  stopped by a limit

Examples:
  selvedge ltl 'G (request -> F grant)'
  selvedge ltl 'p U q' --automaton buchi --format dot
  selvedge ltl 'G F p' --equals 'G F (p & F p)'
  selvedge ltl 'p U q' --trace 'p; p; q; cycle{true}'")]
pub(crate) struct Arguments {
    /// The formula, or `-` to read it from standard input
    formula: String,

    /// Read the formula on finite words (X needs a next state, WX does not)
    #[arg(long)]
    finite: bool,

    /// Print an automaton: of the finite words, or of the infinite words, that satisfy the formula
    #[arg(long, value_name = "KIND", conflicts_with_all = ["equals", "trace"])]
    automaton: Option<AutomatonKind>,

    /// With --automaton buchi: one acceptance condition, on the states, as the field's older tools expect
    #[arg(long, requires = "automaton")]
    state_based: bool,

    /// How to print it
    #[arg(long, default_value = "text")]
    format: Format,

    /// Decide whether another formula is equivalent; if not, show a word that tells them apart
    #[arg(long, value_name = "OTHER", conflicts_with = "trace")]
    equals: Option<String>,

    /// Evaluate on a word, with the truth of each subformula: steps separated by `;`, then perhaps
    /// `cycle{…}`; propositions that a step does not name are false in it. A note tells which ones only the
    /// formula names, or only the word
    #[arg(long, value_name = "WORD")]
    trace: Option<String>,

    /// The most states that an automaton may have while it is built
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    #[arg(value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    max_states: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AutomatonKind {
    /// The smallest deterministic automaton on finite words
    Finite,
    /// A small Büchi automaton, with generalised acceptance on its edges
    Buchi,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Text,
    /// Graphviz
    Dot,
    /// Hanoi Omega-Automata format, for other tools
    Hoa,
    /// A picture
    Svg,
    /// For programs
    Json,
}

/// Answers the question about the formula.
pub(crate) fn run(arguments: &Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let LtlPlan { mut context, task } = LtlPlan::new(arguments)?;
    match task {
        Task::Analyse(format) => analysis::run(&mut context, format, output),
        Task::PrintAutomaton(automaton, format) => automaton::run(&mut context, automaton, format, output),
        Task::Compare(other, format) => equivalence::run(&mut context, &other, format, output),
        Task::Evaluate(input, format) => evaluation::run(&mut context, input, format, output),
    }
}
