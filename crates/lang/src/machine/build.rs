//! From flow graphs to a machine: fields are laid out, guards and effects compiled.

use super::access::compute_accesses;
use super::channel::{Buffer, ChannelCode, FieldCode};
use super::code::{Number, Target, Test};
use super::counters::{Interval, atomic_edges, counters, increment};
use super::domain::View;
use super::infer::Domains;
use super::layout::{Coding, Field, Layout, Slot, coding, counter_coding};
use super::live_variables::{LiveVariables, live_variables, visit_variables, visit_whole};
use super::reduce::Reduction;
use super::rendezvous::Meetings;
use super::step::{Writes, straight_line};
use super::waits::Waits;
use super::{Control, EdgeCode, EffectCode, GuardCode, Labels, Machine, Observed};
use crate::flow_graph::arithmetic::Fault;
use crate::flow_graph::{
    Cell, Channel, ChannelPlace, Edge, Effect, FlowGraphs, Guard, Lvalue, NodeId, Operator, Term, VarId,
};
use crate::program::SystemOptions;
use crate::work::count_step;
use selvedge_ltl::letter::MAX_PROPS;
use selvedge_model::{ProcessId, Word};
use std::fmt;
use std::sync::Arc;

/// More propositions than a label has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooManyPropositions {
    count: usize,
}

impl fmt::Display for TooManyPropositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} different propositions are more than {MAX_PROPS}", self.count)
    }
}

impl Machine {
    /// The states and steps of a program, labelled with at most [`MAX_PROPS`] observed propositions.
    ///
    /// `domains` are the values of the program's variables, `line_starts` the offsets at which the source's
    /// lines begin.
    pub(crate) fn new(
        (program, domains): (Arc<FlowGraphs>, &Domains),
        observed: &[Observed],
        options: SystemOptions,
        line_starts: Vec<usize>,
    ) -> Result<Machine, TooManyPropositions> {
        if observed.len() > MAX_PROPS {
            return Err(TooManyPropositions { count: observed.len() });
        }
        let mut layout = Layout::default();
        let mut base = 0;
        let mut processes = Vec::new();
        for graph in &program.graphs {
            processes.push(Control { field: layout.field(graph.locations), base });
            base += graph.nodes.len() as u32;
        }
        let counters = counters(domains);
        let mut slots = variable_slots((domains, &counters), options, &mut layout);
        let (channels, first_buffers) = buffers(&program, domains, options, &mut layout);
        add_counters(&program, (&channels, &first_buffers), &mut slots);
        let has_meetings = program.channels.iter().any(Channel::is_rendezvous);
        let movers = Machine::mover_count(program.graphs.len(), has_meetings);
        let has_last_mover = options.exact || observes_last_mover(observed);
        let last_mover = has_last_mover.then(|| layout.field(movers));
        let live =
            if options.exact { Vec::new() } else { live_variables(&program, &observed_variables(observed)) };
        let mut compiler = Compiler {
            program: &program,
            domains,
            counters: &counters,
            processes: &processes,
            slots: &slots,
            first_buffers: &first_buffers,
            last_mover,
            live: &live,
            faulty_edges: 0,
        };
        let (nodes, edges) = compiler.code();
        let error = layout.field(1 + compiler.faulty_edges * Fault::ALL.len());
        let labels = labels(&program, observed, &processes, &slots);
        let words = layout.words();
        let mut machine = Machine {
            waits: Waits::new(&program),
            meetings: Meetings::new(&program, &first_buffers, &edges),
            line_starts,
            words,
            processes,
            nodes,
            edges,
            slots,
            channels,
            error,
            last_mover,
            initial: Vec::new(),
            live,
            labels,
            pendings: Vec::new(),
            reduction: None,
            program,
        };
        machine.initial = machine.first_state(options);
        let accesses = compute_accesses(&machine);
        machine.pendings = machine.compute_pendings(&accesses);
        machine.reduction = Reduction::new(&machine, &accesses, observed);
        Ok(machine)
    }

