//! Calls of recursive functions under abstract interpretation, by tables.
//!
//! Under a domain the recursion over `?list` has no bottom: each call branches into an end and a call
//! with the same arguments, below one more frame. So the results of a call are a least fixed point
//! (tabling; Tamaki and Sato, OLD resolution with tabulation, 1986): a call that is met while it is being
//! evaluated gives the results that are known so far, and evaluation is repeated until no results are
//! added. Only calls without a step that other processes can see are tabulated; all others are evaluated
//! with frames.
//!
//! Promise: the results include those of every evaluation with frames.

use super::bifs::Applied;
use super::{Activation, EMPTY_STACK, Evaluator, Focus, Stop};
use crate::erlang::code::{FunctionId, NodeId};
use crate::erlang::term::{Pid, Value, atom};
use rustc_hash::FxHashMap;

/// The results of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) values: Vec<Applied>,
    /// Where the call may go on for ever.
    pub(super) diverges: Option<NodeId>,
}

#[derive(Default)]
pub(super) struct Table {
    entries: FxHashMap<Key, Entry>,
    /// The calls that are being evaluated, outermost first.
    active: Vec<Key>,
}

type Key = (Pid, FunctionId, Vec<Value>);

struct Entry {
    results: Results,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The place among the active calls.
    Active(usize),
    Complete,
    /// Results so far, from an evaluation that depended on an outer call.
    Partial,
    /// The call has steps that other processes can see.
    Visible,
}

/// Deeper nesting of calls of different arguments is left to evaluation with frames.
const MAX_ACTIVE: usize = 200;

impl Evaluator {
    /// The results of a call; `None` if it cannot be tabulated.
    pub(super) fn tabulate(&mut self, pid: Pid, function: FunctionId, values: &[Value]) -> Option<Results> {
        let key = (pid, function, values.to_vec());
        match self.tabulated.entries.get(&key) {
            Some(Entry { state: State::Visible, .. }) => return None,
            Some(Entry { results, state: State::Complete }) => return Some(results.clone()),
            Some(Entry { results, state: State::Active(place) }) => {
                let (mut results, place) = (results.clone(), *place);
                self.lowest_used = self.lowest_used.min(place);
                if !self.code.functions[function as usize].terminates {
                    results.diverges = Some(self.code.functions[function as usize].body);
                }
                return Some(results);
            }
            _ => {}
        }
        if self.tabulated.active.len() >= MAX_ACTIVE {
            return None;
        }
        self.fixed_point(&key)
    }

    fn fixed_point(&mut self, key: &Key) -> Option<Results> {
        let place = self.tabulated.active.len();
        self.tabulated.active.push(key.clone());
        let known = self.tabulated.entries.remove(key).map(|entry| entry.results).unwrap_or_default();
        let entry = Entry { results: known, state: State::Active(place) };
        self.tabulated.entries.insert(key.clone(), entry);
        let outer_used = std::mem::replace(&mut self.lowest_used, usize::MAX);
        let answer = loop {
            let Some(results) = self.evaluate_call(key) else { break None };
            let entry = self.tabulated.entries.get_mut(key).expect("the call is active");
            let mut merged = entry.results.clone();
            for value in results.values {
                if !merged.values.contains(&value) {
                    merged.values.push(value);
                }
            }
            merged.diverges = merged.diverges.or(results.diverges);
            let is_stable = merged == entry.results;
            entry.results = merged.clone();
            if is_stable || self.lowest_used > place {
                break Some(merged);
            }
        };
        self.tabulated.active.pop();
        let depends_on_outer = self.lowest_used < place;
        let state = match &answer {
            None => State::Visible,
            Some(_) if depends_on_outer => State::Partial,
            Some(_) => State::Complete,
        };
        self.tabulated.entries.get_mut(key).expect("the call was active").state = state;
        self.lowest_used = outer_used.min(if depends_on_outer { self.lowest_used } else { usize::MAX });
        answer
    }

    /// One evaluation of the function's body; `None` if it has a visible step or reaches a limit.
    fn evaluate_call(&mut self, (pid, function, values): &Key) -> Option<Results> {
        let mut activation = Activation {
            pid: *pid,
            focus: Focus::Return(Value::DEAD),
            environment: Vec::new(),
            frames: Vec::new(),
            base: EMPTY_STACK,
            raised: 0,
        };
        let entered = std::mem::replace(&mut self.has_entered_endless, false);
        let diverged = self.has_diverged.take();
        // Tabulated calls need no bound on frames, and return to their own caller.
        let flow = self.flow.take();
        self.enter(&mut activation, *function, values.clone());
        let mut stops = Vec::new();
        self.evaluate(vec![activation], &mut stops);
        self.has_entered_endless = entered;
        self.has_diverged = diverged;
        self.flow = flow;
        let mut results = Results::default();
        for stop in stops {
            match stop {
                Stop::End { class: atom::NORMAL, reason, .. } => results.values.push(Applied::Value(reason)),
                Stop::End { class, reason, .. } => results.values.push(Applied::Raise(class, reason)),
                Stop::Diverge { node } => results.diverges = Some(node),
                _ => return None,
            }
        }
        Some(results)
    }
}
