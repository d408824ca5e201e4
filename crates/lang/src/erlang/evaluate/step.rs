//! One local step: a node is evaluated, or a value or an exception goes to the topmost frame.

use super::matching::Selected;
use super::{Activation, Bound, Evaluator, Focus, Frame, Match, Next, Stop};
use crate::erlang::code::{Node, NodeId, Otherwise, Pattern, Slot};
use crate::erlang::term::{Atom, Term, Value, atom};

/// The phases of the frame of `After`: its body is evaluated, or its last part.
const PROTECTED: u32 = 0;
pub(super) const LAST: u32 = 1;

/// The phase of a frame that only restores the environment, when a call returns.
pub(super) const RETURN: u32 = u32::MAX;

/// The phase of the mark in place of frames that are forgotten.
pub(super) const FORGOTTEN: u32 = u32::MAX - 1;

impl Evaluator {
    pub(super) fn step(&mut self, activation: &mut Activation) -> Next {
        self.process = activation.pid;
        let place = self.place(activation);
        let was_raised = matches!(activation.focus, Focus::Raise(..));
        let mut next = self.step_from(activation);
        // Remembers where an exception comes from.
        let note = |activation: &mut Activation| match activation.focus {
            Focus::Raise(..) if !was_raised => activation.raised = place,
            Focus::Raise(..) => {}
            _ => activation.raised = 0,
        };
        match &mut next {
            Next::Continue => note(activation),
            Next::Branch(branches) => branches.iter_mut().for_each(note),
            Next::Stop(_) => {}
        }
        next
    }

    fn step_from(&mut self, activation: &mut Activation) -> Next {
        match activation.focus {
            Focus::Evaluate(node) => self.evaluate_node(activation, node),
            Focus::Return(value) => match self.pop(activation) {
                None => Next::Stop(Stop::End { class: atom::NORMAL, reason: value, node: 0 }),
                Some(frame) if frame.phase == FORGOTTEN => self.return_to_every_call(activation, &frame),
                Some(frame) => self.return_to(activation, frame, value),
            },
            Focus::Raise(class, reason) => match self.pop(activation) {
                None => Next::Stop(Stop::End { class, reason, node: activation.raised }),
                Some(frame) if frame.phase == FORGOTTEN => self.return_to_every_call(activation, &frame),
                Some(frame) => self.raise_to(activation, &frame, (class, reason)),
            },
        }
    }

    fn evaluate_node(&mut self, activation: &mut Activation, id: NodeId) -> Next {
        let code = self.code.clone();
        match code.node(id) {
            Node::Value(value) => activation.focus = Focus::Return(self.abstraction(*value)),
            Node::Slot(slot) => activation.focus = Focus::Return(activation.environment[*slot as usize]),
            Node::Apply(_, arguments) => {
                return self.evaluate_arguments(activation, id, arguments, Vec::new());
            }
            // A timeout that is written out stays what it is under every domain.
            Node::Receive { timeout, .. } if matches!(code.node(*timeout), Node::Value(_)) => {
                let Node::Value(value) = code.node(*timeout) else { unreachable!("just matched") };
                return self.stop_at_receive(activation, id, *timeout, *value);
            }
            Node::Sequence(first, _)
            | Node::Match(_, first)
            | Node::AndAlso(first, _)
            | Node::OrElse(first, _)
            | Node::Case { subject: first, .. }
            | Node::Receive { timeout: first, .. }
            | Node::Try { body: first, .. }
            | Node::After(first, _)
            | Node::Catch(first) => self.enter_part(activation, id, PROTECTED, Vec::new(), *first),
            Node::Clauses(clauses) => {
                let arity = clauses[0].patterns.len();
                let subjects = activation.environment[..arity].to_vec();
                let selected = self.select(&subjects, clauses, &activation.environment);
                return self.continue_with(activation, selected, Otherwise::FunctionClause, &subjects);
            }
            Node::Unsupported(_) => {
                return Next::Stop(Stop::Cut { bound: Bound::Unsupported, node: id });
            }
        }
        Next::Continue
    }

    /// Evaluates a part of a node, to whose frame the value returns. Bindings of the part stay.
    fn enter_part(
        &mut self,
        activation: &mut Activation,
        node: NodeId,
        phase: u32,
        values: Vec<Value>,
        part: NodeId,
    ) {
        // An exception that a called function raises comes without the environment.
        let catches = matches!(self.code.node(node), Node::Try { .. } | Node::After(..) | Node::Catch(_));
        let environment = if catches { self.live(activation, part) } else { Vec::new() };
        activation.frames.push(Frame { node, phase, values, environment });
        activation.focus = Focus::Evaluate(part);
    }

