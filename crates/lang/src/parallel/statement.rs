//! Statements from text.
//!
//! A statement that cannot be read is skipped up to the next `;` or the next closing word, and reading goes on.

use super::ast::{Block, Expr, ExprKind, Name, Printed, Statement, StatementKind};
use super::parse::{MAX_NESTING, Parser};
use super::token::{RESERVED, TOP_LEVEL, Token};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// Words and signs that end a sequence of statements.
fn closes(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => {
            matches!(word, "fi" | "od" | "forever" | "else" | "end" | "then" | "do")
                || TOP_LEVEL.contains(&word)
        }
        Token::Sign(sign) => matches!(sign, ")" | "|"),
        Token::End => true,
        Token::Number(_) | Token::Text(_) | Token::Other(_) => false,
    }
}

impl<'a> Parser<'a> {
    /// Statements separated by `;`, up to what closes them. A trailing `;` is allowed.
    pub(crate) fn block(&mut self, nesting: usize) -> Block {
        let mut block = Vec::new();
        if nesting > MAX_NESTING {
            let (_, span) = self.peek();
            self.too_deep(span);
            return block;
        }
        loop {
            let (token, span) = self.peek();
            if closes(token) {
                return block;
            }
            if token == Token::Sign(";") {
                self.next();
                self.report(
                    Diagnostic::error("par::expected-statement", "`;` without a statement", span, "")
                        .help("`;` stands between statements; write `skip` for one that does nothing"),
                );
                continue;
            }
            let before = self.complaints();
            block.extend(self.statement(nesting));
            let (token, span) = self.peek();
            if token == Token::Sign(";") {
                self.next();
            } else if !closes(token) {
                if self.complaints() == before {
                    self.missing_semicolon(span);
                } else {
                    self.skip_statement();
                }
            }
        }
    }

    fn statement(&mut self, nesting: usize) -> Option<Statement> {
        let (token, span) = self.next();
        let kind = match token {
            Token::Word("skip") => StatementKind::Skip,
            Token::Word("if") => return Some(self.conditional(span, nesting)),
            Token::Word("while") => {
                let test = self.expression();
                let head = span.to(test.span);
                self.expect_word("do", head);
                let body = self.block(nesting + 1);
                self.close("od", span);
                return Some(Statement { kind: StatementKind::While(test, body), span: head });
            }
            Token::Word("repeat") => {
                let body = self.block(nesting + 1);
                self.close("forever", span);
                StatementKind::Repeat(body)
            }
            Token::Sign("(") => {
                let body = self.block(nesting + 1);
                self.expect_sign(")", "to close the group");
                StatementKind::Group(body)
            }
            Token::Word("await") => StatementKind::Await(self.expression()),
            Token::Word("choose") => self.choice(span, nesting),
            Token::Word("atomic") => {
                let body = self.block(nesting + 1);
                self.close("end", span);
                StatementKind::Atomic(body)
            }
            Token::Word("assert") => StatementKind::Assert(self.expression()),
            Token::Word("print") => self.print(),
            Token::Word(verb @ ("send" | "receive")) => self.message(verb, span)?,
            Token::Word("local") => return self.late_local(span),
            Token::Word(word) if !RESERVED.contains(&word) => return self.named(word, span),
            _ => {
                self.lexer.at = span.start;
                let help = "`skip`, an assignment `x := e`, `if`, `while`, `repeat`, or a declared statement";
                self.expected("a statement", span, help);
                self.skip_statement();
                return None;
            }
        };
        Some(Statement { kind, span: Span::new(span.start, self.head_end(span)) })
    }

    /// Where the statement's first line ends, for messages that point at it.
    fn head_end(&self, start: Span) -> usize {
        let read = &self.lexer.text[start.start..self.lexer.at.max(start.end)];
        start.start + read.find('\n').unwrap_or(read.len())
    }

    fn conditional(&mut self, span: Span, nesting: usize) -> Statement {
        let test = self.expression();
        let head = span.to(test.span);
        self.expect_word("then", head);
        let yes = self.block(nesting + 1);
        let mut no = Vec::new();
        if self.peek().0 == Token::Word("else") {
            self.next();
            no = self.block(nesting + 1);
        }
        self.close("fi", span);
        Statement { kind: StatementKind::If(test, yes, no), span: head }
    }

