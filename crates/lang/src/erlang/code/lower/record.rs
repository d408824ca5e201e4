//! Records, which are tuples, and literal binaries.

use super::Lowering;
use crate::erlang::code::{Clause, Node, NodeId, Operation, Otherwise, Pattern};
use crate::erlang::syntax::tree::{
    self, Expr, ExprKind, Identifier, Integer, PatternKind, RecordDefinition, RecordField, Segment,
};
use crate::erlang::term::{Term, Value};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Lowering<'_> {
    fn record(&mut self, name: &Identifier) -> Option<RecordDefinition> {
        let found = self.module.records.get(&name.kind).cloned();
        if found.is_none() {
            let message = format!("record `{}` is not defined", name.kind);
            let error =
                Diagnostic::error("erl::undefined-record", message, name.span, "no `-record` of this name");
            self.diagnostics.push(error);
        }
        found
    }

    /// The position of a field in the record's tuple, from 1.
    pub(super) fn record_index(&mut self, name: &Identifier, field: &Identifier) -> Option<usize> {
        let record = self.record(name)?;
        let position = record.fields.iter().position(|other| other.name.kind == field.kind);
        if position.is_none() {
            let message = format!("record `{}` has no field `{}`", name.kind, field.kind);
            let names: Vec<&str> = record.fields.iter().map(|field| &*field.name.kind).collect();
            let error = Diagnostic::error("erl::undefined-field", message, field.span, "")
                .help(format!("its fields are: {}", names.join(", ")));
            self.diagnostics.push(error);
        }
        position.map(|position| position + 2)
    }

    /// `#r{a = 1}`
    pub(super) fn record_expression(
        &mut self,
        span: Span,
        name: &Identifier,
        fields: &[RecordField<Expr>],
        others: Option<&Expr>,
    ) -> NodeId {
        let Some(record) = self.record(name) else { return self.unsupported(span, "an undefined record") };
        let mut parts = vec![self.atom_node(span, &name.kind)];
        for field in fields {
            self.record_index(name, &field.name);
        }
        for definition in &record.fields {
            let given = fields.iter().find(|field| field.name.kind == definition.name.kind);
            parts.push(match (given, others, &definition.default) {
                (Some(field), ..) => self.expression(&field.value),
                (None, Some(others), _) => self.expression(others),
                (None, None, Some(default)) => self.expression(default),
                (None, None, None) => self.atom_node(span, "undefined"),
            });
        }
        self.apply(span, Operation::Tuple, parts)
    }

    /// `R#r{a = 1}`: `R` must be such a record.
    pub(super) fn record_update(
        &mut self,
        span: Span,
        record: &Expr,
        name: &Identifier,
        fields: &[RecordField<Expr>],
    ) -> NodeId {
        let Some(definition) = self.record(name) else {
            return self.unsupported(span, "an undefined record");
        };
        let subject = self.expression(record);
        let tag = self.atom(&name.kind);
        let mut patterns = vec![Pattern::Value(tag)];
        let mut parts = vec![self.value(span, tag)];
        for field in fields {
            self.record_index(name, &field.name);
        }
        for field in &definition.fields {
            let given = fields.iter().find(|other| other.name.kind == field.name.kind);
            match given {
                Some(given) => {
                    patterns.push(Pattern::Any);
                    parts.push(self.expression(&given.value));
                }
                None => {
                    let slot = self.scope().fresh();
                    patterns.push(Pattern::Bind(slot));
                    parts.push(self.push(span, Node::Slot(slot)));
                }
            }
        }
        let body = self.apply(span, Operation::Tuple, parts);
        let clause =
            Clause { patterns: [Pattern::Tuple(patterns.into())].into(), guard: Box::default(), body };
        self.push(span, Node::Case { subject, clauses: [clause].into(), otherwise: Otherwise::BadRecord })
    }

    /// `R#r.a`, in guards too.
    pub(super) fn record_access(
        &mut self,
        span: Span,
        record: NodeId,
        name: &Identifier,
        field: &Identifier,
    ) -> NodeId {
        let Some(index) = self.record_index(name, field) else {
            return self.unsupported(span, "an undefined field");
        };
        let size = self.record(name).map_or(0, |record| record.fields.len() + 1);
        let tag = self.atom_node(span, &name.kind);
        self.apply(span, Operation::RecordField { size, index }, vec![record, tag])
    }

    pub(super) fn record_pattern(
        &mut self,
        name: &Identifier,
        fields: &[RecordField<tree::Pattern>],
        others: Option<&tree::Pattern>,
        shadows: bool,
    ) -> Pattern {
        let Some(record) = self.record(name) else { return Pattern::Any };
        let mut parts = vec![Pattern::Value(self.atom(&name.kind))];
        for field in fields {
            self.record_index(name, &field.name);
        }
        for definition in &record.fields {
            let given = fields.iter().find(|field| field.name.kind == definition.name.kind);
            parts.push(match (given, others) {
                (Some(field), _) => self.pattern(&field.value, shadows),
                (None, Some(others)) => self.pattern(others, shadows),
                (None, None) => Pattern::Any,
            });
        }
        Pattern::Tuple(parts.into())
    }

    /// `<<"abc">>`, `<<1, 2>>`
    pub(super) fn binary_literal(&mut self, segments: &[Segment<Expr>]) -> Option<Value> {
        let mut bytes = Vec::new();
        for segment in segments {
            let kind = &segment.kind;
            let is_plain = kind.size.is_none() && kind.segment_type.is_none() && kind.unit.is_none();
            match &kind.value.kind {
                ExprKind::String(text) if is_plain => bytes.extend(text.chars().map(|c| c as u32 as u8)),
                ExprKind::String(text) if kind.segment_type == Some(tree::SegmentType::Utf8) => {
                    bytes.extend(text.as_bytes());
                }
                ExprKind::Integer(Integer::Small(number)) if is_plain => bytes.push(*number as u8),
                ExprKind::Char(character) if is_plain => bytes.push(*character as u32 as u8),
                _ => return None,
            }
        }
        Some(self.terms.intern(Term::Binary(bytes.into())))
    }

    pub(super) fn binary_literal_pattern(&mut self, segments: &[Segment<tree::Pattern>]) -> Option<Value> {
        let mut bytes = Vec::new();
        for segment in segments {
            let kind = &segment.kind;
            let is_plain = kind.size.is_none() && kind.segment_type.is_none() && kind.unit.is_none();
            match &kind.value.kind {
                PatternKind::String(text) if is_plain => bytes.extend(text.chars().map(|c| c as u32 as u8)),
                PatternKind::Integer(Integer::Small(number)) if is_plain => bytes.push(*number as u8),
                PatternKind::Char(character) if is_plain => bytes.push(*character as u32 as u8),
                _ => return None,
            }
        }
        Some(self.terms.intern(Term::Binary(bytes.into())))
    }
}
