//! Violations and verdicts, as text and as JSON.

use super::arguments::Format;
use super::column;
use super::formula::LogFormula;
use super::input::Line;
use super::judge::{FormulaReport, Judge};
use super::plan::WatchPlan;
use super::record::BadRecord;
use crate::failure::Failure;
use crate::phrases::format_count;
use crate::standard_error::print_note;
use selvedge_ltl::progression::Verdict;
use selvedge_monitor::{SliceViolation, StepCause};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Writes violations as they fall, and the verdicts.
pub(super) struct Reporter<'p, 'o> {
    plan: &'p WatchPlan,
    output: &'o mut dyn Write,
    skipped: u64,
}

/// The place of a mistake in a log, and the mistake: `log.jsonl:3:14: message`.
pub(super) fn place(input_name: &str, line: &Line<'_>, bad: &BadRecord) -> String {
    let column = bad.at.map_or(String::new(), |at| format!(":{}", column(line, at)));
    format!("{input_name}:{}{column}: {}", line.number, bad.message)
}

impl<'p, 'o> Reporter<'p, 'o> {
    pub(super) fn new(plan: &'p WatchPlan, output: &'o mut dyn Write) -> Reporter<'p, 'o> {
        Reporter { plan, output, skipped: 0 }
    }

    /// A line is skipped; the first one is told.
    #[cold]
    pub(super) fn skip(&mut self, input_name: &str, line: &Line<'_>, bad: &BadRecord) {
        if self.skipped == 0 {
            print_note(&format!("the first line that is skipped: {}", place(input_name, line, bad)));
        }
        self.skipped += 1;
    }

    /// Writes a violation, so that it can be read at once.
    pub(super) fn violation(&mut self, index: usize, violation: &SliceViolation) -> Result<(), Failure> {
        let (name, formula) = &self.plan.formulas[index];
        match self.plan.format {
            Format::Text => write_violation(formula, violation, self.output)?,
            Format::Json => writeln!(self.output, "{}", violation_json(name, formula, violation))?,
        }
        Ok(self.output.flush()?)
    }

    /// Writes the verdicts; returns the worst of them.
    pub(super) fn finish(
        self,
        judge: &mut Judge,
        unknown: &[String],
        limit: Option<&str>,
    ) -> Result<Option<Verdict>, Failure> {
        let reports = judge.reports();
        match self.plan.format {
            Format::Text => write_text(self.plan, judge.line_count, self.skipped, &reports, self.output)?,
            Format::Json => {
                let formulas = self.plan.formulas.iter().zip(&reports);
                let object = json!({
                    "event": "report",
                    "file": self.plan.input_name,
                    "lines": judge.line_count,
                    "skipped": self.skipped,
                    "formulas": formulas.map(|((name, formula), report)| formula_json(name, formula, report))
                        .collect::<Vec<_>>(),
                    "unknown": unknown,
                    "limit": limit,
                });
                writeln!(self.output, "{object}")?;
            }
        }
        let verdicts: Vec<Verdict> = reports.iter().filter_map(|report| report.slices.verdict).collect();
        let worse = [Verdict::False, Verdict::PresumablyFalse, Verdict::PresumablyTrue, Verdict::True];
        Ok(worse.into_iter().find(|verdict| verdicts.contains(verdict)))
    }
}

fn write_violation(
    formula: &LogFormula,
    violation: &SliceViolation,
    output: &mut dyn Write,
) -> std::io::Result<()> {
    let slice = binding_text(formula, &violation.key).map_or(String::new(), |binding| format!(", {binding}"));
    writeln!(output, "line {}{slice}: violated: {}", violation.line, formula.text)?;
    if violation.is_cut {
        writeln!(output, "    ...")?;
    }
    for (step, (held, left)) in violation.steps.iter().zip(&violation.names) {
        let held = if held.is_empty() { "no test holds".to_owned() } else { held.join(", ") };
        let before = if step.cause == StepCause::Clock { "before line" } else { "line" };
        writeln!(output, "    {before} {}: {held}", step.line)?;
        writeln!(output, "        left: {left}")?;
    }
    Ok(())
}

