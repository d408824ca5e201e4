//! What the running thread is doing, for readers that cannot ask it: a watchdog, and a signal handler.
//!
//! The driver writes it whenever it lets a thread go on: a few plain stores. Readers may read it at any
//! time, also from another thread of the operating system. What they read while no thread goes on belongs
//! together.

use crate::control::fiber::Bounds;
use crate::control::thread::Pending;
use selvedge_explore::{Kind, Site, ThreadId};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::ptr;
#[cfg(unix)]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// The heartbeat of an exploration.
#[derive(Debug, Default)]
pub(crate) struct Heartbeat {
    /// How often a thread went on.
    beats: AtomicU64,
    /// The thread, its phase and its announced action: see [`packed`].
    doing: AtomicU64,
    site: AtomicPtr<Location<'static>>,
    /// The stacks of all threads.
    stacks: Mutex<Vec<Bounds>>,
    /// The threads that have a label other than their number, or a name of their own.
    names: Mutex<BTreeMap<u32, ThreadNames>>,
    has_names: AtomicBool,
    /// The thread of the operating system on which the runs are made: its number, and its handle.
    #[cfg(unix)]
    os_thread: (AtomicU64, AtomicUsize),
}

/// A thread of the operating system.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OsThread {
    /// The number that the system gives it; 0 if that is not known.
    pub(crate) number: u64,
    /// The handle by which other threads of the process signal to it.
    pub(crate) handle: libc::pthread_t,
}

#[cfg(unix)]
#[allow(unsafe_code)]
impl OsThread {
    /// The calling thread.
    pub(crate) fn current() -> OsThread {
        // SAFETY: neither call has a precondition.
        let handle = unsafe { libc::pthread_self() };
        #[cfg(target_os = "linux")]
        // SAFETY: as above.
        let number = unsafe { libc::gettid() } as u64;
        #[cfg(not(target_os = "linux"))]
        let number = 0;
        OsThread { number, handle }
    }
}

/// What a thread is called beside its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadNames {
    /// Its path, as `thread 1.2`, if that is not its number.
    label: Option<Arc<str>>,
    name: Option<Arc<str>>,
}

impl ThreadNames {
    /// Writes what the thread of this number is called: ``thread 1 `worker` ``. Does not allocate.
    pub(crate) fn write(&self, thread: ThreadId, out: &mut impl fmt::Write) -> fmt::Result {
        match &self.label {
            Some(label) => write!(out, "{label}")?,
            None => write!(out, "thread {thread}")?,
        }
        match &self.name {
            Some(name) => write!(out, " `{name}`"),
            None => Ok(()),
        }
    }
}

/// Why a thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// No run is under way.
    Between,
    /// It begins.
    Begins,
    /// It executes its announced action.
    Does,
    /// It is stopped, because the run is over.
    Stops,
    /// It waits for a child process that goes ahead.
    Follows,
}

/// What the running thread is doing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doing {
    pub(crate) thread: ThreadId,
    pub(crate) phase: Phase,
    pub(crate) kind: Kind,
    pub(crate) site: Option<&'static Location<'static>>,
}

#[inline]
fn packed(thread: ThreadId, phase: Phase, kind: Kind) -> u64 {
    u64::from(thread.0) << 16 | (phase as u64) << 8 | kind as u64
}

impl Heartbeat {
    /// A thread goes on.
    #[inline]
    pub(in crate::control) fn beat(&self, thread: ThreadId, phase: Phase, pending: &Pending) {
        let site = match pending.site {
            Site::Rust(site) => ptr::from_ref(site).cast_mut(),
            Site::Unknown | Site::Line(_) => ptr::null_mut(),
        };
        self.doing.store(packed(thread, phase, pending.action.kind), Relaxed);
        self.site.store(site, Relaxed);
        self.beats.store(self.beats.load(Relaxed) + 1, Relaxed);
    }

    /// The runs are made on the calling thread of the operating system from now on.
    #[cfg(unix)]
    pub(crate) fn attach(&self) {
        let OsThread { number, handle } = OsThread::current();
        self.os_thread.0.store(number, Relaxed);
        self.os_thread.1.store(handle as usize, Relaxed);
    }

    /// The thread of the operating system on which the runs are made, if there is one.
    #[cfg(unix)]
    pub(crate) fn os_thread(&self) -> Option<OsThread> {
        let (number, handle) = (self.os_thread.0.load(Relaxed), self.os_thread.1.load(Relaxed));
        (number != 0).then_some(OsThread { number, handle: handle as libc::pthread_t })
    }

    /// A run is over.
    pub(crate) fn rest(&self) {
        self.doing.store(packed(ThreadId::MAIN, Phase::Between, Kind::Return), Relaxed);
    }

