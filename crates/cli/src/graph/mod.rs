//! `selvedge graph`: drawings of models.
//!
//! `pictures` has one function for each kind of drawing; here is what is asked for, and where the drawing goes.

mod pictures;

use crate::drawing;
use crate::failure::{Failure, Outcome};
use crate::model_file::{self, Fair, ModelCommand};
use crate::note::note;
use crate::number::{positive, read_setting};
use clap::{Args, ValueEnum};
use pictures::Drawn;
use selvedge_lang::Program;
use selvedge_ltl::source::Source;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Draw a model: flow graphs, states, the automaton of a property, the product, a counterexample.
#[derive(Args)]
#[command(after_help = "\
What stands out: initial states have an arrow from nowhere; errors and deadlocks are red; the cycle of a counterexample \
and what is accepting in a product are blue; where steps were left out, a state is grey and ends in `…`. Marks of an \
automaton stand in braces. Values that are the same in all states are left out; the pointer shows all, in an SVG, \
with `-` for a value that does not matter, since nobody reads it before it is assigned.

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
    /// The model, a `.par` or `.flow` file
    file: PathBuf,

    /// What to draw
    #[arg(long, value_name = "WHAT", default_value = "flow")]
    of: Of,

    /// Draw the flow graphs of these processes only; may be given several times
    #[arg(long, value_name = "NAME")]
    process: Vec<String>,

    /// The property that the automaton, product or counterexample is of; with --of states, show what of it holds where
    #[arg(long, value_name = "NAME")]
    property: Option<String>,

    /// The same for a formula that is not in the file
    #[arg(long, value_name = "FORMULA", conflicts_with = "property")]
    ltl: Option<String>,

    /// With --of counterexample: only count runs in which no process is passed over for ever
    #[arg(long, default_value = "none")]
    fair: Fair,

    /// States exactly as in the lecture: who moved last is always part of them
    #[arg(long)]
    exact: bool,

    /// Give a constant of the model another value, as in N=5
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = read_setting)]
    settings: Vec<(String, i64)>,

    /// Draw no more nodes than this; a drawing that is cut off says so
    #[arg(long, visible_alias = "max-states", value_name = "N", default_value_t = 200)]
    #[arg(value_parser = positive::<usize>, allow_negative_numbers = true)]
    max_nodes: usize,

    /// With --of counterexample: stop searching after so many seconds, at least 1
    #[arg(long, value_name = "SECONDS", value_parser = positive::<u64>, allow_negative_numbers = true)]
    timeout: Option<u64>,

    /// How to write it [default: as the output file's name says, otherwise dot]
    #[arg(long)]
    format: Option<Format>,

    /// Write to this file instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Of {
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
enum Format {
    /// Graphviz
    Dot,
    /// A picture that stands alone
    Svg,
    /// For programs
    Json,
}

pub(crate) fn run(arguments: &Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    arguments.refuse_what_makes_no_sense()?;
    let format = arguments.format()?;
    let source = model_file::read(&arguments.file)?;
    let command = Draw { source: &source, arguments };
    let Some(drawn) = model_file::with_program(&source, &arguments.settings, command)? else {
        return Ok(Outcome::No);
    };
    if let Some(cut) = &drawn.cut {
        note(cut);
    }
    let text = written(&drawn, format);
    match &arguments.output {
        None => output.write_all(text.as_bytes())?,
        Some(file) => std::fs::write(file, text)
            .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?,
    }
    Ok(Outcome::Yes)
}

struct Draw<'a> {
    source: &'a Source,
    arguments: &'a Arguments,
}

impl ModelCommand for Draw<'_> {
    /// `None` if there is nothing to draw.
    type Output = Option<Drawn>;

    fn run<P: Program>(self, program: &P) -> Result<Option<Drawn>, Failure> {
        let Draw { source, arguments } = self;
        match arguments.of {
            Of::Flow => pictures::flow(program, source, arguments).map(Some),
            Of::States => pictures::states(program, source, arguments).map(Some),
            Of::Automaton => pictures::automaton(program, source, arguments).map(Some),
            Of::Product => pictures::product(program, source, arguments).map(Some),
            Of::Counterexample => pictures::counterexample(program, source, arguments),
        }
    }
}

fn written(drawn: &Drawn, format: Format) -> String {
    match format {
        Format::Dot => drawn.graph.to_dot(),
        Format::Svg => drawn.graph.bundled().to_svg(),
        Format::Json => {
            let mut object = drawing::json(&drawn.graph);
            object["whole"] = Value::Bool(drawn.cut.is_none());
            format!("{object}\n")
        }
    }
}

impl Arguments {
    /// The format that is asked for, or else that of the output file's name.
    fn format(&self) -> Result<Format, Failure> {
        let named = |file: &Path| {
            let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            match extension.as_str() {
                "dot" | "gv" => Ok(Format::Dot),
                "svg" => Ok(Format::Svg),
                "json" => Ok(Format::Json),
                _ => Err(Failure::Usage(format!(
                    "{} does not tell a format: name it .dot, .svg or .json, or give --format",
                    file.display()
                ))),
            }
        };
        match (self.format, &self.output) {
            (Some(format), _) => Ok(format),
            (None, Some(file)) => named(file),
            (None, None) => Ok(Format::Dot),
        }
    }

    fn refuse_what_makes_no_sense(&self) -> Result<(), Failure> {
        let given = [
            ("--process", !self.process.is_empty(), [Of::Flow].as_slice()),
            ("--property", self.property.is_some(), PROPERTY),
            ("--ltl", self.ltl.is_some(), PROPERTY),
            ("--exact", self.exact, STATES),
            ("--fair", self.fair != Fair::None, &[Of::Counterexample]),
            ("--timeout", self.timeout.is_some(), &[Of::Counterexample]),
        ];
        for (option, _, sensible) in given.iter().filter(|(_, given, _)| *given) {
            if !sensible.contains(&self.of) {
                let sensible: Vec<String> =
                    sensible.iter().map(|of| format!("{of:?}").to_ascii_lowercase()).collect();
                return Err(Failure::Usage(format!("{option} is for --of {}", sensible.join(", "))));
            }
        }
        Ok(())
    }
}

/// The drawings that a property makes a difference to.
const PROPERTY: &[Of] = &[Of::States, Of::Automaton, Of::Product, Of::Counterexample];

/// Those that have states of the program.
const STATES: &[Of] = &[Of::States, Of::Product, Of::Counterexample];