fn write_text(
    plan: &WatchPlan,
    lines: u64,
    skipped: u64,
    reports: &[FormulaReport],
    output: &mut dyn Write,
) -> std::io::Result<()> {
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    writeln!(output, "{}: {}{skipped}", plan.input_name, format_count(lines, "line"))?;
    let width = |text: &dyn Fn(usize) -> usize| (0..reports.len()).map(text).max().unwrap_or(0);
    let words = width(&|index| word(reports[index].slices.verdict).len());
    let names = width(&|index| plan.formulas[index].0.len());
    for ((name, formula), FormulaReport { slices, vacuous }) in plan.formulas.iter().zip(reports) {
        write!(output, "  {:words$}  {name:names$}  {}", word(slices.verdict), formula.text)?;
        if formula.is_sliced() {
            let of = format_count(slices.slices, "slice");
            let example = slices.example.as_ref().and_then(|key| binding_text(formula, key));
            let example = example.map_or(String::new(), |example| format!(", such as {example}"));
            let at_most = if slices.is_at_most { "at most " } else { "" };
            write!(output, "  [{} of {at_most}{of}{example}]", slices.count)?;
        }
        if let Some(condition) = vacuous {
            write!(output, "  (vacuous: `{condition}` never happened)")?;
        }
        writeln!(output)?;
        if let (Some(Verdict::PresumablyFalse), Some(left)) = (slices.verdict, &slices.remainder) {
            writeln!(output, "  {:words$}  {:names$}  left: {left}", "", "")?;
        }
    }
    Ok(())
}

/// The verdict in words.
fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "no line",
        Some(Verdict::True) => "proven",
        Some(Verdict::PresumablyTrue) => "presumably true",
        Some(Verdict::PresumablyFalse) => "presumably false",
        Some(Verdict::False) => "violated",
    }
}

/// `r = 3, u = "ann"`; `None` if the formula has no variables.
fn binding_text(formula: &LogFormula, key: &[u8]) -> Option<String> {
    let pairs = formula.binding(key)?.into_iter().map(|(name, value)| format!("{name} = {value}"));
    Some(pairs.collect::<Vec<_>>().join(", "))
}

/// `{"r": 3, "u": "ann"}`; null if the formula has no variables.
fn binding_json(formula: &LogFormula, key: &[u8]) -> Value {
    let Some(pairs) = formula.binding(key) else { return Value::Null };
    // Keys are written as JSON.
    let value = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
    let object: Map<String, Value> =
        pairs.into_iter().map(|(name, text)| (name.to_owned(), value(text))).collect();
    Value::Object(object)
}

fn violation_json(name: &str, formula: &LogFormula, violation: &SliceViolation) -> Value {
    let steps = violation.steps.iter().zip(&violation.names).map(|(step, (held, left))| {
        let cause = match step.cause {
            StepCause::Line => "line",
            StepCause::Clock => "clock",
        };
        json!({"line": step.line, "cause": cause, "holds": held, "left": left})
    });
    json!({
        "event": "violation",
        "name": name,
        "formula": formula.text,
        "line": violation.line,
        "slice": binding_json(formula, &violation.key),
        "steps": steps.collect::<Vec<_>>(),
        "is_cut": violation.is_cut,
    })
}

fn formula_json(name: &str, formula: &LogFormula, report: &FormulaReport) -> Value {
    let FormulaReport { slices, vacuous } = report;
    let example = slices.example.as_ref().map_or(Value::Null, |key| binding_json(formula, key));
    json!({
        "name": name,
        "formula": formula.text,
        "verdict": word(slices.verdict).replace(' ', "-"),
        "slices": formula.is_sliced().then_some(slices.slices),
        "is_at_most": formula.is_sliced().then_some(slices.is_at_most),
        "count": formula.is_sliced().then_some(slices.count),
        "example": example,
        "left": slices.remainder,
        "vacuous": vacuous,
    })
}
