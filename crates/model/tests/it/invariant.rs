//! A pass over many invariants gives each the verdict of a naive search over all nodes, and limits are
//! exact.

use crate::common::*;
use selvedge_explore::Random;
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::explicit::Graph;
use selvedge_model::{
    Budget, FailureGoal, Limit, Limits, Options, Order, Report, Verdict, check, check_invariants, explore,
    find_failures, is_invariant,
};

fn invariants() -> Vec<Formula<Prop>> {
    let [p, q] = [0, 1].map(|index| Formula::prop(Prop(index)));
    vec![
        p.clone().always(),
        q.clone().always(),
        (p.clone() | q.clone()).always(),
        (!(p.clone() & q.clone())).always(),
        p.implies(q).always(),
    ]
}

/// The distance of the nearest node whose letter makes the formula below `G` false, by breadth-first search.
fn nearest(graph: &Graph, is_bad: &dyn Fn(Letter) -> bool) -> Option<usize> {
    let mut level = vec![0_u32];
    let mut seen = vec![false; graph.labels().len()];
    seen[0] = true;
    for distance in 0.. {
        if level.is_empty() {
            return None;
        }
        if level.iter().any(|node| is_bad(graph.labels()[*node as usize])) {
            return Some(distance);
        }
        let mut next = Vec::new();
        for node in level {
            for arc in graph.arcs_from(node) {
                if !std::mem::replace(&mut seen[arc.2 as usize], true) {
                    next.push(arc.2);
                }
            }
        }
        level = next;
    }
    None
}

fn bad(index: usize, letter: Letter) -> bool {
    let (p, q) = (letter.may_true & 1 != 0, letter.may_true & 2 != 0);
    !match index {
        0 => p,
        1 => q,
        2 => p || q,
        3 => !(p && q),
        _ => !p || q,
    }
}

#[test]
fn one_pass_decides_all_invariants_and_finds_all_deadlocks() {
    let mut random = Random(41);
    let formulas = invariants();
    let mut violated = 0;
    for round in 0..2000 {
        let graph = random_graph(&mut random, 8, 0);
        let goal = (round % 2 == 0).then_some(FailureGoal::All);
        let pass = check_invariants(&graph, &formulas, goal, Budget::default()).expect("small formulas");
        for (index, report) in pass.reports.iter().enumerate() {
            let Report { verdict, .. } = report.as_ref().expect("an invariant");
            match (verdict, nearest(&graph, &|letter| bad(index, letter))) {
                (Verdict::Holds, None) => {}
                (Verdict::Violated(run), Some(distance)) => {
                    assert_eq!(run.prefix.len(), distance + 1);
                    violated += 1;
                }
                (verdict, nearest) => panic!("{index}: {verdict:?}, {nearest:?}, {graph:?}"),
            }
        }
        let alone = goal.map(|goal| find_failures(&graph, goal, Budget::default()));
        assert_eq!(pass.failures.map(|s| s.deadlock_count), alone.map(|s| s.deadlock_count));
    }
    assert!((1000..9000).contains(&violated), "{violated}");
}

#[test]
fn a_formula_that_is_no_invariant_has_no_report() {
    let p = Formula::prop(Prop(0));
    assert!(is_invariant(&(!(!p.clone()).eventually())), "however it is written");
    assert!(!is_invariant(&p.clone().eventually()));
    let graph = Graph::new(vec![Letter::exactly(1)], vec![(0, 0, 0)], 1);
    let formulas = [p.clone().eventually(), p.always()];
    let pass = check_invariants(&graph, &formulas, None, Budget::default()).expect("small formulas");
    assert!(matches!(pass.reports.as_slice(), [None, Some(Report { verdict: Verdict::Holds, .. })]));
}

#[test]
fn no_more_states_are_stored_than_the_limit_says() {
    let mut random = Random(43);
    let p = Formula::prop(Prop(0));
    for _ in 0..1000 {
        let graph = random_graph(&mut random, 10, 0);
        let all = explore(&graph, Order::BreadthFirst, Budget::default(), &mut ()).states.len();
        for most in 0..=all {
            let limits = Limits { states: Some(most), ..Limits::default() };
            let budget = Budget { limits, ..Budget::default() };
            let exploration = explore(&graph, Order::BreadthFirst, budget, &mut ());
            assert_eq!(exploration.states.len(), most);
            let formulas = [p.clone().always(), p.clone().eventually().always()];
            for report in
                formulas.map(|formula| check(&graph, &formula, Options { budget, ..Options::default() }))
            {
                let report = report.expect("a small formula");
                assert!(report.stats.states <= most, "{} of {most}", report.stats.states);
                assert!(most == all || report.verdict != Verdict::Holds || report.stats.states < all);
                assert!(most < all || report.verdict != Verdict::Limit(Limit::States));
            }
        }
    }
}
