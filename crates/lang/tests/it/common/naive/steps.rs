//! The steps of all processes: tests, assignments, messages, rendezvous, creations, `atomic`, errors.

use super::ast::{ChannelRef, Value};
use super::edges::{Action, Edge, Guard, Rest};
use super::values::is_match;
use super::{Fault, Naive, State};

impl Naive {
    /// The states that one step leads to, a step that two ways lead to twice.
    /// Of timeouts only where there is no other, and of the highest priority.
    pub(crate) fn successors(&self, state: &State) -> Vec<State> {
        let steps_of = |is_timeout: bool| {
            let mut out = Vec::new();
            for process in 0..state.rest.len() {
                for (number, edge) in self.edges(state.rest[process]).iter().enumerate() {
                    if matches!(edge.guard, Guard::Timeout) == is_timeout {
                        self.take(state, (process, number), edge, &mut out);
                    }
                }
            }
            out
        };
        if state.error.is_some() {
            return Vec::new();
        }
        let steps = steps_of(false);
        let mut steps = if steps.is_empty() { steps_of(true) } else { steps };
        let priority = |step: &State| step.movers.iter().map(|mover| self.instances[*mover].priority).max();
        let highest = steps.iter().map(priority).max();
        steps.retain(|step| Some(priority(step)) == highest);
        steps
    }

    fn take(
        &self,
        state: &State,
        (process, number): (usize, usize),
        edge: &Edge<Rest>,
        out: &mut Vec<State>,
    ) {
        let failed = |fault| failed(state, &[process], (process, number, fault));
        match self.passes(state, process, &edge.guard) {
            Ok(true) => {}
            Ok(false) => return,
            // A test and its opposite fail once.
            Err(_) if matches!(edge.guard, Guard::Is(_, false)) => return,
            Err(fault) => return out.push(failed(fault)),
        }
        match &edge.action {
            Action::Send(place, values) if self.channels[place.0].capacity == 0 => {
                return self.meet(state, (process, number), (place, values, edge.rest), out);
            }
            Action::Receive(place, _) if self.channels[place.0].capacity == 0 => {
                return out.extend(self.buffer(state, place).err().map(failed));
            }
            _ => {}
        }
        for end in self.ends(state, process, &edge.action) {
            out.push(match end {
                Ok(mut end) => {
                    end.rest[process] = edge.rest;
                    end.movers = vec![process];
                    end
                }
                Err(fault) => failed(fault),
            });
        }
    }

    /// What an action leads to: nothing if it has to wait, and more than one state if it is an `atomic`.
    fn ends(&self, state: &State, process: usize, action: &Action<Rest>) -> Vec<Result<State, Fault>> {
        if let Action::Atomic(block) = action {
            let mut ends = Vec::new();
            self.run(state, process, *block, &mut ends);
            return ends;
        }
        let mut next = state.clone();
        match self.act(&mut next, process, action) {
            Ok(true) => vec![Ok(next)],
            Ok(false) => Vec::new(),
            Err(fault) => vec![Err(fault)],
        }
    }

    /// Every way through statements that are one step together.
    fn run(&self, state: &State, process: usize, rest: Rest, out: &mut Vec<Result<State, Fault>>) {
        if self.texts.borrow().blocks[rest].is_empty() {
            return out.push(Ok(state.clone()));
        }
        for edge in self.edges(rest).iter() {
            let is_idle = matches!((&edge.guard, &edge.action), (Guard::Always, Action::Nothing));
            match self.passes(state, process, &edge.guard) {
                // Inside of one step a looping statement does not go on.
                Ok(true) if is_idle && edge.rest == rest => {}
                Ok(true) => {
                    for end in self.ends(state, process, &edge.action) {
                        match end {
                            Ok(next) => self.run(&next, process, edge.rest, out),
                            Err(fault) => out.push(Err(fault)),
                        }
                    }
                }
                Ok(false) => {}
                Err(_) if matches!(edge.guard, Guard::Is(_, false)) => {}
                Err(fault) => out.push(Err(fault)),
            }
        }
    }

