//! What the arguments of `selvedge ltl` mean: a parsed formula, and one question about it.

use super::evaluation::WordInput;
use super::formula_context::{FormulaContext, ParsedFormula};
use super::{Arguments, AutomatonKind, Format};
use crate::failure::Failure;
use crate::model_file;
use selvedge_ltl::buchi::Limits;
use selvedge_ltl::nnf::Reading;
use std::io::Read;

/// The formula, and the question about it.
pub(super) struct LtlPlan {
    pub(super) context: FormulaContext,
    pub(super) task: Task,
}

/// The question.
pub(super) enum Task {
    Analyse(ReportFormat),
    PrintAutomaton(AutomatonChoice, Format),
    Compare(ParsedFormula, ReportFormat),
    Evaluate(WordInput, ReportFormat),
}

/// The automaton to print.
#[derive(Clone, Copy)]
pub(super) enum AutomatonChoice {
    /// The smallest deterministic automaton on finite words.
    Finite,
    /// A Büchi automaton with generalised acceptance on its edges.
    Generalised,
    /// A Büchi automaton with one acceptance condition, on its states.
    StateBased,
}

/// How to print an answer that is no automaton.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportFormat {
    Text,
    Json,
}

impl LtlPlan {
    /// Parses the formulas and the word, and refuses options that contradict each other.
    pub(super) fn new(arguments: &Arguments) -> Result<LtlPlan, Failure> {
        let text = match arguments.formula.as_str() {
            "-" => read_standard_input()?,
            given => given.to_owned(),
        };
        let limits = Limits { states: arguments.max_states, ..Limits::default() };
        let reading = if arguments.finite { Reading::Finite } else { Reading::Infinite };
        let mut context = FormulaContext::new(&text, reading, limits)?;
        let task = Task::new(arguments, &mut context)?;
        Ok(LtlPlan { context, task })
    }
}

impl Task {
    /// Clap refuses two questions at once.
    fn new(arguments: &Arguments, context: &mut FormulaContext) -> Result<Task, Failure> {
        if let Some(kind) = arguments.automaton {
            return Ok(Task::PrintAutomaton(AutomatonChoice::new(kind, arguments)?, arguments.format));
        }
        let format = match arguments.format {
            Format::Text => ReportFormat::Text,
            Format::Json => ReportFormat::Json,
            Format::Dot | Format::Hoa | Format::Svg => {
                let message = "--format dot, hoa or svg needs --automaton finite or buchi";
                return Err(Failure::Usage(message.to_owned()));
            }
        };
        if let Some(other) = &arguments.equals {
            return Ok(Task::Compare(context.parse_other(other)?, format));
        }
        if let Some(word) = &arguments.trace {
            return Ok(Task::Evaluate(WordInput::parse(word, context)?, format));
        }
        Ok(Task::Analyse(format))
    }
}

impl AutomatonChoice {
    fn new(kind: AutomatonKind, arguments: &Arguments) -> Result<AutomatonChoice, Failure> {
        let contradiction = match (kind, arguments.state_based, arguments.finite) {
            (AutomatonKind::Finite, false, _) => return Ok(AutomatonChoice::Finite),
            (AutomatonKind::Buchi, false, false) => return Ok(AutomatonChoice::Generalised),
            (AutomatonKind::Buchi, true, false) => return Ok(AutomatonChoice::StateBased),
            (AutomatonKind::Finite, true, _) => "--state-based is for --automaton buchi",
            (AutomatonKind::Buchi, _, true) => {
                "--finite reads finite words, and --automaton buchi infinite ones; take --automaton finite"
            }
        };
        Err(Failure::Usage(contradiction.to_owned()))
    }
}

fn read_standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let name = "standard input";
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(model_file::decode(name, bytes)?.text)
}
