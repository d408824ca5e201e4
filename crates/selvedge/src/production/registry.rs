//! Finds the mailbox of a thread.
//!
//! A thrower has only the handle of a thread, and `std`'s handle has no room for a mailbox; so the registry
//! maps thread ids to mailboxes. A mailbox is created by its thread at its first interruption point, or by
//! an earlier thrower. When the thread ends, its entry goes, but the registry remembers the id: otherwise a
//! thrower could not tell a thread that has ended from a thread that has yet to reach its first interruption
//! point.
//!
//! Inside an exploration each run has a registry of its own. The lock of the registry is `std`'s and not a
//! controlled one, because it does not matter which thread creates a mailbox. But it does matter whether a
//! thread has ended, and a look-up is not an event that a scheduler could reorder. So a run keeps the
//! mailboxes of ended threads, and a thrower always takes the lock of the mailbox itself, which is
//! controlled.

use super::mailbox::Mailbox;
use crate::door;
use crate::sync::{Arc, Mutex, Weak};
use crate::thread::ThreadId;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// The mailboxes of all live threads.
struct Registry {
    mailboxes: HashMap<ThreadId, Weak<Mailbox>>,
    /// The threads that had a mailbox and have ended. Ids are not reused.
    ended: HashSet<ThreadId>,
    /// In an exploration: the mailboxes of ended threads.
    closed: Vec<Arc<Mailbox>>,
    /// Shared by all mailboxes: see [`Mailbox`].
    delivery_lock: Arc<Mutex<()>>,
}

/// The mailbox of a thread. `None` if the thread had a mailbox and has ended.
pub(super) fn mailbox(thread: ThreadId) -> Option<Arc<Mailbox>> {
    with_registry(|registry| registry.mailbox(thread))
}

/// Records that a thread has ended and closed its mailbox.
pub(super) fn record_end(thread: ThreadId, mailbox: Arc<Mailbox>) {
    with_registry(|registry| {
        if door::is_exploring() {
            registry.closed.push(mailbox);
            return;
        }
        registry.mailboxes.remove(&thread);
        registry.ended.insert(thread);
        drop(mailbox);
    });
}

/// Removes the entry of a mailbox that no thread uses any more.
pub(super) fn remove_if_unused(thread: ThreadId) {
    with_registry(|registry| {
        if registry.mailboxes.get(&thread).is_some_and(|mailbox| mailbox.strong_count() == 0) {
            registry.mailboxes.remove(&thread);
        }
    });
}

/// Works on the registry of the current run, or on that of the process outside of explorations.
fn with_registry<R>(work: impl FnOnce(&mut Registry) -> R) -> R {
    thread_local! {
        /// All threads of a run are on one thread of the operating system.
        static OF_RUN: RefCell<Option<(u64, Registry)>> = const { RefCell::new(None) };
    }
    static OF_PROCESS: std::sync::Mutex<Option<Registry>> = std::sync::Mutex::new(None);

    let Some(run) = door::current_run() else {
        let mut registry = OF_PROCESS.lock().expect("no work on the registry panics");
        return work(registry.get_or_insert_with(Registry::new));
    };
    OF_RUN.with_borrow_mut(|of_run| {
        if of_run.as_ref().is_none_or(|(number, _)| *number != run) {
            *of_run = Some((run, Registry::new()));
        }
        let (_, registry) = of_run.as_mut().expect("it was made above");
        work(registry)
    })
}

impl Registry {
    fn new() -> Registry {
        Registry {
            mailboxes: HashMap::new(),
            ended: HashSet::new(),
            closed: Vec::new(),
            delivery_lock: Arc::new(door::mutex(())),
        }
    }

    fn mailbox(&mut self, thread: ThreadId) -> Option<Arc<Mailbox>> {
        if self.ended.contains(&thread) {
            return None;
        }
        let existing = self.mailboxes.get(&thread).and_then(Weak::upgrade);
        Some(existing.unwrap_or_else(|| {
            let new = Arc::new(Mailbox::new(self.delivery_lock.clone()));
            self.mailboxes.insert(thread, Arc::downgrade(&new));
            new
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::mailbox;
    use crate::production::interrupt;
    use crate::sync::Arc;
    use crate::thread::{self, ThreadId};

    fn spawn_and_join() -> ThreadId {
        interrupt::spawn(|| thread::current().id()).join().expect("it does not panic")
    }

    #[test]
    fn a_thread_that_has_ended_has_no_mailbox() {
        let ended: Vec<_> = (0..100).map(|_| spawn_and_join()).collect();
        assert!(ended.iter().all(|thread| mailbox(*thread).is_none()));
    }

    #[test]
    fn a_thread_that_runs_has_one_mailbox() {
        let current = thread::current().id();
        let first = mailbox(current).expect("it has not ended");
        let second = mailbox(current).expect("it has not ended");
        assert!(Arc::ptr_eq(&first, &second));
    }
}
