//! The tokens that the grammar reads: values decoded, macros expanded, positions in the [`SourceMap`].
//!
//! [`SourceMap`]: super::SourceMap

use super::tree::{Integer, Name};
use erl_tokenize::{Keyword, Symbol, TokenValue};
use rustc_hash::FxHashSet;
use selvedge_ltl::source::Span;
use std::borrow::Cow;

/// A token and its position.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// A token of the grammar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Atom(Name),
    Variable(Name),
    Integer(Integer),
    Float(f64),
    Char(char),
    String(Name),
    Sigil(Sigil),
    Keyword(Keyword),
    Symbol(Symbol),
    /// The full stop of a form, and what the parser sees after the last token.
    End,
}

/// `~b"text"`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sigil {
    pub(super) prefix: Name,
    pub(super) content: Name,
    pub(super) suffix: Name,
}

impl Token {
    /// As it reads in a message: `` `case` ``, or what kind of token it is.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Atom(name) => format!("`{}`", super::print::atom_text(name)),
            Token::Variable(name) => format!("`{name}`"),
            Token::Integer(value) => format!("`{value}`"),
            Token::Float(value) => format!("`{}`", super::print::float_text(*value)),
            Token::Char(_) => "a character".to_owned(),
            Token::String(_) | Token::Sigil(_) => "a string".to_owned(),
            Token::Keyword(keyword) => format!("`{}`", keyword.as_str()),
            Token::Symbol(symbol) => format!("`{}`", symbol.as_str()),
            Token::End => "the end of the form".to_owned(),
        }
    }
}

/// Names that occur, each stored once.
#[derive(Default)]
pub(super) struct Names(FxHashSet<Name>);

impl Names {
    fn get(&mut self, text: Cow<'_, str>) -> Name {
        if let Some(name) = self.0.get(&*text) {
            return name.clone();
        }
        let name: Name = text.into();
        self.0.insert(name.clone());
        name
    }

    /// The token of a value; blanks and comments have none.
    ///
    /// `text` is how the token is written, for integers that the tokenizer does not decode.
    pub(super) fn token(&mut self, value: TokenValue<'_>, text: &str) -> Option<Token> {
        Some(match value {
            TokenValue::Atom(name) => Token::Atom(self.get(name)),
            TokenValue::Variable(name) => Token::Variable(self.get(name.into())),
            TokenValue::String(text) => Token::String(self.get(text)),
            TokenValue::Integer(Some(value)) => Token::Integer(Integer::Small(i128::from(value))),
            TokenValue::Integer(None) => Token::Integer(large_integer(text)),
            TokenValue::Float(value) => Token::Float(value),
            TokenValue::Char(value) => Token::Char(value),
            TokenValue::SigilString { prefix, content, suffix } => Token::Sigil(Sigil {
                prefix: self.get(prefix.into()),
                content: self.get(content),
                suffix: self.get(suffix.into()),
            }),
            TokenValue::Keyword(keyword) => Token::Keyword(keyword),
            TokenValue::Symbol(symbol) => Token::Symbol(symbol),
            TokenValue::Comment(_) | TokenValue::Whitespace(_) => return None,
        })
    }
}

/// The value of `digits` or `radix#digits`, of any length.
fn large_integer(text: &str) -> Integer {
    let text: String = text.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    let (radix, digits) = text.split_once('#').unwrap_or(("10", &text));
    let radix = radix.parse().unwrap_or(10);
    match i128::from_str_radix(digits, radix) {
        Ok(value) => Integer::Small(value),
        Err(_) => Integer::Large { radix, digits: digits.trim_start_matches('0').into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_size_and_base_have_a_value() {
        let large = |radix, digits: &str| Integer::Large { radix, digits: digits.into() };
        let ones = "1".repeat(127);
        for (text, value) in [
            ("18446744073709551616", Integer::Small(1 << 64)),
            ("16#1_0000_0000_0000_0000", Integer::Small(1 << 64)),
            (&format!("2#{ones}"), Integer::Small(i128::MAX)),
            (&format!("2#{ones}0"), large(2, &format!("{ones}0"))),
            (&format!("2#000{ones}0"), large(2, &format!("{ones}0"))),
            ("16#FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", large(16, &"f".repeat(33))),
        ] {
            assert_eq!(large_integer(text), value, "{text}");
        }
    }
}
