//! The search for components under every interleaving, on small graphs.
//!
//! Every run must have the verdict of a naive search, and each accepting set that a worker reports must lead
//! to a lasso that is accepted and fair. Where no component accepts, the sets must be the components, each
//! of them dead.

use super::super::cycles::{component, nodes_of_set, reconnect};
use super::super::lock;
use super::super::ufscc::{OutEdge, SharedGraph, SharedSearch, Worker};
use super::super::union_find::Claim;
use super::{explore_all, is_long, small_sets};
use crate::ltl::{Acceptance, ExploredProduct, FairnessDebt, ProductEdge, lasso};
use crate::search::Limit;
use crate::sync::thread;
use crate::system::Word;
use selvedge::MemoryModel::{Pso, Sc};
use selvedge::{Explorer, Strategy};
use selvedge_explore::Random;
use selvedge_ltl::buchi::Marks;
use std::collections::BTreeSet;

/// An edge: from, to, and its acceptance.
#[derive(Clone, Copy)]
struct Edge(u32, u32, Acceptance);

/// An edge with these marks.
const fn edge(from: u32, to: u32, marks: Marks) -> Edge {
    Edge(from, to, Acceptance { marks, debt: FairnessDebt { demanded: 0, served: 0 } })
}

/// An edge that serves these processes, out of two.
const fn fair_edge(from: u32, to: u32, marks: Marks, served: u64) -> Edge {
    Edge(from, to, Acceptance { marks, debt: FairnessDebt { demanded: 3, served } })
}

/// A graph whose root is node 0, and the nodes that workers have stored: those that a followed edge may lead
/// to.
struct SmallGraph<'e> {
    edges: &'e [Edge],
    all_marks: Marks,
    /// Not explored: the store of the product has its own locks.
    known: std::sync::Mutex<BTreeSet<u32>>,
}

impl<'e> SmallGraph<'e> {
    fn new(edges: &'e [Edge]) -> SmallGraph<'e> {
        let all_marks = edges.iter().fold(1, |marks, edge| marks | edge.2.marks);
        SmallGraph { edges, all_marks, known: std::sync::Mutex::new(BTreeSet::from([0])) }
    }

    fn nodes(&self) -> BTreeSet<u32> {
        self.edges.iter().flat_map(|edge| [edge.0, edge.1]).collect()
    }

    fn known(&self) -> BTreeSet<u32> {
        self.known.lock().expect("no panic").clone()
    }
}

impl SharedGraph for SmallGraph<'_> {
    /// Does the worker follow the edges in reverse order?
    type Buffers = bool;

    fn buffers(&self) -> bool {
        false
    }

    fn all_marks(&self) -> Marks {
        self.all_marks
    }

    fn out_edges(&self, node: u32, is_reversed: &mut bool, out: &mut Vec<OutEdge>) -> Result<(), Limit> {
        let height = out.len();
        let edges = self.edges.iter().filter(|edge| edge.0 == node);
        out.extend(edges.map(|edge| OutEdge { target: edge.1, acceptance: edge.2 }));
        if *is_reversed {
            out[height..].reverse();
        }
        self.known.lock().expect("no panic").extend(out[height..].iter().map(|edge| edge.target));
        Ok(())
    }
}

impl ExploredProduct for &SmallGraph<'_> {
    type Action = u32;

    fn all_marks(&self) -> Marks {
        self.all_marks
    }

    fn node_bound(&self) -> usize {
        8
    }

    fn state(&self, node: u32) -> Box<[Word]> {
        Box::new([Word::from(node)])
    }

    fn known_edges(&mut self, node: u32, out: &mut Vec<ProductEdge<u32>>) -> u64 {
        let known = self.known();
        let edges = self.edges.iter().filter(|edge| edge.0 == node && known.contains(&edge.1));
        out.clear();
        out.extend(edges.map(|edge| ProductEdge {
            target: edge.1,
            acceptance: edge.2,
            action: Some(edge.1),
        }));
        0
    }

    fn known_roots(&self) -> Vec<u32> {
        vec![0]
    }
}

/// The part of a worker's search that is explored; the steps before it are made one worker after the other.
#[derive(Clone, Copy)]
struct Window {
    /// The steps after entering the root that come before; `None` if the exploration begins with the root.
    before: Option<usize>,
    /// The largest number of explored steps.
    steps: usize,
}

impl Window {
    /// The whole search.
    const WHOLE: Window = Window { before: None, steps: usize::MAX };

