//! Records of a search by levels: see [`checkpoint`](crate::checkpoint).
//!
//! They are written between two levels, when no worker works. A record has the new states of each shard,
//! with their parents, and where the next level begins there: a level is the end of each shard.
//!
//! Promise: the search goes on with any number of workers, from the beginning of a level.

use super::levels::{Level, LevelExploration, ParallelVisitor};
use super::shards::{SHARDS, global_state, local_state, shard_of};
use crate::checkpoint::{
    Malformed, OTHER_STATES, Reader, TWICE, Writer, read_all, read_states, refuse_unless, write_states,
};
use crate::search::{Limit, Meter};
use crate::store::{StateId, hash};
use crate::sync::atomic::Ordering;
use crate::system::{States, System};
use std::time::Duration;

/// For each shard, the number of its states in the checkpoint.
pub(super) struct WrittenLevels([usize; SHARDS]);

impl Default for WrittenLevels {
    fn default() -> Self {
        WrittenLevels([0; SHARDS])
    }
}

impl<S: System> LevelExploration<'_, S> {
    /// Writes what is new since the last record, if it is time, or the search is complete. The states of
    /// this level are not expanded yet.
    pub(super) fn write(&mut self, level: &Level, visitor: &impl ParallelVisitor<S>, meter: &Meter<'_>) {
        let is_complete = level.states.is_empty();
        let checkpoint = if is_complete { meter.checkpoint() } else { meter.due_checkpoint() };
        let Some(checkpoint) = checkpoint else { return };
        let mut record = Writer::default();
        for (number, written) in self.written.0.iter_mut().enumerate() {
            let shard = self.store.shards.lock(number);
            write_states(&shard.states, *written, &mut record);
            record.halves(shard.parents[*written..].iter().map(|parent| parent.0));
            *written = shard.states.len();
            let has_level = shard.level == level.depth;
            record.number(if has_level { shard.level_start as usize } else { shard.states.len() });
        }
        record.half(level.depth);
        record.number(self.transitions);
        record.number(self.depth);
        record.word(meter.elapsed().as_nanos() as u64);
        record.word(self.system.remembered());
        visitor.save(&mut record);
        checkpoint.write(record.bytes());
    }

    /// Reads the records of another process. Returns the level to go on with, if there are any.
    pub(super) fn go_on(
        &mut self,
        visitor: &mut impl ParallelVisitor<S>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Level>, Limit> {
        let Some(checkpoint) = meter.checkpoint() else { return Ok(None) };
        let mut level = Level::default();
        let has_records = read_all(checkpoint, |reader| self.read(&mut level, reader, visitor, meter))?;
        if has_records {
            let are_different = self.store.shards.each().all(|mut shard| shard.states.index());
            refuse_unless(checkpoint, are_different, TWICE)?;
            refuse_unless(checkpoint, self.fits(), OTHER_STATES)?;
        }
        self.store.quota.set(self.written.0.iter().sum());
        let bytes = self.store.shards.each().map(|shard| shard.memory()).sum();
        self.store.bytes.store(bytes, Ordering::Relaxed);
        Ok(has_records.then_some(level))
    }

    fn read(
        &mut self,
        level: &mut Level,
        reader: &mut Reader<'_>,
        visitor: &mut impl ParallelVisitor<S>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Malformed> {
        level.states.clear();
        for (number, written) in self.written.0.iter_mut().enumerate() {
            let mut shard = self.store.shards.lock(number);
            read_states(&mut shard.states, self.system.words(), reader)?;
            let count = shard.states.len();
            shard.parents.extend(reader.halves(count - *written)?.map(StateId));
            *written = count;
            let start = reader.number(count)?;
            shard.level_start = start as u32;
            level.states.extend((start..count).map(|id| global_state(number, StateId(id as u32))));
        }
        level.depth = reader.half()?;
        self.store.shards.each().for_each(|mut shard| shard.level = level.depth);
        self.transitions = reader.number(usize::MAX)?;
        self.depth = reader.number(usize::MAX)?;
        meter.go_on(Duration::from_nanos(reader.word()?));
        self.system.remember(reader.word()?);
        visitor.load(reader)
    }

    /// Are the initial states those of this system, and are all parents known?
    fn fits(&self) -> bool {
        let is_known = |parent: &StateId| {
            let (shard, id) = local_state(*parent);
            id.index() < self.written.0[shard]
        };
        if !self.store.shards.each().all(|shard| shard.parents.iter().all(is_known)) {
            return false;
        }
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        initial.iter().all(|state| {
            let shard = shard_of(hash(state));
            self.store.shards.lock(shard).states.find(state).is_some()
        })
    }
}