    /// Saves the variables that are read after a call, or after a step that other processes can see.
    pub(super) fn save_environment(&mut self, activation: &mut Activation, call: NodeId) {
        let environment = self.live(activation, call);
        if !environment.is_empty() {
            activation.frames.push(Frame { node: call, phase: RETURN, values: Vec::new(), environment });
        }
    }

    /// The values of the slots that are live after a node.
    pub(super) fn live(&self, activation: &Activation, node: NodeId) -> Vec<Value> {
        let value = |slot: &Slot| activation.environment.get(*slot as usize).copied().unwrap_or(Value::DEAD);
        self.code.live_after[node as usize].iter().map(value).collect()
    }

    /// The environment in which the slots that are live after a node have these values.
    pub(super) fn restore(&self, node: NodeId, values: &[Value]) -> Vec<Value> {
        let slots = &self.code.live_after[node as usize];
        let mut environment = vec![Value::DEAD; slots.last().map_or(0, |last| *last as usize + 1)];
        for (slot, value) in slots.iter().zip(values) {
            environment[*slot as usize] = *value;
        }
        environment
    }

    /// Evaluates the remaining arguments of an operation, and applies it.
    fn evaluate_arguments(
        &mut self,
        activation: &mut Activation,
        id: NodeId,
        arguments: &[NodeId],
        mut values: Vec<Value>,
    ) -> Next {
        let code = self.code.clone();
        while let Some(argument) = arguments.get(values.len()) {
            // Values and variables need no frame.
            match code.node(*argument) {
                Node::Value(value) => values.push(self.abstraction(*value)),
                Node::Slot(slot) => values.push(activation.environment[*slot as usize]),
                _ => {
                    let phase = values.len() as u32;
                    self.enter_part(activation, id, phase, values, *argument);
                    return Next::Continue;
                }
            }
        }
        let Node::Apply(operation, _) = code.node(id) else { unreachable!("an operation has arguments") };
        self.apply(activation, id, operation, values)
    }

    fn return_to(&mut self, activation: &mut Activation, frame: Frame, value: Value) -> Next {
        let code = self.code.clone();
        let Frame { node: id, phase, mut values, environment } = frame;
        if phase == RETURN {
            activation.environment = self.restore(id, &environment);
            return Next::Continue;
        }
        match code.node(id) {
            Node::Apply(_, arguments) => {
                values.push(value);
                return self.evaluate_arguments(activation, id, arguments, values);
            }
            Node::Sequence(_, second) => activation.focus = Focus::Evaluate(*second),
            Node::Match(pattern, _) => return self.return_to_match(activation, pattern, value),
            Node::AndAlso(_, second) => return self.decide(activation, value, (*second, false)),
            Node::OrElse(_, second) => return self.decide(activation, value, (*second, true)),
            Node::Case { clauses, otherwise, .. } => {
                let selected = self.select(&[value], clauses, &activation.environment);
                return self.continue_with(activation, selected, *otherwise, &[value]);
            }
            Node::Receive { timeout, .. } => {
                return self.stop_at_receive(activation, id, *timeout, value);
            }
            Node::Try { clauses, .. } if clauses.is_empty() => {}
            Node::Try { clauses, .. } => {
                let selected = self.select(&[value], clauses, &activation.environment);
                return self.continue_with(activation, selected, Otherwise::TryClause, &[value]);
            }
            Node::After(_, last) if phase == PROTECTED => {
                self.enter_part(activation, id, LAST, vec![value], *last);
            }
            Node::After(..) => {
                activation.focus = match values[..] {
                    [value] => Focus::Return(value),
                    [class, reason] => Focus::Raise(self.terms.as_atom(class).expect("a class"), reason),
                    _ => unreachable!("a value or an exception"),
                };
            }
            Node::Catch(_) => {}
            Node::Value(_) | Node::Slot(_) | Node::Clauses(_) | Node::Unsupported(_) => {
                unreachable!("a node without parts has no frame")
            }
        }
        Next::Continue
    }

    fn stop_at_receive(&mut self, activation: &Activation, id: NodeId, part: NodeId, timeout: Value) -> Next {
        let environment = self.live(activation, part);
        let stack = self.intern_frames(activation.base, &activation.frames);
        Next::Stop(Stop::Receive { node: id, timeout, environment, stack })
    }

    fn return_to_match(&mut self, activation: &mut Activation, pattern: &Pattern, value: Value) -> Next {
        let mut bound = activation.environment.clone();
        let matched = self.match_pattern(pattern, value, &mut bound);
        let tag = self.terms.atom_value(atom::BADMATCH);
        let failed = Focus::Raise(atom::ERROR, self.make_tuple(&[tag, value]));
        let failed = Activation { focus: failed, ..activation.clone() };
        activation.environment = bound;
        match matched {
            Match::Yes => Next::Continue,
            Match::Maybe => Next::Branch(vec![activation.clone(), failed]),
            Match::No => {
                *activation = failed;
                Next::Continue
            }
        }
    }

