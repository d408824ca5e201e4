//! What the arguments of `selvedge graph` mean.

use super::arguments::{Arguments, DrawingKind, Format};
use crate::check::SearchPlan;
use crate::failure::Failure;
use crate::model_file::ReadPlan;
use crate::option_values::FairnessOption;
use selvedge_lang::Language;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to draw, and where the drawing goes.
pub(super) struct GraphPlan {
    pub(super) file: PathBuf,
    pub(super) reading: ReadPlan,
    pub(super) drawing: Drawing,
    pub(super) max_nodes: usize,
    pub(super) format: Format,
    /// Standard output if there is none.
    pub(super) output: Option<PathBuf>,
}

/// What to draw.
pub(super) enum Drawing {
    /// The flow graphs of these processes; of all if none is named.
    FlowGraphs { processes: Vec<String> },
    /// The states, with the propositions of the property that hold in them.
    States { property: Option<PropertyChoice>, is_exact: bool },
    /// The automaton of the property's negation.
    Automaton { property: Option<PropertyChoice> },
    /// The product of the states with that automaton.
    Product { property: Option<PropertyChoice>, is_exact: bool },
    /// A run that violates the property, found by this search.
    Counterexample { property: Option<PropertyChoice>, search: SearchPlan },
}

/// The property that a drawing is about.
pub(super) enum PropertyChoice {
    /// The property of the file with this name.
    Named(String),
    /// A formula of the command line.
    Formula(String),
}

impl GraphPlan {
    /// Refuses options that the drawing has no use for.
    pub(super) fn new(arguments: Arguments) -> Result<GraphPlan, Failure> {
        let kind = arguments.of.unwrap_or_else(|| default_kind(&arguments.file));
        refuse_useless_options(&arguments, kind)?;
        let format = choose_format(arguments.format, arguments.output.as_deref())?;
        let property = match (arguments.property, arguments.ltl) {
            (Some(name), _) => Some(PropertyChoice::Named(name)),
            (None, Some(text)) => Some(PropertyChoice::Formula(text)),
            (None, None) => None,
        };
        let is_exact = arguments.exact;
        let drawing = match kind {
            DrawingKind::Flow => Drawing::FlowGraphs { processes: arguments.process },
            DrawingKind::States => Drawing::States { property, is_exact },
            DrawingKind::Automaton => Drawing::Automaton { property },
            DrawingKind::Product => Drawing::Product { property, is_exact },
            DrawingKind::Counterexample => {
                let mut search = SearchPlan {
                    is_exact,
                    is_reduced: !is_exact,
                    fairness: arguments.fair.into(),
                    ..SearchPlan::default()
                };
                search.limits.time = arguments.timeout.map(Duration::from_secs);
                Drawing::Counterexample { property, search }
            }
        };
        Ok(GraphPlan {
            file: arguments.file,
            reading: ReadPlan { settings: arguments.settings, erlang: arguments.erlang.into() },
            drawing,
            max_nodes: arguments.max_nodes,
            format,
            output: arguments.output,
        })
    }
}

/// The drawings that use a property.
const USE_PROPERTY: &[DrawingKind] =
    &[DrawingKind::States, DrawingKind::Automaton, DrawingKind::Product, DrawingKind::Counterexample];

/// The drawings that have states of the program.
const HAVE_STATES: &[DrawingKind] = &[DrawingKind::States, DrawingKind::Product, DrawingKind::Counterexample];

/// Flow graphs, unless the language of the file has none.
fn default_kind(file: &Path) -> DrawingKind {
    match Language::of_file(&file.to_string_lossy()) {
        Language::Parallel | Language::Flow => DrawingKind::Flow,
        Language::Erlang => DrawingKind::States,
    }
}

fn refuse_useless_options(arguments: &Arguments, kind: DrawingKind) -> Result<(), Failure> {
    let options = [
        ("--process", !arguments.process.is_empty(), [DrawingKind::Flow].as_slice()),
        ("--property", arguments.property.is_some(), USE_PROPERTY),
        ("--ltl", arguments.ltl.is_some(), USE_PROPERTY),
        ("--exact", arguments.exact, HAVE_STATES),
        ("--fair", arguments.fair != FairnessOption::None, &[DrawingKind::Counterexample]),
        ("--timeout", arguments.timeout.is_some(), &[DrawingKind::Counterexample]),
    ];
    for (option, is_given, users) in options {
        if is_given && !users.contains(&kind) {
            let users: Vec<String> =
                users.iter().map(|kind| format!("{kind:?}").to_ascii_lowercase()).collect();
            return Err(Failure::Usage(format!("{option} is for --of {}", users.join(", "))));
        }
    }
    Ok(())
}

/// The given format, or else that of the output file's extension.
fn choose_format(format: Option<Format>, output: Option<&Path>) -> Result<Format, Failure> {
    match (format, output) {
        (Some(format), _) => Ok(format),
        (None, Some(file)) => format_of_extension(file),
        (None, None) => Ok(Format::Dot),
    }
}

fn format_of_extension(file: &Path) -> Result<Format, Failure> {
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
}
