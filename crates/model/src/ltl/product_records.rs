//! Records of the search for an accepting component: see [`checkpoint`](crate::checkpoint).
//!
//! A record has the states and nodes that are new, the states whose steps were counted since, and of each
//! stack the part above its least height since the record before. Closed nodes are not written: they are the
//! entered nodes that are not live.
//!
//! Promise: the search goes on as if it had never been stopped: one worker, the same order.

use super::component::{AcceptanceId, Frame, PartialComponent, Stacks};
use super::product::PackedEdge;
use super::{Acceptance, FairnessDebt, Product};
use crate::checkpoint::{
    Malformed, Reader, Writer, read_all, read_nodes, read_states, write_nodes, write_states,
};
use crate::search::Limit;
use crate::store::StateId;
use crate::system::System;
use std::time::Duration;

/// The number of nodes that are compared with those of a checkpoint.
const MAX_COMPARED: usize = 64;

/// What the checkpoint has of the product.
#[derive(Debug, Default)]
pub(super) struct WrittenProduct {
    states: usize,
    nodes: usize,
    /// The states that were counted since.
    pub(super) counted: Vec<StateId>,
    pub(super) is_due: bool,
}

impl<S: System> Product<'_, S> {
    /// Writes what is new since the last record, if there is a checkpoint.
    pub(super) fn write_record(&mut self, stacks: &mut Stacks<PackedEdge>) {
        let Some(checkpoint) = self.meter.checkpoint() else { return };
        let mut record = Writer::default();
        write_states(&self.states, self.written.states, &mut record);
        write_nodes(&self.nodes, self.written.nodes, &mut record);
        record.number(self.written.counted.len());
        record.halves(self.written.counted.iter().map(|state| state.0));
        record.number(self.transitions);
        record.number(self.depth);
        record.word(self.meter.elapsed().as_nanos() as u64);
        record.word(self.relation.system.remembered());
        write_stacks(stacks, &mut record);
        checkpoint.write(record.bytes());
        stacks.written();
        self.written.counted.clear();
        self.written = WrittenProduct {
            states: self.states.len(),
            nodes: self.nodes.len(),
            is_due: false,
            ..std::mem::take(&mut self.written)
        };
    }

    /// Reads the records of another process, if there are any.
    pub(super) fn read_records(&mut self) -> Result<Option<Stacks<PackedEdge>>, Limit> {
        let Some(checkpoint) = self.meter.checkpoint() else { return Ok(None) };
        let mut stacks = Stacks::default();
        let has_records = read_all(checkpoint, |reader| self.read_record(&mut stacks, reader))?;
        if has_records && !self.fits(stacks.entered) {
            checkpoint.refuse("its states are not those of this program");
            return Err(Limit::Checkpoint);
        }
        stacks.written();
        Ok(has_records.then_some(stacks))
    }

    fn read_record(
        &mut self,
        stacks: &mut Stacks<PackedEdge>,
        reader: &mut Reader<'_>,
    ) -> Result<(), Malformed> {
        read_states(&mut self.states, self.relation.system.words(), reader)?;
        let counts = (self.states.len(), self.relation.automaton.state_count());
        read_nodes(&mut self.nodes, counts, reader)?;
        (self.written.states, self.written.nodes) = (self.states.len(), self.nodes.len());
        self.is_counted.resize(self.states.len(), false);
        let counted = reader.number(self.states.len())?;
        for state in reader.halves(counted)? {
            let counted = self.is_counted.get_mut(state as usize);
            *counted.ok_or_else(|| Malformed("an unknown state is counted".to_owned()))? = true;
        }
        self.transitions = reader.number(usize::MAX)?;
        self.depth = reader.number(usize::MAX)?;
        self.meter.go_on(Duration::from_nanos(reader.word()?));
        self.relation.system.remember(reader.word()?);
        read_stacks(stacks, self.nodes.len(), reader)
    }

    /// Are the first nodes those of this product?
    fn fits(&mut self, entered: usize) -> bool {
        let initial = self.initial.iter().next();
        if initial.is_some_and(|state| self.states.find(state) != Some(StateId(0))) {
            return false;
        }
        (0..entered.min(MAX_COMPARED)).all(|node| {
            self.expand(node as u32);
            self.matching.is_empty()
                || self.steps.iter().all(|(_, target)| self.states.find(target).is_some())
        })
    }
}

