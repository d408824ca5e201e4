//! A system: states that can be stored and compared, and the steps between them.
//!
//! The one trait between languages and searches (the "language-generic" of Meseguer's lecture on PARALLEL,
//! made a trait): a language that implements it gets reachability, LTL checking, fairness, counterexamples
//! and drawings. A state is a fixed number of words, packed as its system likes; equal words are equal
//! states. Searches pass in buffers that they reuse, so that making successors allocates nothing.

use crate::reduce::Preserve;
use selvedge_explore::event::Footprint;
use selvedge_ltl::Letter;

/// One word of a packed state.
pub type Word = u64;

/// The number of a process, from 0. Properties and messages use the system's own names for processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// The next action of a process, whichever of its steps it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The variables that the possible steps of the process read and write, including the steps that it
    /// waits for. A variable is one bit; several variables may share a bit. A step reads the variables of
    /// its guard.
    ///
    /// If neither of two processes writes a variable of the other's footprint, their steps lead to the same
    /// state in either order, and neither changes which steps the other can take. Errors are the exception:
    /// after an error there are no steps.
    pub footprint: Footprint,
    /// The number of alternatives, including those that the process waits for.
    pub alternatives: u32,
    /// Can there be more than one step?
    pub is_plural: bool,
    /// Can it be that no step changes the state?
    pub is_guarded: bool,
    /// The message that the action passes between processes.
    pub communication: Communication,
}

/// How an action passes a message, for a system whose processes have mailboxes.
///
/// A footprint cannot tell one message of a mailbox from another: two sends to a mailbox do not commute,
/// but a send commutes with a receive whose message is already there. So a run knows messages by the
/// steps that sent them, and [`Walk`](crate::Walk) adds a bit for each message to the footprints of its
/// send and its receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Communication {
    /// No message.
    #[default]
    None,
    /// A message is put at the end of this process's mailbox.
    Send(ProcessId),
    /// The message at this position is taken from the process's own mailbox.
    Receive(usize),
    /// A process begins, with an empty mailbox.
    Spawn(ProcessId),
}

impl Communication {
    /// The bits of footprints that stand for messages. A system with communication uses none of them itself.
    pub const MESSAGE_BITS: std::ops::Range<u32> = 16..62;
}

impl Pending {
    /// Nothing is known about the action; it is dependent on every other.
    pub const ANYTHING: Pending = Pending {
        footprint: Footprint { reads: !0, writes: !0 },
        alternatives: 1,
        is_plural: true,
        is_guarded: true,
        communication: Communication::None,
    };
}

/// A step that a bound of the language cut off: a mailbox that is full, too many processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The name of the bound, as its option has it: `mailbox`.
    pub bound: &'static str,
    /// The source file of the step, if it is not the program's own.
    pub file: Option<String>,
    /// The source line of the step, if there is a source.
    pub line: Option<usize>,
    /// What was cut off, for readers: `the mailbox of @1 would have more than 8 messages`.
    pub text: String,
}

/// States and the steps between them. Several workers may use it at once.
pub trait System: Sync {
    /// The action of a step; small, so that a search can store it.
    type Action: Copy + Eq + std::fmt::Debug;

    /// The number of words of a packed state; at least one.
    fn words(&self) -> usize;

    /// A bound on the number of processes: all have smaller numbers, in every state.
    ///
    /// A system whose processes come and go, and that has no bound of its own, says
    /// [`MAX_FAIR_PROCESSES`](crate::ltl::MAX_FAIR_PROCESSES): fairness is kept for no more.
    fn processes(&self) -> usize;

    /// The initial states.
    fn initial(&self, out: &mut States);

