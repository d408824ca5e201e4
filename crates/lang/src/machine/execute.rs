//! The execution of steps.
//!
//! Promise: an effect reads before it writes, so an assignment is one step with its reads. `atomic` is one
//! step: each path through its statements is a successor, and a path that blocks is none.

use super::layout::Slot;
use super::{EdgeCode, EdgeId, EffectCode, GuardCode, Machine};
use crate::flow_graph::arithmetic::Fault;
use crate::flow_graph::{Cell, MAX_TOGETHER, NodeId};
use selvedge_model::{Steps, Word};
use std::ops::Range;

/// An `atomic` that takes more steps than this is an error: it does not end.
pub const MAX_ATOMIC_STEPS: usize = 100_000;

/// With states of at most so many words an `atomic` is taken without allocation.
pub const MAX_ON_STACK: usize = 16;

/// The result of an `atomic` that has at most one path through it.
enum SinglePath {
    Done,
    Blocked,
    Fault(Fault),
    /// There are several paths.
    Branches,
}

impl Machine {
    /// Calls `visit` with each edge whose guard holds, or faults, until it answers false. Answers whether it
    /// never did.
    ///
    /// Effects may still block. A `timeout` is not among them.
    #[inline]
    pub(super) fn visit_passable(
        &self,
        node: Range<u32>,
        state: &[Word],
        visit: &mut impl FnMut(u32, Result<(), Fault>) -> bool,
    ) -> bool {
        let mut edge = node.start;
        while edge < node.end {
            let mut next = edge + 1;
            let passable = match &self.edges[edge as usize].guard {
                GuardCode::Always => Some((edge, Ok(()))),
                GuardCode::Timeout => None,
                GuardCode::Holds(test) => match test.eval(state) {
                    Ok(holds) => holds.then_some((edge, Ok(()))),
                    Err(fault) => Some((edge, Err(fault))),
                },
                GuardCode::Fails(test) => match test.eval(state) {
                    Ok(holds) => (!holds).then_some((edge, Ok(()))),
                    Err(fault) => Some((edge, Err(fault))),
                },
                GuardCode::Otherwise(others) => {
                    self.is_none_enabled(others.clone(), state).then_some((edge, Ok(())))
                }
                GuardCode::Branch(test) => {
                    next += 1;
                    match test.eval(state) {
                        Ok(true) => Some((edge, Ok(()))),
                        Ok(false) => Some((edge + 1, Ok(()))),
                        Err(fault) => Some((edge, Err(fault))),
                    }
                }
            };
            if let Some((edge, passed)) = passable
                && !visit(edge, passed)
            {
                return false;
            }
            edge = next;
        }
        true
    }

    /// Can none of these edges of one node be taken? An edge that leads to an error can.
    fn is_none_enabled(&self, edges: Range<u32>, state: &[Word]) -> bool {
        self.visit_passable(edges, state, &mut |edge, passed| passed.is_ok() && self.is_blocked(edge, state))
    }

    /// Adds the successors of the state along the edge; `passed` is the result of its guard.
    #[inline]
    pub(super) fn push_successors(
        &self,
        edge: u32,
        passed: Result<(), Fault>,
        state: &[Word],
        out: &mut Steps<EdgeId>,
    ) {
        let code = &self.edges[edge as usize];
        match &code.effect {
            EffectCode::Atomic(start, end) if passed.is_ok() && !code.is_sequence => {
                return self.push_atomic(edge, (*start, *end), state, out);
            }
            EffectCode::Offer(..) => return self.push_meetings(edge, state, out),
            EffectCode::Accept(..) => return self.push_accept_fault(edge, state, out),
            _ => {}
        }
        if passed.is_ok() && self.is_channel_blocked(code, state) {
            return;
        }
        let next = out.push(EdgeId(edge), state);
        let mut done = passed;
        for effect in &code.effects {
            done = done.and_then(|()| self.apply(effect, next));
        }
        match done {
            Ok(()) => code.writes.apply(next),
            Err(fault) => {
                next.copy_from_slice(state);
                self.set_error(code, fault, next);
            }
        }
    }

    pub(super) fn set_error(&self, code: &EdgeCode, fault: Fault, next: &mut [Word]) {
        self.error.set(next, u64::from(code.first_error) + fault as u64);
        if let Some(last) = self.last_mover {
            last.set(next, u64::from(code.process) + 1);
        }
    }

    /// Does the edge's effect block, its guard aside?
    pub(super) fn is_blocked(&self, edge: u32, state: &[Word]) -> bool {
        let code = &self.edges[edge as usize];
        match code.effect {
            EffectCode::Atomic(start, end) => {
                let mut blocked = true;
                self.run_atomic(code.process, (start, end), state, &mut |_| blocked = false);
                blocked
            }
            EffectCode::Offer(..) => self.is_offer_blocked(edge, state),
            EffectCode::Accept(..) => self.is_accept_blocked(edge, state),
            _ => self.is_channel_blocked(code, state),
        }
    }

    fn is_channel_blocked(&self, code: &EdgeCode, state: &[Word]) -> bool {
        // A channel that cannot be determined blocks nothing: the step is an error.
        match &code.effect {
            EffectCode::Send(place, _) => {
                place.buffer(state).is_ok_and(|buffer| self.channels[buffer as usize].is_full(state))
            }
            EffectCode::Receive(place, fields) => place
                .buffer(state)
                .is_ok_and(|buffer| !self.channels[buffer as usize].has_match(fields, state)),
            _ => false,
        }
    }

