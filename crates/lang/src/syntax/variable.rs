//! Declarations of variables: `x = 0`, `a[5] = 0`, `b: bool`, `c[2] = {1, 2}`.

use super::declare::{Builder, Owner};
use super::resolve::{Resolver, Scope, list_names};
use super::tree::{Expr, Name, Variable as Declared};
use crate::flow_graph::{Cell, Kind, Lvalue, Term, VarId, Variable};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};

impl Builder<'_> {
    /// Declares a shared variable, or a local variable of the owner.
    pub(crate) fn declare_variable(&mut self, declared: &Declared, owner: Option<&Owner<'_>>) {
        if self.declare_record(declared, owner) {
            return;
        }
        let length = declared.length.as_ref().map(|length| self.length(length, "an array's length"));
        let name = match owner {
            Some(owner) => format!("{}@{}", declared.name.text, owner.process),
            None => declared.name.text.clone(),
        };
        let mut resolver = self.resolver(owner);
        let wanted = declared.kind.as_ref().and_then(|kind| resolver.kind(kind));
        let mut variable = Variable::new(name.clone(), length, Cell::Undefined);
        variable.kind = wanted.clone().unwrap_or_default();
        let mut values = Vec::new();
        if let Some((elements, span)) = &declared.elements {
            if length != Some(elements.len()) {
                let elements = elements.len();
                let message = match length {
                    Some(length) => {
                        format!("the array has {length} elements, and {elements} values are given")
                    }
                    None => format!("`{}` is no array, and {elements} values are given", declared.name.text),
                };
                let code = resolver.codes().bad_length;
                resolver.report(Diagnostic::error(code, message, *span, "one value for each element"));
            }
            values = elements.iter().filter_map(|value| resolver.first_value(value)).collect();
            variable.elements = values.iter().map(|(_, cell)| *cell).collect();
        } else if let Some(value) = &declared.initial {
            values = resolver.first_value(value).into_iter().collect();
            variable.initial = values.first().map_or(Cell::Null, |(_, cell)| *cell);
        }
        // Without a declared kind, the kind is that of the first value; all others have to be of it, too.
        let of_values = values.iter().find(|(term, _)| *term != Term::Null).map(|(term, _)| term.kind(&[]));
        variable.kind = wanted.or(of_values).unwrap_or_default();
        // A value that could not be read was most likely a number.
        let is_declared = declared.kind.is_some() || (declared.initial.is_some() && values.is_empty());
        let var = resolver.scope.declare(name, variable.clone());
        if is_declared {
            resolver.has_kind(&Term::Var(var), &variable.kind);
        }
        let exprs: Vec<&Expr> = match &declared.elements {
            Some((elements, _)) => elements.iter().collect(),
            None => declared.initial.iter().collect(),
        };
        for (expr, (term, _)) in exprs.into_iter().zip(&values) {
            resolver.fit(&Lvalue::Var(VarId(var.0)), term, expr.span);
        }
    }
}

impl Resolver<'_> {
    /// The initial value of a variable.
    fn first_value(&mut self, expr: &Expr) -> Option<(Term, Cell)> {
        let term = self.constant_term(expr, false)?;
        let cell = super::constant::number(&term).map_or(Cell::Null, Cell::Int);
        Some((term, cell))
    }

    /// The kind that a name declares.
    fn kind(&mut self, name: &Name) -> Option<Kind> {
        match name.text.as_str() {
            "bool" => return Some(Kind::Truth),
            "int" => return Some(Kind::Number),
            _ => {}
        }
        if let Some(names) = self.scope.types.get(&name.text) {
            return Some(Kind::Names(names.clone()));
        }
        let mut known: Vec<&str> = ["bool", "int"].into_iter().collect();
        known.extend(self.scope.types.keys().chain(self.scope.records.keys()).map(String::as_str));
        known.sort_unstable();
        let help = match self.suggest(&name.text, (Severity::Error, name.span), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the types are {}", list_names(&known)),
        };
        let message = format!("`{}` is not a type", name.text);
        self.report(Diagnostic::error(self.codes().unknown_type, message, name.span, "").help(help));
        None
    }
}

impl Scope {
    /// Writes the kinds that were found out into variables and channels.
    pub(super) fn fix_kinds(&mut self) {
        for (number, variable) in self.variables.iter_mut().enumerate() {
            variable.kind = self.kinds.kind_of_variable(number);
        }
        for (number, channel) in self.channels.iter_mut().enumerate() {
            for (field, kind) in channel.fields.iter_mut().enumerate() {
                *kind = self.kinds.kind_of_field(number, field);
            }
        }
    }
}
