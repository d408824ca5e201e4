//! Assignments of several variables in one step, and `else` in `choose`.

use super::{Compiler, ContinuationId, NodeNumbers, OccurrenceId, StatementText};
use crate::flow_graph::{Edge, Effect, Guard, Lvalue, MAX_TOGETHER, Node, NodeId, Term};
use crate::syntax::tree::Expr;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The place of a statement, and of the call that it was unfolded from.
pub(super) type SourcePlace = (Span, Option<Span>);

impl Compiler<'_, '_> {
    /// `x := e`; of a record, all its fields.
    pub(super) fn assign(&mut self, to: &Expr, value: &Expr, span: Span) -> Option<StatementText> {
        match self.resolver.record_assignment(to, value) {
            Some(parts) if parts.is_empty() => None,
            Some(parts) => {
                self.refuse_too_many(parts.len(), span)?;
                Some(StatementText::AssignAll(parts))
            }
            None => {
                let (lvalue, value) = self.resolver.assignment(to, value)?;
                Some(StatementText::Assign(lvalue, value))
            }
        }
    }

    fn refuse_too_many(&mut self, count: usize, span: Span) -> Option<()> {
        if count <= MAX_TOGETHER {
            return Some(());
        }
        let message = format!("one step assigns at most {MAX_TOGETHER} variables");
        let label = format!("these are {count}");
        self.resolver.report(Diagnostic::error("par::too-many-assigned", message, span, label));
        None
    }

    /// `x, y := e, f`
    pub(super) fn assign_all(&mut self, parts: &[(Expr, Expr)], span: Span) -> Option<StatementText> {
        let resolved: Vec<Option<(Lvalue, Term)>> =
            parts.iter().map(|(lvalue, value)| self.resolver.assignment(lvalue, value)).collect();
        let resolved: Vec<(Lvalue, Term)> = resolved.into_iter().collect::<Option<_>>()?;
        self.refuse_too_many(resolved.len(), span)?;
        for (index, (lvalue, _)) in resolved.iter().enumerate() {
            if let Some(first) = resolved[..index].iter().position(|(before, _)| before == lvalue) {
                let name = lvalue.text(&self.resolver.scope.variables);
                let message = format!("`{name}` is assigned twice in one step");
                let diagnostic =
                    Diagnostic::error("par::assigned-twice", message, parts[index].0.span, "the second")
                        .context(parts[first].0.span, "the first");
                self.resolver.report(diagnostic);
                return None;
            }
        }
        Some(StatementText::AssignAll(resolved))
    }

    /// One step a value.
    pub(super) fn add_value_edges(
        &self,
        (lvalue, values): (&Lvalue, Vec<Term>),
        (target, (span, call)): (NodeId, SourcePlace),
        node: &mut Node,
    ) {
        let variables = &self.resolver.scope.variables;
        let name = lvalue.text(variables);
        for value in values {
            let text = format!("{name} := {}", value.text(variables));
            let (guard, effect) = (Guard::Always, Effect::Assign(lvalue.clone(), value));
            node.edges.push(Edge { guard, effect, target, text, span, call });
        }
    }

    /// The steps of a choice with `else`, whose statements come last in `inside`.
    pub(super) fn add_else_edges(
        &mut self,
        inside: &[Vec<OccurrenceId>],
        (after, place): (ContinuationId, SourcePlace),
        node: &mut Node,
        numbers: &mut NodeNumbers,
    ) {
        let Some((otherwise, branches)) = inside.split_last() else { return };
        let first = node.edges.len();
        self.add_choice_edges(branches, (after, place), node, numbers);
        self.refuse_else_beside_meetings(&node.edges[first..], place.0);
        self.warn_of_useless_else(&node.edges[first..], place.0);
        let target = self.prepend(otherwise, after);
        let target = self.number(numbers, target);
        node.edges.push(Edge {
            guard: Guard::Otherwise(first as u32),
            effect: Effect::Nothing,
            target,
            text: "else".to_owned(),
            span: place.0,
            call: place.1,
        });
    }

    /// Whether a rendezvous or a `timeout` can go on is for other processes to say: `else` does not ask
    /// them, as in Promela.
    fn refuse_else_beside_meetings(&mut self, edges: &[Edge], span: Span) {
        let channels = &self.resolver.scope.channels;
        let asks_others = |edge: &Edge| match &edge.effect {
            Effect::Send(place, _) | Effect::Receive(place, _) => {
                channels[place.channel.0 as usize].is_rendezvous()
            }
            _ => edge.guard == Guard::Timeout,
        };
        if edges.iter().any(asks_others) {
            let message = "a `choose` with `else` has no branch that begins with a rendezvous or a `timeout`";
            let diagnostic = Diagnostic::error("par::else-with-others", message, span, "")
                .help("give the channel a capacity of 1, or begin the branch with an `await`");
            self.resolver.report(diagnostic);
        }
    }

    fn warn_of_useless_else(&mut self, edges: &[Edge], span: Span) {
        let can_wait =
            |edge: &Edge| matches!(edge.effect, Effect::Send(..) | Effect::Receive(..) | Effect::Atomic(..));
        let is_pair = |pair: &[Edge]| match (&pair[0].guard, &pair[1].guard) {
            (Guard::Holds(test), Guard::Fails(other)) => test == other,
            _ => false,
        };
        let is_free = |edge: &Edge| edge.guard == Guard::Always && !can_wait(edge);
        if edges.iter().any(is_free) || edges.windows(2).any(is_pair) {
            let message = "the `else` of this `choose` is never taken";
            let label = "one of the branches can always begin";
            let diagnostic = Diagnostic::warning("par::useless-else", message, span, label)
                .help("begin each branch with something that can wait: `await`, `send`, `receive`");
            self.resolver.report(diagnostic);
        }
    }
}
