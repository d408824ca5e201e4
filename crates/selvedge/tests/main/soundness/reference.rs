//! A reference for the exploration of programs: a machine that is independent of the library, and a search that stores states.
//!
//! The state is what each thread has still to do and has seen, what is in its store buffers, and what the shared objects are like.
//! All states that can be reached are visited once each, so the cost is their number and not that of runs, and much larger programs can
//! be judged than by all runs.
//!
//! Where the library is clever, this is plain: a notification picks one of those who wait when it comes (the library lets them
//! take a token later), and whose time is up was not picked; a store that others must not overtake counts those in its way; a thread
//! that looks at something has a mark, which whoever changes that removes. All operations of [`Op`](super::program::Op) are in it.
//!
//! Promise: the outcomes are those that `docs/memory.md` and the documentation of the modules permit, all of them.

use super::machine::{Machine, State};
use super::program::Program;
use selvedge::{MemoryModel, Outcome};
use std::collections::{BTreeSet, HashMap};

/// What is known of a program.
pub(crate) struct Judged {
    pub(crate) ends: BTreeSet<End>,
    /// How many runs there are, from the first state to the last; not more than a number can say.
    pub(crate) runs: u64,
}

/// What each thread saw, or what else became of the program, and what is in the atomics then.
pub(crate) type End = (Outcome<Vec<Vec<u32>>>, [u8; 3]);

impl Judged {
    pub(crate) fn outcomes(&self) -> BTreeSet<Outcome<Vec<Vec<u32>>>> {
        self.ends.iter().map(|(outcome, _)| outcome.clone()).collect()
    }
}

/// Visits all states of a program; nothing if there are more than these.
pub(crate) fn judge(program: &Program, memory: MemoryModel, max_states: usize) -> Option<Judged> {
    let machine = Machine::new(program, memory);
    let mut search = Search { machine: &machine, known: HashMap::new(), ends: BTreeSet::new(), max_states };
    let runs = search.visit(machine.first())?;
    Some(Judged { ends: search.ends, runs })
}

struct Search<'m> {
    machine: &'m Machine,
    /// The states that were visited, with the runs that begin there.
    known: HashMap<State, u64>,
    ends: BTreeSet<End>,
    max_states: usize,
}

impl Search<'_> {
    /// Visits what can be reached from a state. Returns how many runs begin there. No program comes back to where it was, so
    /// this comes to its end.
    fn visit(&mut self, state: State) -> Option<u64> {
        if let Some(runs) = self.known.get(&state) {
            return Some(*runs);
        }
        if self.known.len() == self.max_states {
            return None;
        }
        let mut next = Vec::new();
        let has_returned = self.machine.has_returned(&state);
        if !has_returned {
            self.machine.list_next(&state, &mut next);
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
        self.known.insert(state, runs);
        Some(runs)
    }
}
