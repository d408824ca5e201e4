//! Counters: variables without a bound that change by constants alone.
//!
//! `x := x + 1` in a loop gives x any value, but not within the runs that are looked at: a search stores
//! every state of a run, and there are numbers for fewer than [`MAX_RUN`] states; simulations are
//! shorter. So a counter lies in an interval around the other values that it is assigned, which takes
//! about half the bits of any value.
//!
//! Where a process adds and subtracts the same along all paths to a node, the node says how much that is. If
//! that is so in all processes, and nothing else is assigned, the counter is a sum of what their nodes say,
//! and has few values (a place invariant of a Petri net: Lautenbach 1973; Reisig, Petri Nets, 1985, ch. 6).
//!
//! Promise: no run of [`MAX_RUN`] steps takes a counter out of its interval.

use super::execute::MAX_ATOMIC_STEPS;
use super::infer::Domains;
use crate::flow_graph::{Cell, Effect, FlowGraph, Lvalue, NodeId, Operator, Pattern, Term, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The most steps of a run.
pub(super) const MAX_RUN: i64 = (1 << 31) - 1;

/// The greatest magnitude of a counter.
const MAX_COUNT: i128 = 1 << 48;

/// The least and the greatest value of a counter.
pub(super) type Interval = (i64, i64);

/// How a variable changes.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// The values that it is assigned as such; `None` if some are not known, or not integers.
    assigned: Option<Interval>,
    /// The most that one step adds, and subtracts.
    up: i128,
    down: i128,
}

/// By variable, the interval of a counter; `None` for other variables.
pub(super) fn counters(domains: &Domains) -> Vec<Option<Interval>> {
    let program = domains.program();
    let initial = |variable: &crate::flow_graph::Variable| {
        let cells = (0..variable.length.unwrap_or(1)).map(|index| variable.initial_of(index));
        Change { assigned: interval(cells), up: 0, down: 0 }
    };
    let mut changes: Vec<Change> = program.variables.iter().map(initial).collect();
    for (process, graph) in program.graphs.iter().enumerate() {
        for step in steps(graph) {
            step.add_to(&mut changes, domains, process, graph);
        }
    }
    // A rendezvous is a step of two processes.
    let processes = if program.channels.iter().any(|channel| channel.is_rendezvous()) { 2 } else { 1 };
    let is_bounded = |var: usize| domains.variables[var].is_some();
    let interval = |(var, change): (usize, &Change)| {
        let least = change.interval(processes).filter(|_| !is_bounded(var))?;
        Some(sum_of_nodes(domains, VarId(var as u32)).unwrap_or(least))
    };
    changes.iter().enumerate().map(interval).collect()
}

/// The values of a variable that is a sum of what the nodes of all processes say; `None` for others.
fn sum_of_nodes(domains: &Domains, var: VarId) -> Option<Interval> {
    let program = domains.program();
    let variable = &program.variables[var.0 as usize];
    let Cell::Int(initial) = variable.initial else { return None };
    if variable.length.is_some() {
        return None;
    }
    let (mut least, mut greatest) = (i128::from(initial), i128::from(initial));
    for (process, graph) in program.graphs.iter().enumerate() {
        let sums = sums_at_nodes(graph, var, &|node| domains.view(process, node).is_some())?;
        least += sums.iter().flatten().min().copied().unwrap_or(0);
        greatest += sums.iter().flatten().max().copied().unwrap_or(0);
    }
    (-MAX_COUNT <= least && greatest <= MAX_COUNT).then_some((least as i64, greatest as i64))
}

