//! What kind of property a formula is, decided by automata.
//!
//! - **Safety**: a word that violates it does so by a finite prefix. The words all of whose prefixes can be continued to satisfy
//!   the formula are those of its automaton without acceptance, once dead states are gone; the formula is a safety property if none of them
//!   violates it (Alpern and Schneider, Recognizing Safety and Liveness, 1987). **Guarantee** is the dual.
//! - **Stutter-invariant**: repeating a letter changes nothing. Two words are equal up to stuttering if one word is a
//!   stuttering of both, so there must be no common stuttering of a word that satisfies the formula and one that does not
//!   (Michaud and Duret-Lutz, Practical Stutter-Invariance Checks for ω-Regular Languages, SPIN 2015).

use crate::bdd::{Bdd, Bdds};
use crate::buchi::{Automaton, Edge, StateId, TranslateError, Translator, is_empty, product};
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// Beyond so many classes of letters the stutter test is given up.
const MAX_LETTER_CLASSES: usize = 4096;

impl Translator {
    /// Is it violated only by finite prefixes?
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

    /// Is it satisfied only by finite prefixes?
    pub fn is_guarantee(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        let negation = self.arena.negate(formula);
        self.is_safety(negation)
    }

    /// Does it speak of next or previous letters? If not it is stutter-invariant.
    pub fn counts_letters(&self, formula: Nnf) -> bool {
        let counts = |node: &Node| {
            matches!(node, Node::Next(_) | Node::WeakNext(_) | Node::Previous(_) | Node::WeakPrevious(_))
        };
        self.arena.subformulas(formula).into_iter().any(|part| counts(self.arena.node(part)))
    }

    /// Does repeating letters never change whether a word satisfies the formula?
    pub fn is_stutter_invariant(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        if !self.counts_letters(formula) {
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

/// The letters, sorted so that no guard tells two of a class apart.
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

/// The automaton that accepts every word made from an accepted one by repeating letters finitely often.
///
/// A state is one of the automaton's with the class that was read last, which may be read again; a mark of its own
/// sees that the word goes on.
fn stuttering(bdds: &mut Bdds, automaton: &Automaton, classes: &[Bdd]) -> Automaton {
    let goes_on = 1 << automaton.mark_count;
    let mut numbers: FxHashMap<(StateId, usize), StateId> = FxHashMap::default();
    // The initial state has read nothing yet.
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
                leaving.push(Edge { target, marks: edge.marks | goes_on, guard: *class });
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
    fn safety_guarantee_and_stuttering_are_decided_and_not_guessed() {
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
