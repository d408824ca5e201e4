//! `forall i: formula`, `exists i, j: formula`, `forall i /= j: formula`.
//!
//! Variables range over processes. A quantifier's formula extends as far to the right as it can: up to the
//! parenthesis that ends the text around it. Variables joined by `/=` stand for different processes; one
//! that a quantifier around binds may be among them: `forall i: exists j /= i: formula`.
//!
//! A variable stands where a process may stand, and the atom of the same name is written in quotes. No
//! variable is bound twice, and none has the name of an operator.

use super::mistakes;
use super::reader::{AtomReader, RawAtom, is_name_in_logic};
use super::token::{Lexer, Token};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{MAX_DEPTH, parse_range};
use std::sync::Arc;

/// The deepest nesting of quantifiers: each level is read once more.
pub const MAX_QUANTIFIERS: usize = 50;

/// A quantifier as in the text.
#[derive(Clone, Debug)]
pub(super) struct Quantified {
    pub(super) kind: Kind,
    /// The names of the variables that it binds: the next ones of the scope.
    pub(super) variables: Vec<Arc<str>>,
    /// Pairs of variables, by their numbers in the scope, that stand for different processes.
    pub(super) distinct: Vec<(usize, usize)>,
    pub(super) formula: Formula<RawAtom>,
    /// The depth of the formula with those of the quantifiers in it.
    depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Forall,
    Exists,
}

/// A variable of a quantifier, and where it is bound.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) name: Arc<str>,
    pub(super) span: Span,
}

impl AtomReader<'_> {
    /// The quantifier behind its first word, and where it ends.
    pub(super) fn quantified(
        &self,
        word: &str,
        span: Span,
        lexer: Lexer<'_>,
    ) -> (Result<RawAtom, Diagnostic>, usize) {
        let end = lexer.end_of_group(&["("], &[")"]).start;
        let mut header = Header { word, lexer, scope: self.scope.to_vec(), distinct: Vec::new() };
        let read = header.variables(span).and_then(|()| {
            let place = Span::new(header.lexer.at, end);
            let formula = self.inside(header.lexer.text, place, &header.scope)?;
            let depth = depth(&formula);
            if depth > MAX_DEPTH {
                return Err(mistakes::deep_quantifier(place, MAX_DEPTH));
            }
            let variables = &header.scope[self.scope.len()..];
            Ok(RawAtom::Quantified(Box::new(Quantified {
                kind: if word == "forall" { Kind::Forall } else { Kind::Exists },
                variables: variables.iter().map(|bound| bound.name.clone()).collect(),
                distinct: header.distinct,
                formula,
                depth,
            })))
        });
        (read, end)
    }

    /// The formula of a quantifier; or its first error.
    fn inside(&self, text: &str, place: Span, scope: &[Bound]) -> Result<Formula<RawAtom>, Diagnostic> {
        if self.nesting >= MAX_QUANTIFIERS {
            return Err(mistakes::deep_quantifier(place, MAX_QUANTIFIERS));
        }
        let parsed = parse_range(text, place, &AtomReader { scope, nesting: self.nesting + 1 });
        match parsed.diagnostics.into_iter().next() {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(parsed.formula),
        }
    }
}

/// The depth of a formula, through quantifiers.
fn depth(formula: &Formula<RawAtom>) -> usize {
    let here = match formula {
        Formula::Prop(RawAtom::Quantified(quantified)) => quantified.depth,
        _ => formula.children().map(depth).max().unwrap_or(0),
    };
    here + 1
}

/// What stands before the colon.
struct Header<'t> {
    word: &'t str,
    lexer: Lexer<'t>,
    /// The variables that are bound, those of this quantifier last.
    scope: Vec<Bound>,
    distinct: Vec<(usize, usize)>,
}

impl Header<'_> {
    /// Groups of variables by commas, and the colon.
    fn variables(&mut self, word_span: Span) -> Result<(), Diagnostic> {
        let before = self.scope.len();
        let (_, start) = self.lexer.peek();
        loop {
            self.group()?;
            if !self.lexer.take(",") {
                break;
            }
        }
        let (token, span) = self.lexer.next();
        if token != Token::Sign(":") {
            return Err(mistakes::expected_colon(self.word, &token, span, self.lexer.text));
        }
        if self.scope.len() == before {
            let place = Span::new(start.start, span.start);
            return Err(mistakes::binds_nothing(self.word, place).context(word_span, ""));
        }
        Ok(())
    }

    /// One variable, or several that stand for different processes.
    fn group(&mut self) -> Result<(), Diagnostic> {
        let mut members = vec![self.name()?];
        while matches!(self.lexer.peek().0, Token::Sign("/=" | "=/=" | "!=")) {
            self.lexer.next();
            members.push(self.name()?);
        }
        let is_alone = members.len() == 1;
        let mut numbers: Vec<usize> = Vec::new();
        for (name, span) in members {
            let known = self.scope.iter().position(|bound| *bound.name == *name);
            let number = match known {
                Some(number) if is_alone => return Err(mistakes::bound_twice(&self.scope[number], span)),
                Some(number) if numbers.contains(&number) => {
                    return Err(mistakes::never_distinct(&name, span));
                }
                Some(number) => number,
                None => {
                    self.scope.push(Bound { name, span });
                    self.scope.len() - 1
                }
            };
            self.distinct.extend(numbers.iter().map(|other| (*other, number)));
            numbers.push(number);
        }
        Ok(())
    }

    fn name(&mut self) -> Result<(Arc<str>, Span), Diagnostic> {
        let (token, span) = self.lexer.next();
        let Token::Word(name) = token else {
            return Err(mistakes::expected_variable(self.word, &token, span, self.lexer.text));
        };
        let is_quantifier = matches!(name, "forall" | "exists" | "prop");
        if is_quantifier || super::term::is_reserved(name) || !is_name_in_logic(name) {
            return Err(mistakes::taken_name(name, span));
        }
        Ok((name.into(), span))
    }
}