/// By node, how much the process has added to the variable when it is there; `None` if that depends on the
/// path, or the process assigns anything else. A node that is not reached says nothing.
fn sums_at_nodes(
    graph: &FlowGraph,
    var: VarId,
    is_reached: &dyn Fn(usize) -> bool,
) -> Option<Vec<Option<i128>>> {
    let mut sums = vec![None; graph.nodes.len()];
    let mut todo = vec![(graph.start, 0)];
    // The ends of atomics, and where they lead to.
    let mut ends: Vec<(NodeId, NodeId)> = Vec::new();
    loop {
        while let Some((node, sum)) = todo.pop() {
            let number = node.0 as usize;
            match sums[number] {
                Some(known) if known != sum => return None,
                Some(_) => continue,
                None if !is_reached(number) => continue,
                None => sums[number] = Some(sum),
            }
            for edge in &graph.nodes[number].edges {
                match edge.effect {
                    Effect::Atomic(start, end) => {
                        todo.push((start, sum));
                        ends.push((end, edge.target));
                    }
                    _ => todo.push((edge.target, sum + added(&edge.effect, var)?)),
                }
            }
        }
        let is_open = |(_, target): &&(NodeId, NodeId)| {
            sums[target.0 as usize].is_none() && is_reached(target.0 as usize)
        };
        let behind = |(end, target): &(NodeId, NodeId)| Some((*target, sums[end.0 as usize]?));
        todo.extend(ends.iter().filter(is_open).filter_map(behind));
        if todo.is_empty() {
            let agrees = |(end, target): &(NodeId, NodeId)| {
                let (end, target) = (sums[end.0 as usize], sums[target.0 as usize]);
                end.is_none() || target.is_none() || end == target
            };
            return ends.iter().all(agrees).then_some(sums);
        }
    }
}

/// What the effect adds to the variable; `None` if it assigns something else.
fn added(effect: &Effect, var: VarId) -> Option<i128> {
    let by = |target: &Lvalue, value: &Term| match target.variable() == var {
        true => increment(target, value).map(i128::from),
        false => Some(0),
    };
    match effect {
        Effect::Assign(target, value) => by(target, value),
        Effect::AssignAll(parts) => parts.iter().map(|(target, value)| by(target, value)).sum(),
        Effect::Receive(_, patterns) => {
            let is_assigned = patterns.iter().any(|pattern| pattern.variable() == Some(var));
            (!is_assigned).then_some(0)
        }
        _ => Some(0),
    }
}

/// The difference by which an assignment changes what it assigns, if it is `x := x + c` or `x := x - c`.
pub(super) fn increment(target: &Lvalue, value: &Term) -> Option<i64> {
    let Term::Binary(operator, left, right) = value else { return None };
    let is_same = match (target, &**left) {
        (Lvalue::Var(var), Term::Var(read)) => var == read,
        (Lvalue::Element(var, index), Term::Element(read, at)) => var == read && *index == **at,
        _ => false,
    };
    match (operator, &**right) {
        (Operator::Add, Term::Int(by)) if is_same => Some(*by),
        (Operator::Subtract, Term::Int(by)) if is_same => by.checked_neg(),
        _ => None,
    }
}

/// The least and the greatest of these values; `None` if there are none, or not only integers.
fn interval(cells: impl Iterator<Item = Cell>) -> Option<Interval> {
    let value = |cell| if let Cell::Int(value) = cell { Some(value) } else { None };
    let values: Option<Vec<i64>> = cells.map(value).collect();
    let values = values?;
    Some((*values.iter().min()?, *values.iter().max()?))
}

impl Change {
    /// The values of runs of [`MAX_RUN`] steps, in each of which so many processes move.
    fn interval(&self, processes: i128) -> Option<Interval> {
        let (least, greatest) = self.assigned?;
        let steps = i128::from(MAX_RUN) * processes;
        let least = i128::from(least) - self.down.checked_mul(steps)?;
        let greatest = i128::from(greatest) + self.up.checked_mul(steps)?;
        (-MAX_COUNT <= least && greatest <= MAX_COUNT).then_some((least as i64, greatest as i64))
    }

    fn assign(&mut self, cells: Option<Interval>) {
        self.assigned = match (self.assigned, cells) {
            (Some((least, greatest)), Some((from, to))) => Some((least.min(from), greatest.max(to))),
            _ => None,
        };
    }
}

/// The edges of one step of a process: one edge, or those of an `atomic`.
pub(super) struct StepEdges {
    /// Each by its node and its number there.
    pub(super) edges: Vec<(usize, usize)>,
    pub(super) has_loop: bool,
}

