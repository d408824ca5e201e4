//! Random graphs and formulas, and a checker so naive that it is easy to believe.

use selvedge_explore::Random;
use selvedge_ltl::buchi::{SearchAutomaton, Translator};
use selvedge_ltl::{Binary, Formula, Letter, Prop, Unary};
use selvedge_model::explicit::Graph;
use selvedge_model::{Counterexample, Fairness, Step};

pub(crate) const PROCESSES: u32 = 2;

/// A random number below the bound.
pub(crate) fn below(random: &mut Random, bound: u32) -> u32 {
    random.below(bound as usize).expect("a positive bound") as u32
}

/// A graph with 1 to `most` nodes, 2 processes and 2 propositions; those of the mask `unknown` are unknown
/// in some nodes.
pub(crate) fn random_graph(random: &mut Random, most: u32, unknown: u64) -> Graph {
    let count = 1 + below(random, most);
    let labels = (0..count)
        .map(|_| Letter::exactly(random.word() & 3).forget(random.word() & random.word() & unknown))
        .collect();
    let arc_count = below(random, 3 * count + 2);
    let arcs = (0..arc_count)
        .map(|_| (below(random, count), below(random, PROCESSES), below(random, count)))
        .collect();
    Graph::new(labels, arcs, PROCESSES as usize)
}

/// A formula of the future over two propositions.
pub(crate) fn random_formula(random: &mut Random, depth: u32) -> Formula<Prop> {
    if depth == 0 || below(random, 6) == 0 {
        return Formula::Prop(Prop(below(random, 2) as u8));
    }
    let unary = [Unary::Not, Unary::Next, Unary::Eventually, Unary::Always, Unary::Always, Unary::Eventually];
    let binary =
        [Binary::And, Binary::Or, Binary::Implies, Binary::Until, Binary::Release, Binary::WeakUntil];
    let choice = below(random, 12) as usize;
    let left = Box::new(random_formula(random, depth - 1));
    match unary.get(choice) {
        Some(operator) => Formula::Unary(*operator, left),
        None => Formula::Binary(binary[choice - 6], left, Box::new(random_formula(random, depth - 1))),
    }
}

/// The automaton of the formula's negation.
pub(crate) fn negation(formula: &Formula<Prop>) -> SearchAutomaton {
    let mut translator = Translator::default();
    let formula = translator.arena.formula(formula);
    let negated = translator.arena.negate(formula);
    translator.nondeterministic(negated).expect("a small automaton").search_automaton(&mut translator.bdds)
}

/// A node of the naive product.
type Node = (u32, u32);

/// All arcs of the naive product, reachable or not: from, process (`None`: stutter), marks, to.
fn product(graph: &Graph, automaton: &SearchAutomaton) -> Vec<(Node, Option<u32>, u64, Node)> {
    let mut arcs = Vec::new();
    for node in 0..graph.labels().len() as u32 {
        let mut moves: Vec<(Option<u32>, u32)> =
            graph.arcs_from(node).iter().map(|(_, process, to)| (Some(*process), *to)).collect();
        if moves.is_empty() {
            moves.push((None, node));
        }
        for state in 0..automaton.state_count() as u32 {
            for edge in automaton.step(state, graph.labels()[node as usize]) {
                let step = |(process, to): &(Option<u32>, u32)| {
                    ((node, state), *process, edge.marks, (*to, edge.target))
                };
                arcs.extend(moves.iter().map(step));
            }
        }
    }
    arcs
}

/// Reachability by one or more arcs, by Floyd and Warshall.
fn closure(count: usize, arcs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut reaches = vec![vec![false; count]; count];
    for (from, to) in arcs {
        reaches[from][to] = true;
    }
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    reaches
}

/// Does every fair run satisfy the formula? A fair run that does not visits, from some point on, exactly the
/// states of some set infinitely often; all sets are tried, and in each the product's components.
pub(crate) fn naive_holds(graph: &Graph, formula: &Formula<Prop>, fairness: Fairness) -> bool {
    naive_holds_where(graph, formula, fairness, &|node, process| has_arc(graph, node, process))
}

