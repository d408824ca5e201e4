//! `timeout`, the places where a process may wait for ever, and `create`.

use super::{Compiler, ContinuationId, EMPTY, StatementText};
use crate::flow_graph::Node;
use crate::parallel::ast::Statement;
use crate::parallel::create::creation;
use crate::syntax::tree::{Expr, Name};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Compiler<'_, '_> {
    /// Is this the statement `timeout`? A declared statement may have that name.
    pub(super) fn is_timeout(&self, name: &str) -> bool {
        name == "timeout" && !self.resolver.scope.labels.contains_key(name)
    }

    /// `timeout`
    pub(super) fn timeout(&mut self, span: Span) -> Option<StatementText> {
        let why = "whether other processes can go on is asked between steps";
        self.refuse_in_atomic("`timeout`", why, span)?;
        Some(StatementText::Timeout)
    }

    /// `end:`
    pub(super) fn end_label(&mut self, span: Span) -> Option<StatementText> {
        self.refuse_in_atomic("`end:`", "an `atomic` is one step, and no state lies inside it", span)?;
        Some(StatementText::End)
    }

    /// What `create` stands for.
    pub(super) fn create(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Option<Statement> {
        let wrong = match creation(self.resolver.scope, name, arguments, span) {
            Ok(statement) => return Some(statement),
            Err(wrong) => wrong,
        };
        let text = &name.text;
        let diagnostic = match wrong {
            None => Diagnostic::error(
                "par::unknown-process",
                format!("no process `{text}` can be created"),
                name.span,
                "",
            )
            .help(format!("declare it: `process {text} max 2: skip`")),
            Some(count) => Diagnostic::error(
                "par::wrong-arguments",
                format!("`{text}` is created with {count} arguments, not {}", arguments.len()),
                span,
                "",
            ),
        };
        self.resolver.report(diagnostic);
        None
    }

    fn refuse_in_atomic(&mut self, what: &str, why: &str, span: Span) -> Option<()> {
        if !self.in_atomic {
            return Some(());
        }
        let message = format!("{what} cannot stand inside `atomic`");
        let diagnostic = Diagnostic::error("par::waits-in-atomic", message, span, why);
        self.resolver.report(diagnostic.help("write it before the `atomic`"));
        None
    }

    /// The continuation behind the `end` labels at its beginning, which mark the node.
    pub(super) fn behind_end_labels(
        &self,
        mut continuation: ContinuationId,
        node: &mut Node,
    ) -> ContinuationId {
        while continuation != EMPTY {
            let (first, after) = self.continuations[continuation as usize];
            if self.occurrences[first as usize].text != StatementText::End {
                break;
            }
            node.is_end = true;
            continuation = after;
        }
        continuation
    }
}
