//! Steps taken.
//!
//! Promise: what an effect reads is read before anything is changed, so an assignment is one step with its reads. `atomic` is
//! one step: each way through its statements is a successor, and one that blocks on the way is none.

use super::arithmetic::Fault;
use super::{EdgeCode, EdgeId, EffectCode, GuardCode, Machine};
use crate::flow::{Cell, NodeId};
use selvedge_model::{Steps, Word};
use std::ops::Range;

/// After so many steps an `atomic` is said not to end.
pub const MAX_ATOMIC_STEPS: usize = 100_000;

/// A state of at most so many words goes through an `atomic` without allocation.
pub const MAX_ON_STACK: usize = 16;

/// How an `atomic` with one way through it came out.
enum Straight {
    Done,
    Blocked,
    Fault(Fault),
    /// There are several ways.
    Forks,
}

impl Machine {
    /// Calls `visit` with each edge whose guard lets it be taken, or faults, as long as it answers true; was it always true?
    ///
    /// Effects may still block.
    #[inline]
    pub(super) fn offered(
        &self,
        node: Range<u32>,
        state: &[Word],
        visit: &mut impl FnMut(u32, Result<(), Fault>) -> bool,
    ) -> bool {
        let mut edge = node.start;
        while edge < node.end {
            let mut next = edge + 1;
            let offered = match &self.edges[edge as usize].guard {
                GuardCode::Always => Some((edge, Ok(()))),
                GuardCode::Holds(test) => match test.eval(state) {
                    Ok(holds) => holds.then_some((edge, Ok(()))),
                    Err(fault) => Some((edge, Err(fault))),
                },
                GuardCode::Fails(test) => match test.eval(state) {
                    Ok(holds) => (!holds).then_some((edge, Ok(()))),
                    Err(fault) => Some((edge, Err(fault))),
                },
                GuardCode::Branch(test) => {
                    next += 1;
                    match test.eval(state) {
                        Ok(true) => Some((edge, Ok(()))),
                        Ok(false) => Some((edge + 1, Ok(()))),
                        Err(fault) => Some((edge, Err(fault))),
                    }
                }
            };
            if let Some((edge, taken)) = offered
                && !visit(edge, taken)
            {
                return false;
            }
            edge = next;
        }
        true
    }

    /// Adds what becomes of the state when the edge is taken.
    #[inline]
    pub(super) fn take(&self, edge: u32, taken: Result<(), Fault>, state: &[Word], out: &mut Steps<EdgeId>) {
        let code = &self.edges[edge as usize];
        if let (EffectCode::Atomic(start, end), Ok(()), false) = (&code.effect, taken, code.is_sequence) {
            return self.atomic(edge, (*start, *end), state, out);
        }
        if taken.is_ok() && self.is_full_or_empty(code, state) {
            return;
        }
        let next = out.push(EdgeId(edge), state);
        let mut done = taken;
        for effect in &code.effects {
            done = done.and_then(|()| self.apply(effect, next));
        }
        match done {
            Ok(()) => code.writes.apply(next),
            Err(fault) => {
                next.copy_from_slice(state);
                self.fail(code, fault, next);
            }
        }
    }

    fn fail(&self, code: &EdgeCode, fault: Fault, next: &mut [Word]) {
        self.error.set(next, u64::from(code.faults) + fault as u64);
        if let Some(last) = self.last {
            last.set(next, u64::from(code.process) + 1);
        }
    }

    /// Would the edge's effect have to wait, its guard aside?
    pub(super) fn is_blocked(&self, edge: u32, state: &[Word]) -> bool {
        let code = &self.edges[edge as usize];
        match code.effect {
            EffectCode::Atomic(start, end) => {
                let mut blocked = true;
                self.run_atomic(code.process, (start, end), state, &mut |_| blocked = false);
                blocked
            }
            _ => self.is_full_or_empty(code, state),
        }
    }

    fn is_full_or_empty(&self, code: &EdgeCode, state: &[Word]) -> bool {
        match code.effect {
            EffectCode::Send(channel, _) => {
                let buffer = &self.channels[channel as usize];
                buffer.length.get(state) as usize == buffer.slots.len()
            }
            EffectCode::Receive(channel, _) => self.channels[channel as usize].length.get(state) == 0,
            _ => false,
        }
    }

