//! `selvedge ltl --trace`: a word, step by step.

use super::{Format, Question};
use crate::failure::{Failure, Outcome};
use selvedge_ltl::definition::{past_depth, truth};
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::Names;
use selvedge_ltl::word::parse_word;
use selvedge_ltl::{Formula, Prop, Word};
use serde_json::json;
use std::io::Write;

pub(super) fn run(
    question: &mut Question,
    text: &str,
    format: Format,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let word = parse_word(text, &Names, &mut question.alphabet)
        .map_err(|diagnostics| Failure::Input(Source::new("<word>", text), diagnostics))?;
    if word.is_infinite() && question.reading == selvedge_ltl::nnf::Reading::Finite {
        return Err(Failure::Usage("--finite reads finite words: leave the cycle out".to_owned()));
    }
    // The past looks different in the first rounds of a cycle: as many are written out as it takes.
    let word = if word.is_infinite() { word.unrolled(past_depth(&question.numbered)) } else { word };
    let rows = rows(question, &word);
    let holds = rows.last().is_some_and(|(_, values)| values[0]);
    if format == Format::Json {
        let rows: Vec<_> =
            rows.iter().map(|(name, values)| json!({"formula": name, "values": values})).collect();
        let cycle = word.is_infinite().then_some(word.prefix.len());
        writeln!(output, "{}", json!({"holds": holds, "cycle_starts_at": cycle, "subformulas": rows}))?;
        return Ok(Outcome::from(holds));
    }
    write_table(&word, &rows, output)?;
    let verdict = if holds { "satisfies" } else { "violates" };
    writeln!(output, "\nthe word {verdict} the formula")?;
    Ok(Outcome::from(holds))
}

/// Each subformula once, operands first, with its truth at each position.
fn rows(question: &Question, word: &Word) -> Vec<(String, Vec<bool>)> {
    let mut seen: Vec<&Formula<Prop>> = Vec::new();
    collect(&question.numbered, &mut seen);
    let name =
        |formula: &Formula<Prop>| formula.map(&mut |prop| question.alphabet.name(*prop).clone()).to_string();
    seen.into_iter().map(|formula| (name(formula), truth(word, formula))).collect()
}

fn collect<'a>(formula: &'a Formula<Prop>, seen: &mut Vec<&'a Formula<Prop>>) {
    for child in formula.children() {
        collect(child, seen);
    }
    if !seen.contains(&formula) {
        seen.push(formula);
    }
}

fn write_table(word: &Word, rows: &[(String, Vec<bool>)], output: &mut dyn Write) -> std::io::Result<()> {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let cell = word.len().to_string().len().max(1);
    let cycle = word.prefix.len();
    let line = |cells: Vec<String>| {
        let mut line = String::new();
        for (position, text) in cells.into_iter().enumerate() {
            line.push_str(if word.is_infinite() && position == cycle { " |" } else { "  " });
            line.push_str(&format!("{text:>cell$}"));
        }
        line
    };
    let numbers = (0..word.len()).map(|position| position.to_string()).collect();
    let note = if word.is_infinite() { "   (from | on, for ever)" } else { "" };
    writeln!(output, "{:width$} {}{note}", "step", line(numbers))?;
    for (name, values) in rows {
        let values = values.iter().map(|value| if *value { "T" } else { "." }.to_owned()).collect();
        writeln!(output, "{name:width$} {}", line(values))?;
    }
    Ok(())
}
