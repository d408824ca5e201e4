//! What each step reads and writes of what processes share, one bit for a variable, an element or a channel.
//!
//! Only what more than one process touches has a bit; where there are more than 64 of these, several share one. An element
//! with a computed index is every element. A step reads whatever decides which steps its process can take at its node:
//! the guards of all of them, and the channels that they wait for. A step that can end in an error ends the whole run, so it clashes with
//! everything; so does every step where states know who moved last.
//!
//! Promise: two steps of different processes whose footprints do not clash can be swapped, and neither changes what the
//! other's process can do (tested on generated programs and all models).

use super::code::{Number, Slots};
use super::{EdgeCode, Machine};
use crate::flow::{Edge, Effect, FlowGraph, FlowProgram, Guard, NodeId, Place, Term};
use selvedge_explore::event::Footprint;
use std::collections::BTreeMap;

/// It clashes with everything.
const ALL: Footprint = Footprint { reads: !0, writes: !0 };

/// Something that processes may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    /// A variable and the number of the element; 0 if it is no array.
    Variable(u32, usize),
    Channel(u32),
}

/// What a step touches.
#[derive(Clone, Debug, Default)]
struct Touched {
    reads: Vec<Resource>,
    writes: Vec<Resource>,
}

impl Machine {
    /// The footprints of all edges, in their order.
    pub(super) fn footprints(&self) -> Vec<Footprint> {
        let touched = touched(&self.program, &self.slots);
        let bits = bits(&self.edges, &touched);
        let mask = |resources: &[Resource]| {
            resources.iter().fold(0, |mask, resource| mask | bits.get(resource).copied().unwrap_or(0))
        };
        let footprint = |(code, touched): (&EdgeCode, &Touched)| match self.last.is_some() || code.faults > 0
        {
            true => ALL,
            false => Footprint { reads: mask(&touched.reads), writes: mask(&touched.writes) },
        };
        self.edges.iter().zip(&touched).map(footprint).collect()
    }
}

/// A bit for each resource that several processes touch.
fn bits(edges: &[EdgeCode], touched: &[Touched]) -> BTreeMap<Resource, u64> {
    let mut users: BTreeMap<Resource, (u32, bool)> = BTreeMap::new();
    for (code, touched) in edges.iter().zip(touched) {
        for resource in touched.reads.iter().chain(&touched.writes) {
            let (first, shared) = users.entry(*resource).or_insert((code.process, false));
            *shared |= *first != code.process;
        }
    }
    let shared = users.into_iter().filter(|(_, (_, shared))| *shared);
    shared.enumerate().map(|(number, (resource, _))| (resource, 1 << (number % 64))).collect()
}

fn touched(program: &FlowProgram, slots: &Slots) -> Vec<Touched> {
    let mut all = Vec::new();
    for graph in &program.graphs {
        for node in &graph.nodes {
            let mut decisive = Touched::default();
            for edge in &node.edges {
                decisive.decide(edge, graph, slots);
            }
            for edge in &node.edges {
                let mut touched = decisive.clone();
                touched.effect(&edge.effect, graph, slots);
                all.push(touched);
            }
        }
    }
    all
}

impl Touched {
    /// What decides whether the edge can be taken.
    fn decide(&mut self, edge: &Edge, graph: &FlowGraph, slots: &Slots) {
        self.guard(&edge.guard, slots);
        match &edge.effect {
            Effect::Send(channel, _) | Effect::Receive(channel, _) => {
                self.reads.push(Resource::Channel(channel.0));
            }
            // Whether there is a way through depends on all that is read inside.
            Effect::Atomic(..) => {
                let mut inside = Touched::default();
                inside.effect(&edge.effect, graph, slots);
                self.reads.extend(inside.reads);
            }
            Effect::Nothing | Effect::Assign(..) | Effect::Print(_) | Effect::Assert(_) => {}
        }
    }

    fn guard(&mut self, guard: &Guard, slots: &Slots) {
        match guard {
            Guard::Always => {}
            Guard::Holds(test) | Guard::Fails(test) => read(test, slots, &mut self.reads),
        }
    }

    fn effect(&mut self, effect: &Effect, graph: &FlowGraph, slots: &Slots) {
        match effect {
            Effect::Nothing => {}
            Effect::Assign(place, value) => {
                read(value, slots, &mut self.reads);
                self.write(place, slots);
            }
            Effect::Print(terms) => terms.iter().for_each(|term| read(term, slots, &mut self.reads)),
            Effect::Assert(test) => read(test, slots, &mut self.reads),
            Effect::Send(channel, value) => {
                read(value, slots, &mut self.reads);
                self.change(Resource::Channel(channel.0));
            }
            Effect::Receive(channel, place) => {
                self.change(Resource::Channel(channel.0));
                self.write(place, slots);
            }
            Effect::Atomic(start, end) => self.inside(graph, (*start, *end), slots),
        }
    }

    /// All that is met on the ways from one node to another.
    fn inside(&mut self, graph: &FlowGraph, (start, end): (NodeId, NodeId), slots: &Slots) {
        let mut seen = vec![false; graph.nodes.len()];
        let mut todo = vec![start];
        while let Some(node) = todo.pop() {
            if node == end || std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            for edge in &graph.nodes[node.0 as usize].edges {
                self.guard(&edge.guard, slots);
                match edge.effect {
                    Effect::Atomic(start, end) => todo.extend([start, end]),
                    ref effect => self.effect(effect, graph, slots),
                }
                todo.push(edge.target);
            }
        }
    }

    fn change(&mut self, resource: Resource) {
        self.reads.push(resource);
        self.writes.push(resource);
    }

    fn write(&mut self, place: &Place, slots: &Slots) {
        match place {
            Place::Var(var) => self.writes.push(Resource::Variable(var.0, 0)),
            Place::Element(var, index) => {
                read(index, slots, &mut self.reads);
                self.writes.extend(elements(var.0, index, slots));
            }
        }
    }
}

/// Every variable and element that the term reads.
fn read(term: &Term, slots: &Slots, found: &mut Vec<Resource>) {
    match term {
        Term::Int(_) | Term::Null | Term::Truth(_) => {}
        Term::Var(var) => found.push(Resource::Variable(var.0, 0)),
        Term::Element(var, index) => {
            found.extend(elements(var.0, index, slots));
            read(index, slots, found);
        }
        Term::Negative(inner) | Term::Not(inner) => read(inner, slots, found),
        Term::Binary(_, left, right) => {
            read(left, slots, found);
            read(right, slots, found);
        }
    }
}

/// The element, if the index is a constant; otherwise all.
fn elements(var: u32, index: &Term, slots: &Slots) -> impl Iterator<Item = Resource> {
    let all = 0..slots[var as usize].len();
    let range = match Number::new(index, slots) {
        Number::Const(Some(at)) if usize::try_from(at).is_ok_and(|at| all.contains(&at)) => {
            at as usize..at as usize + 1
        }
        _ => all,
    };
    range.map(move |element| Resource::Variable(var, element))
}