    fn choice(&mut self, span: Span, nesting: usize) -> StatementKind {
        let mut branches = vec![self.block(nesting + 1)];
        while self.peek().0 == Token::Sign("|") {
            self.next();
            branches.push(self.block(nesting + 1));
        }
        self.close("end", span);
        StatementKind::Choose(branches)
    }

    fn print(&mut self) -> StatementKind {
        let mut printed = Vec::new();
        loop {
            if let (Token::Text(text), _) = self.peek() {
                self.next();
                printed.push(Printed::Text(text.to_owned()));
            } else {
                printed.push(Printed::Value(self.expression()));
            }
            if self.peek().0 != Token::Sign(",") {
                return StatementKind::Print(printed);
            }
            self.next();
        }
    }

    /// `send c, e` and `receive c, x`.
    fn message(&mut self, verb: &str, span: Span) -> Option<StatementKind> {
        let channel = self.declared_name("the name of a channel")?;
        self.expect_sign(",", &format!("between the channel and what is to be {}", done(verb)));
        let value = self.expression();
        if verb == "send" {
            return Some(StatementKind::Send(channel, value));
        }
        self.check_place(&value, span);
        Some(StatementKind::Receive(channel, value))
    }

    /// `x := e`, `a[i] := e`, or a statement of the user's.
    fn named(&mut self, word: &str, span: Span) -> Option<Statement> {
        let (token, sign) = self.peek();
        match token {
            Token::Sign(":=" | "[") => {
                self.lexer.at = span.start;
                let place = self.place();
                self.expect_sign(":=", "between the variable and its new value");
                let value = self.expression();
                let whole = span.to(value.span);
                Some(Statement { kind: StatementKind::Assign(place, value), span: whole })
            }
            Token::Sign("=") => {
                self.report(
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
            _ => {
                let name = Name { text: word.to_owned(), span };
                Some(Statement { kind: StatementKind::User(name), span })
            }
        }
    }

    /// A variable or an element of an array.
    pub(crate) fn place(&mut self) -> Expr {
        let (token, span) = self.next();
        let Token::Word(word) = token else { return Expr { kind: ExprKind::Broken, span } };
        if self.peek().0 != Token::Sign("[") {
            return Expr { kind: ExprKind::Name(word.to_owned()), span };
        }
        self.next();
        let index = self.expression();
        let end = self.expect_sign("]", "to close the index");
        let name = Name { text: word.to_owned(), span };
        Expr { kind: ExprKind::Element(name, Box::new(index)), span: span.to(end) }
    }

    fn check_place(&mut self, place: &Expr, verb: Span) {
        if !matches!(place.kind, ExprKind::Name(_) | ExprKind::Element(..) | ExprKind::Broken) {
            self.report(
                Diagnostic::error(
                    "par::expected-variable",
                    "a value needs a variable to go to",
                    place.span,
                    "",
                )
                .context(verb, "what is received goes there")
                .help("write `receive c, x`"),
            );
        }
    }

    fn late_local(&mut self, span: Span) -> Option<Statement> {
        let message = "locals are declared before the first statement of their process";
        self.report(
            Diagnostic::error("par::late-local", message, span, "statements come before it")
                .help("move it up, behind `process ..:`"),
        );
        self.skip_statement();
        None
    }

    fn missing_semicolon(&mut self, span: Span) {
        let found = self.found(span);
        self.report(
            Diagnostic::error("par::expected-semicolon", format!("expected `;` before {found}"), span, "")
                .help("statements are separated by `;`"),
        );
        if !matches!(self.peek().0, Token::Word(_) | Token::Sign("(")) {
            self.skip_statement();
        }
    }

    /// Moves to where the next statement may begin.
    fn skip_statement(&mut self) {
        loop {
            let (token, _) = self.peek();
            if token == Token::Sign(";") || closes(token) {
                return;
            }
            self.next();
        }
    }
}

fn done(verb: &str) -> &'static str {
    if verb == "send" { "sent" } else { "received" }
}
