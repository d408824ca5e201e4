//! Evaluation inside one process: from one step that other processes can see to the next.
//!
//! A machine of control, environment and continuation (Felleisen and Friedman, Control operators, the
//! SECD-machine, and the λ-calculus, 1986), leftmost-innermost as in the semantics of Huch. Between visible
//! steps a process is a *control*: what it is about to do, and the stack of frames to which the result
//! returns, both interned. Evaluation from a control gives all controls that can be next: several where the
//! domain leaves open how a pattern matches or what an operation gives, or where the program chooses.
//!
//! A local loop is found as a control that repeats: it becomes the control of a process that diverges, not a
//! hang. Evaluation that is longer or deeper than its limits becomes a control that says so.
//!
//! Promise: for every concrete evaluation of a process, the abstract evaluation of its abstraction has one
//! that is at most as precise.

mod abstraction;
mod apply;
mod arithmetic;
mod bifs;
mod branches;
mod control;
mod frames;
mod guard;
mod maps;
mod matching;
mod receive;
mod step;
mod tabulate;

use super::code::{Code, NodeId};
use super::domain::Domain;
use super::intern::{Id, Interner};
use super::term::{Atom, Pid, Terms, Value};
use branches::Branches;
pub(crate) use control::{Bound, Control, ControlKind, Stop};
pub(crate) use matching::Match;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The limits of local evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Frames of one process.
    pub(crate) stack: usize,
    /// Steps from one visible step to the next.
    pub(crate) local: usize,
}

/// Terms, code and tables of evaluations.
pub(crate) struct Evaluator {
    pub(crate) terms: Terms,
    pub(crate) code: Arc<Code>,
    pub(crate) domain: Arc<Domain>,
    pub(crate) limits: Limits,
    /// Is every local step a step of its own, for formulas that count steps?
    pub(crate) counts_steps: bool,
    /// The propositions of the formula. A `prop` of a value that can be none of them is local.
    pub(crate) propositions: Vec<Value>,
    /// The domain of the propositions, where evaluation itself is concrete.
    label_domain: Option<Arc<Domain>>,
    /// For each value of a `prop` the propositions that hold, and those that may.
    judged: FxHashMap<Value, (u64, u64)>,
    /// Frames on their stacks: `[stack below, node, phase, number of values, values…, environment…]`.
    pub(crate) stacks: Interner,
    pub(crate) controls: Interner,
    /// The depth of each stack.
    depths: Vec<u32>,
    /// Where frames are forgotten.
    flow: Option<frames::FlowAbstraction>,
    /// The process that evaluates: `self()` in its guards.
    process: Pid,
    returned: FxHashMap<(Pid, Control, Value), Arc<[Control]>>,
    started: FxHashMap<(Pid, Value, Value), Arc<[Control]>>,
    abstracted: FxHashMap<(Value, u8), Value>,
    tabulated: tabulate::Table,
    /// Has the branch that is evaluated entered a function that may call itself for ever?
    has_entered_endless: bool,
    /// Where a tabulated call of the evaluation may go on for ever.
    has_diverged: Option<NodeId>,
    /// The outermost active call whose results so far were used.
    lowest_used: usize,
}

/// A stack of frames, by its number.
pub(crate) type Stack = Id;

/// The empty stack.
pub(crate) const EMPTY_STACK: Stack = 0;

/// What a process does next in its evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Focus {
    Evaluate(NodeId),
    Return(Value),
    Raise(Atom, Value),
}

/// A place to which a value returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    node: NodeId,
    /// How far the node has been evaluated.
    phase: u32,
    values: Vec<Value>,
    /// The values of the slots that are live after the part of the node that is being evaluated.
    environment: Vec<Value>,
}

/// A process in the middle of local evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Activation {
    pid: Pid,
    focus: Focus,
    environment: Vec<Value>,
    /// The frames above `base`.
    frames: Vec<Frame>,
    base: Stack,
    /// Where the exception was raised that is on its way.
    raised: NodeId,
}

/// What a local step leads to.
enum Next {
    /// The activation goes on.
    Continue,
    /// One of these goes on.
    Branch(Vec<Activation>),
    /// The process stops in front of a visible step.
    Stop(Stop),
}

/// After so many steps an evaluation looks for a loop.
const STEPS_BEFORE_LOOP_SEARCH: usize = 2_000;

