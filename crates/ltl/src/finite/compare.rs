//! Two automata together: products, and the shortest word on which they differ.
//!
//! The difference is Hopcroft and Karp's equivalence test (A Linear Algorithm for Testing Equivalence of Finite
//! Automata, 1971), breadth first. A pair of states that is already known to have to be equivalent, because of pairs met
//! earlier, is not followed; were it not equivalent, one of those pairs would not be either, by a word that is no longer.
//!
//! Promise: a difference is as short as any; finding one takes as many pairs as there are states, not products of them.

use super::dfa::{Dfa, Edge, State, StateId};
use super::guard;
use super::minimise::minimise;
use super::{Budget, FiniteError, MEMORY_STEPS};
use crate::bdd::{Bdd, Bdds};
use crate::letter::Letter;
use crate::word::Word;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

type Pair = (StateId, StateId);

impl Dfa {
    /// The automaton of the words that `combine` wants: it is told whether this one and the other accept. At most
    /// `limit` pairs of states.
    pub fn product(
        &self,
        other: &Dfa,
        combine: impl Fn(bool, bool) -> bool,
        limit: usize,
    ) -> Result<Dfa, FiniteError> {
        let mut budget = Budget::new(limit);
        let mut bdds = self.bdds.clone();
        let other_edges = edges_in(&mut bdds, other);
        // The first pair is the initial state, before any letter; it is made again if words lead to it.
        let mut pairs: Vec<Pair> = vec![(self.initial(), other.initial())];
        let mut ids: FxHashMap<Pair, StateId> = FxHashMap::default();
        let mut states = Vec::new();
        while let Some((a, b)) = pairs.get(states.len()).copied() {
            let mut edges = Vec::new();
            for left in self.edges(a) {
                for right in &other_edges[b.index()] {
                    let size_before = bdds.size();
                    let guard = bdds.and(left.guard, right.guard);
                    budget.spend(1 + (bdds.size() - size_before) * MEMORY_STEPS)?;
                    if guard == Bdd::FALSE {
                        continue;
                    }
                    let pair = (left.target, right.target);
                    let target = *ids.entry(pair).or_insert(StateId(pairs.len() as u32));
                    if target.index() == pairs.len() {
                        budget.another(pairs.len())?;
                        pairs.push(pair);
                    }
                    edges.push(Edge { guard, target });
                }
            }
            states.push(State { accepting: combine(self.is_accepting(a), other.is_accepting(b)), edges });
        }
        Ok(minimise(Dfa { bdds, states }))
    }

    /// Do both accept the same words?
    pub fn equivalent(&self, other: &Dfa) -> bool {
        self.difference(other).is_none()
    }

    /// A shortest word that exactly one of the two accepts.
    pub fn difference(&self, other: &Dfa) -> Option<Word> {
        let offset = self.states().len();
        let mut same = UnionFind::new(offset + other.states().len());
        // The initial pair is followed but not joined: whether it accepts has not been compared.
        let mut found: Vec<Found> = vec![Found { pair: (self.initial(), other.initial()), before: None }];
        let mut next = 0;
        while next < found.len() {
            let (a, b) = found[next].pair;
            for (pair, letter) in common_steps(self, a, other, b) {
                let step = Found { pair, before: Some((next, letter)) };
                if self.is_accepting(pair.0) != other.is_accepting(pair.1) {
                    return Some(word_to(&found, &step));
                }
                if same.join(pair.0.index(), offset + pair.1.index()) {
                    found.push(step);
                }
            }
            next += 1;
        }
        None
    }
}

/// By state, the edges with their guards in other diagrams.
fn edges_in(bdds: &mut Bdds, dfa: &Dfa) -> Vec<Vec<Edge>> {
    let mut copies = FxHashMap::default();
    let mut copied = |edge: &Edge| {
        let guard = guard::copy(&dfa.bdds, edge.guard, bdds, &mut copies);
        Edge { guard, target: edge.target }
    };
    dfa.states.iter().map(|state| state.edges.iter().map(&mut copied).collect()).collect()
}

/// The pairs that one letter leads to, each with its first letter.
fn common_steps(left: &Dfa, a: StateId, right: &Dfa, b: StateId) -> Vec<(Pair, Letter)> {
    let mut steps: BTreeMap<Pair, Letter> = BTreeMap::new();
    for from_a in left.edges(a) {
        for from_b in right.edges(b) {
            let letter = guard::common_letter((&left.bdds, from_a.guard), (&right.bdds, from_b.guard));
            steps.extend(letter.map(|letter| ((from_a.target, from_b.target), letter)));
        }
    }
    steps.into_iter().collect()
}

/// A pair of states, with the pair before it and the letter between.
struct Found {
    pair: Pair,
    before: Option<(usize, Letter)>,
}

fn word_to(found: &[Found], last: &Found) -> Word {
    let mut letters = Vec::new();
    let mut step = last;
    while let Some((before, letter)) = step.before {
        letters.push(letter);
        step = &found[before];
    }
    letters.reverse();
    Word::finite(letters)
}

/// Sets that can be joined, each known by one of its elements.
struct UnionFind(Vec<usize>);

impl UnionFind {
    fn new(count: usize) -> UnionFind {
        UnionFind((0..count).collect())
    }

    fn find(&mut self, mut element: usize) -> usize {
        while self.0[element] != element {
            self.0[element] = self.0[self.0[element]];
            element = self.0[element];
        }
        element
    }

    /// False if they were together already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a] = b;
        a != b
    }
}
