//! Classes of letters that automata cannot distinguish, and the lassos over their representatives.

use selvedge_ltl::bdd::{Bdd, Bdds};
use selvedge_ltl::buchi::{Automaton, some_letter};
use selvedge_ltl::{Letter, Word};
use std::collections::BTreeSet;

/// One letter for each class of letters that no guard of the automata separates.
pub(crate) fn letter_classes(bdds: &mut Bdds, automata: &[&Automaton]) -> Vec<Letter> {
    let edges = automata.iter().flat_map(|automaton| automaton.edges.iter().flatten());
    let guards: BTreeSet<Bdd> = edges.map(|edge| edge.guard).collect();
    let mut classes = vec![Bdd::TRUE];
    for guard in guards {
        let halves = classes.iter().flat_map(|class| [bdds.and(*class, guard), bdds.and_not(*class, guard)]);
        classes = halves.filter(|class| *class != Bdd::FALSE).collect();
    }
    classes.into_iter().filter_map(|class| some_letter(bdds, class)).collect()
}

/// All lassos with up to `size` letters in prefix and cycle together, each infinite word once.
pub(crate) fn lassos(letters: &[Letter], size: usize) -> BTreeSet<Word> {
    let mut found = BTreeSet::new();
    let mut texts: Vec<Vec<Letter>> = vec![Vec::new()];
    for length in 1..=size {
        let longer = texts.iter().flat_map(|text| {
            letters.iter().map(|letter| text.iter().copied().chain([*letter]).collect::<Vec<Letter>>())
        });
        texts = longer.collect();
        for text in &texts {
            found.extend((0..length).map(|at| Word::lasso(&text[..at], &text[at..]).shortened()));
        }
    }
    found
}

/// An upper bound on the number of lassos of up to `size` letters.
pub(crate) fn lasso_count(letters: usize, size: usize) -> usize {
    (1..=size).map(|length| length * letters.pow(length as u32)).sum()
}
