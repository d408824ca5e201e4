//! Formulas over lines: `forall r in id: G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)`.
//!
//! - A line is a state. An atom is a test of a field of the line ([`FieldTest`]). A test of a field that is
//!   missing, or null, does not hold; `= null` and `!= null` ask for null itself.
//! - `forall r in f: φ` judges φ on each slice: the lines in which the field `f` has one value. A line
//!   without `f` is in no slice. With several variables, a slice has one value of each.
//! - `after(p, d)` holds from `d` after the last line (of the slice) with `p` on ([`Clock`]).

mod atom;
mod duration;
mod reader;

pub(super) use atom::{Atom, FieldTest};
pub(super) use duration::scale_decimal;

use super::record::FieldPath;
use crate::failure::Failure;
use reader::{AtomReader, TextCursor};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use selvedge_ltl::syntax::parse_range;
use selvedge_ltl::{Alphabet, Formula, Prop, Unary};
use selvedge_monitor::{Clock, SliceError, check_stutter_invariance};

/// A formula of the command line.
#[derive(Debug)]
pub(super) struct LogFormula {
    pub(super) text: String,
    /// The variables behind `forall`, each with the field that it ranges over.
    pub(super) variables: Vec<(String, FieldPath)>,
    pub(super) formula: Formula<Prop>,
    /// By number of a proposition, what it asks for.
    pub(super) atoms: Vec<Atom>,
}

/// The word that begins a formula for slices.
const FORALL: &str = "forall";

impl LogFormula {
    pub(super) fn parse(text: &str) -> Result<LogFormula, Failure> {
        let refuse = |mistakes| Failure::Input(Source::new("<formula>", text), mistakes);
        let (variables, body) = parse_variables(text).map_err(|mistake| refuse(vec![mistake]))?;
        let reader = AtomReader { variables: variables.iter().map(|(name, _)| name.clone()).collect() };
        let formula =
            parse_range(text, Span::new(body, text.len()), &reader).into_result().map_err(refuse)?;
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let formula = alphabet
            .number(&formula)
            .map_err(|error| Failure::Usage(format!("the formula `{text}` has {error}")))?;
        let atoms = alphabet.names().to_vec();
        let formula = LogFormula { text: text.trim().to_owned(), variables, formula, atoms };
        formula.check_repetitions()?;
        Ok(formula)
    }

    pub(super) fn is_sliced(&self) -> bool {
        !self.variables.is_empty()
    }

    pub(super) fn has_clocks(&self) -> bool {
        self.atoms.iter().any(|atom| matches!(atom, Atom::After { .. }))
    }

    /// The texts of the propositions.
    pub(super) fn names(&self) -> Vec<String> {
        self.atoms.iter().map(Atom::to_string).collect()
    }

    /// The clocks of the formula.
    pub(super) fn clocks(&self) -> Vec<Clock> {
        let position = |test: &FieldTest| {
            let is_test = |atom: &Atom| matches!(atom, Atom::Test(other) if other == test);
            self.atoms.iter().position(is_test).map(|index| Prop(index as u8))
        };
        let clock = |(index, atom): (usize, &Atom)| match atom {
            Atom::Test(_) => None,
            Atom::After { condition, duration_ns, .. } => {
                let trigger = match condition {
                    Formula::Prop(test) => position(test),
                    _ => None,
                };
                Some(Clock { prop: Prop(index as u8), trigger, duration: *duration_ns })
            }
        };
        self.atoms.iter().enumerate().filter_map(clock).collect()
    }

    /// Refuses what depends on how often a state is repeated, where states are not lines alone.
    fn check_repetitions(&self) -> Result<(), Failure> {
        let reason = match (self.is_sliced(), self.has_clocks()) {
            (false, false) => return Ok(()),
            (true, _) => "Inside of `forall`, the lines of other slices lie between those of a slice",
            (false, true) => "With `after`, the moments at which it begins to hold are states between lines",
        };
        let text = &self.text;
        match check_stutter_invariance(&self.formula, &self.names()) {
            Ok(()) => Ok(()),
            Err(SliceError::NotStutterInvariant { satisfying, violating }) => Err(Failure::Usage(format!(
                "`{text}` depends on how often a state is repeated: it holds on\n    {satisfying}\nand not on\n    \
                 {violating}\n{reason}. Use `U`, `F` or `G` in place of `X`."
            ))),
            Err(SliceError::Undecided(reason)) => Err(Failure::Limit(format!(
                "`{text}`: cannot decide whether it depends on how often a state is repeated: {reason}"
            ))),
        }
    }
}

impl FieldPath {
    /// A field as formulas name it.
    pub(super) fn parse(text: &str) -> Result<FieldPath, Failure> {
        let mut cursor = TextCursor::new(text, 0, text.len());
        match cursor.field() {
            Ok(Some(field)) if cursor.at == text.len() => Ok(field),
            _ => Err(Failure::Usage(format!(
                "`{text}` is not the name of a field; quotes make any text a name"
            ))),
        }
    }
}

