//! Guards: what may be called in them.

use super::super::tree::{CallTarget, Expr, ExprKind, Guard};
use super::Lint;
use super::environment::Environment;
use super::known::is_guard_function;
use selvedge_ltl::diagnostic::Diagnostic;

impl Lint {
    pub(super) fn guard(&mut self, guard: &Guard, environment: &Environment) {
        for test in guard.0.iter().flatten() {
            self.guard_expr(test, environment);
        }
    }

    /// An expression without effects and without calls of the program's own functions.
    pub(super) fn guard_expr(&mut self, expr: &Expr, environment: &Environment) {
        let mut parts: Vec<&Expr> = Vec::new();
        match &expr.kind {
            ExprKind::Variable(name) => return self.variable(name, expr.span, environment),
            ExprKind::Atom(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Nil
            | ExprKind::RecordIndex { .. } => {}
            ExprKind::List { elements, tail } => {
                parts.extend(elements);
                parts.extend(tail.as_deref());
            }
            ExprKind::Tuple(elements) => parts.extend(elements),
            ExprKind::Map(fields) => {
                parts.extend(fields.iter().flat_map(|field| [&field.kind.key, &field.kind.value]));
            }
            ExprKind::MapUpdate { map, fields } => {
                parts.push(map);
                parts.extend(fields.iter().flat_map(|field| [&field.kind.key, &field.kind.value]));
            }
            ExprKind::Record { name, fields, others } => {
                self.record_fields(name, fields.iter().map(|field| &field.name));
                parts.extend(fields.iter().map(|field| &field.value));
                parts.extend(others.as_deref());
            }
            ExprKind::RecordAccess { record, name, field } => {
                self.record_fields(name, [field]);
                parts.push(record);
            }
            ExprKind::Binary(segments) => {
                for segment in segments {
                    parts.push(&segment.kind.value);
                    parts.extend(segment.kind.size.as_deref());
                }
            }
            ExprKind::UnaryOp { operand, .. } => parts.push(operand),
            ExprKind::BinaryOp { left, right, .. }
            | ExprKind::AndAlso(left, right)
            | ExprKind::OrElse(left, right) => parts.extend([&**left, &**right]),
            ExprKind::Call { target, arguments } => {
                self.guard_call(expr, target, arguments.len());
                parts.extend(arguments);
            }
            _ => self.no_guard(expr, "this is no test"),
        }
        parts.into_iter().for_each(|part| self.guard_expr(part, environment));
    }

    fn guard_call(&mut self, expr: &Expr, target: &CallTarget, arity: usize) {
        let name = match target {
            CallTarget::Local(name) => &name.kind,
            CallTarget::Remote { module, function } => match (&module.kind, &function.kind) {
                (ExprKind::Atom(module), ExprKind::Atom(function)) if &**module == "erlang" => function,
                _ => return self.no_guard(expr, "a guard calls built-in functions alone"),
            },
            CallTarget::Fun(_) => return self.no_guard(expr, "a guard calls no funs"),
        };
        // Operators are functions too: `erlang:'+'(1, 2)`.
        let is_operator = !name.starts_with(|c: char| c.is_ascii_lowercase());
        if !is_guard_function(name, arity) && !is_operator {
            self.no_guard(expr, "a guard calls built-in functions alone");
        }
    }

    fn no_guard(&mut self, expr: &Expr, label: &str) {
        let error = Diagnostic::error("erlang::guard", "this cannot stand in a guard", expr.span, label);
        self.report.add(error.help("compute it before, and test the variable"));
    }
}
