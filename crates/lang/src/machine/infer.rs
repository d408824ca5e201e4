//! The values that each variable can take.
//!
//! An abstract interpretation (Cousot and Cousot 1977) with sets of values. A variable that one process
//! alone assigns has a set at each node of that process, so that `while i < 5 do i := i + 1 od` gives six
//! values; any other variable has one set, of all values that are assigned to it anywhere, and sets within
//! the steps of [some processes](LocalVariables), so that `atomic await x > 0; x := x - 1 end` stops at 0.
//!
//! Sets that grow beyond [`MAX_VALUES`] become the set of all values. When [`MAX_WORK`] is spent, those that
//! still grow and have more than [`FEW_VALUES`] do; when it is spent twice, all that still grow do. So a
//! variable that counts without a bound leaves work for the small sets that depend on it.
//!
//! Promise: no run of the program gives a variable a value outside of its set.

use super::domain::{Domain, LocalDomains, MAX_VALUES, View};
use super::local_variables::LocalVariables;
use super::never_negative::NeverNegative;
use crate::flow_graph::{
    Cell, ChannelPlace, Edge, Effect, FlowGraph, FlowGraphs, Guard, NodeId, Pattern, VarId,
};
use crate::work::count_step;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many values are joined, beyond a few for each step of the program, before large sets that still grow
/// are widened.
pub const MAX_WORK: usize = 1 << 18;

/// The largest set that may still grow then.
const FEW_VALUES: usize = 64;

/// The values of every variable and of every channel's messages.
#[derive(Clone, Debug)]
pub(crate) struct Domains {
    program: Arc<FlowGraphs>,
    pub(super) variables: Vec<Domain>,
    /// By channel and field; all channels of an array together.
    pub(super) channels: Vec<Vec<Domain>>,
    never_negative: NeverNegative,
    local_variables: LocalVariables,
    /// By process and node, its local domains; `None` at a node that is not reached.
    local: Vec<Vec<Option<LocalDomains>>>,
    work: usize,
    allowed: usize,
}

/// The least sets that are closed under the program's steps.
pub(crate) fn infer(program: &Arc<FlowGraphs>) -> Domains {
    let initial = program.variables.iter().map(|variable| {
        let values = (0..variable.elements.len().max(1)).map(|index| variable.initial_of(index));
        Some(Arc::new(values.collect::<BTreeSet<Cell>>()))
    });
    let edges: usize =
        program.graphs.iter().flat_map(|graph| &graph.nodes).map(|node| node.edges.len()).sum();
    let mut domains = Domains {
        program: program.clone(),
        variables: initial.collect(),
        channels: program
            .channels
            .iter()
            .map(|channel| vec![Some(Arc::default()); channel.fields.len()])
            .collect(),
        never_negative: NeverNegative::new(program),
        local_variables: LocalVariables::new(program),
        local: program.graphs.iter().map(|graph| vec![None; graph.nodes.len()]).collect(),
        work: 0,
        allowed: MAX_WORK + 16 * edges,
    };
    domains.seed_counts();
    domains.seed_initial_values();
    let mut grown = true;
    while grown {
        grown = false;
        for (process, graph) in program.graphs.iter().enumerate() {
            grown |= domains.propagate(process, graph);
        }
    }
    domains
}

impl Domains {
    pub(super) fn program(&self) -> &FlowGraphs {
        &self.program
    }

    /// The values of a variable, by its number; none if it can have any.
    pub(crate) fn values_of(&self, variable: usize) -> Vec<Cell> {
        self.variables[variable].iter().flat_map(|values| values.iter().copied()).collect()
    }

