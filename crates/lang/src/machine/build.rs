//! A machine from flow graphs: fields given out, guards and effects compiled.

use super::access::accesses;
use super::arithmetic::Fault;
use super::code::{Number, Target, Test};
use super::domain::View;
use super::infer::Domains;
use super::layout::{Coding, Field, Layout, Slot, coding};
use super::live::{Liveness, liveness, variables};
use super::reduce::Reduction;
use super::step::{Writes, statements};
use super::{Buffer, Control, EdgeCode, EffectCode, GuardCode, Labels, Machine, Observed, Options};
use crate::flow::{Cell, Edge, Effect, FlowProgram, Guard, NodeId, Operator, Place, VarId, Variable};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::letter::MAX_PROPS;
use selvedge_ltl::source::Span;
use selvedge_model::Word;
use std::sync::Arc;

impl Machine {
    /// The states and steps of a program, labelled with what is observed, of which there may be [`MAX_PROPS`].
    ///
    /// `domains` are the values of the program's variables, `line_starts` the places where the source's lines begin.
    pub(crate) fn new(
        (program, domains): (Arc<FlowProgram>, &Domains),
        observed: &[Observed],
        options: Options,
        line_starts: Vec<usize>,
    ) -> Result<Machine, Diagnostic> {
        if observed.len() > MAX_PROPS {
            let message = format!("{} different propositions are more than {MAX_PROPS}", observed.len());
            let place = Span::default();
            return Err(Diagnostic::error("par::too-many-propositions", message, place, "")
                .help("check the properties one at a time"));
        }
        let mut layout = Layout::default();
        let mut base = 0;
        let mut processes = Vec::new();
        for graph in &program.graphs {
            processes.push(Control { field: layout.field(graph.places), base });
            base += graph.nodes.len() as u32;
        }
        let slots = variable_slots(&program, domains, options, &mut layout);
        let channels = buffers(&program, domains, options, &mut layout);
        let asked = observed.iter().any(|observed| matches!(observed, Observed::Exec(_)));
        let last = (options.exact || asked).then(|| layout.field(program.graphs.len() + 1));
        let liveness = if options.exact { Vec::new() } else { liveness(&program, &spoken_of(observed)) };
        let mut compiler = Compiler {
            program: &program,
            domains,
            processes: &processes,
            slots: &slots,
            last,
            liveness: &liveness,
            faulty: 0,
        };
        let (nodes, edges) = compiler.code();
        let error = layout.field(1 + compiler.faulty * Fault::ALL.len());
        let labels = labels(&program, observed, &processes, &slots);
        let words = layout.words();
        let mut machine = Machine {
            line_starts,
            words,
            processes,
            nodes,
            edges,
            slots,
            channels,
            error,
            last,
            initial: Vec::new(),
            liveness,
            labels,
            pendings: Vec::new(),
            reduction: None,
            program,
        };
        machine.initial = machine.first_state(options);
        let accesses = accesses(&machine);
        machine.pendings = machine.pendings(&accesses);
        machine.reduction = Reduction::new(&machine, &accesses, observed);
        Ok(machine)
    }

    /// Can a run end in an error at all?
    pub fn can_fail(&self) -> bool {
        !self.error.is_empty()
    }

    fn first_state(&self, options: Options) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for (control, graph) in self.processes.iter().zip(&self.program.graphs) {
            control.field.set(&mut state, u64::from(graph.start.0));
        }
        for (variable, slots) in self.program.variables.iter().zip(&self.slots) {
            let initial = first_value(variable, options.exact);
            for slot in slots.iter() {
                slot.store(&mut state, initial);
            }
        }
        state
    }
}

fn first_value(variable: &Variable, exact: bool) -> Cell {
    match variable.initial {
        Cell::Undefined if !exact => Cell::Null,
        initial => initial,
    }
}

/// Are states told apart as they are when nothing is observed?
///
/// Observing who moved last makes that a part of states, and observing a variable that one process alone touches keeps
/// it from being forgotten; nothing else changes them.
pub(crate) fn leaves_states(program: &FlowProgram, observed: &[Observed], options: Options) -> bool {
    let asks_last = observed.iter().any(|observed| matches!(observed, Observed::Exec(_)));
    let own: Vec<VarId> = liveness(program, &[]).into_iter().flat_map(|liveness| liveness.own).collect();
    options.exact || !asks_last && !spoken_of(observed).iter().any(|var| own.contains(var))
}

