//! Files of PARALLEL from text: its own declarations, and processes.
//!
//! Promise: never panics, uses a bounded part of the stack, and takes time linear in the text.

use super::ast::{Block, File, Process, Range, UserStatement};
use super::dialect::{PARALLEL, TOP_LEVEL};
use crate::syntax::parser::Parser;
use crate::syntax::suggest;
use crate::syntax::token::{Lexer, Token};
use crate::syntax::tree::{Expr, Name, Variable};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// Reads a file.
pub(super) struct FileParser<'a> {
    pub(super) shared: Parser<'a>,
}

impl<'a> FileParser<'a> {
    pub(super) fn new(lexer: Lexer<'a>) -> FileParser<'a> {
        FileParser { shared: Parser::new(lexer, &PARALLEL) }
    }

    /// A whole file.
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        loop {
            let (token, span) = self.shared.next();
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
                "memory" => self.shared.variables(&mut file.declarations.variables),
                "const" => self.shared.constants(&mut file.declarations.constants),
                "type" => self.enumeration(&mut file),
                "channel" => self.channels(&mut file),
                "statement" => self.statements(&mut file, false),
                "looping" => {
                    self.shared.expect_word("statement", span);
                    self.statements(&mut file, true);
                }
                "define" => self.shared.define(&mut file.declarations.defines),
                "procedure" => self.procedure(&mut file),
                "process" => self.process(&mut file),
                "property" => self.shared.property(&mut file.declarations.properties),
                _ => self.stray(span),
            }
        }
    }

    fn statements(&mut self, file: &mut File, looping: bool) {
        loop {
            let Some(name) = self.shared.declared_name("a statement") else {
                return self.shared.skip_declaration();
            };
            file.statements.push(UserStatement { name, looping });
            if !self.shared.take(",") {
                return self.shared.end_of_declaration();
            }
        }
    }

    /// `process 1: ..`, `process p(i) for i in 1..N: ..`, `process p priority 2: ..`
    fn process(&mut self, file: &mut File) {
        let (token, span) = self.shared.peek();
        let name = match token {
            Token::Number(digits) => {
                self.shared.next();
                Name { text: digits.to_owned(), span }
            }
            _ => match self.shared.declared_name("a process: a number or a name") {
                Some(name) => name,
                None => return self.shared.skip_declaration(),
            },
        };
        let Some((family, created)) = self.members() else { return self.shared.skip_declaration() };
        let priority = self.priority();
        self.shared.expect_sign(":", "before the statements of the process");
        let parameters = created.iter().flat_map(|(_, parameters)| parameters.clone());
        let mut locals: Vec<Variable> = parameters.map(Variable::plain).collect();
        while self.shared.peek().0 == Token::Word("local") {
            self.shared.next();
            self.shared.variables(&mut locals);
        }
        let body = self.body();
        file.processes.push(Process { name, family, created, priority, locals, body });
    }

    /// The statements of a process or a procedure, up to the next declaration.
    pub(super) fn body(&mut self) -> Block {
        let mut body = Vec::new();
        loop {
            body.extend(self.block(0));
            let (token, span) = self.shared.peek();
            if token == Token::End || matches!(token, Token::Word(word) if TOP_LEVEL.contains(&word)) {
                return body;
            }
            self.shared.next();
            self.stray_in_process(span);
        }
    }

    /// `i in 1..N`
    pub(super) fn range(&mut self, what: &str) -> Option<Range> {
        let variable = self.shared.declared_name(what)?;
        let (first, last) = self.bounds(variable.span);
        Some(Range { variable, first, last })
    }

    /// `in 1..N`, behind what is at the place.
    pub(super) fn bounds(&mut self, after: Span) -> (Expr, Expr) {
        self.shared.expect_word("in", after);
        let first = self.shared.expression();
        self.shared.expect_sign("..", "between the first and the last number");
        (first, self.shared.expression())
    }

    fn stray(&mut self, span: Span) {
        let found = self.shared.quote(span);
        let word = &self.shared.lexer.text[span.range()];
        let mut diagnostic = Diagnostic::error(
            "par::expected-declaration",
            format!("expected a declaration, found {found}"),
            span,
            "`memory`, `statement`, `define`, `process` or `property` may stand here",
        );
        if let Some(meant) = suggest::nearest(word, TOP_LEVEL) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        self.shared.report(diagnostic);
        self.shared.skip_declaration();
    }

    fn stray_in_process(&mut self, span: Span) {
        let found = self.shared.quote(span);
        self.shared.report(Diagnostic::error("par::unmatched", format!("{found} closes nothing"), span, ""));
        self.shared.take(";");
    }
}
