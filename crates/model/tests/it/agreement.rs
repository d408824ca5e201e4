//! Verdicts agree with the naive checker, on many small random graphs and formulas, under every fairness.

use crate::common::*;
use selvedge_explore::Random;
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Letter, Prop, Word};
use selvedge_model::explicit::Graph;
use selvedge_model::{Fairness, Options, Verdict, check};

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

#[track_caller]
fn verdict(graph: &Graph, formula: &Formula<Prop>, fairness: Fairness) -> Verdict<(u32, u32)> {
    check(graph, formula, Options { fairness, ..Options::default() }).expect("a small formula").verdict
}

fn text(formula: &Formula<Prop>) -> String {
    formula.map(&mut |prop| ["p", "q"][prop.0 as usize]).to_string()
}

/// Checks under every fairness; returns which verdicts are violations.
fn compare(graph: &Graph, formula: &Formula<Prop>) -> [bool; 3] {
    FAIRNESS.map(|fairness| {
        let expected = naive_holds(graph, formula, fairness);
        match verdict(graph, formula, fairness) {
            Verdict::Holds => assert!(expected, "{} {fairness:?} {graph:?}", text(formula)),
            Verdict::Violated(run) => {
                assert!(!expected, "{} {fairness:?} {graph:?}", text(formula));
                naive_replay(graph, &run, fairness);
            }
            other => panic!("{other:?}"),
        }
        !expected
    })
}

#[test]
fn verdicts_are_those_of_the_naive_checker() {
    let mut random = Random(3);
    let mut violated = [0; 3];
    let mut different = 0;
    for _ in 0..6000 {
        let graph = random_graph(&mut random, 6, 0);
        let formula = random_formula(&mut random, 3);
        let answers = compare(&graph, &formula);
        for (count, answer) in violated.iter_mut().zip(answers) {
            *count += usize::from(answer);
        }
        different += usize::from(answers[0] != answers[2]);
    }
    // The comparison is meaningful only if all answers occur, and fairness matters.
    assert!(violated.iter().all(|count| (1000..5000).contains(count)), "{violated:?}");
    assert!(violated[0] > violated[1] && violated[1] > violated[2] && different > 50, "{violated:?}");
}

#[test]
fn large_automata_agree_too() {
    let mut random = Random(29);
    let mut large = 0;
    for _ in 0..1200 {
        let graph = random_graph(&mut random, 4, 0);
        let formula = random_formula(&mut random, 4) & random_formula(&mut random, 4);
        if (9..30).contains(&negation(&formula).state_count()) {
            compare(&graph, &formula);
            large += 1;
        }
    }
    assert!(large > 15, "{large}");
}

#[test]
fn liveness_under_fairness_agrees_on_dense_graphs() {
    let mut random = Random(17);
    let [p, q] = [0, 1].map(|index| Formula::prop(Prop(index)));
    let formulas = [
        p.clone().eventually().always(),
        p.clone().implies(q.clone().eventually()).always(),
        p.clone().eventually().always().implies(q.clone().eventually().always()),
        p.clone().always().eventually(),
        p.eventually().always() & q.eventually().always(),
    ];
    for round in 0..3000 {
        let graph = random_graph(&mut random, 7, 0);
        compare(&graph, &formulas[round % formulas.len()]);
    }
}

/// Every lasso of the graph with at most `most` steps, as nodes: prefix, cycle (back to the prefix's last
/// node).
fn lassos(graph: &Graph, most: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut found = Vec::new();
    let mut paths = vec![vec![0]];
    while let Some(path) = paths.pop() {
        let last = *path.last().expect("a node");
        for start in 0..path.len() - 1 {
            if path[start] == last {
                found.push((path[..=start].to_vec(), path[start + 1..].to_vec()));
            }
        }
        let arcs = graph.arcs_from(last);
        if arcs.is_empty() {
            found.push((path.clone(), vec![last]));
        }
        if path.len() <= most {
            paths.extend(arcs.iter().map(|arc| path.iter().copied().chain([arc.2]).collect()));
        }
    }
    found
}

#[test]
fn no_lasso_violates_a_formula_that_holds() {
    let mut random = Random(5);
    for _ in 0..1500 {
        let graph = random_graph(&mut random, 4, 0);
        let formula = random_formula(&mut random, 3);
        if verdict(&graph, &formula, Fairness::None) != Verdict::Holds {
            continue;
        }
        for (prefix, cycle) in lassos(&graph, 6) {
            let letters = |nodes: &[u32]| -> Vec<Letter> {
                nodes.iter().map(|node| graph.labels()[*node as usize]).collect()
            };
            let word = Word::lasso(letters(&prefix), letters(&cycle));
            assert!(holds(&word, &formula), "{} {graph:?}", text(&formula));
        }
    }
}

#[test]
fn unknown_propositions_make_violations_possible_and_never_hide_them() {
    let mut random = Random(11);
    let mut seen = [0; 3];
    for _ in 0..4000 {
        let graph = random_graph(&mut random, 5, 3);
        let formula = random_formula(&mut random, 3);
        let expected = naive_holds(&graph, &formula, Fairness::None);
        // A concrete system that the graph abstracts.
        let resolved = graph.labels().iter().map(|label| Letter::exactly(label.may_true)).collect();
        let resolved = Graph::new(resolved, graph.arcs().to_vec(), PROCESSES as usize);
        let concrete = verdict(&resolved, &formula, Fairness::None);
        match verdict(&graph, &formula, Fairness::None) {
            Verdict::Holds => {
                seen[0] += 1;
                assert!(expected);
                assert_eq!(concrete, Verdict::Holds);
            }
            Verdict::Violated(run) => {
                seen[1] += 1;
                assert!(!expected);
                assert_ne!(concrete, Verdict::Holds);
                naive_replay(&graph, &run, Fairness::None);
            }
            Verdict::MayBeViolated(run) => {
                seen[2] += 1;
                assert!(!expected);
                naive_replay(&graph, &run, Fairness::None);
            }
            Verdict::Limit(limit) => panic!("{limit}"),
        }
    }
    assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
}
