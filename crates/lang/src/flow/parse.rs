//! Files of flow from text.
//!
//! Recursive descent on the shared tokens, expressions and declarations. Text that cannot be read is skipped
//! up to the next `;`, `end` or declaration, with `begin` and `end` paired, and reading continues.
//!
//! Promise: never panics, uses a bounded part of the stack, and takes time linear in the text.

use super::ast::{File, Process, Statement, StatementKind};
use super::dialect::{FLOW, RESERVED, TOP_LEVEL};
use crate::syntax::MAX_NESTING;
use crate::syntax::parser::Parser;
use crate::syntax::suggest;
use crate::syntax::token::{Lexer, Token};
use crate::syntax::tree::{Expr, Name};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// Reads a file.
pub(super) struct FileParser<'a> {
    pub(super) shared: Parser<'a>,
}

impl<'a> FileParser<'a> {
    pub(super) fn new(lexer: Lexer<'a>) -> FileParser<'a> {
        FileParser { shared: Parser::new(lexer, &FLOW) }
    }

    /// A whole file.
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        loop {
            let (token, span) = self.shared.next();
            match token {
                Token::End => return file,
                Token::Sign(";") => {}
                Token::Word("var") => self.shared.variables(&mut file.declarations.variables),
                Token::Word("const") => self.shared.constants(&mut file.declarations.constants),
                Token::Word("define") => self.shared.define(&mut file.declarations.defines),
                Token::Word("property") => self.shared.property(&mut file.declarations.properties),
                Token::Word("process" | "Process") => file.processes.extend(self.process()),
                _ => self.report_stray(span),
            }
        }
    }

    /// `P0: begin .. end.`
    fn process(&mut self) -> Option<Process> {
        let Some(name) = self.shared.declared_name("a process") else {
            self.skip_to_declaration();
            return None;
        };
        self.shared.expect_sign(":", "before the statements of the process");
        let body = self.statement(0);
        self.end_of_process();
        let body = body.unwrap_or_else(|| empty_statement(name.span));
        Some(Process { name, body })
    }

    /// The full stop. Figure 3 as printed has one `end.` too many, so that is only a warning.
    fn end_of_process(&mut self) {
        let mut stopped = self.shared.take(".");
        while let (Token::Word("end"), span) = self.shared.peek() {
            self.shared.next();
            let message = "this `end` closes nothing";
            let diagnostic =
                Diagnostic::warning("flow::extra-end", message, span, "the process ends before it");
            self.shared.diagnostics.push(diagnostic.help("leave it out"));
            stopped |= self.shared.take(".");
        }
        let (token, span) = self.shared.peek();
        if !stopped {
            let found = self.shared.quote(span);
            let message = format!("expected `.`, found {found}");
            let diagnostic = Diagnostic::error("flow::unexpected", message, span, "the process goes on here");
            self.shared
                .report(diagnostic.help("a process is one statement and a full stop: `begin .. end.`"));
            self.skip_to_declaration();
        } else if !ends_process(token) {
            self.report_stray(span);
        }
    }

    /// One statement; `None` where none can be read, which is reported.
    fn statement(&mut self, nesting: usize) -> Option<Statement> {
        let (token, span) = self.shared.peek();
        if nesting > MAX_NESTING {
            self.shared.report_too_deep(span);
            return None;
        }
        match token {
            Token::Word("begin") => {
                self.shared.next();
                let block = self.block(span, nesting + 1);
                Some(Statement { label: None, kind: StatementKind::Block(block), span })
            }
            Token::Word("while") => {
                let (test, head) = self.test("do");
                let body = self.inside(head, nesting);
                Some(Statement { label: None, kind: StatementKind::While(test, body), span: head })
            }
            Token::Word("if") => Some(self.conditional(nesting)),
            Token::Word("wait") => {
                self.shared.next();
                let test = self.shared.expression();
                let whole = span.to(test.span);
                Some(Statement { label: None, kind: StatementKind::Wait(test), span: whole })
            }
            Token::Word(word) if !RESERVED.contains(&word) => self.named(word, nesting),
            _ => {
                let help = "`begin`, `while`, `if`, `wait`, an assignment `x := e`, or `label: statement`";
                self.shared.report_expected("a statement", span, help);
                self.skip_statement();
                None
            }
        }
    }

    /// `while e do`, `if e then`: the test, and the place of the whole.
    fn test(&mut self, word: &str) -> (Expr, Span) {
        let (_, span) = self.shared.next();
        let test = self.shared.expression();
        let head = span.to(test.span);
        self.shared.expect_word(word, head);
        (test, head)
    }

    fn inside(&mut self, head: Span, nesting: usize) -> Box<Statement> {
        Box::new(self.statement(nesting + 1).unwrap_or_else(|| empty_statement(head)))
    }

    fn conditional(&mut self, nesting: usize) -> Statement {
        let (test, head) = self.test("then");
        let yes = self.inside(head, nesting);
        let mut no = None;
        if self.shared.peek().0 == Token::Word("else") {
            self.shared.next();
            no = Some(self.inside(head, nesting));
        }
        Statement { label: None, kind: StatementKind::If(test, yes, no), span: head }
    }

