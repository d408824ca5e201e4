//! Channels between processes: queues of messages, first in, first out; arrays of channels; channels without
//! room, over which two processes meet in one step (the rendezvous of Hoare, Communicating Sequential
//! Processes, 1978).
//!
//! The number of messages in a channel, `len(c)`, is the value of a variable of its own, so that tests and
//! formulas read it like any other. No statement assigns it; sends and receives do.

use super::{Cell, FlowGraphs, Kind, Lvalue, Term, VarId, Variable};

/// The most fields of a message.
pub const MAX_FIELDS: usize = 16;

/// A channel, or an array of them.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// How many channels, if it is an array.
    pub length: Option<usize>,
    /// How many messages each holds at most; 0 if messages go from process to process in one step.
    pub capacity: usize,
    /// What the values of a message are.
    pub fields: Vec<Kind>,
    /// The variable, or the array, that has the number of messages.
    pub count: VarId,
}

/// A channel's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelId(pub u32);

/// A channel, or an element of an array of channels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelPlace {
    /// The channel, or the array.
    pub channel: ChannelId,
    /// The index, if it is an array.
    pub index: Option<Term>,
}

/// What a receive does with a field of the message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pattern {
    /// The field has to have this value, of this kind.
    Match(Cell, Kind),
    /// The field is assigned.
    Store(Lvalue),
}

impl Channel {
    /// The name of the variable that counts a channel's messages.
    pub(crate) fn count_name(channel: &str) -> String {
        format!("len({channel})")
    }

    /// Has it no room for messages? Then a send and a receive are one step.
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

impl FlowGraphs {
    /// Does the variable count the messages of a channel?
    pub(crate) fn is_message_count(&self, var: VarId) -> bool {
        self.channels.iter().any(|channel| channel.count == var)
    }
}

impl ChannelPlace {
    /// The place as text, with the names of these channels and variables.
    pub fn text(&self, channels: &[Channel], variables: &[Variable]) -> String {
        let name = &channels[self.channel.0 as usize].name;
        match &self.index {
            Some(index) => format!("{name}[{}]", index.text(variables)),
            None => name.clone(),
        }
    }
}

impl Pattern {
    /// What is assigned.
    pub(crate) fn lvalue(&self) -> Option<&Lvalue> {
        match self {
            Pattern::Match(..) => None,
            Pattern::Store(lvalue) => Some(lvalue),
        }
    }

    /// The variable or the array that is assigned.
    pub(crate) fn variable(&self) -> Option<VarId> {
        self.lvalue().map(Lvalue::variable)
    }

    /// The pattern as text, with the names of these variables.
    pub fn text(&self, variables: &[Variable]) -> String {
        match self {
            Pattern::Match(cell, kind) => kind.text(*cell),
            Pattern::Store(lvalue) => lvalue.text(variables),
        }
    }
}

/// The fields of a message as text: in parentheses if they are several.
pub(crate) fn message_text(fields: &[String]) -> String {
    match fields {
        [only] => only.clone(),
        several => format!("({})", several.join(", ")),
    }
}
