//! `--invariant`: what must hold in every state that can be reached.
//!
//! `--invariant EXPR` is checked as `[] EXPR`, which the model checker does by breadth-first reachability: no automaton is
//! multiplied with the states, and the path to a violation is as short as any. An operator of time inside is refused, so that nobody
//! asks for something else by mistake.

use crate::failure::Failure;
use selvedge_lang::{Program, Property};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Binary, Formula, Unary};

/// The properties that these texts ask for, in order.
pub(super) fn properties<P: Program>(
    program: &P,
    texts: &[String],
) -> Result<Vec<Property<P::Atom>>, Failure> {
    let numbered = texts.iter().enumerate();
    numbered
        .map(|(index, text)| {
            let name = match texts.len() {
                1 => "--invariant".to_owned(),
                _ => format!("--invariant {}", index + 1),
            };
            let span = Span::new(0, text.len());
            let refuse = |diagnostics| Failure::Input(Source::new("<invariant>", text.as_str()), diagnostics);
            let formula = program.formula(text).map_err(refuse)?;
            if let Some(part) = temporal(&formula) {
                return Err(refuse(vec![looks_further(part, span)]));
            }
            Ok(Property { name, span, formula: formula.always(), expect: None })
        })
        .collect()
}

/// A part of the formula that speaks of other states than the present one.
fn temporal<A>(formula: &Formula<A>) -> Option<&Formula<A>> {
    match formula {
        Formula::Const(_) | Formula::Prop(_) => None,
        Formula::Unary(Unary::Not, inner) => temporal(inner),
        Formula::Binary(Binary::And | Binary::Or | Binary::Implies | Binary::Iff, left, right) => {
            temporal(left).or_else(|| temporal(right))
        }
        Formula::Unary(..) | Formula::Binary(..) => Some(formula),
    }
}

fn looks_further(part: &Formula<impl AtomText>, span: Span) -> Diagnostic {
    let message = format!("an invariant is about one state, and `{part}` speaks of several");
    Diagnostic::error("check::temporal-invariant", message, span, "")
        .help("`--invariant p` is checked as `[] p`; give formulas with operators of time to `--ltl`")
}