/// All steps of a process. An edge inside an `atomic` is also taken as a step of its own, which adds less.
fn steps(graph: &FlowGraph) -> Vec<StepEdges> {
    let mut all = Vec::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        for (index, edge) in node.edges.iter().enumerate() {
            all.push(match edge.effect {
                Effect::Atomic(start, _) => atomic_edges(graph, start),
                _ => StepEdges { edges: vec![(number, index)], has_loop: false },
            });
        }
    }
    all
}

/// The edges of the nodes that an `atomic` can come to.
pub(super) fn atomic_edges(graph: &FlowGraph, start: NodeId) -> StepEdges {
    let edges_of = |node: usize| graph.nodes[node].edges.iter();
    let (mut entries, mut todo) = (BTreeMap::from([(start.0 as usize, 0)]), vec![start.0 as usize]);
    let mut edges = Vec::new();
    while let Some(node) = todo.pop() {
        edges.extend((0..graph.nodes[node].edges.len()).map(|index| (node, index)));
        for target in edges_of(node).map(|edge| edge.target.0 as usize) {
            if !entries.contains_key(&target) {
                todo.push(target);
            }
            *entries.entry(target).or_insert(0) += 1;
        }
    }
    // Nodes all of whose entries are taken away, one after the other: those that are left are on loops, or
    // behind them.
    let mut left = entries.len();
    todo.extend((entries[&(start.0 as usize)] == 0).then_some(start.0 as usize));
    while let Some(node) = todo.pop() {
        left -= 1;
        for target in edges_of(node).map(|edge| edge.target.0 as usize) {
            let count = entries.get_mut(&target).expect("a node of the atomic");
            *count -= 1;
            if *count == 0 {
                todo.push(target);
            }
        }
    }
    StepEdges { edges, has_loop: left > 0 }
}

impl StepEdges {
    /// Can an `atomic` of these edges take more than [`MAX_ATOMIC_STEPS`] steps, on all paths together?
    pub(super) fn can_be_endless(&self, graph: &FlowGraph) -> bool {
        let nodes: BTreeSet<usize> = self.edges.iter().map(|(node, _)| *node).collect();
        let choices = nodes.iter().map(|node| graph.nodes[*node].edges.len());
        let paths = choices.fold(1, |paths: usize, count| paths.saturating_mul(count));
        self.has_loop || paths.saturating_mul(self.edges.len()) > MAX_ATOMIC_STEPS
    }

