//! Records of the search for an accepting component: see [`checkpoint`](crate::checkpoint).
//!
//! A record has the states that are new, the states whose steps were counted and the nodes whose components
//! were closed since the record before, and of each stack the part above its least height since then. It is
//! the search of one worker, which alone stores states.
//!
//! Promise: the search goes on as if it had never been stopped, in the same order.

use super::component::{AcceptanceId, CLOSED, Stacks};
use super::{Acceptance, FairnessDebt, Product};
use crate::checkpoint::{
    Malformed, OTHER_STATES, Reader, Writer, index_tables, read_all, read_pairs, read_states, refuse_unless,
    write_pairs, write_slots, write_states,
};
use crate::search::Limit;
use crate::store::{RowStack, StateId};
use crate::system::System;
use std::time::Duration;

/// The number of live nodes that are compared with those of a checkpoint.
const MAX_COMPARED: usize = 64;

/// What the checkpoint has of the product.
#[derive(Debug, Default)]
pub(super) struct WrittenProduct {
    states: usize,
    pairs: usize,
    slots: usize,
    /// The states that were counted, and the nodes that were closed, since.
    pub(super) counted: Vec<StateId>,
    pub(super) closed: Vec<u32>,
    pub(super) is_due: bool,
}

impl<S: System> Product<'_, S> {
    /// Writes what is new since the last record, if there is a checkpoint.
    pub(super) fn write_record(&mut self, stacks: &mut Stacks) {
        let Some(checkpoint) = self.meter.checkpoint() else { return };
        let states = &self.states;
        let mut record = Writer::default();
        write_states(states, self.written.states, &mut record);
        write_pairs(&self.nodes, self.written.pairs, &mut record);
        let WrittenProduct { counted, closed, .. } = &self.written;
        record.number(counted.len());
        record.halves(counted.iter().map(|state| state.0));
        record.number(closed.len());
        record.halves(closed.iter().copied());
        record.number(self.transitions);
        record.number(self.depth);
        record.word(self.meter.elapsed().as_nanos() as u64);
        record.word(self.relation.system.remembered());
        write_stacks(stacks, &mut record);
        checkpoint.write(record.bytes());
        stacks.written();
        let mut slots = self.written.slots;
        write_slots(checkpoint, &mut slots, states.slot_count(), |out| states.write_slots(out));
        let (states, pairs) = (states.len(), self.nodes.pairs());
        self.written = WrittenProduct { states, pairs, slots, ..WrittenProduct::default() };
    }

    /// Reads the records of another process, if there are any.
    pub(super) fn read_records(&mut self) -> Result<Option<Stacks>, Limit> {
        let Some(checkpoint) = self.meter.checkpoint() else { return Ok(None) };
        let mut stacks = Stacks::default();
        let has_records = read_all(checkpoint, |reader| self.read_record(&mut stacks, reader))?;
        if has_records {
            self.written.slots = index_tables(checkpoint, |slots| self.states.index(slots))?;
        }
        let live: Vec<u32> = stacks.live.rows_from(0).into_iter().map(|[node]| node).collect();
        for (node, position) in live.iter().copied().zip(1..) {
            self.nodes.set_position(node, position);
        }
        refuse_unless(checkpoint, !has_records || self.fits(&live), OTHER_STATES)?;
        stacks.written();
        Ok(has_records.then_some(stacks))
    }

    fn read_record(&mut self, stacks: &mut Stacks, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        let states = &mut self.states;
        read_states(states, self.relation.system.words(), reader)?;
        let counts = (states.len(), self.relation.automaton.state_count());
        read_pairs(&mut self.nodes, counts, reader)?;
        (self.written.states, self.written.pairs) = (counts.0, self.nodes.pairs());
        let counted = reader.number(counts.0)?;
        for state in reader.halves(counted)? {
            Malformed::unless((state as usize) < counts.0, "an unknown state is counted")?;
            self.counted.insert(StateId(state));
        }
        let closed = reader.number(usize::MAX)?;
        for node in reader.halves(closed)? {
            let is_known = match self.nodes.pairs() {
                0 => (self.nodes.pair(node).0.index()) < counts.0,
                pairs => (node as usize) < pairs,
            };
            Malformed::unless(is_known, "an unknown node is closed")?;
            self.nodes.set_position(node, CLOSED);
        }
        self.transitions = reader.number(usize::MAX)?;
        self.depth = reader.number(usize::MAX)?;
        self.meter.go_on(Duration::from_nanos(reader.word()?));
        self.relation.system.remember(reader.word()?);
        read_stacks(stacks, reader)
    }

    /// Are the first nodes those of this product?
    fn fits(&mut self, live: &[u32]) -> bool {
        let initial = self.initial.iter().next();
        if initial.is_some_and(|state| self.states.find(state) != Some(StateId(0))) {
            return false;
        }
        live.iter().take(MAX_COMPARED).all(|node| {
            self.expand(*node);
            self.matching.is_empty()
                || self.steps.iter().all(|(_, target)| self.states.find(target).is_some())
        })
    }
}