/// The variables behind `forall`, and the position of the formula behind them.
fn parse_variables(text: &str) -> Result<(Vec<(String, FieldPath)>, usize), Diagnostic> {
    let mut cursor = TextCursor::new(text, 0, text.len());
    cursor.skip_space();
    let start = cursor.at;
    if cursor.word() != FORALL {
        return Ok((Vec::new(), 0));
    }
    cursor.at += FORALL.len();
    let mut variables: Vec<(String, FieldPath)> = Vec::new();
    loop {
        cursor.skip_space();
        let (name, span) = (cursor.word().to_owned(), cursor.word_span());
        if name.is_empty() {
            return Err(expected("the name of a variable", span));
        }
        if variables.iter().any(|(known, _)| *known == name) {
            let message = format!("the variable `{name}` is declared twice");
            return Err(Diagnostic::error("watch::forall", message, span, "the second time here"));
        }
        cursor.at = span.end;
        cursor.skip_space();
        if cursor.word() != "in" {
            return Err(expected("`in` and the field whose values make slices", cursor.word_span()));
        }
        cursor.at += "in".len();
        cursor.skip_space();
        let Some(field) = cursor.field()? else {
            return Err(expected("the name of a field", cursor.word_span()));
        };
        variables.push((name, field));
        cursor.skip_space();
        match cursor.peek() {
            Some(',') => cursor.at += 1,
            Some(':') => return Ok((variables, cursor.at + 1)),
            _ => {
                let place = Span::new(start, start + FORALL.len());
                return Err(expected("`:` behind the variables", cursor.word_span())
                    .context(place, "of this `forall`"));
            }
        }
    }
}

fn expected(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("watch::forall", format!("expected {what}"), span, "")
        .help("write `forall r in request: formula`, with the field that has the values of `r` behind `in`")
}

/// The truth of a formula without operators of time.
pub(super) fn is_without_time<P>(formula: &Formula<P>) -> bool {
    let is_boolean = match formula {
        Formula::Const(_) | Formula::Prop(_) => true,
        Formula::Unary(operator, _) => *operator == Unary::Not,
        Formula::Binary(operator, ..) => {
            use selvedge_ltl::Binary::{And, Iff, Implies, Or};
            matches!(operator, And | Or | Implies | Iff)
        }
    };
    is_boolean && formula.children().all(is_without_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        LogFormula::parse(text).expect_err("refused").render(false)
    }

    #[test]
    fn variables_and_atoms_are_read() {
        let text = r#"forall r in request.id, u in "user id": G (kind = ask -> !after(kind = ask & ms >= 1.5, 2s) U !open)"#;
        let formula = LogFormula::parse(text).expect("a formula");
        let variables: Vec<String> =
            formula.variables.iter().map(|(name, field)| format!("{name} in {field}")).collect();
        assert_eq!(variables, ["r in request.id", "u in \"user id\""]);
        assert_eq!(formula.names(), ["kind = \"ask\"", "after(kind = \"ask\" & ms >= 1.5, 2s)", "open"]);
        assert_eq!(formula.clocks()[0].duration, 2_000_000_000);
        assert_eq!(formula.clocks()[0].trigger, None);
        let formula = LogFormula::parse("G !after(kind = ask, 5ms) | kind = ask").expect("a formula");
        assert_eq!(formula.clocks()[0].trigger, Some(Prop(1)));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, expected) in [
            ("forall r: G p", "expected `in` and the field whose values make slices"),
            ("forall r in : G p", "expected the name of a field"),
            ("forall r in f G p", "expected `:` behind the variables"),
            ("forall r in f, r in g: G p", "the variable `r` is declared twice"),
            ("forall r in f: G parent = r", "`r` is a variable"),
            ("G ms > 500ms", "`500ms` is not a number"),
            ("G ms >", "nothing to compare `ms` with"),
            ("G 500 < ms", "the field stands on the left"),
            ("G open > true", "truth values are compared by `=` and `!=`"),
            ("F after(F p, 5ms)", "`after` takes a test of one line"),
            ("F after(after(p, 1s), 5ms)", "`after` takes a test of one line"),
            ("F after(p)", "`after` lacks its time"),
            ("F after(p, 5)", "`5` is not a duration"),
            ("F after(p, 0ms)", "`0ms` is not a duration"),
        ] {
            let message = message(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn what_counts_states_is_refused_where_states_are_not_lines() {
        assert!(LogFormula::parse("G (p -> X q)").is_ok());
        assert!(message("forall r in id: G (p -> X q)").contains("the lines of other slices lie between"));
        assert!(message("G (p -> X after(p, 1s))").contains("states between lines"));
    }
}
