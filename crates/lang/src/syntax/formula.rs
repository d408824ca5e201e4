//! Atoms of formulas, as in the text.
//!
//! The parser of formulas reads the logic; [`AtomReader`] reads the atoms: `at(i, name)`, `exec(i)`,
//! comparisons, quantifiers, and uses of definitions. Names are not looked up yet: a definition may come
//! after its use, and a parameter may stand for a number, a name or a formula.

use super::atom::Atom;
use super::dialect::Dialect;
use super::parser::Parser;
use super::quantifier::Quantified;
use super::token::{Hyphenated, Lexer, Token};
use super::tree::{Expr, ExprKind, Name};
use rustc_hash::FxHashMap;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Atoms, parse_range};

/// The deepest nesting of formulas in arguments and quantifiers: each level is read once more.
const MAX_INSIDE: usize = 50;

/// A definition, read but not yet unfolded.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) parameters: Vec<String>,
    pub(crate) formula: Formula<RawAtom>,
}

/// Definitions by name.
pub(crate) type Definitions = FxHashMap<String, Definition>;

/// An atom as in the text.
#[derive(Clone, Debug)]
pub(crate) enum RawAtom {
    /// `name` or `name(arguments)`
    Use(Name, Vec<Argument>),
    /// `forall i in 1..3: formula`, `exists i in 1..3: formula`
    Quantified(Box<Quantified>),
    /// An expression, which has to be a comparison.
    Test(Expr),
}

/// What replaces a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Expr(Expr),
    Formula(Formula<RawAtom>),
    /// A formula whose names are looked up.
    Unfolded(Formula<Atom>),
}

/// Formulas as in the text.
pub(super) trait AsWritten {
    /// Has it quantifiers, or uses of definitions?
    fn is_unfolded(&self, definitions: &Definitions) -> bool;
}

impl AsWritten for Formula<RawAtom> {
    fn is_unfolded(&self, definitions: &Definitions) -> bool {
        let mut found = false;
        self.propositions(&mut |atom| {
            found |= match atom {
                RawAtom::Use(name, _) => definitions.contains_key(&name.text),
                RawAtom::Quantified(_) => true,
                RawAtom::Test(_) => false,
            };
        });
        found
    }
}

/// Reads the atoms of a formula.
#[derive(Clone, Copy)]
pub(crate) struct AtomReader<'a> {
    dialect: &'static Dialect,
    hyphenated: &'a Hyphenated<'a>,
    /// Is this a declared name?
    is_declared: &'a dyn Fn(&str) -> bool,
    /// How many arguments and quantifiers this is inside of.
    nesting: usize,
}

impl<'a> AtomReader<'a> {
    pub(crate) fn new(
        dialect: &'static Dialect,
        hyphenated: &'a Hyphenated<'a>,
        is_declared: &'a dyn Fn(&str) -> bool,
    ) -> AtomReader<'a> {
        AtomReader { dialect, hyphenated, is_declared, nesting: 0 }
    }

    /// Reads a formula; names are looked up later.
    pub(crate) fn formula(
        &self,
        text: &str,
        range: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Formula<RawAtom> {
        let parsed = parse_range(text, range, self);
        diagnostics.extend(parsed.diagnostics);
        parsed.formula
    }

    /// A parser of the expression that begins here.
    pub(super) fn parser<'t>(&self, lexer: Lexer<'t>) -> Parser<'t> {
        Parser::in_formula(lexer, self.dialect)
    }
}

impl Atoms for AtomReader<'_> {
    type Atom = RawAtom;

    fn read(&self, text: &str, range: Span) -> Option<(Result<RawAtom, Diagnostic>, usize)> {
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
        (self.is_declared)(word)
    }
}

impl AtomReader<'_> {
    /// `name`, `name(arguments)` or `name at label`, unless it is the beginning of a comparison.
    fn name(&self, mut lexer: Lexer<'_>) -> Option<(Result<RawAtom, Diagnostic>, usize)> {
        let (Token::Word(word), span) = lexer.next() else { return None };
        let name = Name { text: word.to_owned(), span };
        if let Some((at, label)) = infix_at(&mut lexer) {
            let named =
                |name: Name| Argument::Expr(Expr { kind: ExprKind::Name(name.text), span: name.span });
            return Some((Ok(RawAtom::Use(at, vec![named(name), named(label)])), lexer.at));
        }
        let mut arguments = Vec::new();
        let (token, open) = lexer.peek();
        // `p (..)` with a space is no call, so that a missing operator is seen as such.
        if token == Token::Sign("(") && open.start == span.end {
            lexer.next();
            let close = match self.split_arguments(lexer, &mut arguments) {
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
        Some((arguments.map(|arguments| RawAtom::Use(name, arguments)), end))
    }

    /// The places of arguments up to the closing parenthesis, which is returned.
    fn split_arguments(&self, mut lexer: Lexer<'_>, arguments: &mut Vec<Span>) -> Result<Span, Diagnostic> {
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
                    return Err(Diagnostic::error(
                        self.dialect.codes.unclosed,
                        message,
                        opened,
                        "opened here",
                    ));
                }
                _ => {}
            }
        }
    }

    /// A number, a name, or else a formula.
    fn argument(&self, lexer: Lexer<'_>, range: Span) -> Result<Argument, Diagnostic> {
        let inside = Lexer { at: range.start, end: range.end, ..lexer };
        let mut parser = self.parser(inside);
        let expr = parser.comparison();
        let comparison = matches!(&expr.kind, ExprKind::Binary(operator, ..) if operator.is_test());
        if parser.error_count() == 0 && parser.peek().0 == Token::End && !comparison {
            return Ok(Argument::Expr(expr));
        }
        self.inside(lexer.text, range).map(Argument::Formula)
    }

    /// A formula inside of an argument or a quantifier; or its first error.
    pub(super) fn inside(&self, text: &str, range: Span) -> Result<Formula<RawAtom>, Diagnostic> {
        if self.nesting >= MAX_INSIDE {
            let message = format!("formulas are inside of one another more than {MAX_INSIDE} deep");
            return Err(Diagnostic::error(self.dialect.codes.too_deep, message, range, "this goes too far")
                .help("name parts of it with `define`"));
        }
        let parsed = parse_range(text, range, &AtomReader { nesting: self.nesting + 1, ..*self });
        match parsed.diagnostics.into_iter().next() {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(parsed.formula),
        }
    }

    /// A comparison. A text that begins with `(` and is none is left to the logic as a group.
    fn test(&self, lexer: Lexer<'_>) -> Option<(Result<RawAtom, Diagnostic>, usize)> {
        let group = lexer.peek().0 == Token::Sign("(");
        let mut parser = self.parser(lexer);
        let expr = parser.comparison();
        // Of `(x) = 1` the group is the left side; of `(x = 1)` it is everything, and the logic's.
        let comparison = match &expr.kind {
            ExprKind::Binary(operator, left, _) => operator.is_test() && left.span.start == expr.span.start,
            _ => false,
        };
        if group && (!comparison || parser.error_count() > 0) {
            return None;
        }
        if let Some(diagnostic) = parser.diagnostics.into_iter().next() {
            return Some((Err(diagnostic), parser.lexer.at));
        }
        // A number alone is a constant of the logic, or an error there.
        let number = matches!(expr.kind, ExprKind::Int(_));
        (!number).then_some((Ok(RawAtom::Test(expr)), parser.lexer.at))
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
        Token::Sign("=" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "[" | "@" | ".")
    )
}