/// The variables that are observed.
fn spoken_of(observed: &[Observed]) -> Vec<VarId> {
    let mut found = Vec::new();
    for observed in observed {
        if let Observed::Test(test) = observed {
            variables(test, &mut |var| found.push(var));
        }
    }
    found
}

fn variable_slots(
    program: &FlowProgram,
    domains: &Domains,
    options: Options,
    layout: &mut Layout,
) -> Vec<Arc<[Slot]>> {
    let mut all = Vec::new();
    for (variable, domain) in program.variables.iter().zip(&domains.variables) {
        let (coding, count) = coding(domain, options.exact);
        all.push((0..variable.length.unwrap_or(1)).map(|_| layout.slot(&coding, count)).collect());
    }
    all
}

fn buffers(program: &FlowProgram, domains: &Domains, options: Options, layout: &mut Layout) -> Vec<Buffer> {
    let mut all = Vec::new();
    for (channel, domain) in program.channels.iter().zip(&domains.channels) {
        let (coding, count) = coding(domain, options.exact);
        let length = layout.field(channel.capacity + 1);
        let slots = (0..channel.capacity).map(|_| layout.slot(&coding, count)).collect();
        all.push(Buffer { length, slots });
    }
    all
}

fn labels(
    program: &FlowProgram,
    observed: &[Observed],
    processes: &[Control],
    slots: &[Arc<[Slot]>],
) -> Labels {
    let mut labels = Labels::default();
    for (number, observed) in observed.iter().enumerate() {
        let bit = 1 << number;
        match observed {
            Observed::Test(test) => labels.tests.push((bit, Test::new(test, slots))),
            Observed::Exec(process) => {
                labels.exec.resize(program.graphs.len() + 1, 0);
                labels.exec[*process as usize + 1] |= bit;
            }
            Observed::At(process, statement) => {
                let nodes = &program.graphs[*process as usize].nodes;
                let masks =
                    nodes.iter().map(|node| if node.statements.contains(statement) { bit } else { 0 });
                labels.at.push((processes[*process as usize].field, masks.collect()));
            }
        }
    }
    labels
}

pub(super) struct Compiler<'a> {
    program: &'a FlowProgram,
    domains: &'a Domains,
    processes: &'a [Control],
    slots: &'a [Arc<[Slot]>],
    last: Option<Field>,
    /// Empty in exact mode.
    liveness: &'a [Liveness],
    /// How many edges can end in an error.
    faulty: usize,
}

