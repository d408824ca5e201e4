//! Propositions of PARALLEL inside formulas.
//!
//! The parser of formulas reads the logic; [`Reader`] reads what stands between: `at(i, name)`, `exec(i)`, comparisons,
//! quantifiers, and uses of definitions. Nothing is looked up yet: a definition may come after its use, and its parameters may be anything.

use super::Atom;
use super::ast::{Expr, ExprKind, Name};
use super::parse::Parser;
use super::quantifier::Quantified;
use super::token::{Hyphenated, Lexer, Token};
use rustc_hash::FxHashMap;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Atoms, parse_range};

/// Formulas are inside of arguments and quantifiers at most so deep: each level is looked through once more.
const MAX_INSIDE: usize = 50;

/// A definition, read but not yet unfolded.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) parameters: Vec<String>,
    pub(crate) formula: Formula<Raw>,
}

/// Definitions by name.
pub(crate) type Definitions = FxHashMap<String, Definition>;

/// A proposition as it was written.
#[derive(Clone, Debug)]
pub(crate) enum Raw {
    /// `name` or `name(arguments)`
    Use(Name, Vec<Argument>),
    /// `forall i in 1..3: formula`, `exists i in 1..3: formula`
    Quantified(Box<Quantified>),
    /// Anything else; a comparison, if it is right.
    Test(Expr),
}

/// What is put in the place of a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Expr(Expr),
    Formula(Formula<Raw>),
    /// A formula whose names are all looked up.
    Unfolded(Formula<Atom>),
}

/// Reads a formula; names are looked up later.
pub(crate) fn read(
    text: &str,
    range: Span,
    hyphenated: &Hyphenated<'_>,
    names: &dyn Fn(&str) -> bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Formula<Raw> {
    let parsed = parse_range(text, range, &Reader { hyphenated, names, nesting: 0 });
    diagnostics.extend(parsed.diagnostics);
    parsed.formula
}

#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    hyphenated: &'a Hyphenated<'a>,
    /// Is this the name of something?
    names: &'a dyn Fn(&str) -> bool,
    /// How many arguments and quantifiers this is inside of.
    nesting: usize,
}

impl Atoms for Reader<'_> {
    type Atom = Raw;

    fn read(&self, text: &str, range: Span) -> Option<(Result<Raw, Diagnostic>, usize)> {
        let lexer =
            Lexer { text, at: range.start, end: range.end, hyphenated: self.hyphenated, in_formula: true };
        match lexer.peek().0 {
            Token::Word(_) => {
                if let Some(read) = self.quantified(lexer).or_else(|| self.name(lexer)) {
                    return Some(read);
                }
            }
            Token::Number(_) | Token::Sign("(" | "-") => {}
            _ => return None,
        }
        self.test(lexer)
    }

    fn knows(&self, word: &str) -> bool {
        (self.names)(word)
    }
}

