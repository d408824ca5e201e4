//! What a step reads and writes, and what must be written before a disabled step is enabled.
//!
//! A *resource* is a variable, an element of an array, or one end of a channel. Two steps of different
//! processes commute if neither writes a resource that the other touches. An element whose index is computed
//! may be any element; an array longer than [`MAX_DISTINGUISHED`] is one resource. The two ends of a channel
//! are two resources: an enabled send and an enabled receive commute, since they are at different ends of
//! the queue, so that a send writes the one end and a receive the other. A blocked send is enabled by a step
//! that writes the other end; a blocked receive that matches some messages alone also by one that writes its
//! own end. Inside of `atomic` every use of a channel writes both ends. `len(c)` reads both.
//!
//! A process that meets others over a channel without room has its control as a resource: a meeting, or the
//! wait for one, writes the control of all processes that use the channel.
//!
//! Only *shared* resources matter: resources that several processes touch and at least one of them writes.
//! They are numbered as the bits of a word; if there are more of them than bits, several share a bit, which
//! makes more steps dependent and never fewer.
//!
//! Promise: two steps that do not conflict by these sets commute, and neither enables or disables the other.

use super::channel::{ChannelCode, FieldCode};
use super::code::{Number, Target, Test};
use super::layout::Field;
use super::users::Users;
use super::{EdgeCode, EffectCode, GuardCode, Machine};
use crate::flow_graph::NodeId;
use crate::work::count_step;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// The elements of an array of at most this length are resources of their own.
const MAX_DISTINGUISHED: usize = 64;

/// A set of shared resources.
pub(super) type Mask = u64;

/// What a step touches: a list of resources, or a mask of the shared ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepAccess<Set> {
    pub(super) reads: Set,
    pub(super) writes: Set,
    /// If the step is disabled, only a write to one of these enables it.
    pub(super) enablers: Set,
}

/// Resources by number, perhaps several times.
type List = Vec<u32>;

/// The accesses of each step. A step inside of an `atomic` has none of its own.
pub(super) struct AccessTable {
    /// By edge, the accesses to shared resources.
    pub(super) shared: Vec<StepAccess<Mask>>,
    /// By edge, whether it writes a variable that the test of a proposition reads.
    pub(super) writes_observed: Vec<bool>,
    /// By edge, the resources that decide whether it is enabled.
    pub(super) deciders: Vec<Mask>,
    /// By process, its control; none if it meets no other process.
    pub(super) control: Vec<Mask>,
}

/// Computes the accesses of every step of the machine.
pub(super) fn compute_accesses(machine: &Machine) -> AccessTable {
    let resources = Resources::new(machine);
    let mut lists: Vec<StepAccess<List>> = Vec::with_capacity(machine.edges.len());
    lists.resize_with(machine.edges.len(), StepAccess::default);
    for (control, graph) in machine.processes.iter().zip(&machine.program.graphs) {
        let locations = control.base as usize..control.base as usize + graph.locations;
        for edge in machine.nodes[locations].iter().flat_map(Range::clone) {
            lists[edge as usize] = resources.step(edge);
        }
    }
    let mut observed = vec![false; resources.count as usize];
    for (_, test) in &machine.labels.tests {
        let mut reads = List::new();
        resources.test(test, &mut reads);
        reads.into_iter().for_each(|resource| observed[resource as usize] = true);
    }
    let bits = shared_bits(machine, &lists, resources.count as usize);
    let mask = |list: &List| list.iter().fold(0, |mask, resource| mask | bits[*resource as usize]);
    let decide = |(list, code): (&StepAccess<List>, &EdgeCode)| {
        let mut own = List::new();
        match &code.effect {
            EffectCode::Send(place, _) => resources.ends(place, Resources::send_end, &mut own),
            EffectCode::Receive(place, _) => resources.ends(place, Resources::receive_end, &mut own),
            _ => {}
        }
        mask(&list.enablers) | mask(&own)
    };
    let control = |process: usize| resources.control(process as u32).map_or(0, |own| bits[own as usize]);
    AccessTable {
        control: (0..machine.processes.len()).map(control).collect(),
        deciders: lists.iter().zip(&machine.edges).map(decide).collect(),
        writes_observed: lists
            .iter()
            .map(|list| list.writes.iter().any(|resource| observed[*resource as usize]))
            .collect(),
        shared: lists
            .iter()
            .map(|list| StepAccess {
                reads: mask(&list.reads),
                writes: mask(&list.writes),
                enablers: mask(&list.enablers),
            })
            .collect(),
    }
}