    /// The enabled steps of a state, always in the same order.
    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>);

    /// Some of the enabled steps of a state, enough to preserve what is asked for: see
    /// [`reduce`](crate::reduce), which states the promise. The default is all steps.
    fn reduced_successors(&self, _preserve: Preserve, state: &[Word], out: &mut Steps<Self::Action>) {
        self.successors(state, out);
    }

    /// The values of the properties' propositions in a state.
    fn label(&self, state: &[Word]) -> Letter;

    /// The process that takes a step; `None` if no process moves. An abstract system has such a step where
    /// every process may be blocked: it leads back to its state.
    fn process(&self, action: Self::Action) -> Option<ProcessId>;

    /// The other process that takes a step of two processes: of a rendezvous, the receiver.
    ///
    /// Such a step is a step of both: both move, and both are enabled by it.
    fn partner(&self, _action: Self::Action) -> Option<ProcessId> {
        None
    }

    /// Can a step have a [partner](System::partner)?
    fn has_partners(&self) -> bool {
        false
    }

    /// The names of the processes that take a step, for readers; `None` if no process moves.
    fn mover_names(&self, action: Self::Action) -> Option<String> {
        let name = self.process_name(self.process(action)?);
        Some(match self.partner(action) {
            Some(partner) => format!("{name} and {}", self.process_name(partner)),
            None => name,
        })
    }

    /// The processes that take a step, one bit each, for fairness among at most
    /// [`MAX_FAIR_PROCESSES`](crate::ltl::MAX_FAIR_PROCESSES).
    fn movers(&self, action: Self::Action) -> u64 {
        let bit = |process: Option<ProcessId>| process.map_or(0, process_bit);
        bit(self.process(action)) | bit(self.partner(action))
    }

    /// Is the process enabled in the state?
    ///
    /// The default makes the successors; a system may have a faster way.
    fn is_enabled(&self, state: &[Word], process: ProcessId) -> bool {
        let mut steps = Steps::new(self.words());
        self.successors(state, &mut steps);
        let moves = |action| self.process(action) == Some(process) || self.partner(action) == Some(process);
        steps.iter().any(|(action, _)| moves(action))
    }

    /// The processes that are certainly enabled in the state, which has these steps: one bit each, for
    /// fairness among at most [`MAX_FAIR_PROCESSES`](crate::ltl::MAX_FAIR_PROCESSES).
    ///
    /// The default is each process with a step. A process whose only steps may not be real (a message that
    /// may match) is left out. A process whose step a bound cut off is enabled.
    fn certainly_enabled(&self, _state: &[Word], steps: &Steps<Self::Action>) -> u64 {
        steps.actions(0).iter().fold(0, |mask, action| mask | self.movers(*action))
    }

    /// Are all steps real? In an abstract system they are not: a step may stand for no step of the program.
    /// Then a run is no proof of a violation, a deadlock or a crash.
    fn has_real_steps(&self) -> bool {
        true
    }

    /// The first step that a bound of the language cut off, if there was one since the system was made.
    ///
    /// [`successors`](System::successors) and [`reduced_successors`](System::reduced_successors) leave such
    /// a step out, and the system remembers it. A search goes on without the step; it then says
    /// [`Limit::Language`](crate::Limit::Language) where it would have been complete.
    fn first_cut(&self) -> Option<Cut> {
        None
    }

    /// Has a step of this state been cut off? Asked of states without steps: such a state is neither an end
    /// nor a deadlock.
    fn is_cut(&self, _state: &[Word]) -> bool {
        false
    }

    /// What the system remembers of a search, for a [checkpoint](crate::checkpoint); its states have the
    /// same words in every process.
    fn remembered(&self) -> u64 {
        0
    }

    /// A search goes on in which the system [remembered](System::remembered) this.
    fn remember(&self, _remembered: u64) {}

    /// The bytes of the system's own tables, which grow while it is searched. They count for
    /// [`Limits::bytes`](crate::Limits::bytes).
    fn table_bytes(&self) -> usize {
        0
    }

    /// The next action of a process in this state, or the action that it waits for; `None` if the process
    /// has ended.
    ///
    /// It depends only on the past steps of the process and on the values of the variables in its footprint.
    /// The default is [`Pending::ANYTHING`].
    fn pending(&self, _state: &[Word], _process: ProcessId) -> Option<Pending> {
        Some(Pending::ANYTHING)
    }

    /// The number of a step of this state among the alternatives of its process's
    /// [`pending`](System::pending) action, from 0, independent of which are enabled. Steps that differ only
    /// in their targets may be one alternative.
    fn alternative(&self, _state: &[Word], _action: Self::Action) -> u32 {
        0
    }

    /// The values that a step from this state prints; empty if [`describe`](System::describe) has all of
    /// them, `None` if the step prints nothing.
    fn printed(&self, _state: &[Word], _action: Self::Action) -> Option<String> {
        None
    }

    /// Is a state without steps an end? Otherwise it is a deadlock.
    ///
    /// In an end all processes have ended, or it is [idle](System::is_idle).
    fn is_end(&self, _state: &[Word]) -> bool {
        true
    }

    /// Is the end one in which a process waits as it is meant to: a server without requests?
    fn is_idle(&self, _state: &[Word]) -> bool {
        false
    }

    /// The error of the step into this state (a division by zero, a failed assertion), if there was one.
    ///
    /// An error state has no successors, and is no deadlock.
    fn error(&self, _state: &[Word]) -> Option<String> {
        None
    }

    /// The crash of the process that takes this step, if it is one: the other processes go on.
    ///
    /// Crashes with the same text are one crash. Ends that the program calls normal are none.
    fn crash(&self, _action: Self::Action) -> Option<String> {
        None
    }

    /// For each process that waits for ever in this state although others can move, its name and what it
    /// waits for.
    ///
    /// A process that waits for ever does so in all later states, with the same texts.
    fn waits_for_ever(&self, _state: &[Word]) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The name of a process, for readers.
    fn process_name(&self, process: ProcessId) -> String {
        process.0.to_string()
    }

    /// A step in a few words, for readers: `c1 := 0`.
    fn describe(&self, action: Self::Action) -> String;

    /// The source line of a step, if there is a source.
    fn source_line(&self, _action: Self::Action) -> Option<usize> {
        None
    }

    /// The source file of a step, if it is not the program's own: another module.
    fn source_file(&self, _action: Self::Action) -> Option<String> {
        None
    }

    /// A state for readers: names and values, always in the same order.
    fn show(&self, state: &[Word]) -> Vec<(String, String)>;

    /// The same in fewer words, for drawings.
    fn show_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        self.show(state)
    }

    /// For each process that is blocked in the state, its name and the condition that it waits for.
    fn waiting(&self, _state: &[Word]) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The mask of one process.