impl Reader<'_> {
    /// `name`, `name(arguments)` or `name at label`, unless it is the beginning of a comparison.
    fn name(&self, mut lexer: Lexer<'_>) -> Option<(Result<Raw, Diagnostic>, usize)> {
        let (Token::Word(word), span) = lexer.next() else { return None };
        let name = Name { text: word.to_owned(), span };
        if let Some((at, label)) = infix_at(&mut lexer) {
            let named =
                |name: Name| Argument::Expr(Expr { kind: ExprKind::Name(name.text), span: name.span });
            return Some((Ok(Raw::Use(at, vec![named(name), named(label)])), lexer.at));
        }
        let mut arguments = Vec::new();
        let (token, open) = lexer.peek();
        // `p (..)` with a space is no call, so that a missing operator is seen as such.
        if token == Token::Sign("(") && open.start == span.end {
            lexer.next();
            let close = match split(lexer, &mut arguments) {
                Ok(close) => close,
                Err(diagnostic) => return Some((Err(diagnostic), lexer.end)),
            };
            lexer.at = close.end;
        }
        if begins_comparison(lexer.peek().0) {
            return None;
        }
        let end = lexer.at;
        let arguments =
            arguments.into_iter().map(|range| self.argument(lexer, range)).collect::<Result<_, _>>();
        Some((arguments.map(|arguments| Raw::Use(name, arguments)), end))
    }

    /// A number, a name, or else a formula.
    fn argument(&self, lexer: Lexer<'_>, range: Span) -> Result<Argument, Diagnostic> {
        let inside = Lexer { at: range.start, end: range.end, ..lexer };
        let mut parser = Parser::new(inside);
        let expr = parser.comparison();
        let comparison = matches!(&expr.kind, ExprKind::Binary(operator, ..) if operator.is_test());
        if parser.complaints() == 0 && parser.peek().0 == Token::End && !comparison {
            return Ok(Argument::Expr(expr));
        }
        self.inside(lexer.text, range).map(Argument::Formula)
    }

    /// A formula inside of an argument or a quantifier; the first thing that is wrong with it, if something is.
    pub(super) fn inside(&self, text: &str, range: Span) -> Result<Formula<Raw>, Diagnostic> {
        if self.nesting >= MAX_INSIDE {
            let message = format!("formulas are inside of one another more than {MAX_INSIDE} deep");
            return Err(Diagnostic::error("par::too-deep", message, range, "this goes too far")
                .help("name parts of it with `define`"));
        }
        let parsed = parse_range(text, range, &Reader { nesting: self.nesting + 1, ..*self });
        match parsed.diagnostics.into_iter().next() {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(parsed.formula),
        }
    }

    /// A comparison. What begins with `(` and is none is left to the logic as a group.
    fn test(&self, lexer: Lexer<'_>) -> Option<(Result<Raw, Diagnostic>, usize)> {
        let group = lexer.peek().0 == Token::Sign("(");
        let mut parser = Parser::new(lexer);
        let expr = parser.comparison();
        // Of `(x) = 1` the group is the left side; of `(x = 1)` it is everything, and the logic's.
        let comparison = match &expr.kind {
            ExprKind::Binary(operator, left, _) => operator.is_test() && left.span.start == expr.span.start,
            _ => false,
        };
        if group && (!comparison || parser.complaints() > 0) {
            return None;
        }
        if let Some(diagnostic) = parser.diagnostics.into_iter().next() {
            return Some((Err(diagnostic), parser.lexer.at));
        }
        // A number alone is a constant of the logic, or an error there.
        let number = matches!(expr.kind, ExprKind::Int(_));
        (!number).then_some((Ok(Raw::Test(expr)), parser.lexer.at))
    }
}

/// ` at m2` or `.at.m2` behind the name of a process: another way to write `at(P0, m2)`.
fn infix_at(lexer: &mut Lexer<'_>) -> Option<(Name, Name)> {
    let mut ahead = *lexer;
    let dotted = ahead.peek().0 == Token::Sign(".");
    if dotted {
        ahead.next();
    }
    let (Token::Word(at @ "at"), at_span) = ahead.next() else { return None };
    if dotted && ahead.next().0 != Token::Sign(".") {
        return None;
    }
    let (Token::Word(label), span) = ahead.next() else { return None };
    *lexer = ahead;
    Some((Name { text: at.to_owned(), span: at_span }, Name { text: label.to_owned(), span }))
}

fn begins_comparison(token: Token<'_>) -> bool {
    matches!(
        token,
        Token::Sign("=" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "[" | "@")
    )
}

/// The places of arguments up to the closing parenthesis, which is returned.
fn split(mut lexer: Lexer<'_>, arguments: &mut Vec<Span>) -> Result<Span, Diagnostic> {
    let opened = Span::new(lexer.at - 1, lexer.at);
    let mut open = 0_usize;
    let mut start = lexer.at;
    loop {
        let (token, span) = lexer.next();
        match token {
            Token::Sign("(" | "[") => open += 1,
            Token::Sign(")") if open == 0 => {
                arguments.push(Span::new(start, span.start));
                return Ok(span);
            }
            Token::Sign(")" | "]") => open = open.saturating_sub(1),
            Token::Sign(",") if open == 0 => {
                arguments.push(Span::new(start, span.start));
                start = span.end;
            }
            Token::End => {
                let message = "this parenthesis is never closed";
                return Err(Diagnostic::error("par::unclosed", message, opened, "opened here"));
            }
            _ => {}
        }
    }
}
