//! `selvedge check`: every property of a model, on every state; or on some runs of it ([`simulate`]).

mod arguments;
mod checkpoint;
mod decide;
mod doubt;
mod early;
mod found_failures;
mod help;
mod invariant;
mod invariant_pass;
mod json;
mod limit_text;
mod plan;
mod progress;
mod rendered_run;
mod scheduler_name;
mod search_plan;
mod simulate;
mod text;
mod told_run;
#[cfg(test)]
pub(crate) mod toy;
mod trace_table;
#[cfg(test)]
mod uncertain_tests;
mod verdict;

pub(crate) use arguments::Arguments;
pub(crate) use decide::{Decision, decide_property};
pub(crate) use limit_text::ReachedLimit;
pub(crate) use search_plan::SearchPlan;

use crate::debug::{self, FrontEnd};
use crate::failure::{Failure, Outcome};
use crate::interruption;
use crate::model_file::{self, ModelCommand};
use crate::option_values::option_name;
use arguments::Format;
use checkpoint::CheckpointFile;
use found_failures::FoundFailures;
use plan::{CheckPlan, PropertySelection};
use selvedge_lang::{Language, Program, Property};
use selvedge_ltl::source::Source;
use std::io::Write;
use std::path::Path;
use verdict::{CheckedProperty, PropertyVerdict};

/// Checks the models. The answer is yes if every property holds, or turns out as its `expect` says.
pub(crate) fn run(arguments: Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let plan = CheckPlan::new(arguments)?;
    if plan.debug.is_none() {
        interruption::note_signals();
    }
    match &plan.simulation {
        Some(simulation) => simulate::run(&plan, simulation, output),
        None => check_files(&plan, output),
    }
}

fn check_files(plan: &CheckPlan, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut all_as_expected = true;
    let mut any_limited = false;
    for file in &plan.files {
        if interruption::is_asked_for() {
            any_limited = true;
            break;
        }
        let summary = check_file(file, plan, output)?;
        all_as_expected &= summary.is_as_expected;
        any_limited |= summary.is_limited;
    }
    if any_limited && all_as_expected && interruption::is_asked_for() {
        let message = "not every state was looked at; nothing unexpected so far";
        return Err(Failure::Interrupted(message.to_owned()));
    }
    if any_limited && all_as_expected {
        return Err(Failure::Limit("not every state was looked at; nothing unexpected so far".to_owned()));
    }
    Ok(Outcome::from(all_as_expected))
}

/// The result of one file.
struct FileSummary {
    /// No verdict differs from what is expected, and no failure was found.
    is_as_expected: bool,
    /// A limit stopped a search.
    is_limited: bool,
}

fn check_file(file: &Path, plan: &CheckPlan, output: &mut dyn Write) -> Result<FileSummary, Failure> {
    let source = model_file::read(file)?;
    let Some(path) = &plan.checkpoint else { return check_source(&source, plan, output) };
    if Language::of_file(&source.name) == Language::Erlang {
        let message = "--checkpoint is not for Erlang: its states are known to their own process alone";
        return Err(Failure::Usage(message.to_owned()));
    }
    let checkpoint = CheckpointFile::open(path, &plan.about(&source.text))?;
    let checkpoint = plan.search.checkpoint.get_or_init(|| checkpoint);
    let summary = check_source(&source, plan, output)?;
    checkpoint.end(summary.is_limited);
    Ok(summary)
}

fn check_source(source: &Source, plan: &CheckPlan, output: &mut dyn Write) -> Result<FileSummary, Failure> {
    model_file::with_program(source, &plan.reading, CheckModel { source, plan, output })
}

/// The command on one model.
struct CheckModel<'p, 'o> {
    source: &'p Source,
    plan: &'p CheckPlan,
    output: &'o mut dyn Write,
}

impl ModelCommand for CheckModel<'_, '_> {
    type Answer = FileSummary;

