//! Types, specifications and whole modules back to Erlang.

use super::print::{AtomText, Join, atom_text, function_clause};
use super::tree::{FieldDefinition, FormKind, FunctionName, Module};
use super::types::{
    Constraint, FunctionTypeKind, MapFieldType, Specification, Type, TypeDefinition, TypeDefinitionKind,
    TypeKind,
};
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for form in &self.forms {
            writeln!(f, "{form}")?;
        }
        Ok(())
    }
}

impl Display for FormKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            FormKind::Module(name) => write!(f, "-module({}).", atom_text(name)),
            FormKind::Export(names) => names_attribute(f, "export", names),
            FormKind::ExportType(names) => names_attribute(f, "export_type", names),
            FormKind::Import { module, functions } => {
                write!(f, "-import({}, [{}]).", atom_text(module), Join(functions, ", "))
            }
            FormKind::Record(record) => {
                write!(f, "-record({}, {{{}}}).", AtomText(&record.name), Join(&record.fields, ", "))
            }
            FormKind::Type(definition) => write!(f, "{definition}."),
            FormKind::Spec(specification) => write!(f, "{specification}."),
            FormKind::Attribute(attribute) => {
                write!(f, "-{}({}).", AtomText(&attribute.name), Join(&attribute.values, ", "))
            }
            FormKind::Function(function) => {
                for (index, clause) in function.clauses.iter().enumerate() {
                    write!(f, "{}{}", if index > 0 { ";\n" } else { "" }, AtomText(&function.name))?;
                    function_clause(f, clause)?;
                }
                f.write_str(".")
            }
        }
    }
}

fn names_attribute(f: &mut Formatter<'_>, name: &str, names: &[FunctionName]) -> fmt::Result {
    write!(f, "-{name}([{}]).", Join(names, ", "))
}

impl Display for FieldDefinition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        AtomText(&self.name).fmt(f)?;
        if let Some(default) = &self.default {
            write!(f, " = {default}")?;
        }
        match &self.field_type {
            Some(field_type) => write!(f, " :: {field_type}"),
            None => Ok(()),
        }
    }
}

impl Display for TypeDefinition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let attribute = match self.kind {
            TypeDefinitionKind::Alias => "type",
            TypeDefinitionKind::Opaque => "opaque",
            TypeDefinitionKind::Nominal => "nominal",
        };
        write!(f, "-{attribute} {}({}) :: {}", AtomText(&self.name), Join(&self.parameters, ", "), self.body)
    }
}

impl Display for Specification {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_callback { "-callback " } else { "-spec " })?;
        if let Some(module) = &self.module {
            write!(f, "{}:", AtomText(module))?;
        }
        write!(f, "{}{}", AtomText(&self.name), Join(&self.clauses, "; "))
    }
}

impl Display for FunctionTypeKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}) -> {}", Join(&self.parameters, ", "), self.result)?;
        if self.constraints.is_empty() {
            return Ok(());
        }
        write!(f, " when {}", Join(&self.constraints, ", "))
    }
}

impl Display for Constraint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} :: {}", self.variable, self.bound)
    }
}

impl Display for TypeKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TypeKind::Variable(name) => f.write_str(name),
            TypeKind::Annotated { name, annotated } => write!(f, "{name} :: {annotated}"),
            TypeKind::Constant(value) => value.fmt(f),
            TypeKind::Range(low, high) => write!(f, "{low}..{high}"),
            TypeKind::Nil => f.write_str("[]"),
            TypeKind::List(element) => write!(f, "[{element}]"),
            TypeKind::NonEmptyList(element) => write!(f, "[{element}, ...]"),
            TypeKind::Tuple(elements) => write!(f, "{{{}}}", Join(elements, ", ")),
            TypeKind::Map(fields) => write!(f, "#{{{}}}", Join(fields, ", ")),
            TypeKind::Record { name, fields } => {
                write!(f, "#{}{{", AtomText(name))?;
                for (index, (field, field_type)) in fields.iter().enumerate() {
                    let separator = if index > 0 { ", " } else { "" };
                    write!(f, "{separator}{} :: {field_type}", AtomText(field))?;
                }
                f.write_str("}")
            }
            TypeKind::Binary { size, unit } => match (size, unit) {
                (None, None) => f.write_str("<<>>"),
                (Some(size), None) => write!(f, "<<_:{size}>>"),
                (None, Some(unit)) => write!(f, "<<_:_*({unit})>>"),
                (Some(size), Some(unit)) => write!(f, "<<_:{size}, _:_*({unit})>>"),
            },
            TypeKind::AnyFun => f.write_str("fun()"),
            TypeKind::Fun { parameters, result } => match parameters {
                Some(parameters) => write!(f, "fun(({}) -> {result})", Join(parameters, ", ")),
                None => write!(f, "fun((...) -> {result})"),
            },
            TypeKind::Named { module, name, arguments } => {
                if let Some(module) = module {
                    write!(f, "{}:", AtomText(module))?;
                }
                write!(f, "{}({})", AtomText(name), Join(arguments, ", "))
            }
            TypeKind::Union(alternatives) => {
                for (index, alternative) in alternatives.iter().enumerate() {
                    f.write_str(if index > 0 { " | " } else { "" })?;
                    alternative_of_union(f, alternative)?;
                }
                Ok(())
            }
        }
    }
}

/// What is annotated takes all that follows, and has parentheses for that.
fn alternative_of_union(f: &mut Formatter<'_>, alternative: &Type) -> fmt::Result {
    match alternative.kind {
        TypeKind::Annotated { .. } => write!(f, "({alternative})"),
        _ => alternative.fmt(f),
    }
}

impl Display for MapFieldType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.key, if self.mandatory { ":=" } else { "=>" }, self.value)
    }
}
