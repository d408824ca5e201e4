//! `selvedge ltl --equals`: equivalence with another formula, or a word that only one of them satisfies.

use super::formula_context::{FormulaContext, ParsedFormula};
use super::plan::ReportFormat;
use crate::failure::{Failure, Outcome};
use selvedge_ltl::Word;
use selvedge_ltl::finite::Dfa;
use selvedge_ltl::nnf::Reading;
use selvedge_ltl::semantics::holds;
use serde_json::json;
use std::io::Write;

pub(super) fn run(
    context: &mut FormulaContext,
    other: &ParsedFormula,
    format: ReportFormat,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Some(word) = find_difference(context, other)? else {
        match format {
            ReportFormat::Json => writeln!(output, "{}", json!({"equivalent": true, "word": null}))?,
            ReportFormat::Text => writeln!(output, "equivalent")?,
        }
        return Ok(Outcome::Yes);
    };
    // The semantics judges every counterexample before it is shown.
    let truth = [holds(&word, &context.formula.numbered), holds(&word, &other.numbered)];
    assert_ne!(truth[0], truth[1], "the word does not tell the formulas apart");
    let word = word.display(&context.alphabet).to_string();
    match format {
        ReportFormat::Json => {
            writeln!(output, "{}", json!({"equivalent": false, "word": word, "holds": truth}))?;
        }
        ReportFormat::Text => {
            writeln!(output, "not equivalent: they differ on")?;
            writeln!(output, "  {word}")?;
            for (formula, holds) in [(&context.formula, truth[0]), (other, truth[1])] {
                writeln!(output, "  {}  {}", if holds { "satisfies" } else { "violates " }, formula.named)?;
            }
        }
    }
    Ok(Outcome::No)
}

/// A word that satisfies exactly one of the formulas.
fn find_difference(context: &mut FormulaContext, other: &ParsedFormula) -> Result<Option<Word>, Failure> {
    let translator = &mut context.translator;
    let other_nnf = translator.arena.formula(&other.numbered);
    Ok(match context.reading {
        Reading::Infinite => translator.difference(context.nnf, other_nnf)?,
        Reading::Finite => {
            let limit = context.limits.states;
            let dfa = Dfa::from_formula(&translator.arena, context.nnf, limit)?;
            dfa.difference(&Dfa::from_formula(&translator.arena, other_nnf, limit)?)
        }
    })
}
