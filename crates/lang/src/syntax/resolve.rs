//! Name resolution: from the syntax tree to variables by number.
//!
//! A [`Scope`] has what a file declares. In a program a name that is not declared is an undefined variable,
//! as in the lecture, with a warning; in a formula it is an error, with the nearest declared name.

use super::channel::is_channel_function;
use super::constant::{Unfoldable, fold, number};
use super::dialect::{AtMeaning, Codes, Dialect};
use super::function::{Bound, Function, Unfolding};
use super::kinds::Kinds;
use super::record::Record;
use super::suggest;
use super::tree::{Expr, ExprKind, Name};
use crate::flow_graph::{
    Cell, Channel, ChannelId, Enumeration, Kind, Lvalue, Operator, Term, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use std::sync::Arc;

/// What a file declares.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) dialect: &'static Dialect,
    pub(crate) constants: FxHashMap<String, i64>,
    pub(crate) variables: Vec<Variable>,
    /// Shared variables by name; local ones are named `x@1`.
    pub(crate) variable_ids: FxHashMap<String, VarId>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) channel_ids: FxHashMap<String, ChannelId>,
    /// The labels that `at` can name, by number: user statements, or nodes.
    pub(crate) labels: FxHashMap<String, u32>,
    /// The user statements inside an `atomic`, by process and label, with the place of one of them.
    pub(crate) labels_in_atomic: FxHashMap<(u32, u32), Span>,
    /// Processes by name, a member of a family as `p(1)`.
    pub(crate) processes: FxHashMap<String, u32>,
    /// The names of the processes, by number.
    pub(crate) process_names: Vec<String>,
    /// For each process, the labels of its nodes, where [`AtMeaning::LastNode`] is what `at` means.
    pub(crate) node_labels: Vec<FxHashSet<u32>>,
    /// Enumerations by name.
    pub(crate) types: FxHashMap<String, Arc<Enumeration>>,
    /// The values of enumerations by name.
    pub(crate) names: FxHashMap<String, (Arc<Enumeration>, i64)>,
    pub(crate) kinds: Kinds,
    /// Records by name.
    pub(crate) records: FxHashMap<String, Arc<Record>>,
    /// The variables that are records, with whether they are arrays; a local one is named `n@1`.
    pub(crate) record_variables: FxHashMap<String, (Arc<Record>, bool)>,
    /// Definitions by name, as expressions use them.
    pub(crate) functions: FxHashMap<String, Arc<Function>>,
    /// Processes that are created, by name.
    pub(crate) creatable: FxHashMap<String, Creatable>,
    /// Where each line of the file begins.
    pub(crate) line_starts: Vec<usize>,
}

/// Processes that are created while the program runs.
#[derive(Clone, Debug)]
pub(crate) struct Creatable {
    /// How many.
    pub(crate) count: usize,
    /// The names of their parameters.
    pub(crate) parameters: Vec<String>,
}

/// Whether a name may be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// An undefined variable, with a warning.
    Declare,
    /// An error.
    Refuse,
}

/// Looks up names, and collects diagnostics.
pub(crate) struct Resolver<'s> {
    pub(crate) scope: &'s mut Scope,
    pub(crate) diagnostics: &'s mut Vec<Diagnostic>,
    pub(crate) unknown: Unknown,
    /// How many diagnostics are shown, by severity and then by place.
    pub(crate) max_shown: usize,
    /// The process that the text belongs to, if it has local variables.
    pub(crate) process: Option<String>,
    /// Names that stand for something else here, inner ones last: the parameter of the process's family, the
    /// variables of the `for`s and quantifiers around, the parameters of what is unfolded.
    pub(crate) parameters: Vec<(String, Bound)>,
    pub(crate) unfolding: Unfolding,
}

