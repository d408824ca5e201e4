//! `selvedge check`: every property of a model, on every state.

mod chooser;
mod ends;
mod help;
mod invariant;
mod json;
mod one;
mod pass;
mod progress;
mod simulate;
mod story;
mod verdict;

pub(crate) use one::check_one;

use crate::failure::{Failure, Outcome};
use crate::model_file::{self, Fair};
use crate::number::{number, positive, read_setting};
use clap::{Args, ValueEnum};
use selvedge_lang::parallel::{Program, Property};
use selvedge_ltl::source::Source;
use selvedge_model::workers::MAX_WORKERS;
use selvedge_model::{Fairness, Limits};
use simulate::counted;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use verdict::{Checked, Surveyed};

/// Check the properties of models: on every state, along every run.
#[derive(Args)]
#[command(after_help = help::AFTER)]
pub(crate) struct Arguments {
    /// The models, `.par` and `.flow` files
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Check this formula instead of the file's properties; may be given several times. Run-time errors are
    /// listed too; deadlocks only with --deadlock, or where the model can have run-time errors
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,

    /// Check instead that this, without operators of time, holds in every reachable state; may be given several times,
    /// and together with --ltl
    #[arg(long, value_name = "TEST")]
    invariant: Vec<String>,

    /// Check only the properties of these names. Run-time errors are listed too; deadlocks only with --deadlock, or where
    /// the model can have run-time errors
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ltl", "invariant"])]
    property: Vec<String>,

    /// Only count runs in which no process is passed over for ever
    #[arg(long, default_value = "none")]
    fair: Fair,

    /// A deadlock is a failure
    #[arg(long)]
    deadlock: bool,

    /// States exactly as in the lecture: who moved last is always part of them
    #[arg(long)]
    exact: bool,

    /// Take every step in every state. Otherwise some orders of independent steps stand for all, where that is sound: with
    /// formulas that do not see how often a state repeats, without `exec` and without fairness. Verdicts, deadlocks and
    /// errors are the same; paths are then short, not always shortest
    #[arg(long)]
    no_reduction: bool,

    /// Give a constant of the model another value, as in N=5
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = read_setting)]
    settings: Vec<(String, i64)>,

    /// So many threads share the work. With one, a counterexample is the same every time; with several, that of a property
    /// that is no invariant may be another one. Strong fairness is one thread's work
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number::<u8>(1..=MAX_WORKERS as u64), allow_negative_numbers = true)]
    workers: u8,

    /// Stop when there would be more than so many states
    #[arg(long, value_name = "N", value_parser = positive::<usize>, allow_negative_numbers = true)]
    max_states: Option<usize>,

    /// Stop when the search uses so many MiB
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    #[arg(value_parser = positive::<usize>, allow_negative_numbers = true)]
    max_memory: usize,

    /// Stop a search after so many seconds, at least 1
    #[arg(long, value_name = "SECONDS", value_parser = positive::<u64>, allow_negative_numbers = true)]
    timeout: Option<u64>,

    /// Store states of several words as trees of shared pairs: less memory, more time. With several workers there are
    /// 64 tables, whose pairs are not shared among them
    #[arg(long)]
    compress: bool,

    /// How to print the results
    #[arg(long, default_value = "text")]
    format: Format,

    #[command(flatten)]
    simulation: simulate::SimulateArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Text,
    /// For programs: one object a file
    Json,
}

impl Arguments {
    fn fairness(&self) -> Fairness {
        self.fair.into()
    }