    fn add_to(&self, changes: &mut [Change], domains: &Domains, process: usize, graph: &FlowGraph) {
        let mut sums = BTreeMap::<usize, (i128, i128)>::new();
        let effect = |(node, index): &(usize, usize)| &graph.nodes[*node].edges[*index].effect;
        let is_nested = self.edges.iter().any(|edge| matches!(effect(edge), Effect::Atomic(..)));
        for edge @ (node, _) in &self.edges {
            let Some(view) = domains.view(process, *node) else { continue };
            let mut assign = |target: &Lvalue, value: &Term| {
                let var = target.variable().0 as usize;
                match increment(target, value) {
                    Some(_) if self.has_loop || is_nested => changes[var].assigned = None,
                    Some(by) => {
                        let (up, down) = sums.entry(var).or_default();
                        *up += i128::from(by.max(0));
                        *down -= i128::from(by.min(0));
                    }
                    None => {
                        let cells = view.cells(value);
                        changes[var].assign(cells.and_then(|cells| interval(cells.iter().copied())));
                    }
                }
            };
            match effect(edge) {
                Effect::Assign(target, value) => assign(target, value),
                Effect::AssignAll(parts) => parts.iter().for_each(|(target, value)| assign(target, value)),
                Effect::Receive(place, patterns) => {
                    let fields = &domains.channels[place.channel.0 as usize];
                    for (field, var) in fields.iter().zip(patterns.iter().map(Pattern::variable)) {
                        if let Some(VarId(var)) = var {
                            let cells = field.as_ref().and_then(|cells| interval(cells.iter().copied()));
                            changes[var as usize].assign(cells);
                        }
                    }
                }
                _ => {}
            }
        }
        for (var, (up, down)) in sums {
            changes[var].up = changes[var].up.max(up);
            changes[var].down = changes[var].down.max(down);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::infer::infer;
    use super::*;
    use selvedge_ltl::source::Source;

    /// The interval of the first variable.
    #[track_caller]
    fn check(text: &str, expected: Option<Interval>) {
        let (program, diagnostics) = crate::parallel::parse(&Source::new("t.par", text));
        let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
        assert_eq!(counters(&infer(&program.flow_graphs))[0], expected, "{text}");
    }

    #[test]
    fn a_variable_that_changes_by_constants_is_a_counter() {
        check("memory x = 3; process 1: repeat x := x + 1 forever", Some((3, MAX_RUN + 3)));
        check("memory x = 0; process 1: repeat x := x - 2 forever", Some((-2 * MAX_RUN, 0)));
        let both = "memory x = 0; process 1: repeat x := x + 1 forever process 2: repeat x := x - 1 forever";
        check(both, Some((-MAX_RUN, MAX_RUN)));
        let reset = "memory x = 0; process 1: repeat x := x + 1 forever process 2: x := -7";
        check(reset, Some((-7, MAX_RUN)));
        let element = "memory x[2] = 0, i = 0; process 1: repeat x[i] := x[i] + 1; i := 1 - i forever";
        check(element, Some((0, MAX_RUN)));
    }

    #[test]
    fn a_step_adds_what_is_added_within_an_atomic() {
        let twice = "memory x = 0; process 1: repeat atomic x := x + 1; x := x + 2 end forever";
        let balanced = "memory x = 0; process 1: repeat atomic x := x + 4; x := x - 4 end forever \
                        process 2: repeat x := x + 1; x := x - 1 forever";
        check(balanced, Some((0, 5)));
        check(twice, Some((0, 3 * MAX_RUN)));
        let waits = "memory x = 0, y = 0; process 1: repeat atomic await y = 0; x := x + 1 end forever";
        check(waits, Some((0, MAX_RUN)));
        let looped = "memory x = 0, y = 0; process 1: repeat atomic y := 0; while y < 5 do x := x + 1; \
                      y := y + 1 od end forever";
        check(looped, None);
    }

    #[test]
    fn a_counter_that_each_process_takes_back_has_few_values() {
        let critical = "process p(i) for i in 1..3: repeat x := x + 1; x := x - 1 forever";
        check(&format!("memory x = 0; {critical}"), Some((0, 3)));
        check(&format!("memory x = 5; {critical} process q: x := x - 2"), Some((3, 8)));
        let inside =
            "process p(i) for i in 1..3: repeat atomic x := x + 1 end; atomic x := x - 1 end forever";
        check(&format!("memory x = 0; {inside}"), Some((0, 3)));
        let sometimes = "process p: repeat choose x := x + 1; x := x - 1 | y := 1 end forever";
        check(&format!("memory x = 0, y = 0; {sometimes} process q: x := x + 1"), Some((0, 2)));
        let by_path = "process p: repeat choose x := x + 1 | y := 1 end; x := x - 1 forever";
        check(&format!("memory x = 0, y = 0; {by_path}"), Some((-MAX_RUN, MAX_RUN)));
        let assigned = "process p: repeat x := x + 1; x := x - 1; x := 0 forever process q: x := 1";
        check(&format!("memory x = 0; {assigned}"), Some((-MAX_RUN, MAX_RUN + 1)));
    }

    #[test]
    fn other_variables_are_no_counters() {
        // It has few values; a sum; undefined at first; from a variable without a bound; near the greatest.
        check("memory x = 0; process 1: repeat x := (x + 1) % 4 forever", None);
        check("memory x = 0; process 1: repeat x := x + x forever", None);
        check("memory x; process 1: repeat x := x + 1 forever", None);
        check("memory x = 0, y = 1; process 1: repeat y := y + y; x := y; x := x + 1 forever", None);
        check("memory x = 9223372036854775800; process 1: repeat x := x + 1 forever", None);
        check("memory x = 0; process 1: repeat x := x + 1000000 forever", None);
    }
}
