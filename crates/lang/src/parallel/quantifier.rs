//! `forall i in 1..N: formula` and `exists i in 1..N: formula`.
//!
//! A quantifier stands for the conjunction, or the disjunction, of its formula with each of the numbers in the place of its
//! variable. Its formula goes as far to the right as it can: up to the parenthesis or comma that ends what it stands in. Of no
//! numbers, `forall` is true and `exists` false.
//!
//! Promise: the bounds are constants, and a range of more than [`MAX_RANGE`] numbers is refused.

use super::Atom;
use super::ast::{Expr, ExprKind, Name};
use super::formula::{Argument, Raw, Reader};
use super::parse::Parser;
use super::token::{Lexer, Token};
use super::unfold::{Environment, Unfolder, substitute};
use crate::flow::Cell;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The most numbers that a quantifier goes through.
pub const MAX_RANGE: i64 = 500;

/// A quantifier as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Quantified {
    is_forall: bool,
    variable: Name,
    first: Expr,
    last: Expr,
    formula: Formula<Raw>,
}

impl Reader<'_> {
    /// A quantifier, if one begins here: `forall` or `exists` with a name and `in` behind it.
    pub(super) fn quantified(&self, mut lexer: Lexer<'_>) -> Option<(Result<Raw, Diagnostic>, usize)> {
        let (Token::Word(word @ ("forall" | "exists")), _) = lexer.next() else { return None };
        let (Token::Word(variable), span) = lexer.next() else { return None };
        let (Token::Word("in"), _) = lexer.next() else { return None };
        let variable = Name { text: variable.to_owned(), span };
        let mut parser = Parser::new(lexer);
        let first = parser.number_or_name();
        parser.expect_sign("..", "between the first and the last number");
        let last = parser.number_or_name();
        parser.expect_sign(":", "before the formula of the quantifier");
        if let Some(diagnostic) = parser.diagnostics.into_iter().next() {
            return Some((Err(diagnostic), lexer.end));
        }
        let range = Span::new(parser.lexer.at, end_of_scope(parser.lexer));
        let quantified = self.inside(lexer.text, range).map(|formula| {
            let is_forall = word == "forall";
            Raw::Quantified(Box::new(Quantified { is_forall, variable, first, last, formula }))
        });
        Some((quantified, range.end))
    }
}

/// Where the parenthesis closes, or the comma stands, that ends the text around; or where the text itself ends.
fn end_of_scope(mut lexer: Lexer<'_>) -> usize {
    let mut open = 0_usize;
    loop {
        let (token, span) = lexer.next();
        match token {
            // `[]` is the logic's, and read as a `[` that is no sign and a `]`.
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
        let Quantified { is_forall, variable, first, last, formula } = quantified;
        let place = first.span.to(last.span);
        let bounds = (self.bound(first, environment), self.bound(last, environment));
        let (Some(first), Some(last)) = bounds else { return Formula::TRUE };
        if last.saturating_sub(first) >= MAX_RANGE {
            let message = format!("a quantifier goes through at most {MAX_RANGE} numbers");
            let label = format!("these are {}", i128::from(last) - i128::from(first) + 1);
            self.resolver.report(Diagnostic::error("par::range-too-long", message, place, label));
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
                Some(joined) if *is_forall => joined & next,
                Some(joined) => joined | next,
            });
            // What is wrong for one number is most often wrong for all.
            if self.failed || self.resolver.diagnostics.len() > before {
                break;
            }
        }
        joined.unwrap_or(Formula::Const(*is_forall))
    }

    fn bound(&mut self, expr: &Expr, environment: &Environment) -> Option<i64> {
        match self.resolver.constant(&substitute(expr, environment))? {
            Cell::Int(value) => Some(value),
            Cell::Null | Cell::Undefined => {
                let message = "expected an integer, found null";
                let diagnostic = Diagnostic::error("par::expected-constant", message, expr.span, "");
                self.resolver.report(diagnostic);
                None
            }
        }
    }
}
