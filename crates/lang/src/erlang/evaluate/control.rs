//! Controls: what a process is about to do, interned.

use super::{Activation, Evaluator, Focus, Frame, Stack};
use crate::erlang::code::NodeId;
use crate::erlang::code::bif::Bif;
use crate::erlang::intern::Pids;
use crate::erlang::term::{Atom, Pid, Value, atom};

/// The control of a process, by its number.
pub(crate) type Control = u32;

/// A bound of the language that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bound {
    Stack,
    Local,
    /// A construct that is not supported.
    Unsupported,
    /// A fun, a function's name or a list of arguments that the domain does not know.
    UnknownFun,
}

/// A process in front of a step.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// `prop(v)` is next; its proposition does not hold yet.
    BeforeProp {
        node: NodeId,
        value: Value,
        stack: Stack,
    },
    /// The proposition holds.
    AtProp {
        node: NodeId,
        value: Value,
        stack: Stack,
    },
    Visible {
        bif: Bif,
        node: NodeId,
        arguments: Vec<Value>,
        stack: Stack,
    },
    Receive {
        node: NodeId,
        timeout: Value,
        environment: Vec<Value>,
        stack: Stack,
    },
    /// The process ends: normally, or since an exception was not caught.
    End {
        class: Atom,
        reason: Value,
        node: NodeId,
    },
    /// The process evaluates for ever.
    Diverge {
        node: NodeId,
    },
    /// A bound of the language was reached.
    Cut {
        bound: Bound,
        node: NodeId,
    },
    /// A local step is next, where local steps count.
    Local {
        focus: LocalFocus,
        environment: Vec<Value>,
        stack: Stack,
    },
}

/// What a local step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalFocus {
    Evaluate(NodeId),
    Return(Value),
    Raise(Atom, Value),
}

/// The kind of a control, read off its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlKind {
    BeforeProp,
    AtProp,
    Receive,
    End,
    Diverge,
    Cut,
    Local,
    Visible(Bif),
}

const KINDS: [ControlKind; 7] = [
    ControlKind::BeforeProp,
    ControlKind::AtProp,
    ControlKind::Receive,
    ControlKind::End,
    ControlKind::Diverge,
    ControlKind::Cut,
    ControlKind::Local,
];

/// Numbers of kinds from here on are built-in functions.
const FIRST_BIF: u32 = 16;

impl Evaluator {
    /// Interns a stop: `[kind, node, stack, payload…]`, the payload being values.
    pub(crate) fn control(&mut self, stop: &Stop) -> Control {
        let mut words = Vec::with_capacity(8);
        let mut payload = 0;
        let mut head = |kind: u32, node: NodeId, stack: Stack, values: &[Value]| {
            words.extend([kind, node, stack]);
            words.extend(values.iter().map(|value| value.0));
            payload = values.len();
        };
        match stop {
            Stop::BeforeProp { node, value, stack } => head(0, *node, *stack, &[*value]),
            Stop::AtProp { node, value, stack } => head(1, *node, *stack, &[*value]),
            Stop::Receive { node, timeout, environment, stack } => {
                let values: Vec<Value> =
                    std::iter::once(*timeout).chain(environment.iter().copied()).collect();
                head(2, *node, *stack, &values);
            }
            Stop::End { class, reason, node } => {
                let value = self.terms.atom_value(*class);
                // What the first function of a process returns is of no consequence.
                let reason = if *class == atom::NORMAL { value } else { *reason };
                head(3, *node, super::EMPTY_STACK, &[value, reason]);
            }
            Stop::Diverge { node } => head(4, *node, super::EMPTY_STACK, &[]),
            Stop::Cut { bound, node } => {
                words.extend([5, *node, super::EMPTY_STACK, *bound as u32]);
                return self.controls.intern(&words, || 0);
            }
            Stop::Local { focus, environment, stack } => {
                let (node, values) = match focus {
                    LocalFocus::Evaluate(node) => (*node, vec![]),
                    LocalFocus::Return(value) => (u32::MAX, vec![*value]),
                    LocalFocus::Raise(class, reason) => {
                        (u32::MAX - 1, vec![self.terms.atom_value(*class), *reason])
                    }
                };
                let values: Vec<Value> = values.into_iter().chain(environment.iter().copied()).collect();
                head(6, node, *stack, &values);
            }
            Stop::Visible { bif, node, arguments, stack } => {
                head(FIRST_BIF + *bif as u32, *node, *stack, arguments);
            }
        }
        let pids = self.pids_of(&words[words.len() - payload..]) | self.stacks.pids(words[2]);
        self.controls.intern(&words, || pids)
    }

    fn pids_of(&self, values: &[u32]) -> Pids {
        values.iter().fold(0, |pids, value| pids | self.terms.pids(Value(*value)))
    }

