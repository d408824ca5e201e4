//! The table of states under every interleaving, against a sequential reference.
//!
//! Each thread inserts a list of states. The reference inserts them one after the other, in every order: it
//! says which thread may find a state new. The states of a test have the same first slot.

use super::super::shared_table::SharedTable;
use super::{SMALL, explore_all};
use crate::store::{StateId, hash};
use crate::sync::thread;
use selvedge::MemoryModel::{Pso, Sc, Tso};
use std::collections::{BTreeMap, BTreeSet};

/// For each thread, whether it found its states new.
type News = Vec<Vec<bool>>;

/// The state with this index among those that have the first slot of the table.
fn state(index: usize) -> u64 {
    (0..).filter(|word| hash(&[*word]) >> 59 == 0).nth(index).expect("a state")
}

/// What the threads may find, by every order of their insertions.
fn reference(threads: &[&[usize]]) -> BTreeSet<News> {
    let mut all = BTreeSet::new();
    let mut open = vec![(BTreeSet::new(), vec![Vec::new(); threads.len()])];
    while let Some((stored, news)) = open.pop() {
        let mut is_over = true;
        for (thread, states) in threads.iter().enumerate() {
            let Some(state) = states.get(news[thread].len()) else { continue };
            is_over = false;
            let (mut stored, mut news): (BTreeSet<usize>, News) = (stored.clone(), news.clone());
            news[thread].push(stored.insert(*state));
            open.push((stored, news));
        }
        if is_over {
            all.insert(news);
        }
    }
    all
}

/// Inserts the states of each thread, and checks that every state has one number.
fn run(threads: &[&[usize]], range: usize, words: &[u64]) -> News {
    let table = SharedTable::with_size(SMALL, 1, None, range);
    // The block of the array exists: it is not explored here.
    table.read(StateId(0), &mut Vec::new());
    let work = |number: usize| -> Vec<(StateId, bool)> {
        let mut session = table.session();
        let insert = |state: &usize| {
            session.reserve(1);
            let probe = session.probe(&[words[*state]]);
            session.insert_at(&[words[*state]], probe).expect("there is no limit")
        };
        threads[number].iter().map(insert).collect()
    };
    let found: Vec<Vec<(StateId, bool)>> = thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..threads.len()).map(|number| scope.spawn(move || work(number))).collect();
        let first = work(0);
        let others = others.into_iter().map(|other| other.join().expect("a thread that does not panic"));
        std::iter::once(first).chain(others).collect()
    });
    let (mut numbers, mut buffer) = (BTreeMap::new(), Vec::new());
    for (state, (id, _)) in threads.iter().flat_map(|states| states.iter()).zip(found.iter().flatten()) {
        assert_eq!(*numbers.entry(*state).or_insert(*id), *id, "a state has one number");
        table.read(*id, &mut buffer);
        assert_eq!(buffer, [words[*state]], "a number has one state");
    }
    assert_eq!(numbers.values().collect::<BTreeSet<_>>().len(), numbers.len(), "numbers are different");
    assert_eq!(table.len(), numbers.len(), "the number of states");
    found.into_iter().map(|found| found.into_iter().map(|(_, is_new)| is_new).collect()).collect()
}

#[track_caller]
fn check(threads: &[&[usize]], range: usize) {
    let words: Vec<u64> = (0..8).map(state).collect();
    let expected = reference(threads);
    for memory in [Sc, Tso, Pso] {
        let report = explore_all(memory, || run(threads, range, &words));
        let found: BTreeSet<News> = report.values().cloned().collect();
        assert_eq!(found, expected, "{memory:?}");
    }
}

#[test]
fn two_threads_store_the_same_state_once() {
    check(&[&[0], &[0]], 8);
}

#[test]
fn two_threads_store_the_same_states_in_two_orders() {
    check(&[&[0, 1], &[1, 0]], 8);
}

#[test]
fn a_slot_is_taken_while_a_thread_looks_for_it() {
    check(&[&[0, 1], &[2, 1]], 8);
}

#[test]
fn the_table_grows_while_a_thread_uses_it() {
    // A range of four numbers for each thread is more than the seven that eight slots have room for.
    check(&[&[0], &[1, 0]], 4);
}
