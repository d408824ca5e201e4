//! Every search on random graphs, in all combinations of options, against a naive list of all sequences.

use super::{Outcome, Path, Search, Stop, replay};
use crate::engine::{Listener, Progress};
use crate::explicit::Explicit;
use crate::snapshot::{Mode, Paths, SearchOptions, SearchOrder};
use crate::target::{Question, StateId, Target};
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Binary, Formula, Letter, Unary, Word};
use selvedge_testkit::{Random, is_long_run};
use std::collections::BTreeSet;

/// A graph of a few nodes, with several arcs between the same nodes and nodes of the same class.
fn random_graph(random: &mut Random) -> Explicit {
    let mut graph = Explicit::new(2);
    let count = 1 + random.below(5);
    let nodes: Vec<StateId> = (0..count).map(|_| graph.node(random.pick(&["", "p", "q", "p q"]))).collect();
    for _ in 0..random.below(2 * count + 1) {
        graph.arc(random.pick(&nodes), random.below(2) as u32, random.pick(&nodes));
    }
    if random.below(3) == 0 {
        graph.same_class(random.pick(&nodes), nodes[0]);
    }
    graph
}

fn random_formula(random: &mut Random, size: usize) -> Formula<String> {
    if size <= 1 {
        return Formula::Prop(random.pick(&["p", "q"]).to_owned());
    }
    if size == 2 || random.below(2) == 0 {
        let operator = random.pick(&Unary::ALL);
        return Formula::Unary(operator, Box::new(random_formula(random, size - 1)));
    }
    let (operator, left) = (random.pick(&Binary::ALL), 1 + random.below(size - 2));
    let (a, b) = (random_formula(random, left), random_formula(random, size - 1 - left));
    Formula::Binary(operator, Box::new(a), Box::new(b))
}

/// The naive list: all sequences of at most `limit` moves, with their states, that satisfy the formula.
struct Naive {
    satisfying: Vec<(Vec<u32>, Vec<StateId>)>,
    limit: usize,
}

impl Naive {
    fn new(graph: &mut Explicit, question: &Question, limit: usize) -> Naive {
        let mut todo: Vec<(Vec<u32>, Vec<StateId>)> = vec![(Vec::new(), vec![StateId(0)])];
        let mut satisfying = Vec::new();
        while let Some((moves, states)) = todo.pop() {
            if satisfies(graph, question, &states) {
                satisfying.push((moves.clone(), states.clone()));
            }
            if moves.len() < limit {
                let mut here = Vec::new();
                graph.moves(states[states.len() - 1], &mut here).expect("moves");
                for (number, made) in here.iter().enumerate() {
                    let longer = [&moves[..], &[number as u32]].concat();
                    todo.push((longer, [&states[..], &[made.to]].concat()));
                }
            }
        }
        Naive { satisfying, limit }
    }

    /// The steps of a mode.
    fn steps(&self, mode: Mode) -> BTreeSet<Vec<u32>> {
        let is_proper = |short: &[u32], long: &[u32]| long.len() > short.len() && long.starts_with(short);
        let all = || self.satisfying.iter().map(|(moves, _)| moves);
        let is_step = |moves: &&Vec<u32>| match mode {
            Mode::Minimal => !all().any(|other| is_proper(other, moves)),
            Mode::Maximal => !all().any(|other| is_proper(moves, other)),
            Mode::EveryEnd => true,
        };
        all().filter(is_step).cloned().collect()
    }
}

fn satisfies(graph: &mut Explicit, question: &Question, states: &[StateId]) -> bool {
    let letters: Vec<Letter> =
        states.iter().map(|state| graph.label(question.id, *state).expect("a label")).collect();
    holds(&Word::finite(letters), &question.formula)
}

/// All alternatives of a search, and whether it was cut.
fn all_alternatives(
    graph: &mut Explicit,
    question: &Question,
    options: SearchOptions,
    listener: &mut dyn Listener,
) -> (Vec<Path>, bool) {
    let mut search = Search::new(question, StateId(0), options);
    let mut paths = Vec::new();
    loop {
        match search.next(graph, listener) {
            Outcome::Alternative(path) => paths.push(path),
            Outcome::Exhausted { is_cut } => return (paths, is_cut),
            Outcome::Stopped(Stop::Cancelled) => {}
            Outcome::Stopped(stop) => panic!("{stop:?}"),
        }
    }
}

/// A listener that cancels now and then.
struct Moody(Random);

impl Listener for Moody {
    fn progress(&mut self, _progress: Progress) -> bool {
        self.0.below(4) > 0
    }
}

fn classes(graph: &mut Explicit, moves: &[u32]) -> Vec<StateId> {
    let states = replay(graph, StateId(0), moves).expect("a path");
    states.into_iter().map(|state| graph.class(state)).collect()
}

