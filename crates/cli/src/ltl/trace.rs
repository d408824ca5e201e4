//! `selvedge ltl --trace`: a word, step by step.
//!
//! What a step does not name is false in it, so a proposition that only the formula has, or only the word, is no mistake; a
//! note tells of it, for it may be a misspelt one.

use super::{Format, Question};
use crate::failure::{Failure, Outcome};
use crate::model_file::listed;
use crate::note::note;
use selvedge_ltl::semantics::{past_depth, truth_values};
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::Names;
use selvedge_ltl::word::parse_word;
use selvedge_ltl::{Alphabet, Formula, Prop, Word};
use serde_json::json;
use std::io::Write;

pub(super) fn run(
    question: &mut Question,
    text: &str,
    format: Format,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let of_formula = question.alphabet.names().to_vec();
    let word = read_word(text, &mut question.alphabet)?;
    if word.is_infinite() && question.reading == selvedge_ltl::nnf::Reading::Finite {
        return Err(Failure::Usage("--finite reads finite words: leave the cycle out".to_owned()));
    }
    let mut of_word = Alphabet::default();
    read_word(text, &mut of_word)?;
    tell_differences(&of_formula, of_word.names());
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

/// The word; propositions that are new are added to the alphabet.
fn read_word(text: &str, alphabet: &mut Alphabet<String>) -> Result<Word, Failure> {
    parse_word(text, &Names, alphabet)
        .map_err(|diagnostics| Failure::Input(Source::new("<word>", text), diagnostics))
}

/// Tells which propositions only the formula names, and which only the word.
fn tell_differences(of_formula: &[String], of_word: &[String]) {
    let missing = |names: &[String], others: &[String]| {
        let missing: Vec<String> =
            names.iter().filter(|name| !others.contains(name)).map(|name| format!("`{name}`")).collect();
        (!missing.is_empty()).then(|| listed(missing.iter().map(String::as_str)))
    };
    if let Some(names) = missing(of_formula, of_word) {
        note(&format!("not named in the word, so false in every step: {names}"));
    }
    if let Some(names) = missing(of_word, of_formula) {
        note(&format!("not named in the formula, so of no consequence: {names}"));
    }
}

/// Each subformula once, operands first, with its truth at each position.
fn rows(question: &Question, word: &Word) -> Vec<(String, Vec<bool>)> {
    let mut seen: Vec<&Formula<Prop>> = Vec::new();
    collect(&question.numbered, &mut seen);
    let name =
        |formula: &Formula<Prop>| formula.map(&mut |prop| question.alphabet.name(*prop).clone()).to_string();
    seen.into_iter().map(|formula| (name(formula), truth_values(word, formula))).collect()
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
    const TITLE: &str = "step";
    let names = rows.iter().map(|(name, _)| name.as_str()).chain([TITLE]);
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let cell = (word.len() - 1).to_string().len();
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
    writeln!(output, "{:width$} {}{note}", TITLE, line(numbers))?;
    for (name, values) in rows {
        let values = values.iter().map(|value| if *value { "T" } else { "." }.to_owned()).collect();
        writeln!(output, "{name:width$} {}", line(values))?;
    }
    Ok(())
}
