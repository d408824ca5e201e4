//! An automaton without its useless states: states that no accepting run visits.
//!
//! Written here, by transitive closure, so that SPIN's claims are compared without the library's own
//! pruning.
//!
//! Promise: the language stays; every remaining state is reachable and accepts some word, unless the
//! language is empty.

use super::relation::Relation;
use selvedge_ltl::buchi::{Automaton, StateId};

/// The useful part of a state-based automaton.
pub(crate) fn trimmed(automaton: &Automaton) -> Automaton {
    let count = automaton.state_count();
    let mut after = Relation::new(count);
    for (from, edges) in automaton.edges.iter().enumerate() {
        for edge in edges {
            after.add(from, edge.target as usize);
        }
    }
    after.close();
    let all = automaton.all_marks();
    let repeats = |state: usize| {
        let accepting = automaton.edges[state].iter().all(|edge| edge.marks == all);
        accepting && after.contains(state, state)
    };
    let initial = automaton.initial as usize;
    let reached = |state: usize| state == initial || after.contains(initial, state);
    let live = |state: usize| repeats(state) || (0..count).any(|to| after.contains(state, to) && repeats(to));
    let mut next = 0;
    let mut number = |state: usize| {
        (reached(state) && live(state)).then(|| {
            next += 1;
            next as StateId - 1
        })
    };
    let keep: Vec<Option<StateId>> = (0..count).map(&mut number).collect();
    let mut kept = automaton.renumbered(&keep);
    // Without marks every run would be accepting, so an automaton without states keeps its mark count.
    kept.mark_count = automaton.mark_count;
    kept
}
