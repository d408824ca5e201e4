//! Files from text: declarations, and what all of the parser shares.
//!
//! Recursive descent over tokens read on demand. Errors do not end the parse: what cannot be read is skipped, and
//! reading goes on, so that one run reports all that is wrong, up to [`MAX_DIAGNOSTICS`]. Where nesting goes too deep the rest of the
//! text is not read.
//!
//! Promise: never panics, uses a bounded part of the stack, and takes time linear in the text.

use super::Expect;
use super::ast::{Channel, Constant, Define, Family, File, Name, Process, Property, UserStatement, Variable};
use super::token::{Lexer, PARALLEL, TOP_LEVEL, Token, Words};
use crate::suggest;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The deepest nesting of statements, and of an expression, that is accepted.
pub const MAX_NESTING: usize = 200;

/// After so many errors in one file the rest is not reported.
pub const MAX_DIAGNOSTICS: usize = 20;

pub(crate) struct Parser<'a> {
    pub(crate) lexer: Lexer<'a>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) words: &'static Words,
    complaints: usize,
    /// Was the rest of the text left unread?
    pub(crate) too_deep: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(lexer: Lexer<'a>) -> Parser<'a> {
        Parser { lexer, diagnostics: Vec::new(), words: &PARALLEL, complaints: 0, too_deep: false }
    }

    /// A whole file.
    pub(crate) fn file(&mut self) -> File {
        let mut file = File::default();
        loop {
            let (token, span) = self.next();
            let Token::Word(word) = token else {
                if token == Token::End {
                    return file;
                }
                if token != Token::Sign(";") {
                    self.stray(span);
                }
                continue;
            };
            match word {
                "memory" => self.variables(&mut file.memory),
                "const" => self.constants(&mut file),
                "channel" => self.channels(&mut file),
                "statement" => self.statements(&mut file, false),
                "looping" => {
                    self.expect_word("statement", span);
                    self.statements(&mut file, true);
                }
                "define" => self.define(&mut file),
                "process" => self.process(&mut file),
                "property" => self.property(&mut file),
                _ => self.stray(span),
            }
        }
    }

    /// `x = 0, a[5] = 0;`
    pub(crate) fn variables(&mut self, out: &mut Vec<Variable>) {
        loop {
            let Some(name) = self.declared_name("a variable") else { return self.skip_declaration() };
            let mut length = None;
            if self.take("[") {
                length = Some(self.expression());
                self.expect_sign("]", "to close the length");
            }
            let initial = self.take("=").then(|| self.expression());
            out.push(Variable { name, length, initial });
            if !self.take(",") {
                return self.end_of_declaration();
            }
        }
    }

    pub(crate) fn constants(&mut self, file: &mut File) {
        loop {
            let Some(name) = self.declared_name("a constant") else { return self.skip_declaration() };
            self.expect_sign("=", "between the constant and its value");
            let value = self.expression();
            file.constants.push(Constant { name, value });
            if !self.take(",") {
                return self.end_of_declaration();
            }
        }
    }

    fn channels(&mut self, file: &mut File) {
        loop {
            let Some(name) = self.declared_name("a channel") else { return self.skip_declaration() };
            self.expect_sign("[", "before the channel's capacity");
            let capacity = self.expression();
            self.expect_sign("]", "to close the capacity");
            file.channels.push(Channel { name, capacity });
            if !self.take(",") {
                return self.end_of_declaration();
            }
        }
    }

    fn statements(&mut self, file: &mut File, looping: bool) {
        loop {
            let Some(name) = self.declared_name("a statement") else { return self.skip_declaration() };
            file.statements.push(UserStatement { name, looping });
            if !self.take(",") {
                return self.end_of_declaration();
            }
        }
    }

    /// `define name(i, j) = formula;`
    pub(crate) fn define(&mut self, file: &mut File) {
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
            self.report(Diagnostic::error("par::unexpected-expect", message, span, ""));
            self.skip_declaration();
        }
        file.defines.push(Define { name, parameters, formula });
    }

    /// `property name: formula expect holds`
    pub(crate) fn property(&mut self, file: &mut File) {
        let Some(name) = self.declared_name("a property") else { return self.skip_declaration() };
        self.expect_sign(":", "between the property's name and its formula");
        let formula = self.formula();
        let mut expect = None;
        if self.peek().0 == Token::Word("expect") {
            self.next();
            expect = self.verdict();
        }
        self.take(";");
        file.properties.push(Property { name, formula, expect });
    }

    fn verdict(&mut self) -> Option<Expect> {
        let (token, span) = self.peek();
        let verdict = match token {
            Token::Word("holds") => Expect::Holds,
            Token::Word("violated") => Expect::Violated,
            _ => {
                self.expected("a verdict", span, "`holds` or `violated` may stand here");
                return None;
            }
        };
        self.next();
        Some(verdict)
    }

    /// The place of a formula's text; it is read once every name is known.
    fn formula(&mut self) -> Span {
        self.lexer.skip_blank();
        let start = self.lexer.at;
        self.lexer.skip_formula(self.words.top_level);
        let text = &self.lexer.text[start..self.lexer.at];
        Span::new(start, start + text.trim_end().len())
    }

    /// `process 1: ..`, `process p(i) for i in 1..N: ..`
    fn process(&mut self, file: &mut File) {
        let (token, span) = self.peek();
        let name = match token {
            Token::Number(digits) => {
                self.next();
                Name { text: digits.to_owned(), span }
            }
            _ => match self.declared_name("a process: a number or a name") {
                Some(name) => name,
                None => return self.skip_declaration(),
            },
        };
        let mut family = None;
        if self.take("(") {
            family = self.family();
            if family.is_none() {
                return self.skip_declaration();
            }
        }
        self.expect_sign(":", "before the statements of the process");
        let mut locals = Vec::new();
        while self.peek().0 == Token::Word("local") {
            self.next();
            self.variables(&mut locals);
        }
        let mut body = Vec::new();
        loop {
            body.extend(self.block(0));
            let (token, span) = self.peek();
            if token == Token::End || matches!(token, Token::Word(word) if TOP_LEVEL.contains(&word)) {
                break;
            }
            self.next();
            self.stray_in_process(span);
        }
        file.processes.push(Process { name, family, locals, body });
    }

    /// `i) for i in 1..N`
    fn family(&mut self) -> Option<Family> {
        let parameter = self.declared_name("the family's parameter")?;
        self.expect_sign(")", "behind the family's parameter");
        self.expect_word("for", parameter.span);
        let again = self.declared_name("the family's parameter again")?;
        if again.text != parameter.text {
            let message = format!("the family's parameter is `{}`, not `{}`", parameter.text, again.text);
            self.report(Diagnostic::error("par::other-parameter", message, again.span, ""));
        }
        self.expect_word("in", again.span);
        let first = self.expression();
        self.expect_sign("..", "between the first and the last number");
        let last = self.expression();
        Some(Family { parameter, first, last })
    }
}

