//! A system: states that can be stored and compared, and the steps between them.
//!
//! The one trait between languages and searches (the "language-generic" of Meseguer's lecture on PARALLEL, made a trait): who
//! implements it gets reachability, LTL checking, fairness, counterexamples and drawings. A state is a fixed number of words, packed
//! as its system likes; equal words are equal states. Searches hand in buffers that are used again and again, so that
//! making successors allocates nothing.

use crate::reduced::Aim;
use selvedge_explore::event::Footprint;
use selvedge_ltl::Letter;

/// One word of a packed state.
pub type Word = u64;

/// The number of a process, from 0. Properties and messages use the system's own names for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// What a process is about to do, whichever of its steps it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// What the steps read and write that the process may take where it is, those that it waits for too, one bit for a
    /// variable; several may share one. What decides whether one can be taken is read.
    ///
    /// Where neither of two processes writes what the other touches, their steps lead to the same state in either order, and
    /// neither changes which steps the other can take, errors aside, after which there are none.
    pub footprint: Footprint,
    /// How many alternatives there are, those that it waits for too.
    pub alternatives: u32,
    /// May there be more than one step?
    pub is_plural: bool,
    /// May there be none that changes something?
    pub is_guarded: bool,
}

impl Pending {
    /// Nothing is known; it clashes with everything.
    pub const ANYTHING: Pending = Pending {
        footprint: Footprint { reads: !0, writes: !0 },
        alternatives: 1,
        is_plural: true,
        is_guarded: true,
    };
}

/// States and the steps between them. Several workers may look at it at once.
pub trait System: Sync {
    /// What a step does; small, so that a search can keep it.
    type Action: Copy + Eq + std::fmt::Debug;

    /// How many words a packed state has; at least one.
    fn words(&self) -> usize;

    /// How many processes there are.
    fn processes(&self) -> usize;

    /// The states in which runs begin.
    fn initial(&self, out: &mut States);

    /// The steps that can be taken in a state, always in the same order.
    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>);

    /// Some of the steps that can be taken in a state, enough for what is aimed at: see [`reduced`](crate::reduced), which
    /// says what is promised. The default is all of them.
    fn reduced_successors(&self, _aim: Aim, state: &[Word], out: &mut Steps<Self::Action>) {
        self.successors(state, out);
    }

    /// What the propositions of the properties at hand are in a state.
    fn label(&self, state: &[Word]) -> Letter;

    /// The process that takes a step.
    fn process(&self, action: Self::Action) -> ProcessId;

    /// Can the process take a step in the state?
    ///
    /// The default looks at the successors; systems that know better say so faster.
    fn is_enabled(&self, state: &[Word], process: ProcessId) -> bool {
        let mut steps = Steps::new(self.words());
        self.successors(state, &mut steps);
        steps.iter().any(|(action, _)| self.process(action) == process)
    }

    /// What a process is about to do in this state, or waits for; `None` if it will never take a step again.
    ///
    /// It depends on what the process did so far, and on the values of what its footprint has. The default may do anything.
    fn pending(&self, _state: &[Word], _process: ProcessId) -> Option<Pending> {
        Some(Pending::ANYTHING)
    }

    /// Which of the alternatives of its process's [`pending`](System::pending) a step of this state is, counted from 0,
    /// whichever of them can be taken. Steps that differ only in where they lead may be one alternative.
    fn alternative(&self, _state: &[Word], _action: Self::Action) -> u32 {
        0
    }

    /// The values that a step from this state prints, for whoever looks on; empty if it prints only what
    /// [`describe`](System::describe) says anyway, and none if it prints nothing.
    fn printed(&self, _state: &[Word], _action: Self::Action) -> Option<String> {
        None
    }

    /// Is nothing left to do here, as opposed to being stuck? A state without steps that is not an end is a deadlock.
    fn is_end(&self, _state: &[Word]) -> bool {
        true
    }

    /// What went wrong on the way into this state (a division by zero, a failed assertion), if something did.
    ///
    /// Such a state has no successors, and is no deadlock.
    fn error(&self, _state: &[Word]) -> Option<String> {
        None
    }

    /// A process's name, for people.
    fn process_name(&self, process: ProcessId) -> String {
        process.0.to_string()
    }

    /// A step in a few words, for people: `c1 := 0`.
    fn describe(&self, action: Self::Action) -> String;

    /// The line of the source where a step stands, if there is a source.
    fn source_line(&self, _action: Self::Action) -> Option<usize> {
        None
    }

    /// A state for people: names and values, in an order that stays.
    fn show(&self, state: &[Word]) -> Vec<(String, String)>;

    /// The same in as few words as will do, for drawings.
    fn show_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        self.show(state)
    }

    /// For each process that is blocked in the state, its name and what it waits for.
    fn waiting(&self, _state: &[Word]) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// A list of packed states.
#[derive(Clone, Debug, Default)]
pub struct States {
    width: usize,
    words: Vec<Word>,
}

impl States {
    /// No states yet, each of so many words.
    pub fn new(width: usize) -> States {
        States { width, words: Vec::new() }
    }

    /// Adds a state.
    pub fn push(&mut self, state: &[Word]) {
        debug_assert_eq!(state.len(), self.width, "a state of another width");
        self.words.extend_from_slice(state);
    }

    /// Forgets the states and keeps the space.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The states in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Word]> {
        self.words.chunks_exact(self.width.max(1))
    }
}

/// A list of steps: actions with the states that they lead to. Used again and again by a search.
#[derive(Clone, Debug)]
pub struct Steps<A> {
    width: usize,
    actions: Vec<A>,
    words: Vec<Word>,
}

impl<A: Copy> Steps<A> {
    /// No steps yet, to states of so many words.
    pub fn new(width: usize) -> Steps<A> {
        Steps { width, actions: Vec::new(), words: Vec::new() }
    }

    /// Forgets the steps and keeps the space.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.words.clear();
    }

    /// Adds a step to a state that begins as a copy of `from`; the caller changes what the step changes.
    pub fn push(&mut self, action: A, from: &[Word]) -> &mut [Word] {
        debug_assert_eq!(from.len(), self.width, "a state of another width");
        self.actions.push(action);
        let start = self.words.len();
        // Most states are of one word, for which a copy of memory is a long way round.
        match from {
            [word] => self.words.push(*word),
            _ => self.words.extend_from_slice(from),
        }
        &mut self.words[start..]
    }

    /// Takes the steps from this number on back.
    pub fn truncate(&mut self, length: usize) {
        self.actions.truncate(length);
        self.words.truncate(length * self.width);
    }

    /// Of the steps from the number `from` on, keeps those whose action is wanted.
    pub fn retain(&mut self, from: usize, is_wanted: impl Fn(A) -> bool) {
        let mut kept = from;
        for index in from..self.len() {
            if is_wanted(self.actions[index]) {
                self.actions[kept] = self.actions[index];
                self.words.copy_within(index * self.width..(index + 1) * self.width, kept * self.width);
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// What the steps from the number `from` on do.
    pub fn actions(&self, from: usize) -> &[A] {
        &self.actions[from..]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// One of them.
    pub fn get(&self, index: usize) -> (A, &[Word]) {
        (self.actions[index], &self.words[index * self.width..(index + 1) * self.width])
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (A, &[Word])> {
        (0..self.len()).map(|index| self.get(index))
    }
}
