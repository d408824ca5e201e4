//! Flow graphs as a [`System`]: packed states, and steps made without allocation.
//!
//! A state holds where each process is, what each variable holds, the messages of each channel, the error that was met,
//! if one can be, and who moved last, if that is asked for. `infer` finds out how many bits each part needs,
//! `layout` packs them, `code` is what guards and assignments become; `access`, `sticky` and `reduce` find steps that stand for others.
//!
//! Promise: equal states are equal words; `successors` allocates nothing, but where an `atomic` can go on in
//! several ways or a state has more than [`MAX_ON_STACK`] words.

mod access;
pub(crate) mod arithmetic;
mod build;
mod code;
mod domain;
mod footprint;
mod infer;
mod layout;
mod live;
mod reduce;
mod report;
mod run;
mod step;
mod sticky;

pub use arithmetic::Fault;
pub(crate) use build::leaves_states;
pub use domain::MAX_VALUES;
pub use infer::MAX_WORK;
pub(crate) use infer::{Domains, infer};
pub use report::FORGOTTEN;
pub use run::{MAX_ATOMIC_STEPS, MAX_ON_STACK};

use crate::flow::{FlowProgram, NodeId, Term};
use code::{Number, Target, Test};
use layout::{Field, Slot};
use live::Liveness;
use selvedge_ltl::Letter;
use selvedge_model::{Preserve, Pending, ProcessId, States, Steps, System, Word};
use std::ops::Range;
use std::sync::Arc;
use step::Writes;

/// How states are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Exactly as in the lecture: who moved last is always part of a state, and undefined is not null. Otherwise
    /// states that no property at hand tells apart may be one: variables that are not read any more are forgotten.
    pub exact: bool,
}

/// What the label of a state speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The process, by number, is about to execute the statement, by number.
    At(u32, u32),
    /// The process moved last.
    Exec(u32),
    /// A test of variables.
    Test(Term),
}

/// A step of a [`Machine`], by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

/// The states and steps of a program.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<FlowProgram>,
    line_starts: Vec<usize>,
    words: usize,
    processes: Vec<Control>,
    /// The edges of each node, all processes' nodes in a row.
    nodes: Vec<Range<u32>>,
    edges: Vec<EdgeCode>,
    slots: Vec<Arc<[Slot]>>,
    channels: Vec<Buffer>,
    /// 0 where nothing went wrong.
    error: Field,
    /// The process that moved last, counted from 1; `None` where nobody asks.
    last: Option<Field>,
    initial: Vec<Word>,
    /// For each process, where its own variables are read again; nothing in exact mode.
    liveness: Vec<Liveness>,
    labels: Labels,
    /// By node: what a process is about to do there.
    pendings: Vec<Option<Pending>>,
    /// What partial-order reduction knows; `None` where it does nothing.
    reduction: Option<reduce::Reduction>,
}

/// Where control of a process is.
#[derive(Clone, Debug)]
struct Control {
    field: Field,
    /// The number of its node 0 among all nodes.
    base: u32,
}

/// A channel's messages, the oldest first.
#[derive(Clone, Debug)]
struct Buffer {
    length: Field,
    slots: Arc<[Slot]>,
}

/// A step, ready to be taken.
#[derive(Clone, Debug)]
struct EdgeCode {
    process: u32,
    target: u32,
    guard: GuardCode,
    /// What it does, as the program has it.
    effect: EffectCode,
    /// Do its effects and writes say all that it does? They do not for an `atomic` with several ways through it.
    is_sequence: bool,
    /// What it does, as a step: what has to be computed.
    effects: Box<[EffectCode]>,
    /// What is written then: control, constants, variables that are not read any more, the last mover.
    writes: Writes,
    /// The first of the error numbers that this step can lead to.
    faults: u32,
}

#[derive(Clone, Debug)]
enum GuardCode {
    Always,
    Holds(Test),
    Fails(Test),
    /// This edge where the test holds, the next one where it does not.
    Branch(Test),
}

