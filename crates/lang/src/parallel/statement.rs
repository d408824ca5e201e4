//! Statements of PARALLEL from text.
//!
//! A statement that cannot be read is skipped up to the next `;` or the next closing word, and reading
//! continues.

use super::ast::{Block, Printed, Statement, StatementKind};
use super::dialect::TOP_LEVEL;
use super::parse::FileParser;
use crate::syntax::MAX_NESTING;
use crate::syntax::token::{RESERVED, Token};
use crate::syntax::tree::{Expr, Name};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// Words and signs that end a sequence of statements.
pub(super) fn closes(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => {
            matches!(word, "fi" | "od" | "forever" | "else" | "elif" | "end" | "then" | "do")
                || TOP_LEVEL.contains(&word)
        }
        Token::Sign(sign) => matches!(sign, ")" | "|"),
        Token::End => true,
        Token::Number(_) | Token::Text(_) | Token::Other(_) => false,
    }
}

impl FileParser<'_> {
    /// Statements separated by `;`, up to what closes them. A trailing `;` is allowed.
    pub(super) fn block(&mut self, nesting: usize) -> Block {
        let mut block = Vec::new();
        if nesting > MAX_NESTING {
            let (_, span) = self.shared.peek();
            self.shared.report_too_deep(span);
            return block;
        }
        loop {
            let (token, span) = self.shared.peek();
            if self.is_end_label() {
                block.extend(self.end_label());
                continue;
            }
            if closes(token) {
                return block;
            }
            if token == Token::Sign(";") {
                self.shared.next();
                self.shared.report(
                    Diagnostic::error("par::expected-statement", "`;` without a statement", span, "")
                        .help("`;` stands between statements; write `skip` for one that does nothing"),
                );
                continue;
            }
            let errors_before = self.shared.error_count();
            block.extend(self.statement(nesting));
            let (token, span) = self.shared.peek();
            if token == Token::Sign(";") {
                self.shared.next();
            } else if !closes(token) {
                if self.shared.error_count() == errors_before {
                    self.report_missing_semicolon(span);
                } else {
                    self.skip_statement();
                }
            }
        }
    }

    fn statement(&mut self, nesting: usize) -> Option<Statement> {
        let (token, span) = self.shared.next();
        let kind = match token {
            Token::Word("skip") => StatementKind::Skip,
            Token::Word("break") => StatementKind::Break,
            Token::Word("if") => return Some(self.conditional(span, nesting)),
            Token::Word("while") => {
                let test = self.shared.expression();
                let head = span.to(test.span);
                self.shared.expect_word("do", head);
                let body = self.block(nesting + 1);
                self.shared.close("od", span);
                return Some(Statement { kind: StatementKind::While(test, body), span: head });
            }
            Token::Word("for") => return self.for_each(span, nesting),
            Token::Word("repeat") => {
                let body = self.block(nesting + 1);
                self.shared.close("forever", span);
                StatementKind::Repeat(body)
            }
            Token::Sign("(") => {
                let body = self.block(nesting + 1);
                self.shared.expect_sign(")", "to close the group");
                StatementKind::Group(body)
            }
            Token::Word("await") => StatementKind::Await(self.shared.expression()),
            Token::Word("choose") if self.is_choice_of_number() => self.choice_of_number(),
            Token::Word("choose") => self.choice(span, nesting),
            Token::Word("atomic") => {
                let body = self.block(nesting + 1);
                self.shared.close("end", span);
                StatementKind::Atomic(body)
            }
            Token::Word("assert") => StatementKind::Assert(self.shared.expression()),
            Token::Word("print") => self.print(),
            Token::Word(verb @ ("send" | "receive")) => self.message(verb)?,
            Token::Word("local") => return self.refuse_late_local(span),
            Token::Word(word) if !RESERVED.contains(&word) => return self.named(word, span),
            _ => {
                self.shared.lexer.at = span.start;
                let help = "`skip`, an assignment `x := e`, `if`, `while`, `repeat`, or a declared statement";
                self.shared.report_expected("a statement", span, help);
                self.skip_statement();
                return None;
            }
        };
        Some(Statement { kind, span: Span::new(span.start, self.head_end(span)) })
    }

    /// The end of the statement's first line, for messages that point at it.
    fn head_end(&self, start: Span) -> usize {
        let read = &self.shared.lexer.text[start.start..self.shared.lexer.at.max(start.end)];
        start.start + read.find('\n').unwrap_or(read.len())
    }

    fn conditional(&mut self, span: Span, nesting: usize) -> Statement {
        let test = self.shared.expression();
        let head = span.to(test.span);
        self.shared.expect_word("then", head);
        let yes = self.block(nesting + 1);
        let no = match self.shared.peek() {
            (Token::Word("elif"), elif) => {
                self.shared.next();
                // What is too deep is reported by the block inside, and the rest of the text left unread.
                vec![self.conditional(elif, nesting + 1)]
            }
            (Token::Word("else"), _) => {
                self.shared.next();
                let no = self.block(nesting + 1);
                self.shared.close("fi", span);
                no
            }
            _ => {
                self.shared.close("fi", span);
                Vec::new()
            }
        };
        Statement { kind: StatementKind::If(test, yes, no), span: head }
    }

    /// `for i in 1..N do .. od`
    fn for_each(&mut self, span: Span, nesting: usize) -> Option<Statement> {
        let Some(range) = self.range("the variable of `for`") else {
            self.skip_statement();
            return None;
        };
        let head = span.to(range.last.span);
        self.shared.expect_word("do", head);
        let body = self.block(nesting + 1);
        self.shared.close("od", span);
        Some(Statement { kind: StatementKind::For(range, body), span: head })
    }

    /// Does `x in` or `a[i] in` come next?
    fn is_choice_of_number(&self) -> bool {
        let mut lexer = self.shared.lexer;
        if !matches!(lexer.next().0, Token::Word(word) if !RESERVED.contains(&word)) {
            return false;
        }
        let mut open = 0_usize;
        loop {
            match lexer.next().0 {
                Token::Sign("[") => open += 1,
                Token::Sign("]") if open > 0 => open -= 1,
                Token::Word("in") if open == 0 => return true,
                Token::Sign(".") if open == 0 && matches!(lexer.next().0, Token::Word(_)) => {}
                Token::End => return false,
                _ if open == 0 => return false,
                _ => {}
            }
        }
    }

    /// `x in 1..N`, behind `choose`.
    fn choice_of_number(&mut self) -> StatementKind {
        let lvalue = self.shared.lvalue();
        let (first, last) = self.bounds(lvalue.span);
        StatementKind::ChooseIn(lvalue, first, last)
    }

    fn choice(&mut self, span: Span, nesting: usize) -> StatementKind {
        let mut branches = vec![self.block(nesting + 1)];
        while self.shared.peek().0 == Token::Sign("|") {
            self.shared.next();
            branches.push(self.block(nesting + 1));
        }
        if self.shared.peek().0 == Token::Word("else") {
            self.shared.next();
            let otherwise = self.block(nesting + 1);
            self.shared.close("end", span);
            return StatementKind::ChooseElse(branches, otherwise);
        }
        self.shared.close("end", span);
        StatementKind::Choose(branches)
    }

    /// `x, y := e, f`, behind the first variable.
    fn together(&mut self, first: Expr) -> Statement {
        let start = first.span;
        let mut lvalues = vec![first];
        while self.shared.take(",") {
            lvalues.push(self.shared.lvalue());
        }
        let sign = self.shared.expect_sign(":=", "between the variables and their new values");
        let mut values = vec![self.shared.expression()];
        while self.shared.take(",") {
            values.push(self.shared.expression());
        }
        let span = start.to(values.last().map_or(sign, |value| value.span));
        if lvalues.len() != values.len() {
            let plural = if values.len() == 1 { "" } else { "s" };
            let message = format!("{} variables are assigned {} value{plural}", lvalues.len(), values.len());
            self.shared.report(
                Diagnostic::error("par::other-number", message, span, "")
                    .help("write one value for each variable: `x, y := y, x`"),
            );
        }
        Statement { kind: StatementKind::AssignAll(lvalues.into_iter().zip(values).collect()), span }
    }

    fn print(&mut self) -> StatementKind {
        let mut printed = Vec::new();
        loop {
            if let (Token::Text(text), _) = self.shared.peek() {
                self.shared.next();
                printed.push(Printed::Text(text.to_owned()));
            } else {
                printed.push(Printed::Value(self.shared.expression()));
            }
            if self.shared.peek().0 != Token::Sign(",") {
                return StatementKind::Print(printed);
            }
            self.shared.next();
        }
    }

    /// `x := e`, `a[i] := e`, a call, or a user statement.
    fn named(&mut self, word: &str, span: Span) -> Option<Statement> {
        let (token, sign) = self.shared.peek();
        match token {
            Token::Sign(":=" | "[" | "," | "." | "!" | "?") => {
                self.shared.lexer.at = span.start;
                let lvalue = self.shared.lvalue();
                if self.shared.peek().0 == Token::Sign(",") {
                    return Some(self.together(lvalue));
                }
                if let Token::Sign(sign @ ("!" | "?")) = self.shared.peek().0 {
                    return Some(self.message_by_sign(lvalue, sign));
                }
                self.shared.expect_sign(":=", "between the variable and its new value");
                let value = self.shared.assigned_value();
                let whole = span.to(value.span);
                Some(Statement { kind: StatementKind::Assign(lvalue, value), span: whole })
            }
            Token::Sign("(") if sign.start == span.end => {
                Some(self.call(Name { text: word.to_owned(), span }))
            }
            Token::Sign("=") => {
                self.shared.report(
                    Diagnostic::error(
                        "par::expected-assignment",
                        "`=` compares and does not assign",
                        sign,
                        "",
                    )
                    .help(format!("write `{word} := ..`")),
                );
                self.skip_statement();
                None
            }
            Token::Word(next) if word == "create" && !RESERVED.contains(&next) => self.create(span),
            _ => {
                let name = Name { text: word.to_owned(), span };
                Some(Statement { kind: StatementKind::User(name), span })
            }
        }
    }

    fn refuse_late_local(&mut self, span: Span) -> Option<Statement> {
        let message = "locals are declared before the first statement of their process";
        self.shared.report(
            Diagnostic::error("par::late-local", message, span, "statements come before it")
                .help("move it up, behind `process ..:`"),
        );
        self.skip_statement();
        None
    }

    fn report_missing_semicolon(&mut self, span: Span) {
        let found = self.shared.quote(span);
        self.shared.report(
            Diagnostic::error("par::expected-semicolon", format!("expected `;` before {found}"), span, "")
                .help("statements are separated by `;`"),
        );
        if !matches!(self.shared.peek().0, Token::Word(_) | Token::Sign("(")) {
            self.skip_statement();
        }
    }

    /// Moves to the end of the statement.
    pub(super) fn skip_statement(&mut self) {
        loop {
            let (token, _) = self.shared.peek();
            if token == Token::Sign(";") || closes(token) {
                return;
            }
            self.shared.next();
        }
    }
}