    /// The values at a node of a process; `None` if the process never reaches it.
    pub(super) fn view(&self, process: usize, node: usize) -> Option<View<'_>> {
        let local = self.local[process][node].as_deref()?;
        Some(self.view_of(process, local))
    }

    fn view_of<'a>(&'a self, process: usize, local: &'a [Domain]) -> View<'a> {
        View {
            program: &self.program,
            global: &self.variables,
            never_negative: &self.never_negative,
            local_variables: &self.local_variables,
            local: (process as u32, local),
        }
    }

    /// A channel has any number of messages that it has room for.
    fn seed_counts(&mut self) {
        for channel in &self.program.channels {
            let counts = (0..=channel.capacity as i64).map(Cell::Int);
            self.variables[channel.count.0 as usize] =
                (channel.capacity < MAX_VALUES).then(|| Arc::new(counts.collect()));
        }
    }

    /// Each process starts with the initial values.
    fn seed_initial_values(&mut self) {
        for (process, graph) in self.program.graphs.iter().enumerate() {
            let variables = self.local_variables.of(process).iter();
            let first = variables.map(|var| self.variables[var.0 as usize].clone()).collect();
            self.local[process][graph.start.0 as usize] = Some(first);
        }
    }

    /// Between steps, other processes assign shared variables: these have all their values.
    fn forget_shared(&self, process: usize, local: &mut LocalDomains) {
        for (var, index) in self.local_variables.within_steps(process) {
            local[index].clone_from(&self.variables[var.0 as usize]);
        }
    }

    /// Shared variables have all their values at each control location.
    fn forget_shared_at_locations(&mut self, process: usize, locations: usize) {
        for node in 0..locations {
            if let Some(mut local) = self.local[process][node].take() {
                self.forget_shared(process, &mut local);
                self.local[process][node] = Some(local);
            }
        }
    }

    /// Propagates values along one process's graph up to a fixed point; true if a variable or channel grew.
    fn propagate(&mut self, process: usize, graph: &FlowGraph) -> bool {
        let mut grown = false;
        self.forget_shared_at_locations(process, graph.locations);
        let mut todo: Vec<usize> =
            (0..graph.nodes.len()).filter(|node| self.local[process][*node].is_some()).collect();
        let is_atomic = |edge: &Edge| matches!(edge.effect, Effect::Atomic(..));
        let has_atomic = |node: &usize| graph.nodes[*node].edges.iter().any(is_atomic);
        let atomics: Vec<usize> = (0..graph.nodes.len()).filter(has_atomic).collect();
        while let Some(node) = todo.pop() {
            for edge in &graph.nodes[node].edges {
                self.work += 1;
                count_step();
                let Some(local) = self.refine_by_guard(process, node, edge) else { continue };
                let mut after = Some(local);
                match &edge.effect {
                    Effect::Assign(lvalue, value) => {
                        let local = after.as_deref().unwrap_or_default();
                        let values = self.view_of(process, local).cells(value);
                        grown |= self.store(process, lvalue.variable(), values, &mut after);
                    }
                    Effect::AssignAll(parts) => {
                        let local = after.as_deref().unwrap_or_default();
                        let view = self.view_of(process, local);
                        let values: Vec<Domain> = parts.iter().map(|(_, value)| view.cells(value)).collect();
                        for ((lvalue, _), values) in parts.iter().zip(values) {
                            grown |= self.store(process, lvalue.variable(), values, &mut after);
                        }
                    }
                    Effect::Receive(place, patterns) => {
                        grown |= self.receive(process, place, patterns, &mut after);
                    }
                    Effect::Send(place, values) => {
                        let local = after.as_deref().unwrap_or_default();
                        let view = self.view_of(process, local);
                        let values: Vec<Domain> = values.iter().map(|value| view.cells(value)).collect();
                        for (field, values) in values.iter().enumerate() {
                            let channel = &mut self.channels[place.channel.0 as usize][field];
                            grown |= join(channel, values, &mut self.work, self.allowed);
                        }
                    }
                    Effect::Atomic(start, end) => {
                        if self.join_at(process, *start, after.take()) {
                            todo.push(start.0 as usize);
                        }
                        after.clone_from(&self.local[process][end.0 as usize]);
                    }
                    Effect::Nothing | Effect::Assert(_) | Effect::Print(_) => {}
                }
                if let Some(local) = &mut after
                    && self.is_interleaved(graph, edge)
                {
                    self.forget_shared(process, local);
                }
                if self.join_at(process, edge.target, after) {
                    todo.push(edge.target.0 as usize);
                    // Values at the end of an atomic are propagated behind it.
                    if graph.nodes[edge.target.0 as usize].edges.is_empty() {
                        todo.extend(&atomics);
                    }
                }
            }
        }
        grown
    }

    /// Can other processes assign variables before the next statement? Not inside of an `atomic`, unless
    /// another process takes part in the step.
    fn is_interleaved(&self, graph: &FlowGraph, edge: &Edge) -> bool {
        let is_meeting = match &edge.effect {
            Effect::Send(place, _) | Effect::Receive(place, _) => {
                self.program.channels[place.channel.0 as usize].is_rendezvous()
            }
            _ => false,
        };
        is_meeting || (edge.target.0 as usize) < graph.locations
    }

    /// Assigns the fields of a message; true if a variable's set grew. No message comes if a field never has
    /// the value that it must match.
    fn receive(
        &mut self,
        process: usize,
        place: &ChannelPlace,
        patterns: &[Pattern],
        after: &mut Option<LocalDomains>,
    ) -> bool {
        let domains = self.channels[place.channel.0 as usize].clone();
        let can_match = |(domain, pattern): (&Domain, &Pattern)| match pattern {
            Pattern::Match(cell, _) => domain.as_ref().is_none_or(|cells| cells.contains(cell)),
            Pattern::Store(_) => true,
        };
        if !domains.iter().zip(patterns).all(can_match) {
            *after = None;
            return false;
        }
        let mut grown = false;
        for (values, pattern) in domains.into_iter().zip(patterns) {
            if let Some(var) = pattern.variable() {
                grown |= self.store(process, var, values, after);
            }
        }
        grown
    }

    /// The local domains where the guard holds; `None` if it never does.
    fn refine_by_guard(&self, process: usize, node: usize, edge: &Edge) -> Option<LocalDomains> {
        let view = self.view(process, node)?;
        match &edge.guard {
            Guard::Always | Guard::Timeout => Some(view.local.1.to_vec()),
            Guard::Holds(test) => view.refine(test, true),
            Guard::Fails(test) => view.refine(test, false),
            Guard::Otherwise(first) => {
                let edges = &self.program.graphs[process].nodes[node].edges;
                let before = edges[*first as usize..].iter().take_while(|before| before.guard != edge.guard);
                let mut domains = view.local.1.to_vec();
                for before in before {
                    // A step with another guard, or one that can wait, tells nothing by not being taken.
                    let can_wait =
                        matches!(before.effect, Effect::Send(..) | Effect::Receive(..) | Effect::Atomic(..));
                    domains = match &before.guard {
                        Guard::Holds(test) if !can_wait => {
                            self.view_of(process, &domains).refine(test, false)?
                        }
                        Guard::Fails(test) if !can_wait => {
                            self.view_of(process, &domains).refine(test, true)?
                        }
                        _ => domains,
                    };
                }
                Some(domains)
            }
        }
    }

    /// Assigns values; true if the variable's set grew.
    fn store(
        &mut self,
        process: usize,
        var: VarId,
        values: Domain,
        local: &mut Option<LocalDomains>,
    ) -> bool {
        let known = &mut self.variables[var.0 as usize];
        let grown = join(known, &values, &mut self.work, self.allowed);
        if let (Some(index), Some(local)) = (self.local_variables.index(process as u32, var), local) {
            // A variable that can have all values anywhere can have them here.
            local[index] = if known.is_none() { None } else { values };
        }
        grown
    }

    /// Joins local domains with those at a node; true if these grew.
    fn join_at(&mut self, process: usize, node: NodeId, local: Option<LocalDomains>) -> bool {
        let Some(local) = local else { return false };
        let at_node = &mut self.local[process][node.0 as usize];
        let Some(before) = at_node else {
            *at_node = Some(local);
            return true;
        };
        let mut grown = false;
        for (before, domain) in before.iter_mut().zip(&local) {
            grown |= join(before, domain, &mut self.work, self.allowed);
        }
        grown
    }
}