    /// Applies the effect in place; on a fault the state is of no use.
    #[inline]
    fn apply(&self, effect: &EffectCode, state: &mut [Word]) -> Result<(), Fault> {
        match effect {
            EffectCode::Nothing | EffectCode::Atomic(..) | EffectCode::Offer(..) | EffectCode::Accept(..) => {
            }
            EffectCode::Set(field, bits) => field.set(state, *bits),
            EffectCode::Add(field, delta) => field.add(state, *delta),
            EffectCode::Assign(target, value) => {
                let value = value.eval(state)?;
                target.slot(state)?.store(state, value.map_or(Cell::Null, Cell::Int));
            }
            EffectCode::AssignAll(parts) => {
                let mut read: [Option<(&Slot, Cell)>; MAX_TOGETHER] = [None; MAX_TOGETHER];
                for (entry, (target, value)) in read.iter_mut().zip(parts) {
                    let value = value.eval(state)?;
                    *entry = Some((target.slot(state)?, value.map_or(Cell::Null, Cell::Int)));
                }
                for (slot, cell) in read.into_iter().flatten() {
                    slot.store(state, cell);
                }
            }
            EffectCode::Assert(test) => {
                if !test.eval(state)? {
                    return Err(Fault::Assertion);
                }
            }
            EffectCode::Send(place, values) => {
                let buffer = place.buffer(state)?;
                self.channels[buffer as usize].send(values, state)?;
            }
            EffectCode::Receive(place, fields) => {
                let buffer = place.buffer(state)?;
                self.channels[buffer as usize].receive(fields, state)?;
            }
        }
        Ok(())
    }

    fn push_atomic(&self, edge: u32, range: (NodeId, NodeId), state: &[Word], out: &mut Steps<EdgeId>) {
        let code = &self.edges[edge as usize];
        self.run_atomic(code.process, range, state, &mut |end| match end {
            Ok(end) => {
                let next = out.push(EdgeId(edge), end);
                code.writes.apply(next);
            }
            Err(fault) => {
                let next = out.push(EdgeId(edge), state);
                self.set_error(code, fault, next);
            }
        });
    }

    /// Calls `visit` with the result of every path from one node to another on which the process alone
    /// moves.
    fn run_atomic(
        &self,
        process: u32,
        (start, end): (NodeId, NodeId),
        state: &[Word],
        visit: &mut impl FnMut(Result<&[Word], Fault>),
    ) {
        let mut on_stack = [0; MAX_ON_STACK];
        if let Some(buffer) = on_stack.get_mut(..self.words) {
            buffer.copy_from_slice(state);
            match self.run_single_path(process, (start, end), buffer) {
                SinglePath::Done => return visit(Ok(buffer)),
                SinglePath::Blocked => return,
                SinglePath::Fault(fault) => return visit(Err(fault)),
                SinglePath::Branches => {}
            }
        }
        let base = self.processes[process as usize].base;
        let mut todo = vec![(state.to_vec(), start.0)];
        let mut steps = 0;
        while let Some((state, node)) = todo.pop() {
            if NodeId(node) == end {
                visit(Ok(&state));
                continue;
            }
            steps += 1;
            if steps > MAX_ATOMIC_STEPS {
                return visit(Err(Fault::Endless));
            }
            self.visit_passable(self.nodes[(base + node) as usize].clone(), &state, &mut |edge, passed| {
                let code = &self.edges[edge as usize];
                if is_idle_loop(code, node) || (passed.is_ok() && self.is_channel_blocked(code, &state)) {
                    return true;
                }
                let mut next = state.clone();
                match passed.and_then(|()| self.apply(&code.effect, &mut next)) {
                    Ok(()) => todo.push((next, code.target)),
                    Err(fault) => visit(Err(fault)),
                }
                true
            });
        }
    }

    /// Takes the only path from one node to another, in place.
    fn run_single_path(
        &self,
        process: u32,
        (start, end): (NodeId, NodeId),
        state: &mut [Word],
    ) -> SinglePath {
        let base = self.processes[process as usize].base;
        let mut node = start.0;
        for _ in 0..MAX_ATOMIC_STEPS {
            if NodeId(node) == end {
                return SinglePath::Done;
            }
            let mut only = None;
            let branches = !self.visit_passable(
                self.nodes[(base + node) as usize].clone(),
                state,
                &mut |edge, passed| {
                    let code = &self.edges[edge as usize];
                    if is_idle_loop(code, node) || (passed.is_ok() && self.is_channel_blocked(code, state)) {
                        return true;
                    }
                    only.replace((code, passed)).is_none()
                },
            );
            let Some((code, passed)) = only else { return SinglePath::Blocked };
            if branches {
                return SinglePath::Branches;
            }
            if let Err(fault) = passed.and_then(|()| self.apply(&code.effect, state)) {
                return SinglePath::Fault(fault);
            }
            node = code.target;
        }
        SinglePath::Fault(Fault::Endless)
    }
}

/// Is this the edge of a looping statement that leads back to it? Inside of one step it is not taken.
fn is_idle_loop(code: &EdgeCode, node: u32) -> bool {
    code.target == node && matches!((&code.effect, &code.guard), (EffectCode::Nothing, GuardCode::Always))
}