impl Resolver<'_> {
    /// An expression whose value is a number.
    pub(crate) fn number(&mut self, expr: &Expr) -> Term {
        let before = self.error_count();
        let term = self.term(expr);
        if self.error_count() > before || self.has_kind(&term, &Kind::Number) {
            return term;
        }
        self.report_kind(&Kind::Number, "a number", (&term, expr.span));
        Term::Null
    }

    /// An expression whose value is true or false.
    pub(crate) fn test(&mut self, expr: &Expr) -> Term {
        let before = self.error_count();
        let term = self.term(expr);
        match self.as_test(term) {
            Ok(test) => test,
            Err(term) => {
                if self.error_count() == before && !matches!(expr.kind, ExprKind::Broken) {
                    self.report_kind(&Kind::Truth, "a test", (&term, expr.span));
                }
                Term::Truth(true)
            }
        }
    }

    /// An expression of either kind.
    pub(crate) fn value(&mut self, expr: &Expr) -> Term {
        self.term(expr)
    }

    fn term(&mut self, expr: &Expr) -> Term {
        if !self.enter(expr.span) {
            return Term::Null;
        }
        let term = self.term_inside(expr);
        self.leave();
        term
    }

    fn term_inside(&mut self, expr: &Expr) -> Term {
        match &expr.kind {
            ExprKind::Int(value) => Term::Int(*value),
            ExprKind::Null | ExprKind::Broken => Term::Null,
            ExprKind::Truth(value) => Term::Truth(*value),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Field(base, field) => self.field(base, field),
            ExprKind::Braces(_) => {
                let message = "values in braces go to a record";
                let code = self.codes().expected_number;
                self.report(Diagnostic::error(code, message, expr.span, "a single value is needed here"));
                Term::Null
            }
            ExprKind::Element(name, index) => {
                let index = self.number(index);
                match self.array(name) {
                    Some(var) => Term::Element(var, Box::new(index)),
                    None => Term::Null,
                }
            }
            ExprKind::Of(inner, process) => self.of_process(inner, process),
            ExprKind::Member(name, arguments)
                if is_channel_function(&name.text) && !self.scope.channels.is_empty() =>
            {
                self.channel_function(name, arguments)
            }
            ExprKind::Member(name, arguments) => self.call(name, arguments, expr.span),
            ExprKind::Quantified(quantified) => self.quantified(quantified),
            ExprKind::Negative(inner) => Term::Negative(Box::new(self.number(inner))),
            ExprKind::Not(inner) => Term::Not(Box::new(self.test(inner))),
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = if operator.takes_tests() {
                    (self.test(left), self.test(right))
                } else if matches!(operator, Operator::Equal | Operator::Differs) {
                    let before = self.error_count();
                    let (left, right) = (self.value(left), self.value(right));
                    if self.error_count() == before {
                        self.compare_kinds(&left, &right, expr.span);
                    }
                    (left, right)
                } else {
                    (self.number(left), self.number(right))
                };
                Term::Binary(*operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Term {
        if let Some(bound) = self.bound(name).cloned() {
            return self.copy_bound(&bound, (name, span));
        }
        if let Some(value) = self.scope.constants.get(name) {
            return Term::Int(*value);
        }
        if let Some((names, value)) = self.scope.names.get(name)
            && self.known(name).is_none()
        {
            return Term::Name(names.clone(), *value);
        }
        if let Some((record, ..)) = self.record_variable(name) {
            return self.record_as_value(name, &record, span);
        }
        if self.known(name).is_none() && self.scope.functions.contains_key(name) {
            return self.call(&Name { text: name.to_owned(), span }, &[], span);
        }
        match self.variable(name, span) {
            Some(var) if self.scope.variables[var.0 as usize].length.is_some() => {
                self.array_as_number(name, span)
            }
            Some(var) => Term::Var(var),
            None => Term::Null,
        }
    }

    pub(super) fn array_as_number(&mut self, name: &str, span: Span) -> Term {
        let message = format!("`{name}` is an array");
        self.report(
            Diagnostic::error(self.codes().array_as_number, message, span, "a number is needed here")
                .help(format!("write `{name}[0]` for its first element")),
        );
        Term::Null
    }

    /// `x@p`: the variable x of the process p.
    fn of_process(&mut self, inner: &Expr, process: &Expr) -> Term {
        self.inside_process(process, |resolver| resolver.term(inner)).unwrap_or(Term::Null)
    }

    /// Looks something up among the variables of another process.
    pub(super) fn inside_process<T>(
        &mut self,
        process: &Expr,
        look: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let index = self.process(process)?;
        let owner = self.scope.process_names.get(index as usize).cloned();
        let (before, unknown) = (std::mem::replace(&mut self.process, owner), self.unknown);
        self.unknown = Unknown::Refuse;
        let found = look(self);
        (self.process, self.unknown) = (before, unknown);
        Some(found)
    }

    /// An l-value; `None` if it is none, which is reported.
    pub(crate) fn lvalue(&mut self, expr: &Expr) -> Option<Lvalue> {
        match &expr.kind {
            ExprKind::Name(name) if self.is_constant(name) => {
                let message = format!("`{name}` is a constant");
                self.report(
                    Diagnostic::error(
                        self.codes().assigned_constant,
                        message,
                        expr.span,
                        "it cannot be assigned",
                    )
                    .help(format!(
                        "declare it with `{}` if it is to change",
                        self.scope.dialect.variable_keyword
                    )),
                );
                None
            }
            ExprKind::Name(name) => self.named_lvalue(name, expr.span),
            ExprKind::Field(base, field) => match self.field(base, field) {
                Term::Var(var) => Some(Lvalue::Var(var)),
                Term::Element(var, index) => Some(Lvalue::Element(var, *index)),
                _ => None,
            },
            ExprKind::Element(name, index) => {
                let index = self.number(index);
                self.array(name).map(|var| Lvalue::Element(var, index))
            }
            _ => None,
        }
    }

    pub(crate) fn is_constant(&self, name: &str) -> bool {
        self.scope.constants.contains_key(name)
            || (self.scope.names.contains_key(name) && self.known(name).is_none())
            || matches!(self.bound(name), Some(Bound::Term(Term::Int(_))))
    }

    /// A name that is no constant, to be assigned.
    fn named_lvalue(&mut self, name: &str, span: Span) -> Option<Lvalue> {
        let before = self.diagnostics.len();
        match self.name(name, span) {
            Term::Var(var) => Some(Lvalue::Var(var)),
            Term::Element(var, index) => Some(Lvalue::Element(var, *index)),
            term if self.diagnostics.len() == before => {
                let text = term.text(&self.scope.variables).to_string();
                let message = format!("`{name}` stands for `{text}`, which is no variable");
                let label = "it cannot be assigned";
                self.report(Diagnostic::error(self.codes().assigned_constant, message, span, label));
                None
            }
            _ => None,
        }
    }

    fn array(&mut self, name: &Name) -> Option<VarId> {
        let var = match self.bound(&name.text) {
            Some(Bound::Whole(whole)) => self.scope.variable_ids.get(whole).copied(),
            Some(Bound::Term(_) | Bound::Record(..)) => None,
            None => self.known(&name.text),
        };
        if let Some((record, _, true)) = self.record_variable(&name.text) {
            self.record_as_value(&format!("{}[..]", name.text), &record, name.span);
            return None;
        }
        match var {
            Some(var) if self.scope.variables[var.0 as usize].length.is_some() => Some(var),
            _ => {
                let message = format!("`{}` is not an array", name.text);
                self.report(
                    Diagnostic::error(
                        self.codes().not_an_array,
                        message,
                        name.span,
                        "only arrays have elements",
                    )
                    .help(format!(
                        "declare it: `{} {}[5] = 0;`",
                        self.scope.dialect.variable_keyword, name.text
                    )),
                );
                None
            }
        }
    }

    /// The name of a variable in the scope: that of a local one has its process.
    pub(super) fn name_in_scope(&self, name: &str) -> Option<String> {
        let local = self.process.as_ref().map(|process| format!("{name}@{process}"));
        let is_declared = |name: &String| self.scope.variable_ids.contains_key(name);
        local.filter(is_declared).or_else(|| Some(name.to_owned()).filter(is_declared))
    }

    pub(super) fn known(&self, name: &str) -> Option<VarId> {
        let local = self.process.as_ref().and_then(|process| {
            // Only a process with local variables pays for making this name.
            self.scope.variable_ids.get(format!("{name}@{process}").as_str())
        });
        local.or_else(|| self.scope.variable_ids.get(name)).copied()
    }

    fn variable(&mut self, name: &str, span: Span) -> Option<VarId> {
        if let Some(var) = self.known(name) {
            return Some(var);
        }
        let Scope { variable_ids, constants, names, .. } = &*self.scope;
        let candidates = variable_ids.keys().chain(constants.keys()).chain(names.keys());
        let severity = match self.unknown {
            Unknown::Declare => Severity::Warning,
            Unknown::Refuse => Severity::Error,
        };
        let meant = self.suggest(name, (severity, span), candidates.map(String::as_str)).map(str::to_owned);
        let message = format!("`{name}` is not declared");
        let mut diagnostic = match self.unknown {
            Unknown::Declare => Diagnostic::warning(
                self.codes().undeclared_variable,
                message,
                span,
                "it is undefined at first",
            ),
            Unknown::Refuse => {
                Diagnostic::error(self.codes().unknown_name, message, span, "no variable has this name")
            }
        };
        diagnostic = diagnostic.help(match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare it: `{} {name} = 0;`", self.scope.dialect.variable_keyword),
        });
        self.report(diagnostic);
        if self.unknown == Unknown::Refuse {
            return None;
        }
        let variable = Variable::new(name.to_owned(), None, Cell::Undefined);
        Some(self.scope.declare(name.to_owned(), variable))
    }

    /// The process that an expression names: `1`, `p`, `p(1)`.
    pub(crate) fn process(&mut self, expr: &Expr) -> Option<u32> {
        let name = match &expr.kind {
            ExprKind::Name(name) if !self.is_constant(name) => name.clone(),
            ExprKind::Member(name, arguments) => {
                let indices: Option<Vec<String>> = arguments
                    .iter()
                    .map(|index| self.integer(index).map(|index| index.to_string()))
                    .collect();
                format!("{}({})", name.text, indices?.join(", "))
            }
            ExprKind::Broken => return None,
            _ => self.constant(expr)?.to_string(),
        };
        let process = self.scope.processes.get(&name).copied();
        if process.is_none() {
            let mut diagnostic = Diagnostic::error(
                self.codes().unknown_process,
                format!("there is no process `{name}`"),
                expr.span,
                "no process has this name",
            );
            let mut known: Vec<&str> = self.scope.processes.keys().map(String::as_str).collect();
            known.sort_unstable();
            diagnostic = match self.suggest(&name, (Severity::Error, expr.span), known.iter().copied()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help(format!("the processes are {}", list_names(&known))),
            };
            self.report(diagnostic);
        }
        process
    }

    /// The value of an expression without variables.
    pub(crate) fn constant(&mut self, expr: &Expr) -> Option<Cell> {
        let term = self.constant_term(expr, true)?;
        Some(number(&term).map_or(Cell::Null, Cell::Int))
    }

    /// The value of an expression without variables, as a number, a name or a truth value.
    pub(crate) fn constant_term(&mut self, expr: &Expr, is_number: bool) -> Option<Term> {
        let before = self.diagnostics.len();
        let unknown = std::mem::replace(&mut self.unknown, Unknown::Refuse);
        let term = if is_number { self.number(expr) } else { self.value(expr) };
        self.unknown = unknown;
        if self.diagnostics.len() > before || matches!(expr.kind, ExprKind::Broken) {
            return None;
        }
        let why = match fold(&term) {
            Ok(term @ (Term::Int(_) | Term::Null | Term::Name(..) | Term::Truth(_))) => return Some(term),
            Ok(_) | Err(Unfoldable::Variable) => "this is known only at run time".to_owned(),
            Err(Unfoldable::Fault(fault)) => fault.to_string(),
        };
        let diagnostic =
            Diagnostic::error(self.codes().expected_constant, "expected a constant", expr.span, why)
                .help("numbers, `const`s and arithmetic that does not overflow may stand here");
        self.report(diagnostic);
        None
    }

    /// The value of an expression without variables, which has to be an integer.
    pub(super) fn integer(&mut self, expr: &Expr) -> Option<i64> {
        if let Cell::Int(value) = self.constant(expr)? {
            return Some(value);
        }
        let message = "expected an integer, found null";
        self.report(Diagnostic::error(self.codes().expected_constant, message, expr.span, ""));
        None
    }

    /// How many of the diagnostics are errors.
    fn error_count(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    /// The codes of the language's diagnostics.
    pub(crate) fn codes(&self) -> &'static Codes {
        &self.scope.dialect.codes
    }

    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        if let Some(call) = self.unfolding.calls.last() {
            diagnostic = diagnostic.context(call.span, format!("in this use of `{}`", call.name));
        }
        self.diagnostics.push(diagnostic);
    }
}