#[derive(Clone, Debug)]
enum EffectCode {
    Nothing,
    /// To these bits, whatever the state.
    Set(Field, Word),
    /// More or less by a constant.
    Add(Field, i64),
    Assign(Target, Number),
    Assert(Test),
    Send(u32, Number),
    Receive(u32, Target),
    /// From a node up to another.
    Atomic(NodeId, NodeId),
}

/// What the labels of states are made from.
#[derive(Clone, Debug, Default)]
struct Labels {
    /// For a process, the propositions that hold at each of its nodes.
    at: Vec<(Field, Vec<u64>)>,
    /// The propositions that hold after each process moved; at 0, before anybody did.
    exec: Vec<u64>,
    tests: Vec<(u64, Test)>,
}

impl System for Machine {
    type Action = EdgeId;

    fn words(&self) -> usize {
        self.words
    }

    fn processes(&self) -> usize {
        self.processes.len()
    }

    fn initial(&self, out: &mut States) {
        out.push(&self.initial);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<EdgeId>) {
        if self.error.get(state) != 0 {
            return;
        }
        for control in &self.processes {
            let node = self.nodes[(control.base + control.field.get(state) as u32) as usize].clone();
            self.offered(node, state, &mut |edge, taken| {
                self.take(edge, taken, state, out);
                true
            });
        }
    }

    fn reduced_successors(&self, aim: Preserve, state: &[Word], out: &mut Steps<EdgeId>) {
        match &self.reduction {
            Some(reduction) if self.error.get(state) == 0 => self.add_reduced(reduction, aim, state, out),
            _ => self.successors(state, out),
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        let mut holding = 0;
        let mut unknown = 0;
        for (field, masks) in &self.labels.at {
            holding |= masks[field.get(state) as usize];
        }
        if let (Some(last), false) = (self.last, self.labels.exec.is_empty()) {
            holding |= self.labels.exec[last.get(state) as usize];
        }
        for (bit, test) in &self.labels.tests {
            match test.eval(state) {
                Ok(true) => holding |= bit,
                Ok(false) => {}
                // A test that has no value says nothing.
                Err(_) => unknown |= bit,
            }
        }
        Letter::exactly(holding).forget(unknown)
    }

    fn process(&self, action: EdgeId) -> ProcessId {
        ProcessId(self.edges[action.0 as usize].process)
    }

    fn is_enabled(&self, state: &[Word], process: ProcessId) -> bool {
        if self.error.get(state) != 0 {
            return false;
        }
        let control = &self.processes[process.0 as usize];
        let node = self.nodes[(control.base + control.field.get(state) as u32) as usize].clone();
        !self.offered(node, state, &mut |edge, taken| taken.is_ok() && self.is_blocked(edge, state))
    }

    fn pending(&self, state: &[Word], process: ProcessId) -> Option<Pending> {
        self.pendings[self.node_of(process.0 as usize, state)]
    }

    fn alternative(&self, state: &[Word], action: EdgeId) -> u32 {
        let node = self.node_of(self.edges[action.0 as usize].process as usize, state);
        action.0 - self.nodes[node].start
    }

    fn printed(&self, state: &[Word], action: EdgeId) -> Option<String> {
        self.printed_values(state, action)
    }

    fn is_end(&self, state: &[Word]) -> bool {
        let node = |control: &Control| &self.nodes[(control.base + control.field.get(state) as u32) as usize];
        self.processes.iter().all(|control| node(control).is_empty())
    }

    fn error(&self, state: &[Word]) -> Option<String> {
        self.error_text(state)
    }

    fn process_name(&self, process: ProcessId) -> String {
        self.program.graphs[process.0 as usize].name.clone()
    }

    fn describe(&self, action: EdgeId) -> String {
        self.edge(action).text.clone()
    }

    fn source_line(&self, action: EdgeId) -> Option<usize> {
        Some(self.line(self.edge(action).span))
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.shown(state)
    }

    fn show_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        self.shown_briefly(state)
    }

    fn waiting(&self, state: &[Word]) -> Vec<(String, String)> {
        self.blocked(state)
    }
}
