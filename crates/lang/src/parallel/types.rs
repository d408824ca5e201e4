//! `type Kind = {req, ack};` and `type Node = {colour: Colour, active: bool};` from text.

use super::ast::{Enumerated, File};
use super::parse::FileParser;
use crate::flow_graph::Enumeration;
use crate::syntax::declare::{Builder, UniqueNames};
use crate::syntax::record::Record;
use crate::syntax::token::Token;
use crate::syntax::tree::Name;
use selvedge_ltl::diagnostic::Diagnostic;
use std::sync::Arc;

impl FileParser<'_> {
    /// `Kind = {req, ack};`
    pub(super) fn enumeration(&mut self, file: &mut File) {
        let Some(name) = self.shared.declared_name("a type") else {
            return self.shared.skip_declaration();
        };
        self.shared.expect_sign("=", "between the type and its values");
        self.shared.expect_sign("{", "before the values of the type");
        if self.begins_record() {
            return self.record(name, file);
        }
        let mut values = Vec::new();
        loop {
            let Some(value) = self.shared.declared_name("a value") else {
                return self.shared.skip_declaration();
            };
            values.push(value);
            if !self.shared.take(",") {
                break;
            }
        }
        self.shared.expect_sign("}", "to close the values");
        file.types.push(Enumerated { name, values });
        self.shared.end_of_declaration();
    }
}

impl FileParser<'_> {
    /// Do a name and `:` come next?
    fn begins_record(&self) -> bool {
        let mut lexer = self.shared.lexer;
        matches!(lexer.next().0, Token::Word(_)) && lexer.next().0 == Token::Sign(":")
    }

    /// `colour: Colour, active: bool};`
    fn record(&mut self, name: Name, file: &mut File) {
        let mut fields = Vec::new();
        loop {
            let Some(field) = self.shared.declared_name("a field") else {
                return self.shared.skip_declaration();
            };
            if field.text == "at" {
                let message = "a field cannot be called `at`";
                let label = "`n.at.m` is a proposition of formulas";
                self.shared.report(Diagnostic::error("par::bad-field", message, field.span, label));
            }
            self.shared.expect_sign(":", "between the field and its type");
            let Some(kind) = self.shared.declared_name("a type") else {
                return self.shared.skip_declaration();
            };
            fields.push((field, kind));
            if !self.shared.take(",") {
                break;
            }
        }
        self.shared.expect_sign("}", "to close the fields");
        file.records.push((name, fields));
        self.shared.end_of_declaration();
    }
}

/// Declares types and the names of their values.
pub(super) fn declare_types(file: &File, builder: &mut Builder<'_>, names: &mut UniqueNames) {
    for (name, fields) in &file.records {
        builder.declare_name(name, names);
        let mut unique = UniqueNames::default();
        for (field, kind) in fields {
            builder.declare_name(field, &mut unique);
            if file.records.iter().any(|(record, _)| record.text == kind.text) {
                let message = format!("`{}` is a record", kind.text);
                let label = "a field holds numbers, truth values or names";
                builder.diagnostics.push(Diagnostic::error("par::bad-field", message, kind.span, label));
            }
        }
        let record = Arc::new(Record { name: name.text.clone(), fields: fields.clone() });
        builder.scope.records.insert(name.text.clone(), record);
    }
    for declared in &file.types {
        builder.declare_name(&declared.name, names);
        let values = declared.values.iter().map(|value| value.text.clone()).collect();
        let enumeration = Arc::new(Enumeration { name: declared.name.text.clone(), values });
        builder.scope.types.insert(declared.name.text.clone(), enumeration.clone());
        for (number, value) in (0..).zip(&declared.values) {
            builder.declare_name(value, names);
            builder.scope.names.insert(value.text.clone(), (enumeration.clone(), number));
        }
    }
}
