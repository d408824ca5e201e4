//! Language inclusion of Büchi automata, exactly and without complementation.
//!
//! Fogarty and Vardi, Efficient Büchi Universality Checking, TACAS 2010, and Abdulla et al., Simulation
//! Subsumption in Ramsey-Based Büchi Automata Universality and Inclusion Testing, CAV 2010. If the left
//! language has a word that the right one lacks, it has one of the form u v v v ..., where the left
//! automaton reaches a state by u and returns to it by v, meeting every mark. Of u only the set of states of
//! the right automaton after it matters. Of v only a graph matters: the pairs of states of the right
//! automaton that are joined by a path that reads v, and the pairs joined by an accepting one. There are
//! finitely many sets and graphs, and a smaller set or graph accepts less, so only minimal ones are stored.
//! We differ in taking the stems as sets, not graphs; in beginning each v where the left automaton meets its
//! first mark; and in checking for each graph directly whether its repetition is accepted, so that graphs
//! need not be idempotent.
//!
//! Promise: `Holds` and `Fails` are certain; `Fails` comes with a word; `Unknown` means that the limit was
//! exceeded.

use super::relation::{Relation, States};
use crate::lassos::letter_classes;
use selvedge_ltl::bdd::Bdds;
use selvedge_ltl::buchi::{Automaton, Marks};
use selvedge_ltl::{Letter, Word};
use std::collections::VecDeque;

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inclusion {
    Holds,
    /// A word of the left automaton that the right one does not accept.
    Fails(Word),
    /// More sets and graphs than allowed.
    Unknown,
}

/// Does the right automaton, with at most one mark, accept every word that the left one accepts? `limit`
/// bounds the number of sets and graphs.
pub(crate) fn included(bdds: &mut Bdds, left: &Automaton, right: &Automaton, limit: usize) -> Inclusion {
    assert!(right.mark_count <= 1, "the right automaton has at most one mark");
    let pair = Pair::new(bdds, left, right);
    let Some(stems) = pair.stems(limit) else { return Inclusion::Unknown };
    pair.search(&stems, limit)
}

/// A step of the left automaton.
#[derive(Clone, Copy)]
struct Arc {
    from: usize,
    marks: Marks,
    to: usize,
}

/// The pairs of states of the right automaton that are joined by a path over some word, and by an accepting
/// path.
#[derive(Clone, Debug)]
struct Graph {
    paths: Relation,
    accepting: Relation,
}

impl Graph {
    /// The graph of the concatenated words.
    fn then(&self, next: &Graph) -> Graph {
        let through = |from: usize| next.paths.image(self.paths.0[from]);
        let accepting =
            |from: usize| next.paths.image(self.accepting.0[from]) | next.accepting.image(self.paths.0[from]);
        let count = self.paths.0.len();
        let rows = |row: &dyn Fn(usize) -> States| Relation((0..count).map(row).collect());
        Graph { paths: rows(&through), accepting: rows(&accepting) }
    }

    /// The states from which the word, repeated for ever, is accepted.
    fn accepted_from(&self) -> States {
        let mut after = self.paths.clone();
        after.close();
        let count = after.0.len();
        let on_cycle = |state: &usize| after.image(self.accepting.0[*state]) >> state & 1 == 1;
        let good = (0..count).filter(on_cycle);
        let good: States = good.fold(0, |set, state| set | 1 << state);
        (0..count).filter(|s| (after.0[*s] | 1 << s) & good != 0).fold(0, |set, state| set | 1 << state)
    }

    fn is_within(&self, other: &Graph) -> bool {
        self.paths.is_within(&other.paths) && self.accepting.is_within(&other.accepting)
    }

    /// Keeps the paths that begin in the set.
    fn restrict(&mut self, to: States) {
        for relation in [&mut self.paths, &mut self.accepting] {
            for (state, row) in relation.0.iter_mut().enumerate() {
                if to >> state & 1 == 0 {
                    *row = 0;
                }
            }
        }
    }
}

