//! Procedures from text: `procedure p(x, y) = statements`, and their calls.

use super::ast::{File, Procedure, Statement, StatementKind};
use super::parse::FileParser;
use crate::syntax::tree::Name;
use selvedge_ltl::source::Span;

impl FileParser<'_> {
    /// `p(x, y) = statements`, up to the next declaration.
    pub(super) fn procedure(&mut self, file: &mut File) {
        let Some(name) = self.shared.declared_name("a procedure") else {
            return self.shared.skip_declaration();
        };
        let mut parameters = Vec::new();
        if self.shared.take("(") && !self.shared.take(")") {
            while let Some(parameter) = self.shared.declared_name("a parameter") {
                parameters.push(parameter);
                if !self.shared.take(",") {
                    break;
                }
            }
            self.shared.expect_sign(")", "to close the parameters");
        }
        self.shared.expect_sign("=", "between the procedure and its statements");
        let body = self.body();
        file.procedures.push(Procedure { name, parameters, body });
    }

    /// `p(x, 1)`, behind the opening parenthesis.
    pub(super) fn call(&mut self, name: Name) -> Statement {
        let start = name.span;
        let (arguments, end) = self.shared.call_arguments();
        let span = Span::new(start.start, end.end.max(start.end));
        Statement { kind: StatementKind::Call(name, arguments), span }
    }
}
