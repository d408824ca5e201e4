//! `--invariant`: a condition that holds in every reachable state.
//!
//! `--invariant EXPR` is checked as `[] EXPR`, which the model checker decides by breadth-first
//! reachability: no product with an automaton is built, and the path to a violation is a shortest one. A
//! temporal operator inside is refused, so that a formula meant for `--ltl` is not misread.

use crate::failure::Failure;
use crate::option_values::option_name;
use selvedge_lang::{Program, Property};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Binary, Formula, Unary};

/// The invariants of these texts as properties, in order.
pub(super) fn properties<P: Program>(
    program: &P,
    texts: &[String],
) -> Result<Vec<Property<P::Atom>>, Failure> {
    let numbered = texts.iter().enumerate();
    numbered
        .map(|(index, text)| {
            let span = Span::new(0, text.len());
            let refuse = |diagnostics| Failure::Input(Source::new("<invariant>", text.as_str()), diagnostics);
            let formula = program.formula(text).map_err(refuse)?;
            if let Some(part) = temporal_part(&formula) {
                return Err(refuse(vec![refuse_temporal(part, span)]));
            }
            let name = option_name("--invariant", index, texts);
            let written = program.written(text).map(|text| format!("[] ({text})"));
            Ok(Property { name, span, formula: formula.always(), written, expect: None })
        })
        .collect()
}

/// The first subformula with a temporal operator at its root.
fn temporal_part<A>(formula: &Formula<A>) -> Option<&Formula<A>> {
    match formula {
        Formula::Const(_) | Formula::Prop(_) => None,
        Formula::Unary(Unary::Not, inner) => temporal_part(inner),
        Formula::Binary(Binary::And | Binary::Or | Binary::Implies | Binary::Iff, left, right) => {
            temporal_part(left).or_else(|| temporal_part(right))
        }
        Formula::Unary(..) | Formula::Binary(..) => Some(formula),
    }
}

fn refuse_temporal(part: &Formula<impl AtomText>, span: Span) -> Diagnostic {
    let message = format!("an invariant is about one state, and `{part}` speaks of several");
    Diagnostic::error("check::temporal-invariant", message, span, "")
        .help("`--invariant p` is checked as `[] p`; give formulas with operators of time to `--ltl`")
}
