//! `selvedge ltl --trace`: the truth of each subformula at each step of a word.
//!
//! A proposition that a step does not name is false in it, so a proposition that only the formula has, or
//! only the word, is no error. A note lists such propositions, since the spelling may be wrong.

use super::formula_context::FormulaContext;
use super::plan::ReportFormat;
use crate::failure::{Failure, Outcome};
use crate::phrases::join_names;
use crate::standard_error::print_note;
use selvedge_ltl::nnf::Reading;
use selvedge_ltl::semantics::{past_depth, truth_values};
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::Names;
use selvedge_ltl::word::parse_word;
use selvedge_ltl::{Alphabet, Formula, Prop, Word};
use serde_json::json;
use std::io::Write;

/// The word of the command line.
pub(super) struct WordInput {
    /// Over the alphabet of the formula, extended.
    word: Word,
    /// The propositions that only the formula names.
    only_in_formula: Vec<String>,
    /// The propositions that only the word names.
    only_in_word: Vec<String>,
}

impl WordInput {
    /// New propositions are added to the alphabet.
    pub(super) fn parse(text: &str, context: &mut FormulaContext) -> Result<WordInput, Failure> {
        let of_formula = context.alphabet.names().to_vec();
        let word = parse_over(text, &mut context.alphabet)?;
        if word.is_infinite() && context.reading == Reading::Finite {
            return Err(Failure::Usage("--finite reads finite words: leave the cycle out".to_owned()));
        }
        let mut of_word = Alphabet::default();
        parse_over(text, &mut of_word)?;
        let only = |names: &[String], others: &[String]| -> Vec<String> {
            names.iter().filter(|name| !others.contains(name)).cloned().collect()
        };
        let only_in_formula = only(&of_formula, of_word.names());
        let only_in_word = only(of_word.names(), &of_formula);
        Ok(WordInput { word, only_in_formula, only_in_word })
    }
}

pub(super) fn run(
    context: &mut FormulaContext,
    input: WordInput,
    format: ReportFormat,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    print_note_of("not named in the word, so false in every step", &input.only_in_formula);
    print_note_of("not named in the formula, so of no consequence", &input.only_in_word);
    let word = input.word;
    // The first rounds of a cycle have different pasts: as many rounds as the past operators see are written
    // out.
    let word = if word.is_infinite() { word.unrolled(past_depth(&context.formula.numbered)) } else { word };
    let rows = truth_rows(context, &word);
    let holds = rows.last().is_some_and(|(_, values)| values[0]);
    match format {
        ReportFormat::Json => {
            let rows: Vec<_> =
                rows.iter().map(|(name, values)| json!({"formula": name, "values": values})).collect();
            let cycle = word.is_infinite().then_some(word.prefix.len());
            writeln!(output, "{}", json!({"holds": holds, "cycle_starts_at": cycle, "subformulas": rows}))?;
        }
        ReportFormat::Text => {
            write_table(&word, &rows, output)?;
            let verdict = if holds { "satisfies" } else { "violates" };
            writeln!(output, "\nthe word {verdict} the formula")?;
        }
    }
    Ok(Outcome::from(holds))
}

fn parse_over(text: &str, alphabet: &mut Alphabet<String>) -> Result<Word, Failure> {
    parse_word(text, &Names, alphabet)
        .map_err(|diagnostics| Failure::Input(Source::new("<word>", text), diagnostics))
}

/// Lists the propositions in a note, if there are any.
fn print_note_of(message: &str, propositions: &[String]) {
    if !propositions.is_empty() {
        let quoted: Vec<String> = propositions.iter().map(|name| format!("`{name}`")).collect();
        print_note(&format!("{message}: {}", join_names(quoted.iter().map(String::as_str))));
    }
}

/// Each subformula once, operands first, with its truth at each step.
fn truth_rows(context: &FormulaContext, word: &Word) -> Vec<(String, Vec<bool>)> {
    let mut subformulas: Vec<&Formula<Prop>> = Vec::new();
    collect_subformulas(&context.formula.numbered, &mut subformulas);
    let row = |formula| (context.show_numbered(formula), truth_values(word, formula));
    subformulas.into_iter().map(row).collect()
}

fn collect_subformulas<'a>(formula: &'a Formula<Prop>, collected: &mut Vec<&'a Formula<Prop>>) {
    for child in formula.children() {
        collect_subformulas(child, collected);
    }
    if !collected.contains(&formula) {
        collected.push(formula);
    }
}

fn write_table(word: &Word, rows: &[(String, Vec<bool>)], output: &mut dyn Write) -> std::io::Result<()> {
    const TITLE: &str = "step";
    let names = rows.iter().map(|(name, _)| name.as_str()).chain([TITLE]);
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let cell_width = (word.len() - 1).to_string().len();
    let cycle_start = word.prefix.len();
    let line = |cells: Vec<String>| {
        let mut line = String::new();
        for (position, text) in cells.into_iter().enumerate() {
            line.push_str(if word.is_infinite() && position == cycle_start { " |" } else { "  " });
            line.push_str(&format!("{text:>cell_width$}"));
        }
        line
    };
    let numbers = (0..word.len()).map(|position| position.to_string()).collect();
    let legend = if word.is_infinite() { "   (from | on, for ever)" } else { "" };
    writeln!(output, "{:width$} {}{legend}", TITLE, line(numbers))?;
    for (name, values) in rows {
        let values = values.iter().map(|value| if *value { "T" } else { "." }.to_owned()).collect();
        writeln!(output, "{name:width$} {}", line(values))?;
    }
    Ok(())
}