/// Suggestions.
impl<'s> Resolver<'s> {
    /// The resolver of a formula, which belongs to no process.
    pub(crate) fn of_formula(
        scope: &'s mut Scope,
        diagnostics: &'s mut Vec<Diagnostic>,
        max_shown: usize,
    ) -> Resolver<'s> {
        let (process, parameters, unfolding) = (None, Vec::new(), Unfolding::default());
        Resolver { scope, diagnostics, unknown: Unknown::Refuse, max_shown, process, parameters, unfolding }
    }

    /// The name that was most likely meant by an unknown one.
    ///
    /// `None` also if the diagnostic will not be shown: a suggestion takes a comparison with every
    /// candidate, so n unknown names would take n² comparisons.
    pub(crate) fn suggest<'n>(
        &self,
        name: &str,
        (severity, span): (Severity, Span),
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        self.is_shown(severity, span).then(|| suggest::nearest(name, candidates)).flatten()
    }

    /// Are fewer than [`max_shown`](Resolver::max_shown) different diagnostics certain to come before this
    /// one?
    fn is_shown(&self, severity: Severity, span: Span) -> bool {
        if self.diagnostics.len() < self.max_shown {
            return true;
        }
        let mut before = Vec::new();
        for diagnostic in &*self.diagnostics {
            let key = (diagnostic.code, diagnostic.primary.0);
            let is_before = diagnostic.severity >= severity && key.1.start < span.start;
            if is_before && !before.contains(&key) {
                before.push(key);
                if before.len() >= self.max_shown {
                    return false;
                }
            }
        }
        true
    }
}

