//! Fooling sets: certificates that an automaton needs a number of states.
//!
//! Birget, Intersection and Union of Regular Languages and State Complexity, 1992: let u_i v_i be in L for
//! all i, and for i != j one of u_i v_j and u_j v_i not. An accepting run on u_i v_i is in some state after
//! u_i. If two pairs shared such a state, both mixed words would be accepted. So every nondeterministic
//! automaton for L has at least as many states as there are pairs. The argument does not depend on finite
//! words: here the v_i are lassos.
//!
//! The search: only the residual of u matters, so the residuals are enumerated, each with a shortest word.
//! Of v only the set of residuals that contain it matters, and smaller sets are better: from each residual,
//! other residuals are subtracted one after the other, as long as a word is left. Then a largest set of
//! residuals is searched, each with such a word, in which no two residuals contain each other's word.
//!
//! Promise: the same set on every machine. [`FoolingSet::validate`] checks by the semantics alone that it is
//! a fooling set; it need not be the largest.

use selvedge_ltl::bdd::Bdds;
use selvedge_ltl::buchi::{
    Automaton, Components, Edge, Limits, StateId, Translator, accepts, is_empty, product, some_word,
};
use selvedge_ltl::letter::Prop;
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Letter, Word};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// The maximal number of residuals.
const MAX_RESIDUALS: usize = 40;
/// A product with more than ten times this number of states is not built.
const MAX_PRODUCT: Limits = Limits { states: 200, edges: 200_000, nodes: 4_000_000 };
/// The maximal number of steps of the search for the largest set.
const MAX_STEPS: usize = 200_000;

/// Pairs of a finite word and a lasso.
pub(crate) struct FoolingSet(pub(crate) Vec<(Vec<Letter>, Word)>);

impl FoolingSet {
    /// A large fooling set for the formula over the first `props` propositions.
    pub(crate) fn of(formula: &Formula<Prop>, props: usize) -> FoolingSet {
        let mut search = Search::new(formula, props);
        search.find_residuals();
        let choices: Vec<Vec<Suffix>> =
            (0..search.residuals.len()).map(|index| search.suffixes(index)).collect();
        let chosen = largest(&choices);
        let pair = |(index, suffix): (usize, usize)| {
            (search.residuals[index].word.clone(), choices[index][suffix].word.clone())
        };
        FoolingSet(chosen.into_iter().map(pair).collect())
    }

    /// Panics, saying which word is wrong, if it is no fooling set by the semantics.
    pub(crate) fn validate(&self, formula: &Formula<Prop>) {
        let in_language = |i: usize, j: usize| {
            let (start, suffix) = (&self.0[i].0, &self.0[j].1);
            holds(&Word::lasso([start.as_slice(), &suffix.prefix].concat(), suffix.cycle.clone()), formula)
        };
        for i in 0..self.0.len() {
            assert!(in_language(i, i), "word {i} is not in the language");
            for j in 0..i {
                assert!(!in_language(i, j) || !in_language(j, i), "words {i} and {j} can be mixed");
            }
        }
    }
}

/// A word and its residual: an automaton of the suffixes in the language, and one of the suffixes outside.
struct Residual {
    word: Vec<Letter>,
    yes: Automaton,
    no: Automaton,
}

/// A suffix, and the residuals that contain it.
struct Suffix {
    word: Word,
    within: HashSet<usize>,
}

struct Search {
    bdds: Bdds,
    yes: Automaton,
    no: Automaton,
    letters: Vec<Letter>,
    residuals: Vec<Residual>,
}

impl Search {
    fn new(formula: &Formula<Prop>, props: usize) -> Search {
        let mut translator = Translator::default();
        let nnf = translator.arena.formula(formula);
        let negation = translator.arena.negate(nnf);
        let [yes, no] = [nnf, negation].map(|f| translator.nondeterministic(f).expect("a small automaton"));
        let letters = (0..1 << props).map(Letter::exactly).collect();
        Search { bdds: translator.bdds, yes, no, letters, residuals: Vec::new() }
    }

    /// Enumerates the residuals, in the order of their shortest words.
    fn find_residuals(&mut self) {
        let start = (BTreeSet::from([self.yes.initial]), BTreeSet::from([self.no.initial]));
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = VecDeque::from([(Vec::new(), start)]);
        while let Some((word, states)) = queue.pop_front() {
            let residual =
                Residual { yes: started_in(&self.yes, &states.0), no: started_in(&self.no, &states.1), word };
            if self.is_known(&residual) || self.residuals.len() == MAX_RESIDUALS {
                continue;
            }
            for letter in &self.letters {
                let next =
                    (self.step(&self.yes, &states.0, *letter), self.step(&self.no, &states.1, *letter));
                if !next.0.is_empty() && seen.insert(next.clone()) {
                    queue.push_back(([residual.word.as_slice(), &[*letter]].concat(), next));
                }
            }
            self.residuals.push(residual);
        }
    }

