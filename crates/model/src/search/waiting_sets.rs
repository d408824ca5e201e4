//! Deadlocks, told apart by what waits in them.
//!
//! A protocol that can stop has thousands of deadlocks, which differ in values that play no part. Deadlocks
//! in which the same processes [wait for the same](System::waiting) are counted together, and the nearest is
//! listed; where a system does not tell what waits, the first ones are.
//!
//! Promise: all deadlocks are counted; what is saved is what is read back.

use super::deadlocks::MAX_LISTED;
use crate::checkpoint::{Malformed, Reader, Writer};
use crate::store::StateId;
use crate::system::{System, Word};
use rustc_hash::FxHashMap;

/// The largest number of sets of waiting places for which a deadlock is listed.
pub const MAX_WAITING_SETS: usize = 100;

/// Deadlocks in further sets of waiting places are counted without telling the sets apart.
const MAX_DISTINGUISHED: usize = 1 << 14;

/// The deadlocks so far.
#[derive(Default)]
pub(super) struct Deadlocks {
    /// The nearest deadlock of each set of waiting places, with the number of such deadlocks.
    pub(super) listed: Vec<(StateId, usize)>,
    /// By what waits: the place of its deadlock in the list, if it is listed.
    pub(super) sets: FxHashMap<Vec<(String, String)>, Option<usize>>,
    pub(super) count: usize,
    /// The number of deadlocks of which the system does not tell what waits.
    pub(super) untold: usize,
}

impl Deadlocks {
    /// Another deadlock is found; states come nearest first.
    pub(super) fn add<S: System>(&mut self, system: &S, id: StateId, state: &[Word]) {
        self.count += 1;
        let waiting = system.waiting(state);
        let is_told = !waiting.is_empty();
        if let Some(known) = self.sets.get(&waiting) {
            known.iter().for_each(|index| self.listed[*index].1 += 1);
            return;
        }
        let most = if is_told { MAX_WAITING_SETS } else { MAX_LISTED };
        let index = (self.listed.len() < most).then_some(self.listed.len());
        self.listed.extend(index.map(|_| (id, 1)));
        if !is_told {
            self.untold += 1;
        } else if self.sets.len() < MAX_DISTINGUISHED {
            self.sets.insert(waiting, index);
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.number(self.count);
        out.number(self.untold);
        out.number(self.listed.len());
        for (state, alike) in &self.listed {
            out.half(state.0);
            out.number(*alike);
        }
        out.number(self.sets.len());
        for (waiting, index) in &self.sets {
            out.number(index.map_or(0, |index| index + 1));
            out.number(waiting.len());
            for (process, condition) in waiting {
                out.block(process.as_bytes());
                out.block(condition.as_bytes());
            }
        }
    }

    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Deadlocks, Malformed> {
        let (count, untold) = (reader.number(usize::MAX)?, reader.number(usize::MAX)?);
        let mut deadlocks = Deadlocks { count, untold, ..Deadlocks::default() };
        for _ in 0..reader.number(MAX_WAITING_SETS)? {
            deadlocks.listed.push((StateId(reader.half()?), reader.number(usize::MAX)?));
        }
        for _ in 0..reader.number(MAX_DISTINGUISHED)? {
            let index = reader.number(deadlocks.listed.len())?.checked_sub(1);
            let count = reader.number(usize::MAX)?;
            let places = (0..count).map(|_| Ok((reader.text()?, reader.text()?)));
            let waiting = places.collect::<Result<Vec<(String, String)>, Malformed>>()?;
            deadlocks.sets.insert(waiting, index);
        }
        Ok(deadlocks)
    }
}
