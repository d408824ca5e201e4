//! Several workers give the results of one: verdicts, sizes, deadlocks, paths; under limits, and when a
//! worker panics.

use crate::common::*;
use selvedge_explore::Random;
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::explicit::Graph;
use selvedge_model::{
    Budget, FailureGoal, Fairness, Limit, Limits, Options, ProcessId, Report, States, Steps, System, Verdict,
    Word, check, check_invariants, explore_by_levels, find_failures, is_invariant,
};
use std::mem::{Discriminant, discriminant};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MANY: [usize; 4] = [2, 3, 4, 8];

fn with_workers(workers: usize) -> Budget<'static> {
    // The graphs are small; all workers begin at once.
    Budget { workers, alone: 0, ..Budget::default() }
}

/// A graph that pauses now and then before it makes steps, so that interleavings differ from run to run; it
/// panics at the expansion with the number `panics_at`.
struct Restless<'a> {
    graph: &'a Graph,
    asked: AtomicU64,
    panics_at: u64,
}

impl<'a> Restless<'a> {
    fn new(graph: &'a Graph) -> Self {
        Restless { graph, asked: AtomicU64::new(0), panics_at: u64::MAX }
    }
}

impl System for Restless<'_> {
    type Action = (u32, u32);

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        self.graph.processes()
    }

    fn initial(&self, out: &mut States) {
        self.graph.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>) {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(asked < self.panics_at, "a system that fails");
        // Yielding the processor is a long pause on a busy machine, so that is rare.
        match Random(asked ^ state[0] << 32).word() % 512 {
            0 => std::thread::yield_now(),
            pause => (0..pause.saturating_sub(256)).for_each(|_| std::hint::spin_loop()),
        }
        self.graph.successors(state, out);
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.graph.label(state)
    }

    fn process(&self, action: Self::Action) -> Option<ProcessId> {
        self.graph.process(action)
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.graph.is_end(state)
    }

    fn describe(&self, action: Self::Action) -> String {
        self.graph.describe(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.graph.show(state)
    }
}

#[track_caller]
fn report(graph: &Graph, formula: &Formula<Prop>, fairness: Fairness, workers: usize) -> Report<(u32, u32)> {
    let options = Options { fairness, budget: with_workers(workers), ..Options::default() };
    check(&Restless::new(graph), formula, options).expect("a small formula")
}

/// The verdict of several workers is that of one; so are the figures of a complete search. Returns whether
/// it holds.
#[track_caller]
fn compare(graph: &Graph, formula: &Formula<Prop>, fairness: Fairness, workers: usize) -> bool {
    let one = report(graph, formula, fairness, 1);
    let many = report(graph, formula, fairness, workers);
    match (&one.verdict, &many.verdict) {
        (Verdict::Holds, Verdict::Holds) => {
            let figures = |report: &Report<_>| {
                let stats = report.stats;
                (stats.states, stats.transitions, stats.product_states, stats.automaton_states)
            };
            assert_eq!(figures(&one), figures(&many), "{workers} workers, {formula:?}, {graph:?}");
        }
        (Verdict::Violated(_), Verdict::Violated(run)) => naive_replay(graph, run, fairness),
        (Verdict::MayBeViolated(_), Verdict::MayBeViolated(_)) => {}
        other => panic!("{workers} workers, {formula:?}, {fairness:?}, {graph:?}: {other:?}"),
    }
    one.verdict == Verdict::Holds
}

/// The number of repetitions of a random test.
fn rounds(count: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 20 * count } else { count }
}

