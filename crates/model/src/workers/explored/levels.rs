//! The states of a level under every interleaving: parents, gaps, and numbers that are given back.
//!
//! Workers discover states of the next level from parents of their own. Which worker stores a state first
//! depends on timing; the parent that is kept does not.

use super::super::level_table::{LevelTable, Parent};
use super::super::shared_table::SharedTable;
use super::{SMALL, explore_all};
use crate::store::StateId;
use crate::sync::thread;
use selvedge::MemoryModel::{Pso, Sc, Tso};
use std::collections::BTreeSet;

/// The number of initial states, which are the parents.
const PARENTS: u32 = 3;

/// A parent and a state that is discovered from it.
type Edge = (u32, u64);

/// A table with the parents, the words of which are 0, 1 and so on.
fn parents() -> LevelTable {
    let table = LevelTable { states: SharedTable::with_size(SMALL, (1, 1), None, 8) };
    let mut session = table.states.session_with_range(1);
    for word in 0..PARENTS {
        assert_eq!(table.add_initial(&mut session, &[word.into()]), Some((StateId(word), true)));
    }
    session.give_back();
    drop(session);
    table
}

/// Stores the targets of edges, with ranges of two numbers.
fn discover(table: &LevelTable, edges: &[Edge], parent_of: impl Fn(u32) -> Parent) {
    let mut session = table.states.session_with_range(2);
    for (from, word) in edges {
        session.reserve(1);
        let (parent, probe) = (parent_of(*from), session.probe(&[*word]));
        let (id, is_new) = session.insert_noted(&[*word], probe, Some(parent.0)).expect("no limit");
        if !is_new {
            table.choose_parent(id, parent);
        }
    }
    session.give_back();
}

/// The words of the states of the next level with those of their parents.
fn found(table: &LevelTable) -> BTreeSet<(u64, u64)> {
    let word = |id| table.state(id)[0];
    let ids: Vec<StateId> = (PARENTS..table.states.given()).map(StateId).collect();
    let states = ids.iter().filter_map(|id| Some((word(*id), word(table.parent(*id)?))));
    let found: Vec<_> = states.collect();
    assert_eq!(found.len() + PARENTS as usize, table.states.len(), "a number without a state is a gap");
    found.into_iter().collect()
}

#[track_caller]
fn check(workers: [&[Edge]; 2], parent_of: fn(u32) -> Parent, expected: &[(u64, u64)]) {
    for memory in [Sc, Tso, Pso] {
        let report = explore_all(memory, || {
            let table = parents();
            thread::scope(|scope| {
                scope.spawn(|| discover(&table, workers[1], parent_of));
                discover(&table, workers[0], parent_of);
            });
            let level = found(&table);
            // The next level begins behind this one: no number is used twice.
            let end = table.states.given();
            discover(&table, &[(0, 99)], parent_of);
            assert_eq!(table.state(StateId(end)), [99].into());
            assert_eq!(found(&table).len(), level.len() + 1);
            level
        });
        let found: Vec<_> = report.values().cloned().collect();
        assert_eq!(found, [expected.iter().copied().collect()], "{memory:?}");
    }
}

fn ranked(number: u32) -> Parent {
    Parent::new(StateId(number), &[number.into()])
}

#[test]
fn the_parent_with_the_least_rank_is_kept() {
    let least = (0..PARENTS).min_by_key(|number| ranked(*number).0).expect("parents");
    let (other, last) = ((least + 1) % PARENTS, (least + 2) % PARENTS);
    check([&[(other, 50)], &[(least, 50)]], ranked, &[(50, least.into())]);
    check([&[(other, 50), (least, 50)], &[(last, 50)]], ranked, &[(50, least.into())]);
}

#[test]
fn of_parents_with_equal_ranks_the_words_decide() {
    let equal = |number| Parent::unranked(StateId(number));
    check([&[(2, 50)], &[(1, 50)]], equal, &[(50, 1)]);
    check([&[(1, 50)], &[(2, 50)]], equal, &[(50, 1)]);
}

#[test]
fn numbers_that_are_given_back_are_used_once() {
    check([&[(0, 50)], &[(1, 51), (1, 52)]], ranked, &[(50, 0), (51, 1), (52, 1)]);
}
