//! Forgotten frames (`--frames N`): the flow abstraction of Huch's paper.
//!
//! Of a stack the frames of the N innermost calls are kept, below which lies a mark with the function whose
//! caller is forgotten. A return to the mark goes to every call of that function: what waits there is known
//! from the text, and every value that it has kept is unknown. So a stack has boundedly many frames; under a
//! finite domain a process has finitely many controls, however deep its recursion is.
//!
//! A call keeps a frame even if no variable is live after it, unless it is a tail call: so each frame of the
//! phase [`RETURN`] is the border between the frames of two calls.
//!
//! Promise: for every evaluation with all frames there is one with forgotten frames whose values are at most
//! as precise.

use super::step::{FORGOTTEN, LAST, RETURN};
use super::{Activation, EMPTY_STACK, Evaluator, Frame, Next};
use crate::erlang::code::call_sites::CallSites;
use crate::erlang::code::{FunctionId, Node, NodeId};
use crate::erlang::term::{Kind, Value, atom};
use std::sync::Arc;

/// How many frames are kept, and where forgotten ones return to.
#[derive(Clone)]
pub(super) struct FlowAbstraction {
    /// The most calls whose frames are kept.
    most: usize,
    sites: Arc<CallSites>,
}

impl Evaluator {
    /// From now on frames of more than `most` calls are forgotten; the first process calls `main`.
    pub(crate) fn forget_frames_beyond(&mut self, most: usize, main: Value) {
        let sites = Arc::new(CallSites::new(&self.code, &self.terms, main));
        self.flow = Some(FlowAbstraction { most, sites });
    }

    /// Are all values and all frames kept as they are?
    pub(crate) fn is_exact(&self) -> bool {
        self.domain.is_concrete() && self.flow.is_none()
    }

    /// Keeps what a caller needs when its call returns.
    pub(super) fn leave_caller(&mut self, activation: &mut Activation, call: NodeId, callee: FunctionId) {
        let Some(flow) = self.flow.clone() else { return self.save_environment(activation, call) };
        let environment = self.live(activation, call);
        if !environment.is_empty() || self.has_waiting_part(activation) {
            activation.frames.push(Frame { node: call, phase: RETURN, values: Vec::new(), environment });
        }
        self.forget_frames(activation, flow.most, callee);
    }

    /// Does a part of the calling function's body wait for the call?
    fn has_waiting_part(&self, activation: &Activation) -> bool {
        let phase = match activation.frames.last() {
            Some(frame) => Some(frame.phase),
            None => self.stacks.get(activation.base).get(2).copied(),
        };
        phase.is_some_and(|phase| phase != RETURN && phase != FORGOTTEN)
    }

    /// Forgets all frames but those of the innermost calls.
    fn forget_frames(&mut self, activation: &mut Activation, most: usize, callee: FunctionId) {
        let mut frames = Vec::new();
        let mut rest = activation.clone();
        let mut calls = 0;
        let mut function = callee;
        while let Some(frame) = self.pop(&mut rest) {
            calls += usize::from(frame.phase == RETURN);
            if calls > most {
                frames.push(self.forgotten(function));
                frames.reverse();
                activation.frames = frames;
                activation.base = EMPTY_STACK;
                return;
            }
            function = self.code.owners[frame.node as usize];
            frames.push(frame);
        }
    }

    /// The mark below the frames of a function whose caller is forgotten.
    fn forgotten(&self, function: FunctionId) -> Frame {
        let node = self.code.functions[function as usize].body;
        Frame { node, phase: FORGOTTEN, values: Vec::new(), environment: Vec::new() }
    }

    /// A value or an exception returns from a function whose caller is forgotten: to every call of it.
    pub(super) fn return_to_every_call(&mut self, activation: &mut Activation, mark: &Frame) -> Next {
        let flow = self.flow.clone().expect("a forgotten frame");
        let function = self.code.owners[mark.node as usize];
        let mut branches = Vec::new();
        if flow.sites.may_begin(function) {
            branches.push(activation.clone());
        }
        for site in flow.sites.of(function) {
            let unknown = vec![self.terms.top(Kind::Any); self.code.live_after[*site as usize].len()];
            let environment = self.restore(*site, &unknown);
            let caller = self.forgotten(self.code.owners[*site as usize]);
            for waiting in self.waiting_frames(&flow.sites.waiting(*site)) {
                let mut branch = activation.clone();
                branch.environment.clone_from(&environment);
                branch.frames = [vec![caller.clone()], waiting].concat();
                if !branches.contains(&branch) {
                    branches.push(branch);
                }
            }
        }
        self.branch(activation, branches)
    }

    /// The frames that wait, with unknown values: several where it is open whether the last part of a `try`
    /// is evaluated after a value or after an exception.
    fn waiting_frames(&mut self, waiting: &[(NodeId, usize)]) -> Vec<Vec<Frame>> {
        let mut stacks = vec![Vec::new()];
        for (node, part) in waiting {
            let frames = self.frames_of(*node, *part);
            let extended = stacks.iter().flat_map(|stack: &Vec<Frame>| {
                frames.iter().map(move |frame| [stack.as_slice(), std::slice::from_ref(frame)].concat())
            });
            stacks = extended.collect();
        }
        stacks
    }

    fn frames_of(&mut self, node: NodeId, part: usize) -> Vec<Frame> {
        let code = self.code.clone();
        let any = self.terms.top(Kind::Any);
        let unknown = |node: NodeId| vec![any; code.live_after[node as usize].len()];
        let frame = |phase: u32, values: Vec<Value>, environment: Vec<Value>| Frame {
            node,
            phase,
            values,
            environment,
        };
        match code.node(node) {
            Node::Apply(_, arguments) => {
                let known = arguments[..part].iter().map(|argument| match code.node(*argument) {
                    Node::Value(value) => self.abstraction(*value),
                    _ => any,
                });
                vec![frame(part as u32, known.collect(), Vec::new())]
            }
            Node::After(_, last) if part == LAST as usize => {
                let mut ways = vec![vec![any]];
                for class in [atom::ERROR, atom::EXIT, atom::THROW] {
                    ways.push(vec![self.terms.atom_value(class), any]);
                }
                ways.into_iter().map(|values| frame(LAST, values, unknown(*last))).collect()
            }
            Node::Try { body, .. } | Node::After(body, _) | Node::Catch(body) => {
                vec![frame(0, Vec::new(), unknown(*body))]
            }
            _ => vec![frame(0, Vec::new(), Vec::new())],
        }
    }
}
