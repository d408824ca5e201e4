//! A reference for the exploration of programs: a machine that is independent of the library, and a search that stores states.
//!
//! The state is what each thread has still to do and has seen, what is in its store buffers, and what the shared objects are like.
//! All states that can be reached are visited once each, so the cost is their number and not that of runs, and much larger programs can
//! be judged than by all runs.
//!
//! Where the library is clever, this is plain: a notification picks one of those who wait when it comes (the library lets them
//! take a token later), and whose time is up was not picked; a store that others must not overtake counts those in its way; a thread
//! that looks at something has a mark, which whoever changes that removes. All operations of [`Op`](crate::program::Op) are in it.
//!
//! Promise: the outcomes are those that `docs/memory.md` and the documentation of the modules permit, all of them.

use crate::machine::{Machine, State};
use crate::program::Program;
use selvedge::{MemoryModel, Outcome};
use std::collections::{BTreeSet, HashSet};

/// What each thread saw, or what else became of the program, and what is in the atomics then.
pub(crate) type End = (Outcome<Vec<Vec<u32>>>, [u8; 3]);

/// All ends of a program; nothing if it has more states than these.
pub(crate) fn ends(program: &Program, memory: MemoryModel, max_states: usize) -> Option<BTreeSet<End>> {
    let machine = Machine::new(program, memory);
    let first = machine.first();
    let mut ends = BTreeSet::new();
    let (mut known, mut open) = (HashSet::from([first.clone()]), vec![first]);
    let mut next = Vec::new();
    while let Some(state) = open.pop() {
        if machine.has_returned(&state) {
            ends.insert((Outcome::Returned(machine.seen(&state)), state.memory));
            continue;
        }
        machine.list_next(&state, &mut next);
        if next.is_empty() {
            ends.insert((Outcome::Deadlock, state.memory));
        }
        for state in next.drain(..) {
            if !known.contains(&state) {
                known.insert(state.clone());
                open.push(state);
            }
        }
        if known.len() > max_states {
            return None;
        }
    }
    Some(ends)
}

/// All outcomes of a program; nothing if it has more states than these.
pub(crate) fn outcomes(
    program: &Program,
    memory: MemoryModel,
    max_states: usize,
) -> Option<BTreeSet<Outcome<Vec<Vec<u32>>>>> {
    let ends = ends(program, memory, max_states)?;
    Some(ends.into_iter().map(|(outcome, _)| outcome).collect())
}
