//! The words, numbers and signs of a domain's file.
//!
//! Promise: reading is linear in the text, never panics and allocates nothing.

use selvedge_ltl::source::Span;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name or a keyword: letters, digits, `_` and `@`, perhaps after a `?`.
    Word(&'a str),
    /// Digits.
    Number(&'a str),
    /// A name between apostrophes, which may have any other character.
    Quoted(&'a str),
    /// A sign, `->` say.
    Sign(&'static str),
    /// A character without a meaning.
    Other(char),
    /// The end of the text.
    End,
}

/// Signs, each before its own prefixes.
const SIGNS: [&str; 24] = [
    "=:=", "->", "..", "<=", "=<", ">=", "/=", "!=", "==", "=", "<", ">", "+", "-", "*", "%", "(", ")", "{",
    "}", ",", ";", "/", "!",
];

/// A position in the text, which reading moves forward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Reads the part of a text from `start` on.
    pub(crate) fn new(text: &'a str, start: usize) -> Lexer<'a> {
        Lexer { text, at: start }
    }

    /// The next token with its place.
    pub(crate) fn next(&mut self) -> (Token<'a>, Span) {
        self.skip_blank();
        let start = self.at;
        let (token, length) = token(&self.text[start..]);
        self.at += length;
        (token, Span::new(start, self.at))
    }

    /// The next token, left where it is.
    pub(crate) fn peek(&self) -> (Token<'a>, Span) {
        let mut ahead = *self;
        ahead.next()
    }

    /// Moves to the next line.
    pub(crate) fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').map_or(rest.len(), |newline| newline + 1);
    }

    /// Moves over white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.skip_line();
        }
    }
}

fn token(rest: &str) -> (Token<'_>, usize) {
    let Some(first) = rest.chars().next() else { return (Token::End, 0) };
    if first.is_alphabetic() || first == '_' || (first == '?' && rest[1..].starts_with(char::is_alphabetic)) {
        let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '@');
        let length = rest[first.len_utf8()..].find(is_end).map_or(rest.len(), |end| end + first.len_utf8());
        return (Token::Word(&rest[..length]), length);
    }
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return (Token::Number(&rest[..length]), length);
    }
    if first == '\'' {
        let line = rest[1..].find('\n').unwrap_or(rest.len() - 1);
        return match rest[1..=line].find('\'') {
            Some(length) => (Token::Quoted(&rest[1..=length]), length + 2),
            None => (Token::Other(first), 1),
        };
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => (Token::Sign(sign), sign.len()),
        None => (Token::Other(first), first.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_tokens() {
        let text = "?int<'a b'// c\n->0..9 % é ' ?";
        let mut lexer = Lexer::new(text, 0);
        let mut tokens = Vec::new();
        while lexer.peek().0 != Token::End {
            tokens.push(lexer.next().0);
        }
        let expected = [
            Token::Word("?int"),
            Token::Sign("<"),
            Token::Quoted("a b"),
            Token::Sign("->"),
            Token::Number("0"),
            Token::Sign(".."),
            Token::Number("9"),
            Token::Sign("%"),
            Token::Word("é"),
            Token::Other('\''),
            Token::Other('?'),
        ];
        assert_eq!(tokens, expected);
    }
}
