//! The tokens of terms in formulas.
//!
//! Literals (quoted atoms, strings, characters, numbers) are those of Erlang, decoded by `erl_tokenize`.
//! Blanks and comments are those of formulas: a comment begins with `//`.
//!
//! Promise: each token but the end has a length, and reading never goes back.

use erl_tokenize::{Position, TokenValue, scan_token};
use num_bigint::BigInt;
use selvedge_ltl::source::Span;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// An atom without quotes, a reserved word, or a variable.
    Word(&'t str),
    /// `'an atom'`
    Quoted(String),
    /// `"a string"`
    Text(String),
    /// `42`, `16#2a`; the sign before it is a token of its own.
    Integer(BigInt),
    /// `1.5`
    Float(f64),
    /// `$a`
    Char(char),
    /// A sign, `{` say.
    Sign(&'static str),
    /// A quotation or a number that is none.
    Bad,
    /// A character without a meaning.
    Other(char),
    /// The end of the text.
    End,
}

/// Signs, each before its own prefixes.
const SIGNS: [&str; 34] = [
    "=:=", "=/=", "<->", "<=>", "==", "/=", "!=", "=>", ":=", "->", "<>", "<=", "=<", ">=", "<<", ">>", "..",
    "#{", "{", "}", "[", "]", "(", ")", ",", "|", "@", "?", "<", ">", "=", "-", "&", ":",
];

/// A position in a part of a text, which reading moves forward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) end: usize,
}

impl<'t> Lexer<'t> {
    /// Reads a part of a text.
    pub(super) fn new(text: &'t str, range: Span) -> Lexer<'t> {
        Lexer { text, at: range.start, end: range.end }
    }

    /// The next token with its place.
    pub(super) fn next(&mut self) -> (Token<'t>, Span) {
        self.skip_blank();
        let start = self.at;
        let (token, length) = token(self.rest());
        self.at += length;
        (token, Span::new(start, self.at))
    }

    /// The next token, left where it is.
    pub(super) fn peek(&self) -> (Token<'t>, Span) {
        let mut ahead = *self;
        ahead.next()
    }

    /// Moves behind this sign if it comes next.
    pub(super) fn take(&mut self, sign: &'static str) -> bool {
        let mut ahead = *self;
        let is_next = ahead.next().0 == Token::Sign(sign);
        if is_next {
            *self = ahead;
        }
        is_next
    }

    /// The text from here on.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..self.end]
    }

    /// The place of the bracket that closes what was open before this text; or the end.
    pub(super) fn end_of_group(mut self, opening: &[&str], closing: &[&str]) -> Span {
        let mut open = 0_usize;
        loop {
            let (token, span) = self.next();
            match token {
                Token::Sign(sign) if opening.contains(&sign) => open += 1,
                Token::Sign(sign) if closing.contains(&sign) => {
                    if open == 0 {
                        return span;
                    }
                    open -= 1;
                }
                Token::End => return span,
                _ => {}
            }
        }
    }

    fn skip_blank(&mut self) {
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

/// The token at the start of a text, and its length.
fn token(text: &str) -> (Token<'_>, usize) {
    let Some(first) = text.chars().next() else { return (Token::End, 0) };
    if let Some(sign) = SIGNS.iter().find(|sign| text.starts_with(**sign)) {
        return (Token::Sign(sign), sign.len());
    }
    let is_literal = first.is_alphanumeric() || matches!(first, '_' | '\'' | '"' | '$');
    if !is_literal {
        return (Token::Other(first), first.len_utf8());
    }
    match scan_token(text, Position::new()) {
        Ok(Some(scanned)) => {
            let written = scanned.text(text);
            (literal(scanned.value(text), written, first), written.len())
        }
        Ok(None) => (Token::End, 0),
        Err(_) if first.is_alphabetic() => (Token::Other(first), first.len_utf8()),
        Err(_) => (Token::Bad, first.len_utf8()),
    }
}

fn literal<'t>(value: TokenValue<'t>, written: &'t str, first: char) -> Token<'t> {
    match value {
        TokenValue::Atom(name) if first == '\'' => Token::Quoted(name.into_owned()),
        TokenValue::Atom(_) | TokenValue::Keyword(_) | TokenValue::Variable(_) => Token::Word(written),
        TokenValue::String(text) => Token::Text(text.into_owned()),
        TokenValue::Integer(Some(value)) => Token::Integer(value.into()),
        TokenValue::Integer(None) => large_integer(written).map_or(Token::Bad, Token::Integer),
        TokenValue::Float(value) => Token::Float(value),
        TokenValue::Char(value) => Token::Char(value),
        _ => Token::Bad,
    }
}

/// The value of `digits` or `radix#digits`.
fn large_integer(written: &str) -> Option<BigInt> {
    let text: String = written.chars().filter(|c| *c != '_').collect();
    let (radix, digits) = text.split_once('#').unwrap_or(("10", &text));
    BigInt::parse_bytes(digits.as_bytes(), radix.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: &Expect) {
        let mut lexer = Lexer::new(text, Span::new(0, text.len()));
        let tokens = std::iter::from_fn(|| {
            let (token, span) = lexer.next();
            (token != Token::End).then(|| format!("{token:?} {}", &text[span.range()]))
        });
        expect.assert_eq(&tokens.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn literals_are_those_of_erlang() {
        check(
            r#"ok 'a\'b' "x\ty" $\n 16#ff 1.5e3 123456789012345678901234567890 end _X"#,
            &expect![[r#"
            Word("ok") ok
            Quoted("a'b") 'a\'b'
            Text("x\ty") "x\ty"
            Char('\n') $\n
            Integer(255) 16#ff
            Float(1500.0) 1.5e3
            Integer(123456789012345678901234567890) 123456789012345678901234567890
            Word("end") end
            Word("_X") _X"#]],
        );
    }

    #[test]
    fn signs_are_the_longest_that_fit() {
        check(
            "#{a=>1} <0 <<0>> 1..5 @1 ?int // comment\n -1",
            &expect![[r##"
            Sign("#{") #{
            Word("a") a
            Sign("=>") =>
            Integer(1) 1
            Sign("}") }
            Sign("<") <
            Integer(0) 0
            Sign("<<") <<
            Integer(0) 0
            Sign(">>") >>
            Integer(1) 1
            Sign("..") ..
            Integer(5) 5
            Sign("@") @
            Integer(1) 1
            Sign("?") ?
            Word("int") int
            Sign("-") -
            Integer(1) 1"##]],
        );
    }

    #[test]
    fn what_is_no_token_has_a_length_all_the_same() {
        check(
            "'open λ € 99#1",
            &expect![[r#"
            Bad '
            Word("open") open
            Other('λ') λ
            Other('€') €
            Bad 9
            Integer(1) 9#1"#]],
        );
    }
}
