//! Channels in expressions: `len(c)`, `empty(c)` and `full(c)`, and the channels that statements name.
//!
//! Promise: a channel of an array has an index, and any other has none; what is neither is refused.

use super::resolve::Resolver;
use super::tree::{Expr, ExprKind, Name};
use crate::flow_graph::{ChannelId, ChannelPlace, Operator, Term};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;

/// Is this the name of a function of channels, if a parenthesis follows?
pub(super) fn is_channel_function(name: &str) -> bool {
    matches!(name, "len" | "empty" | "full")
}

impl Resolver<'_> {
    /// `len(c)`, `empty(c)` or `full(c)`.
    pub(super) fn channel_function(&mut self, name: &Name, arguments: &[Expr]) -> Term {
        let failed = if name.text == "len" { Term::Null } else { Term::Truth(true) };
        let [channel] = arguments else {
            let message = format!("wrong arguments for `{}`", name.text);
            let code = self.codes().wrong_arguments;
            let help = format!("it is used as `{}(c)`: a channel", name.text);
            self.report(Diagnostic::error(code, message, name.span, "").help(help));
            return failed;
        };
        let Some(place) = self.channel_place(channel) else { return failed };
        let channel = &self.scope.channels[place.channel.0 as usize];
        let (count, capacity) = (channel.count, channel.capacity as i64);
        let length = match place.index {
            Some(index) => Term::Element(count, Box::new(index)),
            None => Term::Var(count),
        };
        let equals =
            |value| Term::Binary(Operator::Equal, Box::new(length.clone()), Box::new(Term::Int(value)));
        match name.text.as_str() {
            "empty" => equals(0),
            "full" => equals(capacity),
            _ => length,
        }
    }

    /// The channel that an expression names: `c`, `c[i]`; `None` if it names none, which is reported.
    pub(crate) fn channel_place(&mut self, expr: &Expr) -> Option<ChannelPlace> {
        let (name, span, index) = match &expr.kind {
            ExprKind::Name(name) => (name, expr.span, None),
            ExprKind::Element(name, index) => (&name.text, name.span, Some(index)),
            ExprKind::Broken => return None,
            _ => {
                let message = "expected a channel";
                self.report(
                    Diagnostic::error(self.codes().unknown_channel, message, expr.span, "")
                        .help("write the name of a channel, or `c[i]` for a channel of an array"),
                );
                return None;
            }
        };
        let channel = self.channel(name, span)?;
        let index = index.map(|index| self.number(index));
        let is_array = self.scope.channels[channel.0 as usize].length.is_some();
        if is_array != index.is_some() {
            let (message, help) = match is_array {
                true => {
                    (format!("`{name}` is an array of channels"), format!("write `{name}[0]` for its first"))
                }
                false => {
                    (format!("`{name}` is a single channel"), format!("write `{name}` without an index"))
                }
            };
            self.report(Diagnostic::error(self.codes().channel_index, message, expr.span, "").help(help));
            return None;
        }
        Some(ChannelPlace { channel, index })
    }

    fn channel(&mut self, name: &str, span: Span) -> Option<ChannelId> {
        let channel = self.scope.channel_ids.get(name).copied();
        if channel.is_none() {
            let message = format!("`{name}` is not a channel");
            let known = self.scope.channel_ids.keys().map(String::as_str);
            let help = match self.suggest(name, (Severity::Error, span), known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("declare it: `channel {name}[1];`"),
            };
            self.report(Diagnostic::error(self.codes().unknown_channel, message, span, "").help(help));
        }
        channel
    }
}
