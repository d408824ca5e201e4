//! Variables and records in patterns.

use super::super::tree::{Name, Pattern, PatternKind, Segment};
use super::Lint;
use super::environment::{Binding, Environment};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Lint {
    /// Checks the pattern in `outer`, and binds its variables in `bound`.
    ///
    /// The two differ in heads of funs and in generators, whose variables hide those outside.
    pub(super) fn pattern(&mut self, pattern: &Pattern, outer: &Environment, bound: &mut Environment) {
        match &pattern.kind {
            PatternKind::Variable(name) => self.pattern_variable(name, pattern.span, bound),
            PatternKind::List { elements, tail } => {
                elements.iter().for_each(|element| self.pattern(element, outer, bound));
                if let Some(tail) = tail {
                    self.pattern(tail, outer, bound);
                }
            }
            PatternKind::Tuple(elements) => {
                elements.iter().for_each(|element| self.pattern(element, outer, bound));
            }
            PatternKind::Map(fields) => {
                for field in fields {
                    self.guard_expr(&field.key, outer);
                    self.pattern(&field.value, outer, bound);
                }
            }
            PatternKind::Record { name, fields, others } => {
                self.record_fields(name, fields.iter().map(|field| &field.name));
                fields.iter().for_each(|field| self.pattern(&field.value, outer, bound));
                if let Some(others) = others {
                    self.pattern(others, outer, bound);
                }
            }
            PatternKind::RecordIndex { name, field } => self.record_fields(name, [field]),
            PatternKind::Binary(segments) => self.binary_pattern(segments, outer, bound),
            PatternKind::Match(left, right) => {
                self.pattern(left, outer, bound);
                self.pattern(right, outer, bound);
            }
            PatternKind::Wildcard
            | PatternKind::Atom(_)
            | PatternKind::Integer(_)
            | PatternKind::Float(_)
            | PatternKind::Char(_)
            | PatternKind::String(_)
            | PatternKind::Constant(_)
            | PatternKind::Nil => {}
        }
    }

    /// A segment's size may use the variables of the segments before it.
    fn binary_pattern(
        &mut self,
        segments: &[Segment<Pattern>],
        outer: &Environment,
        bound: &mut Environment,
    ) {
        let mut inside = outer.clone();
        for segment in segments {
            if let Some(size) = &segment.kind.size {
                self.guard_expr(size, &inside);
            }
            self.pattern(&segment.kind.value, outer, bound);
            if let PatternKind::Variable(name) = &segment.kind.value.kind {
                inside.bind(name);
            }
        }
    }

    fn pattern_variable(&mut self, name: &Name, span: Span, bound: &mut Environment) {
        match bound.get(name) {
            Some(Binding::Unsafe { construct, span: place }) => {
                self.unsafe_variable(name, span, construct, place);
            }
            _ => bound.bind(name),
        }
    }

    /// A variable that is used.
    pub(super) fn variable(&mut self, name: &Name, span: Span, environment: &Environment) {
        match environment.get(name) {
            Some(Binding::Bound) => {}
            Some(Binding::Unsafe { construct, span: place }) => {
                self.unsafe_variable(name, span, construct, place);
            }
            None if &**name == "_" => {
                let message = "`_` has no value".to_owned();
                self.error("erlang::variable", message, span, "it stands in patterns alone");
            }
            None => {
                let message = format!("the variable `{name}` is unbound");
                self.error("erlang::variable", message, span, "nothing gives it a value before");
            }
        }
    }

    fn unsafe_variable(&mut self, name: &Name, span: Span, construct: &'static str, place: Span) {
        let message = format!("the variable `{name}` is unsafe: it may not have a value");
        let error = Diagnostic::error("erlang::variable", message, span, "");
        self.report.add(error.context(place, format!("only a part of this `{construct}` binds it")));
    }
}
