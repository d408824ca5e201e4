//! The records of expansions under every interleaving: a record that is taken is the state's own.
//!
//! Helpers publish records, and the search takes them. The record of a state has words that no other state's
//! record has.

use super::super::chunked_array::ArrayShape;
use super::super::expansions::{Draft, Expansions};
use super::{SMALL, explore_all};
use crate::store::StateId;
use crate::sync::thread;
use selvedge::MemoryModel::{Pso, Sc};
use std::collections::BTreeSet;

/// Four blocks of sixteen words: four records each.
const WORDS: ArrayShape = ArrayShape { block_bits: 4, branch_bits: 1, top_bits: 1 };

/// Publishes a record for each of the states, all in one block, if the budget has one.
fn publish(expansions: &Expansions, states: &[u32], budget: usize) {
    let mut draft = Draft::default();
    for state in states {
        draft.add(StateId(*state), 1, &[100 + state, 200 + state]);
    }
    if let Some(block) = expansions.block(budget) {
        expansions.publish(block, &mut draft);
    }
}

/// For each state in turn, whether its record was taken.
fn take(expansions: &Expansions, states: &[u32]) -> Vec<bool> {
    let take = |state: &u32| {
        let mut words = Vec::new();
        let is_taken = expansions.take(StateId(*state), 0, &mut words);
        assert!(!is_taken || words == [100 + state, 200 + state], "the state's own record: {words:?}");
        is_taken
    };
    states.iter().map(take).collect()
}

/// Helpers publish these lists of states one after the other, each helper in its own thread, while the
/// search takes the records of others. Returns what may be taken.
fn check(helpers: &[&[&[u32]]], taken: &[u32], budget: usize) -> BTreeSet<Vec<bool>> {
    let mut all = BTreeSet::new();
    for memory in [Sc, Pso] {
        let report = explore_all(memory, || {
            let expansions = Expansions::with_size(SMALL, SMALL, WORDS);
            // The blocks of the arrays exist: they are not explored here.
            expansions.missing(StateId(0), 0);
            let found = thread::scope(|scope| {
                for drafts in helpers {
                    let expansions = &expansions;
                    scope.spawn(move || drafts.iter().for_each(|states| publish(expansions, states, budget)));
                }
                take(&expansions, taken)
            });
            expansions.validate(16);
            found
        });
        all.extend(report.values().cloned());
    }
    all
}

fn set(found: &[&[bool]]) -> BTreeSet<Vec<bool>> {
    found.iter().map(|found| found.to_vec()).collect()
}

#[test]
fn a_record_is_taken_once_it_is_published() {
    let all = set(&[&[false, false], &[false, true], &[true, false]]);
    assert_eq!(check(&[&[&[3]]], &[3, 3], 1), all);
}

#[test]
fn two_helpers_with_the_same_state_leave_one_record_at_a_time() {
    let all = set(&[&[false, false], &[false, true], &[true, false], &[true, true]]);
    assert_eq!(check(&[&[&[3]], &[&[3]]], &[3, 3], 2), all);
}

#[test]
fn a_block_is_used_again_when_its_records_are_taken() {
    // The second draft has no block until the record of the first is taken.
    let all = set(&[&[false, false], &[true, false], &[true, true]]);
    assert_eq!(check(&[&[&[1], &[2]]], &[1, 2], 1), all);
}

#[test]
fn the_last_records_of_a_block_may_be_lost() {
    // One record of four may be lost: the others are taken first.
    let expansions = Expansions::with_size(SMALL, SMALL, WORDS);
    publish(&expansions, &[1, 2, 3, 4], 1);
    assert_eq!(take(&expansions, &[1, 2]), [true, true]);
    publish(&expansions, &[5], 1);
    assert_eq!(take(&expansions, &[5]), [false], "two of four records are left");
    assert_eq!(take(&expansions, &[3]), [true]);
    publish(&expansions, &[5], 1);
    assert_eq!(take(&expansions, &[4, 5]), [false, true]);
    expansions.validate(16);
}

#[test]
fn a_record_that_is_lost_while_it_is_taken_is_not_mixed_with_another() {
    let mut all = BTreeSet::new();
    for memory in [Sc, Pso] {
        let report = explore_all(memory, || {
            let expansions = Expansions::with_size(SMALL, SMALL, WORDS);
            publish(&expansions, &[4, 1, 2, 3], 1);
            assert_eq!(take(&expansions, &[1, 2, 3]), [true; 3]);
            let found = thread::scope(|scope| {
                // One record of four is left: it may be lost, and its words written again.
                scope.spawn(|| publish(&expansions, &[5], 1));
                take(&expansions, &[4, 5])
            });
            expansions.validate(16);
            found
        });
        all.extend(report.values().cloned());
    }
    assert_eq!(all, set(&[&[false, false], &[false, true], &[true, false], &[true, true]]));
}

#[test]
fn a_record_is_taken_for_each_automaton_state_that_it_is_made_for() {
    let expansions = Expansions::with_size(SMALL, SMALL, WORDS);
    let mut draft = Draft::default();
    draft.add(StateId(3), 0b101, &[7]);
    expansions.publish(expansions.block(1).expect("a block"), &mut draft);
    let mut words = Vec::new();
    let mut take = |automaton| expansions.take(StateId(3), automaton, &mut words);
    assert_eq!([0, 1, 2, 2].map(&mut take), [true, true, true, false]);
    expansions.validate(16);
}