impl Scope {
    /// The scope of a file that declares nothing yet.
    pub(crate) fn new(dialect: &'static Dialect, text: &str) -> Scope {
        let newlines = text.match_indices('\n').map(|(offset, _)| offset + 1);
        Scope {
            dialect,
            constants: FxHashMap::default(),
            variables: Vec::new(),
            variable_ids: FxHashMap::default(),
            channels: Vec::new(),
            channel_ids: FxHashMap::default(),
            labels: FxHashMap::default(),
            labels_in_atomic: FxHashMap::default(),
            processes: FxHashMap::default(),
            process_names: Vec::new(),
            node_labels: Vec::new(),
            types: FxHashMap::default(),
            names: FxHashMap::default(),
            kinds: Kinds::default(),
            records: FxHashMap::default(),
            record_variables: FxHashMap::default(),
            functions: FxHashMap::default(),
            creatable: FxHashMap::default(),
            line_starts: std::iter::once(0).chain(newlines).collect(),
        }
    }

    /// The line of the file that a place is on, from 1.
    pub(crate) fn line(&self, span: Span) -> usize {
        self.line_starts.partition_point(|start| *start <= span.start)
    }

    /// Is this a declared name that a proposition can begin with?
    pub(crate) fn begins_proposition(&self, word: &str) -> bool {
        let is_process = self.processes_begin_propositions() && self.processes.contains_key(word);
        is_process || self.variable_ids.contains_key(word)
    }

    /// Can a proposition begin with the name of a process, as `P0 at m1` does?
    pub(crate) fn processes_begin_propositions(&self) -> bool {
        self.dialect.at == AtMeaning::LastNode
    }

    /// Adds a variable under a name.
    pub(crate) fn declare(&mut self, name: String, variable: Variable) -> VarId {
        let var = VarId(self.variables.len() as u32);
        let is_open = variable.kind == Kind::Number
            && (0..variable.elements.len().max(1))
                .all(|index| !matches!(variable.initial_of(index), Cell::Int(_)));
        self.kinds.add_variable((!is_open).then(|| variable.kind.clone()));
        self.variables.push(variable);
        self.variable_ids.insert(name, var);
        var
    }
}

/// The names, or the first few of many, for a message.
pub(crate) fn list_names(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { ", .." } else { "" };
    format!("{}{more}", shown.join(", "))
}