#[inline]
pub fn process_bit(process: ProcessId) -> u64 {
    1 << process.0
}

/// A list of packed states.
#[derive(Clone, Debug, Default)]
pub struct States {
    width: usize,
    words: Vec<Word>,
}

impl States {
    /// An empty list of states of `width` words.
    pub fn new(width: usize) -> States {
        States { width, words: Vec::new() }
    }

    /// Adds a state.
    pub fn push(&mut self, state: &[Word]) {
        debug_assert_eq!(state.len(), self.width, "a state of another width");
        self.words.extend_from_slice(state);
    }

    /// Removes the states and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The states in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Word]> {
        self.words.chunks_exact(self.width.max(1))
    }
}

/// A list of steps: actions with the states that they lead to. A search reuses it.
#[derive(Clone, Debug)]
pub struct Steps<A> {
    width: usize,
    actions: Vec<A>,
    words: Vec<Word>,
}

impl<A: Copy> Steps<A> {
    /// An empty list of steps to states of `width` words.
    pub fn new(width: usize) -> Steps<A> {
        Steps { width, actions: Vec::new(), words: Vec::new() }
    }

    /// Removes the steps and keeps the memory.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.words.clear();
    }

    /// Adds a step to a copy of `from`; the caller changes the words that the step changes.
    pub fn push(&mut self, action: A, from: &[Word]) -> &mut [Word] {
        debug_assert_eq!(from.len(), self.width, "a state of another width");
        self.actions.push(action);
        let start = self.words.len();
        // Most states have one word, for which a call to copy memory costs too much.
        match from {
            [word] => self.words.push(*word),
            _ => self.words.extend_from_slice(from),
        }
        &mut self.words[start..]
    }

    /// Removes the steps from this index on.
    pub fn truncate(&mut self, length: usize) {
        self.actions.truncate(length);
        self.words.truncate(length * self.width);
    }

    /// Of the steps from the index `from` on, keeps those whose action is wanted.
    pub fn retain(&mut self, from: usize, is_wanted: impl Fn(A) -> bool) {
        let mut end = from;
        for index in from..self.len() {
            if is_wanted(self.actions[index]) {
                self.actions[end] = self.actions[index];
                self.words.copy_within(index * self.width..(index + 1) * self.width, end * self.width);
                end += 1;
            }
        }
        self.truncate(end);
    }

    /// The actions of the steps from the index `from` on.
    pub fn actions(&self, from: usize) -> &[A] {
        &self.actions[from..]
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Is the list empty?
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The step with this index.
    pub fn get(&self, index: usize) -> (A, &[Word]) {
        (self.actions[index], &self.words[index * self.width..(index + 1) * self.width])
    }

    /// All steps in order.
    pub fn iter(&self) -> impl Iterator<Item = (A, &[Word])> {
        (0..self.len()).map(|index| self.get(index))
    }
}