    /// `andalso` goes on with its second part if the first is true, `orelse` if it is false; otherwise the
    /// first is the value.
    fn decide(&mut self, activation: &mut Activation, value: Value, (second, is_or): (NodeId, bool)) -> Next {
        let mut branches = Vec::new();
        let truths = self.truths(value);
        for truth in &truths {
            let focus = match *truth {
                Some(truth) if truth != is_or => Focus::Evaluate(second),
                Some(truth) => Focus::Return(self.terms.boolean(truth)),
                None => {
                    let tag = self.terms.atom_value(atom::BADARG);
                    Focus::Raise(atom::ERROR, self.make_tuple(&[tag, value]))
                }
            };
            branches.push(Activation { focus, ..activation.clone() });
        }
        self.branch(activation, branches)
    }

    /// One branch goes on in place; several are told.
    pub(super) fn branch(&mut self, activation: &mut Activation, mut branches: Vec<Activation>) -> Next {
        if branches.len() == 1 {
            *activation = branches.remove(0);
            return Next::Continue;
        }
        Next::Branch(branches)
    }

    /// Goes on with the selected clauses, and with the error if none may match.
    fn continue_with(
        &mut self,
        activation: &mut Activation,
        selected: Selected,
        otherwise: Otherwise,
        subjects: &[Value],
    ) -> Next {
        let mut branches = Vec::new();
        for (environment, body) in selected.clauses {
            branches.push(Activation { environment, focus: Focus::Evaluate(body), ..activation.clone() });
        }
        if selected.may_fail {
            let reason = self.no_clause(otherwise, subjects);
            branches.push(Activation { focus: Focus::Raise(atom::ERROR, reason), ..activation.clone() });
        }
        self.branch(activation, branches)
    }

    /// The reason of the error that no clause matches.
    fn no_clause(&mut self, otherwise: Otherwise, subjects: &[Value]) -> Value {
        let tag = match otherwise {
            Otherwise::CaseClause => atom::CASE_CLAUSE,
            Otherwise::TryClause => atom::TRY_CLAUSE,
            Otherwise::ElseClause => atom::ELSE_CLAUSE,
            Otherwise::BadRecord => atom::BADRECORD,
            Otherwise::BadGenerator => atom::BADGENERATOR,
            Otherwise::BadFilter => atom::BADFILTER,
            Otherwise::FunctionClause => return self.terms.atom_value(atom::FUNCTION_CLAUSE),
            Otherwise::IfClause => return self.terms.atom_value(atom::IF_CLAUSE),
        };
        let tag = self.terms.atom_value(tag);
        self.make_tuple(&[tag, subjects[0]])
    }

    /// An exception reaches a frame: it goes on, or is caught.
    fn raise_to(&mut self, activation: &mut Activation, frame: &Frame, exception: (Atom, Value)) -> Next {
        let (class, reason) = exception;
        let code = self.code.clone();
        match code.node(frame.node) {
            _ if frame.phase == RETURN => {}
            Node::Try { body, catches, .. } => {
                let environment = self.restore(*body, &frame.environment);
                let selected = self.select_catch(catches, exception, &environment);
                let mut branches = Vec::new();
                for (environment, body) in selected.clauses {
                    branches.push(Activation {
                        environment,
                        focus: Focus::Evaluate(body),
                        ..activation.clone()
                    });
                }
                if selected.may_fail {
                    branches.push(activation.clone());
                }
                return self.branch(activation, branches);
            }
            Node::After(body, last) if frame.phase == PROTECTED => {
                activation.environment = self.restore(*body, &frame.environment);
                let class = self.terms.atom_value(class);
                self.enter_part(activation, frame.node, LAST, vec![class, reason], *last);
            }
            Node::Catch(body) => {
                activation.environment = self.restore(*body, &frame.environment);
                activation.focus = Focus::Return(self.caught(class, reason));
            }
            _ => {}
        }
        Next::Continue
    }

    /// The value of `catch` for an exception. Stack traces are empty.
    fn caught(&mut self, class: Atom, reason: Value) -> Value {
        if class == atom::THROW {
            return reason;
        }
        let reason = if class == atom::ERROR { self.with_stack(reason) } else { reason };
        let tag = self.terms.atom_value(atom::EXIT_SIGNAL);
        self.make_tuple(&[tag, reason])
    }

    /// `{Reason, Stack}`: stack traces are empty.
    pub(crate) fn with_stack(&mut self, reason: Value) -> Value {
        let stack = self.terms.intern(Term::Nil);
        self.make_tuple(&[reason, stack])
    }
}