impl Evaluator {
    pub(crate) fn new(terms: Terms, code: Arc<Code>, domain: Arc<Domain>, limits: Limits) -> Evaluator {
        let mut stacks = Interner::default();
        stacks.intern(&[], || 0);
        Evaluator {
            terms,
            code,
            domain,
            limits,
            counts_steps: false,
            propositions: Vec::new(),
            label_domain: None,
            judged: FxHashMap::default(),
            stacks,
            controls: Interner::default(),
            depths: vec![0],
            flow: None,
            process: Pid(0),
            returned: FxHashMap::default(),
            started: FxHashMap::default(),
            abstracted: FxHashMap::default(),
            tabulated: tabulate::Table::default(),
            has_entered_endless: false,
            has_diverged: None,
            lowest_used: usize::MAX,
        }
    }

    /// The controls that follow if the step of this control gives a value.
    pub(crate) fn resume(&mut self, pid: Pid, control: Control, value: Value) -> Arc<[Control]> {
        if let Some(known) = self.returned.get(&(pid, control, value)) {
            return known.clone();
        }
        let value_seen = self.abstraction(value);
        let base = self.stack_of(control);
        let next = self.run_from(pid, Focus::Return(value_seen), base);
        self.returned.insert((pid, control, value), next.clone());
        next
    }

    /// The controls that follow if the step of this control raises an exception.
    pub(crate) fn raise(&mut self, pid: Pid, control: Control, class: Atom, reason: Value) -> Arc<[Control]> {
        let base = self.stack_of(control);
        self.run_from(pid, Focus::Raise(class, reason), base)
    }

    fn run_from(&mut self, pid: Pid, focus: Focus, base: Stack) -> Arc<[Control]> {
        self.run(Activation { pid, focus, environment: Vec::new(), frames: Vec::new(), base, raised: 0 })
    }

    /// The controls of a new process that calls a fun with a list of arguments.
    pub(crate) fn start(&mut self, pid: Pid, fun: Value, arguments: Value) -> Arc<[Control]> {
        if let Some(known) = self.started.get(&(pid, fun, arguments)) {
            return known.clone();
        }
        let mut activation = Activation {
            pid,
            focus: Focus::Return(fun),
            environment: Vec::new(),
            frames: Vec::new(),
            base: EMPTY_STACK,
            raised: 0,
        };
        let next = match self.apply_fun(&mut activation, fun, arguments) {
            Next::Continue => self.run(activation),
            Next::Branch(activations) => self.run_all(activations),
            Next::Stop(stop) => [self.control(&stop)].into(),
        };
        self.started.insert((pid, fun, arguments), next.clone());
        next
    }

    fn run(&mut self, activation: Activation) -> Arc<[Control]> {
        self.run_all(vec![activation])
    }

    /// Evaluates until every branch has stopped; the controls without repetition, in the order of branches.
    fn run_all(&mut self, activations: Vec<Activation>) -> Arc<[Control]> {
        let mut stops: Vec<Control> = Vec::new();
        let mut found = Vec::new();
        self.evaluate(activations, &mut found);
        for stop in &found {
            let control = self.control(stop);
            if !stops.contains(&control) {
                stops.push(control);
            }
        }
        stops.into()
    }

    /// Evaluates until every branch has stopped.
    fn evaluate(&mut self, activations: Vec<Activation>, stops: &mut Vec<Stop>) {
        let mut branches = Branches::default();
        branches.add(None, activations, false);
        let mut steps = 0;
        while let Some((activation, origin)) = branches.pending.pop() {
            self.evaluate_branch(activation, origin, &mut branches, stops, &mut steps);
        }
        let endless = branches.endless().or(self.has_diverged.take());
        stops.extend(endless.map(|node| Stop::Diverge { node }));
    }

