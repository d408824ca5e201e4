//! `type Kind = {req, ack};` from text, and its names.

use super::ast::{Enumerated, File};
use super::parse::FileParser;
use crate::flow_graph::Enumeration;
use crate::syntax::declare::{Builder, UniqueNames};
use std::sync::Arc;

impl FileParser<'_> {
    /// `Kind = {req, ack};`
    pub(super) fn enumeration(&mut self, file: &mut File) {
        let Some(name) = self.shared.declared_name("a type") else {
            return self.shared.skip_declaration();
        };
        self.shared.expect_sign("=", "between the type and its values");
        self.shared.expect_sign("{", "before the values of the type");
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

/// Declares types and the names of their values.
pub(super) fn declare_types(file: &File, builder: &mut Builder<'_>, names: &mut UniqueNames) {
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