    /// The successors of a set of states by a letter.
    fn step(&self, automaton: &Automaton, from: &BTreeSet<StateId>, letter: Letter) -> BTreeSet<StateId> {
        let reads = |edge: &&Edge| self.bdds.value(edge.guard, |var| letter.allows(Prop(var as u8), true));
        let edges = from.iter().flat_map(|state| &automaton.edges[*state as usize]);
        edges.filter(reads).map(|edge| edge.target).collect()
    }

    /// Is an equal residual known already?
    fn is_known(&mut self, residual: &Residual) -> bool {
        let bdds = &mut self.bdds;
        let mut disjoint =
            |a: &Automaton, b: &Automaton| product(bdds, a, b, MAX_PRODUCT).is_ok_and(|both| is_empty(&both));
        self.residuals
            .iter()
            .any(|known| disjoint(&known.yes, &residual.no) && disjoint(&residual.yes, &known.no))
    }

    /// Words of a residual that few other residuals contain: the others are subtracted in different orders.
    fn suffixes(&mut self, index: usize) -> Vec<Suffix> {
        let count = self.residuals.len();
        let mut suffixes: Vec<Suffix> = Vec::new();
        for first in 0..count {
            let upwards = (first..count).chain(0..first);
            let downwards = (0..=first).rev().chain((first + 1..count).rev());
            for order in [upwards.collect::<Vec<_>>(), downwards.collect()] {
                let Some(suffix) = self.suffix(index, &order) else { continue };
                if !suffixes.iter().any(|known| known.within.is_subset(&suffix.within)) {
                    suffixes.retain(|known| !suffix.within.is_subset(&known.within));
                    suffixes.push(suffix);
                }
            }
        }
        suffixes
    }

    /// A word of a residual, after the other residuals were subtracted in this order as far as a word was
    /// left.
    fn suffix(&mut self, index: usize, order: &[usize]) -> Option<Suffix> {
        let mut left = trimmed(&self.residuals[index].yes);
        for other in order.iter().filter(|other| **other != index) {
            let outside = product(&mut self.bdds, &left, &self.residuals[*other].no, MAX_PRODUCT);
            if let Some(outside) = outside.ok().filter(|outside| !is_empty(outside)) {
                left = trimmed(&outside);
            }
        }
        let word = some_word(&self.bdds, &left)?;
        let has = |other: &usize| accepts(&self.bdds, &self.residuals[*other].yes, &word);
        let within = (0..self.residuals.len()).filter(has).collect();
        Some(Suffix { word, within })
    }
}

/// The automaton that starts in any of these states.
fn started_in(automaton: &Automaton, states: &BTreeSet<StateId>) -> Automaton {
    let mut started = automaton.clone();
    let first = states.iter().flat_map(|state| automaton.edges[*state as usize].iter().copied()).collect();
    started.initial = started.edges.len() as StateId;
    started.edges.push(first);
    started.reachable()
}

/// The automaton without dead states.
fn trimmed(automaton: &Automaton) -> Automaton {
    let components = Components::of_automaton(automaton);
    let alive = components.alive(automaton);
    let mut next = 0..;
    let keep: Vec<Option<StateId>> = components
        .of
        .iter()
        .map(|component| component.filter(|c| alive[*c as usize]).and_then(|_| next.next()))
        .collect();
    automaton.renumbered(&keep)
}

/// A largest set of residuals, each with one of its words, in which no two contain each other's word.
fn largest(choices: &[Vec<Suffix>]) -> Vec<(usize, usize)> {
    let all =
        (0..choices.len()).flat_map(|index| (0..choices[index].len()).map(move |suffix| (index, suffix)));
    let mut clique = Clique { choices, best: Vec::new(), chosen: Vec::new(), steps: 0 };
    clique.extend(&all.collect::<Vec<_>>());
    clique.best
}

/// The search for the largest set, by branch and bound.
struct Clique<'c> {
    choices: &'c [Vec<Suffix>],
    best: Vec<(usize, usize)>,
    chosen: Vec<(usize, usize)>,
    steps: usize,
}

impl Clique<'_> {
    /// Extends the chosen set by the candidates in `open`, which are sorted by residual.
    fn extend(&mut self, open: &[(usize, usize)]) {
        if self.chosen.len() > self.best.len() {
            self.best.clone_from(&self.chosen);
        }
        self.steps += 1;
        let residuals = open.chunk_by(|a, b| a.0 == b.0).count();
        let Some(&(first, _)) = open.first() else { return };
        if self.chosen.len() + residuals <= self.best.len() || self.steps > MAX_STEPS {
            return;
        }
        let later = open.iter().position(|(index, _)| *index != first).unwrap_or(open.len());
        for node in &open[..later] {
            let goes_with = |other: &&(usize, usize)| !self.mixes(*node, **other);
            let rest: Vec<(usize, usize)> = open[later..].iter().filter(goes_with).copied().collect();
            self.chosen.push(*node);
            self.extend(&rest);
            self.chosen.pop();
        }
        self.extend(&open[later..]);
    }

    /// Does each of the two residuals contain the other's word?
    fn mixes(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let within = |(index, suffix): (usize, usize)| &self.choices[index][suffix].within;
        within(one).contains(&other.0) && within(other).contains(&one.0)
    }
}