/// Writes what changed in the stacks.
fn write_stacks(stacks: &Stacks<PackedEdge>, out: &mut Writer) {
    out.number(stacks.entered);
    let acceptances = &stacks.acceptance.all[stacks.unchanged.acceptances..];
    out.number(acceptances.len());
    for acceptance in acceptances {
        out.words(&[acceptance.marks, acceptance.debt.demanded, acceptance.debt.served]);
    }
    let (unchanged, edges) = (stacks.unchanged, stacks.unchanged_edges());
    begin_stack(edges, stacks.edges.len(), out);
    for edge in &stacks.edges[edges..] {
        out.half(edge.state.0);
        out.half(edge.edge_and_movers);
    }
    begin_stack(unchanged.path, stacks.path.len(), out);
    for frame in &stacks.path[unchanged.path..] {
        out.half(frame.node);
        out.number(frame.edges);
        out.word(frame.word);
    }
    begin_stack(unchanged.partial, stacks.partial.len(), out);
    for component in &stacks.partial[unchanged.partial..] {
        [component.root, component.acceptance.0, component.entry.0]
            .into_iter()
            .for_each(|half| out.half(half));
    }
    begin_stack(unchanged.live, stacks.live.len(), out);
    out.halves(stacks.live[unchanged.live..].iter().copied());
}

/// Writes which part of a stack follows.
fn begin_stack(unchanged: usize, length: usize, out: &mut Writer) {
    out.number(unchanged);
    out.number(length - unchanged);
}

/// Makes the changes that [`write_stacks`] wrote; there are so many nodes.
fn read_stacks(
    stacks: &mut Stacks<PackedEdge>,
    nodes: usize,
    reader: &mut Reader<'_>,
) -> Result<(), Malformed> {
    stacks.entered = reader.number(nodes)?;
    for _ in 0..reader.number(usize::MAX)? {
        let (marks, demanded, served) = (reader.word()?, reader.word()?, reader.word()?);
        stacks.acceptance.intern(Acceptance { marks, debt: FairnessDebt { demanded, served } });
    }
    let acceptances = stacks.acceptance.all.len();
    read_stack(&mut stacks.edges, reader, |reader| {
        Ok(PackedEdge { state: StateId(reader.half()?), edge_and_movers: reader.half()? })
    })?;
    let (entered, edges) = (stacks.entered, stacks.edges.len());
    let node = |node: u32| Malformed::unless((node as usize) < entered, "a node that was not entered");
    read_stack(&mut stacks.path, reader, |reader| {
        let frame = Frame { node: reader.half()?, edges: reader.number(edges)?, word: reader.word()? };
        node(frame.node).map(|()| frame)
    })?;
    read_stack(&mut stacks.partial, reader, |reader| {
        let (root, acceptance, entry) = (reader.half()?, reader.half()?, reader.half()?);
        node(root)?;
        let is_known = (acceptance.max(entry) as usize) < acceptances;
        Malformed::unless(is_known, "an unknown acceptance")?;
        let (acceptance, entry) = (AcceptanceId(acceptance), AcceptanceId(entry));
        Ok(PartialComponent { root, acceptance, entry })
    })?;
    read_stack(&mut stacks.live, reader, |reader| {
        let live = reader.half()?;
        node(live).map(|()| live)
    })
}

/// Cuts a stack to its unchanged part, and reads the rest.
fn read_stack<T>(
    stack: &mut Vec<T>,
    reader: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Result<T, Malformed>,
) -> Result<(), Malformed> {
    let unchanged = reader.number(stack.len())?;
    stack.truncate(unchanged);
    for _ in 0..reader.number(usize::MAX)? {
        stack.push(read(reader)?);
    }
    Ok(())
}