    /// The worker waits for a child process that goes ahead, or for work of another worker.
    pub(crate) fn follow(&self) {
        self.doing.store(packed(ThreadId::MAIN, Phase::Follows, Kind::Return), Relaxed);
    }

    /// Executes work that copies the whole process, while no other thread holds the locks in here.
    #[cfg(unix)]
    pub(crate) fn while_unlocked<R>(&self, work: impl FnOnce() -> R) -> R {
        let _stacks = self.stacks.lock().unwrap_or_else(PoisonError::into_inner);
        let _names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// A stack is made.
    pub(in crate::control) fn add_stack(&self, stack: Bounds) {
        self.stacks.lock().unwrap_or_else(PoisonError::into_inner).push(stack);
    }

    /// There are no stacks yet.
    pub(in crate::control) fn forget_stacks(&self) {
        self.stacks.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The stack whose lowest page has this address. Does not wait: while the list is being changed, there
    /// is none.
    pub(crate) fn stack_that_ends_at(&self, address: usize, page_bytes: usize) -> Option<Bounds> {
        let ends_there = |stack: &&Bounds| (stack.limit..stack.limit + page_bytes).contains(&address);
        try_lock(&self.stacks)?.iter().find(ends_there).copied()
    }

    /// A thread of this number begins.
    #[inline]
    pub(in crate::control) fn name(
        &self,
        thread: ThreadId,
        label: Option<&Arc<str>>,
        name: Option<&Arc<str>>,
    ) {
        if label.is_some() || name.is_some() || self.has_names.load(Relaxed) {
            self.set_names(thread, ThreadNames { label: label.cloned(), name: name.cloned() });
        }
    }

    fn set_names(&self, thread: ThreadId, new: ThreadNames) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        match new {
            ThreadNames { label: None, name: None } => names.remove(&thread.0),
            new => names.insert(thread.0, new),
        };
        self.has_names.store(!names.is_empty(), Relaxed);
    }

    /// How often a thread went on.
    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(Relaxed)
    }

    /// What the running thread is doing. Neither waits nor allocates, so that a signal handler may ask.
    pub(crate) fn doing(&self) -> Doing {
        let doing = self.doing.load(Relaxed);
        let phase = match doing >> 8 & 0xff {
            1 => Phase::Begins,
            2 => Phase::Does,
            3 => Phase::Stops,
            4 => Phase::Follows,
            _ => Phase::Between,
        };
        let kind = Kind::ALL.get((doing & 0xff) as usize).copied().unwrap_or(Kind::Yield);
        // SAFETY: `beat` stores null or a reference to a `'static` location.
        #[allow(unsafe_code)]
        let site = unsafe { self.site.load(Relaxed).as_ref() };
        Doing { thread: ThreadId((doing >> 16) as u32), phase, kind, site }
    }

    /// Hands out what the thread is called. Does not wait: while the names are being changed, there are
    /// none.
    pub(crate) fn with_names<R>(&self, thread: ThreadId, work: impl FnOnce(&ThreadNames) -> R) -> R {
        const NONE: &ThreadNames = &ThreadNames { label: None, name: None };
        match try_lock(&self.names) {
            Some(names) => work(names.get(&thread.0).unwrap_or(NONE)),
            None => work(NONE),
        }
    }
}

fn try_lock<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match lock.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Action;

    #[test]
    fn every_kind_and_phase_is_read_back() {
        let heartbeat = Heartbeat::default();
        assert_eq!(heartbeat.doing().phase, Phase::Between);
        for kind in Kind::ALL {
            for phase in [Phase::Begins, Phase::Does, Phase::Stops] {
                heartbeat.beat(ThreadId(70_000), phase, &Pending::here(Action::new(*kind)));
                let doing = heartbeat.doing();
                assert_eq!((doing.thread, doing.phase, doing.kind), (ThreadId(70_000), phase, *kind));
                assert!(doing.site.is_some_and(|site| site.file().ends_with("heartbeat.rs")));
            }
        }
        assert_eq!(heartbeat.beats(), 3 * Kind::ALL.len() as u64);
    }

    #[test]
    fn a_slot_that_is_used_again_loses_its_old_name() {
        let heartbeat = Heartbeat::default();
        let name = |thread| {
            let mut text = String::new();
            let thread = ThreadId(thread);
            heartbeat.with_names(thread, |names| names.write(thread, &mut text)).map(|()| text)
        };
        heartbeat.name(ThreadId(1), None, Some(&"worker".into()));
        heartbeat.name(ThreadId(2), Some(&"thread 1.1".into()), None);
        let names = ["thread 0", "thread 1 `worker`", "thread 1.1"].map(|name| Ok(name.to_owned()));
        assert_eq!([0, 1, 2].map(name), names);
        heartbeat.name(ThreadId(1), None, None);
        assert_eq!(name(1), Ok("thread 1".to_owned()));
    }
}
