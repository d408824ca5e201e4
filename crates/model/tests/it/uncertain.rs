//! Systems of which not all is known: steps that may not be real, steps that a bound cut off, steps that no
//! process takes; and crashes of single processes.
//!
//! Every verdict is compared with that of the naive checker: on the graph without cuts, and on all graphs
//! that an abstract one stands for.

use crate::common::*;
use selvedge_explore::Random;
use selvedge_explore::schedulers::Exhaustive;
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::explicit::Graph;
use selvedge_model::{
    Budget, Cut, End, FailureGoal, Fairness, Limit, Limits, Options, Order, ProcessId, SimulationOptions,
    States, Steps, System, Verdict, Word, check, check_invariants, explore, find_failures, process_bit,
    simulate,
};
use std::sync::Mutex;
use std::time::Duration;

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

/// The number in arcs of steps that no process takes.
const NO_PROCESS: u32 = PROCESSES;

type Arc = (u32, u32, u32);

/// A graph with arcs that are cut off, arcs that may not be real, and arcs that are crashes.
struct Uncertain {
    graph: Graph,
    cut: Vec<Arc>,
    /// Arcs that may not be real.
    maybe: Vec<Arc>,
    crashes: Vec<Arc>,
    /// Nodes in which process 1 waits for ever.
    waits: Vec<u32>,
    first_cut: Mutex<Option<Cut>>,
    bytes: usize,
}

impl Uncertain {
    fn new(graph: Graph) -> Uncertain {
        let (cut, maybe, crashes, waits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Uncertain { graph, cut, maybe, crashes, waits, first_cut: Mutex::new(None), bytes: 0 }
    }

    fn with_cut(graph: Graph, cut: Vec<Arc>) -> Uncertain {
        Uncertain { cut, ..Uncertain::new(graph) }
    }

    /// The processes with an arc that is real, taken or cut off.
    fn is_certain(&self, node: u32, process: u32) -> bool {
        self.graph.arcs_from(node).iter().any(|arc| arc.1 == process && !self.maybe.contains(arc))
    }
}

impl System for Uncertain {
    type Action = (u32, u32);

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        PROCESSES as usize
    }

    fn initial(&self, out: &mut States) {
        self.graph.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>) {
        for arc in self.graph.arcs_from(state[0] as u32) {
            if self.cut.contains(arc) {
                let (line, text) = (Some(arc.0 as usize), format!("{arc:?}"));
                let mut first = self.first_cut.lock().expect("no panics");
                first.get_or_insert(Cut { bound: "arcs", file: None, line, text });
            } else {
                out.push((arc.1, arc.2), state)[0] = u64::from(arc.2);
            }
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.graph.label(state)
    }

    fn process(&self, action: Self::Action) -> Option<ProcessId> {
        (action.0 != NO_PROCESS).then_some(ProcessId(action.0))
    }

    fn certainly_enabled(&self, state: &[Word], _steps: &Steps<Self::Action>) -> u64 {
        let certain = (0..PROCESSES).filter(|process| self.is_certain(state[0] as u32, *process));
        certain.map(|process| process_bit(ProcessId(process))).sum()
    }

    fn has_real_steps(&self) -> bool {
        self.maybe.is_empty()
    }

    fn first_cut(&self) -> Option<Cut> {
        self.first_cut.lock().expect("no panics").clone()
    }

    fn is_cut(&self, state: &[Word]) -> bool {
        self.cut.iter().any(|arc| u64::from(arc.0) == state[0])
    }

    fn table_bytes(&self) -> usize {
        self.bytes
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.graph.is_end(state)
    }

    fn crash(&self, action: Self::Action) -> Option<String> {
        let is_crash = |arc: &&Arc| (arc.1, arc.2) == action;
        self.crashes.iter().find(is_crash).map(|arc| format!("{} crashes at {}", arc.1, arc.2))
    }

    fn waits_for_ever(&self, state: &[Word]) -> Vec<(String, String)> {
        let waits = self.waits.iter().filter(|node| u64::from(**node) == state[0]);
        waits.map(|_| ("1".to_owned(), "a message".to_owned())).collect()
    }

    fn describe(&self, action: Self::Action) -> String {
        if action.0 == NO_PROCESS { "no process moves".to_owned() } else { self.graph.describe(action) }
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.graph.show(state)
    }
}

fn options(fairness: Fairness, workers: usize) -> Options<'static> {
    Options { fairness, budget: budget(workers), ..Options::default() }
}

fn budget(workers: usize) -> Budget<'static> {
    Budget { workers, ..Budget::default() }
}

fn some_arcs(random: &mut Random, graph: &Graph) -> Vec<Arc> {
    graph.arcs().iter().copied().filter(|_| below(random, 4) == 0).collect()
}

