//! `selvedge watch`: formulas on the lines of a log.
//!
//! A line is a state. The fields that formulas mention are read from it ([`record`]), the atoms of the
//! formulas are evaluated ([`formula`]), and every formula is progressed, slice by slice ([`judge`], over
//! [`selvedge_monitor::Slices`]). Violations are written as they fall, verdicts at the end ([`report`]).

mod arguments;
mod formula;
mod help;
mod input;
mod judge;
mod plan;
mod progress;
mod record;
mod report;
mod time;

pub(crate) use arguments::Arguments;

use crate::failure::{Failure, Outcome};
use crate::phrases::join_names;
use crate::standard_error::print_note;
use input::{Line, LineReader};
use judge::{Judge, LineError};
use plan::WatchPlan;
use progress::Progress;
use report::Reporter;
use selvedge_ltl::progression::Verdict;
use std::io::Write;

/// Watches the log. The answer is yes if every formula holds on the log as far as it goes.
pub(crate) fn run(arguments: Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let plan = WatchPlan::new(arguments)?;
    let mut lines = LineReader::open(&plan)?;
    let mut judge = Judge::new(&plan);
    let mut reporter = Reporter::new(&plan, output);
    let mut progress = Progress::default();
    let mut limit = None;
    while let Some(line) = lines.next_line()? {
        let result = judge.line(&line);
        if judge.has_violations() {
            judge.take_violations(|formula, violation| reporter.violation(formula, violation))?;
        }
        match result {
            Ok(()) => {}
            Err(LineError::Limit(error)) => {
                limit = Some(error);
                break;
            }
            Err(LineError::Bad(bad)) if plan.is_lenient => reporter.skip(&plan.input_name, &line, &bad),
            Err(LineError::Bad(bad)) => {
                progress.clear();
                return Err(Failure::Usage(report::place(&plan.input_name, &line, &bad)));
            }
        }
        progress.line(line.number);
    }
    progress.clear();
    if lines.is_cut_short() {
        print_note("the last line is not complete, and is not judged");
    }
    finish(&plan, judge, reporter, limit.map(|error| error.to_string()))
}

/// Writes the verdicts; the exit code.
fn finish(
    plan: &WatchPlan,
    mut judge: Judge,
    reporter: Reporter<'_, '_>,
    limit: Option<String>,
) -> Result<Outcome, Failure> {
    let unknown = judge.unknown_fields();
    let worst = reporter.finish(&mut judge, &unknown, limit.as_deref())?;
    if let Some(limit) = limit.filter(|_| worst != Some(Verdict::False)) {
        return Err(Failure::Limit(format!("{limit}; --max-slices raises it")));
    }
    if !unknown.is_empty() {
        let quoted: Vec<String> = unknown.iter().map(|field| format!("`{field}`")).collect();
        let names = join_names(quoted.iter().map(String::as_str));
        let known = join_names(judge.first_names().iter().map(String::as_str));
        let message =
            format!("{}: no line has the field {names}; the first line has: {known}", plan.input_name);
        if !plan.is_lenient {
            return Err(Failure::Usage(message));
        }
        print_note(&message);
    }
    let fails = matches!(worst, Some(Verdict::False | Verdict::PresumablyFalse));
    Ok(Outcome::from(!fails))
}

/// A line of text, for messages.
fn column(line: &Line<'_>, at: usize) -> usize {
    let before = &line.bytes[..at.min(line.bytes.len())];
    String::from_utf8_lossy(before).chars().count() + 1
}