#[test]
fn verdicts_and_sizes_are_those_of_one_worker() {
    let mut random = Random(41);
    let mut held = [0; 3];
    for round in 0..rounds(3000) {
        let graph = random_graph(&mut random, [4, 8, 30, 100][round % 4], [0, 0, 3][round % 3]);
        let formula = random_formula(&mut random, 3);
        for (fairness, held) in [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().zip(&mut held)
        {
            *held += usize::from(compare(&graph, &formula, fairness, MANY[round / 12 % 4]));
        }
    }
    let round = rounds(1000);
    assert!(held.iter().all(|held| (round / 3..round * 5 / 2).contains(held)), "{held:?}");
}

#[test]
fn verdicts_are_those_of_the_naive_checker() {
    let mut random = Random(43);
    for round in 0..rounds(1500) {
        let graph = random_graph(&mut random, 6, 0);
        let formula = random_formula(&mut random, 3);
        for fairness in [Fairness::None, Fairness::Weak] {
            let expected = naive_holds(&graph, &formula, fairness);
            let report = report(&graph, &formula, fairness, MANY[round % 4]);
            assert_eq!(report.verdict == Verdict::Holds, expected, "{formula:?} {fairness:?} {graph:?}");
        }
    }
}

#[test]
fn a_run_that_is_no_path_to_a_bad_state_is_the_same_for_several_workers() {
    let mut random = Random(83);
    let mut violated = 0;
    for round in 0..rounds(600) {
        let graph = match round % 20 {
            0 => wide(&mut random, 3000),
            _ => random_graph(&mut random, [8, 30, 100][round % 3], 0),
        };
        let formula = random_formula(&mut random, 3);
        if is_invariant(&formula) {
            continue;
        }
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let one = report(&graph, &formula, fairness, 1);
            let two = report(&graph, &formula, fairness, 2);
            let many = report(&graph, &formula, fairness, MANY[round % 4]);
            assert_eq!(
                discriminant(&one.verdict),
                discriminant(&two.verdict),
                "{formula:?} {fairness:?} {graph:?}"
            );
            assert_eq!(two.verdict, many.verdict, "{formula:?} {fairness:?} {graph:?}");
            assert_eq!(two.stats.product_states, many.stats.product_states);
            if let Verdict::Violated(run) = &two.verdict {
                naive_replay(&graph, run, fairness);
                violated += 1;
            }
        }
    }
    assert!(violated > rounds(100), "{violated}");
}

#[test]
fn workers_join_a_search_for_runs_in_the_middle() {
    let mut random = Random(89);
    for round in 0..rounds(600) {
        let graph = match round % 5 {
            0 => wide(&mut random, 3000),
            1 => tangle(&mut random, 700, 100),
            _ => random_graph(&mut random, [8, 30, 100][round % 3], 0),
        };
        let formula = random_formula(&mut random, 3);
        let fairness = [Fairness::None, Fairness::None, Fairness::Weak, Fairness::Strong][round % 4];
        let check_with = |workers, alone| {
            let budget = Budget { workers, alone, ..Budget::default() };
            let options = Options { fairness, budget, ..Options::default() };
            check(&Restless::new(&graph), &formula, options).expect("a small formula")
        };
        let one = check_with(1, 0);
        let alone = below(&mut random, graph.labels().len() as u32) as usize;
        let [two, many] = [2, MANY[round % 3 + 1]].map(|workers| check_with(workers, alone));
        assert_eq!(discriminant(&one.verdict), discriminant(&two.verdict), "{formula:?} {alone} {graph:?}");
        assert_eq!(two.verdict, many.verdict, "{formula:?} {alone} {graph:?}");
        match &two.verdict {
            Verdict::Holds => {
                let sizes = |report: &Report<_>| {
                    (report.stats.states, report.stats.transitions, report.stats.product_states)
                };
                assert_eq!(sizes(&one), sizes(&two), "{formula:?} {alone} {graph:?}");
                assert_eq!(sizes(&one), sizes(&many), "{formula:?} {alone} {graph:?}");
            }
            Verdict::Violated(run) => naive_replay(&graph, run, fairness),
            _ => {}
        }
    }
}

#[test]
fn a_cycle_that_is_far_away_in_breadth_is_found_in_depth() {
    // The steps go right and down on a torus: the first cycle closes in a level with half of the nodes
    // behind it, and depth first takes one row.
    const WIDTH: u32 = 300;
    let count = WIDTH * WIDTH;
    let steps = |node: u32| {
        let (row, column) = (node / WIDTH, node % WIDTH);
        let right = row * WIDTH + (column + 1) % WIDTH;
        [(node, 0, right), (node, 0, (row + 1) % WIDTH * WIDTH + column)]
    };
    let labels = vec![Letter::exactly(0); count as usize];
    let graph = Graph::new(labels, (0..count).flat_map(steps).collect(), 1);
    let formula = Formula::prop(Prop(0)).eventually();
    let options = Options { budget: with_workers(2), ..Options::default() };
    let report = check(&graph, &formula, options).expect("a small formula");
    let Verdict::Violated(run) = &report.verdict else { panic!("no node has the proposition") };
    naive_replay(&graph, run, Fairness::None);
    assert!(report.stats.states < count as usize / 8, "{:?}", report.stats);
}

