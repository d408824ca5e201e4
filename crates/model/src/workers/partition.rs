//! The states of a search by levels, divided among partitions: each state belongs to one, by its hash.
//!
//! Stern and Dill, Parallelizing the Murφ Verifier, CAV 1997. A partition is used by one worker alone, so it
//! is the table of a sequential search, without atomics, and its lines stay in the cache of one core. A
//! table that all workers share is slower where cores share no cache: most states of a level were written by
//! another core a moment ago, and each of their lines is fetched from there.
//!
//! A state keeps one of its parents, the one with the least rank, a part of the parent's hash; so the parent
//! does not depend on the order in which steps come in. Where ranks are equal, words decide, when the level
//! is done: the words of a parent are in a partition that another worker may be using until then.
//!
//! States that another search has found keep their numbers, but for the partitions they have others, behind
//! those.
//!
//! Promise: of several parents of a state, the one with the least rank is kept, whatever the timing; a
//! number stands for the same state for ever.

use super::batch::Batch;
use super::quota::StateQuota;
use crate::store::{Probe, StateId, StateTable, hash};
use crate::system::Word;
use std::ops::Range;

/// A state from which another one is discovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) id: StateId,
    rank: u32,
}

impl Parent {
    /// The parent with this hash.
    pub(super) fn new(id: StateId, hash: u64) -> Parent {
        Parent { id, rank: (hash >> 32) as u32 }
    }
}

/// The states of one partition.
#[derive(Debug)]
pub(super) struct Partition {
    numbering: Numbering,
    pub(super) states: StateTable,
    /// By the number of a state here, the number of its parent in all partitions; an initial state is its
    /// own.
    pub(super) parents: Vec<StateId>,
    /// The states of the level, by their numbers here; those behind it are of the next level.
    pub(super) level: Range<u32>,
    /// The ranks of the parents of the states of the next level.
    ranks: Vec<u32>,
    /// Other parents of states of the next level, with the rank of the one that was known.
    ties: Vec<(u32, Parent)>,
    probes: Vec<Probe>,
}

/// Which partition, of how many, and the first number of a state in any of them.
#[derive(Clone, Copy, Debug)]
struct Numbering {
    number: u32,
    count: u32,
    first: u32,
}

impl Numbering {
    /// The number of a state in all partitions.
    #[inline]
    fn id(self, local: u32) -> StateId {
        StateId(self.first + local * self.count + self.number)
    }
}

impl Partition {
    fn new(numbering: Numbering, width: usize) -> Partition {
        Partition {
            numbering,
            states: StateTable::new(width),
            parents: Vec::new(),
            level: 0..0,
            ranks: Vec::new(),
            ties: Vec::new(),
            probes: Vec::new(),
        }
    }

    /// The number in all partitions of the state with this number here.
    #[inline]
    pub(super) fn id(&self, local: u32) -> StateId {
        self.numbering.id(local)
    }

    /// Its number among the partitions.
    pub(super) fn number(&self) -> usize {
        self.numbering.number as usize
    }

    /// The bytes in use.
    pub(super) fn memory(&self) -> usize {
        let halves = self.parents.capacity() + self.ranks.capacity();
        self.states.memory() + halves * size_of::<u32>()
    }

    /// Stores the targets of steps. Calls `on_new` with each that is new. False if one is above the limit.
    pub(super) fn insert(
        &mut self,
        batch: &Batch<Parent>,
        quota: Option<&StateQuota>,
        mut on_new: impl FnMut(StateId, &[Word]),
    ) -> bool {
        self.states.reserve(batch.len());
        self.probes.clear();
        self.probes.extend(batch.hashes().map(Probe::new));
        self.states.read_probes(&mut self.probes);
        // With as many states in each partition, all have numbers.
        let most = (u32::MAX - self.numbering.first) / self.numbering.count - 1;
        let room = most.saturating_sub(self.states.len() as u32) as usize;
        for ((state, parent), index) in batch.steps().zip(0..) {
            let is_allowed = || index < room && quota.is_none_or(StateQuota::take);
            let Some((local, is_new)) = self.states.insert_if(state, self.probes[index], is_allowed) else {
                return false;
            };
            if is_new {
                self.parents.push(parent.id);
                self.ranks.push(parent.rank);
                on_new(self.id(local.0), state);
            } else if local.0 >= self.level.end {
                self.choose_parent(local.0, *parent);
            }
        }
        true
    }

