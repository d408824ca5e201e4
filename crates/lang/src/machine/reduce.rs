//! Which steps stand for all: the reduced steps of a machine.
//!
//! The processes of a set C move and the others do not, where C is closed: if a process of C is in C, so is every other process that could,
//! on any way from where it is, touch what a step of that process touches, or do what a step waits for that cannot be taken. What others do
//! then commutes with C's steps, and adds none: C's steps are a persistent set (Godefroid, Partial-Order Methods for the Verification of
//! Concurrent Systems, 1996, chapter 4; in terms of Valmari's stubborn sets, a step that cannot be taken counts with a set of steps
//! that are necessary for it). C is good if it can move, does not take in everybody who can, and none of its steps is visible, sticky
//! ([`super::sticky`]) or an error. Of good sets the one with the fewest steps is taken; if there is none, all steps are.
//!
//! Who moved last, in exact mode, is no part of this: no step and no label depends on it if no property asks for it, so states that differ
//! in it alone have the same futures, and two orders of independent steps lead to states that differ in it at most. Deadlocks are then
//! the same but for who moved last. If a property does ask for it, every step is visible, and nothing is reduced.
//!
//! Promise: that of [`selvedge_model::reduce`]; nothing is allocated.

use super::access::{Access, Accesses, Mask};
use super::sticky::{Arc, sticky};
use super::{EdgeCode, EdgeId, EffectCode, Machine, Observed};
use selvedge_model::{Preserve, Steps, System, Word};

/// With more processes than this only sets of a single one are tried.
const MAX_CLOSED: usize = 64;

/// What is known of each place and step before any search.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    /// By node, all processes' nodes in a row.
    places: Vec<Place>,
    /// By edge.
    steps: Vec<Step>,
}

/// A node of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// What the process can still touch from here on.
    reads: Mask,
    writes: Mask,
    /// Do all steps from here touch nothing shared, and may they come first? For [`Preserve::Runs`] and [`Preserve::States`].
    is_local: [bool; 2],
    /// May some step from here come first?
    has_plain: bool,
    can_fault: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Step {
    access: Access<Mask>,
    /// It is visible or sticky: it is taken only where all steps are.
    is_last: bool,
    /// Where it can be taken it changes nothing, like a loop that waits: [`Preserve::States`] does without.
    is_idle: bool,
}

/// What a process's steps in a state touch, or wait for.
#[derive(Clone, Copy, Debug, Default)]
struct Demand {
    reads: Mask,
    writes: Mask,
    /// How many steps can be taken.
    count: u32,
    /// Can none of them come first?
    is_last: bool,
}

impl Demand {
    /// Can what the other may do matter to these steps?
    #[inline]
    fn conflicts(&self, reads: Mask, writes: Mask) -> bool {
        writes & (self.reads | self.writes) | reads & self.writes != 0
    }
}

/// The resources that at least one process, and those that at least two, can still touch.
#[derive(Clone, Copy, Default)]
struct Crowd {
    one: Mask,
    two: Mask,
}

impl Crowd {
    #[inline]
    fn add(&mut self, mask: Mask) {
        self.two |= self.one & mask;
        self.one |= mask;
    }

    /// What others can touch than one that can touch these.
    #[inline]
    fn without(self, mask: Mask) -> Mask {
        self.two | self.one & !mask
    }
}

impl Reduction {
    /// The tables for a machine; `None` if nothing can be reduced.
    pub(super) fn new(machine: &Machine, accesses: &Accesses, observed: &[Observed]) -> Option<Reduction> {
        let is_exec = |observed: &Observed| matches!(observed, Observed::Exec(_));
        if machine.processes.len() < 2 || observed.iter().any(is_exec) {
            return None;
        }
        let mut reduction = Reduction {
            places: vec![Place::default(); machine.nodes.len()],
            steps: accesses.shared.iter().map(|access| Step { access: *access, ..Step::default() }).collect(),
        };
        for process in 0..machine.processes.len() {
            reduction.find_last(machine, process, observed, &accesses.writes_observed);
            reduction.find_futures(machine, process);
        }
        Some(reduction)
    }

