//! What a step touches, and what others must do before it can be taken.
//!
//! A *resource* is a variable, an element of an array, or one end of a channel. Two steps of different processes that touch no
//! resource in common, but for both reading it, commute. An element whose index is computed may be any; arrays longer than
//! [`MAX_TOLD_APART`] are one resource. The two ends of a channel are resources of their own: a send that can be taken and a
//! receive that can be taken commute, since they are at different ends of the queue, so that a send writes the one end and a receive
//! the other. A send that has to wait is woken by whoever writes the other end. Inside of `atomic` every use of a channel is one of both
//! ends.
//!
//! Only *shared* resources matter: those that several processes touch and one of them writes. They are numbered as the bits of a word;
//! where there are more of them than bits, several share a bit, which makes more steps depend on each other and never fewer.
//!
//! Promise: where two steps have no conflict by these sets, they commute, and neither makes the other possible or impossible.

use super::code::{Number, Target, Test};
use super::layout::Field;
use super::{EdgeCode, EffectCode, GuardCode, Machine};
use crate::flow::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The elements of an array of at most this length are told apart.
const MAX_TOLD_APART: usize = 64;

/// A set of shared resources.
pub(super) type Mask = u64;

/// What a step touches, by resource, or, of the shared resources alone, by mask.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access<Set> {
    pub(super) reads: Set,
    pub(super) writes: Set,
    /// If the step cannot be taken, nothing but a write to one of these makes it possible.
    pub(super) wakers: Set,
}

/// Resources by number, as many times as they are met.
type List = Vec<u32>;

/// The accesses of each step, other than those inside of `atomic`, to shared resources; and to observed variables.
pub(super) struct Accesses {
    /// By edge; steps inside of `atomic` have none of their own.
    pub(super) shared: Vec<Access<Mask>>,
    /// Does the step write to a variable that a label's test reads?
    pub(super) writes_observed: Vec<bool>,
    /// By edge, what decides whether it can be taken.
    pub(super) deciders: Vec<Mask>,
}

