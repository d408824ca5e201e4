//! Expressions: what they bind, call and use.
//!
//! The parts of an expression are evaluated with the same variables, and what each of them binds is bound
//! after it: `{X = 1, X}` uses an unbound `X`.

use super::super::tree::{
    CallTarget, CatchClause, Clause, Expr, ExprKind, NameArity, Pattern, Qualifier, QualifierKind, Segment,
};
use super::Lint;
use super::environment::Environment;
use selvedge_ltl::source::Span;

impl Lint {
    /// A clause: its patterns, its guard, its body.
    pub(super) fn clause(&mut self, clause: &Clause, environment: &mut Environment) {
        let outer = environment.clone();
        for pattern in &clause.kind.patterns {
            self.pattern(pattern, &outer, environment);
        }
        self.guard(&clause.kind.guard, environment);
        self.body(&clause.kind.body, environment);
    }

    fn body(&mut self, body: &[Expr], environment: &mut Environment) {
        body.iter().for_each(|expr| self.expr(expr, environment));
    }

    /// Parts that are evaluated with the same variables.
    fn parts<'a>(&mut self, parts: impl IntoIterator<Item = &'a Expr>, environment: &mut Environment) {
        let mut bound: Vec<Environment> = Vec::new();
        for part in parts {
            if is_leaf(part) {
                self.expr(part, environment);
                continue;
            }
            let mut after = environment.clone();
            self.expr(part, &mut after);
            bound.push(after);
        }
        bound.into_iter().for_each(|part| environment.add(part));
    }

    /// Checks an expression, and adds the variables that it binds.
    pub(super) fn expr(&mut self, expr: &Expr, environment: &mut Environment) {
        match &expr.kind {
            ExprKind::Variable(name) => self.variable(name, expr.span, environment),
            ExprKind::List { elements, tail } => {
                self.parts(elements.iter().chain(tail.as_deref()), environment);
            }
            ExprKind::Tuple(elements) => self.parts(elements, environment),
            ExprKind::Binary(segments) => self.parts(segments.iter().flat_map(segment_parts), environment),
            ExprKind::Match { pattern, value } | ExprKind::MaybeMatch { pattern, value } => {
                self.expr(value, environment);
                self.pattern(pattern, &environment.clone(), environment);
            }
            ExprKind::UnaryOp { operand, .. } => self.expr(operand, environment),
            ExprKind::BinaryOp { left, right, .. } | ExprKind::Send(left, right) => {
                self.parts([&**left, &**right], environment);
            }
            ExprKind::AndAlso(left, right) => self.short_circuit(left, right, "andalso", environment),
            ExprKind::OrElse(left, right) => self.short_circuit(left, right, "orelse", environment),
            ExprKind::Call { target, arguments } => self.call(target, arguments, environment),
            ExprKind::FunLocal(name) => self.local_function(name, expr.span),
            ExprKind::FunRemote { module, function, arity } => {
                self.parts([&**module, &**function, &**arity], environment);
            }
            ExprKind::Map(_)
            | ExprKind::MapUpdate { .. }
            | ExprKind::Record { .. }
            | ExprKind::RecordUpdate { .. }
            | ExprKind::RecordAccess { .. }
            | ExprKind::RecordIndex { .. } => self.sharp(&expr.kind, environment),
            ExprKind::ListComprehension { template, qualifiers }
            | ExprKind::BinaryComprehension { template, qualifiers } => {
                self.comprehension(qualifiers, &[template], environment);
            }
            ExprKind::MapComprehension { key, value, qualifiers } => {
                self.comprehension(qualifiers, &[key, value], environment);
            }
            ExprKind::Atom(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Nil => {}
            _ => self.block(expr, environment),
        }
    }

    fn short_circuit(
        &mut self,
        left: &Expr,
        right: &Expr,
        construct: &'static str,
        environment: &mut Environment,
    ) {
        self.expr(left, environment);
        let mut after = environment.clone();
        self.expr(right, &mut after);
        environment.add_unsafe(after, construct, right.span);
    }

    fn call(&mut self, target: &CallTarget, arguments: &[Expr], environment: &mut Environment) {
        match target {
            CallTarget::Local(name) => {
                let function = NameArity { name: name.kind.clone(), arity: arguments.len() };
                self.local_function(&function, name.span);
                self.parts(arguments, environment);
            }
            CallTarget::Remote { module, function } => {
                self.parts([&**module, &**function].into_iter().chain(arguments), environment);
            }
            CallTarget::Fun(fun) => self.parts(std::iter::once(&**fun).chain(arguments), environment),
        }
    }

    /// Maps and records.
    fn sharp(&mut self, kind: &ExprKind, environment: &mut Environment) {
        match kind {
            ExprKind::Map(fields) => {
                let parts = fields.iter().flat_map(|field| [&field.kind.key, &field.kind.value]);
                self.parts(parts, environment);
            }
            ExprKind::MapUpdate { map, fields } => {
                let parts = fields.iter().flat_map(|field| [&field.kind.key, &field.kind.value]);
                self.parts(std::iter::once(&**map).chain(parts), environment);
            }
            ExprKind::Record { name, fields, others } => {
                self.record_fields(name, fields.iter().map(|field| &field.name));
                self.parts(fields.iter().map(|field| &field.value).chain(others.as_deref()), environment);
            }
            ExprKind::RecordUpdate { record, name, fields } => {
                self.record_fields(name, fields.iter().map(|field| &field.name));
                let parts = fields.iter().map(|field| &field.value);
                self.parts(std::iter::once(&**record).chain(parts), environment);
            }
            ExprKind::RecordAccess { record, name, field } => {
                self.record_fields(name, [field]);
                self.expr(record, environment);
            }
            ExprKind::RecordIndex { name, field } => self.record_fields(name, [field]),
            _ => {}
        }
    }

    /// What a keyword begins.
    fn block(&mut self, expr: &Expr, environment: &mut Environment) {
        match &expr.kind {
            ExprKind::Block(body) => self.body(body, environment),
            ExprKind::If(clauses) => self.branches(clauses, None, "if", expr.span, environment),
            ExprKind::Case { argument, clauses } => {
                self.expr(argument, environment);
                self.branches(clauses, None, "case", expr.span, environment);
            }
            ExprKind::Receive { clauses, after } => {
                let after = after.as_deref().map(|after| (&after.timeout, after.body.as_slice()));
                self.branches(clauses, after, "receive", expr.span, environment);
            }
            ExprKind::Try { body, clauses, catch, after } => {
                self.try_block(body, clauses, catch, after, expr.span, environment);
            }
            ExprKind::Maybe { body, clauses } => {
                let mut inside = environment.clone();
                self.body(body, &mut inside);
                environment.add_unsafe(inside, "maybe", expr.span);
                let mut ends = Vec::new();
                for clause in clauses {
                    let mut branch = environment.clone();
                    self.clause(clause, &mut branch);
                    ends.push(branch);
                }
                ends.into_iter().for_each(|end| environment.add_unsafe(end, "maybe", expr.span));
            }
            ExprKind::Catch(operand) => {
                let mut inside = environment.clone();
                self.expr(operand, &mut inside);
                environment.add_unsafe(inside, "catch", expr.span);
            }
            ExprKind::Fun { name, clauses } => {
                let mut outer = environment.clone();
                if let Some(name) = name {
                    outer.bind(&name.kind);
                }
                clauses.iter().for_each(|clause| self.hiding_clause(clause, &outer));
            }
            _ => {}
        }
    }

    /// Clauses of which one is evaluated.
    fn branches(
        &mut self,
        clauses: &[Clause],
        after: Option<(&Expr, &[Expr])>,
        construct: &'static str,
        span: Span,
        environment: &mut Environment,
    ) {
        let mut ends = Vec::new();
        for clause in clauses {
            let mut branch = environment.clone();
            self.clause(clause, &mut branch);
            ends.push(branch);
        }
        if let Some((timeout, body)) = after {
            let mut branch = environment.clone();
            self.expr(timeout, &mut branch);
            self.body(body, &mut branch);
            ends.push(branch);
        }
        environment.add_branches(ends, construct, span);
    }

    /// The clause of a fun, whose parameters hide the variables outside.
    fn hiding_clause(&mut self, clause: &Clause, outer: &Environment) {
        let mut parameters = Environment::default();
        for pattern in &clause.kind.patterns {
            self.pattern(pattern, outer, &mut parameters);
        }
        let mut inside = outer.clone();
        inside.hide(parameters);
        self.guard(&clause.kind.guard, &inside);
        self.body(&clause.kind.body, &mut inside);
    }

    fn try_block(
        &mut self,
        body: &[Expr],
        clauses: &[Clause],
        catch: &[CatchClause],
        after: &[Expr],
        span: Span,
        environment: &mut Environment,
    ) {
        let mut inside = environment.clone();
        self.body(body, &mut inside);
        let mut ends = Vec::new();
        for clause in clauses {
            let mut branch = inside.clone();
            self.clause(clause, &mut branch);
            ends.push(branch);
        }
        // An exception may come before anything of the body is bound.
        let mut before = environment.clone();
        before.add_unsafe(inside, "try", span);
        for clause in catch {
            let mut branch = before.clone();
            self.catch_clause(clause, &mut branch);
            ends.push(branch);
        }
        environment.add_unsafe(before, "try", span);
        ends.into_iter().for_each(|end| environment.add_unsafe(end, "try", span));
        let mut last = environment.clone();
        self.body(after, &mut last);
        environment.add_unsafe(last, "try", span);
    }

    fn catch_clause(&mut self, clause: &CatchClause, environment: &mut Environment) {
        let outer = environment.clone();
        self.pattern(&clause.kind.class, &outer, environment);
        self.pattern(&clause.kind.reason, &outer, environment);
        if let Some(stacktrace) = &clause.kind.stacktrace {
            environment.bind(&stacktrace.kind);
        }
        self.guard(&clause.kind.guard, environment);
        self.body(&clause.kind.body, environment);
    }

    /// Generators hide; nothing that is bound inside is known outside.
    fn comprehension(&mut self, qualifiers: &[Qualifier], templates: &[&Expr], environment: &Environment) {
        let mut inside = environment.clone();
        for qualifier in qualifiers {
            self.qualifier(qualifier, &mut inside);
        }
        self.parts(templates.iter().copied(), &mut inside);
    }

    fn qualifier(&mut self, qualifier: &Qualifier, inside: &mut Environment) {
        let generators = match &qualifier.kind {
            QualifierKind::Filter(condition) => return self.expr(condition, inside),
            QualifierKind::Zip(generators) => generators.as_slice(),
            _ => std::slice::from_ref(qualifier),
        };
        // The lists of zipped generators see none of their variables.
        let outer = inside.clone();
        for generator in generators {
            match &generator.kind {
                QualifierKind::Generate { pattern, list: source, .. }
                | QualifierKind::BinaryGenerate { pattern, binary: source, .. } => {
                    self.generator(source, &[pattern], &outer, inside);
                }
                QualifierKind::MapGenerate { key, value, map, .. } => {
                    self.generator(map, &[key, value], &outer, inside);
                }
                QualifierKind::Zip(_) | QualifierKind::Filter(_) => {}
            }
        }
    }

    fn generator(
        &mut self,
        source: &Expr,
        patterns: &[&Pattern],
        outer: &Environment,
        inside: &mut Environment,
    ) {
        self.expr(source, &mut outer.clone());
        let mut bound = Environment::default();
        for pattern in patterns {
            self.pattern(pattern, outer, &mut bound);
        }
        inside.hide(bound);
    }
}

fn segment_parts(segment: &Segment<Expr>) -> impl Iterator<Item = &Expr> {
    std::iter::once(&segment.kind.value).chain(segment.kind.size.as_deref())
}

/// Has the expression no parts, so that it binds nothing?
fn is_leaf(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Variable(_)
            | ExprKind::Atom(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Nil
            | ExprKind::FunLocal(_)
    )
}