    /// Says which steps of the process are visible or sticky.
    fn find_last(
        &mut self,
        machine: &Machine,
        process: usize,
        observed: &[Observed],
        writes_observed: &[bool],
    ) {
        let graph = &machine.program.graphs[process];
        let says = |node: u32, statement| graph.nodes[node as usize].statements.contains(statement);
        let tells_apart = |one: u32, other: u32| {
            observed.iter().any(|observed| match observed {
                Observed::At(at, statement) if *at as usize == process => {
                    says(one, statement) != says(other, statement)
                }
                _ => false,
            })
        };
        let (mut arcs, mut edges) = (Vec::new(), Vec::new());
        for source in 0..graph.places as u32 {
            for edge in machine.edges_of(process, source) {
                let EdgeCode { target, ref effect, .. } = machine.edges[edge];
                // Nothing dies on the way from a place to itself, so that nothing is reset either.
                let does_nothing = matches!(effect, EffectCode::Nothing);
                self.steps[edge].is_idle = source == target && does_nothing;
                let is_visible = writes_observed[edge] || tells_apart(source, target);
                let access = self.steps[edge].access;
                let rank = (!is_visible).then_some((access.reads | access.writes).count_ones());
                arcs.push(Arc { source, target, rank });
                edges.push(edge);
            }
        }
        for (edge, is_sticky) in edges.into_iter().zip(sticky(graph.places, &arcs)) {
            self.steps[edge].is_last = is_sticky;
        }
    }

    /// Collects what the process can still touch from each of its places.
    fn find_futures(&mut self, machine: &Machine, process: usize) {
        let base = machine.processes[process].base as usize;
        let places = machine.program.graphs[process].places;
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); places];
        for node in 0..places {
            let edges = machine.edges_of(process, node as u32);
            let place = &mut self.places[base + node];
            place.is_local = [!edges.is_empty(); 2];
            for edge in edges {
                let Step { access, is_last, is_idle } = self.steps[edge];
                place.reads |= access.reads;
                place.writes |= access.writes;
                let is_private = access.reads | access.writes | access.wakers == 0;
                place.is_local[Preserve::Runs as usize] &= is_private && !is_last;
                place.is_local[Preserve::States as usize] &= is_private && (!is_last || is_idle);
                place.has_plain |= !is_last;
                place.can_fault |= machine.edges[edge].faults != 0;
                sources[machine.edges[edge].target as usize].push(node as u32);
            }
        }
        let mut todo: Vec<usize> = (0..places).collect();
        while let Some(node) = todo.pop() {
            let Place { reads, writes, .. } = self.places[base + node];
            for source in &sources[node] {
                let place = &mut self.places[base + *source as usize];
                if reads & !place.reads | writes & !place.writes != 0 {
                    place.reads |= reads;
                    place.writes |= writes;
                    todo.push(*source as usize);
                }
            }
        }
    }
}

impl Machine {
    /// The edges of a process's node, by number.
    fn edges_of(&self, process: usize, node: u32) -> std::ops::Range<usize> {
        let range = &self.nodes[(self.processes[process].base + node) as usize];
        range.start as usize..range.end as usize
    }

    /// Adds the steps of a good set of processes, or all.
    pub(super) fn add_reduced(
        &self,
        reduction: &Reduction,
        aim: Preserve,
        state: &[Word],
        out: &mut Steps<EdgeId>,
    ) {
        let start = out.len();
        let chooser = Chooser { machine: self, reduction, aim, state };
        chooser.add(out);
        if out.len() == start {
            // Nothing changes here, but there may be steps that change nothing.
            self.successors(state, out);
        }
    }

    pub(super) fn node_of(&self, process: usize, state: &[Word]) -> usize {
        let control = &self.processes[process];
        (control.base + control.field.get(state) as u32) as usize
    }

    fn has_error(&self, steps: &Steps<EdgeId>, from: usize) -> bool {
        (from..steps.len()).any(|index| self.error.get(steps.get(index).1) != 0)
    }
}

/// Chooses steps in a state.
#[derive(Clone, Copy)]
struct Chooser<'a> {
    machine: &'a Machine,
    reduction: &'a Reduction,
    aim: Preserve,
    state: &'a [Word],
}