/// Adds values to a set; true if it grew. A set that grows too much is widened to all values. The less work
/// is left, the sooner.
fn join(set: &mut Domain, more: &Domain, work: &mut usize, allowed: usize) -> bool {
    let Some(values) = set else { return false };
    let Some(more) = more else {
        *set = None;
        return true;
    };
    if Arc::ptr_eq(values, more) {
        return false;
    }
    *work += more.len();
    let new: Vec<Cell> = more.difference(values).copied().collect();
    if new.is_empty() {
        return false;
    }
    let most = match *work {
        work if work <= allowed => MAX_VALUES,
        work if work <= 2 * allowed => FEW_VALUES,
        _ => 0,
    };
    if values.len() + new.len() > most {
        *set = None;
    } else {
        Arc::make_mut(values).extend(new);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ltl::source::Source;

    /// The values of the first variable.
    fn inferred(text: &str) -> Domain {
        let (program, diagnostics) = crate::parallel::parse(&Source::new("t.par", text));
        let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
        infer(&program.flow_graphs).variables[0].clone()
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&[i64]>) {
        let inferred = inferred(text);
        let expected =
            expected.map(|values| Arc::new(values.iter().map(|value| Cell::Int(*value)).collect()));
        assert_eq!(inferred, expected, "{text}");
    }

    #[test]
    fn a_loop_with_a_bound_has_its_values() {
        let upwards = "memory i = 0; process 1: while i < 5 do i := i + 1 od";
        check(upwards, Some(&[0, 1, 2, 3, 4, 5]));
        let both =
            "memory i = 2; process 1: repeat if not (i >= 3 or i = 0) then i := i + 1 else i := 0 fi forever";
        check(both, Some(&[0, 2, 3]));
    }

    #[test]
    fn values_that_other_processes_assign_count_at_every_node() {
        check("memory x = 0; process 1: if x = 0 then x := 5 fi process 2: x := x + 10 % 3", None);
        check("memory x = 0, y = 7; process 1: x := y process 2: y := 8", Some(&[0, 7, 8]));
        check("memory x = 0; channel c[1]; process 1: send c, 4 process 2: receive c, x", Some(&[0, 4]));
    }

    #[test]
    fn a_remainder_bounds_a_variable_that_grows() {
        check("memory x = 0; process 1: repeat x := (x + 1) % 4 forever", Some(&[0, 1, 2, 3]));
        check("memory x = 0; process 1: repeat x := x + 1 forever", None);
    }

    #[test]
    fn values_are_propagated_through_atomic_statements() {
        let text =
            "memory x = 0; process 1: x := 1; atomic await x = 1; x := x + 1; x := x * 2 end; x := x + 3";
        check(text, Some(&[0, 1, 2, 4, 7]));
    }

    #[test]
    fn a_test_inside_an_atomic_bounds_a_shared_variable() {
        let take = "atomic await x > 0; x := x - 1 end";
        let two = |body: &str| format!("memory x = 2, y = 0; process p(i) for i in 1..2: {body}");
        check(&two(&format!("repeat {take} forever")), Some(&[0, 1, 2]));
        let updates = "repeat atomic await x < 4; x := x + 3; x := x - 1 end forever";
        check(&two(updates), Some(&[2, 4, 5]));
        let give = "atomic await x < 4; x := x + 1 end";
        let choice = format!("repeat choose {give} | {take} end forever");
        check(&two(&choice), Some(&[0, 1, 2, 3, 4]));
        let nested = "repeat atomic if x > 0 then atomic x := x - 1 end fi; y := 1 end forever";
        check(&two(nested), Some(&[0, 1, 2]));
    }

    #[test]
    fn other_processes_assign_a_shared_variable_between_steps() {
        let apart = "process p(i) for i in 1..2: repeat await x > 0; x := x - 1 forever";
        check(&format!("memory x = 2; {apart}"), None);
        let end = "process p(i) for i in 1..2: repeat atomic await x > 0; y := 1 end; x := x - 1 forever";
        check(&format!("memory x = 2, y = 0; {end}"), None);
        let other = "process p: repeat atomic await x > 0; x := x - 1 end forever process q: x := 7";
        check(&format!("memory x = 2; {other}"), Some(&[0, 1, 2, 3, 4, 5, 6, 7]));
    }

    #[test]
    fn a_remainder_of_a_counter_has_few_values() {
        let counter = "process p: repeat n := n + 1; x := n % 3 forever";
        check(&format!("memory x = 0, n = 0; {counter}"), Some(&[0, 1, 2]));
        let down = inferred(&format!("memory x = 0, n = 0; {counter} process q: n := n - 1"));
        let all: BTreeSet<Cell> = (-2..=2).map(Cell::Int).chain([Cell::Null]).collect();
        assert_eq!(down.as_deref(), Some(&all));
    }

    #[test]
    fn a_counter_leaves_work_for_small_sets() {
        let sent =
            "process p: repeat n := n + 1; send c, n % 3 forever process q: repeat receive c, x forever";
        check(&format!("memory x = 0, n = 0; channel c[1]; {sent}"), Some(&[0, 1, 2]));
    }
}
