//! `selvedge ltl`: look at a formula.

mod analysis;
mod automaton;
mod equals;
mod trace;

use crate::failure::{Failure, Outcome};
use crate::model_file;
use crate::number::positive;
use clap::{Args, ValueEnum};
use selvedge_ltl::buchi::{Limits, Translator};
use selvedge_ltl::nnf::{FormulaArena, Nnf, Reading};
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::{Names, parse};
use selvedge_ltl::{Alphabet, Formula, Prop};
use std::io::{Read, Write};

/// Look at a formula of linear temporal logic.
///
/// Without further options: its normal form, its class, whether it is stutter-invariant, satisfiable and valid.
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
    automaton: Option<Kind>,

    /// With --automaton buchi: one acceptance condition, on the states, as the field's older tools expect
    #[arg(long, requires = "automaton")]
    state_based: bool,

    /// How to print it
    #[arg(long, default_value = "text")]
    format: Format,

    /// Decide whether another formula is equivalent; if not, show a word that tells them apart
    #[arg(long, value_name = "OTHER", conflicts_with = "trace")]
    equals: Option<String>,

    /// Evaluate on a word, with the truth of each subformula: steps separated by `;`, then perhaps `cycle{…}`;
    /// propositions that a step does not name are false in it. A note tells which ones only the formula names, or only
    /// the word
    #[arg(long, value_name = "WORD")]
    trace: Option<String>,

    /// The most states that an automaton may have while it is built
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    #[arg(value_parser = positive::<usize>, allow_negative_numbers = true)]
    max_states: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
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

pub(crate) fn run(arguments: &Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let text = match arguments.formula.as_str() {
        "-" => standard_input()?,
        given => given.to_owned(),
    };
    let mut question = Question::new(&text, arguments)?;
    if arguments.automaton.is_none() && !matches!(arguments.format, Format::Text | Format::Json) {
        return Err(Failure::Usage("--format dot, hoa or svg needs --automaton finite or buchi".to_owned()));
    }
    if let Some(kind) = arguments.automaton {
        return automaton::run(&mut question, kind, arguments, output);
    }
    if let Some(other) = &arguments.equals {
        return equals::run(&mut question, other, arguments.format, output);
    }
    if let Some(word) = &arguments.trace {
        return trace::run(&mut question, word, arguments.format, output);
    }
    analysis::run(&mut question, arguments.format, output)
}

/// A formula and what is needed to answer questions about it.
struct Question {
    formula: Formula<String>,
    numbered: Formula<Prop>,
    alphabet: Alphabet<String>,
    translator: Translator,
    nnf: Nnf,
    reading: Reading,
    limits: Limits,
}

impl Question {
    fn new(text: &str, arguments: &Arguments) -> Result<Question, Failure> {
        let limits = Limits { states: arguments.max_states, ..Limits::default() };
        let mut alphabet = Alphabet::default();
        let (formula, numbered) = read_formula("<formula>", text, &mut alphabet)?;
        let mut translator = Translator::new(FormulaArena::default(), limits);
        let nnf = translator.arena.formula(&numbered);
        let reading = if arguments.finite { Reading::Finite } else { Reading::Infinite };
        Ok(Question { formula, numbered, alphabet, translator, nnf, reading, limits })
    }

    /// A formula of the store as text.
    fn show(&self, formula: Nnf) -> String {
        let named =
            self.translator.arena.to_formula(formula).map(&mut |prop| self.alphabet.name(*prop).clone());
        named.to_string()
    }
}

fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let name = "standard input";
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(model_file::text(name, bytes)?.text)
}

/// Parses a formula and numbers its propositions.
fn read_formula(
    name: &str,
    text: &str,
    alphabet: &mut Alphabet<String>,
) -> Result<(Formula<String>, Formula<Prop>), Failure> {
    let refuse = |diagnostics| Failure::Input(Source::new(name, text), diagnostics);
    let formula = parse(text, &Names).into_result().map_err(refuse)?;
    let numbered =
        alphabet.number(&formula).map_err(|error| Failure::Usage(format!("the formula has {error}")))?;
    Ok((formula, numbered))
}
