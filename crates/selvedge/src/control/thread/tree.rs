//! The numbers of threads by their paths, the same in all runs of an exploration ([`ThreadTree`]).
//!
//! The tree is shared by all workers of an exploration. Each worker knows a part of it by heart, so that
//! a spawn takes the lock of the tree only if its path is new to the worker.

use selvedge_explore::{Label, ThreadId, ThreadTree};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tree of an exploration.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedThreadTree(Arc<Mutex<ThreadTree>>);

impl SharedThreadTree {
    pub(crate) fn new(tree: ThreadTree) -> SharedThreadTree {
        SharedThreadTree(Arc::new(Mutex::new(tree)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ThreadTree> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a worker knows of the tree.
pub(super) struct KnownThreads {
    shared: SharedThreadTree,
    /// By number.
    known: Vec<KnownThread>,
}

/// A thread that a worker knows; without a label if it does not.
#[derive(Clone, Default)]
struct KnownThread {
    children: Vec<ThreadId>,
    label: Option<Label>,
    /// The label, if it is not the number: a name for people.
    name: Option<Arc<str>>,
    /// A number that depends on the path alone.
    code: u64,
}

impl KnownThreads {
    pub(super) fn new(shared: SharedThreadTree) -> KnownThreads {
        let main = KnownThread { label: Some(Label::main()), code: 1, ..KnownThread::default() };
        KnownThreads { shared, known: vec![main] }
    }

    #[cfg(unix)]
    pub(super) fn tree(&self) -> SharedThreadTree {
        self.shared.clone()
    }

    /// The child of a thread with this index, from 0.
    #[inline]
    pub(super) fn child(&mut self, parent: ThreadId, index: usize) -> ThreadId {
        match self.known[parent.index()].children.get(index) {
            Some(child) => *child,
            None => self.learn(parent, index),
        }
    }

    #[cold]
    fn learn(&mut self, parent: ThreadId, index: usize) -> ThreadId {
        let child = self.shared.lock().child(parent, index);
        let known = &mut self.known[parent.index()];
        known.children.push(child);
        let label = known.label.as_ref().map(|label| label.child(index));
        let code = path_code(parent, known.code, index);
        let name = label.as_ref().filter(|label| label.text() != child.0.to_string());
        let name = name.map(|label| format!("thread {}", label.text()).into());
        if self.known.len() <= child.index() {
            self.known.resize(child.index() + 1, KnownThread::default());
        }
        let known = &mut self.known[child.index()];
        (known.label, known.name, known.code) = (label, name, code);
        child
    }

    /// The label of a thread that the worker knows.
    pub(super) fn label(&self, thread: ThreadId) -> Option<&str> {
        Some(self.known.get(thread.index())?.label.as_ref()?.text())
    }

    /// The number of a thread's ancestors.
    pub(super) fn depth(&self, thread: ThreadId) -> usize {
        self.known[thread.index()].label.as_ref().map_or(0, Label::depth)
    }

    /// The label of a thread, as a name for people, if it is not its number.
    pub(super) fn name(&self, thread: ThreadId) -> Option<&Arc<str>> {
        self.known.get(thread.index())?.name.as_ref()
    }

    /// A number that depends on the path of the thread alone: 1 for main, 2 for its first child.
    pub(super) fn code(&self, thread: ThreadId) -> u64 {
        self.known[thread.index()].code
    }
}

/// The code of a child. Codes of main's children are small; others are spread over all numbers, so that two
/// of them are hardly ever equal.
fn path_code(parent: ThreadId, code: u64, index: usize) -> u64 {
    let next = code + 1 + index as u64;
    if parent == ThreadId::MAIN {
        return next;
    }
    // The constants of SplitMix64.
    let mixed = next.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) ^ code;
    mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1 << 63
}