/// p is false in node 0 and true in node 1, where process 1 leads; process 0 goes round in node 0.
fn waiting_for_process_1() -> Graph {
    let labels = [0, 1].map(Letter::exactly).to_vec();
    Graph::new(labels, vec![(0, 0, 0), (0, 1, 1)], PROCESSES as usize)
}

fn eventually_p() -> Formula<Prop> {
    Formula::prop(Prop(0)).eventually()
}

#[test]
fn a_search_that_a_bound_cut_never_says_holds() {
    let mut random = Random(41);
    let (mut limits, mut violations, mut holds) = (0, 0, 0);
    for round in 0..3000 {
        let graph = random_graph(&mut random, 5, 0);
        let formula = random_formula(&mut random, 3);
        let (cut, workers) = (some_arcs(&mut random, &graph), 1 + round % 3);
        for fairness in FAIRNESS {
            let system = Uncertain::with_cut(graph.clone(), cut.clone());
            let verdict =
                check(&system, &formula, options(fairness, workers)).expect("a small formula").verdict;
            let whole = naive_holds(&graph, &formula, fairness);
            match verdict {
                Verdict::Holds => {
                    assert!(whole && system.first_cut().is_none(), "{cut:?} {graph:?}");
                    holds += 1;
                }
                Verdict::Violated(run) => {
                    assert!(!whole, "{cut:?} {graph:?}");
                    naive_replay(&graph, &run, fairness);
                    violations += 1;
                }
                Verdict::Limit(limit) => {
                    assert_eq!(limit, Limit::Language);
                    assert!(cut.contains(&first_arc(&system, &graph)), "{cut:?} {graph:?}");
                    limits += 1;
                }
                Verdict::MayBeViolated(_) => panic!("labels are known, and steps real"),
            }
        }
    }
    assert!(limits > 1000 && violations > 1000 && holds > 1000, "{limits} {violations} {holds}");
}

/// The arc that the system says it cut off first.
fn first_arc(system: &Uncertain, graph: &Graph) -> Arc {
    let cut = system.first_cut().expect("a limit of the language has a cut");
    let mut arcs = graph.arcs().iter();
    *arcs.find(|arc| format!("{arc:?}") == cut.text && cut.line == Some(arc.0 as usize)).expect("an arc")
}

#[test]
fn a_state_whose_steps_were_cut_off_is_neither_an_end_nor_a_deadlock() {
    let labels = [0, 0].map(Letter::exactly).to_vec();
    let graph = || Graph::new(labels.clone(), vec![(0, 0, 1)], PROCESSES as usize).with_unfinished(0);
    for workers in [1, 3] {
        let system = || Uncertain::with_cut(graph(), vec![(0, 0, 1)]);
        let failures = find_failures(&system(), FailureGoal::All, budget(workers));
        assert_eq!((failures.deadlock_count, failures.limit), (0, Some(Limit::Language)));
        let report = check(&system(), &eventually_p(), options(Fairness::None, workers)).expect("a formula");
        assert_eq!(report.verdict, Verdict::Limit(Limit::Language));
        let invariant = [(!Formula::prop(Prop(0))).always()];
        let pass = check_invariants(&system(), &invariant, None, budget(workers)).expect("a formula");
        let verdict = &pass.reports[0].as_ref().expect("an invariant").verdict;
        assert_eq!(*verdict, Verdict::Limit(Limit::Language));
        let exploration = explore(&system(), Order::BreadthFirst, budget(1), &mut ());
        assert_eq!(exploration.end, End::Limit(Limit::Language));
    }
}

#[test]
fn a_process_whose_step_was_cut_off_is_enabled_and_fairness_demands_it() {
    let system = Uncertain::with_cut(waiting_for_process_1(), vec![(0, 1, 1)]);
    let verdict =
        |fairness| check(&system, &eventually_p(), options(fairness, 1)).expect("a formula").verdict;
    assert!(matches!(verdict(Fairness::None), Verdict::Violated(_)));
    assert_eq!(verdict(Fairness::Weak), Verdict::Limit(Limit::Language));
    assert_eq!(verdict(Fairness::Strong), Verdict::Limit(Limit::Language));
}

#[test]
fn a_simulation_that_a_bound_cut_is_not_complete() {
    let system = Uncertain::with_cut(waiting_for_process_1(), vec![(0, 0, 0), (0, 1, 1)]);
    let mut every = Exhaustive::new();
    let simulation = simulate(&system, &[eventually_p()], &mut every, SimulationOptions::default());
    let simulation = simulation.expect("real steps");
    assert_eq!((simulation.cut, simulation.ended, simulation.deadlocks), (1, 0, 0));
    assert_eq!(simulation.limit, Some(Limit::Language));
    assert!(simulation.violations[0].is_none() && !simulation.is_complete());
}

