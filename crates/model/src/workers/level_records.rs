//! Records of a search by levels: see [`checkpoint`](crate::checkpoint).
//!
//! They are written between two levels, when no worker works. A record has the new states of each partition
//! with their parents, in the order of their numbers, and where the level begins. The slots of the tables
//! are written as a snapshot now and then.
//!
//! Promise: the search goes on with any number of workers, from the beginning of a level; the number of
//! partitions stays.

use super::MAX_WORKERS;
use super::levels::{LevelExploration, ParallelVisitor};
use super::partition::{Partition, partition_of};
use crate::checkpoint::{
    Malformed, OTHER_STATES, Reader, Writer, index_tables, read_all, read_states, refuse_unless, write_slots,
    write_states,
};
use crate::search::{Limit, Meter};
use crate::store::{StateId, hash};
use crate::system::{States, System};
use std::time::Duration;

impl<S: System> LevelExploration<'_, S> {
    /// Writes what is new since the last record, if it is time, or the search is complete. The states of the
    /// level are not expanded yet.
    pub(super) fn write(&mut self, visitor: &impl ParallelVisitor<S>, meter: &Meter<'_>) {
        let is_complete = self.partitions.level_len() == 0;
        let checkpoint = if is_complete { meter.checkpoint() } else { meter.due_checkpoint() };
        let Some(checkpoint) = checkpoint else { return };
        let mut record = Writer::default();
        record.number(self.partitions.all.len());
        for (partition, written) in self.partitions.all.iter().zip(&mut self.written) {
            write_states(&partition.states, *written, &mut record);
            record.halves(partition.parents[*written..].iter().map(|parent| parent.0));
            record.half(partition.level.start);
            *written = partition.states.len();
        }
        record.half(self.next_depth);
        record.number(self.transitions);
        record.number(self.depth);
        record.word(meter.elapsed().as_nanos() as u64);
        record.word(self.system.remembered());
        visitor.save(&mut record);
        checkpoint.write(record.bytes());
        let tables = || self.partitions.all.iter().map(|partition| &partition.states);
        let slots = tables().map(|states| states.slot_count()).sum();
        write_slots(checkpoint, &mut self.written_slots, slots, |out| {
            tables().for_each(|states| states.write_slots(out));
        });
    }

    /// Reads the records of another process. Returns whether there are any.
    pub(super) fn go_on(
        &mut self,
        visitor: &mut impl ParallelVisitor<S>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Limit> {
        let Some(checkpoint) = meter.checkpoint() else { return Ok(false) };
        let has_records = read_all(checkpoint, |reader| self.read(reader, visitor, meter))?;
        if has_records {
            let all = &mut self.partitions.all;
            self.written_slots = index_tables(checkpoint, |mut slots| {
                let indexed = all.iter_mut().map(|partition| partition.states.index(slots.as_deref_mut()));
                indexed.sum()
            })?;
            refuse_unless(checkpoint, self.fits(), OTHER_STATES)?;
            self.states_are_known();
        }
        Ok(has_records)
    }

    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        visitor: &mut impl ParallelVisitor<S>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Malformed> {
        let count = reader.number(MAX_WORKERS)?;
        if count != self.partitions.all.len() {
            Malformed::unless(count > 0 && self.partitions.len() == 0, "another number of partitions")?;
            self.divide(count);
        }
        let width = self.system.words();
        for (partition, written) in self.partitions.all.iter_mut().zip(&mut self.written) {
            partition.read(width, reader)?;
            *written = partition.states.len();
        }
        self.next_depth = reader.half()?;
        self.transitions = reader.number(usize::MAX)?;
        self.depth = reader.number(usize::MAX)?;
        meter.go_on(Duration::from_nanos(reader.word()?));
        self.system.remember(reader.word()?);
        visitor.load(reader)
    }

    /// Are the initial states those of this system, and are all parents known?
    fn fits(&self) -> bool {
        let all = &self.partitions.all;
        let mut parents = all.iter().flat_map(|partition| &partition.parents);
        if !parents.all(|parent| self.partitions.has(*parent)) {
            return false;
        }
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let is_stored = |state| all[partition_of(hash(state), all.len())].states.find(state).is_some();
        initial.iter().all(is_stored)
    }
}

impl Partition {
    /// Adds the states of a record. They are to be [indexed](crate::store::StateTable::index) when all are
    /// read.
    fn read(&mut self, width: usize, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        read_states(&mut self.states, width, reader)?;
        let count = self.states.len();
        let parents = reader.halves(count - self.parents.len())?;
        self.parents.extend(parents.map(StateId));
        self.level = reader.half()?..count as u32;
        Malformed::unless(self.level.start <= self.level.end, "a level begins behind all states")
    }
}
