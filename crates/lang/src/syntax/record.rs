//! Records: `type Node = {colour: Colour, active: bool}`.
//!
//! A variable that is a record is a variable for each of its fields, `n.colour`; an array of records is an
//! array for each field. So a field is a variable like any other, for searches and for their reduction. A
//! record is assigned as a whole in one step.

use super::declare::{Builder, Owner};
use super::function::Bound;
use super::resolve::{Resolver, list_names};
use super::tree::{Expr, ExprKind, Name, Variable as Declared};
use crate::flow_graph::{Lvalue, Term, VarId};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use std::sync::Arc;

/// A declared record.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: String,
    /// The names of the fields, and those of their types.
    pub(crate) fields: Vec<(Name, Name)>,
}

/// A record in the memory: its type, its name in the scope, and the index in an array.
type RecordPlace = (Arc<Record>, String, Option<Term>);

/// The name of a field's variable; of a local record, `n@1`, it is `n.colour@1`.
fn field_name(record: &str, field: &str) -> String {
    match record.split_once('@') {
        Some((name, process)) => format!("{name}.{field}@{process}"),
        None => format!("{record}.{field}"),
    }
}

impl Builder<'_> {
    /// Declares the variables of a record; false if the declared type is none.
    pub(super) fn declare_record(&mut self, declared: &Declared, owner: Option<&Owner<'_>>) -> bool {
        let Some(kind) = &declared.kind else { return false };
        let Some(record) = self.scope.records.get(&kind.text).cloned() else { return false };
        let values: Vec<Option<&Expr>> = match (&declared.elements, &declared.initial) {
            (Some((values, _)), _) if values.len() == record.fields.len() => {
                values.iter().map(Some).collect()
            }
            (None, None) => vec![None; record.fields.len()],
            (elements, initial) => {
                let span =
                    elements.as_ref().map(|(_, span)| *span).or(initial.as_ref().map(|expr| expr.span));
                let message = format!("`{}` has {} fields", record.name, record.fields.len());
                let label = "one value for each field, in braces";
                let (code, span) = (self.scope.dialect.codes.bad_length, span.unwrap_or(declared.name.span));
                self.diagnostics.push(Diagnostic::error(code, message, span, label));
                vec![None; record.fields.len()]
            }
        };
        for ((field, kind), value) in record.fields.iter().zip(values) {
            let name =
                Name { text: format!("{}.{}", declared.name.text, field.text), span: declared.name.span };
            let field = Declared {
                name,
                length: declared.length.clone(),
                kind: Some(kind.clone()),
                initial: value.cloned(),
                elements: None,
            };
            self.declare_variable(&field, owner);
        }
        let name = match owner {
            Some(owner) => format!("{}@{}", declared.name.text, owner.process),
            None => declared.name.text.clone(),
        };
        self.scope.record_variables.insert(name, (record, declared.length.is_some()));
        true
    }
}

