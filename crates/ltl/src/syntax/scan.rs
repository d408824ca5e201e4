//! The scanner: the items of a formula's text, one after the other.
//!
//! The kind of an item depends on its position: propositions are parsed only in operand position, so that
//! their parser never gets an operator.
//!
//! Promise: every item except the end is non-empty, so that a loop that moves behind each item terminates.

use super::atoms::Atoms;
use super::token::{self, Token};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A position in a part of a text.
pub(super) struct Scanner<'a, T: Atoms> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    end: usize,
    /// The end of the last item, before blanks and comments: the position of an item that is missing at the
    /// end.
    behind: usize,
    atoms: &'a T,
}

/// The next item of the text.
pub(super) enum Item<A> {
    Token(Token),
    Atom(A),
    /// A proposition that its own parser refused.
    BadAtom(Diagnostic),
    /// Text that begins like a proposition, in operator position.
    Operand,
    Unknown,
    End,
}

impl<'a, T: Atoms> Scanner<'a, T> {
    pub(super) fn new(text: &'a str, range: Span, atoms: &'a T) -> Self {
        Scanner { text, at: range.start, end: range.end, behind: range.start, atoms }
    }

    /// Skips the rest of the text.
    pub(super) fn give_up(&mut self) {
        self.at = self.end;
    }

    /// The item at the cursor in operand position: propositions are tried.
    pub(super) fn operand_item(&mut self) -> (Item<T::Atom>, Span) {
        self.skip_blank();
        let rest = self.rest();
        let word = token::word(rest);
        let operator = if self.atoms.knows(word) { None } else { token::operator(rest) };
        // A proposition may begin with `(`, or with the digits of a constant (`0 < x`).
        let may_be_atom = match operator {
            None | Some((Token::Open, _)) => !rest.is_empty(),
            Some((Token::Const(_), 1)) => true,
            _ => false,
        };
        if may_be_atom && let Some((atom, end)) = self.atoms.read(self.text, Span::new(self.at, self.end)) {
            debug_assert!(self.at < end && end <= self.end, "a proposition of no length, or beyond the text");
            return (
                atom.map_or_else(Item::BadAtom, Item::Atom),
                Span::new(self.at, end.clamp(self.at, self.end)),
            );
        }
        self.token(operator)
    }

    /// The item at the cursor in operator position: propositions are not parsed.
    pub(super) fn operator_item(&mut self) -> (Item<T::Atom>, Span) {
        self.skip_blank();
        let rest = self.rest();
        let operator = token::operator(rest);
        let length = match token::word(rest).len() {
            0 if rest.starts_with(['"', '{']) => 1,
            length => length,
        };
        if operator.is_none() && length > 0 {
            return (Item::Operand, Span::new(self.at, self.at + length));
        }
        self.token(operator)
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// How a proposition of this name is written.
    pub(super) fn quoted(&self, word: &str) -> String {
        self.atoms.quoted(word)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn token(&self, operator: Option<(Token, usize)>) -> (Item<T::Atom>, Span) {
        let (item, length) = match (operator, self.rest().chars().next()) {
            (Some((token, length)), _) => (Item::Token(token), length),
            (None, Some(first)) => (Item::Unknown, token::word(self.rest()).len().max(first.len_utf8())),
            (None, None) => return (Item::End, Span::new(self.behind, self.behind)),
        };
        (item, Span::new(self.at, self.at + length))
    }

    /// Moves over white space and comments.
    fn skip_blank(&mut self) {
        self.behind = self.at;
        loop {
            let trimmed = self.rest().trim_start();
            self.at = self.end - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
}
