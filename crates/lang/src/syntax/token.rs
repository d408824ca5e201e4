//! Words, numbers and signs, read one at a time.
//!
//! Tokens are read on demand, since a file has texts of two kinds: programs, and formulas, which the parser
//! of formulas reads itself. A hyphen belongs to a name only if a name with that hyphen is declared, so the
//! declared names are collected before anything else is read; `x-y` is a difference otherwise.
//!
//! Promise: reading is linear in the text, never panics, and allocates nothing.

use crate::work::count_step;
use rustc_hash::FxHashSet;
use selvedge_ltl::source::Span;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// Digits; the parser refuses too many.
    Number(&'a str),
    /// A sign, `:=` say.
    Sign(&'static str),
    /// The text between quotation marks.
    Text(&'a str),
    /// A character without a meaning here, or, inside a formula, an operator of the logic.
    Other(char),
    /// The end of the text.
    End,
}

/// Signs, each before its own prefixes.
const SIGNS: [&str; 27] = [
    ":=", "!=", "<=", ">=", "..", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ",",
    ";", ":", "|", "@", ".", "!", "?",
];

/// Operators of the logic that begin like signs of the program.
const LOGIC: [&str; 9] = ["<->", "<=>", "<>", "=>", "->", "/\\", "[]", "||", "|"];

/// Words that are never names, in any language that shares this syntax.
pub(crate) const RESERVED: [&str; 38] = [
    "skip",
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "while",
    "do",
    "od",
    "for",
    "break",
    "repeat",
    "forever",
    "and",
    "or",
    "not",
    "true",
    "false",
    "null",
    "await",
    "choose",
    "end",
    "atomic",
    "assert",
    "print",
    "send",
    "receive",
    "local",
    "memory",
    "statement",
    "looping",
    "define",
    "type",
    "procedure",
    "process",
    "property",
    "const",
    "channel",
];

/// Names that are declared with a hyphen in them.
pub(crate) type Hyphenated<'a> = FxHashSet<&'a str>;

/// A position in the text, which reading moves forward.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) hyphenated: &'a Hyphenated<'a>,
    /// Do the operators of the logic end an expression here?
    pub(crate) in_formula: bool,
}

impl<'a> Lexer<'a> {
    /// At the beginning of a program's text.
    pub(crate) fn new(text: &'a str, hyphenated: &'a Hyphenated<'a>) -> Lexer<'a> {
        Lexer { text, at: 0, end: text.len(), hyphenated, in_formula: false }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    /// The next token with its place; the lexer moves behind it.
    pub(crate) fn next(&mut self) -> (Token<'a>, Span) {
        count_step();
        self.skip_blank();
        let start = self.at;
        let rest = self.rest();
        let (token, length) = self.token(rest);
        self.at += length;
        (token, Span::new(start, self.at))
    }

    /// The next token, left where it is.
    pub(crate) fn peek(&self) -> (Token<'a>, Span) {
        let mut ahead = *self;
        ahead.next()
    }

    fn token(&self, rest: &'a str) -> (Token<'a>, usize) {
        let Some(first) = rest.chars().next() else { return (Token::End, 0) };
        if starts_name(first) {
            let length = self.name_length(rest);
            return (Token::Word(&rest[..length]), length);
        }
        if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            return (Token::Number(&rest[..length]), length);
        }
        if first == '"' {
            let line = rest[1..].find('\n').unwrap_or(rest.len() - 1);
            return match rest[1..=line].find('"') {
                Some(length) => (Token::Text(&rest[1..=length]), length + 2),
                None => (Token::Other(first), 1),
            };
        }
        if self.in_formula && LOGIC.iter().any(|operator| rest.starts_with(operator)) {
            return (Token::Other(first), first.len_utf8());
        }
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => (Token::Sign(sign), sign.len()),
            None => (Token::Other(first), first.len_utf8()),
        }
    }

    /// A name, with its hyphens if it is declared with them.
    fn name_length(&self, rest: &str) -> usize {
        let plain = plain_length(rest);
        if self.hyphenated.is_empty() || !rest[plain..].starts_with('-') {
            return plain;
        }
        let mut length = hyphenated_length(rest);
        while length > plain && !self.hyphenated.contains(&rest[..length]) {
            length = rest[..length].rfind('-').unwrap_or(plain);
        }
        length.max(plain)
    }

    /// Moves over white space and comments.
    pub(crate) fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Moves to the end of a formula: before `expect`, before `;`, or before a line that begins with one of
    /// these words.
    pub(crate) fn skip_formula(&mut self, top_level: &[&str]) {
        let mut line_of_last = self.at;
        loop {
            self.skip_blank();
            let first_of_line = self.text[line_of_last..self.at].contains('\n');
            let start = self.at;
            line_of_last = start;
            match self.next().0 {
                Token::End => return,
                Token::Sign(";") | Token::Word("expect") => self.at = start,
                Token::Word(word) if first_of_line && top_level.contains(&word) => self.at = start,
                _ => continue,
            }
            return;
        }
    }
}

/// Every name with a hyphen that a declaration introduces.
pub(crate) fn declared_with_hyphen(text: &str) -> Hyphenated<'_> {
    let none = Hyphenated::default();
    let mut found = Hyphenated::default();
    let mut lexer = Lexer::new(text, &none);
    if !text.contains('-') {
        return found;
    }
    // In a list, as after `memory`, a name follows each comma, up to the semicolon.
    let mut in_list = false;
    loop {
        let declares = match lexer.next().0 {
            Token::End => return found,
            Token::Word("memory" | "local" | "const" | "channel" | "statement") => {
                in_list = true;
                true
            }
            Token::Word("define" | "type" | "procedure" | "process" | "property") => {
                in_list = false;
                true
            }
            Token::Sign(";") => {
                in_list = false;
                false
            }
            Token::Sign(",") => in_list,
            _ => false,
        };
        lexer.skip_blank();
        if declares && lexer.rest().starts_with(starts_name) {
            let name = &text[lexer.at..lexer.at + hyphenated_length(lexer.rest())];
            if name.contains('-') {
                found.insert(name);
            }
            lexer.at += name.len();
        }
    }
}

