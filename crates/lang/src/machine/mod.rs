//! Flow graphs as a [`System`]: packed states, and steps made without allocation.
//!
//! A state has the node of each process, the value of each variable, the messages of each channel, the
//! run-time error, if there can be one, and the process that moved last, if a property observes it. `infer`
//! finds out how many bits each field needs, `layout` packs them, `code` is what guards and assignments are
//! compiled to, `execute` takes steps; `access`, `cycle_condition` and `reduce` are the partial-order
//! reduction.
//!
//! Promise: equal states are equal words; `successors` allocates nothing, unless there are several paths
//! through an `atomic` or a state has more than [`MAX_ON_STACK`] words.

mod access;
mod build;
mod channel;
mod code;
mod counters;
mod cycle_condition;
mod domain;
mod execute;
mod footprint;
mod infer;
mod layout;
mod live_variables;
mod local_variables;
mod never_negative;
mod reduce;
mod rendezvous;
mod report;
mod step;
mod users;
mod waits;

pub(crate) use build::{TooManyPropositions, has_same_states};
pub use domain::MAX_VALUES;
pub use execute::{MAX_ATOMIC_STEPS, MAX_ON_STACK};
pub use infer::MAX_WORK;
pub(crate) use infer::{Domains, infer};

use crate::flow_graph::{FlowGraphs, NodeId, Term};
use crate::program::ProgramSystem;
use channel::{Buffer, ChannelCode, FieldCode};
use code::{Number, Target, Test};
use layout::{Field, Slot};
use live_variables::LiveVariables;
use rendezvous::Meetings;
use selvedge_ltl::Letter;
use selvedge_model::{Pending, Preserve, ProcessId, States, Steps, System, Word};
use std::ops::Range;
use std::sync::Arc;
use step::Writes;
use waits::Waits;

/// What a proposition of a label is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The process, by number, is about to execute the statement, by number.
    At(u32, u32),
    /// The process moved last.
    Exec(u32),
    /// A test of variables.
    Test(Term),
    /// The process can take a step.
    Enabled(u32),
    /// No process can take a step, and not all have ended.
    Deadlock,
    /// All processes have ended.
    Ended,
}

/// A step of a [`Machine`], by number. The numbers behind those of all processes' edges are the steps that
/// two processes take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

/// The states and steps of a program.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<FlowGraphs>,
    line_starts: Vec<usize>,
    words: usize,
    processes: Vec<Control>,
    /// The edges of each node, all processes' nodes in a row.
    nodes: Vec<Range<u32>>,
    edges: Vec<EdgeCode>,
    slots: Vec<Arc<[Slot]>>,
    /// The channels, the elements of an array one by one.
    channels: Vec<Buffer>,
    meetings: Meetings,
    waits: Waits,
    /// The number of the run-time error; 0 where there is none.
    error: Field,
    /// The process that moved last, counted from 1; `None` if no property observes it.
    last_mover: Option<Field>,
    initial: Vec<Word>,
    /// For each process, where its own variables are live; empty in exact mode.
    live: Vec<LiveVariables>,
    labels: Labels,
    /// By node, what a process is about to do there.
    pendings: Vec<Option<Pending>>,
    /// The tables of the partial-order reduction; `None` if it cannot reduce.
    reduction: Option<reduce::Reduction>,
}

/// The program counter of a process.
#[derive(Clone, Debug)]
struct Control {
    field: Field,
    /// The number of its node 0 among all nodes.
    base: u32,
}

/// A step, ready to be taken.
#[derive(Clone, Debug)]
struct EdgeCode {
    process: u32,
    target: u32,
    guard: GuardCode,
    /// What it does, as in the program.
    effect: EffectCode,
    /// Are its effects and writes all that it does? They are not for an `atomic` with several paths through
    /// it.
    is_sequence: bool,
    /// The effects that have to be computed when the step is taken.
    effects: Box<[EffectCode]>,
    /// What is written then: the program counter, constants, dead variables, the last mover.
    writes: Writes,
    /// The first of the error numbers that this step can lead to; 0 if it cannot fail.
    first_error: u32,
}

#[derive(Clone, Debug)]
enum GuardCode {
    Always,
    Holds(Test),
    Fails(Test),
    /// This edge where the test holds, the next one where it does not.
    Branch(Test),
    /// Where none of these edges of the same node can be taken.
    Otherwise(Range<u32>),
    /// Where no process has another step.
    Timeout,
}

#[derive(Clone, Debug)]
enum EffectCode {
    Nothing,
    /// Sets the field to these bits, whatever the state.
    Set(Field, Word),
    /// Adds a constant.
    Add(Field, i64),
    Assign(Target, Number),
    /// Everything is read before anything is written.
    AssignAll(Box<[(Target, Number)]>),
    Assert(Test),
    Send(ChannelCode, Box<[Number]>),
    Receive(ChannelCode, Box<[FieldCode]>),
    /// A send that another process receives in the same step.
    Offer(ChannelCode, Box<[Number]>),
    /// A receive of what another process sends in the same step, which that process's edge takes.
    Accept(ChannelCode, Box<[FieldCode]>),
    /// From a node up to another.
    Atomic(NodeId, NodeId),
}

/// What the labels of states are computed from.
#[derive(Clone, Debug, Default)]
struct Labels {
    /// For a process, the propositions that hold at each of its nodes.
    at: Vec<(Field, Vec<u64>)>,
    /// The propositions that hold after each process moved; at 0, before the first step.
    exec: Vec<u64>,
    tests: Vec<(u64, Test)>,
    /// Processes that can take a step.
    enabled: Vec<(u64, ProcessId)>,
    deadlock: u64,
    ended: u64,
}

