//! Channels in packed states: queues of messages, and what sends and receives do to them.
//!
//! Promise: equal contents are equal states, since free slots are all alike; nothing is allocated.

use super::code::{Number, Slots, Target};
use super::layout::{Field, Slot};
use crate::flow_graph::arithmetic::{Fault, Value};
use crate::flow_graph::{Cell, Channel, ChannelPlace, Kind, MAX_FIELDS, Pattern};
use selvedge_model::Word;
use std::sync::Arc;

/// A channel's messages, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) length: Field,
    pub(super) capacity: usize,
    /// How many slots a message has.
    pub(super) fields: usize,
    pub(super) slots: Arc<[Slot]>,
}

/// The channel of a send or a receive, by its number among all buffers.
#[derive(Clone, Debug)]
pub(super) enum ChannelCode {
    Fixed(u32),
    /// An element of the array of so many channels that begins with the first.
    Element {
        first: u32,
        count: u32,
        index: Number,
    },
}

/// What a receive does with a field.
#[derive(Clone, Debug)]
pub(super) enum FieldCode {
    Match(Cell),
    Store(Target),
}

impl ChannelCode {
    /// The place in an array, or the single channel, that begins with this buffer.
    pub(super) fn new(place: &ChannelPlace, channel: &Channel, first: u32, slots: &Slots) -> ChannelCode {
        let Some(index) = &place.index else { return ChannelCode::Fixed(first) };
        let count = channel.length.unwrap_or(1) as u32;
        match Number::new(index, slots) {
            Number::Const(Some(at)) if (0..i64::from(count)).contains(&at) => {
                ChannelCode::Fixed(first + at as u32)
            }
            index => ChannelCode::Element { first, count, index },
        }
    }

    /// The buffer, with the index evaluated in this state.
    #[inline]
    pub(super) fn buffer(&self, state: &[Word]) -> Result<u32, Fault> {
        match self {
            ChannelCode::Fixed(buffer) => Ok(*buffer),
            ChannelCode::Element { first, count, index } => {
                let index = index.eval(state)?.and_then(|index| u32::try_from(index).ok());
                index.filter(|index| index < count).map(|index| first + index).ok_or(Fault::Index)
            }
        }
    }

    /// The buffers that it can be.
    pub(super) fn buffers(&self) -> std::ops::Range<u32> {
        match self {
            ChannelCode::Fixed(buffer) => *buffer..buffer + 1,
            ChannelCode::Element { first, count, .. } => *first..first + count,
        }
    }
}

impl FieldCode {
    pub(super) fn new(pattern: &Pattern, slots: &Slots) -> FieldCode {
        match pattern {
            Pattern::Match(cell, _) => FieldCode::Match(*cell),
            Pattern::Store(lvalue) => FieldCode::Store(Target::new(lvalue, slots)),
        }
    }

    /// Does the field take this value?
    #[inline]
    pub(super) fn takes(&self, value: Cell) -> bool {
        match self {
            FieldCode::Match(expected) => *expected == value,
            FieldCode::Store(_) => true,
        }
    }
}

impl Buffer {
    pub(super) fn is_full(&self, state: &[Word]) -> bool {
        self.length.get(state) as usize == self.capacity
    }

    /// Is there a message whose fields are taken by these?
    pub(super) fn has_match(&self, fields: &[FieldCode], state: &[Word]) -> bool {
        let message = || fields.iter().zip(&*self.slots);
        self.length.get(state) > 0 && message().all(|(field, slot)| field.takes(slot.cell(state)))
    }

    /// Adds a message of these values; there is room.
    pub(super) fn send(&self, values: &[Number], state: &mut [Word]) -> Result<(), Fault> {
        let length = self.length.get(state);
        let first = length as usize * self.fields;
        for (slot, value) in self.slots[first..].iter().zip(values) {
            let value = value.eval(state)?;
            slot.store(state, cell_of(value));
        }
        self.length.set(state, length + 1);
        Ok(())
    }

    /// Takes the oldest message; there is one. All indices are evaluated before any field is assigned.
    pub(super) fn receive(&self, fields: &[FieldCode], state: &mut [Word]) -> Result<(), Fault> {
        let targets = targets(fields, state)?;
        for (target, slot) in targets.iter().zip(&*self.slots) {
            if let Some(target) = target {
                let value = slot.cell(state);
                target.store(state, value);
            }
        }
        let length = self.length.get(state) as usize;
        let used = length * self.fields;
        for index in self.fields..used {
            let moved = self.slots[index].cell(state);
            self.slots[index - self.fields].store(state, moved);
        }
        self.slots[used - self.fields..used].iter().for_each(|slot| slot.clear(state));
        self.length.set(state, length as u64 - 1);
        Ok(())
    }

    /// The messages as text; their fields are of these kinds.
    pub(super) fn text(&self, kinds: &[Kind], state: &[Word]) -> String {
        let used = self.length.get(state) as usize * self.fields;
        let message = |slots: &[Slot]| {
            let fields = slots.iter().zip(kinds).map(|(slot, kind)| kind.text(slot.cell(state)));
            crate::flow_graph::message_text(&fields.collect::<Vec<String>>())
        };
        let messages: Vec<String> = self.slots[..used].chunks(self.fields).map(message).collect();
        format!("[{}]", messages.join(", "))
    }
}

/// The slots of the fields that are assigned, with their indices evaluated in this state.
pub(super) fn targets<'f>(
    fields: &'f [FieldCode],
    state: &[Word],
) -> Result<[Option<&'f Slot>; MAX_FIELDS], Fault> {
    let mut targets = [None; MAX_FIELDS];
    for (target, field) in targets.iter_mut().zip(fields) {
        if let FieldCode::Store(place) = field {
            *target = Some(place.slot(state)?);
        }
    }
    Ok(targets)
}

/// The value of a message's field.
pub(super) fn cell_of(value: Value) -> Cell {
    value.map_or(Cell::Null, Cell::Int)
}
