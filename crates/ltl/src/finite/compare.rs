//! Two automata together: products, and the shortest word on which they differ.
//!
//! The difference is Hopcroft and Karp's equivalence test (A Linear Algorithm for Testing Equivalence of
//! Finite Automata, 1971), breadth first. The search does not follow a pair of states that earlier pairs
//! already require to be equivalent: if that pair differed, an earlier pair would differ too, on a word that
//! is not longer.
//!
//! Promise: a returned difference is a shortest one; the search visits at most as many pairs as the two
//! automata have states together.

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
    /// The product automaton. It accepts a word if `combine` returns true for whether this automaton and the
    /// other accept it. At most `limit` pairs of states.
    pub fn product(
        &self,
        other: &Dfa,
        combine: impl Fn(bool, bool) -> bool,
        limit: usize,
    ) -> Result<Dfa, FiniteError> {
        let mut budget = Budget::new(limit);
        let mut bdds = self.bdds.clone();
        let other_edges = edges_in(&mut bdds, other);
        // The first pair is the initial state, before any letter; if words lead to the same pair, it gets a
        // second state.
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
                        budget.allow_state(pairs.len())?;
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
        // Whether the initial states accept is not compared: words have at least one letter.
        self.difference_from(other, (self.initial(), other.initial())).map(Word::finite)
    }

    /// A shortest non-empty sequence of letters that leads from exactly one of the two states to a state
    /// that accepts.
    pub(super) fn difference_from(&self, other: &Dfa, start: (StateId, StateId)) -> Option<Vec<Letter>> {
        let offset = self.states().len();
        let mut same = UnionFind::new(offset + other.states().len());
        let mut visited: Vec<SearchNode> = vec![SearchNode { pair: start, predecessor: None }];
        let mut next = 0;
        while next < visited.len() {
            let (a, b) = visited[next].pair;
            for (pair, letter) in common_steps(self, a, other, b) {
                let step = SearchNode { pair, predecessor: Some((next, letter)) };
                if self.is_accepting(pair.0) != other.is_accepting(pair.1) {
                    return Some(letters_to(&visited, &step));
                }
                if same.join(pair.0.index(), offset + pair.1.index()) {
                    visited.push(step);
                }
            }
            next += 1;
        }
        None
    }
}

/// By state, the edges with their guards copied into `bdds`.
fn edges_in(bdds: &mut Bdds, dfa: &Dfa) -> Vec<Vec<Edge>> {
    let mut copies = FxHashMap::default();
    let mut copied = |edge: &Edge| {
        let guard = guard::copy(&dfa.bdds, edge.guard, bdds, &mut copies);
        Edge { guard, target: edge.target }
    };
    dfa.states.iter().map(|state| state.edges.iter().map(&mut copied).collect()).collect()
}

/// The pairs of states after one letter, each with the first such letter.
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

/// A visited pair of states, with its predecessor and the letter between them.
struct SearchNode {
    pair: Pair,
    predecessor: Option<(usize, Letter)>,
}

fn letters_to(visited: &[SearchNode], last: &SearchNode) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut step = last;
    while let Some((predecessor, letter)) = step.predecessor {
        letters.push(letter);
        step = &visited[predecessor];
    }
    letters.reverse();
    letters
}

/// Disjoint sets, each represented by one of its elements.
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

    /// Joins two sets; false if they were one set already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a] = b;
        a != b
    }
}