    fn limits(&self) -> Limits {
        Limits {
            states: self.max_states,
            bytes: Some(self.max_memory.saturating_mul(1024 * 1024)),
            time: self.timeout.map(Duration::from_secs),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    if arguments.simulation.is_wanted() {
        return simulate::run(arguments, output);
    }
    let mut all = Outcome::Yes;
    let mut limited = false;
    for file in &arguments.files {
        let summary = check_file(file, arguments, output)?;
        if !summary.as_it_should {
            all = Outcome::No;
        }
        limited |= summary.limited;
    }
    if limited && all == Outcome::Yes {
        return Err(Failure::Limit("not every state was looked at; nothing unexpected so far".to_owned()));
    }
    Ok(all)
}

/// How a file turned out.
struct Summary {
    as_it_should: bool,
    limited: bool,
}

fn check_file(file: &Path, arguments: &Arguments, output: &mut dyn Write) -> Result<Summary, Failure> {
    let source = model_file::read(file)?;
    let program = model_file::load(&source, &arguments.settings)?;
    let properties = chosen(&program, &source, arguments)?;
    let pass = pass::run(&program, &properties, arguments)?;
    let surveyed = pass.surveyed;
    let mut checked = Vec::new();
    for (property, decided) in properties.iter().zip(pass.checked) {
        checked.push(match decided {
            Some(checked) => checked,
            None => verdict::check(&program, property, arguments)?,
        });
    }
    progress::clear();
    match arguments.format {
        Format::Json => json::write(&source.name, &checked, surveyed.as_ref(), output)?,
        Format::Text => write_text(&source.name, &checked, surveyed.as_ref(), arguments, output)?,
    }
    let surveyed = surveyed.unwrap_or_default();
    let wrong = checked.iter().any(|checked| !checked.is_as_it_should() && !checked.is_limited());
    let stuck = arguments.deadlock && surveyed.deadlock_count > 0;
    Ok(Summary {
        as_it_should: !wrong && !stuck && surveyed.errors.is_empty(),
        limited: surveyed.limit.is_some() || checked.iter().any(Checked::is_limited),
    })
}

/// The properties that are asked for: the file's, some of them, or those of the command line.
fn chosen(program: &Program, source: &Source, arguments: &Arguments) -> Result<Vec<Property>, Failure> {
    if arguments.ltl.is_empty() && arguments.invariant.is_empty() {
        for name in &arguments.property {
            model_file::property(program, source, name)?;
        }
        let all = program.properties().iter();
        let wanted = |property: &&Property| {
            arguments.property.is_empty() || arguments.property.contains(&property.name)
        };
        return Ok(all.filter(wanted).cloned().collect());
    }
    let numbered = arguments.ltl.iter().enumerate();
    let formulas = numbered
        .map(|(index, text)| {
            let name =
                if arguments.ltl.len() == 1 { "--ltl".to_owned() } else { format!("--ltl {}", index + 1) };
            model_file::formula(program, name, text)
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok([formulas, invariant::properties(program, &arguments.invariant)?].concat())
}

fn write_text(
    name: &str,
    checked: &[Checked],
    surveyed: Option<&Surveyed>,
    arguments: &Arguments,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    writeln!(output, "{name}")?;
    let nothing = Surveyed::default();
    let surveyed = surveyed.unwrap_or(&nothing);
    let width = checked.iter().map(|checked| checked.name.chars().count()).max().unwrap_or(0);
    for checked in checked {
        writeln!(output, "  {:width$}  {}", checked.name, checked.line())?;
        if let Some(never) = &checked.vacuous {
            writeln!(output, "  {:width$}  warning: it holds vacuously, since never `{never}`", "")?;
        }
    }
    if checked.is_empty() {
        writeln!(output, "  no properties; {}", counted(surveyed.states as u64, "state"))?;
    }
    if surveyed.deadlock_count > 0 {
        let failure = if arguments.deadlock { "" } else { " (--deadlock makes this a failure)" };
        let states = counted(surveyed.deadlock_count as u64, "deadlocked state");
        writeln!(output, "  {states}{failure}")?;
    }
    for checked in checked {
        if let Some(story) = &checked.story {
            writeln!(output, "\n{}: {}\n  is violated by this run:", checked.name, checked.formula)?;
            output.write_all(story.text.as_bytes())?;
        }
    }
    for (message, story) in surveyed.errors.iter().chain(&surveyed.deadlocks) {
        writeln!(output, "\n{message}:")?;
        output.write_all(story.text.as_bytes())?;
    }
    Ok(())
}
