//! The threads of all runs of an exploration, as a tree: the children of a thread are in the order of its
//! spawns.
//!
//! A thread is the same in two runs if its *path* is: `1.2` is the second child of main's first child. A
//! path depends on the spawns of its own ancestors alone, so spawns of different threads commute
//! (Walker's thesis, Figure 12). A [`ThreadId`] is the number of a path in the tree, in the order in
//! which the runs of an exploration met the paths; a run need not use all of them.
//!
//! Promise: a path keeps its number for as long as the tree exists. The labels and the order of the
//! threads of one run ([`RunThreads`]) depend on their paths alone, not on their numbers.

use crate::event::{Event, Kind};
use crate::ids::ThreadId;
use std::fmt::Write;

/// A label shows so many parts of a path; of a longer path it shows the first ones, the depth and the
/// last one.
const MAX_PARTS: usize = 8;

/// The numbers of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadTree {
    /// By number; main has none.
    parents: Vec<Option<ThreadId>>,
    /// By number: the children, in the order of their indices.
    children: Vec<Vec<ThreadId>>,
}

impl Default for ThreadTree {
    fn default() -> ThreadTree {
        ThreadTree { parents: vec![None], children: vec![Vec::new()] }
    }
}

impl ThreadTree {
    /// The tree with these parents of the threads 1, 2, and so on. `None` if a parent comes after its child.
    pub fn with_parents(parents: impl IntoIterator<Item = ThreadId>) -> Option<ThreadTree> {
        let mut tree = ThreadTree::default();
        for parent in parents {
            let index = tree.children.get(parent.index())?.len();
            tree.child(parent, index);
        }
        Some(tree)
    }

    /// The parents of the threads 1, 2, and so on: all that there is to know about the tree.
    pub fn parents(&self) -> impl Iterator<Item = ThreadId> {
        self.parents.iter().flatten().copied()
    }

    /// The child with this index, from 0; the next one is added if it is new.
    ///
    /// # Panics
    /// If the thread has no child with the index before.
    pub fn child(&mut self, parent: ThreadId, index: usize) -> ThreadId {
        if let Some(known) = self.children[parent.index()].get(index) {
            return *known;
        }
        assert_eq!(index, self.children[parent.index()].len(), "children are spawned one after the other");
        let child = ThreadId(self.parents.len() as u32);
        self.parents.push(Some(parent));
        self.children.push(Vec::new());
        self.children[parent.index()].push(child);
        child
    }
}

/// A path in words: `1.2`. Main's label is `0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    text: String,
    depth: usize,
}

impl Label {
    /// The label of main.
    pub fn main() -> Label {
        Label { text: "0".to_owned(), depth: 0 }
    }