    /// The effect, in place; a state that faults is left as it was.
    #[inline]
    fn apply(&self, effect: &EffectCode, state: &mut [Word]) -> Result<(), Fault> {
        match effect {
            EffectCode::Nothing | EffectCode::Atomic(..) => {}
            EffectCode::Set(field, bits) => field.set(state, *bits),
            EffectCode::Add(field, delta) => field.add(state, *delta),
            EffectCode::Assign(target, value) => {
                let value = value.eval(state)?;
                target.slot(state)?.store(state, value.map_or(Cell::Null, Cell::Int));
            }
            EffectCode::Assert(test) => {
                if !test.eval(state)? {
                    return Err(Fault::Assertion);
                }
            }
            EffectCode::Send(channel, value) => {
                let value = value.eval(state)?;
                let buffer = &self.channels[*channel as usize];
                let length = buffer.length.get(state);
                buffer.slots[length as usize].store(state, value.map_or(Cell::Null, Cell::Int));
                buffer.length.set(state, length + 1);
            }
            EffectCode::Receive(channel, target) => {
                let buffer = &self.channels[*channel as usize];
                let slot = target.slot(state)?;
                let message = buffer.slots[0].cell(state);
                let length = buffer.length.get(state) as usize;
                for place in 1..length {
                    let moved = buffer.slots[place].cell(state);
                    buffer.slots[place - 1].store(state, moved);
                }
                // Free places look alike, so that equal contents are equal states.
                buffer.slots[length - 1].clear(state);
                buffer.length.set(state, length as u64 - 1);
                slot.store(state, message);
            }
        }
        Ok(())
    }

    fn atomic(&self, edge: u32, range: (NodeId, NodeId), state: &[Word], out: &mut Steps<EdgeId>) {
        let code = &self.edges[edge as usize];
        self.run_atomic(code.process, range, state, &mut |end| match end {
            Ok(end) => {
                let next = out.push(EdgeId(edge), end);
                code.writes.apply(next);
            }
            Err(fault) => {
                let next = out.push(EdgeId(edge), state);
                self.fail(code, fault, next);
            }
        });
    }

    /// Every way from one node of the process to another, without anybody else.
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
            match self.run_straight(process, (start, end), buffer) {
                Straight::Done => return visit(Ok(buffer)),
                Straight::Blocked => return,
                Straight::Fault(fault) => return visit(Err(fault)),
                Straight::Forks => {}
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
            self.offered(self.nodes[(base + node) as usize].clone(), &state, &mut |edge, taken| {
                let code = &self.edges[edge as usize];
                if goes_on(code, node) || (taken.is_ok() && self.is_full_or_empty(code, &state)) {
                    return true;
                }
                let mut next = state.clone();
                match taken.and_then(|()| self.apply(&code.effect, &mut next)) {
                    Ok(()) => todo.push((next, code.target)),
                    Err(fault) => visit(Err(fault)),
                }
                true
            });
        }
    }

    /// The only way from one node to another, in place.
    fn run_straight(&self, process: u32, (start, end): (NodeId, NodeId), state: &mut [Word]) -> Straight {
        let base = self.processes[process as usize].base;
        let mut node = start.0;
        for _ in 0..MAX_ATOMIC_STEPS {
            if NodeId(node) == end {
                return Straight::Done;
            }
            let mut only = None;
            let forks =
                !self.offered(self.nodes[(base + node) as usize].clone(), state, &mut |edge, taken| {
                    let code = &self.edges[edge as usize];
                    if goes_on(code, node) || (taken.is_ok() && self.is_full_or_empty(code, state)) {
                        return true;
                    }
                    only.replace((code, taken)).is_none()
                });
            let Some((code, taken)) = only else { return Straight::Blocked };
            if forks {
                return Straight::Forks;
            }
            if let Err(fault) = taken.and_then(|()| self.apply(&code.effect, state)) {
                return Straight::Fault(fault);
            }
            node = code.target;
        }
        Straight::Fault(Fault::Endless)
    }
}

/// Is this a statement that goes on? As a part of one step it ends.
fn goes_on(code: &EdgeCode, node: u32) -> bool {
    code.target == node && matches!((&code.effect, &code.guard), (EffectCode::Nothing, GuardCode::Always))
}