/// Is it true that the path goes on for ever, and satisfies the formula after each round?
fn assert_cycle(graph: &mut Explicit, question: &Question, path: &Path, cycle: usize) {
    let states = replay(graph, StateId(0), &path.moves).expect("a path");
    assert!(cycle < path.moves.len(), "a cycle has a move");
    assert_eq!(states[cycle], states[states.len() - 1], "a cycle comes back");
    let mut unrolled = states.clone();
    for _ in 0..3 {
        assert!(satisfies(graph, question, &unrolled), "each round satisfies the formula");
        unrolled.extend_from_slice(&states[cycle + 1..]);
    }
}

fn assert_alternatives(
    graph: &mut Explicit,
    question: &Question,
    naive: &Naive,
    longer: &Naive,
    options: SearchOptions,
) {
    let (paths, is_cut) = all_alternatives(graph, question, options, &mut ());
    let (again, _) = all_alternatives(graph, question, options, &mut Moody(Random(naive.limit as u64)));
    assert_eq!(paths, again, "a search that is interrupted goes on");
    let expected = naive.steps(options.mode);
    let is_all = options.paths == Paths::All || options.order == SearchOrder::Memoryless;
    for path in &paths {
        let is_lasso = path.cycle.is_some() && !is_all;
        assert!(is_lasso || expected.contains(&path.moves), "{path:?} is no step");
        if let Some(cycle) = path.cycle {
            assert_cycle(graph, question, path, cycle);
        }
    }
    let found: BTreeSet<Vec<u32>> = paths.iter().map(|path| path.moves.clone()).collect();
    assert_eq!(found.len(), paths.len(), "no alternative occurs twice");
    let mut sequences = |moves: &BTreeSet<Vec<u32>>| -> BTreeSet<Vec<StateId>> {
        moves.iter().map(|moves| classes(graph, moves)).collect()
    };
    let (found_sequences, expected_sequences) = (sequences(&found), sequences(&expected));
    let ends = |sequences: &BTreeSet<Vec<StateId>>| -> BTreeSet<StateId> {
        sequences.iter().map(|states| states[states.len() - 1]).collect()
    };
    let (found_ends, expected_ends) = (ends(&found_sequences), ends(&expected_sequences));
    assert!(options.same_sequence || found_sequences.len() == paths.len(), "a sequence occurs twice");
    assert!(options.same_end || found_ends.len() == paths.len(), "an end occurs twice");
    match (is_all, options.same_end, options.same_sequence) {
        (true, true, true) => assert_eq!(found, expected),
        (true, true, false) => assert_eq!(found_sequences, expected_sequences),
        (true, false, _) => assert_eq!(found_ends, expected_ends),
        (false, ..) => assert_eq!(paths.is_empty(), expected.is_empty(), "none only if there are none"),
    }
    if options.mode == Mode::EveryEnd {
        assert_eq!(found_ends, expected_ends, "every end");
    }
    let is_by_length = options.order != SearchOrder::DepthFirst && (is_all || options.mode != Mode::Maximal);
    assert!(!is_by_length || paths.is_sorted_by_key(|path| path.moves.len()), "shorter ones first");
    if paths.is_empty() && !longer.satisfying.is_empty() {
        assert!(is_cut, "longer sequences were cut off");
    }
}

fn every_combination() -> Vec<SearchOptions> {
    let mut all = Vec::new();
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst, SearchOrder::Memoryless] {
        for mode in [Mode::Minimal, Mode::Maximal, Mode::EveryEnd] {
            for paths in [Paths::Subset, Paths::All] {
                for (same_end, same_sequence) in [(true, true), (true, false), (false, true), (false, false)]
                {
                    let options =
                        SearchOptions { order, mode, paths, same_end, same_sequence, ..Default::default() };
                    all.push(options);
                }
            }
        }
    }
    all
}

#[test]
fn all_options_in_all_combinations_agree_with_the_naive_list() {
    let mut random = Random(20);
    let cases = if is_long_run() { 20_000 } else { 400 };
    let (mut some, mut cycles) = (0, 0);
    for case in 0..cases {
        let mut graph = random_graph(&mut random);
        let size = 1 + random.below(5);
        let formula = random_formula(&mut random, size).to_string();
        let question = graph.question(&formula).unwrap_or_else(|error| panic!("{formula}: {error:?}"));
        let limit = random.below(5);
        let naive = Naive::new(&mut graph, &question, limit);
        let longer = Naive::new(&mut graph, &question, limit + 2);
        some += usize::from(!naive.satisfying.is_empty());
        for options in every_combination() {
            let options = SearchOptions { limit, ..options };
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                assert_alternatives(&mut graph.clone(), &question, &naive, &longer, options);
            }));
            assert!(checked.is_ok(), "case {case}: {formula} on {graph:?} with {options:?}");
        }
        let maximal = SearchOptions { mode: Mode::Maximal, limit: 50, ..SearchOptions::default() };
        let (paths, _) = all_alternatives(&mut graph, &question, maximal, &mut ());
        for path in &paths {
            if let Some(cycle) = path.cycle {
                cycles += 1;
                assert_cycle(&mut graph, &question, path, cycle);
            }
        }
    }
    assert!(some > cases / 3 && cycles > cases / 5, "both kinds of answers occur: {some}, {cycles}");
}