    fn passes(&self, state: &State, process: usize, guard: &Guard<Rest>) -> Result<bool, Fault> {
        match guard {
            Guard::Always | Guard::Timeout => Ok(true),
            Guard::Is(test, is) => Ok(self.holds(state, test)? == *is),
            Guard::Created(created) => Ok(state.created[*created]),
            Guard::Else(edges) => Ok(!edges.iter().any(|edge| self.can_be_taken(state, process, edge))),
        }
    }

    /// Can a step be taken that needs no other process? A step that leads to an error can.
    fn can_be_taken(&self, state: &State, process: usize, edge: &Edge<Rest>) -> bool {
        match self.passes(state, process, &edge.guard) {
            Ok(passes) => passes && !self.ends(state, process, &edge.action).is_empty(),
            Err(_) => true,
        }
    }

    /// Does what an action does; false if it has to wait.
    fn act(&self, state: &mut State, process: usize, action: &Action<Rest>) -> Result<bool, Fault> {
        match action {
            Action::Nothing => {}
            Action::Assign(parts) => self.assign(state, parts)?,
            Action::Assert(test) => {
                if !self.holds(state, test)? {
                    return Err(Fault::Assertion);
                }
            }
            Action::Create(name, arguments) => return self.create(state, name, arguments),
            Action::Send(place, values) => {
                let buffer = self.buffer(state, place)?;
                if state.messages[buffer].len() == self.channels[place.0].capacity {
                    return Ok(false);
                }
                let message = self.message(state, values)?;
                state.messages[buffer].push(message);
            }
            Action::Receive(place, fields) => {
                let buffer = self.buffer(state, place)?;
                let Some(message) = state.messages[buffer].first().cloned() else { return Ok(false) };
                if !is_match(fields, &message) {
                    return Ok(false);
                }
                self.store(state, fields, &message)?;
                state.messages[buffer].remove(0);
            }
            Action::Atomic(block) => unreachable!("process {process}: atomic inside of atomic: {block:?}"),
        }
        Ok(true)
    }

    /// The first process of this kind that is not yet created begins; false if all are.
    fn create(&self, state: &mut State, name: &str, arguments: &[Value]) -> Result<bool, Fault> {
        let is_next = |process: &usize| {
            let kind = self.instances[*process].created.as_ref().map(|(kind, _)| *kind);
            kind == Some(name) && !state.created[*process]
        };
        let Some(process) = (0..self.instances.len()).find(is_next) else { return Ok(false) };
        let values = self.message(state, arguments)?;
        let parameters = self.instances[process].created.iter().flat_map(|(_, parameters)| parameters);
        for (parameter, value) in parameters.zip(values) {
            state.values[self.places[parameter].0] = value;
        }
        state.created[process] = true;
        Ok(true)
    }

    /// The steps that a send takes together with a receive of another process.
    fn meet(
        &self,
        state: &State,
        (sender, number): (usize, usize),
        (place, values, rest): (&ChannelRef, &[Value], Rest),
        out: &mut Vec<State>,
    ) {
        let buffer = match self.buffer(state, place) {
            Ok(buffer) => buffer,
            Err(fault) => return out.push(failed(state, &[sender], (sender, number, fault))),
        };
        for receiver in (0..state.rest.len()).filter(|receiver| *receiver != sender) {
            for (accept, edge) in self.edges(state.rest[receiver]).iter().enumerate() {
                let Action::Receive(other, fields) = &edge.action else { continue };
                if other.0 != place.0 || self.buffer(state, other) != Ok(buffer) {
                    continue;
                }
                let message = match self.message(state, values) {
                    Ok(message) => message,
                    Err(fault) => return out.push(failed(state, &[sender], (sender, number, fault))),
                };
                if !is_match(fields, &message) {
                    continue;
                }
                let mut next = state.clone();
                next.movers = vec![sender, receiver];
                out.push(match self.store(&mut next, fields, &message) {
                    Ok(()) => {
                        next.rest[sender] = rest;
                        next.rest[receiver] = edge.rest;
                        next
                    }
                    Err(fault) => failed(state, &[sender, receiver], (receiver, accept, fault)),
                });
            }
        }
    }
}

/// Nothing is changed, but for the error.
fn failed(state: &State, movers: &[usize], error: (usize, usize, Fault)) -> State {
    State { movers: movers.to_vec(), error: Some(error), ..state.clone() }
}
