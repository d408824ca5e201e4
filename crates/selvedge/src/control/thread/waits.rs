//! What each thread may wait for.
//!
//! After each action on a lock or a channel its waiters are sought. Where threads are few, all are asked.
//! From some number on it costs less to note the object that each thread may wait for, and to count: most
//! actions have no waiters.
//!
//! Promise: once there are notes, no waiter is missing. A thread that has ended, or has announced an action
//! without a note, may still be here.

use selvedge_explore::{ObjectId, ThreadId};

/// With more threads than this, notes are taken. In tests with fewer, as those compare the enabled events of
/// programs with three and four threads at every step.
const FEW_THREADS: usize = if cfg!(test) { 3 } else { 6 };

/// The objects that threads may wait for.
#[derive(Debug, Default)]
pub(in crate::control) struct Waits {
    has_notes: bool,
    /// By the number of a thread.
    objects: Vec<Option<ObjectId>>,
    /// By the index of an object.
    waiters: Vec<Waiters>,
}

/// The threads that are noted for an object.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::control) struct Waiters {
    pub(in crate::control) count: u32,
    /// The exclusive or of their numbers: of one thread alone, its number.
    numbers: u32,
}

impl Waiters {
    /// The thread, if it is one alone.
    pub(in crate::control) fn single(self) -> Option<ThreadId> {
        (self.count == 1).then_some(ThreadId(self.numbers))
    }
}

/// The objects of an action.
type Objects = (ObjectId, Option<ObjectId>);

impl Waits {
    /// A run begins.
    pub(super) fn clear(&mut self) {
        self.has_notes = false;
        self.objects.clear();
        self.waiters.clear();
    }

    /// Begins notes if there are many threads by now. If so, the caller notes what each of them waits for.
    pub(super) fn begins_notes(&mut self, threads: usize) -> bool {
        let begins = !self.has_notes && threads > FEW_THREADS;
        self.has_notes |= begins;
        begins
    }

    /// Are notes taken?
    #[inline(always)]
    pub(in crate::control) fn has_notes(&self) -> bool {
        self.has_notes
    }

    /// A thread has announced an action that may wait for this object, or for none.
    #[cold]
    pub(in crate::control) fn note(&mut self, thread: ThreadId, object: Option<ObjectId>) {
        if self.objects.len() <= thread.index() {
            self.objects.resize(thread.index() + 1, None);
        }
        let noted = std::mem::replace(&mut self.objects[thread.index()], object);
        if let Some(noted) = noted {
            let Waiters { count, numbers } = &mut self.waiters[noted.index()];
            (*count, *numbers) = (*count - 1, *numbers ^ thread.0);
        }
        if let Some(object) = object {
            if self.waiters.len() <= object.index() {
                self.waiters.resize(object.index() + 1, Waiters::default());
            }
            let Waiters { count, numbers } = &mut self.waiters[object.index()];
            (*count, *numbers) = (*count + 1, *numbers ^ thread.0);
        }
    }

    /// The threads other than this one that may wait for the objects of its action.
    #[inline(always)]
    pub(in crate::control) fn others(&self, than: ThreadId, objects: Objects) -> Waiters {
        let of = |object: ObjectId| self.waiters.get(object.index()).copied().unwrap_or_default();
        let (object, second) = objects;
        let (one, other) = (of(object), second.map_or(Waiters::default(), of));
        let own =
            if self.has(than, objects) { Waiters { count: 1, numbers: than.0 } } else { Waiters::default() };
        Waiters {
            count: one.count + other.count - own.count,
            numbers: one.numbers ^ other.numbers ^ own.numbers,
        }
    }

    /// May the thread wait for an object of an action?
    #[inline(always)]
    fn has(&self, thread: ThreadId, (object, second): Objects) -> bool {
        let noted = self.objects.get(thread.index()).copied().flatten();
        noted == Some(object) || second.is_some() && noted == second
    }
}
