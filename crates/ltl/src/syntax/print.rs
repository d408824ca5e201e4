//! Formulas as text: for readers, and for other tools.
//!
//! [`Formula`]'s `Display` writes the fewest parentheses with which [`parse`](super::parse) returns the same
//! tree, and parentheses around comparisons behind `!`, for readability. The text for other tools is fully
//! parenthesised, since their precedences differ.

use super::atoms::Names;
use super::parse::strength;
use crate::formula::{Binary, Formula, Unary};
use std::fmt;

/// A proposition that can be printed in a formula and parsed again.
pub trait AtomText {
    /// Writes it so that the parser of atoms returns it.
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Is it a comparison, which needs parentheses behind `!` for readability?
    fn is_comparison(&self) -> bool {
        false
    }
}

impl AtomText for str {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&Names::spell(self))
    }

    fn is_comparison(&self) -> bool {
        self.contains(['=', '<', '>']) && !Names::spell(self).starts_with('"')
    }
}

impl AtomText for String {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().write_atom(out)
    }

    fn is_comparison(&self) -> bool {
        self.as_str().is_comparison()
    }
}

impl<A: AtomText + ?Sized> AtomText for &A {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).write_atom(out)
    }

    fn is_comparison(&self) -> bool {
        (**self).is_comparison()
    }
}

/// The formula syntax of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SPIN's `-f` and inline formulas: `[] <> U V X ! && || -> <->`.
    Spin,
    /// Spot's syntax, which equals ours with all parentheses.
    Spot,
}

impl<P: AtomText> fmt::Display for Formula<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Const(value) => write!(f, "{value}"),
            Formula::Prop(proposition) => proposition.write_atom(f),
            Formula::Unary(operator, inner) => {
                let is_not = *operator == Unary::Not;
                write!(f, "{}{}", unary(*operator), if is_not { "" } else { " " })?;
                let parentheses = match &**inner {
                    Formula::Binary(..) => true,
                    Formula::Prop(proposition) => is_not && proposition.is_comparison(),
                    _ => false,
                };
                write_operand(f, inner, parentheses)
            }
            Formula::Binary(operator, left, right) => {
                let (own, to_the_right) = strength(*operator);
                let looser = |child: &Formula<P>, same_side: bool| match child {
                    Formula::Binary(inner, ..) => {
                        let (inner, _) = strength(*inner);
                        inner < own || (inner == own && !same_side)
                    }
                    _ => false,
                };
                write_operand(f, left, looser(left, !to_the_right))?;
                write!(f, " {} ", binary(*operator))?;
                write_operand(f, right, looser(right, to_the_right))
            }
        }
    }
}

fn write_operand<P: AtomText>(
    f: &mut fmt::Formatter<'_>,
    formula: &Formula<P>,
    parentheses: bool,
) -> fmt::Result {
    if parentheses { write!(f, "({formula})") } else { write!(f, "{formula}") }
}

/// The spelling of an operator.
pub(crate) fn unary(operator: Unary) -> &'static str {
    match operator {
        Unary::Not => "!",
        Unary::Next => "X",
        Unary::WeakNext => "WX",
        Unary::Eventually => "F",
        Unary::Always => "G",
        Unary::Previous => "Y",
        Unary::WeakPrevious => "WY",
        Unary::Once => "O",
        Unary::Historically => "H",
    }
}

/// The spelling of an operator.
pub(crate) fn binary(operator: Binary) -> &'static str {
    match operator {
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Implies => "->",
        Binary::Iff => "<->",
        Binary::Until => "U",
        Binary::Release => "R",
        Binary::WeakUntil => "W",
        Binary::StrongRelease => "M",
        Binary::Since => "S",
        Binary::Triggered => "T",
    }
}