impl Resolver<'_> {
    /// The name in the scope of a variable that is a record or an array of records; and whether it is an
    /// array.
    pub(super) fn record_variable(&self, name: &str) -> Option<(Arc<Record>, String, bool)> {
        let found = |name: String| {
            let (record, is_array) = self.scope.record_variables.get(&name)?;
            Some((record.clone(), name, *is_array))
        };
        match self.bound(name) {
            Some(Bound::Whole(whole)) => found(whole.clone()),
            Some(_) => None,
            None => {
                let local = self.process.as_ref().and_then(|process| found(format!("{name}@{process}")));
                local.or_else(|| found(name.to_owned()))
            }
        }
    }

    /// The record that an expression names, if it names one.
    pub(super) fn record_place(&mut self, expr: &Expr) -> Option<RecordPlace> {
        match &expr.kind {
            ExprKind::Name(name) => match self.bound(name) {
                Some(Bound::Record(record, whole, index)) => {
                    Some((record.clone(), whole.clone(), index.clone()))
                }
                _ => {
                    let (record, whole, is_array) = self.record_variable(name)?;
                    (!is_array).then_some((record, whole, None))
                }
            },
            ExprKind::Element(name, index) => {
                let (record, whole, is_array) = self.record_variable(&name.text)?;
                let index = is_array.then(|| self.number(index))?;
                Some((record, whole, Some(index)))
            }
            ExprKind::Of(inner, process) => {
                self.inside_process(process, |resolver| resolver.record_place(inner))?
            }
            _ => None,
        }
    }

    /// A field of a record.
    pub(super) fn field(&mut self, base: &Expr, field: &Name) -> Term {
        let Some((record, whole, index)) = self.record_place(base) else {
            let message = "only records have fields".to_owned();
            let help = "declare a record: `type Pair = {first: int, second: int}; memory p: Pair;`, say";
            let code = self.codes().unknown_name;
            self.report(Diagnostic::error(code, message, base.span, "this is none").help(help));
            return Term::Null;
        };
        let Some(var) = self.scope.variable_ids.get(&field_name(&whole, &field.text)).copied() else {
            self.unknown_field(&record, field);
            return Term::Null;
        };
        read(var, index)
    }

    fn unknown_field(&mut self, record: &Record, field: &Name) {
        let known: Vec<&str> = record.fields.iter().map(|(name, _)| name.text.as_str()).collect();
        let help = match self.suggest(&field.text, (Severity::Error, field.span), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("its fields are {}", list_names(&known)),
        };
        let message = format!("`{}` has no field `{}`", record.name, field.text);
        self.report(Diagnostic::error(self.codes().unknown_name, message, field.span, "").help(help));
    }

    /// Reports a record where a value is needed.
    pub(super) fn record_as_value(&mut self, name: &str, record: &Record, span: Span) -> Term {
        let message = format!("`{name}` is a record");
        let field = record.fields.first().map_or("field", |(name, _)| name.text.as_str());
        self.report(
            Diagnostic::error(self.codes().array_as_number, message, span, "a value is needed here")
                .help(format!("write `{name}.{field}` for one of its fields")),
        );
        Term::Null
    }

    /// The assignments of all fields, if the l-value is a record; none if they are refused.
    pub(crate) fn record_assignment(&mut self, to: &Expr, value: &Expr) -> Option<Vec<(Lvalue, Term)>> {
        let (record, whole, index) = self.record_place(to)?;
        Some(self.fields_assigned((&record, &whole, index), value).unwrap_or_default())
    }

    fn fields_assigned(
        &mut self,
        (record, whole, index): (&Arc<Record>, &str, Option<Term>),
        value: &Expr,
    ) -> Option<Vec<(Lvalue, Term)>> {
        let values: Vec<(Term, Span)> = match (&value.kind, self.record_place(value)) {
            (ExprKind::Braces(values), _) if values.len() == record.fields.len() => {
                values.iter().map(|value| (self.value(value), value.span)).collect()
            }
            (_, Some((other, from, at))) if other.name == record.name => {
                let variable = |field: &Name| self.scope.variable_ids[&field_name(&from, &field.text)];
                record
                    .fields
                    .iter()
                    .map(|(field, _)| (read(variable(field), at.clone()), value.span))
                    .collect()
            }
            _ => {
                let fields: Vec<&str> = record.fields.iter().map(|(field, _)| field.text.as_str()).collect();
                let message = format!("expected a `{}`", record.name);
                let help = format!(
                    "a record of this type, or a value for each of {}, in braces",
                    list_names(&fields)
                );
                let code = self.codes().other_kind;
                self.report(Diagnostic::error(code, message, value.span, "").help(help));
                return None;
            }
        };
        let mut parts = Vec::new();
        for ((field, _), (value, span)) in record.fields.iter().zip(values) {
            let var = self.scope.variable_ids[&field_name(whole, &field.text)];
            let lvalue = match &index {
                Some(index) => Lvalue::Element(var, index.clone()),
                None => Lvalue::Var(var),
            };
            if !self.fit(&lvalue, &value, span) {
                return None;
            }
            parts.push((lvalue, value));
        }
        Some(parts)
    }
}

fn read(var: VarId, index: Option<Term>) -> Term {
    match index {
        Some(index) => Term::Element(var, Box::new(index)),
        None => Term::Var(var),
    }
}