/// For each resource its bit; none if it is not shared.
fn shared_bits(machine: &Machine, lists: &[StepAccess<List>], count: usize) -> Vec<Mask> {
    let mut users = vec![Users::None; count];
    let mut is_written = vec![false; count];
    for (edge, list) in machine.edges.iter().zip(lists) {
        for resource in list.reads.iter().chain(&list.writes).chain(&list.enablers) {
            users[*resource as usize].add(edge.process);
        }
        list.writes.iter().for_each(|resource| is_written[*resource as usize] = true);
    }
    let mut next = 0;
    let bit = |(users, is_written): (Users, bool)| {
        if users != Users::Several || !is_written {
            return 0;
        }
        next += 1;
        1 << ((next - 1) % Mask::BITS)
    };
    users.into_iter().zip(is_written).map(bit).collect()
}

impl Machine {
    /// Can all steps of a node be disabled? A step that leads back to its node does not count.
    pub(super) fn can_block(&self, node: NodeId, edges: Range<u32>) -> bool {
        let can_wait = |edge: u32| {
            let code = &self.edges[edge as usize];
            match code.effect {
                EffectCode::Send(..)
                | EffectCode::Receive(..)
                | EffectCode::Offer(..)
                | EffectCode::Accept(..) => true,
                EffectCode::Atomic(..) => !code.is_sequence,
                _ => false,
            }
        };
        let is_always_enabled = |edge: u32| {
            let code = &self.edges[edge as usize];
            match code.guard {
                GuardCode::Always => !can_wait(edge) && code.target != node.0,
                GuardCode::Branch(_) => !can_wait(edge) && !can_wait(edge + 1),
                // One of the edges before it can be taken, or else this one.
                GuardCode::Otherwise(_) => code.target != node.0,
                GuardCode::Holds(_) | GuardCode::Fails(_) | GuardCode::Timeout => false,
            }
        };
        !edges.into_iter().any(is_always_enabled)
    }
}

/// The numbers of the resources.
struct Resources<'m> {
    machine: &'m Machine,
    fields: FxHashMap<(u32, u8), u32>,
    /// By buffer, the number of its end for sends; the other end follows.
    ends: Vec<u32>,
    /// The buffers of the fields that hold numbers of messages.
    lengths: FxHashMap<(u32, u8), u32>,
    /// The controls of processes that meet others.
    controls: FxHashMap<u32, u32>,
    count: u32,
}