    /// The search after entering the root and this many steps.
    const fn after(steps: usize) -> Window {
        Window { before: Some(steps), steps: usize::MAX }
    }

    /// A single step after entering the root and this many steps.
    const fn step_after(steps: usize) -> Window {
        Window { before: Some(steps), steps: 1 }
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// No component accepts, and the sets are the components.
    Empty,
    /// The reported set has an accepted cycle by itself.
    Accepted,
    /// The reported set has none; it lacks nodes of its component.
    Reconnected,
    /// The windows end before the search does.
    Open,
}

/// Searches with a worker for each window, and judges the result.
fn search(edges: &[Edge], windows: &[Window]) -> End {
    let search = SharedSearch::new(SmallGraph::new(edges), vec![0], small_sets());
    let mut workers: Vec<_> =
        (0..windows.len()).map(|number| Worker::with_order(&search, number, None, number % 2 == 1)).collect();
    for (worker, window) in workers.iter_mut().zip(windows) {
        window.before.into_iter().for_each(|steps| worker.begin(steps));
    }
    let work = |worker: &mut Worker<'_, SmallGraph<'_>>, window: &Window| match window.steps {
        usize::MAX => worker.run(&mut |_| Ok(())),
        steps => worker.make_steps(steps),
    };
    thread::scope(|scope| {
        let mut pairs = workers.iter_mut().zip(windows);
        let (first, first_window) = pairs.next().expect("a worker");
        for (worker, window) in pairs {
            scope.spawn(move || work(worker, window));
        }
        work(first, first_window);
    });
    drop(workers);
    judge(&search)
}

/// The end of a search, whose invariants hold.
fn judge(search: &SharedSearch<SmallGraph<'_>>) -> End {
    search.sets.validate(search.graph.nodes().last().map_or(0, |node| node + 1));
    assert_inside_components(search);
    let accepting = *lock(&search.accepting);
    let Some(node) = accepting else {
        let is_over = search.signal.is_stopped();
        return if is_over { assert_complete(search) } else { End::Open };
    };
    let mut graph = &search.graph;
    let set = nodes_of_set(&search.sets, node, graph.known().into_iter());
    let inside: Vec<Edge> =
        graph.edges.iter().filter(|edge| set.contains(&edge.0) && set.contains(&edge.1)).copied().collect();
    let is_connected = component(&mut graph, node, &|node| set.contains(&node)).len() == set.len();
    let is_accepted = accepts(&inside, graph.all_marks);
    assert!(is_accepted || !is_connected, "a strongly connected set has the edges of its sum");
    let reconnected = reconnect(&mut graph, node, set);
    assert_accepts(&mut graph, reconnected);
    if is_accepted { End::Accepted } else { End::Reconnected }
}

/// The lasso through the component exists, and its cycle has all marks and is fair.
fn assert_accepts(graph: &mut &SmallGraph<'_>, component: Vec<u32>) {
    let all_marks = graph.all_marks;
    let run = lasso(graph, component);
    let nodes: Vec<u32> = run.cycle.iter().map(|step| step.state[0] as u32).collect();
    let before = nodes.iter().cycle().skip(nodes.len() - 1);
    let edge = |(from, to): (&u32, &u32)| {
        let edges = graph.edges.iter().filter(|edge| (edge.0, edge.1) == (*from, *to));
        edges.fold(Acceptance::default(), |sum, edge| sum.with(edge.2))
    };
    let sum = before.zip(&nodes).map(edge).fold(Acceptance::default(), Acceptance::with);
    assert!(sum.accepts(all_marks), "the cycle {nodes:?} is not accepted");
}

/// Invariant (1): two nodes of a set are in one component.
fn assert_inside_components(search: &SharedSearch<SmallGraph<'_>>) {
    let reaches = closure(search.graph.edges);
    for one in search.graph.nodes() {
        for other in search.graph.nodes().range(..one) {
            let is_component =
                reaches[one as usize][*other as usize] && reaches[*other as usize][one as usize];
            let is_set = search.sets.is_same_set(one, *other);
            assert!(is_component || !is_set, "nodes {one} and {other} are in one set");
        }
    }
}

/// The sets are the components, and dead.
fn assert_complete(search: &SharedSearch<SmallGraph<'_>>) -> End {
    let reaches = closure(search.graph.edges);
    for one in search.graph.nodes() {
        assert_eq!(search.sets.claim(one, 1), Claim::Dead, "node {one} is not done");
        for other in search.graph.nodes().range(..one) {
            let is_component =
                reaches[one as usize][*other as usize] && reaches[*other as usize][one as usize];
            assert_eq!(search.sets.is_same_set(one, *other), is_component, "nodes {one} and {other}");
        }
    }
    End::Empty
}

/// Which of eight nodes reach which by one or more edges, by Floyd and Warshall.
fn closure(edges: &[Edge]) -> [[bool; 8]; 8] {
    let mut reaches = [[false; 8]; 8];
    edges.iter().for_each(|edge| reaches[edge.0 as usize][edge.1 as usize] = true);
    for via in 0..8 {
        for from in 0..8 {
            for to in 0..8 {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    reaches
}

/// Is there a component that accepts? By the definition, for graphs that are reachable from node 0.
fn accepts(edges: &[Edge], all_marks: Marks) -> bool {
    let reaches = closure(edges);
    (0..8).filter(|node| reaches[*node][*node]).any(|node| {
        let is_inside = |other: u32| reaches[node][other as usize] && reaches[other as usize][node];
        let inside = edges.iter().filter(|edge| is_inside(edge.0) && is_inside(edge.1));
        inside.fold(Acceptance::default(), |sum, edge| sum.with(edge.2)).accepts(all_marks)
    })
}

/// Every run ends in one of these ways, each occurs, and there are so many runs under SC and under PSO.
#[track_caller]
fn check(edges: &[Edge], windows: &[Window], ends: &[End], runs: [usize; 2]) {
    let verdict = accepts(edges, SmallGraph::new(edges).all_marks);
    let explored = [Sc, Pso].map(|memory| {
        let report = explore_all(memory, || search(edges, windows));
        let found: Vec<End> = report.values().copied().collect();
        assert_eq!(found, ends, "{memory:?}");
        let is_right = |end: &End| *end == Open || (*end != Empty) == verdict;
        assert!(found.iter().all(is_right), "the verdict of the definition");
        report.executions()
    });
    assert_eq!(explored, runs);
}

use End::{Accepted, Empty, Open, Reconnected};

/// The path of worker 0 is 0, 1, 2, 3; worker 1 takes the chord from 0 to 3. The edge from 2 to 3 has the
/// mark.
const RING_WITH_CHORD: &[Edge] = &[edge(0, 1, 0), edge(0, 3, 0), edge(1, 2, 0), edge(2, 3, 1), edge(3, 0, 0)];

#[test]
fn a_reported_set_can_lack_the_nodes_that_connect_it() {
    // Worker 0 unites 3 with 2, then worker 1 unites 3 with 0, and worker 0 need not go on: 1 is missing.
    let windows = [Window::step_after(3), Window::step_after(1)];
    check(RING_WITH_CHORD, &windows, &[Accepted, Reconnected, Open], [678, 678]);
}

#[test]
fn two_workers_find_a_loop() {
    check(&[edge(0, 0, 1)], &[Window::WHOLE; 2], &[Accepted], [162, 162]);
}

#[test]
fn three_workers_find_a_loop() {
    check(&[edge(0, 0, 1)], &[Window::after(0); 3], &[Accepted], [966, 966]);
}

#[test]
fn two_workers_find_a_cycle_of_two_nodes() {
    check(&[edge(0, 1, 0), edge(1, 0, 1)], &[Window::WHOLE; 2], &[Accepted], [4792, 4792]);
}

#[test]
fn two_workers_find_a_cycle_that_needs_two_marks() {
    check(&[edge(0, 1, 1), edge(1, 0, 2)], &[Window::after(0); 2], &[Accepted], [1730, 1730]);
}

#[test]
fn two_workers_find_a_fair_cycle() {
    check(&[fair_edge(0, 1, 0, 1), fair_edge(1, 0, 1, 2)], &[Window::after(1); 2], &[Accepted], [1898, 1898]);
}

#[test]
fn two_workers_complete_a_line() {
    check(&[edge(0, 1, 1)], &[Window::after(0), Window::WHOLE], &[Empty], [2802, 2802]);
}

#[test]
fn two_workers_complete_an_unfair_cycle() {
    check(
        &[fair_edge(0, 1, 0, 1), fair_edge(1, 0, 1, 1)],
        &[Window::after(2), Window::after(2)],
        &[Empty],
        [59, 59],
    );
}

#[test]
fn two_workers_complete_a_cycle_without_a_mark() {
    check(&[edge(0, 1, 0), edge(1, 0, 0)], &[Window::after(1); 2], &[Empty], [2706, 2706]);
}

#[test]
fn two_workers_complete_the_ring_with_a_chord_in_windows() {
    let edges: Vec<Edge> =
        RING_WITH_CHORD.iter().map(|edge| Edge(edge.0, edge.1, Acceptance::default())).collect();
    let windows = [Window::step_after(3), Window::step_after(1)];
    check(&edges, &windows, &[Open], [133, 133]);
}

/// The same for an exploration of minutes: only with `SELVEDGE_LONG=1`.
#[track_caller]
fn check_long(edges: &[Edge], windows: &[Window], ends: &[End], runs: [usize; 2]) {
    if is_long() {
        check(edges, windows, ends, runs);
    }
}

#[test]
fn two_workers_complete_a_whole_line() {
    check_long(&[edge(0, 1, 1)], &[Window::WHOLE; 2], &[Empty], [7782, 7782]);
}

#[test]
fn two_workers_complete_most_of_a_cycle_without_a_mark() {
    check_long(&[edge(0, 1, 0), edge(1, 0, 0)], &[Window::after(0); 2], &[Empty], [13_160, 13_160]);
}

#[test]
fn two_workers_find_most_of_a_fair_cycle() {
    let edges = [fair_edge(0, 1, 0, 1), fair_edge(1, 0, 1, 2)];
    check_long(&edges, &[Window::after(0); 2], &[Accepted], [10_482, 10_482]);
}

#[test]
fn two_workers_complete_most_of_an_unfair_cycle() {
    let edges = [fair_edge(0, 1, 0, 1), fair_edge(1, 0, 1, 1)];
    check_long(&edges, &[Window::after(1), Window::after(0)], &[Empty], [94_938, 94_938]);
}

#[test]
fn three_workers_find_a_cycle_of_two_nodes() {
    check_long(&[edge(0, 1, 0), edge(1, 0, 1)], &[Window::after(1); 3], &[Accepted], [47_334, 47_334]);
}

#[test]
fn two_workers_end_the_search_of_the_ring_with_a_chord() {
    check_long(
        RING_WITH_CHORD,
        &[Window::after(3), Window::after(1)],
        &[Accepted, Reconnected],
        [52_866, 52_866],
    );
}

#[test]
fn two_workers_find_a_cycle_of_three_nodes() {
    let edges = [edge(0, 1, 0), edge(1, 2, 0), edge(2, 0, 1)];
    check(&edges, &[Window::after(1); 2], &[Accepted], [4472, 4472]);
}

/// A random graph of up to seven nodes, all reachable from node 0; with weak fairness for two processes, or
/// without.
fn random_graph(random: &mut Random) -> Vec<Edge> {
    let mut below = |bound| random.below(bound).expect("a positive bound") as u32;
    let (count, is_fair) = (1 + below(7), below(2) == 1);
    let edges: Vec<Edge> = (0..count + below(2 * count as usize))
        .map(|_| {
            let (from, to) = (below(count as usize), below(count as usize));
            let marks = u64::from(below(4) == 0) | u64::from(below(4) == 0) << 1;
            if is_fair { fair_edge(from, to, marks, u64::from(below(4))) } else { edge(from, to, marks) }
        })
        .collect();
    let reaches = closure(&edges);
    edges.into_iter().filter(|edge| edge.0 == 0 || reaches[0][edge.0 as usize]).collect()
}

#[test]
fn two_and_three_workers_are_right_on_random_graphs_under_random_schedules() {
    let mut random = Random(83);
    let mut ends = [0; 3];
    for seed in 0..if is_long() { 10_000 } else { 200 } {
        let edges = random_graph(&mut random);
        let verdict = accepts(&edges, SmallGraph::new(&edges).all_marks);
        let windows = vec![Window::WHOLE; 2 + seed as usize % 2];
        let explorer = Explorer::new().strategy(Strategy::random(seed, 20)).memory(Pso);
        let report = explorer.explore(|| search(&edges, &windows));
        for outcome in report.outcomes().keys() {
            let end = outcome.returned().unwrap_or_else(|| panic!("seed {seed}: {outcome}"));
            assert_eq!(*end != Empty, verdict, "seed {seed}");
            ends[*end as usize] += 1;
        }
    }
    assert!(ends[0] > 50 && ends[1] > 50, "both verdicts occur: {ends:?}");
}
