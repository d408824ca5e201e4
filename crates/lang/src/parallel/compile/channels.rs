//! Sends and receives: their channels, and the fields of their messages.

use super::{Compiler, StatementText};
use crate::flow_graph::{Cell, Channel, ChannelPlace, Pattern, Term};
use crate::syntax::constant::{fold, number};
use crate::syntax::tree::{Expr, ExprKind};
use selvedge_ltl::diagnostic::Diagnostic;

impl Compiler<'_, '_> {
    /// `send c, e`
    pub(super) fn send(&mut self, channel: &Expr, fields: &[Expr]) -> Option<StatementText> {
        let values: Vec<Term> = fields.iter().map(|field| self.resolver.value(field)).collect();
        let place = self.used_channel(channel, fields)?;
        let mut fits = true;
        for (number, (value, field)) in values.iter().zip(fields).enumerate() {
            fits &= self.resolver.fit_field(place.channel, number, value, field.span);
        }
        fits.then_some(StatementText::Send(place, values))
    }

    /// `receive c, x`
    pub(super) fn receive(&mut self, channel: &Expr, fields: &[Expr]) -> Option<StatementText> {
        let patterns: Vec<Option<(Pattern, Term)>> = fields.iter().map(|field| self.pattern(field)).collect();
        let place = self.used_channel(channel, fields)?;
        let patterns = patterns.into_iter().collect::<Option<Vec<(Pattern, Term)>>>()?;
        let mut fits = true;
        for (number, ((_, term), field)) in patterns.iter().zip(fields).enumerate() {
            fits &= self.resolver.fit_field(place.channel, number, term, field.span);
        }
        let patterns = patterns.into_iter().map(|(pattern, _)| pattern).collect();
        fits.then_some(StatementText::Receive(place, patterns))
    }

    /// A constant, which has to match, or a variable, which is assigned.
    fn pattern(&mut self, field: &Expr) -> Option<(Pattern, Term)> {
        let is_place = match &field.kind {
            ExprKind::Name(name) => !self.resolver.is_constant(name),
            ExprKind::Element(..) | ExprKind::Field(..) => true,
            ExprKind::Broken => return None,
            _ => false,
        };
        if is_place {
            let lvalue = self.resolver.lvalue(field)?;
            let term = lvalue.term();
            return Some((Pattern::Store(lvalue), term));
        }
        let term = self.resolver.value(field);
        let kind = term.kind(&self.resolver.scope.variables);
        match fold(&term) {
            Ok(Term::Null) => Some((Pattern::Match(Cell::Null, kind), term)),
            Ok(folded) if number(&folded).is_some() => {
                let cell = number(&folded).map_or(Cell::Null, Cell::Int);
                Some((Pattern::Match(cell, kind), term))
            }
            _ => {
                let message = "a value needs a variable to go to, or a constant to be equal to";
                let diagnostic = Diagnostic::error("par::expected-variable", message, field.span, "")
                    .help("write `receive c, x`, or `c?(1, x)` for messages whose first field is 1");
                self.resolver.report(diagnostic);
                None
            }
        }
    }

    /// The channel of a send or a receive with these fields.
    fn used_channel(&mut self, expr: &Expr, fields: &[Expr]) -> Option<ChannelPlace> {
        let place = self.resolver.channel_place(expr)?;
        let Channel { name, fields: expected, .. } = &self.resolver.scope.channels[place.channel.0 as usize];
        let (name, expected) = (name.clone(), expected.len());
        if fields.len() != expected {
            let count =
                |count: usize| if count == 1 { "1 field".to_owned() } else { format!("{count} fields") };
            let message = format!("a message of `{name}` has {}, not {}", count(expected), fields.len());
            let span = fields.first().map_or(expr.span, |first| first.span.to(fields[fields.len() - 1].span));
            let diagnostic = Diagnostic::error("par::wrong-fields", message, span, "")
                .help(format!("`channel {name}[1] of (kind, value);` has two fields"));
            self.resolver.report(diagnostic);
            return None;
        }
        if self.in_atomic && self.resolver.scope.channels[place.channel.0 as usize].is_rendezvous() {
            let message = format!("`{name}` has capacity 0 and cannot be used inside `atomic`");
            let why = "two processes take this step";
            let diagnostic = Diagnostic::error("par::rendezvous-in-atomic", message, expr.span, why)
                .help(format!("write it before the `atomic`, or declare `channel {name}[1]`"));
            self.resolver.report(diagnostic);
            return None;
        }
        Some(place)
    }
}
