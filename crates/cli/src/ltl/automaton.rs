//! `selvedge ltl --automaton`: the automaton of the formula, in each format.

use super::Format;
use super::formula_context::FormulaContext;
use super::plan::AutomatonChoice;
use crate::failure::{Failure, Outcome};
use crate::graph_json::graph_json;
use selvedge_ltl::finite::Dfa;
use selvedge_ltl::output::Listing;
use std::io::Write;

pub(super) fn run(
    context: &mut FormulaContext,
    choice: AutomatonChoice,
    format: Format,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let listing = build(context, choice)?;
    let text = match format {
        Format::Text => listing.to_text(),
        Format::Hoa => listing.to_hoa(),
        Format::Dot => listing.to_graph().to_dot(),
        Format::Svg => listing.to_graph().to_svg(),
        Format::Json => graph_json(&listing.to_graph()).to_string(),
    };
    output.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        writeln!(output)?;
    }
    Ok(Outcome::Yes)
}

fn build(context: &mut FormulaContext, choice: AutomatonChoice) -> Result<Listing, Failure> {
    let title = context.formula.named.to_string();
    let FormulaContext { translator, nnf, alphabet, limits, .. } = context;
    let automaton = match choice {
        AutomatonChoice::Finite => {
            let dfa = Dfa::from_formula(&translator.arena, *nnf, limits.states)?;
            return Ok(Listing::of_dfa(title, alphabet, &dfa));
        }
        AutomatonChoice::Generalised => translator.translate(*nnf)?,
        AutomatonChoice::StateBased => translator.translate_state_based(*nnf)?,
    };
    Ok(Listing::of_buchi(title, alphabet, &mut translator.bdds, &automaton))
}
