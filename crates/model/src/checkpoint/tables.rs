//! The tables of searches as bytes.

use super::{Checkpoint, Malformed, Reader, Refused, Writer};
use crate::search::{Limit, Stats};
use crate::store::{NodeTable, StateId, StateTable};
use std::time::Duration;

/// Writes the states from this number on.
pub(crate) fn write_states(states: &StateTable, first: usize, out: &mut Writer) {
    out.number(first);
    out.number(states.len() - first);
    states.words_from(first).for_each(|words| out.words(words));
}

/// Adds states of `width` words that [`write_states`] wrote to those before them. The table is to be
/// [indexed](StateTable::index) when all are read.
pub(crate) fn read_states(
    states: &mut StateTable,
    width: usize,
    reader: &mut Reader<'_>,
) -> Result<(), Malformed> {
    let first = reader.number(StateTable::MAX_STATES)?;
    Malformed::unless(first == states.len(), "states are missing before its own")?;
    let count = reader.number(StateTable::MAX_STATES - first)?;
    let words = reader.raw_words(count * width)?;
    states.append_with(words.len(), |chunk, range| {
        chunk.extend(words[range].iter().map(|word| u64::from_le_bytes(*word)));
    });
    Ok(())
}

/// Keeps the slots of tables, if there are about twice as many as `written` says. A table that grows doubles
/// its slots: so they are written when it has grown, and all that is ever written is little more than twice
/// the last slots.
pub(crate) fn write_slots(
    checkpoint: &dyn Checkpoint,
    written: &mut usize,
    slots: usize,
    write: impl FnOnce(&mut Writer),
) {
    if 2 * slots > 3 * *written {
        let mut snapshot = Writer::default();
        write(&mut snapshot);
        checkpoint.write_snapshot(snapshot.bytes());
        *written = slots;
    }
}

/// Indexes tables whose slots [`write_slots`] may have kept. Returns how many slots came from there.
pub(crate) fn index_tables(
    checkpoint: &dyn Checkpoint,
    index: impl FnOnce(Option<&mut Reader<'_>>) -> Result<usize, Malformed>,
) -> Result<usize, Limit> {
    let mut snapshot = Vec::new();
    let has_slots = checkpoint.read_snapshot(&mut snapshot).map_err(|Refused| Limit::Checkpoint)?;
    index(has_slots.then_some(&mut Reader::new(&snapshot))).map_err(|Malformed(why)| {
        checkpoint.refuse(&why);
        Limit::Checkpoint
    })
}

/// Writes the pairs from this number on, if nodes are numbered as they come.
pub(crate) fn write_pairs(nodes: &NodeTable, first: usize, out: &mut Writer) {
    out.number(first);
    out.number(nodes.pairs() - first);
    for node in first..nodes.pairs() {
        let (state, automaton) = nodes.pair(node as u32);
        out.half(state.0);
        out.half(automaton);
    }
}

/// Adds pairs that [`write_pairs`] wrote to those before them, with so many states of the system and the
/// automaton.
pub(crate) fn read_pairs(
    nodes: &mut NodeTable,
    (states, automaton_states): (usize, usize),
    reader: &mut Reader<'_>,
) -> Result<(), Malformed> {
    let first = reader.number(StateTable::MAX_STATES)?;
    Malformed::unless(first == nodes.pairs(), "nodes are missing before its own")?;
    for number in first..first + reader.number(StateTable::MAX_STATES - first)? {
        let (state, automaton) = (reader.half()?, reader.half()?);
        let is_known = (state as usize) < states && (automaton as usize) < automaton_states;
        Malformed::unless(is_known, "a node of unknown states")?;
        let is_next = nodes.number(StateId(state), automaton) as usize == number;
        Malformed::unless(is_next, "a node is there twice")?;
    }
    Ok(())
}

/// Writes the figures of a search.
pub(crate) fn write_stats(stats: &Stats, out: &mut Writer) {
    let Stats { states, transitions, product_states, automaton_states, depth, bytes, time } = *stats;
    for number in [states, transitions, product_states, automaton_states, depth, bytes] {
        out.number(number);
    }
    out.word(time.as_nanos() as u64);
}

/// Reads the figures of a search.
pub(crate) fn read_stats(reader: &mut Reader<'_>) -> Result<Stats, Malformed> {
    let mut number = || reader.number(usize::MAX);
    Ok(Stats {
        states: number()?,
        transitions: number()?,
        product_states: number()?,
        automaton_states: number()?,
        depth: number()?,
        bytes: number()?,
        time: Duration::from_nanos(reader.word()?),
    })
}