    fn run<P: Program>(self, program: P) -> Result<FileSummary, Failure> {
        match &self.plan.debug {
            Some(front_end) => debug_program(program, self.source, self.plan, front_end, self.output),
            None => check_program(&program, self.source, self.plan, self.output),
        }
    }
}

/// Opens a counterexample in the debugger.
fn debug_program<P: Program>(
    program: P,
    source: &Source,
    plan: &CheckPlan,
    front_end: &FrontEnd,
    output: &mut dyn Write,
) -> Result<FileSummary, Failure> {
    let properties = select_properties(&program, source, &plan.properties)?;
    debug::open_counterexample(program, &properties, source, &plan.search, front_end, output)?;
    Ok(FileSummary { is_as_expected: true, is_limited: false })
}

fn check_program<P: Program>(
    program: &P,
    source: &Source,
    plan: &CheckPlan,
    output: &mut dyn Write,
) -> Result<FileSummary, Failure> {
    let (mut checked, mut failures) = search_program(program, source, plan)?;
    let mut wider = program.wider();
    while let Some(program) = wider {
        // A formula over more processes may be too large; then the limit of the search before stands.
        let Ok(found) = search_program(&program, source, plan) else { break };
        (checked, failures) = found;
        wider = program.wider();
    }
    progress::clear();
    match plan.search.format {
        Format::Json => json::write(&source.name, &mut checked, failures.as_ref(), output)?,
        Format::Text => {
            text::write(&source.name, &checked, failures.as_ref(), plan.fails_on_deadlock, output)?;
        }
    }
    let failures = failures.unwrap_or_default();
    let is_wrong = |checked: &CheckedProperty| !checked.is_as_expected() && !checked.is_limited();
    Ok(FileSummary {
        is_as_expected: !checked.iter().any(is_wrong) && !failures.is_failure(plan.fails_on_deadlock),
        is_limited: failures.limit.is_some() || checked.iter().any(CheckedProperty::is_limited),
    })
}

/// The verdict of each property, and the failures that a search of all states finds.
fn search_program<P: Program>(
    program: &P,
    source: &Source,
    plan: &CheckPlan,
) -> Result<(Vec<CheckedProperty>, Option<FoundFailures>), Failure> {
    let properties = select_properties(program, source, &plan.properties)?;
    let pass = invariant_pass::run(program, &properties, plan)?;
    let mut checked = Vec::new();
    for (property, decided) in properties.iter().zip(pass.checked) {
        checked.push(match decided {
            Some(checked) => checked,
            None => {
                let checked = decide::check_property(program, property, &plan.search)?;
                note_early(&checked, &plan.search);
                checked
            }
        });
    }
    Ok((checked, pass.failures))
}

/// Notes that a property is violated, if it is: other properties may take long.
fn note_early(checked: &CheckedProperty, search: &SearchPlan) {
    match checked.verdict {
        PropertyVerdict::Violated(_) => search.early.note(format!("{} is violated", checked.name)),
        PropertyVerdict::MayBeViolated(..) => search.early.note(format!("{} may be violated", checked.name)),
        PropertyVerdict::Holds { .. } | PropertyVerdict::Limited(_) => {}
    }
}

/// The properties of the selection: those of the file, some of them, or formulas of the command line.
fn select_properties<P: Program>(
    program: &P,
    source: &Source,
    selection: &PropertySelection,
) -> Result<Vec<Property<P::Atom>>, Failure> {
    let properties = program.properties();
    match selection {
        PropertySelection::All => Ok(properties.to_vec()),
        PropertySelection::Named(names) => {
            for name in names {
                model_file::find_property(program, source, name)?;
            }
            let named = properties.iter().filter(|property| names.contains(&property.name));
            Ok(named.cloned().collect())
        }
        PropertySelection::Given { formulas, invariants } => {
            let numbered = formulas.iter().enumerate();
            let given = numbered
                .map(|(index, text)| {
                    model_file::parse_property(program, option_name("--ltl", index, formulas), text)
                })
                .collect::<Result<Vec<_>, Failure>>()?;
            Ok([given, invariant::properties(program, invariants)?].concat())
        }
    }
}
