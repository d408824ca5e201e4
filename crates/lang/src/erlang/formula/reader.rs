//! Where the terms of a formula stand: the reader of propositions that the parser of formulas is given.
//!
//! The logic comes first: `true`, `false`, `0`, `1`, `[]`, `<>`, and the words of operators are its own. The
//! term in `prop(…)` is always a term, so that each of these can be a proposition too. Text in quotes is the
//! name of an abstract value, as text in quotes is the name of a proposition elsewhere; inside of a term it
//! is a string.

use super::mistakes;
use super::proposition::Proposition;
use super::quantifier::{Bound, Quantified};
use super::term::{Template, TermReader};
use super::token::{Lexer, Token};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Atoms, Names, foreign_operator, parse};

/// An atom as in the text.
#[derive(Clone, Debug)]
pub(super) enum RawAtom {
    /// A term.
    Term(Template),
    /// `forall i: formula`, `exists i: formula`
    Quantified(Box<Quantified>),
}

/// Reads the atoms of a formula.
#[derive(Clone, Copy)]
pub(super) struct AtomReader<'a> {
    /// The variables that are bound, from the outermost quantifier to the innermost.
    pub(super) scope: &'a [Bound],
    /// The number of quantifiers around.
    pub(super) nesting: usize,
}

impl Atoms for AtomReader<'_> {
    type Atom = RawAtom;

    fn read(&self, text: &str, range: Span) -> Option<(Result<RawAtom, Diagnostic>, usize)> {
        let lexer = Lexer::new(text, range);
        let mut ahead = lexer;
        match ahead.next() {
            (Token::Word(word @ ("forall" | "exists")), span) => {
                return Some(self.quantified(word, span, ahead));
            }
            (Token::Word(word), span) if word.starts_with(char::is_uppercase) && !self.binds(word) => {
                if let Some(diagnostic) = foreign_operator(word, span) {
                    return Some((Err(diagnostic), span.end));
                }
            }
            (Token::Word("prop"), _) if ahead.peek().0 == Token::Sign("(") => {
                let (_, open) = ahead.next();
                return Some(self.term(ahead, |reader| {
                    let term = reader.term()?;
                    reader.close(open, ")")?;
                    Ok(term)
                }));
            }
            (Token::Text(name), span) => {
                let abstract_value = Proposition::Abstract(name.into());
                return Some((Ok(RawAtom::Term(Template::Closed(abstract_value))), span.end));
            }
            // The logic's constant, unless a range begins with it.
            (Token::Integer(_), span)
                if matches!(&text[span.range()], "0" | "1") && !ahead.rest().starts_with("..") =>
            {
                return None;
            }
            (Token::Other('#'), _) => {}
            (
                Token::End
                | Token::Other(_)
                | Token::Sign("(" | ")" | "}" | "]" | "," | "|" | "&" | ":" | "="),
                _,
            ) => return None,
            _ => {}
        }
        Some(self.operand(lexer))
    }

    fn quoted(&self, word: &str) -> String {
        format!("`'{word}'`, in single quotes")
    }
}

impl AtomReader<'_> {
    fn binds(&self, word: &str) -> bool {
        self.scope.iter().any(|bound| *bound.name == *word)
    }

    /// A term that stands alone in the formula.
    fn operand(&self, lexer: Lexer<'_>) -> (Result<RawAtom, Diagnostic>, usize) {
        let (term, end) = self.term(lexer, |reader| {
            reader.is_operand = true;
            reader.term()
        });
        let mut behind = Lexer { at: end, ..lexer };
        match behind.next() {
            (
                Token::Sign("=" | "==" | "=:=" | "/=" | "=/=" | "!=" | "<" | "<=" | "=<" | ">" | ">="),
                sign,
            ) if term.is_ok() => {
                let (left, (_, right)) = (&lexer.text[lexer.at..end], behind.peek());
                let right_text = &lexer.text[right.range()];
                let message = mistakes::comparison(sign, left, right_text, lexer.text);
                (Err(message), right.end.max(sign.end))
            }
            _ => (term, end),
        }
    }

    fn term<'t>(
        &'t self,
        lexer: Lexer<'t>,
        read: impl FnOnce(&mut TermReader<'t>) -> Result<Template, Diagnostic>,
    ) -> (Result<RawAtom, Diagnostic>, usize) {
        let mut reader = TermReader { lexer, scope: self.scope, is_operand: false, nesting: 0 };
        let term = read(&mut reader);
        let end = if term.is_ok() { reader.lexer.at } else { end_of_mistake(lexer, reader.lexer.at) };
        (term.map(RawAtom::Term), end)
    }
}

/// Where to go on after a mistake in the term that begins here: behind its brackets.
fn end_of_mistake(mut lexer: Lexer<'_>, read_to: usize) -> usize {
    const OPENING: [&str; 5] = ["{", "[", "#{", "(", "<<"];
    const CLOSING: [&str; 4] = ["}", "]", ")", ">>"];
    let is_opening = |token: &Token<'_>| matches!(token, Token::Sign(sign) if OPENING.contains(sign));
    // Behind `prop(`, the bracket is open already.
    if !lexer.text[..lexer.at].ends_with('(') {
        let (mut last, mut span) = lexer.next();
        // Calls and records have a name before their bracket.
        while matches!(last, Token::Other('#') | Token::Word(_)) {
            let (token, next) = lexer.peek();
            if next.start != span.end || !(matches!(token, Token::Word(_)) || is_opening(&token)) {
                break;
            }
            (last, span) = lexer.next();
        }
        if !is_opening(&last) {
            return read_to.max(span.end);
        }
    }
    lexer.end_of_group(&OPENING, &CLOSING).end
}

/// Does the logic read this word as a name?
pub(super) fn is_name_in_logic(word: &str) -> bool {
    let parsed = parse(word, &Names);
    parsed.diagnostics.is_empty() && parsed.formula == Formula::Prop(word.to_owned())
}