/// The graphs that an abstract one may stand for: some of the arcs that may not be real are.
fn concretions(random: &mut Random, system: &Uncertain) -> Vec<Graph> {
    let arcs = |keep: &mut dyn FnMut() -> bool| {
        let arcs = system.graph.arcs().iter().copied();
        arcs.filter(|arc| arc.1 != NO_PROCESS && (!system.maybe.contains(arc) || keep())).collect()
    };
    let labels = || system.graph.labels().to_vec();
    let mut graphs = vec![
        Graph::new(labels(), arcs(&mut || true), PROCESSES as usize),
        Graph::new(labels(), arcs(&mut || false), PROCESSES as usize),
    ];
    let one = arcs(&mut || below(random, 2) == 0);
    graphs.push(Graph::new(labels(), one, PROCESSES as usize));
    graphs
}

/// An abstract system: where no process is certainly enabled, the state also stutters, by no process.
fn random_abstract(random: &mut Random) -> Uncertain {
    let graph = random_graph(random, 4, 0);
    let maybe = some_arcs(random, &graph);
    let mut arcs = graph.arcs().to_vec();
    for node in 0..graph.labels().len() as u32 {
        let is_certain = |arc: &Arc| arc.0 == node && !maybe.contains(arc);
        let has_steps = arcs.iter().any(|arc| arc.0 == node);
        if has_steps && !graph.arcs().iter().any(is_certain) {
            arcs.push((node, NO_PROCESS, node));
        }
    }
    let graph = Graph::new(graph.labels().to_vec(), arcs, PROCESSES as usize);
    Uncertain { maybe, ..Uncertain::new(graph) }
}

#[test]
fn a_formula_that_holds_abstractly_holds_in_every_graph_that_the_abstract_one_stands_for() {
    let mut random = Random(43);
    let (mut holds, mut may_be) = ([0; 3], [0; 3]);
    for round in 0..2500 {
        let system = random_abstract(&mut random);
        if system.has_real_steps() {
            continue;
        }
        let formula = random_formula(&mut random, 3);
        for (index, fairness) in FAIRNESS.into_iter().enumerate() {
            let report = check(&system, &formula, options(fairness, 1 + round % 3)).expect("a small formula");
            let is_certain = |node, process| system.is_certain(node, process);
            let expected = naive_holds_where(&system.graph, &formula, fairness, &is_certain);
            match report.verdict {
                Verdict::Holds => {
                    assert!(expected, "{fairness:?} {:?}", system.graph);
                    for graph in concretions(&mut random, &system) {
                        assert!(naive_holds(&graph, &formula, fairness), "{fairness:?} {graph:?}");
                    }
                    holds[index] += 1;
                }
                Verdict::MayBeViolated(_) => {
                    assert!(!expected, "{fairness:?} {:?}", system.graph);
                    may_be[index] += 1;
                }
                other => panic!("steps that may not be real prove nothing: {other:?}"),
            }
        }
    }
    assert!(holds.iter().chain(&may_be).all(|count| *count > 150), "{holds:?} {may_be:?}");
    assert!(may_be[0] > may_be[2], "fairness matters: {may_be:?}");
}

#[test]
fn certain_enabledness_decides_weak_fairness() {
    let graph = waiting_for_process_1();
    let certain = Uncertain::new(graph.clone());
    let uncertain = Uncertain { maybe: vec![(0, 1, 1)], ..Uncertain::new(graph) };
    let verdict =
        |system| check(system, &eventually_p(), options(Fairness::Weak, 1)).expect("a formula").verdict;
    assert_eq!(verdict(&certain), Verdict::Holds);
    assert!(matches!(verdict(&uncertain), Verdict::MayBeViolated(_)));
}

#[test]
fn where_every_process_may_be_blocked_a_step_of_no_process_is_a_fair_run() {
    // Process 0 may receive, and then p holds; the state also stutters.
    let labels = || [0, 1].map(Letter::exactly).to_vec();
    let receives = (0, 0, 1);
    let system = |arcs| Uncertain {
        maybe: vec![receives],
        ..Uncertain::new(Graph::new(labels(), arcs, PROCESSES as usize))
    };
    for fairness in FAIRNESS {
        for workers in [1, 3] {
            let verdict = |system: &Uncertain| {
                check(system, &eventually_p(), options(fairness, workers)).expect("a formula").verdict
            };
            assert_eq!(verdict(&system(vec![receives])), Verdict::Holds, "nothing says that it may block");
            let stuttering = system(vec![receives, (0, NO_PROCESS, 0)]);
            let Verdict::MayBeViolated(run) = verdict(&stuttering) else { panic!("{fairness:?}") };
            let [step] = run.cycle.as_slice() else { panic!("{run:?}") };
            assert_eq!(stuttering.process(step.action.expect("a step")), None);
            assert!(!run.ends());
        }
    }
}

