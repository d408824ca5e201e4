//! Channels and messages from text.
//!
//! ```text
//! channel line[2];                        a channel with room for two messages
//! channel in[N][2] of (kind, value);      N channels, with messages of two fields
//! send in[i], (1, x)      in[i]!(1, x)    the same statement
//! receive in[i], (1, y)   in[i]?(1, y)
//! ```

use super::ast::{Channel, File, Statement, StatementKind};
use super::parse::FileParser;
use crate::syntax::token::{Lexer, Token};
use crate::syntax::tree::{Expr, Name};

impl FileParser<'_> {
    /// Channels, behind `channel`.
    pub(super) fn channels(&mut self, file: &mut File) {
        loop {
            let Some(name) = self.shared.declared_name("a channel") else {
                return self.shared.skip_declaration();
            };
            self.shared.expect_sign("[", "before the channel's capacity");
            let mut capacity = self.shared.expression();
            self.shared.expect_sign("]", "to close the capacity");
            let mut length = None;
            if self.shared.take("[") {
                length = Some(std::mem::replace(&mut capacity, self.shared.expression()));
                self.shared.expect_sign("]", "to close the capacity");
            }
            let fields = self.field_names();
            file.channels.push(Channel { name, length, capacity, fields });
            if !self.shared.take(",") {
                return self.shared.end_of_declaration();
            }
        }
    }

    /// `of (kind, value)`, if it is there.
    fn field_names(&mut self) -> Vec<Name> {
        let mut fields = Vec::new();
        if self.shared.peek().0 != Token::Word("of") {
            return fields;
        }
        self.shared.next();
        self.shared.expect_sign("(", "before the fields of a message");
        while let Some(field) = self.shared.declared_name("a field of a message") {
            fields.push(field);
            if !self.shared.take(",") {
                break;
            }
        }
        self.shared.expect_sign(")", "to close the fields");
        fields
    }

    /// `c, e` and `c[i], (e, x)`, behind `send` or `receive`.
    pub(super) fn message(&mut self, verb: &str) -> Option<StatementKind> {
        let (token, span) = self.shared.peek();
        if !matches!(token, Token::Word(word) if !crate::syntax::token::RESERVED.contains(&word)) {
            self.shared.report_expected("the name of a channel", span, "");
            self.skip_statement();
            return None;
        }
        let channel = self.shared.lvalue();
        let what = if verb == "send" { "sent" } else { "received" };
        self.shared.expect_sign(",", &format!("between the channel and what is to be {what}"));
        let fields = self.fields();
        Some(match verb {
            "send" => StatementKind::Send(channel, fields),
            _ => StatementKind::Receive(channel, fields),
        })
    }

    /// `!e`, `!(e, e)`, `?x` and `?(x, y)`, behind a channel.
    pub(super) fn message_by_sign(&mut self, channel: Expr, sign: &str) -> Statement {
        self.shared.next();
        let start = channel.span;
        let fields = self.fields();
        let span = fields.last().map_or(start, |last| start.to(last.span));
        let kind = match sign {
            "!" => StatementKind::Send(channel, fields),
            _ => StatementKind::Receive(channel, fields),
        };
        Statement { kind, span }
    }

    /// One field, or several in parentheses.
    fn fields(&mut self) -> Vec<Expr> {
        if !has_several_fields(self.shared.lexer) {
            return vec![self.shared.expression()];
        }
        self.shared.next();
        let mut fields = vec![self.shared.expression()];
        while self.shared.take(",") {
            fields.push(self.shared.expression());
        }
        self.shared.expect_sign(")", "to close the message");
        fields
    }
}

/// Does a parenthesis come next, with a comma in it?
fn has_several_fields(mut lexer: Lexer<'_>) -> bool {
    if lexer.next().0 != Token::Sign("(") {
        return false;
    }
    let mut open = 1_usize;
    loop {
        match lexer.next().0 {
            Token::Sign("(" | "[") => open += 1,
            Token::Sign(")" | "]") => open -= 1,
            Token::Sign(",") if open == 1 => return true,
            Token::Sign(";") | Token::End => return false,
            _ => {}
        }
        if open == 0 {
            return false;
        }
    }
}
