//! A reference for the exploration of programs: a machine that is independent of the library, and a search
//! that stores states.
//!
//! A state consists of the remaining steps and the observations of each thread, its store buffer, and the
//! shared objects. The search visits each reachable state once. Its cost is the number of states, not of
//! runs, so it can judge much larger programs than an enumeration of all runs can.
//!
//! The machine is simple where the library is clever: a notification picks a waiter at once (the library
//! lets a waiter take a token later), and a timed-out waiter was not picked; a store that must not be
//! reordered counts the stores before it; a reading thread has a mark, which a change of the object removes;
//! time passes by itself (the library lets it pass when a thread reads the clock or times out).
//! It covers the operations of [`Op`](super::program::Op), except those that
//! `Op::is_known_to_reference` excludes.
//!
//! Promise: the outcomes are exactly the outcomes that `docs/memory.md` and the documentation of the modules
//! permit.

use super::machine::{Machine, State};
use super::program::Program;
use selvedge::{MemoryModel, Outcome};
use std::collections::{BTreeSet, HashMap};

/// The result of the search.
pub(crate) struct ReferenceResult {
    pub(crate) ends: BTreeSet<End>,
    /// The number of runs from the first state to a final state; saturating.
    pub(crate) runs: u64,
}

/// The values that each thread saw, or the other outcome of the program, and the final values of the
/// atomics.
pub(crate) type End = (Outcome<Vec<Vec<u32>>>, [u8; 3]);

impl ReferenceResult {
    pub(crate) fn outcomes(&self) -> BTreeSet<Outcome<Vec<Vec<u32>>>> {
        self.ends.iter().map(|(outcome, _)| outcome.clone()).collect()
    }
}

/// Visits all states of a program. Returns `None` if there are more than `max_states`. If the program does
/// not read the clock, deadlines make no difference, and timed waits end at any step.
pub(crate) fn judge(program: &Program, memory: MemoryModel, max_states: usize) -> Option<ReferenceResult> {
    judge_with(program, memory, max_states, program.needs_deadlines())
}

/// The same; timed waits end by their deadlines, or at any step.
pub(crate) fn judge_with(
    program: &Program,
    memory: MemoryModel,
    max_states: usize,
    has_deadlines: bool,
) -> Option<ReferenceResult> {
    let machine = Machine::new(program, memory, has_deadlines);
    let mut search = Search { machine: &machine, visited: HashMap::new(), ends: BTreeSet::new(), max_states };
    let runs = search.visit(machine.first())?;
    Some(ReferenceResult { ends: search.ends, runs })
}

struct Search<'m> {
    machine: &'m Machine,
    /// The visited states, with the number of runs that begin there.
    visited: HashMap<State, u64>,
    ends: BTreeSet<End>,
    max_states: usize,
}

impl Search<'_> {
    /// Visits the states that are reachable from a state. Returns the number of runs that begin there.
    /// Terminates because the state graph of a program has no cycles.
    fn visit(&mut self, state: State) -> Option<u64> {
        if let Some(runs) = self.visited.get(&state) {
            return Some(*runs);
        }
        if self.visited.len() == self.max_states {
            return None;
        }
        let mut next = Vec::new();
        let has_returned = self.machine.has_returned(&state);
        if !has_returned {
            self.machine.push_successors(&state, &mut next);
        }
        let mut runs = 0;
        if next.is_empty() {
            let seen = has_returned.then(|| self.machine.seen(&state));
            self.ends.insert((seen.map_or(Outcome::Deadlock, Outcome::Returned), state.memory));
            runs = 1;
        }
        for next in next {
            runs = self.visit(next)?.saturating_add(runs);
        }
        self.visited.insert(state, runs);
        Some(runs)
    }
}
