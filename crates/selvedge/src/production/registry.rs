//! Which mailbox is whose.
//!
//! A thrower has no more than a thread's handle, and std's has no place for a mailbox; so mailboxes are found by the
//! thread's number. Whoever comes first makes it: the thread, when it comes to its first interruption point, or one
//! who throws to it before. An entry goes when its thread ends; what stays is that this number has ended, or else a
//! thrower could not tell it from one that has yet to come. Numbers count up, so those that have ended are few runs
//! of neighbours: [`Ended`].
//!
//! In an exploration each run has a registry of its own. Its lock is std's, not a controlled one: who makes a mailbox
//! does not matter. But whether a thread has ended does, and a look-up is no event that a scheduler could move; so there
//! mailboxes stay when they are closed, and a thrower always comes to the mailbox's own, controlled lock.

use super::mailbox::Mailbox;
use crate::sync::{Arc, Mutex, Weak};
use crate::thread::ThreadId;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

/// The mailboxes of the threads that are alive.
pub(super) struct Registry {
    mailboxes: HashMap<ThreadId, Weak<Mailbox>>,
    ended: Ended,
    /// In an exploration, the mailboxes of the threads that have ended.
    #[cfg(feature = "check")]
    closed: Option<Vec<Arc<Mailbox>>>,
    /// Held while waits are interrupted: see [`Mailbox`].
    deliveries: Arc<Mutex<()>>,
}

impl Registry {
    fn new() -> Registry {
        Registry {
            mailboxes: HashMap::new(),
            ended: Ended::default(),
            #[cfg(feature = "check")]
            closed: crate::control::current().map(|_| Vec::new()),
            deliveries: Arc::new(Mutex::new(())),
        }
    }

    fn mailbox(&mut self, thread: ThreadId) -> Option<Arc<Mailbox>> {
        if self.ended.contains(number(thread)) {
            return None;
        }
        let known = self.mailboxes.get(&thread).and_then(Weak::upgrade);
        Some(known.unwrap_or_else(|| {
            let made = Arc::new(Mailbox::new(self.deliveries.clone()));
            self.mailboxes.insert(thread, Arc::downgrade(&made));
            made
        }))
    }
}

/// The mailbox of a thread, or nothing if a thread with a mailbox has ended.
pub(super) fn mailbox(thread: ThreadId) -> Option<Arc<Mailbox>> {
    with(|registry| registry.mailbox(thread))
}

/// The thread has closed its mailbox.
pub(super) fn has_ended(thread: ThreadId, mailbox: Arc<Mailbox>) {
    with(|registry| {
        #[cfg(feature = "check")]
        if let Some(closed) = &mut registry.closed {
            closed.push(mailbox);
            return;
        }
        registry.mailboxes.remove(&thread);
        registry.ended.insert(number(thread));
        drop(mailbox);
    });
}

/// Nobody has this mailbox any more but its thread, if that comes to one.
pub(super) fn forget_if_unused(thread: ThreadId) {
    with(|registry| {
        if registry.mailboxes.get(&thread).is_some_and(|mailbox| mailbox.strong_count() == 0) {
            registry.mailboxes.remove(&thread);
        }
    });
}

#[cfg(not(feature = "check"))]
fn with<R>(work: impl FnOnce(&mut Registry) -> R) -> R {
    of_process(work)
}

#[cfg(feature = "check")]
fn with<R>(work: impl FnOnce(&mut Registry) -> R) -> R {
    use std::cell::RefCell;
    thread_local! {
        /// All threads of a run are on one thread of the operating system.
        static OF_RUN: RefCell<Option<(u64, Registry)>> = const { RefCell::new(None) };
    }
    let Some(execution) = crate::control::current() else { return of_process(work) };
    let run = execution.state.borrow().run;
    OF_RUN.with_borrow_mut(|of_run| {
        if of_run.as_ref().is_none_or(|(of, _)| *of != run) {
            *of_run = Some((run, Registry::new()));
        }
        let (_, registry) = of_run.as_mut().expect("it was made above");
        work(registry)
    })
}

fn of_process<R>(work: impl FnOnce(&mut Registry) -> R) -> R {
    static OF_PROCESS: std::sync::Mutex<Option<Registry>> = std::sync::Mutex::new(None);
    let mut registry = OF_PROCESS.lock().expect("nothing panics in here");
    work(registry.get_or_insert_with(Registry::new))
}

/// The number in a thread's identity. std does not give it yet, but its hash is the number's, which a test below pins.
fn number(thread: ThreadId) -> u64 {
    struct LastWritten(u64);
    impl Hasher for LastWritten {
        fn write(&mut self, _: &[u8]) {}

        fn write_u64(&mut self, number: u64) {
            self.0 = number;
        }

        fn finish(&self) -> u64 {
            self.0
        }
    }
    let mut last = LastWritten(0);
    thread.hash(&mut last);
    last.finish()
}

/// A set of numbers, as runs of neighbours: first and last.
#[derive(Debug, Default)]
struct Ended(BTreeMap<u64, u64>);

impl Ended {
    fn contains(&self, number: u64) -> bool {
        self.0.range(..=number).next_back().is_some_and(|(_, last)| number <= *last)
    }

    fn insert(&mut self, number: u64) {
        if self.contains(number) {
            return;
        }
        let last = number.checked_add(1).and_then(|next| self.0.remove(&next)).unwrap_or(number);
        match self.0.range_mut(..number).next_back() {
            Some((_, before)) if *before + 1 == number => *before = last,
            _ => {
                self.0.insert(number, last);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, number};
    use std::collections::BTreeSet;

    #[test]
    fn the_numbers_of_threads_differ_and_are_near_each_other() {
        let ids: Vec<_> = (0..100)
            .map(|_| crate::thread::spawn(|| crate::thread::current().id()).join().unwrap())
            .collect();
        let numbers: BTreeSet<_> = ids.iter().map(|id| number(*id)).collect();
        assert_eq!(numbers.len(), ids.len());
        // Other tests spawn threads too.
        assert!(numbers.last().unwrap() - numbers.first().unwrap() < 10_000);
    }

    #[test]
    fn runs_of_neighbours_are_a_set() {
        let mut state = 1_u64;
        for _ in 0..200 {
            let (mut runs, mut naive) = (Ended::default(), BTreeSet::new());
            for _ in 0..60 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let number = (state >> 33) % 50;
                runs.insert(number);
                naive.insert(number);
                (0..52).for_each(|it| assert_eq!(runs.contains(it), naive.contains(&it)));
                let gaps = naive.iter().filter(|it| !naive.contains(&(**it + 1))).count();
                assert_eq!(runs.0.len(), gaps);
            }
        }
    }
}
