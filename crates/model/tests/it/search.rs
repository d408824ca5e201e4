//! Reachability: orders, paths, limits, and systems that are deep or large.

use crate::common::random_graph;
use selvedge_explore::Random;
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::explicit::Graph;
use selvedge_model::{
    Budget, End, FailureGoal, Fairness, Limit, Limits, Options, Order, ProcessId, Progress, StateId, States,
    Steps, System, Verdict, Visitor, Word, check, explore, find_deadlocks, find_errors, find_failures,
};
use std::cell::Cell;
use std::time::Duration;

const ORDERS: [Order; 3] = [Order::BreadthFirst, Order::DepthFirst, Order::Random(7)];

/// Counters that each process raises; proposition 0 holds where all are at their ends.
struct Counters {
    processes: usize,
    end: u64,
    /// Does a counter start at zero again after the end?
    again: bool,
}

impl System for Counters {
    type Action = u32;

    fn words(&self) -> usize {
        self.processes
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn initial(&self, out: &mut States) {
        out.push(&vec![0; self.processes]);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<u32>) {
        for process in 0..self.processes {
            if state[process] < self.end {
                out.push(process as u32, state)[process] += 1;
            } else if self.again {
                out.push(process as u32, state)[process] = 0;
            }
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        Letter::exactly(u64::from(state.iter().all(|count| *count == self.end)))
    }

    fn process(&self, action: u32) -> Option<ProcessId> {
        Some(ProcessId(action))
    }

    fn error(&self, state: &[Word]) -> Option<String> {
        (!self.again && state.iter().all(|count| *count == self.end)).then(|| "all counted".to_owned())
    }

    fn describe(&self, action: u32) -> String {
        format!("process {action} counts")
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        state.iter().enumerate().map(|(i, count)| (format!("c{i}"), count.to_string())).collect()
    }
}

fn within(limits: Limits) -> Budget<'static> {
    Budget { limits, ..Budget::default() }
}

/// Each node's distance from node 0, by relaxing every arc until nothing changes.
fn distances(graph: &Graph) -> Vec<Option<usize>> {
    let mut distances = vec![None; graph.labels().len()];
    distances[0] = Some(0);
    for _ in graph.labels() {
        for (from, _, to) in graph.arcs() {
            let Some(distance) = distances[*from as usize] else { continue };
            let known = &mut distances[*to as usize];
            *known = Some(known.map_or(distance + 1, |known: usize| known.min(distance + 1)));
        }
    }
    distances
}

#[test]
fn breadth_first_paths_are_shortest() {
    let mut random = Random(1);
    for _ in 0..500 {
        let graph = random_graph(&mut random, 30, 0);
        let distances = distances(&graph);
        let exploration = explore(&graph, Order::BreadthFirst, Budget::default(), &mut ());
        let reachable = distances.iter().flatten().count();
        assert_eq!(exploration.states.len(), reachable);
        assert_eq!(Some(exploration.stats.depth), distances.iter().flatten().max().copied());
        for (id, state) in (0..).zip(exploration.states.iter()) {
            let path = exploration.path(&graph, StateId(id));
            assert_eq!(Some(path.len() - 1), distances[state[0] as usize]);
            assert_eq!(*path.last().expect("a state").state, *state);
        }
    }
}

#[test]
fn every_order_reaches_the_same_states() {
    let mut random = Random(2);
    for _ in 0..500 {
        let graph = random_graph(&mut random, 30, 0);
        let [breadth, depth, random] = ORDERS.map(|order| {
            let exploration = explore(&graph, order, Budget::default(), &mut ());
            assert_eq!(exploration.end, End::Complete);
            let mut states: Vec<u64> = exploration.states.iter().map(|state| state[0]).collect();
            for id in 0..states.len() as u32 {
                exploration.path(&graph, StateId(id));
            }
            states.sort_unstable();
            (states, exploration.stats.transitions)
        });
        assert_eq!(breadth, depth);
        assert_eq!(breadth, random);
    }
}

#[test]
fn invariants_are_violated_by_shortest_paths() {
    let mut random = Random(4);
    let never = (!Formula::prop(Prop(0))).always();
    for _ in 0..1000 {
        let graph = random_graph(&mut random, 12, 0);
        let distances = distances(&graph);
        let is_bad = |node: &usize| graph.labels()[*node].may_true & 1 != 0;
        let nearest = (0..graph.labels().len()).filter(is_bad).filter_map(|node| distances[node]).min();
        let report = check(&graph, &never, Options::default()).expect("a small formula");
        match report.verdict {
            Verdict::Holds => assert_eq!(nearest, None),
            Verdict::Violated(run) => {
                assert_eq!(Some(run.prefix.len() - 1), nearest);
                assert!(run.cycle.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_visitor_stops_the_search_where_it_says() {
    struct At(u64);
    impl<S: System> Visitor<S> for At {
        fn discovered(&mut self, _system: &S, _id: StateId, state: &[Word], _so_far: Progress<'_>) -> bool {
            state[0] == self.0
        }
    }
    let counters = Counters { processes: 1, end: 100, again: false };
    for order in ORDERS {
        let exploration = explore(&counters, order, Budget::default(), &mut At(40));
        assert_eq!(exploration.end, End::Stopped(StateId(40)));
        assert_eq!(exploration.path(&counters, StateId(40)).len(), 41);
    }
}

#[test]
fn each_limit_is_reported_instead_of_a_verdict() {
    let system = Counters { processes: 3, end: 60, again: true };
    let now = Cell::new(Duration::ZERO);
    let clock = || {
        now.set(now.get() + Duration::from_millis(150));
        now.get()
    };
    let reports = Cell::new(0);
    let progress = |_: &selvedge_model::Stats| reports.set(reports.get() + 1);
    let formulas =
        [Formula::prop(Prop(0)).eventually().always(), (!Formula::prop(Prop(0))).always().eventually()];
    let time = Some(Duration::from_secs(5));
    for (limits, limit) in [
        (Limits { states: Some(1000), ..Limits::default() }, Limit::States),
        (Limits { bytes: Some(500_000), ..Limits::default() }, Limit::Bytes),
        (Limits { time, ..Limits::default() }, Limit::Time),
    ] {
        let budget = Budget { limits, clock: &clock, progress: Some(&progress), ..Budget::default() };
        for order in ORDERS {
            assert_eq!(explore(&system, order, budget, &mut ()).end, End::Limit(limit));
        }
        assert_eq!(find_failures(&system, FailureGoal::All, budget).limit, Some(limit));
        for fairness in [Fairness::Weak, Fairness::Strong] {
            for formula in &formulas {
                let report = check(&system, formula, Options { fairness, budget, ..Options::default() })
                    .expect("few processes");
                assert_ne!(report.verdict, Verdict::Holds);
            }
        }
        let q = Formula::prop(Prop(1));
        for holding in [(!q.clone()).always(), q.clone().implies(q.next()).always()] {
            let report = check(&system, &holding, Options { budget, ..Options::default() });
            assert_eq!(report.expect("a small formula").verdict, Verdict::Limit(limit));
        }
    }
    assert!(reports.get() > 10, "progress is reported while the clock moves");
}

#[test]
fn a_limit_that_is_just_enough_does_not_stop_the_search() {
    let system = Counters { processes: 2, end: 9, again: false };
    let exactly = within(Limits { states: Some(100), ..Limits::default() });
    assert_eq!(explore(&system, Order::BreadthFirst, exactly, &mut ()).end, End::Complete);
    let too_few = within(Limits { states: Some(99), ..Limits::default() });
    assert_eq!(explore(&system, Order::BreadthFirst, too_few, &mut ()).end, End::Limit(Limit::States));
}

#[test]
fn a_million_states_in_a_row_do_not_overflow_the_stack() {
    let chain = Counters { processes: 1, end: 1_000_000, again: true };
    let formula = (!Formula::prop(Prop(0))).eventually().always();
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let report = check(&chain, &formula, Options { fairness, ..Options::default() }).expect("a formula");
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!((report.stats.states, report.stats.transitions), (1_000_001, 1_000_001));
    }
    let formula = (!Formula::prop(Prop(0))).always().eventually();
    let report = check(&chain, &formula, Options::default()).expect("a formula");
    let Verdict::Violated(run) = report.verdict else { panic!("{:?}", report.stats) };
    assert_eq!(run.cycle.len(), 1_000_001);
    for order in ORDERS {
        assert_eq!(explore(&chain, order, Budget::default(), &mut ()).stats.depth, 1_000_000);
    }
}

#[test]
fn a_run_that_ends_stutters_in_its_last_state() {
    let once = Counters { processes: 3, end: 5, again: false };
    let at_the_end = Formula::prop(Prop(0)).always().eventually();
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let options = Options { fairness, ..Options::default() };
        let report = check(&once, &at_the_end, options).expect("few processes");
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!((report.stats.states, report.stats.transitions), (216, 540));
        let never = check(&once, &(!at_the_end.clone()), options).expect("few processes");
        let Verdict::Violated(run) = never.verdict else { panic!("{:?}", never.verdict) };
        assert!(run.ends());
        assert_eq!(run.prefix.len(), 16);
    }
}

#[test]
fn fairness_for_too_many_processes_is_refused() {
    let system = Counters { processes: 65, end: 1, again: true };
    let options = Options { fairness: Fairness::Weak, ..Options::default() };
    let error = check(&system, &Formula::TRUE, options).expect_err("too many");
    assert_eq!(error.to_string(), "fairness is kept for at most 64 processes, and there are 65");
}

#[test]
fn ended_is_not_deadlocked_and_an_error_is_neither() {
    let labels = vec![Letter::exactly(0); 4];
    let graph = Graph::new(labels, vec![(0, 0, 1), (1, 0, 2), (0, 1, 3)], 2);
    assert_eq!(find_deadlocks(&graph, Budget::default()).deadlock_count, 0);
    let stuck = graph.with_unfinished(2);
    let found = find_deadlocks(&stuck, Budget::default());
    assert_eq!((found.deadlock_count, found.deadlocks[0].prefix.len()), (1, 3));
    let counters = Counters { processes: 2, end: 3, again: false };
    let errors = find_errors(&counters, Budget::default()).errors;
    assert_eq!((errors.len(), errors[0].0.as_str(), errors[0].1.prefix.len()), (1, "all counted", 7));
    assert_eq!(find_deadlocks(&counters, Budget::default()).deadlock_count, 0);
}

#[test]
fn many_deadlocks_are_counted_and_the_nearest_listed() {
    let mut random = Random(9);
    for _ in 0..300 {
        let graph = (0..12).fold(random_graph(&mut random, 12, 0), |graph, node| {
            if node < graph.labels().len() { graph.with_unfinished(node) } else { graph }
        });
        let distances = distances(&graph);
        let is_stuck = |node: &u32| distances[*node as usize].is_some() && graph.arcs_from(*node).is_empty();
        let stuck: Vec<u32> = (0..graph.labels().len() as u32).filter(is_stuck).collect();
        let found = find_deadlocks(&graph, Budget::default());
        assert_eq!(found.deadlock_count, stuck.len());
        let nearest = stuck.iter().filter_map(|node| distances[*node as usize]).min();
        assert_eq!(found.deadlocks.first().map(|run| run.prefix.len() - 1), nearest);
        let first = find_failures(&graph, FailureGoal::FirstDeadlock, Budget::default());
        assert_eq!(first.deadlocks.len(), stuck.len().min(1));
    }
}

#[test]
fn many_processes_are_served_on_a_short_cycle() {
    let system = Counters { processes: 10, end: 1, again: true };
    let formula = Formula::prop(Prop(0)).always().eventually();
    for (fairness, cycle) in [(Fairness::None, 2), (Fairness::Weak, 20), (Fairness::Strong, 20)] {
        let report =
            check(&system, &formula, Options { fairness, ..Options::default() }).expect("few processes");
        let Verdict::Violated(run) = report.verdict else { panic!("{:?}", report.verdict) };
        // Each counter goes there and back.
        assert_eq!(run.cycle.len(), cycle, "{fairness:?}");
    }
}