/// A graph of long cycles that share nodes.
fn tangle(random: &mut Random, count: u32, chords: u32) -> Graph {
    let labels = (0..count).map(|node| Letter::exactly(u64::from(node % 7 == 3) << 1)).collect();
    let ring = (0..count).map(|node| (node, node % 2, (node + 1) % count));
    let chord = |_| {
        let from = below(random, count);
        (from, below(random, 2), from.saturating_sub(below(random, 40)))
    };
    let arcs = ring.chain((0..chords).map(chord).collect::<Vec<_>>()).collect();
    Graph::new(labels, arcs, PROCESSES as usize)
}

#[test]
fn components_of_many_nodes_are_found_whole() {
    let [p, q] = [0, 1].map(|index| Formula::prop(Prop(index)));
    // The first holds since p never does; the others depend on the whole component.
    let formulas = [
        p.clone().eventually().always().implies(q.clone().eventually().always()),
        q.clone().eventually().always(),
        (q.clone().eventually().always() & p.eventually().always()).implies(Formula::FALSE),
        q.always().eventually(),
    ];
    let mut random = Random(47);
    for round in 0..rounds(240) {
        let graph = tangle(&mut random, 50 + 40 * (round as u32 % 20), 30);
        let fairness = [Fairness::None, Fairness::Weak][round / 4 % 2];
        compare(&graph, &formulas[round % 4], fairness, MANY[round % 3 + 1]);
    }
}

/// A graph with levels that are wide enough for several workers.
fn wide(random: &mut Random, count: u32) -> Graph {
    let labels = (0..count).map(|_| Letter::exactly(u64::from(below(random, 3000) == 0))).collect();
    let arcs = (0..3 * count)
        .map(|_| (below(random, count), below(random, PROCESSES), below(random, count)))
        .chain((1..20).map(|node| (0, 0, node)))
        .collect();
    (0..count as usize).step_by(3).fold(Graph::new(labels, arcs, PROCESSES as usize), Graph::with_unfinished)
}

#[test]
fn invariants_have_the_same_shortest_violation_for_many_workers() {
    let mut random = Random(53);
    let never = (!Formula::prop(Prop(0))).always();
    let mut violated = 0;
    for _ in 0..rounds(30) {
        let graph = wide(&mut random, 6000);
        compare(&graph, &never, Fairness::None, 2);
        let one = report(&graph, &never, Fairness::None, 1);
        let many = MANY.map(|workers| {
            let report = report(&graph, &never, Fairness::None, workers);
            (report.verdict, report.stats.states, report.stats.transitions, report.stats.depth)
        });
        assert!(many.iter().all(|report| *report == many[0]), "{many:?}");
        if let (Verdict::Violated(short), Verdict::Violated(run)) = (&one.verdict, &many[0].0) {
            assert_eq!(short.prefix.len(), run.prefix.len());
            violated += 1;
        }
    }
    assert!(violated > 5, "{violated}");
}

#[test]
fn workers_join_a_search_for_states_in_the_middle() {
    let mut random = Random(97);
    let formulas = [0, 1].map(|index| (!Formula::prop(Prop(index))).always());
    let mut violated = 0;
    for round in 0..rounds(60) {
        let graph = wide(&mut random, 3000);
        let system = Restless::new(&graph);
        let pass = |workers, alone| {
            let budget = Budget { workers, alone, ..Budget::default() };
            check_invariants(&system, &formulas, Some(FailureGoal::All), budget).expect("small formulas")
        };
        let one = pass(1, 0);
        let many = pass(MANY[round % 4], below(&mut random, 3000) as usize);
        assert_eq!(verdict_kinds(&one.reports), verdict_kinds(&many.reports), "{graph:?}");
        for report in many.reports.iter().flatten() {
            if let Verdict::Violated(run) = &report.verdict {
                naive_replay(&graph, run, Fairness::None);
                violated += 1;
            }
        }
        let [one, many] = [one, many].map(|pass| pass.failures.expect("failures were searched for"));
        let lengths = |runs: &[selvedge_model::Counterexample<_>]| -> Vec<usize> {
            runs.iter().map(|run| run.prefix.len()).collect()
        };
        assert_eq!(one.deadlock_count, many.deadlock_count);
        assert_eq!(lengths(&one.deadlocks), lengths(&many.deadlocks));
        many.deadlocks.iter().for_each(|run| naive_replay(&graph, run, Fairness::None));
        assert_eq!(
            (one.stats.states, one.stats.transitions, one.stats.depth),
            (many.stats.states, many.stats.transitions, many.stats.depth)
        );
    }
    assert!(violated > rounds(10), "{violated}");
}

