//! Formulas about Erlang programs: linear temporal logic whose propositions are terms.
//!
//! Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract Interpretation, WFLP 2001, sections
//! 4, 5 and 9. The logic is that of [`selvedge_ltl::syntax`], with all its spellings; a proposition is the
//! term that the program calls `prop/1` with: `done`, `42`, `{value,@1}`. The term in `prop(…)` is read as a
//! term where the logic has its own reading: `prop(true)`, `prop([])`.
//!
//! - [`Proposition`]: the terms, and as text in `print`;
//! - `token`, `term`: from text to terms; `reader`: where terms stand in a formula;
//! - `quantifier`, `unfold`: `forall i /= j: φ` as the formulas over pids that it stands for;
//! - `mistakes`: the messages about text that is no term.
//!
//! Promise: a formula is read completely or refused with the place; the text of an unfolded formula is read
//! back as the same formula. No text makes the parser panic or overflow the stack.
//!
//! ```
//! use selvedge_lang::erlang::formula;
//! use selvedge_ltl::source::Span;
//!
//! let text = "forall i /= j: G !({enter, i} & {enter, j})";
//! let formula = formula::parse(text, Span::new(0, text.len())).expect("a formula");
//! let unfolded = formula.unfold(&[1, 2]).expect("a small formula");
//! assert_eq!(unfolded.instances[0].bindings, "i = @1, j = @2");
//! assert_eq!(unfolded.instances[0].formula.to_string(), "G !({enter,@1} & {enter,@2})");
//! ```

mod mistakes;
mod print;
mod proposition;
mod quantifier;
mod reader;
mod term;
mod token;
mod unfold;

pub use proposition::{Float, MAX_PID, Proposition};
pub use quantifier::MAX_QUANTIFIERS;
pub use term::MAX_NESTING;
pub use unfold::{Instance, MAX_SIZE, Unfolded};

use reader::{AtomReader, RawAtom};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use selvedge_ltl::syntax;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A formula with its quantifiers.
#[derive(Clone, Debug)]
pub struct QuantifiedFormula {
    formula: Formula<RawAtom>,
    text: Arc<str>,
    place: Span,
}

/// Reads a formula.
///
/// `place` is where the text stands in its source. If it is as long as the text, messages point into it;
/// otherwise (a string with escapes) they point at the whole.
pub fn parse(text: &str, place: Span) -> Result<QuantifiedFormula, Vec<Diagnostic>> {
    parse_at(text, place, place.end - place.start == text.len())
}

/// Reads a formula; `is_exact` says whether each byte of the text is a byte of the place.
pub(crate) fn parse_at(
    text: &str,
    place: Span,
    is_exact: bool,
) -> Result<QuantifiedFormula, Vec<Diagnostic>> {
    match syntax::parse(text, &AtomReader { scope: &[], nesting: 0 }).into_result() {
        Ok(formula) => Ok(QuantifiedFormula { formula, text: text.into(), place }),
        Err(diagnostics) => {
            Err(diagnostics.into_iter().map(|one| placed(one, text, place, is_exact)).collect())
        }
    }
}

/// A message about the text as one about its source.
fn placed(diagnostic: Diagnostic, text: &str, place: Span, is_exact: bool) -> Diagnostic {
    let Diagnostic { primary: (span, label), context, .. } = diagnostic.clone();
    if is_exact {
        let moved = |span: Span| Span::new(place.start + span.start, place.start + span.end);
        let context = context.into_iter().map(|(span, label)| (moved(span), label)).collect();
        return Diagnostic { primary: (moved(span), label), context, ..diagnostic };
    }
    let (line, column) = Source::new("", text).position(span.start);
    let within = if text.contains('\n') {
        format!("line {line}, column {column}")
    } else {
        format!("column {column}")
    };
    let found = text.get(span.range()).filter(|found| !found.is_empty());
    let found = found.map_or_else(String::new, |found| format!(", at `{found}`"));
    Diagnostic { primary: (place, label), context: Vec::new(), ..diagnostic }
        .help(format!("that is {within} of the formula's text{found}"))
}

impl QuantifiedFormula {
    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Does a quantifier occur?
    pub fn has_quantifiers(&self) -> bool {
        let mut found = false;
        self.formula.propositions(&mut |atom| found |= matches!(atom, RawAtom::Quantified(_)));
        found
    }

    /// The processes that the formula mentions by their numbers.
    pub fn pids(&self) -> BTreeSet<u8> {
        let mut pids = BTreeSet::new();
        collect_pids(&self.formula, &mut pids);
        pids
    }

    /// The formula with `forall` as a conjunction and `exists` as a disjunction over these processes.
    ///
    /// Refuses a result of more than [`MAX_SIZE`] parts, or one deeper than [`syntax::MAX_DEPTH`].
    pub fn unfold(&self, pids: &[u8]) -> Result<Unfolded, Diagnostic> {
        unfold::unfold(&self.formula, pids, self.place)
    }
}

fn collect_pids(formula: &Formula<RawAtom>, pids: &mut BTreeSet<u8>) {
    formula.propositions(&mut |atom| match atom {
        RawAtom::Term(term) => term.collect_pids(pids),
        RawAtom::Quantified(quantified) => collect_pids(&quantified.formula, pids),
    });
}
