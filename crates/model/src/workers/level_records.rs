//! Records of a search by levels: see [`checkpoint`](crate::checkpoint).
//!
//! They are written between two levels, when no worker works. A record has the new states with their
//! parents, in the order of their numbers, and where the next level begins. A number without a state has no
//! parent, and zeros.
//!
//! Promise: the search goes on with any number of workers, from the beginning of a level.

use super::level_table::{LevelTable, Parent};
use super::level_worker::Level;
use super::levels::{LevelExploration, ParallelVisitor};
use crate::checkpoint::{Malformed, OTHER_STATES, Reader, TWICE, Writer, read_all, refuse_unless};
use crate::search::{Limit, Meter};
use crate::store::{StateId, StateTable};
use crate::system::{States, System};
use std::time::Duration;

impl<S: System> LevelExploration<'_, S> {
    /// Writes what is new since the last record, if it is time, or the search is complete. The states of
    /// this level are not expanded yet.
    pub(super) fn write(&mut self, level: &Level, visitor: &impl ParallelVisitor<S>, meter: &Meter<'_>) {
        let is_complete = level.numbers.is_empty();
        let checkpoint = if is_complete { meter.checkpoint() } else { meter.due_checkpoint() };
        let Some(checkpoint) = checkpoint else { return };
        let mut record = Writer::default();
        self.store.table.write_from(self.written, &mut record);
        self.written = self.store.table.states.given();
        record.half(level.numbers.start);
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
            refuse_unless(checkpoint, self.store.table.states.index(), TWICE)?;
            refuse_unless(checkpoint, self.fits(), OTHER_STATES)?;
        }
        Ok(has_records.then_some(level))
    }

    fn read(
        &mut self,
        level: &mut Level,
        reader: &mut Reader<'_>,
        visitor: &mut impl ParallelVisitor<S>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Malformed> {
        self.store.table.read_more(self.system.words(), reader)?;
        self.written = self.store.table.states.given();
        level.numbers = reader.half()?..self.written;
        Malformed::unless(level.numbers.start <= self.written, "a level begins behind all states")?;
        level.depth = reader.half()?;
        self.transitions = reader.number(usize::MAX)?;
        self.depth = reader.number(usize::MAX)?;
        meter.go_on(Duration::from_nanos(reader.word()?));
        self.system.remember(reader.word()?);
        visitor.load(reader)
    }

    /// Are the initial states those of this system, and are all parents known?
    fn fits(&self) -> bool {
        let table = &self.store.table;
        let parents = (0..self.written).filter_map(|id| table.parent(StateId(id)));
        if !parents.into_iter().all(|parent| parent.0 < self.written && table.parent(parent).is_some()) {
            return false;
        }
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let mut session = table.states.session();
        session.reserve(0);
        initial.iter().all(|state| session.find(state).is_some())
    }
}

impl LevelTable {
    /// Writes the states from this number on, and their parents.
    fn write_from(&self, first: u32, out: &mut Writer) {
        let numbers = first..self.states.given();
        out.half(first);
        out.number(numbers.len());
        let mut words = Vec::new();
        for number in numbers.clone() {
            self.states.read(StateId(number), &mut words);
            out.words(&words);
        }
        out.halves(numbers.map(|number| self.parent(StateId(number)).map_or(0, |parent| parent.0 + 1)));
    }

    /// Adds states of `width` words that [`write_from`](LevelTable::write_from) wrote to those before them.
    /// They are to be [indexed](super::shared_table::SharedTable::index) when all are there.
    fn read_more(&self, width: usize, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        let first = reader.half()?;
        Malformed::unless(first == self.states.given(), "states are missing before its own")?;
        let count = reader.number(StateTable::MAX_STATES - first as usize)?;
        let mut words = Vec::new();
        reader.words(count * width, &mut words)?;
        for (state, parent) in words.chunks_exact(width).zip(reader.halves(count)?) {
            // Ranks are of no use any more: no worker finds these states to be of the next level.
            let note = if parent == 0 { 0 } else { Parent::unranked(StateId(parent - 1)).0 };
            self.states.append(state.iter().copied(), note);
        }
        Ok(())
    }
}