/// What all of the parser shares.
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

    /// Takes the sign, or reports that it is missing and goes on as if it were there.
    pub(crate) fn expect_sign(&mut self, sign: &str, why: &str) -> Span {
        let (_, span) = self.peek();
        if !self.take(sign) {
            self.expected(&format!("`{sign}`"), span, why);
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
        let found = self.found(span);
        let message = format!("expected `{word}`, found {found}");
        self.report(
            Diagnostic::error("par::unexpected", message, span, "").context(after, "it belongs behind this"),
        );
    }

    /// Takes the word that closes what was opened at `opened`.
    pub(crate) fn close(&mut self, word: &str, opened: Span) {
        let (token, span) = self.peek();
        if token == Token::Word(word) {
            self.next();
            return;
        }
        let found = self.found(span);
        let opening = &self.lexer.text[opened.range()];
        self.report(
            Diagnostic::error("par::unclosed", format!("expected `{word}`, found {found}"), span, "")
                .context(opened, format!("to close this `{opening}`")),
        );
    }

    /// A name that is no keyword; `what` says whose name it would be.
    pub(crate) fn declared_name(&mut self, what: &str) -> Option<Name> {
        let (token, span) = self.peek();
        if let Token::Word(word) = token
            && !self.words.reserved.contains(&word)
        {
            self.next();
            return Some(Name { text: word.to_owned(), span });
        }
        let help = match token {
            Token::Word(word) if self.words.reserved.contains(&word) => {
                format!("`{word}` is a word of the language")
            }
            _ => "a name begins with a letter".to_owned(),
        };
        self.expected(&format!("a name for {what}"), span, &help);
        None
    }

    pub(crate) fn expected(&mut self, what: &str, span: Span, label: &str) {
        let found = self.found(span);
        let message = format!("expected {what}, found {found}");
        self.report(Diagnostic::error("par::unexpected", message, span, label));
    }

    /// What stands at a place, for messages.
    pub(crate) fn found(&self, span: Span) -> String {
        let text = &self.lexer.text[span.range()];
        if text.is_empty() { "the end".to_owned() } else { format!("`{}`", text.escape_debug()) }
    }

    fn end_of_declaration(&mut self) {
        let (token, span) = self.peek();
        let ends =
            token == Token::End || matches!(token, Token::Word(word) if self.words.top_level.contains(&word));
        if self.take(";") || ends {
            return;
        }
        self.expected("`;`", span, "the declaration ends here");
        self.skip_declaration();
    }

    /// Moves behind the next `;`, or before the next declaration.
    pub(crate) fn skip_declaration(&mut self) {
        loop {
            match self.peek().0 {
                Token::End => return,
                Token::Word(word) if self.words.top_level.contains(&word) => return,
                Token::Sign(";") => {
                    self.next();
                    return;
                }
                _ => self.next(),
            };
        }
    }

    fn stray(&mut self, span: Span) {
        let found = self.found(span);
        let word = &self.lexer.text[span.range()];
        let mut diagnostic = Diagnostic::error(
            "par::expected-declaration",
            format!("expected a declaration, found {found}"),
            span,
            "`memory`, `statement`, `define`, `process` or `property` may stand here",
        );
        if let Some(meant) = suggest::nearest(word, TOP_LEVEL) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        self.report(diagnostic);
        self.skip_declaration();
    }

    fn stray_in_process(&mut self, span: Span) {
        let found = self.found(span);
        self.report(Diagnostic::error("par::unmatched", format!("{found} closes nothing"), span, ""));
        self.take(";");
    }

    /// Nothing of what follows can be part of an acceptable text.
    pub(crate) fn too_deep(&mut self, span: Span) {
        let message = format!("this is nested more than {MAX_NESTING} deep");
        self.report(
            Diagnostic::error("par::too-deep", message, span, "this goes too far")
                .help("split it, with further variables or statements"),
        );
        self.too_deep = true;
        self.lexer.at = self.lexer.end;
    }

    /// How many errors there were, reported or not.
    pub(crate) fn complaints(&self) -> usize {
        self.complaints
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.complaints += 1;
        if !self.too_deep && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }
}
