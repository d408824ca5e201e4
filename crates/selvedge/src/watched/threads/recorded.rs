//! Threads of the program outside of explorations: their numbers in propositions, and the order that spawn
//! and join make.
//!
//! A thread that a watched thread spawns is numbered by its path, as in explorations: the children of main
//! are 1, 2, …, and `1.2` is the second child of thread 1. Main is 0. A thread that was spawned by other
//! means is called after its id: `"ThreadId(7)"`.

use crate::watched::interest::INTEREST;
use crate::watched::step;
use selvedge_monitor::Value;
use selvedge_monitor::lock_order::{self, Holder, HolderId, JoinTicket};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The calling thread.
struct Current {
    path: OnceCell<Arc<str>>,
    /// The number of children that it has spawned.
    children: Cell<u32>,
}

thread_local! {
    static CURRENT: Current = const { Current { path: OnceCell::new(), children: Cell::new(0) } };
}

/// By the number of a holder, the path of its thread: for holders whose locks another thread may give back.
static PATHS: LazyLock<Mutex<HashMap<u64, Arc<str>>>> = LazyLock::new(Mutex::default);

const MAIN: &str = "0";

/// The path of the calling thread.
fn path() -> Arc<str> {
    let path = CURRENT.try_with(|current| current.path.get_or_init(path_of_root).clone());
    path.unwrap_or_else(|_| path_of_root())
}

/// The path of a thread that no watched thread has spawned.
fn path_of_root() -> Arc<str> {
    let thread = std::thread::current();
    if thread.name() == Some("main") { MAIN.into() } else { format!("{:?}", thread.id()).into() }
}

/// A path in propositions: a number, if it has one part.
fn value(path: &Arc<str>) -> Value {
    path.parse().map_or_else(|_| Value::Text(path.clone()), Value::Int)
}

/// The calling thread in propositions.
pub(in crate::watched) fn current_value() -> Value {
    value(&path())
}

/// The thread of a holder in propositions. The caller is that thread, or the thread was
/// [introduced](introduce).
pub(in crate::watched) fn value_of(holder: HolderId) -> Value {
    let is_own = lock_order::with_current(|current| current.id() == holder);
    if is_own == Some(true) {
        return current_value();
    }
    let paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    paths.get(&holder.number()).map_or_else(current_value, value)
}

/// Another thread may give back what the calling thread, this holder, has taken.
pub(in crate::watched) fn introduce(holder: HolderId) {
    let mut paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    paths.entry(holder.number()).or_insert_with(path);
}

/// A thread that is about to be spawned.
pub(crate) struct Child {
    path: Arc<str>,
    holder: Option<Holder>,
}

/// What the thread that joins a child needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildTicket(Option<JoinTicket>);

/// The calling thread spawns a child, with this name.
pub(crate) fn spawn(name: Option<&str>) -> (Child, ChildTicket) {
    let index = CURRENT.try_with(|current| {
        current.children.set(current.children.get() + 1);
        current.children.get()
    });
    let parent = path();
    let index = index.unwrap_or(0);
    let path: Arc<str> =
        if &*parent == MAIN { index.to_string() } else { format!("{parent}.{index}") }.into();
    let records_order = INTEREST.locks().includes_order();
    let text = || name.map_or_else(|| format!("thread {path}"), str::to_owned);
    let holder = records_order.then(|| lock_order::with_current(|parent| parent.spawns(&text()))).flatten();
    let ticket = ChildTicket(holder.as_ref().map(Holder::ticket));
    (Child { path, holder }, ticket)
}

impl Child {
    /// The calling thread is the child, until the result is dropped.
    pub(crate) fn begin(self) -> Running {
        CURRENT.with(|current| _ = current.path.set(self.path));
        let is_installed = self.holder.is_some();
        if is_installed {
            lock_order::install(self.holder);
        }
        Running { is_installed }
    }
}

/// A child that runs its function.
pub(crate) struct Running {
    is_installed: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        // What the child has done comes before what the thread does that joins it; so the holder ends before
        // the thread does.
        if self.is_installed {
            drop(lock_order::install(None));
        }
    }
}

impl ChildTicket {
    /// Joins the child: `block` waits for its end.
    #[track_caller]
    pub(crate) fn join<R>(&self, is_finished: bool, block: impl FnOnce() -> R) -> R {
        let at = Location::caller();
        let result = match &self.0 {
            None => block(),
            Some(ticket) => {
                let wait = |holder: &mut Holder| (!is_finished).then(|| holder.waits_to_join_at(ticket, at));
                let waiting = lock_order::with_current(wait);
                let result = block();
                drop(waiting);
                lock_order::with_current(|holder| holder.joins(ticket));
                result
            }
        };
        step();
        result
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// The child has ended, and its scope has waited for it.
    pub(super) fn joined(&self) {
        if let Some(ticket) = &self.0 {
            lock_order::with_current(|holder| holder.joins(ticket));
        }
    }
}