impl Chooser<'_> {
    /// Tries processes that are at places where all is local, without looking at the others.
    fn add(self, out: &mut Steps<EdgeId>) {
        let (mut reads, mut writes) = (Crowd::default(), Crowd::default());
        let start = out.len();
        let mut has_plain = false;
        let processes = self.machine.processes.len();
        for process in 0..processes {
            let place = &self.reduction.places[self.machine.node_of(process, self.state)];
            if place.is_local[self.aim as usize] {
                self.add_steps(process, out);
                if out.len() > start && !(place.can_fault && self.machine.has_error(out, start)) {
                    return;
                }
                out.truncate(start);
            }
            has_plain |= place.has_plain;
            reads.add(place.reads);
            writes.add(place.writes);
        }
        if !has_plain {
            (0..processes).for_each(|process| self.add_steps(process, out));
        } else if processes <= SMALL {
            self.add_closed::<SMALL>((reads, writes), out);
        } else {
            self.add_closed::<MAX_CLOSED>((reads, writes), out);
        }
    }

    /// Adds the steps of each process in turn until one is a good set of its own; and then looks for larger sets.
    fn add_closed<const MOST: usize>(self, (reads, writes): (Crowd, Crowd), out: &mut Steps<EdgeId>) {
        let start = out.len();
        let processes = self.machine.processes.len();
        let mover = |edge: EdgeId| self.machine.edges[edge.0 as usize].process;
        let mut all = Demands::<MOST> { demands: [Demand::default(); MOST], futures: [(0, 0); MOST] };
        for process in 0..processes {
            let before = out.len();
            self.add_steps(process, out);
            let node = self.machine.node_of(process, self.state);
            let place = &self.reduction.places[node];
            let demand = self.demand(node, (before, out));
            let others = (reads.without(place.reads), writes.without(place.writes));
            if demand.count > 0 && !demand.is_last && !demand.conflicts(others.0, others.1) {
                return out.retain(start, |edge| mover(edge) == process as u32);
            }
            if process < MOST {
                all.demands[process] = demand;
                all.futures[process] = (place.reads, place.writes);
            }
        }
        if processes <= MOST
            && let Some(chosen) = all.smallest(processes)
        {
            out.retain(start, |edge| chosen >> mover(edge) & 1 == 1);
        }
    }

    /// Adds what one process can do.
    #[inline]
    fn add_steps(self, process: usize, out: &mut Steps<EdgeId>) {
        let node = self.machine.nodes[self.machine.node_of(process, self.state)].clone();
        self.machine.offered(node, self.state, &mut |edge, taken| {
            let is_idle = self.aim == Preserve::States && self.reduction.steps[edge as usize].is_idle;
            if !is_idle || taken.is_err() {
                self.machine.take(edge, taken, self.state, out);
            }
            true
        });
    }

    /// What the steps from a node ask for, of which those that can be taken are the last of `out`, from a number on.
    #[inline]
    fn demand(self, node: usize, (from, out): (usize, &Steps<EdgeId>)) -> Demand {
        let is_fault = self.reduction.places[node].can_fault && self.machine.has_error(out, from);
        let mut taken = out.actions(from);
        let mut demand = Demand { count: taken.len() as u32, is_last: is_fault, ..Demand::default() };
        for edge in self.machine.nodes[node].clone() {
            let step = &self.reduction.steps[edge as usize];
            // Steps come in the order of their edges, an `atomic` maybe several times.
            let times = taken.iter().take_while(|action| action.0 == edge).count();
            taken = &taken[times..];
            if times > 0 {
                demand.reads |= step.access.reads;
                demand.writes |= step.access.writes;
                demand.is_last |= step.is_last;
            } else {
                demand.reads |= step.access.wakers;
            }
        }
        demand
    }
}

/// So many processes are looked at in less space.
const SMALL: usize = 8;

/// All processes' demands, with what each can still touch: reads and writes.
struct Demands<const MOST: usize> {
    demands: [Demand; MOST],
    futures: [(Mask, Mask); MOST],
}

impl<const MOST: usize> Demands<MOST> {
    /// The processes of a good set with the fewest steps, as bits.
    fn smallest(&self, count: usize) -> Option<u64> {
        let bits = |is_one: &dyn Fn(&Demand) -> bool| {
            (0..count).fold(0, |bits, process| bits | u64::from(is_one(&self.demands[process])) << process)
        };
        let able = bits(&|demand| demand.count > 0);
        // No good set has one of these.
        let mut bad = bits(&|demand| demand.count > 0 && demand.is_last);
        let mut best = None;
        for process in 0..count {
            if able & !bad & 1 << process == 0 {
                continue;
            }
            match self.closed(process, count, bad).filter(|set| able & !set != 0) {
                Some(set) => {
                    let size = (0..count).filter(|process| set >> process & 1 == 1);
                    let size: u32 = size.map(|process| self.demands[process].count).sum();
                    best = best.filter(|(least, _)| *least <= size).or(Some((size, set)));
                }
                // A set with this process has all of its closed set.
                None => bad |= 1 << process,
            }
        }
        best.map(|(_, set)| set)
    }

    /// The smallest closed set with this process; `None` if it has a bad one.
    fn closed(&self, process: usize, count: usize, bad: u64) -> Option<u64> {
        let mut set: u64 = 1 << process;
        let mut todo = set;
        while todo != 0 {
            let next = todo.trailing_zeros() as usize;
            todo &= todo - 1;
            let demand = &self.demands[next];
            for (other, (reads, writes)) in self.futures[..count].iter().enumerate() {
                let bit = 1 << other;
                if set & bit == 0 && demand.conflicts(*reads, *writes) {
                    if bad & bit != 0 {
                        return None;
                    }
                    set |= bit;
                    todo |= bit;
                }
            }
        }
        Some(set)
    }
}