    /// The label of the child with this index, from 0.
    #[must_use]
    pub fn child(&self, index: usize) -> Label {
        let (depth, number) = (self.depth + 1, index + 1);
        let text = match depth {
            1 => number.to_string(),
            2..=MAX_PARTS => format!("{}.{number}", self.text),
            _ => {
                let first = self.text.split('…').next().unwrap_or_default();
                format!("{first}…{depth}.{number}")
            }
        };
        Label { text, depth }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the thread's ancestors.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

/// The threads of one run, as its spawns show them.
#[derive(Clone, Debug)]
pub struct RunThreads {
    /// Main and the spawned threads, each after its parent and before the later children of its parent.
    order: Vec<ThreadId>,
    /// By number: the thread's parent, its label, and the number of its children.
    threads: Vec<Option<RunThread>>,
}

#[derive(Clone, Debug)]
struct RunThread {
    parent: Option<ThreadId>,
    label: Label,
    children: usize,
}

impl RunThreads {
    /// Of a run with these spawns, each a thread and its child, in the order of the run.
    pub fn of(spawns: impl IntoIterator<Item = (ThreadId, ThreadId)>) -> RunThreads {
        let main = RunThread { parent: None, label: Label::main(), children: 0 };
        let mut run = RunThreads { order: vec![ThreadId::MAIN], threads: vec![Some(main)] };
        spawns.into_iter().for_each(|(parent, child)| run.add(parent, child));
        run
    }

    fn add(&mut self, parent: ThreadId, child: ThreadId) {
        // The number of a joined child can be used again by its parent.
        if self.get(child).is_some() {
            return;
        }
        let Some(Some(known)) = self.threads.get_mut(parent.index()) else { return };
        let label = known.label.child(known.children);
        known.children += 1;
        let depth = known.label.depth;
        let place = match parent {
            ThreadId::MAIN => self.order.len(),
            _ => self.end_of_descendants(parent, depth),
        };
        self.order.insert(place, child);
        if self.threads.len() <= child.index() {
            self.threads.resize(child.index() + 1, None);
        }
        self.threads[child.index()] = Some(RunThread { parent: Some(parent), label, children: 0 });
    }

    /// The place in the order after a thread of this depth and all its descendants.
    fn end_of_descendants(&self, thread: ThreadId, depth: usize) -> usize {
        let place = self.order.iter().position(|other| *other == thread).map_or(0, |place| place + 1);
        let is_descendant = |other: &ThreadId| self.get(*other).is_some_and(|it| it.label.depth > depth);
        place + self.order[place..].iter().take_while(|other| is_descendant(other)).count()
    }

    fn get(&self, thread: ThreadId) -> Option<&RunThread> {
        self.threads.get(thread.index())?.as_ref()
    }

    /// Main and the spawned threads, in the order of their paths.
    pub fn in_order(&self) -> &[ThreadId] {
        &self.order
    }

    /// Replaces the number of a thread, or of a phantom's owner, by the place of the thread in the order.
    /// A number that the run did not spawn stays, unless it is such a place: then it gets a number that a
    /// thread of the run leaves. So different numbers stay different.
    pub fn canonical(&self) -> impl Fn(ThreadId) -> ThreadId + use<> {
        let count = self.order.len();
        let mut places: Vec<Option<u32>> = vec![None; self.threads.len().max(count)];
        for (place, thread) in self.order.iter().enumerate() {
            places[thread.index()] = Some(place as u32);
        }
        let left: Vec<u32> =
            (count..places.len()).filter(|at| places[*at].is_some()).map(|at| at as u32).collect();
        let unspawned = places.iter_mut().take(count).filter(|place| place.is_none());
        unspawned.zip(left).for_each(|(place, number)| *place = Some(number));
        move |thread| {
            let owner = thread.owner();
            let place = places.get(owner.index()).copied().flatten().map_or(owner, ThreadId);
            thread.buffer().map_or(place, |buffer| ThreadId::phantom(place, buffer))
        }
    }

    /// The tree of these threads, with their [canonical](RunThreads::canonical) numbers.
    pub fn tree(&self) -> ThreadTree {
        let canonical = self.canonical();
        let parents = self.order.iter().filter_map(|thread| self.get(*thread)?.parent);
        ThreadTree::with_parents(parents.map(canonical)).unwrap_or_default()
    }

    /// The label of a thread: its path, or its number if the run did not spawn it, as that of a process of a
    /// model. A phantom is `c` and the label of its thread, and its buffer if that is not the first:
    /// `c1.2/3`.
    pub fn label(&self, thread: ThreadId) -> String {
        let mut text = if thread.is_phantom() { "c".to_owned() } else { String::new() };
        match self.get(thread.owner()) {
            Some(known) => text.push_str(known.label.text()),
            None => _ = write!(text, "{}", thread.owner()),
        }
        if let Some(buffer @ 1..) = thread.buffer() {
            let _ = write!(text, "/{buffer}");
        }
        text
    }
}

/// The thread of a spawn and its child, if the event is a spawn.
pub(crate) fn as_spawn(event: &Event) -> Option<(ThreadId, ThreadId)> {
    (event.action.kind == Kind::Spawn).then_some((event.thread(), event.action.target?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_number() {
        let mut tree = ThreadTree::default();
        let one = tree.child(ThreadId::MAIN, 0);
        let grandchild = tree.child(one, 0);
        let two = tree.child(ThreadId::MAIN, 1);
        assert_eq!([one, grandchild, two], [1, 2, 3].map(ThreadId));
        assert_eq!((tree.child(ThreadId::MAIN, 0), tree.child(one, 0)), (one, grandchild));
        let copy = ThreadTree::with_parents(tree.parents());
        assert_eq!(copy, Some(tree));
    }

    #[test]
    fn a_parent_comes_before_its_children() {
        assert_eq!(ThreadTree::with_parents([ThreadId(2), ThreadId(0)]), None);
    }

    #[test]
    fn labels_and_order_do_not_depend_on_the_order_of_independent_spawns() {
        let spawns = |list: &[(u32, u32)]| {
            let list = list.iter().map(|(parent, child)| (ThreadId(*parent), ThreadId(*child)));
            let run = RunThreads::of(list);
            run.in_order().iter().map(|thread| run.label(*thread)).collect::<Vec<_>>()
        };
        let expected = ["0", "1", "1.1", "1.2", "2", "2.1"];
        assert_eq!(spawns(&[(0, 1), (0, 2), (1, 3), (1, 5), (2, 4)]), expected);
        assert_eq!(spawns(&[(0, 1), (0, 2), (2, 4), (1, 3), (1, 5)]), expected);
        assert_eq!(spawns(&[(0, 1), (0, 1), (0, 2), (2, 4), (1, 3), (1, 3), (1, 5)]), expected);
    }

    #[test]
    fn numbers_that_a_run_did_not_spawn_stay_different() {
        let run = RunThreads::of([(ThreadId(0), ThreadId(5)), (ThreadId(5), ThreadId(7))]);
        let places: Vec<u32> = (0..9).map(|number| run.canonical()(ThreadId(number)).0).collect();
        assert_eq!(places, [0, 5, 7, 3, 4, 1, 6, 2, 8]);
    }

    #[test]
    fn a_long_path_is_shortened() {
        let deep = (0..20).fold(Label::main(), |label, _| label.child(0));
        assert_eq!((deep.text(), deep.depth()), ("1.1.1.1.1.1.1.1…20.1", 20));
    }

    #[test]
    fn the_label_of_a_phantom_names_its_thread_and_its_buffer() {
        let run = RunThreads::of([(ThreadId(0), ThreadId(1)), (ThreadId(1), ThreadId(2))]);
        let label = |buffer| run.label(ThreadId::phantom(ThreadId(2), buffer));
        assert_eq!((label(0), label(3)), ("c1.1".to_owned(), "c1.1/3".to_owned()));
        assert_eq!(run.label(ThreadId(7)), "7");
    }
}
