//! Records and their fields.

use super::super::tree::{Identifier, Name, RecordDefinition};
use super::environment::Environment;
use super::{Lint, Record};
use crate::syntax::suggest::nearest;
use selvedge_ltl::diagnostic::Diagnostic;

impl Lint {
    pub(super) fn record_definition(&mut self, record: &RecordDefinition) {
        let mut fields: Vec<Name> = Vec::new();
        for field in &record.fields {
            if fields.contains(&field.name.kind) {
                let message = format!("the field `{}` is defined twice", field.name.kind);
                self.error("erlang::record", message, field.name.span, "again");
            }
            fields.push(field.name.kind.clone());
        }
        let name = record.name.kind.clone();
        if let Some(first) = self.records.insert(name, Record { span: record.name.span, fields }) {
            let message = format!("the record `{}` is defined twice", record.name.kind);
            let error = Diagnostic::error("erlang::record", message, record.name.span, "again");
            self.report.add(error.context(first.span, "defined here first"));
        }
        for default in record.fields.iter().filter_map(|field| field.default.as_ref()) {
            self.expr(default, &mut Environment::default());
        }
    }

    /// The record has to be defined before, with all these fields.
    pub(super) fn record_fields<'a>(
        &mut self,
        name: &Identifier,
        fields: impl IntoIterator<Item = &'a Identifier>,
    ) {
        let Some(record) = self.records.get(&name.kind) else {
            let message = format!("the record `{}` is not defined before", name.kind);
            let error = Diagnostic::error("erlang::record", message, name.span, "");
            let mut known: Vec<&str> = self.records.keys().map(|known| &**known).collect();
            known.sort_unstable();
            let error = suggest(error, &name.kind, known);
            return self.report.add(error);
        };
        let mut errors = Vec::new();
        let mut seen: Vec<&Name> = Vec::new();
        for field in fields {
            if !record.fields.contains(&field.kind) {
                let message = format!("the record `{}` has no field `{}`", name.kind, field.kind);
                let error = Diagnostic::error("erlang::record", message, field.span, "")
                    .context(record.span, "the record's definition");
                errors.push(suggest(error, &field.kind, record.fields.iter().map(|known| &**known)));
            } else if seen.contains(&&field.kind) {
                let message = format!("the field `{}` is given twice", field.kind);
                errors.push(Diagnostic::error("erlang::record", message, field.span, "again"));
            }
            seen.push(&field.kind);
        }
        errors.into_iter().for_each(|error| self.report.add(error));
    }
}

fn suggest<'a>(error: Diagnostic, name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    match nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}
