//! `forall i in 1..N: formula` and `exists i in 1..N: formula`.
//!
//! A quantifier is the conjunction, or the disjunction, of its formula with each of the numbers for its
//! variable. Its formula extends as far to the right as it can: up to the parenthesis or comma that ends the
//! text around it. For no numbers, `forall` is true and `exists` false.
//!
//! Promise: the bounds are constants, and a range of more than [`MAX_RANGE`] numbers is refused.

use super::atom::Atom;
use super::formula::{Argument, AtomReader, RawAtom};
use super::token::{Lexer, Token};
use super::tree::{Expr, ExprKind, Name};
use super::unfold::{Environment, Unfolder, substitute};
use crate::flow_graph::Cell;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The most numbers that a quantifier ranges over.
pub const MAX_RANGE: i64 = 500;

/// A quantifier as in the text.
#[derive(Clone, Debug)]
pub(crate) struct Quantified {
    kind: Kind,
    variable: Name,
    first: Expr,
    last: Expr,
    formula: Formula<RawAtom>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Forall,
    Exists,
}

impl AtomReader<'_> {
    /// A quantifier, if one begins here: `forall` or `exists` with a name and `in` behind it.
    pub(super) fn quantified(&self, mut lexer: Lexer<'_>) -> Option<(Result<RawAtom, Diagnostic>, usize)> {
        let kind = match lexer.next().0 {
            Token::Word("forall") => Kind::Forall,
            Token::Word("exists") => Kind::Exists,
            _ => return None,
        };
        let (Token::Word(variable), span) = lexer.next() else { return None };
        let (Token::Word("in"), _) = lexer.next() else { return None };
        let variable = Name { text: variable.to_owned(), span };
        let mut parser = self.parser(lexer);
        let first = parser.number_or_name();
        parser.expect_sign("..", "between the first and the last number");
        let last = parser.number_or_name();
        parser.expect_sign(":", "before the formula of the quantifier");
        if let Some(diagnostic) = parser.diagnostics.into_iter().next() {
            return Some((Err(diagnostic), lexer.end));
        }
        let range = Span::new(parser.lexer.at, end_of_scope(parser.lexer));
        let quantified = self.inside(lexer.text, range).map(|formula| {
            RawAtom::Quantified(Box::new(Quantified { kind, variable, first, last, formula }))
        });
        Some((quantified, range.end))
    }
}

/// The place of the parenthesis or comma that ends the text around; or the end of the text.
fn end_of_scope(mut lexer: Lexer<'_>) -> usize {
    let mut open = 0_usize;
    loop {
        let (token, span) = lexer.next();
        match token {
            // The lexer reads the operator `[]` of the logic as a `[` that is no sign, and a `]`.
            Token::Sign("(" | "[") | Token::Other('[') => open += 1,
            Token::Sign(")" | "," | "]") if open == 0 => return span.start,
            Token::Sign(")" | "]") => open -= 1,
            Token::End => return span.start,
            _ => {}
        }
    }
}

impl Unfolder<'_, '_> {
    /// The formula for each of the numbers, joined.
    pub(super) fn quantified(&mut self, quantified: &Quantified, environment: &Environment) -> Formula<Atom> {
        let Quantified { kind, variable, first, last, formula } = quantified;
        let place = first.span.to(last.span);
        let bounds = (self.bound(first, environment), self.bound(last, environment));
        let (Some(first), Some(last)) = bounds else { return Formula::TRUE };
        if last.saturating_sub(first) >= MAX_RANGE {
            let message = format!("a quantifier goes through at most {MAX_RANGE} numbers");
            let label = format!("these are {}", i128::from(last) - i128::from(first) + 1);
            self.resolver.report(Diagnostic::error(self.codes().range_too_long, message, place, label));
            return Formula::TRUE;
        }
        let mut inner = environment.clone();
        let mut joined: Option<Formula<Atom>> = None;
        for value in first..=last {
            let expr = Expr { kind: ExprKind::Int(value), span: variable.span };
            inner.insert(variable.text.clone(), Argument::Expr(expr));
            let before = self.resolver.diagnostics.len();
            let next = self.unfold(formula, &inner);
            joined = Some(match joined {
                None => next,
                Some(joined) if *kind == Kind::Forall => joined & next,
                Some(joined) => joined | next,
            });
            // An error for one number is most often an error for all.
            if self.has_failed || self.resolver.diagnostics.len() > before {
                break;
            }
        }
        joined.unwrap_or(Formula::Const(*kind == Kind::Forall))
    }

    fn bound(&mut self, expr: &Expr, environment: &Environment) -> Option<i64> {
        match self.resolver.constant(&substitute(expr, environment))? {
            Cell::Int(value) => Some(value),
            Cell::Null | Cell::Undefined => {
                let message = "expected an integer, found null";
                let diagnostic = Diagnostic::error(self.codes().expected_constant, message, expr.span, "");
                self.resolver.report(diagnostic);
                None
            }
        }
    }
}