    fn first_state(&self, options: SystemOptions) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for (control, graph) in self.processes.iter().zip(&self.program.graphs) {
            control.field.set(&mut state, u64::from(graph.start.0));
        }
        for (variable, slots) in self.program.variables.iter().zip(&self.slots) {
            for (index, slot) in slots.iter().enumerate() {
                slot.store(&mut state, first_value(variable.initial_of(index), options.exact));
            }
        }
        state
    }
}

fn first_value(initial: Cell, exact: bool) -> Cell {
    match initial {
        Cell::Undefined if !exact => Cell::Null,
        initial => initial,
    }
}

/// Are the states the same as the states of a machine that observes nothing?
///
/// Observing the last mover makes it a part of states, and observing a variable that one process alone
/// touches keeps it from being forgotten; no other observation changes the states.
pub(crate) fn has_same_states(program: &FlowGraphs, observed: &[Observed], options: SystemOptions) -> bool {
    let own: Vec<VarId> = live_variables(program, &[]).into_iter().flat_map(|live| live.own).collect();
    let is_forgettable = |var: &VarId| own.contains(var);
    let is_changed = observes_last_mover(observed) || observed_variables(observed).iter().any(is_forgettable);
    options.exact || !is_changed
}

fn observes_last_mover(observed: &[Observed]) -> bool {
    observed.iter().any(|observed| matches!(observed, Observed::Exec(_)))
}

fn observed_variables(observed: &[Observed]) -> Vec<VarId> {
    let mut variables = Vec::new();
    for observed in observed {
        if let Observed::Test(test) = observed {
            visit_variables(test, &mut |var| variables.push(var));
        }
    }
    variables
}

fn variable_slots(
    (domains, counters): (&Domains, &[Option<Interval>]),
    options: SystemOptions,
    layout: &mut Layout,
) -> Vec<Arc<[Slot]>> {
    let program = domains.program();
    let mut all = Vec::new();
    for (number, (variable, domain)) in program.variables.iter().zip(&domains.variables).enumerate() {
        if program.is_message_count(VarId(number as u32)) {
            all.push(Arc::default());
            continue;
        }
        let (coding, count) = counters[number].map_or_else(|| coding(domain, options.exact), counter_coding);
        all.push((0..variable.length.unwrap_or(1)).map(|_| layout.slot(&coding, count)).collect());
    }
    all
}

/// The buffers of all channels, and the first one of each channel.
fn buffers(
    program: &FlowGraphs,
    domains: &Domains,
    options: SystemOptions,
    layout: &mut Layout,
) -> (Vec<Buffer>, Vec<u32>) {
    let (mut all, mut first) = (Vec::new(), Vec::new());
    for (channel, domains) in program.channels.iter().zip(&domains.channels) {
        first.push(all.len() as u32);
        let codings: Vec<_> = domains.iter().map(|domain| coding(domain, options.exact)).collect();
        let Channel { capacity, ref fields, .. } = *channel;
        for _ in 0..channel.length.unwrap_or(1) {
            let length = layout.field(capacity + 1);
            let messages = (0..capacity).flat_map(|_| &codings);
            let slots = messages.map(|(coding, count)| layout.slot(coding, *count)).collect();
            all.push(Buffer { length, capacity, fields: fields.len(), slots });
        }
    }
    (all, first)
}

/// The slots of the variables that count messages are those of the channels.
fn add_counters(program: &FlowGraphs, (buffers, first): (&[Buffer], &[u32]), slots: &mut [Arc<[Slot]>]) {
    for (channel, first) in program.channels.iter().zip(first) {
        let own = &buffers[*first as usize..][..channel.length.unwrap_or(1)];
        slots[channel.count.0 as usize] = own.iter().map(|buffer| Slot::counter(buffer.length)).collect();
    }
}

