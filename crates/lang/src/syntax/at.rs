//! The proposition `at`: which label the control of a process is at.
//!
//! In PARALLEL `at(1, crit)`: the process is about to execute the user statement. In flow `P0 at m2`,
//! `P0.at.m2` or `P0_at_m2`: the node is the last one that the process executed ([`AtMeaning`]).

use super::atom::Atom;
use super::dialect::AtMeaning;
use super::formula::Argument;
use super::resolve::list_names;
use super::tree::{Expr, ExprKind, Name};
use super::unfold::{Environment, Unfolder, substitute};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;

impl Unfolder<'_, '_> {
    /// `at(process, label)`
    pub(super) fn at(
        &mut self,
        name: &Name,
        arguments: &[Argument],
        environment: &Environment,
    ) -> Formula<Atom> {
        let meaning = self.resolver.scope.dialect.at;
        let example = match meaning {
            AtMeaning::NextStatement => meaning.spell("crit"),
            AtMeaning::LastNode => meaning.spell("m1"),
        };
        let shape = format!("`{example}`: a process and a statement");
        let [Argument::Expr(process), Argument::Expr(label)] = arguments else {
            return self.wrong_arguments(name, &shape);
        };
        let process = self.resolver.process(&substitute(process, environment));
        let label = substitute(label, environment);
        let ExprKind::Name(text) = &label.kind else {
            return self.wrong_arguments(name, &shape);
        };
        match meaning {
            AtMeaning::NextStatement => self.at_statement(process, text, label.span),
            AtMeaning::LastNode => {
                process.map_or(Formula::TRUE, |process| self.at_node(process, text, label.span))
            }
        }
    }

    /// The process is about to execute the user statement.
    fn at_statement(&mut self, process: Option<u32>, label: &str, span: Span) -> Formula<Atom> {
        let Some(&statement) = self.resolver.scope.labels.get(label) else {
            return self.unknown_statement(label, span);
        };
        let Some(process) = process else { return Formula::TRUE };
        if let Some(place) = self.resolver.scope.labels_in_atomic.get(&(process, statement)) {
            let line = self.resolver.scope.line(*place);
            return self.refuse_at_in_atomic(process, label, (line, span));
        }
        let text = format!("at({}, {label})", self.process_name(process));
        Formula::Prop(Atom::At { process, statement, text })
    }

    /// An `atomic` is one step, so no state has a process inside it.
    fn refuse_at_in_atomic(
        &mut self,
        process: u32,
        label: &str,
        (line, span): (usize, Span),
    ) -> Formula<Atom> {
        let process = self.process_name(process);
        let message =
            format!("process `{process}` is never at `{label}` of line {line}, which is inside `atomic`");
        let why = "an `atomic` is one step, and no state lies inside it";
        let help = format!("write `{label}` before the `atomic`, or behind it");
        self.resolver.report(Diagnostic::error(self.codes().at_in_atomic, message, span, why).help(help));
        Formula::TRUE
    }

    fn unknown_statement(&mut self, label: &str, span: Span) -> Formula<Atom> {
        let mut known: Vec<&str> = self.resolver.scope.labels.keys().map(String::as_str).collect();
        known.sort_unstable();
        let help = match self.resolver.suggest(label, (Severity::Error, span), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => format!("declare it: `statement {label};`"),
            None => format!("the statements are {}", list_names(&known)),
        };
        let message = format!("`{label}` is not a statement");
        self.resolver.report(Diagnostic::error(self.codes().unknown_label, message, span, "").help(help));
        Formula::TRUE
    }

    /// The node is the last one that the process executed.
    fn at_node(&mut self, process: u32, label: &str, span: Span) -> Formula<Atom> {
        let name = self.process_name(process);
        let scope = &self.resolver.scope;
        let nodes = &scope.node_labels[process as usize];
        let number = scope.labels.get(label).copied();
        if let Some(statement) = number.filter(|number| nodes.contains(number)) {
            return Formula::Prop(Atom::At { process, statement, text: format!("{name}.at.{label}") });
        }
        let known = scope.labels.iter().filter(|(_, number)| nodes.contains(number));
        let mut known: Vec<(u32, &str)> = known.map(|(name, number)| (*number, name.as_str())).collect();
        known.sort_unstable();
        let known: Vec<&str> = known.into_iter().map(|(_, name)| name).collect();
        let help = match self.resolver.suggest(label, (Severity::Error, span), known.iter().copied()) {
            Some(meant) if label.len() > 2 => format!("did you mean `{meant}`?"),
            _ => format!("its nodes are {}", list_names(&known)),
        };
        let message = format!("`{label}` is not a node of process `{name}`");
        self.resolver.report(Diagnostic::error(self.codes().unknown_label, message, span, "").help(help));
        Formula::TRUE
    }

    /// The process and the node of `P0_at_m2`, if the name has this form.
    pub(super) fn glued_at(&self, name: &Name) -> Option<Vec<Argument>> {
        let scope = &self.resolver.scope;
        if scope.dialect.at != AtMeaning::LastNode {
            return None;
        }
        let mut cuts = name.text.match_indices("_at_");
        let (cut, at) = cuts.find(|(cut, _)| scope.processes.contains_key(&name.text[..*cut]))?;
        let part = |start: usize, end: usize| {
            let kind = ExprKind::Name(name.text[start..end].to_owned());
            Argument::Expr(Expr { kind, span: Span::new(name.span.start + start, name.span.start + end) })
        };
        Some(vec![part(0, cut), part(cut + at.len(), name.text.len())])
    }
}