/// The two automata, letter by letter.
struct Pair {
    letters: Vec<Letter>,
    /// By letter: the edges of the left automaton.
    arcs: Vec<Vec<Arc>>,
    /// By letter: the edges of the right automaton.
    graphs: Vec<Graph>,
    initial: (usize, usize),
    left_count: usize,
    left_marks: Marks,
    /// Reachability between states of the left automaton, by one or more edges.
    after: Relation,
}

impl Pair {
    fn new(bdds: &mut Bdds, left: &Automaton, right: &Automaton) -> Pair {
        let letters = letter_classes(bdds, &[left, right]);
        let steps = |automaton: &Automaton, letter: Letter| -> Vec<Arc> {
            let reads = |guard| bdds.value(guard, |var| letter.may_true >> var & 1 == 1);
            let arcs = automaton.edges.iter().enumerate().flat_map(|(from, edges)| {
                edges.iter().filter(|edge| reads(edge.guard)).map(move |edge| Arc {
                    from,
                    marks: edge.marks,
                    to: edge.target as usize,
                })
            });
            arcs.collect()
        };
        let graph = |letter: &Letter| {
            let empty = Relation::new(right.state_count());
            let mut graph = Graph { paths: empty.clone(), accepting: empty };
            for arc in steps(right, *letter) {
                graph.paths.add(arc.from, arc.to);
                if arc.marks == right.all_marks() {
                    graph.accepting.add(arc.from, arc.to);
                }
            }
            graph
        };
        let arcs: Vec<Vec<Arc>> = letters.iter().map(|letter| steps(left, *letter)).collect();
        let mut after = Relation::new(left.state_count());
        for arc in arcs.iter().flatten() {
            after.add(arc.from, arc.to);
        }
        after.close();
        Pair {
            graphs: letters.iter().map(graph).collect(),
            initial: (left.initial as usize, right.initial as usize),
            left_count: left.state_count(),
            left_marks: left.all_marks(),
            letters,
            arcs,
            after,
        }
    }

    /// By state of the left automaton: the minimal sets of states of the right automaton after a common
    /// word.
    fn stems(&self, limit: usize) -> Option<Vec<Vec<Stem>>> {
        let mut stems: Vec<Vec<Stem>> = vec![Vec::new(); self.left_count];
        let start = Stem { set: 1 << self.initial.1, word: Vec::new() };
        let mut queue = VecDeque::from([(self.initial.0, start.clone())]);
        stems[self.initial.0].push(start);
        let mut made = 0;
        while let Some((state, stem)) = queue.pop_front() {
            for (letter, arcs) in self.arcs.iter().enumerate() {
                let set = self.graphs[letter].paths.image(stem.set);
                for arc in arcs.iter().filter(|arc| arc.from == state) {
                    if stems[arc.to].iter().any(|known| known.set & !set == 0) {
                        continue;
                    }
                    let longer = Stem { set, word: extended(&stem.word, letter) };
                    stems[arc.to].retain(|known| set & !known.set != 0);
                    stems[arc.to].push(longer.clone());
                    queue.push_back((arc.to, longer));
                    made += 1;
                }
            }
            if made > limit {
                return None;
            }
        }
        Some(stems)
    }

    /// By state of the left automaton: all states of the right automaton that share a word with it.
    fn companions(&self) -> Vec<States> {
        let mut met: Vec<States> = vec![0; self.left_count];
        met[self.initial.0] = 1 << self.initial.1;
        loop {
            let before = met.clone();
            for (letter, arcs) in self.arcs.iter().enumerate() {
                for arc in arcs {
                    met[arc.to] |= self.graphs[letter].paths.image(met[arc.from]);
                }
            }
            if met == before {
                return met;
            }
        }
    }

