//! Patterns, clauses and guards.

use super::Lowering;
use crate::erlang::code::{Clause, Guard, Pattern, Slot};
use crate::erlang::syntax::tree::{self, Name, PatternKind};
use crate::erlang::term::{Term, Value};
use num_bigint::BigInt;
use selvedge_ltl::source::Span;
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Clauses, of which `case` and the like export the names that all of them bind.
    ///
    /// `shadows`: the patterns are those of a function's head, which bind whatever is bound outside.
    pub(super) fn clauses(&mut self, clauses: &[tree::Clause], shadows: bool) -> Box<[Clause]> {
        let before = self.scope().bound.clone();
        let mut exported: Option<BTreeSet<Name>> = None;
        let mut lowered = Vec::new();
        for clause in clauses {
            self.scope().bound.clone_from(&before);
            let patterns = clause.kind.patterns.iter().map(|pattern| self.pattern(pattern, shadows));
            let patterns = patterns.collect();
            let guard = self.guard(&clause.kind.guard);
            let body = self.body(&clause.kind.body);
            lowered.push(Clause { patterns, guard, body });
            self.export(&mut exported);
        }
        self.scope().bound = before;
        self.scope().bound.extend(exported.unwrap_or_default());
        lowered.into()
    }

    /// Keeps the names that this clause binds as well as those before.
    pub(super) fn export(&mut self, exported: &mut Option<BTreeSet<Name>>) {
        let bound = self.scope().bound.clone();
        *exported = Some(match exported.take() {
            Some(others) => others.intersection(&bound).cloned().collect(),
            None => bound,
        });
    }

    pub(super) fn guard(&mut self, guard: &tree::Guard) -> Guard {
        let alternatives = guard.0.iter().map(|tests| {
            let tests: Vec<_> = tests.iter().map(|test| self.guard_expression(test)).collect();
            tests.into()
        });
        alternatives.collect()
    }

    pub(super) fn pattern(&mut self, pattern: &tree::Pattern, shadows: bool) -> Pattern {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Wildcard => Pattern::Any,
            PatternKind::Variable(name) => self.variable_pattern(name, shadows),
            PatternKind::Atom(name) => Pattern::Value(self.atom(name)),
            PatternKind::Integer(integer) => Pattern::Value(self.integer(integer)),
            PatternKind::Float(float) => Pattern::Value(self.float(*float)),
            PatternKind::Char(character) => Pattern::Value(self.terms.integer(u32::from(*character))),
            PatternKind::String(text) => Pattern::Value(self.text(text)),
            PatternKind::Constant(expression) => match self.constant(expression) {
                Some(value) => Pattern::Value(value),
                None => self.no_pattern(span, "this constant in a pattern"),
            },
            PatternKind::Nil => Pattern::Value(self.nil()),
            PatternKind::List { elements, tail } => {
                let elements: Vec<Pattern> =
                    elements.iter().map(|element| self.pattern(element, shadows)).collect();
                let tail = match tail {
                    Some(tail) => self.pattern(tail, shadows),
                    None => Pattern::Value(self.nil()),
                };
                let cons = |tail, head| Pattern::Cons(Box::new(head), Box::new(tail));
                elements.into_iter().rev().fold(tail, cons)
            }
            PatternKind::Tuple(elements) => {
                Pattern::Tuple(elements.iter().map(|element| self.pattern(element, shadows)).collect())
            }
            PatternKind::Map(fields) => {
                let fields = fields.iter().map(|field| {
                    let key = self.guard_expression(&field.key);
                    (key, self.pattern(&field.value, shadows))
                });
                Pattern::Map(fields.collect())
            }
            PatternKind::Record { name, fields, others } => {
                self.record_pattern(name, fields, others.as_deref(), shadows)
            }
            PatternKind::RecordIndex { name, field } => match self.record_index(name, field) {
                Some(index) => Pattern::Value(self.terms.integer(index)),
                None => Pattern::Any,
            },
            PatternKind::Binary(segments) => match self.binary_literal_pattern(segments) {
                Some(value) => Pattern::Value(value),
                None => self.no_pattern(span, "a binary pattern that is no literal"),
            },
            PatternKind::Match(first, second) => {
                let first = self.pattern(first, shadows);
                Pattern::Both(Box::new(first), Box::new(self.pattern(second, shadows)))
            }
        }
    }

    fn no_pattern(&mut self, span: Span, what: &str) -> Pattern {
        self.unsupported(span, what);
        Pattern::Any
    }

    fn variable_pattern(&mut self, name: &Name, shadows: bool) -> Pattern {
        let known = if shadows {
            let scope = self.scope();
            if scope.bound.contains(name) { Some(scope.slot(name)) } else { None }
        } else {
            self.resolve(self.scopes.len() - 1, name)
        };
        match known {
            Some(slot) => Pattern::Bound(slot),
            None => Pattern::Bind(self.scope().bind(name)),
        }
    }

    /// The slot of a variable in a scope; one of a scope around it is captured.
    pub(super) fn resolve(&mut self, depth: usize, name: &Name) -> Option<Slot> {
        if let Some(slot) = self.scopes[depth].find(name) {
            return Some(slot);
        }
        let outer = depth.checked_sub(1)?;
        self.resolve(outer, name)?;
        Some(self.scopes[depth].capture(name))
    }

    pub(super) fn atom(&mut self, name: &str) -> Value {
        let atom = self.terms.atom(name);
        self.terms.atom_value(atom)
    }

    pub(super) fn integer(&mut self, integer: &tree::Integer) -> Value {
        let number = match integer {
            tree::Integer::Small(number) => BigInt::from(*number),
            tree::Integer::Large { radix, digits } => {
                BigInt::parse_bytes(digits.as_bytes(), *radix).expect("digits of an integer")
            }
        };
        self.terms.integer(number)
    }

    pub(super) fn float(&mut self, float: f64) -> Value {
        self.terms.intern(Term::Float((float + 0.0).to_bits()))
    }

    pub(super) fn text(&mut self, text: &str) -> Value {
        let characters: Vec<Value> = text.chars().map(|c| self.terms.integer(u32::from(c))).collect();
        self.terms.proper_list(characters.into_iter())
    }
}