impl Compiler<'_> {
    fn code(&mut self) -> (Vec<std::ops::Range<u32>>, Vec<EdgeCode>) {
        let mut nodes = Vec::new();
        let mut edges: Vec<EdgeCode> = Vec::new();
        for (process, graph) in self.program.graphs.iter().enumerate() {
            for (number, node) in graph.nodes.iter().enumerate() {
                let start = edges.len() as u32;
                for (index, edge) in node.edges.iter().enumerate() {
                    let mut code = self.edge(process, number, index);
                    if self.can_fault(process, number, edge) {
                        code.faults = 1 + (self.faulty * Fault::ALL.len()) as u32;
                        self.faulty += 1;
                    }
                    edges.push(code);
                }
                nodes.push(start..edges.len() as u32);
            }
        }
        (nodes, edges)
    }

    fn edge(&self, process: usize, node: usize, index: usize) -> EdgeCode {
        let graph = &self.program.graphs[process];
        let edges = &graph.nodes[node].edges;
        let edge = &edges[index];
        let sequence = statements(graph, edge);
        let (guard, statements) = sequence.clone().unwrap_or((&edge.guard, Vec::new()));
        let guard = match (guard, edges.get(index + 1).map(|partner| &partner.guard)) {
            (Guard::Always, _) => GuardCode::Always,
            (Guard::Holds(test), Some(Guard::Fails(other))) if test == other && edge.guard == *guard => {
                GuardCode::Branch(Test::new(test, self.slots))
            }
            (Guard::Holds(test), _) => GuardCode::Holds(Test::new(test, self.slots)),
            (Guard::Fails(test), _) => GuardCode::Fails(Test::new(test, self.slots)),
        };
        let effect = self.effect(&edge.effect);
        let (effects, mut constants) = self.split(&statements);
        if node < graph.places && edge.target.0 < graph.places as u32 {
            constants.push((self.processes[process].field, u64::from(edge.target.0)));
        }
        constants.extend(self.resets(process, node, edge));
        constants.extend(self.last.map(|last| (last, process as u64 + 1)));
        let writes = Writes::new(constants);
        EdgeCode {
            process: process as u32,
            target: edge.target.0,
            guard,
            effect,
            is_sequence: sequence.is_some(),
            effects,
            writes,
            faults: 0,
        }
    }

    /// The variables that die on this edge, each with its first value. Those that were dead have it already.
    fn resets(&self, process: usize, node: usize, edge: &Edge) -> Vec<(Field, Word)> {
        let Some(liveness) = self.liveness.get(process) else { return Vec::new() };
        let target = edge.target.0 as usize;
        let atomic = matches!(edge.effect, Effect::Atomic(..));
        let mut resets = Vec::new();
        for (index, var) in liveness.own.iter().enumerate() {
            let assigned = matches!(&edge.effect,
                Effect::Assign(Place::Var(to), _) | Effect::Receive(_, Place::Var(to)) if to == var);
            let touched = assigned || atomic || liveness.is_live(node, index);
            if touched && !liveness.is_live(target, index) {
                let first = first_value(&self.program.variables[var.0 as usize], false);
                resets.extend(self.slots[var.0 as usize][0].fields(first));
            }
        }
        resets
    }

    pub(super) fn effect(&self, effect: &Effect) -> EffectCode {
        match effect {
            Effect::Nothing | Effect::Print(_) => EffectCode::Nothing,
            Effect::Assign(place, value) => {
                assignment(Target::new(place, self.slots), Number::new(value, self.slots))
            }
            Effect::Assert(test) => EffectCode::Assert(Test::new(test, self.slots)),
            Effect::Send(channel, value) => EffectCode::Send(channel.0, Number::new(value, self.slots)),
            Effect::Receive(channel, place) => EffectCode::Receive(channel.0, Target::new(place, self.slots)),
            Effect::Atomic(start, end) => EffectCode::Atomic(*start, *end),
        }
    }

    /// Can the step end in an error? Where the process never comes it cannot.
    fn can_fault(&self, process: usize, node: usize, edge: &Edge) -> bool {
        let Some(view) = self.domains.view(process, node) else { return false };
        guard_can_fault(view, &edge.guard)
            || match &edge.effect {
                Effect::Nothing | Effect::Print(_) => false,
                Effect::Assign(target, value) => view.place_can_fault(target) || view.can_fault(value),
                Effect::Assert(_) => true,
                Effect::Send(_, value) => view.can_fault(value),
                Effect::Receive(_, target) => view.place_can_fault(target),
                Effect::Atomic(start, _) => self.atomic_can_fault(process, *start),
            }
    }

    /// Can something inside go wrong, or go round without an end?
    fn atomic_can_fault(&self, process: usize, start: NodeId) -> bool {
        let graph = &self.program.graphs[process];
        let mut seen = vec![false; graph.nodes.len()];
        let mut todo = vec![start];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            for edge in &graph.nodes[node.0 as usize].edges {
                // However nodes are numbered, a loop has an edge to a number that is not larger.
                let back = edge.target.0 <= node.0;
                if back || self.can_fault(process, node.0 as usize, edge) {
                    return true;
                }
                todo.push(edge.target);
            }
        }
        false
    }
}

/// An assignment in the shortest form that there is for it.
fn assignment(target: Target, value: Number) -> EffectCode {
    if let (Target::Slot(slot), Number::Const(value)) = (&target, &value)
        && let Some(bits) = slot.code(value.map_or(Cell::Null, Cell::Int))
    {
        return EffectCode::Set(slot.field, bits);
    }
    if let (Target::Slot(slot), Number::Binary(operator, sides)) = (&target, &value)
        && let (Number::Load(from), Number::Const(Some(by))) = &**sides
        && let (Coding::Row(first), true) = (&slot.coding, from.field == slot.field && !slot.field.is_empty())
        && let Some(delta) = difference(*operator, *by)
        // The values in a row are few, so that nothing overflows unless it begins near the end.
        && first.unsigned_abs() < 1 << 62
        && delta.unsigned_abs() < 1 << 61
    {
        return EffectCode::Add(slot.field, delta);
    }
    EffectCode::Assign(target, value)
}

/// How much more `x + by` or `x - by` is than x.
fn difference(operator: Operator, by: i64) -> Option<i64> {
    match operator {
        Operator::Add => Some(by),
        Operator::Subtract => by.checked_neg(),
        _ => None,
    }
}

fn guard_can_fault(view: View<'_>, guard: &Guard) -> bool {
    match guard {
        Guard::Always => false,
        Guard::Holds(test) | Guard::Fails(test) => view.can_fault(test),
    }
}