    /// Searches the cycles, shortest first.
    fn search(&self, stems: &[Vec<Stem>], limit: usize) -> Inclusion {
        let mut search = Search { known: vec![Vec::new(); self.left_count.pow(2)], cycles: Vec::new() };
        let companions = self.companions();
        // An accepting cycle meets every mark, so it may begin with an edge that has the first mark.
        let begins = |arc: &&Arc| !stems[arc.from].is_empty() && (self.left_marks == 0 || arc.marks & 1 == 1);
        for (letter, arcs) in self.arcs.iter().enumerate() {
            for arc in arcs.iter().filter(begins).filter(|arc| self.returns(arc.to, arc.from)) {
                let mut graph = self.graphs[letter].clone();
                graph.restrict(companions[arc.from]);
                search.add(self.left_count, Cycle { arc: *arc, graph, word: vec![letter], alive: true });
            }
        }
        let mut next = 0;
        while next < search.cycles.len() {
            let cycle = &search.cycles[next];
            next += 1;
            if !cycle.alive {
                continue;
            }
            if let Some(word) = self.refuted(stems, cycle) {
                return Inclusion::Fails(word);
            }
            let cycle = cycle.clone();
            for (letter, arcs) in self.arcs.iter().enumerate() {
                let steps = arcs.iter().filter(|arc| arc.from == cycle.arc.to);
                let mut steps = steps.filter(|arc| self.returns(arc.to, cycle.arc.from)).peekable();
                if steps.peek().is_none() {
                    continue;
                }
                let graph = cycle.graph.then(&self.graphs[letter]);
                for step in steps {
                    let arc = Arc { marks: cycle.arc.marks | step.marks, to: step.to, ..cycle.arc };
                    let word = extended(&cycle.word, letter);
                    search.add(self.left_count, Cycle { arc, graph: graph.clone(), word, alive: true });
                }
            }
            if search.cycles.len() > limit {
                return Inclusion::Unknown;
            }
        }
        Inclusion::Holds
    }

    fn returns(&self, from: usize, to: usize) -> bool {
        from == to || self.after.contains(from, to)
    }

    /// A word that repeats the cycle for ever and that the right automaton does not accept.
    fn refuted(&self, stems: &[Vec<Stem>], cycle: &Cycle) -> Option<Word> {
        if cycle.arc.from != cycle.arc.to || cycle.arc.marks != self.left_marks {
            return None;
        }
        let accepted = cycle.graph.accepted_from();
        let stem = stems[cycle.arc.from].iter().find(|stem| stem.set & accepted == 0)?;
        let spell = |word: &[usize]| word.iter().map(|letter| self.letters[*letter]).collect::<Vec<_>>();
        Some(Word::lasso(spell(&stem.word), spell(&cycle.word)).shortened())
    }
}

/// A path to a state: the states of the right automaton after it, and its letters.
#[derive(Clone)]
struct Stem {
    set: States,
    word: Vec<usize>,
}

/// A path between two states: its graph of the right automaton, and its letters.
#[derive(Clone)]
struct Cycle {
    arc: Arc,
    graph: Graph,
    word: Vec<usize>,
    /// Is it still minimal?
    alive: bool,
}

struct Search {
    /// By the ends of the arc: the minimal paths, as indices into `cycles`.
    known: Vec<Vec<usize>>,
    /// All paths that were minimal at some time, in the order of insertion.
    cycles: Vec<Cycle>,
}

impl Search {
    /// Adds a path unless a known one has at least its marks and a subset of its graph; removes the paths
    /// that the new one subsumes.
    fn add(&mut self, left_count: usize, cycle: Cycle) {
        let Search { known, cycles } = self;
        let subsumes = |a: &Cycle, b: &Cycle| b.arc.marks & !a.arc.marks == 0 && a.graph.is_within(&b.graph);
        let known = &mut known[cycle.arc.from * left_count + cycle.arc.to];
        if known.iter().any(|index| subsumes(&cycles[*index], &cycle)) {
            return;
        }
        known.retain(|index| {
            let kept = !subsumes(&cycle, &cycles[*index]);
            cycles[*index].alive &= kept;
            kept
        });
        known.push(cycles.len());
        cycles.push(cycle);
    }
}

fn extended(word: &[usize], letter: usize) -> Vec<usize> {
    word.iter().copied().chain([letter]).collect()
}