    /// Statements separated by `;`, up to `end`; empty ones are allowed, as in Pascal.
    fn block(&mut self, opened: Span, nesting: usize) -> Vec<Statement> {
        let mut block = Vec::new();
        loop {
            let (token, _) = self.shared.peek();
            if token == Token::Word("end") || ends_process(token) {
                self.shared.close("end", opened);
                return block;
            }
            if self.shared.take(";") {
                continue;
            }
            let errors_before = self.shared.error_count();
            block.extend(self.statement(nesting));
            let (token, span) = self.shared.peek();
            if token == Token::Sign(";") || token == Token::Word("end") || ends_process(token) {
                continue;
            }
            if self.shared.error_count() == errors_before {
                self.report_missing_semicolon(token, span);
            } else {
                self.skip_statement();
            }
        }
    }

    /// `x := e`, `a[i] := e`, `label: statement`
    fn named(&mut self, word: &str, nesting: usize) -> Option<Statement> {
        let (_, span) = self.shared.next();
        let (token, sign) = self.shared.peek();
        match token {
            Token::Sign(":") => {
                self.shared.next();
                let statement = self.statement(nesting + 1)?;
                Some(self.labelled(Name { text: word.to_owned(), span }, statement))
            }
            Token::Sign(":=" | "[") => {
                self.shared.lexer.at = span.start;
                let lvalue = self.shared.lvalue();
                self.shared.expect_sign(":=", "between the variable and its new value");
                let value = self.shared.expression();
                let whole = span.to(value.span);
                Some(Statement { label: None, kind: StatementKind::Assign(lvalue, value), span: whole })
            }
            _ => {
                self.report_no_statement(word, (token, sign), span);
                self.skip_statement();
                None
            }
        }
    }

    fn labelled(&mut self, label: Name, mut statement: Statement) -> Statement {
        if matches!(statement.kind, StatementKind::Block(_)) {
            let message = "`begin` is no node that could have a label";
            let diagnostic = Diagnostic::error("flow::label-of-block", message, label.span, "");
            self.shared.report(diagnostic.help("label a statement inside"));
        } else if let Some(first) = &statement.label {
            let diagnostic = Diagnostic::error("flow::two-labels", "a node has one label", label.span, "")
                .context(first.span, "the other label");
            self.shared.report(diagnostic);
        } else {
            statement.label = Some(label);
        }
        statement
    }
}

/// Errors, and recovery from them.
impl FileParser<'_> {
    fn report_no_statement(&mut self, word: &str, (token, sign): (Token<'_>, Span), span: Span) {
        let diagnostic = if token == Token::Sign("=") {
            let message = "`=` compares and does not assign";
            Diagnostic::error("flow::expected-assignment", message, sign, "")
                .help(format!("write `{word} := ..`"))
        } else {
            let message = format!("`{word}` alone is no statement");
            let meant = suggest::nearest(word, ["begin", "while", "if", "wait"]);
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("write `{word} := ..`, or `{word}: ..` for a label"),
            };
            Diagnostic::error("flow::expected-statement", message, span, "").help(help)
        };
        self.shared.report(diagnostic);
    }

    fn report_missing_semicolon(&mut self, token: Token<'_>, span: Span) {
        let found = self.shared.quote(span);
        let message = format!("expected `;` before {found}");
        let mut diagnostic = Diagnostic::error("flow::expected-semicolon", message, span, "");
        diagnostic = match token {
            Token::Word("else") => {
                diagnostic.help("`else` belongs to an `if` that is not yet ended by `;` or `end`")
            }
            _ => diagnostic.help("statements are separated by `;`"),
        };
        self.shared.report(diagnostic);
        if !matches!(token, Token::Word(word) if word != "else") {
            self.skip_statement();
        }
    }

    /// Moves to the end of the statement.
    fn skip_statement(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.shared.peek().0 {
                token if ends_process(token) => return,
                Token::Word("end") | Token::Sign(";") if open == 0 => return,
                Token::Word("begin") => open += 1,
                Token::Word("end") => open -= 1,
                _ => {}
            }
            self.shared.next();
        }
    }

    fn skip_to_declaration(&mut self) {
        while !ends_process(self.shared.peek().0) {
            self.shared.next();
        }
    }

    fn report_stray(&mut self, span: Span) {
        let found = self.shared.quote(span);
        let word = &self.shared.lexer.text[span.range()];
        let mut diagnostic = Diagnostic::error(
            "flow::expected-declaration",
            format!("expected a declaration, found {found}"),
            span,
            "`var`, `const`, `Process`, `define` or `property` may stand here",
        );
        if let Some(meant) = suggest::nearest(word, TOP_LEVEL) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        self.shared.report(diagnostic);
        self.skip_to_declaration();
    }
}

/// Does the process end here, closed or not?
fn ends_process(token: Token<'_>) -> bool {
    token == Token::End || matches!(token, Token::Word(word) if TOP_LEVEL.contains(&word))
}

/// In place of a statement that could not be read, which is reported.
fn empty_statement(span: Span) -> Statement {
    Statement { label: None, kind: StatementKind::Block(Vec::new()), span }
}