    /// A state of the next level is discovered again: keeps the parent with the least rank.
    #[inline]
    fn choose_parent(&mut self, local: u32, parent: Parent) {
        let rank = &mut self.ranks[(local - self.level.end) as usize];
        let known = &mut self.parents[local as usize];
        if parent.rank < *rank {
            (*rank, *known) = (parent.rank, parent.id);
        } else if parent.rank == *rank && parent.id != *known {
            self.ties.push((local, parent));
        }
    }

    /// Adds a state of a level that is known already. It must be new, and have this partition's hash.
    fn add(&mut self, state: &[Word], parent: impl FnOnce(StateId) -> StateId) -> StateId {
        let (local, is_new) = self.states.insert(state);
        assert!(is_new, "a state is stored once");
        let id = self.id(local.0);
        self.parents.push(parent(id));
        id
    }
}

/// All partitions of a search.
#[derive(Debug)]
pub(super) struct Partitions {
    pub(super) all: Vec<Partition>,
    /// The numbers here of the states that another search has found.
    copied: Vec<StateId>,
}

impl Partitions {
    /// So many partitions for states of `width` words.
    pub(super) fn new(count: usize, width: usize) -> Partitions {
        let count = count as u32;
        let numbering = |number| Numbering { number, count, first: 0 };
        let all = (0..count).map(|number| Partition::new(numbering(number), width)).collect();
        Partitions { all, copied: Vec::new() }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.all.iter().map(|partition| partition.states.len()).sum()
    }

    /// The bytes in use.
    pub(super) fn memory(&self) -> usize {
        let copied = self.copied.capacity() * size_of::<StateId>();
        self.all.iter().map(Partition::memory).sum::<usize>() + copied
    }

    /// The number of states in the level.
    pub(super) fn level_len(&self) -> usize {
        self.all.iter().map(|partition| partition.level.len()).sum()
    }

    /// The partition of the state with this number, and its number there.
    fn locate(&self, id: StateId) -> (&Partition, StateId) {
        let id = self.copied.get(id.index()).copied().unwrap_or(id);
        let (number, count) = (id.0 - self.copied.len() as u32, self.all.len() as u32);
        (&self.all[(number % count) as usize], StateId(number / count))
    }

    /// Is there a state with this number?
    pub(super) fn has(&self, id: StateId) -> bool {
        let (partition, local) = self.locate(id);
        local.index() < partition.states.len()
    }

    /// The words of the state with this number.
    pub(super) fn words(&self, id: StateId) -> &[Word] {
        let (partition, local) = self.locate(id);
        partition.states.get(local)
    }

    /// The parent of a state; `None` of an initial state.
    pub(super) fn parent(&self, id: StateId) -> Option<StateId> {
        let (partition, local) = self.locate(id);
        let parent = partition.parents[local.index()];
        (parent != partition.id(local.0)).then_some(parent)
    }

    /// The states with these numbers, in the order of their words.
    pub(super) fn sorted(&self, ids: &[StateId]) -> Vec<(&[Word], StateId)> {
        let mut sorted: Vec<_> = ids.iter().map(|id| (self.words(*id), *id)).collect();
        sorted.sort_unstable();
        sorted
    }

    /// Stores an initial state. Returns its number if it is new.
    pub(super) fn add_initial(&mut self, state: &[Word]) -> Option<StateId> {
        let count = self.all.len();
        let partition = &mut self.all[partition_of(hash(state), count)];
        partition.states.find(state).is_none().then(|| partition.add(state, |id| id))
    }

    /// Stores the states of another search, each with its parent among them; they keep their numbers beside
    /// those here. The level begins with this one.
    pub(super) fn copy(&mut self, states: &StateTable, parent: impl Fn(StateId) -> StateId, level: StateId) {
        let count = self.all.len();
        self.all.iter_mut().for_each(|partition| partition.numbering.first = states.len() as u32);
        let mut ids: Vec<StateId> = Vec::with_capacity(states.len());
        for (state, old) in states.iter().zip((0..).map(StateId)) {
            if old == level {
                self.begin_level();
            }
            // A state is its own parent, or comes behind its parent.
            let parent = ids.get(parent(old).index()).copied();
            ids.push(self.all[partition_of(hash(state), count)].add(state, |id| parent.unwrap_or(id)));
        }
        self.copied = ids;
        self.end_level();
    }

    /// The states that come from now on are those of the level.
    fn begin_level(&mut self) {
        for partition in &mut self.all {
            let start = partition.states.len() as u32;
            partition.level = start..start;
        }
    }

    /// All states of the level are there.
    fn end_level(&mut self) {
        for partition in &mut self.all {
            partition.level.end = partition.states.len() as u32;
        }
    }

