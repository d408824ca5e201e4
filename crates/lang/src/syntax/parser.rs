//! The parser's state, declarations, and error recovery: what every language's parser is built on.
//!
//! Recursive descent over tokens read on demand. Errors do not end the parse: text that cannot be read is
//! skipped, and reading goes on, so that one run reports all errors, up to [`MAX_DIAGNOSTICS`]. If nesting
//! goes too deep, the rest of the text is not read.
//!
//! Promise: never panics, uses a bounded part of the stack, and takes time linear in the text.

use super::dialect::{Codes, Dialect};
use super::token::{Lexer, RESERVED, Token};
use super::tree::{Constant, Define, Expr, Name, Property, Variable};
use crate::program::Expect;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The deepest nesting of statements, and of an expression, that is accepted.
pub const MAX_NESTING: usize = 200;

/// The errors of one file beyond so many are not reported.
pub const MAX_DIAGNOSTICS: usize = 20;

/// Reads declarations and expressions.
pub(crate) struct Parser<'a> {
    pub(crate) lexer: Lexer<'a>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    dialect: &'static Dialect,
    /// Words that are never names.
    pub(super) reserved: &'static [&'static str],
    /// How many errors there were, reported or not.
    error_count: usize,
    /// Was the rest of the text left unread?
    pub(crate) is_too_deep: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(lexer: Lexer<'a>, dialect: &'static Dialect) -> Parser<'a> {
        let reserved = dialect.reserved;
        Parser { lexer, diagnostics: Vec::new(), dialect, reserved, error_count: 0, is_too_deep: false }
    }

    /// Reads an expression inside of a formula, where all languages reserve the same words.
    pub(crate) fn in_formula(lexer: Lexer<'a>, dialect: &'static Dialect) -> Parser<'a> {
        Parser { reserved: &RESERVED, ..Parser::new(lexer, dialect) }
    }

    /// The codes of the language's diagnostics.
    pub(super) fn codes(&self) -> &'static Codes {
        &self.dialect.codes
    }

    /// `x = 0, a[5] = 0, b: bool, c[2] = {1, 2};`
    pub(crate) fn variables(&mut self, out: &mut Vec<Variable>) {
        loop {
            let Some(name) = self.declared_name("a variable") else { return self.skip_declaration() };
            let mut length = None;
            if self.take("[") {
                length = Some(self.expression());
                self.expect_sign("]", "to close the length");
            }
            let kind = if self.take(":") { self.declared_name("a type") } else { None };
            let (mut initial, mut elements) = (None, None);
            if self.take("=") {
                match self.peek() {
                    (Token::Sign("{"), open) => elements = Some(self.elements(open)),
                    _ => initial = Some(self.expression()),
                }
            }
            out.push(Variable { name, length, kind, initial, elements });
            if !self.take(",") {
                return self.end_of_declaration();
            }
        }
    }

    /// `{1, 2, 3}`
    pub(super) fn elements(&mut self, open: Span) -> (Vec<Expr>, Span) {
        self.next();
        let mut elements = vec![self.expression()];
        while self.take(",") {
            elements.push(self.expression());
        }
        (elements, open.to(self.expect_sign("}", "to close the values of the elements")))
    }

    /// `N = 3, M = 4;`
    pub(crate) fn constants(&mut self, out: &mut Vec<Constant>) {
        loop {
            let Some(name) = self.declared_name("a constant") else { return self.skip_declaration() };
            self.expect_sign("=", "between the constant and its value");
            let value = self.expression();
            out.push(Constant { name, value });
            if !self.take(",") {
                return self.end_of_declaration();
            }
        }
    }

    /// `define name(i, j) = formula;`
    pub(crate) fn define(&mut self, out: &mut Vec<Define>) {
        let Some(name) = self.declared_name("what is defined") else { return self.skip_declaration() };
        let mut parameters = Vec::new();
        if self.take("(") {
            while let Some(parameter) = self.declared_name("a parameter") {
                parameters.push(parameter);
                if !self.take(",") {
                    break;
                }
            }
            self.expect_sign(")", "to close the parameters");
        }
        self.expect_sign("=", "between what is defined and its formula");
        let formula = self.formula();
        if !self.take(";")
            && let (Token::Word("expect"), span) = self.peek()
        {
            let message = "a definition is no property and expects nothing";
            self.report(Diagnostic::error(self.codes().unexpected_expect, message, span, ""));
            self.skip_declaration();
        }
        out.push(Define { name, parameters, formula });
    }

    /// `property name: formula expect holds`
    pub(crate) fn property(&mut self, out: &mut Vec<Property>) {
        let Some(name) = self.declared_name("a property") else { return self.skip_declaration() };
        self.expect_sign(":", "between the property's name and its formula");
        let formula = self.formula();
        let mut expect = None;
        if self.peek().0 == Token::Word("expect") {
            self.next();
            expect = self.verdict();
        }
        self.take(";");
        out.push(Property { name, formula, expect });
    }

    fn verdict(&mut self) -> Option<Expect> {
        let (token, span) = self.peek();
        let verdict = match token {
            Token::Word("holds") => Expect::Holds,
            Token::Word("violated") => Expect::Violated,
            _ => {
                self.report_expected("a verdict", span, "`holds` or `violated` may stand here");
                return None;
            }
        };
        self.next();
        Some(verdict)
    }

    /// The place of a formula's text, which is read once every name is declared.
    fn formula(&mut self) -> Span {
        self.lexer.skip_blank();
        let start = self.lexer.at;
        self.lexer.skip_formula(self.dialect.top_level);
        let text = &self.lexer.text[start..self.lexer.at];
        Span::new(start, start + text.trim_end().len())
    }
}

