//! `selvedge ltl --equals`.

use super::{Format, Question, read_formula};
use crate::failure::{Failure, Outcome};
use selvedge_ltl::finite::Dfa;
use selvedge_ltl::nnf::Reading;
use selvedge_ltl::semantics::holds;
use serde_json::json;
use std::io::Write;

pub(super) fn run(
    question: &mut Question,
    other: &str,
    format: Format,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let (other, other_numbered) = read_formula("<other>", other, &mut question.alphabet)?;
    let translator = &mut question.translator;
    let other_nnf = translator.arena.formula(&other_numbered);
    let difference = match question.reading {
        Reading::Infinite => translator.difference(question.nnf, other_nnf)?,
        Reading::Finite => {
            let limit = question.limits.states;
            let one = Dfa::from_formula(&translator.arena, question.nnf, limit)?;
            one.difference(&Dfa::from_formula(&translator.arena, other_nnf, limit)?)
        }
    };
    let Some(word) = difference else {
        match format {
            Format::Json => writeln!(output, "{}", json!({"equivalent": true, "word": null}))?,
            _ => writeln!(output, "equivalent")?,
        }
        return Ok(Outcome::Yes);
    };
    // Every counterexample is judged by the definition before it is shown.
    let truth = [holds(&word, &question.numbered), holds(&word, &other_numbered)];
    assert_ne!(truth[0], truth[1], "the word does not tell the formulas apart");
    let shown = word.display(&question.alphabet).to_string();
    if format == Format::Json {
        writeln!(output, "{}", json!({"equivalent": false, "word": shown, "holds": truth}))?;
    } else {
        writeln!(output, "not equivalent: they differ on")?;
        writeln!(output, "  {shown}")?;
        for (formula, holds) in [(&question.formula, truth[0]), (&other, truth[1])] {
            writeln!(output, "  {}  {formula}", if holds { "satisfies" } else { "violates " })?;
        }
    }
    Ok(Outcome::No)
}