/// Looks at every step of the machine.
pub(super) fn accesses(machine: &Machine) -> Accesses {
    let resources = Resources::new(machine);
    let mut lists: Vec<Access<List>> = Vec::with_capacity(machine.edges.len());
    lists.resize_with(machine.edges.len(), Access::default);
    for (control, graph) in machine.processes.iter().zip(&machine.program.graphs) {
        let places = control.base as usize..control.base as usize + graph.places;
        for edge in machine.nodes[places].iter().flat_map(Range::clone) {
            lists[edge as usize] = resources.step(&machine.edges[edge as usize]);
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
    let decide = |(list, code): (&Access<List>, &EdgeCode)| {
        let own = match code.effect {
            EffectCode::Send(channel, _) => bits[resources.send_end(channel) as usize],
            EffectCode::Receive(channel, _) => bits[resources.receive_end(channel) as usize],
            _ => 0,
        };
        mask(&list.wakers) | own
    };
    Accesses {
        deciders: lists.iter().zip(&machine.edges).map(decide).collect(),
        writes_observed: lists
            .iter()
            .map(|list| list.writes.iter().any(|resource| observed[*resource as usize]))
            .collect(),
        shared: lists
            .iter()
            .map(|list| Access {
                reads: mask(&list.reads),
                writes: mask(&list.writes),
                wakers: mask(&list.wakers),
            })
            .collect(),
    }
}

/// For each resource its bit; none if it is not shared.
fn shared_bits(machine: &Machine, lists: &[Access<List>], count: usize) -> Vec<Mask> {
    const NOBODY: u32 = u32::MAX;
    const SEVERAL: u32 = u32::MAX - 1;
    let mut users = vec![NOBODY; count];
    let mut is_written = vec![false; count];
    for (edge, list) in machine.edges.iter().zip(lists) {
        for resource in list.reads.iter().chain(&list.writes).chain(&list.wakers) {
            let user = &mut users[*resource as usize];
            *user = if *user == NOBODY || *user == edge.process { edge.process } else { SEVERAL };
        }
        list.writes.iter().for_each(|resource| is_written[*resource as usize] = true);
    }
    let mut next = 0;
    let bit = |(user, is_written): (u32, bool)| {
        if user != SEVERAL || !is_written {
            return 0;
        }
        next += 1;
        1 << ((next - 1) % Mask::BITS)
    };
    users.into_iter().zip(is_written).map(bit).collect()
}

impl Machine {
    /// Can it be that none of a node's steps can be taken? One that goes on where it is does not count.
    pub(super) fn can_block(&self, node: NodeId, edges: Range<u32>) -> bool {
        let waits = |edge: u32| {
            let code = &self.edges[edge as usize];
            match code.effect {
                EffectCode::Send(..) | EffectCode::Receive(..) => true,
                EffectCode::Atomic(..) => !code.is_sequence,
                _ => false,
            }
        };
        let goes = |edge: u32| {
            let code = &self.edges[edge as usize];
            match code.guard {
                GuardCode::Always => !waits(edge) && code.target != node.0,
                GuardCode::Branch(_) => !waits(edge) && !waits(edge + 1),
                GuardCode::Holds(_) | GuardCode::Fails(_) => false,
            }
        };
        !edges.into_iter().any(goes)
    }
}

/// Numbers for resources.
struct Resources<'m> {
    machine: &'m Machine,
    fields: FxHashMap<(u32, u8), u32>,
    /// Of the first channel's ends; the others follow.
    first_end: u32,
    count: u32,
}

impl<'m> Resources<'m> {
    fn new(machine: &'m Machine) -> Resources<'m> {
        let mut fields = FxHashMap::default();
        let mut count = 0;
        for slots in &machine.slots {
            for (index, slot) in slots.iter().enumerate() {
                if index == 0 || slots.len() <= MAX_TOLD_APART {
                    count += 1;
                }
                // What has no bits never changes.
                if let Some(key) = slot.field.key() {
                    fields.insert(key, count - 1);
                }
            }
        }
        let ends = 2 * machine.channels.len() as u32;
        Resources { machine, fields, first_end: count, count: count + ends }
    }

    fn send_end(&self, channel: u32) -> u32 {
        self.first_end + 2 * channel
    }

    fn receive_end(&self, channel: u32) -> u32 {
        self.first_end + 2 * channel + 1
    }

    /// What taking a step, or finding out that it cannot be taken, touches.
    fn step(&self, code: &EdgeCode) -> Access<List> {
        let mut access = Access::default();
        self.guard(&code.guard, &mut access.reads);
        access.wakers.clone_from(&access.reads);
        match &code.effect {
            EffectCode::Send(channel, value) => {
                self.number(value, &mut access.reads);
                access.writes.push(self.send_end(*channel));
                access.wakers.push(self.receive_end(*channel));
            }
            EffectCode::Receive(channel, target) => {
                self.target(target, &mut access);
                access.writes.push(self.receive_end(*channel));
                access.wakers.push(self.send_end(*channel));
            }
            EffectCode::Atomic(start, end) => {
                self.atomic(code.process, (*start, *end), &mut access);
            }
            _ => self.plain(code, &mut access),
        }
        access
    }

    /// What is touched on any way through an `atomic`. If it can block at its first statement only, as in `atomic await ..`, it
    /// waits for what that one waits for; otherwise for all that it touches.
    fn atomic(&self, process: u32, (start, end): (NodeId, NodeId), access: &mut Access<List>) {
        let base = self.machine.processes[process as usize].base;
        let edges = |node: NodeId| self.machine.nodes[(base + node.0) as usize].clone();
        let mut seen = FxHashSet::from_iter([end, start]);
        let mut todo = vec![start];
        let mut blocks_inside = false;
        while let Some(node) = todo.pop() {
            blocks_inside |= node != start && self.machine.can_block(node, edges(node));
            for edge in edges(node) {
                let code = &self.machine.edges[edge as usize];
                self.part(code, access);
                if seen.insert(NodeId(code.target)) {
                    todo.push(NodeId(code.target));
                }
            }
            if node == start {
                access.wakers.extend(&access.reads);
                access.wakers.extend(&access.writes);
            }
        }
        if blocks_inside {
            access.wakers.extend(&access.reads);
            access.wakers.extend(&access.writes);
        }
    }

    /// A step inside of `atomic`.
    fn part(&self, code: &EdgeCode, access: &mut Access<List>) {
        self.guard(&code.guard, &mut access.reads);
        if let EffectCode::Send(channel, _) | EffectCode::Receive(channel, _) = code.effect {
            access.writes.extend([self.send_end(channel), self.receive_end(channel)]);
        }
        match &code.effect {
            EffectCode::Send(_, value) => self.number(value, &mut access.reads),
            EffectCode::Receive(_, target) => self.target(target, access),
            _ => self.plain(code, access),
        }
    }

    /// What an effect other than that on a channel touches.
    fn plain(&self, code: &EdgeCode, access: &mut Access<List>) {
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
            EffectCode::Assert(test) => self.test(test, &mut access.reads),
            EffectCode::Nothing | EffectCode::Send(..) | EffectCode::Receive(..) | EffectCode::Atomic(..) => {
            }
        }
    }

    fn guard(&self, guard: &GuardCode, out: &mut List) {
        match guard {
            GuardCode::Always => {}
            GuardCode::Holds(test) | GuardCode::Fails(test) | GuardCode::Branch(test) => self.test(test, out),
        }
    }

    fn target(&self, target: &Target, access: &mut Access<List>) {
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
        if slots.len() <= MAX_TOLD_APART {
            slots.iter().for_each(|slot| self.field(slot.field, out));
        } else if let Some(first) = slots.first() {
            self.field(first.field, out);
        }
    }

    fn field(&self, field: Field, out: &mut List) {
        if let Some(key) = field.key() {
            out.push(self.fields[&key]);
        }
    }
}