/// Writes what changed in the stacks.
fn write_stacks(stacks: &Stacks, out: &mut Writer) {
    let acceptances = &stacks.acceptance.all[stacks.unchanged.acceptances..];
    out.number(acceptances.len());
    for acceptance in acceptances {
        out.words(&[acceptance.marks, acceptance.debt.demanded, acceptance.debt.served]);
    }
    let (unchanged, edges) = (stacks.unchanged, stacks.unchanged_edges());
    begin_stack(edges, stacks.waiting.targets.len(), out);
    for (target, acceptance) in stacks.waiting.iter_from(edges) {
        out.half(target);
        out.half(acceptance.0);
    }
    write_rows(&stacks.path, unchanged.path, out);
    write_rows(&stacks.partial, unchanged.partial, out);
    write_rows(&stacks.live, unchanged.live, out);
}

/// Writes which part of a stack follows.
fn begin_stack(unchanged: usize, length: usize, out: &mut Writer) {
    out.number(unchanged);
    out.number(length - unchanged);
}

fn write_rows<const N: usize>(stack: &RowStack<N>, unchanged: usize, out: &mut Writer) {
    begin_stack(unchanged, stack.len(), out);
    stack.rows_from(unchanged).into_iter().for_each(|row| out.halves(row.into_iter()));
}

/// Makes the changes that [`write_stacks`] wrote.
fn read_stacks(stacks: &mut Stacks, reader: &mut Reader<'_>) -> Result<(), Malformed> {
    for _ in 0..reader.number(usize::MAX)? {
        let (marks, demanded, served) = (reader.word()?, reader.word()?, reader.word()?);
        stacks.acceptance.intern(Acceptance { marks, debt: FairnessDebt { demanded, served } });
    }
    let acceptances = stacks.acceptance.all.len();
    let acceptance = |number: u32| {
        Malformed::unless((number as usize) < acceptances, "an unknown acceptance")?;
        Ok(AcceptanceId(number))
    };
    let edges = reader.number(stacks.waiting.targets.len())?;
    while stacks.waiting.targets.len() > edges {
        stacks.waiting.pop();
    }
    for _ in 0..reader.number(usize::MAX)? {
        let target = reader.half()?;
        stacks.waiting.push(target, acceptance(reader.half()?)?);
    }
    read_rows(&mut stacks.path, reader, |_| Ok(()))?;
    read_rows(&mut stacks.partial, reader, |[_, sum, entry]| {
        acceptance(sum)?;
        acceptance(entry).map(drop)
    })?;
    read_rows(&mut stacks.live, reader, |_| Ok(()))
}

/// Cuts a stack to its unchanged part, and reads the rest, each row of which is checked.
fn read_rows<const N: usize>(
    stack: &mut RowStack<N>,
    reader: &mut Reader<'_>,
    check: impl Fn([u32; N]) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let unchanged = reader.number(stack.len())?;
    stack.truncate(unchanged);
    for _ in 0..reader.number(usize::MAX)? {
        let mut row = [0; N];
        for number in &mut row {
            *number = reader.half()?;
        }
        check(row)?;
        stack.push(row);
    }
    Ok(())
}