    /// The kind of a control.
    pub(crate) fn kind(&self, control: Control) -> ControlKind {
        let number = self.controls.get(control)[0];
        match number.checked_sub(FIRST_BIF) {
            Some(bif) => ControlKind::Visible(Bif::from_number(bif)),
            None => KINDS[number as usize],
        }
    }

    /// The node that a control is at.
    pub(crate) fn control_node(&self, control: Control) -> NodeId {
        self.controls.get(control)[1]
    }

    pub(super) fn stack_of(&self, control: Control) -> Stack {
        self.controls.get(control)[2]
    }

    /// The values of a control: the proposition, the arguments, the timeout and environment, class and
    /// reason.
    pub(crate) fn payload(&self, control: Control) -> Vec<Value> {
        self.controls.get(control)[3..].iter().map(|word| Value(*word)).collect()
    }

    /// The first value of a control.
    pub(crate) fn first_value(&self, control: Control) -> Value {
        Value(self.controls.get(control)[3])
    }

    /// The bound of a cut.
    pub(crate) fn bound(&self, control: Control) -> Bound {
        match self.controls.get(control)[3] {
            0 => Bound::Stack,
            1 => Bound::Local,
            2 => Bound::Unsupported,
            _ => Bound::UnknownFun,
        }
    }

    /// The control in which the proposition of a [`Stop::BeforeProp`] holds.
    pub(crate) fn at_prop(&mut self, control: Control) -> Control {
        let (node, stack, value) =
            (self.control_node(control), self.stack_of(control), self.first_value(control));
        self.control(&Stop::AtProp { node, value, stack })
    }

    /// The controls after one local step.
    pub(crate) fn step_locally(&mut self, pid: Pid, control: Control) -> Vec<Control> {
        let (node, base, values) =
            (self.control_node(control), self.stack_of(control), self.payload(control));
        let (focus, taken) = match node {
            u32::MAX => (Focus::Return(values[0]), 1),
            node if node == u32::MAX - 1 => {
                (Focus::Raise(self.terms.as_atom(values[0]).expect("a class"), values[1]), 2)
            }
            node => (Focus::Evaluate(node), 0),
        };
        let environment = values[taken..].to_vec();
        self.run(Activation { pid, focus, environment, frames: Vec::new(), base, raised: 0 }).to_vec()
    }

    /// The stop of an activation whose next local step is a step of its own.
    pub(super) fn local_stop(&mut self, activation: Activation) -> Stop {
        let stack = self.intern_frames(activation.base, &activation.frames);
        let focus = match activation.focus {
            Focus::Evaluate(node) => LocalFocus::Evaluate(node),
            Focus::Return(value) => LocalFocus::Return(value),
            Focus::Raise(class, reason) => LocalFocus::Raise(class, reason),
        };
        Stop::Local { focus, environment: activation.environment, stack }
    }

    /// The number of the stack with these frames on top of another.
    pub(super) fn intern_frames(&mut self, base: Stack, frames: &[Frame]) -> Stack {
        let mut stack = base;
        let mut words = Vec::new();
        for frame in frames {
            words.clear();
            words.extend([stack, frame.node, frame.phase, frame.values.len() as u32]);
            words.extend(frame.values.iter().chain(&frame.environment).map(|value| value.0));
            let pids = self.pids_of(&words[4..]) | self.stacks.pids(stack);
            let depth = self.depths[stack as usize] + 1;
            stack = self.stacks.intern(&words, || pids);
            if stack as usize == self.depths.len() {
                self.depths.push(depth);
            }
        }
        stack
    }

    /// Takes the topmost frame of an activation.
    pub(super) fn pop(&self, activation: &mut Activation) -> Option<Frame> {
        if let Some(frame) = activation.frames.pop() {
            return Some(frame);
        }
        let words = self.stacks.get(activation.base);
        let [below, node, phase, count, values @ ..] = words else { return None };
        let (values, environment) = values.split_at(*count as usize);
        let read = |words: &[u32]| words.iter().map(|word| Value(*word)).collect();
        let frame =
            Frame { node: *node, phase: *phase, values: read(values), environment: read(environment) };
        activation.base = *below;
        Some(frame)
    }

    /// Collects the values that a control and its stack mention.
    pub(crate) fn mentioned(&self, control: Control, visit: &mut dyn FnMut(Value)) {
        if self.kind(control) != ControlKind::Cut {
            self.payload(control).into_iter().for_each(&mut *visit);
        }
        let mut stack = self.stack_of(control);
        while let [below, _, _, _, values @ ..] = self.stacks.get(stack) {
            values.iter().for_each(|word| visit(Value(*word)));
            stack = *below;
        }
    }
}
