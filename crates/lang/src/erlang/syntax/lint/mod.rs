//! What `erlc` refuses in a tree that the grammar accepts.
//!
//! Functions and records that are not defined, or twice; variables without a value; calls that a guard may
//! not make; attributes after the first function. The rules are those of OTP's `erl_lint`, of which this is
//! the part that decides whether a program has a meaning: warnings are left out.
//!
//! Promise: a module that `erlc` takes has no error here, but for calls of `prop/1` and `choice/1`, which
//! are predefined.

mod environment;
mod expression;
mod guard;
mod known;
mod pattern;
mod record;

use super::report::Report;
use super::tree::{Form, FormKind, Function, FunctionName, Module, Name, NameArity, Node};
use crate::syntax::suggest::nearest;
use environment::Environment;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The errors of a module that was parsed without errors.
pub fn lint(module: &Module) -> Vec<Diagnostic> {
    let mut lint = Lint::default();
    for form in &module.forms {
        lint.declare(form);
    }
    let mut first_function = None;
    for form in &module.forms {
        lint.form(form, &mut first_function);
    }
    lint.report.in_order()
}

/// What is known of the module, and its errors.
#[derive(Default)]
struct Lint {
    /// The functions with the positions of their names.
    functions: FxHashMap<NameArity, Span>,
    imports: FxHashSet<NameArity>,
    /// The records so far, with their fields.
    records: FxHashMap<Name, Record>,
    report: Report,
}

struct Record {
    span: Span,
    fields: Vec<Name>,
}

impl Lint {
    fn error(&mut self, code: &'static str, message: String, span: Span, label: &str) {
        self.report.add(Diagnostic::error(code, message, span, label));
    }

    /// Functions may be used before their definition.
    fn declare(&mut self, form: &Form) {
        match &form.kind {
            FormKind::Function(function) => {
                let name = NameArity { name: function.name.kind.clone(), arity: function.arity };
                let text = name.to_string();
                if let Some(first) = self.functions.insert(name, function.name.span) {
                    let message = format!("the function `{text}` is defined twice");
                    let error = Diagnostic::error("erlang::function", message, function.name.span, "again");
                    let help = "clauses of one function have `;` between them";
                    self.report.add(error.context(first, "defined here first").help(help));
                }
            }
            FormKind::Import { functions, .. } => {
                self.imports.extend(functions.iter().map(|name| name.kind.clone()));
            }
            _ => {}
        }
    }

    fn form(&mut self, form: &Form, first_function: &mut Option<Span>) {
        match &form.kind {
            FormKind::Function(function) => {
                first_function.get_or_insert(function.name.span);
                self.function(function);
            }
            FormKind::Record(record) => self.record_definition(record),
            FormKind::Export(names) => {
                names.iter().for_each(|name| self.has_to_be_defined(name, "exported"));
                self.before_functions(form.span, "export", *first_function);
            }
            FormKind::Import { .. } => self.before_functions(form.span, "import", *first_function),
            FormKind::Module(_) => self.before_functions(form.span, "module", *first_function),
            FormKind::Spec(spec) if spec.module.is_none() && !spec.is_callback => {
                let name = NameArity { name: spec.name.kind.clone(), arity: spec.arity };
                self.has_to_be_defined(&Node::new(spec.name.span, name), "specified");
            }
            FormKind::Attribute(attribute) => {
                let name = &*attribute.name.kind;
                if !matches!(name, "file" | "doc" | "dialyzer" | "compile") {
                    self.before_functions(form.span, name, *first_function);
                }
            }
            FormKind::ExportType(_) | FormKind::Type(_) | FormKind::Spec(_) => {}
        }
    }

    fn before_functions(&mut self, span: Span, name: &str, first_function: Option<Span>) {
        if let Some(function) = first_function {
            let message = format!("the attribute `-{name}` stands after the first function");
            let error = Diagnostic::error("erlang::attribute", message, span, "");
            self.report.add(error.context(function, "the first function"));
        }
    }

    fn has_to_be_defined(&mut self, function: &FunctionName, what: &str) {
        if !self.functions.contains_key(&function.kind) {
            let message = format!("the function `{}` is {what}, but not defined", function.kind);
            let error = Diagnostic::error("erlang::function", message, function.span, "");
            let error = self.with_suggestion(error, &function.kind, false);
            self.report.add(error);
        }
    }

    /// A function that is called without a module.
    fn local_function(&mut self, name: &NameArity, span: Span) {
        let is_known = self.functions.contains_key(name)
            || self.imports.contains(name)
            || known::is_built_in(&name.name, name.arity)
            || matches!((&*name.name, name.arity), ("record_info", 2) | ("module_info", 0 | 1));
        if !is_known {
            let message = format!("the function `{name}` is not defined");
            let error = Diagnostic::error("erlang::function", message, span, "");
            let error = self.with_suggestion(error, name, true);
            self.report.add(error);
        }
    }

    fn own_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().chain(&self.imports).map(|known| &*known.name)
    }

    fn with_suggestion(&self, error: Diagnostic, name: &NameArity, has_built_in: bool) -> Diagnostic {
        let of_that_name = self.functions.keys().chain(&self.imports).filter(|known| known.name == name.name);
        let mut others: Vec<String> = of_that_name.map(|other| format!("`{other}`")).collect();
        others.sort();
        if !others.is_empty() {
            let verb = if others.len() == 1 { "is" } else { "are" };
            return error.help(format!("{} {verb} defined", others.join(", ")));
        }
        let mut candidates: Vec<&str> = self.own_names().collect();
        for built_in in known::names().filter(|_| has_built_in) {
            candidates.push(built_in);
        }
        candidates.sort_unstable();
        match nearest(&name.name, candidates) {
            Some(near) if *near != *name.name => error.help(format!("did you mean `{near}`?")),
            _ => error,
        }
    }

    fn function(&mut self, function: &Function) {
        for clause in &function.clauses {
            let mut environment = Environment::default();
            self.clause(clause, &mut environment);
        }
    }
}
