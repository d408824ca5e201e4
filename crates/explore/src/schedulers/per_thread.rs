//! A table with an entry for each thread and each phantom.
//!
//! The numbers of phantoms are large, so phantoms have rows of their own: one for each owner, by buffer.

use crate::ids::ThreadId;

/// A table by thread. An entry has the default value until it is set.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerThread<T> {
    threads: Vec<T>,
    /// By owner, then by buffer.
    phantoms: Vec<Vec<T>>,
}

impl<T: Clone + Default> PerThread<T> {
    /// The entry of a thread.
    #[inline(always)]
    pub(crate) fn of(&mut self, thread: ThreadId) -> &mut T {
        // The index of a phantom is greater than that of any thread.
        if thread.index() < self.threads.len() {
            return &mut self.threads[thread.index()];
        }
        self.new_or_phantom(thread)
    }

    #[inline(never)]
    fn new_or_phantom(&mut self, thread: ThreadId) -> &mut T {
        match thread.buffer() {
            None => entry(&mut self.threads, thread.index()),
            Some(buffer) => entry(entry(&mut self.phantoms, thread.owner().index()), buffer),
        }
    }

    /// Removes all entries, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.threads.clear();
        self.phantoms.iter_mut().for_each(Vec::clear);
    }
}

#[inline]
fn entry<T: Clone + Default>(row: &mut Vec<T>, index: usize) -> &mut T {
    if row.len() <= index {
        row.resize(index + 1, T::default());
    }
    &mut row[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_phantoms_have_entries_of_their_own() {
        let mut table = PerThread::default();
        let ids = [ThreadId(0), ThreadId(3)].into_iter().flat_map(|thread| {
            [thread, ThreadId::phantom(thread, 0), ThreadId::phantom(thread, 1), ThreadId::phantom(thread, 7)]
        });
        let ids: Vec<ThreadId> = ids.collect();
        for (number, id) in ids.iter().enumerate() {
            assert_eq!(*table.of(*id), 0);
            *table.of(*id) = number + 1;
        }
        for (number, id) in ids.iter().enumerate() {
            assert_eq!(*table.of(*id), number + 1, "{id}");
        }
        table.clear();
        assert!(ids.iter().all(|id| *table.of(*id) == 0));
    }
}