impl Machine {
    /// The propositions about what can be done that hold in a state.
    fn label_steps(&self, state: &[Word]) -> u64 {
        let Labels { enabled, deadlock, ended, .. } = &self.labels;
        let is_enabled = |process| self.is_enabled(state, process);
        let bits = enabled.iter().filter(|(_, process)| is_enabled(*process)).map(|(bit, _)| bit);
        let mut holding = bits.fold(0, |mask, bit| mask | bit);
        if deadlock | ended != 0 {
            let has_ended = self.has_ended(state);
            let processes = 0..self.processes.len() as u32;
            let is_stuck = || {
                self.error.get(state) == 0
                    && !self.is_end(state)
                    && !processes.into_iter().map(ProcessId).any(is_enabled)
            };
            holding |= if has_ended {
                *ended
            } else if *deadlock != 0 && is_stuck() {
                *deadlock
            } else {
                0
            };
        }
        holding
    }
}

impl ProgramSystem for Machine {
    const FORGOTTEN: Option<&'static str> = Some(report::FORGOTTEN);
    const IS_FASTER_IN_PARALLEL: bool = true;

    fn can_fail(&self) -> bool {
        !self.error.is_empty()
    }

    fn forget_last_mover(&self, state: &mut [Word]) {
        if let Some(last) = self.last_mover {
            last.set(state, 0);
        }
    }
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
        let start = out.len();
        for control in &self.processes {
            let node = self.nodes[(control.base + control.field.get(state) as u32) as usize].clone();
            self.visit_passable(node, state, &mut |edge, passed| {
                self.push_successors(edge, passed, state, out);
                true
            });
        }
        if out.len() == start {
            self.push_timeouts(state, out);
        }
        self.keep_highest_priority(start, out);
    }

    fn reduced_successors(&self, preserve: Preserve, state: &[Word], out: &mut Steps<EdgeId>) {
        match &self.reduction {
            Some(reduction) if self.error.get(state) == 0 => {
                self.add_reduced(reduction, preserve, state, out);
            }
            _ => self.successors(state, out),
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        let mut holding = 0;
        let mut unknown = 0;
        for (field, masks) in &self.labels.at {
            holding |= masks[field.get(state) as usize];
        }
        if let (Some(last), false) = (self.last_mover, self.labels.exec.is_empty()) {
            let [one, other] = self.movers_of(last.get(state));
            holding |= self.labels.exec[one] | self.labels.exec[other];
        }
        for (bit, test) in &self.labels.tests {
            match test.eval(state) {
                Ok(true) => holding |= bit,
                Ok(false) => {}
                // Evaluating the test fails: its value is unknown.
                Err(_) => unknown |= bit,
            }
        }
        holding |= self.label_steps(state);
        Letter::exactly(holding).forget(unknown)
    }

    fn process(&self, action: EdgeId) -> Option<ProcessId> {
        Some(ProcessId(self.code(action).process))
    }

    fn has_partners(&self) -> bool {
        !self.meetings.is_empty()
    }

    fn partner(&self, action: EdgeId) -> Option<ProcessId> {
        let (_, accept) = self.meetings.pair(action)?;
        Some(ProcessId(self.edges[accept as usize].process))
    }

    fn is_enabled(&self, state: &[Word], process: ProcessId) -> bool {
        if self.error.get(state) != 0 {
            return false;
        }
        if self.waits.decide_together() {
            return self.is_enabled_among_all(state, process);
        }
        let control = &self.processes[process.0 as usize];
        let node = self.nodes[(control.base + control.field.get(state) as u32) as usize].clone();
        !self.visit_passable(node, state, &mut |edge, passed| passed.is_ok() && self.is_blocked(edge, state))
    }

    fn pending(&self, state: &[Word], process: ProcessId) -> Option<Pending> {
        self.pendings[self.node_of(process.0 as usize, state)]
    }

    fn alternative(&self, state: &[Word], action: EdgeId) -> u32 {
        let edge = self.own_edge(action);
        let node = self.node_of(self.edges[edge as usize].process as usize, state);
        edge - self.nodes[node].start
    }

    fn printed(&self, state: &[Word], action: EdgeId) -> Option<String> {
        self.printed_values(state, action)
    }

    fn is_end(&self, state: &[Word]) -> bool {
        let may_wait = |process| self.waits.may_wait_for_ever(self.node_of(process, state));
        (0..self.processes.len())
            .all(|process| self.nodes[self.node_of(process, state)].is_empty() || may_wait(process))
    }

    fn is_idle(&self, state: &[Word]) -> bool {
        self.is_end(state) && !self.has_ended(state)
    }

    fn error(&self, state: &[Word]) -> Option<String> {
        self.error_text(state)
    }

    fn process_name(&self, process: ProcessId) -> String {
        self.program.graphs[process.0 as usize].name.clone()
    }

    fn describe(&self, action: EdgeId) -> String {
        self.step_text(action)
    }

    fn source_line(&self, action: EdgeId) -> Option<usize> {
        Some(self.line(self.edge(action).span))
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.describe_state(state)
    }

    fn show_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        self.describe_state_briefly(state)
    }

    fn waiting(&self, state: &[Word]) -> Vec<(String, String)> {
        self.waiting_processes(state)
    }
}