    /// The states behind the level are the next level: all their parents are known.
    pub(super) fn next_level(&mut self) {
        self.break_ties();
        for partition in &mut self.all {
            partition.level = partition.level.end..partition.states.len() as u32;
            partition.ranks.clear();
        }
    }

    /// Of parents with equal ranks, keeps the one whose words are the least.
    fn break_ties(&mut self) {
        for number in 0..self.all.len() {
            for (local, parent) in std::mem::take(&mut self.all[number].ties) {
                let partition = &self.all[number];
                let known = partition.parents[local as usize];
                let is_tie = partition.ranks[(local - partition.level.end) as usize] == parent.rank;
                if is_tie && self.words(parent.id) < self.words(known) {
                    self.all[number].parents[local as usize] = parent.id;
                }
            }
        }
    }
}

/// The partition, of so many, of states with this hash. By bits that a [`StateTable`] makes little use of.
#[inline]
pub(super) fn partition_of(hash: u64, count: usize) -> usize {
    ((hash >> 48) as usize * count) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two partitions whose level is states of one word: these.
    fn level(words: &[Word]) -> Partitions {
        let mut partitions = Partitions::new(2, 1);
        for word in words {
            assert!(partitions.add_initial(&[*word]).is_some());
        }
        partitions.next_level();
        partitions
    }

    /// The number of the state of this word.
    fn id_of(partitions: &Partitions, word: Word) -> StateId {
        let partition = &partitions.all[partition_of(hash(&[word]), 2)];
        partition.id(partition.states.find(&[word]).expect("a state").0)
    }

    /// Steps to the state of this word.
    fn insert(partitions: &mut Partitions, word: Word, parents: &[Parent]) {
        let mut batch = Batch::new(1);
        parents.iter().for_each(|parent| batch.push(&[word], hash(&[word]), *parent));
        let partition = &mut partitions.all[partition_of(hash(&[word]), 2)];
        assert!(partition.insert(&batch, None, |_, _| {}));
    }

    /// The word of the parent that the state 100 has, by steps from these states, whose ranks are given.
    #[track_caller]
    fn check(steps: &[(Word, u32)], expected: Word) {
        let mut partitions = level(&[0, 1, 2, 3, 4, 5]);
        let parent = |(word, rank): &(Word, u32)| Parent { id: id_of(&partitions, *word), rank: *rank };
        let parents: Vec<Parent> = steps.iter().map(parent).collect();
        insert(&mut partitions, 100, &parents);
        partitions.next_level();
        let parent = partitions.parent(id_of(&partitions, 100)).expect("a state that is not initial");
        assert_eq!(partitions.words(parent), [expected], "{steps:?}");
    }

    #[test]
    fn the_parent_with_the_least_rank_is_kept() {
        check(&[(4, 7)], 4);
        check(&[(4, 7), (2, 9), (5, 8)], 4);
        check(&[(4, 7), (2, 9), (5, 3), (1, 4)], 5);
    }

    #[test]
    fn of_parents_with_equal_ranks_the_words_decide() {
        for steps in [[(4, 7), (2, 7), (5, 7)], [(2, 7), (5, 7), (4, 7)], [(5, 7), (4, 7), (2, 7)]] {
            check(&steps, 2);
        }
        // A tie with a parent that another one has replaced is none.
        check(&[(4, 7), (2, 7), (5, 3)], 5);
        check(&[(4, 7), (2, 7), (5, 3), (1, 3)], 1);
    }

    #[test]
    fn a_state_of_an_earlier_level_keeps_its_parent() {
        let mut partitions = level(&[0, 1]);
        let parent =
            |partitions: &Partitions, word| Parent { id: id_of(partitions, word), rank: word as u32 };
        let one = parent(&partitions, 1);
        insert(&mut partitions, 0, &[one]);
        insert(&mut partitions, 50, &[one]);
        partitions.next_level();
        let zero = parent(&partitions, 0);
        insert(&mut partitions, 50, &[zero]);
        partitions.next_level();
        assert_eq!(partitions.parent(id_of(&partitions, 0)), None);
        assert_eq!(partitions.parent(id_of(&partitions, 50)), Some(one.id));
        assert_eq!((partitions.len(), partitions.level_len()), (3, 0));
    }

    #[test]
    fn states_are_divided_evenly() {
        for count in [1, 2, 3, 7, 64] {
            let mut sizes = vec![0; count];
            (0..64_000_u64).for_each(|word| sizes[partition_of(hash(&[word * 8, word / 3]), count)] += 1);
            let even = 64_000 / count;
            assert!(sizes.iter().all(|size| (even * 4 / 5..even * 6 / 5).contains(size)), "{sizes:?}");
        }
    }
}
