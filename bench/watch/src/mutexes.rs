//! The mutexes that are compared.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A mutex that checks orders.
pub(crate) trait Lock: Send + Sync + 'static {
    const NAME: &'static str;
    type Guard<'a>;

    fn new() -> Self;
    fn lock(&self) -> Self::Guard<'_>;
    fn try_lock(&self) -> Option<Self::Guard<'_>>;

    /// Spawns a thread and returns a function that joins it, and returns whether it panicked.
    fn spawn(function: impl FnOnce() + Send + 'static) -> Box<dyn FnOnce() -> bool>;

    /// The number of potential deadlocks that were told so far.
    fn findings() -> usize;
}

/// A mutex with the interface of `std`'s, by the module that has it.
macro_rules! as_std {
    ($($module:ident)::+) => {
        type Guard<'a> = $($module::)+MutexGuard<'a, ()>;

        fn new() -> Self {
            Self($($module::)+Mutex::new(()))
        }

        #[inline]
        fn lock(&self) -> Self::Guard<'_> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }

        fn try_lock(&self) -> Option<Self::Guard<'_>> {
            self.0.try_lock().ok()
        }
    };
}

/// `std`'s, which checks nothing.
pub(crate) struct Plain(std::sync::Mutex<()>);

impl Lock for Plain {
    const NAME: &'static str = "std";
    as_std!(std::sync);

    fn spawn(function: impl FnOnce() + Send + 'static) -> Box<dyn FnOnce() -> bool> {
        let thread = std::thread::spawn(function);
        Box::new(move || thread.join().is_err())
    }

    fn findings() -> usize {
        0
    }
}

/// Selvedge's, with the feature `watch`.
pub(crate) struct Ours(selvedge::sync::Mutex<()>);

impl Lock for Ours {
    const NAME: &'static str = "selvedge";
    as_std!(selvedge::sync);

    fn spawn(function: impl FnOnce() + Send + 'static) -> Box<dyn FnOnce() -> bool> {
        let thread = selvedge::thread::spawn(function);
        Box::new(move || thread.join().is_err())
    }

    fn findings() -> usize {
        let order = selvedge::monitor::watch_lock_order();
        order.on_finding(selvedge::monitor::Reaction::Keep);
        order.cycles().len()
    }
}

/// The mutex of `tracing-mutex`, in its default configuration.
pub(crate) struct TracingMutex(tracing_mutex::stdsync::tracing::Mutex<()>);

/// It panics in the thread that closes a cycle.
static PANICS: AtomicUsize = AtomicUsize::new(0);

impl Lock for TracingMutex {
    const NAME: &'static str = "tracing-mutex";
    as_std!(tracing_mutex::stdsync::tracing);

    fn spawn(function: impl FnOnce() + Send + 'static) -> Box<dyn FnOnce() -> bool> {
        let thread = std::thread::spawn(function);
        Box::new(move || {
            let has_panicked = thread.join().is_err();
            PANICS.fetch_add(usize::from(has_panicked), Ordering::SeqCst);
            has_panicked
        })
    }

    fn findings() -> usize {
        PANICS.load(Ordering::SeqCst)
    }
}

/// The mutex of `deloxide`, with its feature `lock-order-graph`.
pub(crate) struct Deloxide(deloxide::Mutex<()>);

static DELOXIDE_FINDINGS: AtomicUsize = AtomicUsize::new(0);

/// Starts the detector; `deloxide` allows this once.
pub(crate) fn start_deloxide() {
    let count = |_| _ = DELOXIDE_FINDINGS.fetch_add(1, Ordering::SeqCst);
    deloxide::Deloxide::new().callback(count).start().expect("the detector starts");
}

impl Lock for Deloxide {
    const NAME: &'static str = "deloxide";
    type Guard<'a> = deloxide::MutexGuard<'a, ()>;

    fn new() -> Deloxide {
        Deloxide(deloxide::Mutex::new(()))
    }

    #[inline]
    fn lock(&self) -> Self::Guard<'_> {
        self.0.lock()
    }

    fn try_lock(&self) -> Option<Self::Guard<'_>> {
        self.0.try_lock()
    }

    fn spawn(function: impl FnOnce() + Send + 'static) -> Box<dyn FnOnce() -> bool> {
        let thread = deloxide::thread::spawn(function);
        Box::new(move || thread.join().is_err())
    }

    fn findings() -> usize {
        // The callback runs in a thread of its own.
        std::thread::sleep(std::time::Duration::from_millis(50));
        DELOXIDE_FINDINGS.load(Ordering::SeqCst)
    }
}
