//! Products, emptiness and words.
//!
//! A generalised Büchi automaton accepts some word exactly if a reachable strongly connected component
//! contains every mark; such a word is a path to that component and a cycle in it that meets all marks
//! (Couvreur, FM 1999).

use super::automaton::{Automaton, Edge, Marks, StateId, some_letter};
use super::scc::Components;
use super::{Limits, TranslateError};
use crate::bdd::{Bdd, Bdds};
use crate::letter::Letter;
use crate::word::Word;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The product automaton: it accepts the words that both automata accept.
pub fn product(
    bdds: &mut Bdds,
    left: &Automaton,
    right: &Automaton,
    limits: Limits,
) -> Result<Automaton, TranslateError> {
    if left.mark_count + right.mark_count > super::MAX_MARKS {
        return Err(TranslateError::TooLarge("acceptance marks"));
    }
    let mut numbers: FxHashMap<(StateId, StateId), StateId> = FxHashMap::default();
    let mut pairs = vec![(left.initial, right.initial)];
    numbers.insert(pairs[0], 0);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < pairs.len() {
        let (a, b) = pairs[edges.len()];
        let mut leaving = Vec::new();
        for one in &left.edges[a as usize] {
            for other in &right.edges[b as usize] {
                let guard = bdds.and(one.guard, other.guard);
                if guard == Bdd::FALSE {
                    continue;
                }
                let pair = (one.target, other.target);
                let target = *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    (pairs.len() - 1) as StateId
                });
                // The shift equals the width of the type only if the other automaton has no marks.
                let shifted = other.marks.checked_shl(left.mark_count as u32).unwrap_or(0);
                leaving.push(Edge { target, marks: one.marks | shifted, guard });
            }
        }
        edges.push(leaving);
        if pairs.len() > limits.states * 10 {
            return Err(TranslateError::TooLarge("states of a product"));
        }
    }
    if bdds.is_exhausted() {
        return Err(TranslateError::TooLarge(super::BDD_NODES));
    }
    Ok(Automaton { edges, initial: 0, mark_count: left.mark_count + right.mark_count })
}

/// Does the automaton accept no word?
pub fn is_empty(automaton: &Automaton) -> bool {
    let components = Components::of_automaton(automaton);
    !(0..components.count() as u32).any(|c| components.is_accepting(c, automaton.all_marks()))
}

/// Does the automaton accept the lasso?
pub fn accepts(bdds: &Bdds, automaton: &Automaton, word: &Word) -> bool {
    debug_assert!(word.is_infinite(), "Büchi automata read infinite words");
    let length = word.len() as u32;
    let successors = |node: u32| {
        let (state, position) = (node / length, node % length);
        let letter = word.letter(position as usize);
        let next = word.next(position as usize).unwrap_or(0) as u32;
        let reads = move |edge: &&Edge| may_read(bdds, edge.guard, letter);
        automaton.edges[state as usize]
            .iter()
            .filter(reads)
            .map(move |edge| (edge.target * length + next, edge.marks))
    };
    let count = automaton.state_count() * length as usize;
    let components = Components::new(count, [automaton.initial * length], successors);
    (0..components.count() as u32).any(|c| components.is_accepting(c, automaton.all_marks()))
}

/// Does the guard read some letter that this three-valued letter stands for?
fn may_read(bdds: &Bdds, guard: Bdd, letter: Letter) -> bool {
    if guard.is_constant() {
        return guard == Bdd::TRUE;
    }
    let bit = 1u64 << bdds.top(guard);
    let (low, high) = bdds.branches(guard);
    (letter.may_false & bit != 0 && may_read(bdds, low, letter))
        || (letter.may_true & bit != 0 && may_read(bdds, high, letter))
}

/// A short word that the automaton accepts; `None` if it accepts no word.
pub fn some_word(bdds: &Bdds, automaton: &Automaton) -> Option<Word> {
    let components = Components::of_automaton(automaton);
    let all = automaton.all_marks();
    let good =
        |state: StateId| components.of[state as usize].is_some_and(|c| components.is_accepting(c, all));
    let mut at = automaton.initial;
    let mut prefix = Vec::new();
    if !good(at) {
        let path = path(automaton, at, |_, _| true, |edge| good(edge.target))?;
        at = path.last()?.target;
        prefix = path;
    }
    let start = at;
    let inside = |from: StateId, edge: &Edge| components.is_inner_edge(from, edge.target);
    let mut cycle: Vec<Edge> = Vec::new();
    let mut missing: Marks = all;
    while missing != 0 || at != start || cycle.is_empty() {
        let part = path(automaton, at, inside, |edge| {
            if missing == 0 { edge.target == start } else { edge.marks & missing != 0 }
        })?;
        at = part.last()?.target;
        missing &= !part.iter().fold(0, |marks, edge| marks | edge.marks);
        cycle.extend(part);
    }
    let letters =
        |edges: Vec<Edge>| edges.iter().map(|e| some_letter(bdds, e.guard)).collect::<Option<Vec<_>>>();
    Some(Word::lasso(letters(prefix)?, letters(cycle)?).shortened())
}

/// A shortest non-empty path from a state along `allowed` edges; its last edge satisfies `goal`.
fn path(
    automaton: &Automaton,
    from: StateId,
    allowed: impl Fn(StateId, &Edge) -> bool,
    goal: impl Fn(&Edge) -> bool,
) -> Option<Vec<Edge>> {
    let mut predecessor: FxHashMap<StateId, (StateId, Edge)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        for edge in automaton.edges[state as usize].iter().filter(|edge| allowed(state, edge)) {
            if goal(edge) {
                let mut path = vec![*edge];
                let mut at = state;
                while at != from {
                    let (before, edge) = predecessor[&at];
                    path.push(edge);
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            if edge.target != from && !predecessor.contains_key(&edge.target) {
                predecessor.insert(edge.target, (state, *edge));
                queue.push_back(edge.target);
            }
        }
    }
    None
}
