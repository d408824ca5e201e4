//! Declarations of channels.
//!
//! Promise: a channel has a name, a capacity and a number of fields that the machine has room for; what has
//! not is refused with its place.

use super::ast::{Channel as Declared, File};
use crate::flow_graph::{Cell, Channel, ChannelId, Effect, FlowGraph, Kind, MAX_FIELDS, Variable};
use crate::syntax::MAX_LENGTH;
use crate::syntax::declare::{Builder, UniqueNames};
use crate::syntax::tree::Expr;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The most messages that an array of channels has room for, fields counted one by one.
const MAX_ROOM: usize = 1 << 20;

/// Adds a channel, or an array of channels, to the scope.
pub(super) fn declare_channel(declared: &Declared, builder: &mut Builder<'_>) {
    let length = declared.length.as_ref().map(|length| builder.length(length, "an array's length"));
    let capacity = capacity(&declared.capacity, builder);
    let fields = fields(declared, builder);
    if capacity * fields * length.unwrap_or(1) > MAX_ROOM {
        let message = format!("`{}` has room for more than {MAX_ROOM} values", declared.name.text);
        builder.diagnostics.push(Diagnostic::error("par::too-large", message, declared.name.span, ""));
    }
    let name = declared.name.text.clone();
    let count_name = Channel::count_name(&name);
    let counter = Variable::new(count_name.clone(), length, Cell::Int(0));
    let count = builder.scope.declare(count_name, counter);
    let id = ChannelId(builder.scope.channels.len() as u32);
    let fields = vec![Kind::Number; fields];
    builder.scope.channels.push(Channel { name: name.clone(), length, capacity, fields, count });
    builder.scope.channel_ids.insert(name, id);
}

/// A capacity from 0 on; 1 if it is none, which is reported.
fn capacity(expr: &Expr, builder: &mut Builder<'_>) -> usize {
    let Some(value) = builder.integer(expr) else { return 1 };
    match usize::try_from(value) {
        Ok(capacity) if capacity <= MAX_LENGTH => capacity,
        _ => {
            let message = format!("a channel's capacity is from 0 to {MAX_LENGTH}, not {value}");
            builder.diagnostics.push(Diagnostic::error("par::bad-length", message, expr.span, ""));
            1
        }
    }
}

/// How many fields a message has.
fn fields(declared: &Declared, builder: &mut Builder<'_>) -> usize {
    let mut names = UniqueNames::default();
    for field in &declared.fields {
        builder.declare_name(field, &mut names);
    }
    if let Some(first_too_many) = declared.fields.get(MAX_FIELDS) {
        let message = format!("a message has at most {MAX_FIELDS} fields");
        builder.diagnostics.push(Diagnostic::error(
            "par::too-large",
            message,
            first_too_many.span,
            "one too many",
        ));
    }
    declared.fields.len().clamp(1, MAX_FIELDS)
}

/// Are there more pairs of a send and a receive that are one step than the machine has numbers for? That is
/// reported.
pub(super) fn refuse_too_many_meetings(file: &File, graphs: &[FlowGraph], builder: &mut Builder<'_>) {
    let mut counts = vec![(0_u64, 0_u64); builder.scope.channels.len()];
    let mut edges = 0_u64;
    for edge in graphs.iter().flat_map(|graph| &graph.nodes).flat_map(|node| &node.edges) {
        edges += 1;
        match &edge.effect {
            Effect::Send(place, _) => counts[place.channel.0 as usize].0 += 1,
            Effect::Receive(place, _) => counts[place.channel.0 as usize].1 += 1,
            _ => {}
        }
    }
    let meetings = counts.iter().zip(&builder.scope.channels).filter(|(_, channel)| channel.is_rendezvous());
    let pairs: u64 = meetings.map(|((sends, receives), _)| sends.saturating_mul(*receives)).sum();
    if pairs.saturating_add(edges) >= u64::from(u32::MAX) {
        let span = file.channels.first().map_or(Span::default(), |channel| channel.name.span);
        let message = "there are too many sends and receives over channels of capacity 0";
        let diagnostic = Diagnostic::error("par::too-large", message, span, "");
        builder.diagnostics.push(diagnostic.help("a capacity of 1 makes them steps of one process"));
    }
}
