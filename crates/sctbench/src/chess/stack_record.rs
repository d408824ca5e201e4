//! A record of the call stack of every thread, in one vector that grows when a thread first appears.
//!
//! The bug: threads grow it without a lock. Two that do so at once write to the same place, and one stack
//! is lost. Without the bug, a lock guards the growth.

use crate::parts::{Racy, crash, lock};
use selvedge::sync::Mutex;

/// The greatest number of threads.
const PLACES: usize = 4;

pub(crate) struct Record {
    length: Racy,
    /// The thread, and the depth of its stack.
    stacks: Vec<(Racy, Racy)>,
    growth: Option<Mutex<()>>,
}

/// A call in progress.
pub(crate) struct Call<'r> {
    record: &'r Record,
    thread: usize,
    depth: i64,
}

impl Record {
    pub(crate) fn new(locks: bool) -> Record {
        let stacks = (0..PLACES).map(|_| (Racy::new(-1), Racy::new(0))).collect();
        Record { length: Racy::new(0), stacks, growth: locks.then(|| Mutex::new(())) }
    }

    /// A call begins.
    pub(crate) fn call(&self, thread: usize) -> Call<'_> {
        let place = self.find(thread).unwrap_or_else(|| self.grow(thread));
        let depth = self.stacks[place].1.get();
        self.stacks[place].1.set(depth + 1);
        Call { record: self, thread, depth: depth + 1 }
    }

    fn find(&self, thread: usize) -> Option<usize> {
        (0..self.length.get() as usize).find(|place| self.stacks[*place].0.get() == thread as i64)
    }

    fn grow(&self, thread: usize) -> usize {
        let _held = self.growth.as_ref().map(|growth| lock(growth));
        let place = self.length.get();
        let Some((owner, _)) = self.stacks.get(place as usize) else { crash("the vector has no such place") };
        owner.set(thread as i64);
        self.length.set(place + 1);
        place as usize
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let Some(place) = self.record.find(self.thread) else { crash("the stack of a thread is lost") };
        assert_eq!(self.record.stacks[place].1.get(), self.depth, "the stack of a thread is another's");
        self.record.stacks[place].1.set(self.depth - 1);
    }
}
