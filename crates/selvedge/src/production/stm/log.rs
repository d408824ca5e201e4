//! What a transaction has read and written so far, and how that is undone, validated and published.
//!
//! One entry for each variable that was touched. Reads are kept when writes are undone: a transaction that abandons a part of itself has
//! still seen what made it do so (Walker's thesis, §5.5.2, Figure 10). Entries are found by looking through them while they are few, by an
//! index beyond that.
//!
//! Promise: after [`Log::undo`] the values to be written are those of its mark, and what was read includes all that was read since.

use super::core::{Core, Refusal, Seen, Version};
use super::variable::{AnyVariable, Value, Variable};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// So many entries are looked through; beyond that there is an index.
const FEW: usize = 16;

/// Room for so many entries is kept for the next transaction.
const MAX_ROOM: usize = 1024;

#[derive(Default)]
pub(super) struct Log {
    entries: Vec<Entry>,
    /// Where the entry of the variable at an address is. Empty while entries are few.
    index: HashMap<usize, usize, BuildHasherDefault<Spread>>,
    /// Entries that were written since the first mark, and what they were to be before.
    undo: Vec<(usize, Option<Value>)>,
    /// How many marks there are that may be returned to.
    marks: usize,
    /// The entries that a commit has locked, and how their words were before.
    locked: Vec<(usize, Seen)>,
    has_written: bool,
}

/// A variable that was touched.
struct Entry {
    variable: Arc<dyn AnyVariable>,
    /// The version that was read, if it was.
    read: Option<Version>,
    /// The value that is to be there after the commit, if it was written; after the commit, the one before.
    written: Option<Value>,
}

impl Entry {
    #[inline]
    fn address(&self) -> usize {
        address(&self.variable)
    }

    #[inline]
    fn core(&self) -> &Core {
        self.variable.core()
    }
}

/// What tells variables apart.
#[inline]
fn address<V: AnyVariable + ?Sized>(variable: &Arc<V>) -> usize {
    Arc::as_ptr(variable).cast::<()>().addr()
}

