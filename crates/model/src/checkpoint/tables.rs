//! The tables of searches as bytes.

use super::{Malformed, Reader, Writer};
use crate::search::Stats;
use crate::store::{NodeTable, StateId, StateTable};
use std::time::Duration;

/// The number of states that are read together.
const BATCH: usize = 1024;

/// Writes the states from this number on.
pub(crate) fn write_states(states: &StateTable, first: usize, out: &mut Writer) {
    out.number(first);
    out.number(states.len() - first);
    for id in first..states.len() {
        out.words(states.get(StateId(id as u32)));
    }
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
    let mut left = reader.number(StateTable::MAX_STATES - first)?;
    let mut words = Vec::new();
    while left > 0 {
        let count = left.min(BATCH);
        left -= count;
        reader.words(count * width, &mut words)?;
        states.append(&words);
    }
    Ok(())
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
