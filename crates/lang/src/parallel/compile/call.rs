//! Calls of procedures, which are unfolded.
//!
//! A call is no step: the statements of the procedure stand in its place, with the arguments for the
//! parameters. An argument that is a variable or an element can be assigned. Other names of the procedure
//! mean what they mean at the call: the local variables of the calling process are visible.
//!
//! Promise: unfolding ends. A procedure that calls itself is refused, and so are procedures that are nested
//! too deep or make too many statements.

use super::{Compiler, OccurrenceId};
use crate::parallel::ast::Procedure;
use crate::syntax::MAX_NESTING;
use crate::syntax::function::{Bound, Call};
use crate::syntax::tree::{Expr, Name};
use rustc_hash::FxHashMap;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;

/// Procedures by name.
pub(in crate::parallel) type Procedures<'f> = FxHashMap<&'f str, &'f Procedure>;

/// The deepest nesting of statements, calls unfolded.
const MAX_UNFOLDED_NESTING: usize = 2 * MAX_NESTING;

/// A process with more statements calls no procedure.
const MAX_UNFOLDED: usize = 200_000;

impl Compiler<'_, '_> {
    /// The statements of the procedure.
    pub(super) fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Vec<OccurrenceId> {
        let Some(procedure) = self.procedures.get(name.text.as_str()).copied() else {
            self.unknown_procedure(name);
            return Vec::new();
        };
        if procedure.parameters.len() != arguments.len() {
            let parameters: Vec<&str> = procedure.parameters.iter().map(|name| name.text.as_str()).collect();
            self.resolver.wrong_arguments(name, &format!("{}({})", name.text, parameters.join(", ")));
            return Vec::new();
        }
        if self.resolver.is_recursive(name, ("the procedure", "calls", "procedures"))
            || self.is_too_large(span)
        {
            return Vec::new();
        }
        let bound: Vec<Bound> = arguments.iter().map(|argument| self.resolver.bind(argument)).collect();
        let outer = self.resolver.parameters.len();
        let parameters = procedure.parameters.iter().map(|name| name.text.clone()).zip(bound);
        self.resolver.parameters.extend(parameters);
        self.resolver.unfolding.calls.push(Call { name: name.text.clone(), span });
        let floor = std::mem::replace(&mut self.loop_floor, self.loops.len());
        let statements = self.block(&procedure.body);
        self.loop_floor = floor;
        self.resolver.unfolding.calls.pop();
        self.resolver.parameters.truncate(outer);
        statements
    }

    fn unknown_procedure(&mut self, name: &Name) {
        let message = format!("`{}` is not a procedure", name.text);
        let known = self.procedures.keys().copied();
        let help = match self.resolver.suggest(&name.text, (Severity::Error, name.span), known) {
            _ if self.resolver.scope.labels.contains_key(&name.text) => {
                format!("it is a statement: write `{}`", name.text)
            }
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare it: `procedure {}(x) = x := 1`, say", name.text),
        };
        let diagnostic = Diagnostic::error("par::unknown-procedure", message, name.span, "").help(help);
        self.resolver.report(diagnostic);
    }

    fn is_too_large(&mut self, span: Span) -> bool {
        let message = if self.nesting > MAX_UNFOLDED_NESTING {
            format!("statements are nested more than {MAX_UNFOLDED_NESTING} deep once calls are unfolded")
        } else if self.occurrences.len() > MAX_UNFOLDED {
            format!("the process has more than {MAX_UNFOLDED} statements once calls are unfolded")
        } else {
            return false;
        };
        self.resolver.report(Diagnostic::error("par::too-large", message, span, "this call goes too far"));
        true
    }

    /// The call that the statement comes from, if it comes from one: the outermost.
    pub(super) fn outermost_call(&self) -> Option<Span> {
        self.resolver.unfolding.calls.first().map(|call| call.span)
    }
}
