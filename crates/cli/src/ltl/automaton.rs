//! `selvedge ltl --automaton`.

use super::{Arguments, Format, Kind, Question};
use crate::drawing;
use crate::failure::{Failure, Outcome};
use selvedge_ltl::finite::Dfa;
use selvedge_ltl::output::Listing;
use std::io::Write;

pub(super) fn run(
    question: &mut Question,
    kind: Kind,
    arguments: &Arguments,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    if kind == Kind::Finite && arguments.state_based {
        return Err(Failure::Usage("--state-based is for --automaton buchi".to_owned()));
    }
    if kind == Kind::Buchi && arguments.finite {
        let message =
            "--finite reads finite words, and --automaton buchi infinite ones; take --automaton finite";
        return Err(Failure::Usage(message.to_owned()));
    }
    let listing = match kind {
        Kind::Finite => finite(question)?,
        Kind::Buchi => buchi(question, arguments.state_based)?,
    };
    let text = match arguments.format {
        Format::Text => listing.to_text(),
        Format::Hoa => listing.to_hoa(),
        Format::Dot => listing.to_graph().to_dot(),
        Format::Svg => listing.to_graph().to_svg(),
        Format::Json => drawing::json(&listing.to_graph()).to_string(),
    };
    output.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        writeln!(output)?;
    }
    Ok(Outcome::Yes)
}

fn finite(question: &mut Question) -> Result<Listing, Failure> {
    let dfa = Dfa::from_formula(&question.translator.arena, question.nnf, question.limits.states)?;
    Ok(Listing::of_dfa(question.formula.to_string(), &question.alphabet, &dfa))
}

fn buchi(question: &mut Question, state_based: bool) -> Result<Listing, Failure> {
    let Question { translator, nnf, .. } = question;
    let automaton =
        if state_based { translator.translate_state_based(*nnf)? } else { translator.translate(*nnf)? };
    let title = question.formula.to_string();
    Ok(Listing::of_buchi(title, &question.alphabet, &mut question.translator.bdds, &automaton))
}
