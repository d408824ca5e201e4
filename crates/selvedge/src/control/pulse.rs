//! What the running thread is doing, for those who cannot ask it: a watchdog, and a handler of signals.
//!
//! The driver writes it down whenever it lets a thread go on: a few plain stores. Others may read it at any time, from another
//! thread of the operating system too. What they read while nothing moves belongs together.

use super::fiber::Bounds;
use super::thread::Pending;
use selvedge_explore::{Kind, Site, ThreadId};
use std::collections::BTreeMap;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};

/// The pulse of an exploration.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    /// Counts how often a thread was let go on.
    beats: AtomicU64,
    thread: AtomicU32,
    phase: AtomicU8,
    kind: AtomicU8,
    site: AtomicPtr<Location<'static>>,
    stack_limit: AtomicUsize,
    stack_base: AtomicUsize,
    /// The threads that have a name of their own.
    names: Mutex<BTreeMap<u32, Arc<str>>>,
    has_names: AtomicBool,
}

/// What a thread is let go on for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// No run is under way.
    Between,
    /// It begins.
    Begins,
    /// It does what it announced.
    Does,
    /// It is stopped, because the run is over.
    Stops,
}

/// What the running thread is doing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doing {
    pub(crate) thread: ThreadId,
    pub(crate) phase: Phase,
    pub(crate) kind: Kind,
    pub(crate) site: Option<&'static Location<'static>>,
    pub(crate) stack: Bounds,
}

impl Pulse {
    /// A thread is let go on.
    #[inline]
    pub(super) fn beat(&self, thread: ThreadId, phase: Phase, pending: &Pending, stack: Bounds) {
        let site = match pending.site {
            Site::Rust(site) => ptr::from_ref(site).cast_mut(),
            Site::Unknown | Site::Line(_) => ptr::null_mut(),
        };
        self.thread.store(thread.0, Relaxed);
        self.phase.store(phase as u8, Relaxed);
        self.kind.store(pending.action.kind as u8, Relaxed);
        self.site.store(site, Relaxed);
        self.stack_limit.store(stack.limit, Relaxed);
        self.stack_base.store(stack.base, Relaxed);
        self.beats.store(self.beats.load(Relaxed) + 1, Relaxed);
    }

    /// A run is over.
    pub(crate) fn rest(&self) {
        self.phase.store(Phase::Between as u8, Relaxed);
    }

    /// A thread of this number begins.
    #[inline]
    pub(super) fn name(&self, thread: ThreadId, name: Option<&Arc<str>>) {
        if name.is_some() || self.has_names.load(Relaxed) {
            self.keep_name(thread, name);
        }
    }

    fn keep_name(&self, thread: ThreadId, name: Option<&Arc<str>>) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        match name {
            Some(name) => names.insert(thread.0, name.clone()),
            None => names.remove(&thread.0),
        };
        self.has_names.store(!names.is_empty(), Relaxed);
    }

    /// How often a thread was let go on.
    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(Relaxed)
    }

    /// What the running thread is doing. Neither waits nor allocates, so that a handler of signals may ask.
    pub(crate) fn doing(&self) -> Doing {
        let phase = match self.phase.load(Relaxed) {
            1 => Phase::Begins,
            2 => Phase::Does,
            3 => Phase::Stops,
            _ => Phase::Between,
        };
        let kind = Kind::ALL.get(usize::from(self.kind.load(Relaxed))).copied().unwrap_or(Kind::Yield);
        // SAFETY: `beat` stores null or a reference that is good for ever.
        #[allow(unsafe_code)]
        let site = unsafe { self.site.load(Relaxed).as_ref() };
        let stack =
            Bounds { limit: self.stack_limit.load(Relaxed), base: self.stack_base.load(Relaxed) };
        Doing { thread: ThreadId(self.thread.load(Relaxed)), phase, kind, site, stack }
    }

    /// Hands out the thread's name, if it has one of its own. Does not wait: where the names are being changed, there is none.
    pub(crate) fn with_name<R>(&self, thread: ThreadId, work: impl FnOnce(Option<&str>) -> R) -> R {
        match self.names.try_lock() {
            Ok(names) => work(names.get(&thread.0).map(|name| &**name)),
            Err(_) => work(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Action;

    #[test]
    fn every_kind_and_phase_is_read_back() {
        let pulse = Pulse::default();
        assert_eq!(pulse.doing().phase, Phase::Between);
        for kind in Kind::ALL {
            for phase in [Phase::Begins, Phase::Does, Phase::Stops] {
                let bounds = Bounds { limit: 1, base: 2 };
                pulse.beat(ThreadId(7), phase, &Pending::here(Action::new(*kind)), bounds);
                let doing = pulse.doing();
                assert_eq!((doing.thread, doing.phase, doing.kind), (ThreadId(7), phase, *kind));
                assert!(doing.site.is_some_and(|site| site.file().ends_with("pulse.rs")));
                assert_eq!(doing.stack, bounds);
            }
        }
        assert_eq!(pulse.beats(), 3 * Kind::ALL.len() as u64);
    }

    #[test]
    fn a_number_that_is_used_again_loses_its_old_name() {
        let pulse = Pulse::default();
        let name = |thread| pulse.with_name(ThreadId(thread), |name| name.map(str::to_owned));
        pulse.name(ThreadId(1), Some(&"worker".into()));
        assert_eq!((name(0), name(1)), (None, Some("worker".to_owned())));
        pulse.name(ThreadId(1), None);
        assert_eq!(name(1), None);
    }
}
