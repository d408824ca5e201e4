//! `P0 at m2`, `P0.at.m2`, `P0_at_m2`: the node that a process executed last.

use crate::parallel::Atom;
use crate::parallel::ast::{Expr, ExprKind, Name};
use crate::parallel::formula::Argument;
use crate::parallel::resolve::listed;
use crate::parallel::unfold::Unfolder;
use crate::suggest;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Unfolder<'_, '_> {
    /// The proposition that the process executed the node last.
    pub(crate) fn at_node(&mut self, process: u32, label: &str, span: Span) -> Formula<Atom> {
        let name = self.process_name(process);
        let scope = &self.resolver.scope;
        let nodes = scope.nodes.as_ref().map_or(&[][..], |nodes| &nodes[process as usize]);
        let number = scope.statements.get(label).map(|(number, _)| *number);
        if let Some(statement) = number.filter(|number| nodes.contains(number)) {
            return Formula::Prop(Atom::At { process, statement, text: format!("{name}.at.{label}") });
        }
        let known = scope.statements.iter().filter(|(_, (number, _))| nodes.contains(number));
        let mut known: Vec<(u32, &str)> = known.map(|(name, (number, _))| (*number, name.as_str())).collect();
        known.sort_unstable();
        let known: Vec<&str> = known.into_iter().map(|(_, name)| name).collect();
        let help = match suggest::nearest(label, known.iter().copied()) {
            Some(meant) if label.len() > 2 => format!("did you mean `{meant}`?"),
            _ => format!("its nodes are {}", listed(&known)),
        };
        let message = format!("`{label}` is not a node of process `{name}`");
        self.resolver.report(Diagnostic::error("flow::unknown-node", message, span, "").help(help));
        Formula::TRUE
    }

    /// The process and the node of `P0_at_m2`, if that is the name of one.
    pub(crate) fn glued_at(&self, name: &Name) -> Option<Vec<Argument>> {
        let scope = &self.resolver.scope;
        scope.nodes.as_ref()?;
        let mut cuts = name.text.match_indices("_at_");
        let (cut, at) = cuts.find(|(cut, _)| scope.processes.contains_key(&name.text[..*cut]))?;
        let part = |start: usize, end: usize| {
            let kind = ExprKind::Name(name.text[start..end].to_owned());
            Argument::Expr(Expr { kind, span: Span::new(name.span.start + start, name.span.start + end) })
        };
        Some(vec![part(0, cut), part(cut + at.len(), name.text.len())])
    }
}