fn labels(
    program: &FlowGraphs,
    observed: &[Observed],
    processes: &[Control],
    slots: &[Arc<[Slot]>],
) -> Labels {
    let mut labels = Labels::default();
    for (number, observed) in observed.iter().enumerate() {
        let bit = 1 << number;
        match observed {
            Observed::Test(test) => labels.tests.push((bit, Test::new(test, slots))),
            Observed::Enabled(process) => labels.enabled.push((bit, ProcessId(*process))),
            Observed::Deadlock => labels.deadlock |= bit,
            Observed::Ended => labels.ended |= bit,
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
    program: &'a FlowGraphs,
    domains: &'a Domains,
    counters: &'a [Option<Interval>],
    processes: &'a [Control],
    slots: &'a [Arc<[Slot]>],
    /// The first buffer of each channel.
    first_buffers: &'a [u32],
    last_mover: Option<Field>,
    /// Empty in exact mode.
    live: &'a [LiveVariables],
    /// How many edges can lead to an error.
    faulty_edges: usize,
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
                    if let Guard::Otherwise(first) = edge.guard {
                        code.guard = GuardCode::Otherwise(start + first..start + index as u32);
                    }
                    if self.can_fault(process, number, edge) {
                        code.first_error = 1 + (self.faulty_edges * Fault::ALL.len()) as u32;
                        self.faulty_edges += 1;
                    }
                    edges.push(code);
                }
                nodes.push(start..edges.len() as u32);
            }
        }
        (nodes, edges)
    }

    fn edge(&self, process: usize, node: usize, index: usize) -> EdgeCode {
        count_step();
        let graph = &self.program.graphs[process];
        let edges = &graph.nodes[node].edges;
        let edge = &edges[index];
        let sequence = straight_line(graph, edge);
        let (guard, statements) = sequence.clone().unwrap_or((&edge.guard, Vec::new()));
        let guard = match (guard, edges.get(index + 1).map(|partner| &partner.guard)) {
            (Guard::Always, _) => GuardCode::Always,
            (Guard::Timeout, _) => GuardCode::Timeout,
            (Guard::Holds(test), Some(Guard::Fails(other))) if test == other && edge.guard == *guard => {
                GuardCode::Branch(Test::new(test, self.slots))
            }
            (Guard::Holds(test), _) => GuardCode::Holds(Test::new(test, self.slots)),
            (Guard::Fails(test), _) => GuardCode::Fails(Test::new(test, self.slots)),
            (Guard::Otherwise(_), _) => GuardCode::Otherwise(0..0),
        };
        let effect = self.effect(&edge.effect);
        let (effects, mut constants) = self.split_constant_writes(&statements);
        if node < graph.locations && edge.target.0 < graph.locations as u32 {
            constants.push((self.processes[process].field, u64::from(edge.target.0)));
        }
        constants.extend(self.resets(process, node, edge));
        constants.extend(self.last_mover.map(|last| (last, process as u64 + 1)));
        let writes = Writes::new(constants);
        EdgeCode {
            process: process as u32,
            target: edge.target.0,
            guard,
            effect,
            is_sequence: sequence.is_some(),
            effects,
            writes,
            first_error: 0,
        }
    }

    /// The variables that die on this edge, each with its initial value. A variable that was dead has it
    /// already.
    fn resets(&self, process: usize, node: usize, edge: &Edge) -> Vec<(Field, Word)> {
        let Some(live) = self.live.get(process) else { return Vec::new() };
        let target = edge.target.0 as usize;
        let atomic = matches!(edge.effect, Effect::Atomic(..));
        let mut resets = Vec::new();
        for (index, var) in live.own.iter().enumerate() {
            let mut assigned = false;
            visit_whole(&edge.effect, &mut |to| assigned |= to == *var);
            let touched = assigned || atomic || live.is_live(node, index);
            if touched && !live.is_live(target, index) {
                let first = first_value(self.program.variables[var.0 as usize].initial, false);
                resets.extend(self.slots[var.0 as usize][0].fields(first));
            }
        }
        resets
    }

    pub(super) fn effect(&self, effect: &Effect) -> EffectCode {
        match effect {
            Effect::Nothing | Effect::Print(_) => EffectCode::Nothing,
            Effect::Assign(lvalue, value) => {
                assignment(Target::new(lvalue, self.slots), Number::new(value, self.slots))
            }
            Effect::AssignAll(parts) => {
                let part = |(lvalue, value): &(Lvalue, Term)| {
                    (Target::new(lvalue, self.slots), Number::new(value, self.slots))
                };
                EffectCode::AssignAll(parts.iter().map(part).collect())
            }
            Effect::Assert(test) => EffectCode::Assert(Test::new(test, self.slots)),
            Effect::Send(place, values) => {
                let values = values.iter().map(|value| Number::new(value, self.slots)).collect();
                let (place, is_rendezvous) = self.place(place);
                if is_rendezvous { EffectCode::Offer(place, values) } else { EffectCode::Send(place, values) }
            }
            Effect::Receive(place, patterns) => {
                let fields = patterns.iter().map(|pattern| FieldCode::new(pattern, self.slots)).collect();
                let (place, is_rendezvous) = self.place(place);
                let code = if is_rendezvous { EffectCode::Accept } else { EffectCode::Receive };
                code(place, fields)
            }
            Effect::Atomic(start, end) => EffectCode::Atomic(*start, *end),
        }
    }

    /// A channel, and whether it has no room.
    fn place(&self, place: &ChannelPlace) -> (ChannelCode, bool) {
        let number = place.channel.0 as usize;
        let channel = &self.program.channels[number];
        (ChannelCode::new(place, channel, self.first_buffers[number], self.slots), channel.is_rendezvous())
    }

    /// Can the step lead to an error? At a node that the process never reaches it cannot.
    fn can_fault(&self, process: usize, node: usize, edge: &Edge) -> bool {
        let Some(view) = self.domains.view(process, node) else { return false };
        guard_can_fault(view, &edge.guard)
            || match &edge.effect {
                Effect::Nothing | Effect::Print(_) => false,
                Effect::Assign(target, value) => self.assignment_can_fault(view, target, value),
                Effect::AssignAll(parts) => {
                    parts.iter().any(|(target, value)| self.assignment_can_fault(view, target, value))
                }
                Effect::Assert(_) => true,
                Effect::Send(place, values) => {
                    view.place_can_fault(place) || values.iter().any(|value| view.can_fault(value))
                }
                Effect::Receive(place, patterns) => {
                    view.place_can_fault(place) || patterns.iter().any(|field| view.pattern_can_fault(field))
                }
                Effect::Atomic(start, _) => self.atomic_can_fault(process, *start),
            }
    }

    /// Can the assignment lead to an error? A counter does not overflow.
    fn assignment_can_fault(&self, view: View<'_>, target: &Lvalue, value: &Term) -> bool {
        let is_counter = self.counters[target.variable().0 as usize].is_some();
        let is_counted = is_counter && increment(target, value).is_some();
        view.lvalue_can_fault(target) || !is_counted && view.can_fault(value)
    }

    /// Can a statement inside fault, or a loop inside run for ever?
    fn atomic_can_fault(&self, process: usize, start: NodeId) -> bool {
        let graph = &self.program.graphs[process];
        let steps = atomic_edges(graph, start);
        let can_fault = |(node, index): &(usize, usize)| {
            self.can_fault(process, *node, &graph.nodes[*node].edges[*index])
        };
        steps.can_be_endless(graph) || steps.edges.iter().any(can_fault)
    }
}

/// An assignment in its fastest form.
fn assignment(target: Target, value: Number) -> EffectCode {
    if let (Target::Slot(slot), Number::Const(value)) = (&target, &value)
        && let Some(bits) = slot.code(value.map_or(Cell::Null, Cell::Int))
    {
        return EffectCode::Set(slot.field, bits);
    }
    if let (Target::Slot(slot), Number::Binary(operator, sides)) = (&target, &value)
        && let (Number::Load(from), Number::Const(Some(by))) = &**sides
        && let (Coding::Interval(first), true) = (&slot.coding, from.field == slot.field && !slot.field.is_empty())
        && let Some(delta) = difference(*operator, *by)
        // An interval has few values, so that no sum overflows unless the interval begins near the ends of
        // `i64`.
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
        // A fault in the guard of another step is that step's.
        Guard::Always | Guard::Otherwise(_) | Guard::Timeout => false,
        Guard::Holds(test) | Guard::Fails(test) => view.can_fault(test),
    }
}