impl<'m> Resources<'m> {
    fn new(machine: &'m Machine) -> Resources<'m> {
        let mut fields = FxHashMap::default();
        let mut count = 0;
        for slots in &machine.slots {
            for (index, slot) in slots.iter().enumerate() {
                if index == 0 || slots.len() <= MAX_DISTINGUISHED {
                    count += 1;
                }
                // A field without bits never changes.
                if let Some(key) = slot.field.key() {
                    fields.insert(key, count - 1);
                }
            }
        }
        let mut ends = Vec::with_capacity(machine.channels.len());
        for channel in &machine.program.channels {
            let length = channel.length.unwrap_or(1);
            for index in 0..length {
                if index == 0 || length <= MAX_DISTINGUISHED {
                    count += 2;
                }
                ends.push(count - 2);
            }
        }
        let lengths = (0..).zip(&machine.channels);
        let lengths = lengths.filter_map(|(number, buffer)| Some((buffer.length.key()?, number))).collect();
        let meeting: BTreeSet<u32> =
            machine.meetings.all().map(|edge| machine.edges[edge as usize].process).collect();
        // Many processes have one resource.
        let is_distinguished = meeting.len() <= MAX_DISTINGUISHED;
        let number = |index: usize| count + if is_distinguished { index as u32 } else { 0 };
        let controls: FxHashMap<u32, u32> =
            meeting.iter().enumerate().map(|(index, process)| (*process, number(index))).collect();
        let count = count + controls.len() as u32;
        Resources { machine, fields, ends, lengths, controls, count }
    }

    fn send_end(&self, buffer: u32) -> u32 {
        self.ends[buffer as usize]
    }

    fn receive_end(&self, buffer: u32) -> u32 {
        self.ends[buffer as usize] + 1
    }

    /// One end of each channel that a place can be.
    fn ends(&self, place: &ChannelCode, end: fn(&Self, u32) -> u32, out: &mut List) {
        let start = out.len();
        out.extend(place.buffers().map(|buffer| end(self, buffer)));
        out[start..].sort_unstable();
        let mut at = start;
        while at + 1 < out.len() {
            if out[at] == out[at + 1] {
                out.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// The control of a process, if it meets others.
    fn control(&self, process: u32) -> Option<u32> {
        self.controls.get(&process).copied()
    }

    /// What a step touches, enabled or not.
    fn step(&self, edge: u32) -> StepAccess<List> {
        count_step();
        let code = &self.machine.edges[edge as usize];
        let mut access = StepAccess::default();
        self.guard(&code.guard, &mut access.reads);
        access.enablers.clone_from(&access.reads);
        match &code.effect {
            EffectCode::Send(place, values) => {
                self.place(place, &mut access);
                self.ends(place, Resources::send_end, &mut access.writes);
                self.ends(place, Resources::receive_end, &mut access.enablers);
                values.iter().for_each(|value| self.number(value, &mut access.reads));
            }
            EffectCode::Receive(place, fields) => {
                self.place(place, &mut access);
                self.fields(fields, &mut access);
                self.ends(place, Resources::receive_end, &mut access.writes);
                self.ends(place, Resources::send_end, &mut access.enablers);
                if fields.iter().any(|field| matches!(field, FieldCode::Match(_))) {
                    // Another receive brings another message to the front.
                    self.ends(place, Resources::receive_end, &mut access.enablers);
                }
            }
            EffectCode::Offer(place, values) => {
                self.place(place, &mut access);
                values.iter().for_each(|value| self.number(value, &mut access.reads));
                self.meeting(edge, &mut access);
            }
            EffectCode::Accept(place, fields) => {
                self.place(place, &mut access);
                self.fields(fields, &mut access);
                self.meeting(edge, &mut access);
            }
            EffectCode::Atomic(start, end) => {
                self.atomic(code.process, (*start, *end), &mut access);
            }
            _ => self.plain(code, &mut access),
        }
        access
    }

    /// What is touched on any path through an `atomic`. If only its first statement can block, as in `atomic
    /// await ..`, it is enabled by what enables that one; otherwise by all that it touches.
    fn atomic(&self, process: u32, (start, end): (NodeId, NodeId), access: &mut StepAccess<List>) {
        let base = self.machine.processes[process as usize].base;
        let edges = |node: NodeId| self.machine.nodes[(base + node.0) as usize].clone();
        let mut seen = FxHashSet::from_iter([end, start]);
        let mut todo = vec![start];
        let mut can_block_inside = false;
        while let Some(node) = todo.pop() {
            can_block_inside |= node != start && self.machine.can_block(node, edges(node));
            for edge in edges(node) {
                count_step();
                let code = &self.machine.edges[edge as usize];
                self.inner_step(code, access);
                if seen.insert(NodeId(code.target)) {
                    todo.push(NodeId(code.target));
                }
            }
            if node == start {
                access.enablers.extend(&access.reads);
                access.enablers.extend(&access.writes);
            }
        }
        if can_block_inside {
            access.enablers.extend(&access.reads);
            access.enablers.extend(&access.writes);
        }
    }

    /// A step inside of `atomic`.
    fn inner_step(&self, code: &EdgeCode, access: &mut StepAccess<List>) {
        self.guard(&code.guard, &mut access.reads);
        if let EffectCode::Send(place, _) | EffectCode::Receive(place, _) = &code.effect {
            self.place(place, access);
            self.ends(place, Resources::send_end, &mut access.writes);
            self.ends(place, Resources::receive_end, &mut access.writes);
        }
        match &code.effect {
            EffectCode::Send(_, values) => {
                values.iter().for_each(|value| self.number(value, &mut access.reads));
            }
            EffectCode::Receive(_, fields) => self.fields(fields, access),
            _ => self.plain(code, access),
        }
    }

    /// What a meeting touches, or the wait for it, besides what its edge reads and writes.
    fn meeting(&self, edge: u32, access: &mut StepAccess<List>) {
        let users = self.machine.meetings.with_same_channel(edge);
        let users: BTreeSet<u32> = users.map(|user| self.machine.edges[user as usize].process).collect();
        let controls: BTreeSet<u32> = users.into_iter().filter_map(|user| self.control(user)).collect();
        access.writes.extend(&controls);
        access.enablers.extend(&access.reads);
        access.enablers.extend(&controls);
    }

    /// What decides which channel of an array is used.
    fn place(&self, place: &ChannelCode, access: &mut StepAccess<List>) {
        if let ChannelCode::Element { index, .. } = place {
            self.number(index, &mut access.reads);
            self.number(index, &mut access.enablers);
        }
    }

    /// What a receive assigns.
    fn fields(&self, fields: &[FieldCode], access: &mut StepAccess<List>) {
        for field in fields {
            if let FieldCode::Store(target) = field {
                self.target(target, access);
            }
        }
    }

    /// What an effect touches that uses no channel.
    fn plain(&self, code: &EdgeCode, access: &mut StepAccess<List>) {
        match &code.effect {
            EffectCode::Set(field, _) => self.field(*field, &mut access.writes),
            EffectCode::Add(field, _) => {
                self.field(*field, &mut access.reads);
                self.field(*field, &mut access.writes);
            }
            EffectCode::Assign(target, value) => {
                self.target(target, access);
                self.number(value, &mut access.reads);
            }
            EffectCode::AssignAll(parts) => {
                for (target, value) in parts {
                    self.target(target, access);
                    self.number(value, &mut access.reads);
                }
            }
            EffectCode::Assert(test) => self.test(test, &mut access.reads),
            EffectCode::Nothing
            | EffectCode::Send(..)
            | EffectCode::Receive(..)
            | EffectCode::Offer(..)
            | EffectCode::Accept(..)
            | EffectCode::Atomic(..) => {}
        }
    }

    fn guard(&self, guard: &GuardCode, out: &mut List) {
        match guard {
            GuardCode::Always | GuardCode::Timeout => {}
            GuardCode::Holds(test) | GuardCode::Fails(test) | GuardCode::Branch(test) => self.test(test, out),
            GuardCode::Otherwise(others) => {
                for edge in others.clone() {
                    self.deciders(&self.machine.edges[edge as usize], out);
                }
            }
        }
    }

    /// All that decides whether a step can be taken: a step that is taken only where this one cannot be
    /// reads it, so that it commutes with no step that writes it.
    fn deciders(&self, code: &EdgeCode, out: &mut List) {
        self.guard(&code.guard, out);
        match &code.effect {
            EffectCode::Send(place, _) | EffectCode::Receive(place, _) => {
                let mut access = StepAccess::default();
                self.place(place, &mut access);
                out.extend(access.reads);
                self.ends(place, Resources::send_end, out);
                self.ends(place, Resources::receive_end, out);
            }
            EffectCode::Atomic(start, end) => {
                let mut access = StepAccess::default();
                self.atomic(code.process, (*start, *end), &mut access);
                out.extend(access.reads);
                out.extend(access.writes);
            }
            _ => {}
        }
    }

    fn target(&self, target: &Target, access: &mut StepAccess<List>) {
        match target {
            Target::Slot(slot) => self.field(slot.field, &mut access.writes),
            Target::Element(slots, index) => {
                let constant = match index {
                    Number::Const(Some(index)) => usize::try_from(*index).ok(),
                    _ => None,
                };
                match constant.and_then(|index| slots.get(index)) {
                    Some(slot) => self.field(slot.field, &mut access.writes),
                    None => self.any_of(slots, &mut access.writes),
                }
                self.number(index, &mut access.reads);
            }
        }
    }

    fn number(&self, number: &Number, out: &mut List) {
        match number {
            Number::Const(_) => {}
            Number::Load(slot) => self.field(slot.field, out),
            Number::Element(slots, index) => {
                self.any_of(slots, out);
                self.number(index, out);
            }
            Number::Negative(inner) => self.number(inner, out),
            Number::Test(test) => self.test(test, out),
            Number::Binary(_, sides) => {
                self.number(&sides.0, out);
                self.number(&sides.1, out);
            }
        }
    }

    fn test(&self, test: &Test, out: &mut List) {
        match test {
            Test::Const(_) => {}
            Test::Bits(field, _) => self.field(*field, out),
            Test::Compare(_, sides) => {
                self.number(&sides.0, out);
                self.number(&sides.1, out);
            }
            Test::Not(inner) => self.test(inner, out),
            Test::And(sides) | Test::Or(sides) => {
                self.test(&sides.0, out);
                self.test(&sides.1, out);
            }
        }
    }

    fn any_of(&self, slots: &[super::layout::Slot], out: &mut List) {
        if slots.len() <= MAX_DISTINGUISHED {
            slots.iter().for_each(|slot| self.field(slot.field, out));
        } else if let Some(first) = slots.first() {
            self.field(first.field, out);
        }
    }

    fn field(&self, field: Field, out: &mut List) {
        let Some(key) = field.key() else { return };
        match self.lengths.get(&key) {
            Some(buffer) => out.extend([self.send_end(*buffer), self.receive_end(*buffer)]),
            None => out.push(self.fields[&key]),
        }
    }
}