/// Tokens, and errors about them.
impl<'a> Parser<'a> {
    pub(crate) fn next(&mut self) -> (Token<'a>, Span) {
        self.lexer.next()
    }

    pub(crate) fn peek(&self) -> (Token<'a>, Span) {
        self.lexer.peek()
    }

    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let taken = matches!(self.peek().0, Token::Sign(next) if next == sign);
        if taken {
            self.next();
        }
        taken
    }

    /// Takes the sign, or reports that it is missing and continues as if it were there.
    pub(crate) fn expect_sign(&mut self, sign: &str, why: &str) -> Span {
        let (_, span) = self.peek();
        if !self.take(sign) {
            self.report_expected(&format!("`{sign}`"), span, why);
            return Span::new(span.start, span.start);
        }
        span
    }

    pub(crate) fn expect_word(&mut self, word: &str, after: Span) {
        let (token, span) = self.peek();
        if token == Token::Word(word) {
            self.next();
            return;
        }
        let found = self.quote(span);
        let message = format!("expected `{word}`, found {found}");
        self.report(
            Diagnostic::error(self.codes().unexpected, message, span, "")
                .context(after, "it belongs behind this"),
        );
    }

    /// Takes the word that closes the construct whose first word is at `opened`.
    pub(crate) fn close(&mut self, word: &str, opened: Span) {
        let (token, span) = self.peek();
        if token == Token::Word(word) {
            self.next();
            return;
        }
        let found = self.quote(span);
        let opening = &self.lexer.text[opened.range()];
        self.report(
            Diagnostic::error(self.codes().unclosed, format!("expected `{word}`, found {found}"), span, "")
                .context(opened, format!("to close this `{opening}`")),
        );
    }

    /// A name that is no keyword; `what` says what it is the name of.
    pub(crate) fn declared_name(&mut self, what: &str) -> Option<Name> {
        let (token, span) = self.peek();
        if let Token::Word(word) = token
            && !self.reserved.contains(&word)
        {
            self.next();
            return Some(Name { text: word.to_owned(), span });
        }
        let help = match token {
            Token::Word(word) if self.reserved.contains(&word) => {
                format!("`{word}` is a word of the language")
            }
            _ => "a name begins with a letter".to_owned(),
        };
        self.report_expected(&format!("a name for {what}"), span, &help);
        None
    }

    pub(crate) fn report_expected(&mut self, what: &str, span: Span, label: &str) {
        let found = self.quote(span);
        let message = format!("expected {what}, found {found}");
        self.report(Diagnostic::error(self.codes().unexpected, message, span, label));
    }

    /// The text at a place, for messages.
    pub(crate) fn quote(&self, span: Span) -> String {
        let text = &self.lexer.text[span.range()];
        if text.is_empty() { "the end".to_owned() } else { format!("`{}`", text.escape_debug()) }
    }

    pub(crate) fn end_of_declaration(&mut self) {
        let (token, span) = self.peek();
        let ends = token == Token::End
            || matches!(token, Token::Word(word) if self.dialect.top_level.contains(&word));
        if self.take(";") || ends {
            return;
        }
        self.report_expected("`;`", span, "the declaration ends here");
        self.skip_declaration();
    }

    /// Moves behind the next `;`, or before the next declaration.
    pub(crate) fn skip_declaration(&mut self) {
        loop {
            match self.peek().0 {
                Token::End => return,
                Token::Word(word) if self.dialect.top_level.contains(&word) => return,
                Token::Sign(";") => {
                    self.next();
                    return;
                }
                _ => self.next(),
            };
        }
    }

    /// Reports that nesting is too deep, and leaves the rest of the text unread.
    pub(crate) fn report_too_deep(&mut self, span: Span) {
        let message = format!("this is nested more than {MAX_NESTING} deep");
        self.report(
            Diagnostic::error(self.codes().too_deep, message, span, "this goes too far")
                .help("split it, with further variables or statements"),
        );
        self.is_too_deep = true;
        self.lexer.at = self.lexer.end;
    }

    /// How many errors there were, reported or not.
    pub(crate) fn error_count(&self) -> usize {
        self.error_count
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.error_count += 1;
        if !self.is_too_deep && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }
}
