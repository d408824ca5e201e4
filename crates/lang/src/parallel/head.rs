//! The heads of processes, and `end` labels, from text.
//!
//! ```text
//! process p(i, j) for i in 1..N, j in 1..M: ..      a family with two parameters
//! process worker(job) max 3: ..                     three processes that `create worker(1)` starts
//! process urgent priority 2: ..                     moves before processes of a lower priority
//! end: receive c, x                                 waiting here for ever is no deadlock
//! ```

use super::ast::{Range, Statement, StatementKind};
use super::parse::FileParser;
use super::statement::closes;
use crate::syntax::token::Token;
use crate::syntax::tree::{Expr, Name};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The numbers of a family, or how many processes may be created with which parameters.
type Members = (Vec<Range>, Option<(Expr, Vec<Name>)>);

impl FileParser<'_> {
    /// What comes behind a process's name: `(i, j) for i in 1..N, j in 1..M`, `(job) max 3`.
    /// `None` if it cannot be read, which is reported.
    pub(super) fn members(&mut self) -> Option<Members> {
        let mut parameters = Vec::new();
        if self.shared.take("(") {
            parameters.push(self.shared.declared_name("the family's parameter")?);
            while self.shared.take(",") {
                parameters.push(self.shared.declared_name("the family's parameter")?);
            }
            self.shared.expect_sign(")", "behind the family's parameter");
        }
        if self.shared.peek().0 == Token::Word("max") {
            self.shared.next();
            return Some((Vec::new(), Some((self.shared.expression(), parameters))));
        }
        Some((self.ranges(&parameters)?, None))
    }

    /// `for i in 1..N, j in 1..M`, if there are parameters.
    fn ranges(&mut self, parameters: &[Name]) -> Option<Vec<Range>> {
        let mut ranges: Vec<Range> = Vec::new();
        if let Some(last) = parameters.last() {
            self.shared.expect_word("for", last.span);
        }
        for parameter in parameters {
            if !ranges.is_empty() {
                self.shared.expect_sign(",", &format!("before the numbers of `{}`", parameter.text));
            }
            let range = self.range("the family's parameter again")?;
            self.refuse_other_parameter(parameter, &range.variable);
            ranges.push(range);
        }
        Some(ranges)
    }

    fn refuse_other_parameter(&mut self, parameter: &Name, again: &Name) {
        if again.text != parameter.text {
            let message = format!("the family's parameter is `{}`, not `{}`", parameter.text, again.text);
            self.shared.report(Diagnostic::error("par::other-parameter", message, again.span, ""));
        }
    }

    /// `priority 2`, if it is there.
    pub(super) fn priority(&mut self) -> Option<Expr> {
        if self.shared.peek().0 != Token::Word("priority") {
            return None;
        }
        self.shared.next();
        Some(self.shared.expression())
    }

    /// `create worker(1)`, behind `create`.
    pub(super) fn create(&mut self, start: Span) -> Option<Statement> {
        let name = self.shared.declared_name("the process to be created")?;
        let mut arguments = Vec::new();
        let mut span = start.to(name.span);
        if self.shared.take("(") {
            arguments.push(self.shared.expression());
            while self.shared.take(",") {
                arguments.push(self.shared.expression());
            }
            span = start.to(self.shared.expect_sign(")", "to close the arguments"));
        }
        Some(Statement { kind: StatementKind::Create(name, arguments), span })
    }

    /// Does `end:` come next?
    pub(super) fn is_end_label(&self) -> bool {
        let mut lexer = self.shared.lexer;
        lexer.next().0 == Token::Word("end") && lexer.next().0 == Token::Sign(":")
    }

    /// `end:`, if a statement is behind it.
    pub(super) fn end_label(&mut self) -> Option<Statement> {
        let (_, start) = self.shared.next();
        let (_, end) = self.shared.next();
        let span = Span::new(start.start, end.end);
        if closes(self.shared.peek().0) && !self.is_end_label() {
            let message = "`end:` has no statement behind it";
            self.shared.report(
                Diagnostic::error("par::expected-statement", message, span, "")
                    .help("write it before the statement that may wait for ever"),
            );
            return None;
        }
        Some(Statement { kind: StatementKind::End, span })
    }
}