    /// Evaluates one branch until it stops or branches.
    fn evaluate_branch(
        &mut self,
        mut activation: Activation,
        origin: usize,
        branches: &mut Branches,
        stops: &mut Vec<Stop>,
        steps: &mut usize,
    ) {
        let mut since = 0usize;
        let mut landmark: Option<Activation> = None;
        self.has_entered_endless = false;
        loop {
            *steps += 1;
            since += 1;
            if let Some(bound) = self.exceeded(&activation, *steps) {
                return stops.push(Stop::Cut { bound, node: self.place(&activation) });
            }
            // Brent's cycle detection: the landmark moves at powers of two.
            if landmark.as_ref() == Some(&activation) {
                return stops.push(Stop::Diverge { node: self.place(&activation) });
            }
            if since >= STEPS_BEFORE_LOOP_SEARCH && since.is_power_of_two() {
                landmark = Some(activation.clone());
            }
            match self.step(&mut activation) {
                Next::Continue if self.counts_steps => return stops.push(self.local_stop(activation)),
                Next::Continue => {}
                Next::Branch(next) if self.counts_steps => {
                    return stops.extend(next.into_iter().map(|branch| self.local_stop(branch)));
                }
                Next::Branch(next) => {
                    let places = next.iter().map(|branch| self.place(branch)).collect::<Vec<_>>();
                    branches.places.extend(places.first());
                    return branches.add(Some(origin), next, self.has_entered_endless);
                }
                Next::Stop(stop) => return stops.push(stop),
            }
        }
    }

    fn exceeded(&self, activation: &Activation, steps: usize) -> Option<Bound> {
        let depth = activation.frames.len() + self.depths[activation.base as usize] as usize;
        if depth > self.limits.stack {
            Some(Bound::Stack)
        } else if steps > self.limits.local {
            Some(Bound::Local)
        } else {
            None
        }
    }

    /// The node that an activation is at, for messages.
    fn place(&self, activation: &Activation) -> NodeId {
        match activation.focus {
            Focus::Evaluate(node) => node,
            _ => match activation.frames.last() {
                Some(frame) => frame.node,
                None => self.stack_node(activation.base).unwrap_or(0),
            },
        }
    }

    /// The node of the topmost frame.
    pub(crate) fn stack_node(&self, stack: Stack) -> Option<NodeId> {
        self.stacks.get(stack).get(1).copied()
    }

    /// Evaluation has concrete values from now on; propositions stay what they are.
    pub(crate) fn evaluate_concretely(&mut self) {
        self.label_domain = Some(std::mem::take(&mut self.domain));
        self.flow = None;
        self.abstracted.clear();
    }

    /// The propositions that hold because of a label that evaluation has come to, and those that may hold.
    pub(crate) fn judged(&self, label: Value) -> (u64, u64) {
        self.judged[&label]
    }

    fn judge(&mut self, label: Value) -> (u64, u64) {
        if let Some(known) = self.judged.get(&label) {
            return *known;
        }
        let judged = match self.label_domain.clone() {
            None => self.judge_by_domain(label),
            Some(domain) => {
                // A value satisfies v if v is at most as precise as its abstraction.
                let concrete = std::mem::replace(&mut self.domain, domain);
                let abstracted = self.abstraction(label);
                let (certain, _) = self.judge_by_domain(abstracted);
                self.domain = concrete;
                self.abstracted.clear();
                (certain, certain)
            }
        };
        self.judged.insert(label, judged);
        judged
    }

    fn judge_by_domain(&self, label: Value) -> (u64, u64) {
        let (mut certain, mut possible) = (0, 0);
        for (index, proposition) in self.propositions.iter().enumerate() {
            let holds = self.terms.is_at_most(*proposition, label, &self.domain);
            certain |= u64::from(holds) << index;
            let may_hold = holds || self.terms.have_common_upper_bound(*proposition, label, &self.domain);
            possible |= u64::from(may_hold) << index;
        }
        (certain, possible)
    }

    /// Does a value of this domain stand for a concrete value of other tables: is it at most as precise as
    /// its abstraction?
    pub(crate) fn stands_for(&mut self, value: Value, terms: &Terms, concrete: Value) -> bool {
        let copied = self.terms.copy(terms, concrete);
        let abstracted = self.abstraction(copied);
        self.terms.is_at_most(value, abstracted, &self.domain)
    }

    fn is_visible(&mut self, label: Value) -> bool {
        self.judge(label).1 != 0
    }

    /// The bytes of all tables.
    pub(crate) fn bytes(&self) -> usize {
        let entry = size_of::<((Pid, Control, Value), Arc<[Control]>)>() + 32;
        self.terms.bytes()
            + self.stacks.bytes()
            + self.controls.bytes()
            + (self.returned.len() + self.started.len() + self.abstracted.len()) * entry
    }
}
