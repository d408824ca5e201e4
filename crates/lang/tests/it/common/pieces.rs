//! Searches that are killed again and again, and go on from a checkpoint in memory.

use super::generate::Random;
use selvedge_model::{Budget, Checkpoint, Known, Refused};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// A search: its records and its last snapshot, or its result.
#[derive(Default)]
struct Section {
    records: Vec<Vec<u8>>,
    snapshot: Option<Vec<u8>>,
    result: Option<Vec<u8>>,
}

/// A checkpoint in memory, whose process is killed when it has written so many records.
#[derive(Default)]
struct Memory {
    sections: RefCell<Vec<Section>>,
    /// The number of searches that have begun, and of records that the last one has read.
    begun: Cell<usize>,
    read: Cell<usize>,
    writes_left: Cell<usize>,
    is_killed: AtomicBool,
}

impl Memory {
    fn start(&self, writes: usize) -> Budget<'_> {
        self.begun.set(0);
        self.writes_left.set(writes);
        self.is_killed.store(false, Ordering::Relaxed);
        Budget { checkpoint: Some(self), interrupt: Some(&self.is_killed), ..Budget::default() }
    }

    /// Changes the section of the search that has begun, if it is the last one and the process lives.
    fn change(&self, change: impl FnOnce(&mut Section)) {
        let mut sections = self.sections.borrow_mut();
        if !self.is_killed.load(Ordering::Relaxed) && self.begun.get() == sections.len() {
            change(sections.last_mut().expect("a search has begun"));
        }
    }
}

impl Checkpoint for Memory {
    fn begin(&self, _search: &str) -> Known {
        self.begun.set(self.begun.get() + 1);
        self.read.set(0);
        let mut sections = self.sections.borrow_mut();
        match sections.get(self.begun.get() - 1) {
            Some(Section { result: Some(result), .. }) => Known::Result(result.clone()),
            Some(_) => Known::Records,
            // A process that is killed leaves nothing behind, though it goes on here.
            None if self.is_killed.load(Ordering::Relaxed) => Known::Nothing,
            None => {
                sections.push(Section::default());
                Known::Nothing
            }
        }
    }

    fn read(&self, record: &mut Vec<u8>) -> Result<bool, Refused> {
        let sections = self.sections.borrow();
        let next = sections.get(self.begun.get() - 1).and_then(|search| search.records.get(self.read.get()));
        self.read.set(self.read.get() + 1);
        next.inspect(|next| record.clone_from(next));
        Ok(next.is_some())
    }

    fn refuse(&self, why: &str) {
        panic!("refused: {why}");
    }

    fn is_due(&self) -> bool {
        true
    }

    fn write(&self, record: &[u8]) {
        self.change(|section| section.records.push(record.to_vec()));
        self.writes_left.set(self.writes_left.get().saturating_sub(1));
        self.is_killed.fetch_or(self.writes_left.get() == 0, Ordering::Relaxed);
    }

    fn write_snapshot(&self, snapshot: &[u8]) {
        self.change(|section| section.snapshot = Some(snapshot.to_vec()));
    }

    fn read_snapshot(&self, snapshot: &mut Vec<u8>) -> Result<bool, Refused> {
        let sections = self.sections.borrow();
        let last = sections.get(self.begun.get() - 1).and_then(|search| search.snapshot.as_ref());
        last.inspect(|last| snapshot.clone_from(last));
        Ok(last.is_some())
    }

    fn finish(&self, result: &[u8]) {
        let result = Some(result.to_vec());
        self.change(|section| *section = Section { result, ..Section::default() });
    }

    fn stop(&self) {}

    fn period(&self) -> usize {
        7
    }
}

/// The result of a search in as many processes as it takes, each of which writes two records and fewer than
/// `more` others; and how many there were.
pub(crate) fn in_pieces<T>(random: &mut Random, more: u64, search: impl Fn(Budget<'_>) -> T) -> (T, usize) {
    let memory = Memory::default();
    for processes in 1..10_000 {
        let result = search(memory.start(2 + random.below(more) as usize));
        // A search for a certain violation may have been killed behind one for a possible violation.
        if !memory.is_killed.load(Ordering::Relaxed) {
            return (result, processes);
        }
    }
    let records: Vec<usize> = memory.sections.borrow().iter().map(|search| search.records.len()).collect();
    panic!("the search makes no progress: {records:?} records");
}