impl<P> Formula<P> {
    /// The formula for another tool; `None` if that tool lacks one of its operators.
    ///
    /// `atom` writes a proposition in the tool's syntax.
    pub fn for_tool(&self, dialect: Dialect, atom: &impl Fn(&P) -> String) -> Option<String> {
        let spin = dialect == Dialect::Spin;
        Some(match self {
            Formula::Const(value) => format!("{value}"),
            Formula::Prop(proposition) => atom(proposition),
            Formula::Unary(operator, inner) => {
                let text = match operator {
                    _ if operator.is_past() => return None,
                    Unary::Eventually if spin => "<>",
                    Unary::Always if spin => "[]",
                    // Those tools use infinite words, where strong and weak next are equivalent.
                    Unary::WeakNext => "X",
                    _ => unary(*operator),
                };
                format!("{text} ({})", inner.for_tool(dialect, atom)?)
            }
            Formula::Binary(operator, left, right) => {
                let left = left.for_tool(dialect, atom)?;
                let right = right.for_tool(dialect, atom)?;
                match operator {
                    _ if operator.is_past() => return None,
                    Binary::WeakUntil if spin => format!("({right}) V (({left}) || ({right}))"),
                    Binary::StrongRelease if spin => format!("({right}) U (({left}) && ({right}))"),
                    Binary::Release if spin => format!("({left}) V ({right})"),
                    Binary::And if spin => format!("({left}) && ({right})"),
                    Binary::Or if spin => format!("({left}) || ({right})"),
                    _ => format!("({left}) {} ({right})", binary(*operator)),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, printed: &str) {
        let formula: Formula<String> = text.parse().expect("a formula");
        assert_eq!(formula.to_string(), printed);
        assert_eq!(printed.parse(), Ok(formula), "does not round-trip");
    }

    #[test]
    fn precedence_is_the_precedence_of_spot() {
        check("a U b & c | d -> e <-> f", "a U b & c | d -> e <-> f");
        check("((((a U b) & c) | d) -> e) <-> f", "a U b & c | d -> e <-> f");
        check("a -> (b -> c)", "a -> b -> c");
        check("(a -> b) -> c", "(a -> b) -> c");
        check("a U (b U c)", "a U b U c");
        check("(a U b) U c", "(a U b) U c");
        check("a & (b & c)", "a & (b & c)");
        check("a U (b & c)", "a U (b & c)");
        check("! X a U b", "!X a U b");
        check("!(X a U b)", "!(X a U b)");
    }

    #[test]
    fn all_spellings_parse_to_the_same_formula() {
        check("[]<> p /\\ ~ q \\/ r", "G F p & !q | r");
        check("GFp && !q || r", "G F p & !q | r");
        check("□◇p ∧ ¬q ∨ r", "G F p & !q | r");
        check("p => q <=> r", "p -> q <-> r");
        check("a V b", "a R b");
        check("Z p", "WY p");
        check("1 & 0 // comment\n | true", "true & false | true");
        check("[] ~ (enterCrit(1) /\\ enterCrit(2))", "G !(enterCrit(1) & enterCrit(2))");
        check("[]<> ~ in-rem(1) -> []<> c0<=3", "G F !in-rem(1) -> G F c0 <= 3");
    }

    #[test]
    fn a_comparison_behind_a_negation_has_parentheses() {
        check("[] ~ (c = 100)", "G !(c = 100)");
        check("! c <= 100 & !p", "!(c <= 100) & !p");
        check("!! c < 1", "!!(c < 1)");
        check("! \"a = b\" & ! \"=\"", "!(a = b) & !\"=\"");
    }

    #[test]
    fn text_for_other_tools_has_every_parenthesis() {
        let formula: Formula<String> = "a W b & X c".parse().expect("a formula");
        let spin = formula.for_tool(Dialect::Spin, &String::clone);
        assert_eq!(spin.as_deref(), Some("((b) V ((a) || (b))) && (X (c))"));
        let past: Formula<String> = "O a".parse().expect("a formula");
        assert_eq!(past.for_tool(Dialect::Spin, &String::clone), None);
    }
}