/// Can a name begin with this?
pub(crate) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn plain_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(text.len())
}

/// The longest name with hyphens, each between two letters or digits.
fn hyphenated_length(text: &str) -> usize {
    let mut length = plain_length(text);
    while let Some(rest) = text[length..].strip_prefix('-') {
        let more = plain_length(rest);
        if more == 0 {
            break;
        }
        length += 1 + more;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let hyphenated = declared_with_hyphen(text);
        let mut lexer = Lexer::new(text, &hyphenated);
        let tokens = std::iter::from_fn(|| match lexer.next().0 {
            Token::End => None,
            Token::Word(text) | Token::Number(text) => Some(text.to_owned()),
            Token::Sign(sign) => Some(sign.to_owned()),
            Token::Text(text) => Some(format!("{text:?}")),
            Token::Other(c) => Some(format!("?{c}")),
        });
        tokens.collect()
    }

    #[test]
    fn a_hyphen_belongs_to_a_name_only_where_it_is_declared() {
        assert_eq!(words("statement in-rem; x := in-rem-1"), words("statement in-rem ; x := in-rem - 1"));
        assert_eq!(words("in-rem"), ["in", "-", "rem"]);
        assert_eq!(words("memory a = 1-b, c-d = 2; c-d-e").last().map(String::as_str), Some("e"));
    }

    #[test]
    fn comments_are_skipped_and_unknown_characters_are_tokens() {
        assert_eq!(words("a // b := \n := \"hi\" $ \"open"), ["a", ":=", "\"hi\"", "?$", "?\"", "open"]);
    }

    #[test]
    fn a_formula_ends_where_a_declaration_begins_a_line() {
        let none = Hyphenated::default();
        let check = |text: &str, length: usize| {
            let mut lexer = Lexer::new(text, &none);
            lexer.skip_formula(&["process"]);
            assert_eq!(lexer.at, length, "{text}");
        };
        check("[] p expect holds", 5);
        check("[] p; q", 4);
        check("[] p // process\n  process 1:", 18);
        check("[] process", 10);
        check("[] ~ (a /\\ b)", 13);
    }
}