#[test]
fn deadlocks_are_the_same_for_several_workers() {
    let mut random = Random(59);
    for round in 0..rounds(30) {
        let graph = wide(&mut random, 6000);
        let restless = Restless::new(&graph);
        let one = find_failures(&restless, FailureGoal::All, Budget::default());
        let many = MANY.map(|workers| find_failures(&restless, FailureGoal::All, with_workers(workers)));
        for found in &many {
            assert_eq!(found.deadlock_count, one.deadlock_count);
            assert_eq!(found.deadlocks, many[0].deadlocks, "round {round}");
            let lengths = |runs: &[selvedge_model::Counterexample<_>]| -> Vec<usize> {
                runs.iter().map(|run| run.prefix.len()).collect()
            };
            assert_eq!(lengths(&found.deadlocks), lengths(&one.deadlocks));
            assert_eq!(
                (found.stats.states, found.stats.transitions, found.stats.depth),
                (one.stats.states, one.stats.transitions, one.stats.depth)
            );
        }
        assert!(one.deadlock_count > 10);
        let first = MANY.map(|workers| {
            find_failures(&restless, FailureGoal::FirstDeadlock, with_workers(workers)).deadlocks
        });
        assert!(first.iter().all(|found| found.len() == 1 && *found == first[0]));
    }
}

/// The kind of a verdict, and the length of the path that shows it.
type VerdictKind = (Discriminant<Verdict<(u32, u32)>>, usize);

fn verdict_kinds(reports: &[Option<Report<(u32, u32)>>]) -> Vec<VerdictKind> {
    let length = |report: &Report<_>| match &report.verdict {
        Verdict::Violated(run) | Verdict::MayBeViolated(run) => run.prefix.len(),
        Verdict::Holds | Verdict::Limit(_) => 0,
    };
    let reports = reports.iter().flatten();
    reports.map(|report| (discriminant(&report.verdict), length(report))).collect()
}

#[test]
fn a_pass_for_many_invariants_is_the_same_for_many_workers() {
    let mut random = Random(73);
    let [p, q] = [0, 1].map(|index| Formula::prop(Prop(index)));
    let formulas = [
        (!p.clone()).always(),
        (!q.clone()).always(),
        (!(p.clone() & q.clone())).always(),
        p.clone().eventually(),
        (p | q).always(),
    ];
    let mut kinds = std::collections::HashMap::new();
    for round in 0..rounds(600) {
        // Most are small, with unknown propositions; some have levels for several workers.
        let graph = match round % 30 {
            0 => wide(&mut random, 6000),
            _ => random_graph(&mut random, 30, [0, 1, 3][round % 3]),
        };
        let goal = (round % 2 == 0).then_some(FailureGoal::All);
        let pass = |workers| {
            let system = Restless::new(&graph);
            check_invariants(&system, &formulas, goal, with_workers(workers)).expect("small formulas")
        };
        let one = pass(1);
        let [many, more] = [MANY[round % 4], MANY[(round + 1) % 4]].map(pass);
        assert!(one.reports[3].is_none() && many.reports[3].is_none());
        assert_eq!(verdict_kinds(&one.reports), verdict_kinds(&many.reports), "{graph:?}");
        // The results of two numbers of workers differ in the bytes only.
        for (many, more) in many.reports.iter().flatten().zip(more.reports.iter().flatten()) {
            assert_eq!(many.verdict, more.verdict);
            assert_eq!(many.stats.states, more.stats.states);
            assert_eq!(many.stats.transitions, more.stats.transitions);
        }
        for (one, many) in one.reports.iter().flatten().zip(many.reports.iter().flatten()) {
            if one.verdict == Verdict::Holds {
                let figures = |report: &Report<_>| (report.stats.states, report.stats.transitions);
                assert_eq!(figures(one), figures(many), "{graph:?}");
            }
            *kinds.entry(discriminant(&one.verdict)).or_insert(0) += 1;
        }
        if let (Some(one), Some(many), Some(more)) = (one.failures, many.failures, more.failures) {
            assert_eq!(one.deadlock_count, many.deadlock_count);
            assert_eq!(many.deadlocks, more.deadlocks);
            assert_eq!(
                (one.stats.states, one.stats.transitions, one.stats.depth),
                (many.stats.states, many.stats.transitions, many.stats.depth)
            );
        }
    }
    assert!(kinds.len() == 3 && kinds.values().all(|count| *count > rounds(600) / 10), "{kinds:?}");
}

