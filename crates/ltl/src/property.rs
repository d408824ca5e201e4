//! Safety, guarantee and stutter-invariance of a formula, decided by automata.
//!
//! - **Safety**: every violating word has a finite prefix that no continuation can repair. The automaton
//!   without dead states and without acceptance accepts exactly the words of which every prefix can be
//!   continued to satisfy the formula; the formula is a safety property if no such word violates it (Alpern
//!   and Schneider, Recognizing Safety and Liveness, 1987). **Guarantee** is the dual.
//! - **Stutter-invariant**: repeating a letter changes nothing. Two words are equal up to stuttering if some
//!   word is a stuttering of both. So the formula is stutter-invariant if no word that satisfies it has a
//!   stuttering in common with a word that violates it (Michaud and Duret-Lutz, Practical Stutter-Invariance
//!   Checks for ω-Regular Languages, SPIN 2015).

use crate::bdd::{Bdd, Bdds};
use crate::buchi::{Automaton, Edge, StateId, TranslateError, Translator, is_empty, product};
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// The stutter test gives up above this number of letter classes.
const MAX_LETTER_CLASSES: usize = 4096;

impl Translator {
    /// Does every violating word have a finite prefix that no continuation can repair?
    pub fn is_safety(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        let mut closure = self.nondeterministic(formula)?;
        closure.mark_count = 0;
        closure.edges.iter_mut().flatten().for_each(|edge| edge.marks = 0);
        if is_empty(&closure) {
            return Ok(true);
        }
        let negation = self.arena.negate(formula);
        let negation = self.nondeterministic(negation)?;
        let limits = self.limits;
        Ok(is_empty(&product(&mut self.bdds, &closure, &negation, limits)?))
    }

    /// Does every satisfying word have a finite prefix that no continuation can spoil?
    pub fn is_guarantee(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        let negation = self.arena.negate(formula);
        self.is_safety(negation)
    }

    /// Does a next or previous operator occur? A formula without them is stutter-invariant.
    pub fn has_next_or_previous(&self, formula: Nnf) -> bool {
        let counts = |node: &Node| {
            matches!(node, Node::Next(_) | Node::WeakNext(_) | Node::Previous(_) | Node::WeakPrevious(_))
        };
        self.arena.subformulas(formula).into_iter().any(|part| counts(self.arena.node(part)))
    }

    /// Do words that differ only in repetitions of letters agree on the formula?
    pub fn is_stutter_invariant(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        if !self.has_next_or_previous(formula) {
            return Ok(true);
        }
        let negation = self.arena.negate(formula);
        let sides = [self.nondeterministic(formula)?, self.nondeterministic(negation)?];
        let classes = letter_classes(&mut self.bdds, &sides)?;
        let [yes, no] = sides.map(|side| stuttering(&mut self.bdds, &side, &classes));
        let limits = self.limits;
        Ok(is_empty(&product(&mut self.bdds, &yes, &no, limits)?))
    }
}

/// The partition of the letters into classes that no guard separates.
fn letter_classes(bdds: &mut Bdds, automata: &[Automaton]) -> Result<Vec<Bdd>, TranslateError> {
    let mut guards: Vec<Bdd> =
        automata.iter().flat_map(|a| a.edges.iter().flatten()).map(|e| e.guard).collect();
    guards.sort_unstable();
    guards.dedup();
    let mut classes = vec![Bdd::TRUE];
    for guard in guards {
        let halves = classes.iter().flat_map(|class| [bdds.and(*class, guard), bdds.and_not(*class, guard)]);
        classes = halves.filter(|half| *half != Bdd::FALSE).collect();
        if classes.len() > MAX_LETTER_CLASSES {
            return Err(TranslateError::TooLarge("classes of letters"));
        }
    }
    Ok(classes)
}

/// The automaton that accepts the stutterings of accepted words: each letter repeated finitely often.
///
/// A state is a pair: a state of the automaton, and the class of the last letter, which may be read again.
/// An additional mark requires that the original word progresses infinitely often.
fn stuttering(bdds: &mut Bdds, automaton: &Automaton, classes: &[Bdd]) -> Automaton {
    let progress_mark = 1 << automaton.mark_count;
    let mut numbers: FxHashMap<(StateId, usize), StateId> = FxHashMap::default();
    // In the initial state no letter was read yet.
    let mut nodes = vec![(automaton.initial, usize::MAX)];
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < nodes.len() {
        let number = edges.len() as StateId;
        let (state, last) = nodes[edges.len()];
        let mut leaving = Vec::new();
        if let Some(class) = classes.get(last) {
            leaving.push(Edge { target: number, marks: 0, guard: *class });
        }
        for edge in &automaton.edges[state as usize] {
            for (index, class) in classes.iter().enumerate() {
                if !bdds.implies(*class, edge.guard) {
                    continue;
                }
                let node = (edge.target, index);
                let target = *numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    (nodes.len() - 1) as StateId
                });
                leaving.push(Edge { target, marks: edge.marks | progress_mark, guard: *class });
            }
        }
        edges.push(leaving);
    }
    Automaton { edges, initial: 0, mark_count: automaton.mark_count + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letter::Alphabet;

    fn translator(text: &str) -> (Translator, Nnf) {
        let mut translator = Translator::default();
        let formula =
            Alphabet::default().number(&text.parse().expect("a formula")).expect("few propositions");
        let nnf = translator.arena.formula(&formula);
        (translator, nnf)
    }

    #[track_caller]
    fn check(text: &str, safety: bool, guarantee: bool, stutter: bool) {
        let (mut translator, formula) = translator(text);
        let found = (
            translator.is_safety(formula),
            translator.is_guarantee(formula),
            translator.is_stutter_invariant(formula),
        );
        assert_eq!(found, (Ok(safety), Ok(guarantee), Ok(stutter)), "{text}");
    }

    #[test]
    fn safety_guarantee_and_stutter_invariance_are_decided_exactly() {
        check("G p", true, false, true);
        check("F p", false, true, true);
        check("p U q", false, true, true);
        check("p W q", true, false, true);
        check("G F p", false, false, true);
        check("X p", true, true, false);
        check("p", true, true, true);
        check("false", true, true, true);
        check("F p & G !p", true, true, true);
        // Written as no safety property, but it is one.
        check("(p U q) | G p", true, false, true);
        check("G (p | F (p & !p))", true, false, true);
        // Written with X, but without counting.
        check("F (p & X !p)", false, true, true);
        check("G (p -> X X q)", true, false, false);
        check("X F p | F p", false, true, true);
        check("G (p -> O q)", true, false, true);
        check("F (p & Y q)", false, true, false);
    }
}
