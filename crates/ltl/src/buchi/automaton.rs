//! Transition-based generalised Büchi automata.
//!
//! An edge has a guard (the letters that it reads), acceptance marks and a target. A mark stands for an
//! acceptance set: the set of edges that carry it. A run is accepting if it takes an edge of every
//! acceptance set infinitely often. A state-based Büchi automaton has a single mark, carried by all or by
//! none of the edges that leave a state; see [`Automaton::is_state_based`].
//!
//! Guards are [`Bdd`]s over the propositions, in the [`Bdds`] of the [`Translator`](super::Translator) that
//! built the automaton. A search uses [`Automaton::search_automaton`], where each guard is a set of
//! literals.

use crate::bdd::{Bdd, Bdds};
use crate::letter::{Cube, Letter, Prop};
use std::collections::BTreeMap;

/// A state's number.
pub type StateId = u32;

/// A set of acceptance marks, one bit for each mark.
pub type Marks = u64;

/// The maximal number of marks of an automaton.
pub const MAX_MARKS: usize = 64;

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The state after it.
    pub target: StateId,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
    /// The letters that it reads.
    pub guard: Bdd,
}

/// A generalised Büchi automaton with its acceptance on the edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The edges that leave each state.
    pub edges: Vec<Vec<Edge>>,
    /// The state where runs begin.
    pub initial: StateId,
    /// The number of marks; without marks, every infinite run is accepting.
    pub mark_count: usize,
}

impl Automaton {
    /// The automaton that accepts no word.
    pub fn empty() -> Automaton {
        Automaton { edges: vec![Vec::new()], initial: 0, mark_count: 0 }
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// All marks.
    pub fn all_marks(&self) -> Marks {
        crate::letter::mask(self.mark_count)
    }

    /// Is there at most one mark, and do all edges that leave a state agree on it?
    pub fn is_state_based(&self) -> bool {
        let agree = |edges: &Vec<Edge>| edges.windows(2).all(|pair| pair[0].marks == pair[1].marks);
        self.mark_count <= 1 && self.edges.iter().all(agree)
    }

    /// In a state-based automaton: is the state accepting?
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.edges[state as usize].iter().all(|edge| edge.marks == self.all_marks())
    }

    /// Is there at most one run on every word?
    pub fn is_deterministic(&self, bdds: &mut Bdds) -> bool {
        self.edges.iter().all(|edges| {
            (1..edges.len()).all(|i| (0..i).all(|j| !bdds.intersect(edges[i].guard, edges[j].guard)))
        })
    }

    /// Joins edges with equal target and marks, and removes edges that read no letter.
    pub fn merge_parallel(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            let mut joined: BTreeMap<(StateId, Marks), Bdd> = BTreeMap::new();
            for edge in edges.iter() {
                let guard = joined.entry((edge.target, edge.marks)).or_insert(Bdd::FALSE);
                *guard = bdds.or(*guard, edge.guard);
            }
            joined.retain(|_, guard| *guard != Bdd::FALSE);
            *edges =
                joined.into_iter().map(|((target, marks), guard)| Edge { target, marks, guard }).collect();
        }
    }

    /// The automaton restricted to the states that `keep` maps to a number, with these numbers.
    #[must_use]
    pub fn renumbered(&self, keep: &[Option<StateId>]) -> Automaton {
        let Some(initial) = keep[self.initial as usize] else { return Automaton::empty() };
        let count = keep.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let mut edges = vec![Vec::new(); count];
        for (state, old) in self.edges.iter().enumerate() {
            let Some(new) = keep[state] else { continue };
            let retained = old
                .iter()
                .filter_map(|edge| keep[edge.target as usize].map(|target| Edge { target, ..*edge }));
            edges[new as usize].extend(retained);
        }
        Automaton { edges, initial, mark_count: self.mark_count }
    }

    /// The reachable part, numbered in breadth-first order from the initial state, which gets 0.
    #[must_use]
    pub fn reachable(&self) -> Automaton {
        let mut keep = vec![None; self.state_count()];
        let mut order = vec![self.initial];
        keep[self.initial as usize] = Some(0);
        let mut next = 0;
        while next < order.len() {
            for edge in &self.edges[order[next] as usize] {
                if keep[edge.target as usize].is_none() {
                    keep[edge.target as usize] = Some(order.len() as StateId);
                    order.push(edge.target);
                }
            }
            next += 1;
        }
        self.renumbered(&keep)
    }

    /// Panics, saying which invariant broke. Tests call this on each automaton.
    pub fn validate(&self) {
        let is_state = |state: StateId| (state as usize) < self.state_count();
        assert!(is_state(self.initial), "the initial state does not exist");
        assert!(self.mark_count <= MAX_MARKS, "there are too many marks");
        for edge in self.edges.iter().flatten() {
            assert!(is_state(edge.target), "an edge leads to a state that does not exist");
            assert_eq!(edge.marks & !self.all_marks(), 0, "an edge has an undeclared mark");
        }
    }

    /// The automaton for a search: the guard of each edge is a set of literals.
    pub fn search_automaton(&self, bdds: &mut Bdds) -> SearchAutomaton {
        let mut search = SearchAutomaton {
            first: Vec::new(),
            edges: Vec::new(),
            initial: self.initial,
            mark_count: self.mark_count,
        };
        for edges in &self.edges {
            search.first.push(search.edges.len() as u32);
            for edge in edges {
                let cubes = guard_cubes(bdds, edge.guard);
                search.edges.extend(cubes.into_iter().map(|cube| SearchEdge {
                    cube,
                    marks: edge.marks,
                    target: edge.target,
                }));
            }
        }
        search.first.push(search.edges.len() as u32);
        search
    }
}

/// An automaton for searches: it does not need decision diagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchAutomaton {
    /// For each state the index of its first edge in `edges`, and at last the number of edges.
    first: Vec<u32>,
    edges: Vec<SearchEdge>,
    /// The state where runs begin.
    pub initial: StateId,
    /// The number of marks.
    pub mark_count: usize,
}

/// An edge with a set of literals as its guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchEdge {
    /// The literals that must hold (in a three-valued label: may hold).
    pub cube: Cube,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
    /// The state after it.
    pub target: StateId,
}

impl SearchAutomaton {
    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.first.len() - 1
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: StateId) -> &[SearchEdge] {
        &self.edges[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    /// The edges that can be taken from a state under a label.
    pub fn step(&self, state: StateId, letter: Letter) -> impl Iterator<Item = &SearchEdge> {
        self.edges(state).iter().filter(move |edge| edge.cube.meets(letter))
    }
}

/// A guard as a disjunction of sets of literals.
pub fn guard_cubes(bdds: &mut Bdds, guard: Bdd) -> Vec<Cube> {
    let to_cube = |literals: Vec<(u32, bool)>| {
        literals.into_iter().fold(Cube::TRUE, |mut cube, (var, positive)| {
            let bit = Prop(var as u8).bit();
            *(if positive { &mut cube.positive } else { &mut cube.negative }) |= bit;
            cube
        })
    };
    bdds.cubes(guard).into_iter().map(to_cube).collect()
}

/// A letter that the guard reads. On the diagram's path a proposition is true only where it must be.
pub fn some_letter(bdds: &Bdds, guard: Bdd) -> Option<Letter> {
    let mut holding = 0;
    let mut at = guard;
    while !at.is_constant() {
        let (low, high) = bdds.branches(at);
        if low == Bdd::FALSE {
            holding |= Prop(bdds.top(at) as u8).bit();
            at = high;
        } else {
            at = low;
        }
    }
    (at == Bdd::TRUE).then_some(Letter::exactly(holding))
}