#[test]
fn many_workers_store_no_more_states_than_the_limit_says() {
    let mut random = Random(79);
    let q = Formula::prop(Prop(1));
    let formulas = [(!q.clone()).always(), q.clone().implies(q.next()).always()];
    for round in 0..rounds(60) {
        let graph = wide(&mut random, 3000);
        let system = Restless::new(&graph);
        let all = explore_by_levels(&system, with_workers(2), &mut ()).stats.states;
        for most in [0, 1, below(&mut random, all as u32) as usize, all - 1, all] {
            let limits = Limits { states: Some(most), ..Limits::default() };
            let budget = Budget { limits, ..with_workers(MANY[round % 4]) };
            assert_eq!(explore_by_levels(&system, budget, &mut ()).stats.states, most);
            for formula in &formulas {
                let report = check(&system, formula, Options { budget, ..Options::default() });
                let Report { verdict, stats } = report.expect("a small formula");
                let expected = if most < all { Verdict::Limit(Limit::States) } else { Verdict::Holds };
                assert_eq!((verdict, stats.states), (expected, most), "{formula:?}");
            }
        }
    }
}

#[test]
fn a_limit_stops_all_workers_and_no_formula_holds() {
    // Large enough that the worker that reads the clock has a turn.
    let graph = wide(&mut Random(61), 60_000);
    let clock = || Duration::from_secs(1);
    let moving = AtomicU64::new(0);
    let fast = || Duration::from_secs(moving.fetch_add(1, Ordering::Relaxed));
    let q = Formula::prop(Prop(1));
    let formulas = [(!q.clone()).always(), q.clone().implies(q.next()).always()];
    for workers in MANY {
        for (limits, limit) in [
            (Limits { states: Some(100), ..Limits::default() }, Limit::States),
            (Limits { bytes: Some(10_000), ..Limits::default() }, Limit::Bytes),
            (Limits { time: Some(Duration::from_secs(2)), ..Limits::default() }, Limit::Time),
        ] {
            let clock: &dyn selvedge_model::Clock = if limit == Limit::Time { &fast } else { &clock };
            let budget = Budget { limits, clock, ..with_workers(workers) };
            assert_eq!(find_failures(&graph, FailureGoal::All, budget).limit, Some(limit), "{workers}");
            for formula in &formulas {
                for fairness in [Fairness::None, Fairness::Weak] {
                    let options = Options { fairness, budget, ..Options::default() };
                    let report = check(&graph, formula, options).expect("a small formula");
                    assert_eq!(report.verdict, Verdict::Limit(limit), "{workers} {fairness:?} {formula:?}");
                }
            }
        }
    }
}

#[test]
fn a_limit_that_is_just_enough_does_not_stop_many_workers() {
    let mut random = Random(67);
    let graph = wide(&mut random, 6000);
    let states = find_failures(&graph, FailureGoal::All, Budget::default()).stats.states;
    let q = Formula::prop(Prop(1));
    for (most, limit) in [(states, None), (states - 1, Some(Limit::States))] {
        let limits = Limits { states: Some(most), ..Limits::default() };
        let budget = Budget { limits, ..with_workers(3) };
        assert_eq!(find_failures(&graph, FailureGoal::All, budget).limit, limit);
        for formula in [(!q.clone()).always(), (!q.clone()).always() & (!q.clone().next()).always().next()] {
            let verdict = check(&graph, &formula, Options { budget, ..Options::default() });
            let expected = limit.map_or(Verdict::Holds, Verdict::Limit);
            assert_eq!(verdict.expect("a small formula").verdict, expected);
        }
    }
}

#[test]
fn a_panic_of_a_worker_stops_all_and_is_passed_on() {
    let mut random = Random(71);
    let graph = wide(&mut random, 6000);
    let q = Formula::prop(Prop(1));
    let formulas = [(!q.clone()).always(), q.clone().implies(q.next()).always()];
    for round in 0..60 {
        let system = Restless { panics_at: 300 + 37 * round, ..Restless::new(&graph) };
        let options = Options { budget: with_workers(MANY[round as usize % 4]), ..Options::default() };
        let work = || drop(check(&system, &formulas[round as usize % 2], options));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let panic = result.expect_err("the system fails");
        let message = panic.downcast_ref::<&str>().copied().unwrap_or_default();
        assert_eq!(message, "a system that fails");
    }
}