#[test]
fn an_invariant_of_steps_that_may_not_be_real_may_be_violated() {
    let system = Uncertain { maybe: vec![(0, 1, 1)], ..Uncertain::new(waiting_for_process_1()) };
    let invariant = [(!Formula::prop(Prop(0))).always()];
    for workers in [1, 3] {
        let pass = check_invariants(&system, &invariant, None, budget(workers)).expect("a formula");
        let report = pass.reports[0].as_ref().expect("an invariant");
        assert!(matches!(&report.verdict, Verdict::MayBeViolated(run) if run.prefix.len() == 2));
    }
    let refused = simulate(&system, &invariant, &mut Exhaustive::new(), SimulationOptions::default());
    let message = refused.expect_err("runs that prove nothing").to_string();
    assert_eq!(message, "a simulation needs the real steps of a program");
}

/// For each node, the length of a shortest path to it.
fn distances(graph: &Graph) -> Vec<Option<usize>> {
    let mut distances = vec![None; graph.labels().len()];
    distances[0] = Some(0);
    for _ in 0..distances.len() {
        for (from, _, to) in graph.arcs() {
            if let Some(distance) = distances[*from as usize] {
                let least =
                    distances[*to as usize].map_or(distance + 1, |known: usize| known.min(distance + 1));
                distances[*to as usize] = Some(least);
            }
        }
    }
    distances
}

#[test]
fn each_crash_and_each_endless_wait_is_listed_once_with_a_shortest_run() {
    let mut random = Random(47);
    let (mut crash_count, mut wait_count) = (0, 0);
    for round in 0..2000 {
        let graph = random_graph(&mut random, 6, 0);
        let mut system = Uncertain::new(graph.clone());
        system.crashes = some_arcs(&mut random, &graph);
        system.waits = (1..graph.labels().len() as u32).filter(|_| below(&mut random, 4) == 0).collect();
        let failures = find_failures(&system, FailureGoal::All, budget(1 + round % 3));
        let distances = distances(&graph);
        let crash = |arc: &Arc| Some((system.crash((arc.1, arc.2))?, distances[arc.0 as usize]? + 1));
        let mut expected: Vec<_> = graph.arcs().iter().filter_map(crash).collect();
        expected.sort_unstable();
        expected.dedup_by(|later, first| later.0 == first.0);
        let mut found: Vec<_> =
            failures.crashes.iter().map(|(text, run)| (text.clone(), run.prefix.len() - 1)).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{graph:?}");
        for (text, run) in &failures.crashes {
            let last = run.prefix.last().expect("a path").action.expect("a step");
            assert_eq!(system.crash(last).as_ref(), Some(text));
            naive_replay(&graph, run, Fairness::None);
        }
        let nearest = system.waits.iter().filter_map(|node| distances[*node as usize]).min();
        let waits: Vec<_> = failures.waits_for_ever.iter().map(|(_, run)| run.prefix.len() - 1).collect();
        assert_eq!(waits, Vec::from_iter(nearest), "{graph:?}");
        crash_count += found.len();
        wait_count += waits.len();
    }
    assert!(crash_count > 1000 && wait_count > 300, "{crash_count} {wait_count}");
}

#[test]
fn the_bytes_of_the_system_count() {
    let labels = vec![Letter::exactly(0); 5000];
    let arcs: Vec<Arc> = (1..5000).map(|node| (node - 1, 0, node)).collect();
    let graph = Graph::new(labels, arcs, PROCESSES as usize);
    // Far above what the search itself takes, however many workers have tables of their own.
    let limits = Limits { bytes: Some(1_000_000_000), ..Limits::default() };
    let clock = || Duration::ZERO;
    for workers in [1, 3] {
        for bytes in [0, 2_000_000_000] {
            let system = Uncertain { bytes, ..Uncertain::new(graph.clone()) };
            let budget = Budget { limits, clock: &clock, workers, ..Budget::default() };
            let failures = find_failures(&system, FailureGoal::All, budget);
            assert_eq!(failures.limit, (bytes > 0).then_some(Limit::Bytes));
            assert!(failures.stats.bytes >= bytes);
            let options = Options { budget, ..Options::default() };
            let report = check(&system, &eventually_p().always(), options).expect("a formula");
            assert_eq!(report.verdict == Verdict::Limit(Limit::Bytes), bytes > 0, "{:?}", report.verdict);
        }
    }
}