/// A moment that a log can return to.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// Where a variable's entry is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Log {
    /// Where the variable's entry is, if it was touched.
    #[inline]
    pub(super) fn find<T: Send + Sync + 'static>(&self, variable: &Arc<Variable<T>>) -> Option<Place> {
        let address = address(variable);
        if self.index.is_empty() {
            self.entries.iter().position(|entry| entry.address() == address).map(Place)
        } else {
            self.index.get(&address).copied().map(Place)
        }
    }

    /// Adds an entry for a variable that has none.
    pub(super) fn add<T: Send + Sync + 'static>(&mut self, variable: &Arc<Variable<T>>) -> Place {
        let place = self.entries.len();
        self.entries.push(Entry { variable: variable.clone(), read: None, written: None });
        if place > FEW {
            self.index.insert(address(variable), place);
        } else if place == FEW {
            let places = self.entries.iter().enumerate();
            self.index.extend(places.map(|(place, entry)| (entry.address(), place)));
        }
        Place(place)
    }

    /// The version that was read.
    #[inline]
    pub(super) fn read(&self, place: Place) -> Option<Version> {
        self.entries[place.0].read
    }

    pub(super) fn note_read(&mut self, place: Place, version: Version) {
        self.entries[place.0].read = Some(version);
    }

    /// The value that was written.
    #[inline]
    pub(super) fn written(&self, place: Place) -> Option<&Value> {
        self.entries[place.0].written.as_ref()
    }

    pub(super) fn write(&mut self, place: Place, value: Value) {
        let before = self.entries[place.0].written.replace(value);
        self.has_written = true;
        if self.marks > 0 {
            self.undo.push((place.0, before));
        }
    }

    /// From here on, writes can be undone.
    pub(super) fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark(self.undo.len())
    }

    /// Undoes what was written since the mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        for (place, before) in self.undo.drain(mark.0..).rev() {
            self.entries[place].written = before;
        }
        self.unmark();
    }

    /// What was written since the mark stays; it may be undone by an earlier one.
    pub(super) fn unmark(&mut self) {
        self.marks -= 1;
        if self.marks == 0 {
            self.undo.clear();
        }
    }

    /// Has nothing ever been written, be it undone or not?
    pub(super) fn only_reads(&self) -> bool {
        !self.has_written
    }

    /// Is everything that was read still as it was?
    pub(super) fn is_valid(&self) -> bool {
        let mut reads = self.entries.iter().filter_map(|entry| Some((entry, entry.read?)));
        reads.all(|(entry, version)| entry.core().look().still_is(version))
    }

    /// The same, when what was written has been locked: its version was compared then.
    pub(super) fn is_valid_but_for_locked(&self) -> bool {
        let others = self.entries.iter().filter(|entry| entry.written.is_none());
        let mut reads = others.filter_map(|entry| Some((entry, entry.read?)));
        reads.all(|(entry, version)| entry.core().look().still_is(version))
    }

    /// Locks what was written. Where that fails, nothing is locked, and this is the variable. Nobody waits for a lock while it has
    /// others, so any order will do; that of addresses would make explorations differ from one another.
    pub(super) fn lock(&mut self) -> Result<(), (Refusal, &Core)> {
        self.choose_written();
        for number in 0..self.locked.len() {
            let entry = &self.entries[self.locked[number].0];
            match entry.core().try_lock(entry.read) {
                Ok(before) => self.locked[number].1 = before,
                Err(refusal) => {
                    let place = self.locked[number].0;
                    self.locked.truncate(number);
                    self.unlock();
                    return Err((refusal, self.entries[place].core()));
                }
            }
        }
        Ok(())
    }

    /// Locks what was written by the senior transaction, which has reserved everything.
    pub(super) fn lock_reserved(&mut self) {
        self.choose_written();
        for (place, before) in &mut self.locked {
            *before = self.entries[*place].core().lock_reserved();
        }
    }

    /// All writes were undone.
    pub(super) fn has_locked_nothing(&self) -> bool {
        self.locked.is_empty()
    }

    fn choose_written(&mut self) {
        let written = self.entries.iter().enumerate().filter(|(_, entry)| entry.written.is_some());
        self.locked.clear();
        self.locked.extend(written.map(|(place, _)| (place, Seen::NOTHING)));
    }

    /// Gives all locks back; nothing was changed.
    pub(super) fn unlock(&mut self) {
        for (place, before) in self.locked.drain(..) {
            self.entries[place].core().unlock_as(before);
        }
    }

    /// Makes the values that were written those of their variables, which are locked, and gives the locks back. The old values stay
    /// in the log: their destructors are somebody else's code, and run when all of this is over.
    pub(super) fn publish(&mut self, version: Version) {
        for (place, _) in &self.locked {
            let entry = &mut self.entries[*place];
            entry.written = entry.written.take().map(|value| entry.variable.replace(version, value));
            entry.core().unlock_new(version);
        }
        for (place, before) in self.locked.drain(..) {
            if before.is_awaited() {
                self.entries[place].core().wake();
            }
        }
    }

    /// Gives back what the senior transaction has reserved, but for the variables that its commit has unlocked.
    pub(super) fn give_back(&self, is_committed: bool) {
        let kept = self.entries.iter().filter(|entry| !is_committed || entry.written.is_none());
        kept.for_each(|entry| entry.core().give_back());
    }

    /// What was read, and the versions.
    pub(super) fn reads(&self) -> impl Iterator<Item = (&Core, Version)> {
        self.entries.iter().filter_map(|entry| Some((entry.core(), entry.read?)))
    }

    /// What was written.
    #[cfg(feature = "check")]
    pub(super) fn writes(&self) -> impl Iterator<Item = &Core> {
        self.entries.iter().filter(|entry| entry.written.is_some()).map(Entry::core)
    }

    /// Puts the values that were written into their variables, where nobody else is there to see it.
    #[cfg(feature = "check")]
    pub(super) fn publish_alone(&mut self) {
        for entry in &mut self.entries {
            entry.written = entry.written.take().map(|value| entry.variable.replace(Version::FIRST, value));
        }
    }

    /// Forgets everything. Drops values, which is somebody else's code.
    pub(super) fn clear(&mut self) {
        self.undo.clear();
        self.entries.clear();
        self.index.clear();
        self.locked.clear();
        self.marks = 0;
        self.has_written = false;
        if self.entries.capacity() > MAX_ROOM {
            *self = Log::default();
        }
    }
}

/// A hash of an address: one multiplication (Knuth's, by the golden ratio).
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0.rotate_left(5) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