/// The same, with another idea of which processes are enabled in a node. Arcs of processes from
/// [`PROCESSES`] on are no process's.
pub(crate) fn naive_holds_where(
    graph: &Graph,
    formula: &Formula<Prop>,
    fairness: Fairness,
    is_enabled: &dyn Fn(u32, u32) -> bool,
) -> bool {
    let automaton = negation(formula);
    let arcs = product(graph, &automaton);
    let states = automaton.state_count();
    let index = |node: Node| node.0 as usize * states + node.1 as usize;
    let count = graph.labels().len() * states;
    let reachable = closure(count, arcs.iter().map(|arc| (index(arc.0), index(arc.3))));
    let start = index((0, automaton.initial));
    let all = selvedge_ltl::letter::mask(automaton.mark_count);
    for set in 1_u32..1 << graph.labels().len() {
        let is_inside = |node: Node| set >> node.0 & 1 != 0;
        let inside: Vec<_> = arcs.iter().filter(|arc| is_inside(arc.0) && is_inside(arc.3)).collect();
        let within = closure(count, inside.iter().map(|arc| (index(arc.0), index(arc.3))));
        for root in (0..count).filter(|root| within[*root][*root]) {
            let is_member = |node: Node| within[root][index(node)] && within[index(node)][root];
            let component: Vec<_> =
                inside.iter().filter(|arc| is_member(arc.0) && is_member(arc.3)).collect();
            let marks = component.iter().fold(0, |sum, arc| sum | arc.2);
            let steps: Vec<_> = component.iter().map(|arc| (arc.0.0, arc.1)).collect();
            if marks == all
                && (root == start || reachable[start][root])
                && is_fair(is_enabled, &steps, fairness)
            {
                return false;
            }
        }
    }
    true
}

/// The definition of fairness, on the steps (the source node, the process that moves) that happen infinitely
/// often.
pub(crate) fn is_fair(
    is_enabled: &dyn Fn(u32, u32) -> bool,
    steps: &[(u32, Option<u32>)],
    fairness: Fairness,
) -> bool {
    (0..PROCESSES).all(|process| {
        let is_enabled = |node: u32| is_enabled(node, process);
        let moves = steps.iter().any(|step| step.1 == Some(process));
        match fairness {
            Fairness::None => true,
            Fairness::Weak => moves || steps.iter().any(|step| !is_enabled(step.0)),
            Fairness::Strong => moves || steps.iter().all(|step| !is_enabled(step.0)),
        }
    })
}

/// Has the process an arc from this node?
pub(crate) fn has_arc(graph: &Graph, node: u32, process: u32) -> bool {
    graph.arcs_from(node).iter().any(|arc| arc.1 == process)
}

/// The nodes that a run visits, prefix and cycle.
pub(crate) fn nodes(steps: &[Step<(u32, u32)>]) -> Vec<u32> {
    steps.iter().map(|step| step.state[0] as u32).collect()
}

/// Panics unless this is a fair run of the graph. By the definition, without the crate's own replay.
pub(crate) fn naive_replay(graph: &Graph, run: &Counterexample<(u32, u32)>, fairness: Fairness) {
    let mut at = 0;
    assert_eq!(nodes(&run.prefix)[0], 0, "runs begin in node 0");
    let mut left = Vec::new();
    for step in run.prefix.iter().skip(1).chain(&run.cycle) {
        left.push((at, step.action.map(|action| action.0)));
        match step.action {
            None => assert!(graph.arcs_from(at).is_empty() && u64::from(at) == step.state[0]),
            Some((process, to)) => assert!(graph.arcs().contains(&(at, process, to)), "no such arc"),
        }
        at = step.state[0] as u32;
    }
    if !run.cycle.is_empty() {
        assert_eq!(Some(&at), nodes(&run.prefix).last(), "the cycle is closed");
        let is_enabled = |node, process| has_arc(graph, node, process);
        assert!(is_fair(&is_enabled, &left[run.prefix.len() - 1..], fairness), "the cycle is fair");
    }
}
