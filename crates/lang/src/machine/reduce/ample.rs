//! The choice of an ample set of processes in one state.
//!
//! First sets of one process, then closed sets of several ([`super`] says what closed and ample mean).
//!
//! Promise: nothing is allocated; the same state gets the same set.

use super::super::access::Mask;
use super::super::{EdgeId, Machine};
use super::Reduction;
use selvedge_model::{Preserve, Steps, Word};

/// With more processes than this only sets of one process are tried.
const MAX_CLOSED: usize = 64;

/// For at most so many processes the tables are small.
const SMALL: usize = 8;

/// The choice in one state.
#[derive(Clone, Copy)]
pub(super) struct AmpleChoice<'a> {
    pub(super) machine: &'a Machine,
    pub(super) reduction: &'a Reduction,
    pub(super) preserve: Preserve,
    pub(super) state: &'a [Word],
}

/// What a process's steps in a state touch, or wait for.
#[derive(Clone, Copy, Debug, Default)]
struct CurrentAccess {
    reads: Mask,
    writes: Mask,
    /// How many steps are enabled.
    enabled: u32,
    /// Is one of the enabled steps visible, sticky or an error?
    is_never_ample: bool,
}

impl CurrentAccess {
    /// Can a process with these accesses change or enable these steps?
    #[inline]
    fn conflicts(&self, reads: Mask, writes: Mask) -> bool {
        writes & (self.reads | self.writes) | reads & self.writes != 0
    }
}

/// The resources that at least one process, and those that at least two processes, can still touch.
#[derive(Clone, Copy, Default)]
struct TouchedBy {
    one: Mask,
    two: Mask,
}

impl TouchedBy {
    #[inline]
    fn add(&mut self, mask: Mask) {
        self.two |= self.one & mask;
        self.one |= mask;
    }

    /// The resources that processes can touch other than the process that can touch these.
    #[inline]
    fn without(self, mask: Mask) -> Mask {
        self.two | self.one & !mask
    }
}

impl AmpleChoice<'_> {
    /// Adds the steps of an ample set; all steps that change the state if there is none.
    ///
    /// First tries processes at nodes where every step is local: such a process is ample whatever the others
    /// do.
    pub(super) fn add_steps(self, out: &mut Steps<EdgeId>) {
        let (mut reads, mut writes) = (TouchedBy::default(), TouchedBy::default());
        let start = out.len();
        let mut has_ample_step = false;
        let processes = self.machine.processes.len();
        for process in 0..processes {
            let node = &self.reduction.nodes[self.machine.node_of(process, self.state)];
            if node.is_local[self.preserve as usize] {
                self.add_steps_of(process, out);
                if out.len() > start && !(node.can_fault && self.machine.has_error(out, start)) {
                    return;
                }
                out.truncate(start);
            }
            has_ample_step |= node.has_ample_step;
            reads.add(node.future_reads);
            writes.add(node.future_writes);
        }
        if !has_ample_step {
            (0..processes).for_each(|process| self.add_steps_of(process, out));
        } else if processes <= SMALL {
            self.add_closed::<SMALL>((reads, writes), out);
        } else {
            self.add_closed::<MAX_CLOSED>((reads, writes), out);
        }
    }

    /// Adds the steps of each process in turn until one process is an ample set; and then looks for larger
    /// sets.
    fn add_closed<const MOST: usize>(self, (reads, writes): (TouchedBy, TouchedBy), out: &mut Steps<EdgeId>) {
        let start = out.len();
        let processes = self.machine.processes.len();
        let mover = |step: EdgeId| self.machine.code(step).process;
        let mut sets =
            ClosedSets::<MOST> { current: [CurrentAccess::default(); MOST], futures: [(0, 0); MOST] };
        for process in 0..processes {
            let before = out.len();
            self.add_steps_of(process, out);
            let number = self.machine.node_of(process, self.state);
            let node = &self.reduction.nodes[number];
            let current = self.current_access(number, (before, out));
            let others = (reads.without(node.future_reads), writes.without(node.future_writes));
            if current.enabled > 0 && !current.is_never_ample && !current.conflicts(others.0, others.1) {
                return out.retain(start, |edge| mover(edge) == process as u32);
            }
            if process < MOST {
                sets.current[process] = current;
                sets.futures[process] = (node.future_reads, node.future_writes);
            }
        }
        if processes <= MOST
            && let Some(ample) = sets.smallest_ample(processes)
        {
            out.retain(start, |edge| ample >> mover(edge) & 1 == 1);
        }
    }

    /// Adds the enabled steps of one process.
    #[inline]
    fn add_steps_of(self, process: usize, out: &mut Steps<EdgeId>) {
        let node = self.machine.nodes[self.machine.node_of(process, self.state)].clone();
        self.machine.visit_passable(node, self.state, &mut |edge, passed| {
            let is_idle = self.preserve == Preserve::States && self.reduction.steps[edge as usize].is_idle;
            if !is_idle || passed.is_err() {
                self.machine.push_successors(edge, passed, self.state, out);
            }
            true
        });
    }

    /// What the steps from a node touch or wait for. The enabled ones are the last of `out`, from a number
    /// on.
    #[inline]
    fn current_access(self, node: usize, (from, out): (usize, &Steps<EdgeId>)) -> CurrentAccess {
        let is_error = self.reduction.nodes[node].can_fault && self.machine.has_error(out, from);
        let mut enabled = out.actions(from);
        let mut current = CurrentAccess {
            enabled: enabled.len() as u32,
            is_never_ample: is_error,
            ..CurrentAccess::default()
        };
        for edge in self.machine.nodes[node].clone() {
            let step = &self.reduction.steps[edge as usize];
            // Steps come in the order of their edges; an `atomic` or an offer may have several.
            let is_own = |step: &&EdgeId| self.machine.own_edge(**step) == edge;
            let times = enabled.iter().take_while(is_own).count();
            for step in &enabled[..times] {
                self.add_partner(*step, &mut current);
            }
            enabled = &enabled[times..];
            if times > 0 {
                current.reads |= step.access.reads;
                current.writes |= step.access.writes;
                current.is_never_ample |=
                    step.is_never_ample || self.preserve == Preserve::FairRuns && step.can_block_or_wake;
            } else {
                current.reads |= step.access.enablers;
            }
        }
        current
    }

    /// Adds what the partner of a step of two processes touches.
    #[inline]
    fn add_partner(self, step: EdgeId, current: &mut CurrentAccess) {
        if let Some((_, accept)) = self.machine.meetings.pair(step) {
            let partner = &self.reduction.steps[accept as usize];
            current.reads |= partner.access.reads;
            current.writes |= partner.access.writes;
            current.is_never_ample |= partner.is_never_ample;
        }
    }
}

/// What each process's steps touch now, and what each process can read and write later.
struct ClosedSets<const MOST: usize> {
    current: [CurrentAccess; MOST],
    futures: [(Mask, Mask); MOST],
}

impl<const MOST: usize> ClosedSets<MOST> {
    /// The processes of an ample set with the fewest steps, one bit each.
    fn smallest_ample(&self, count: usize) -> Option<u64> {
        let bits = |has_bit: &dyn Fn(&CurrentAccess) -> bool| {
            (0..count).fold(0, |bits, process| bits | u64::from(has_bit(&self.current[process])) << process)
        };
        let enabled = bits(&|current| current.enabled > 0);
        // No ample set has one of these.
        let mut excluded = bits(&|current| current.enabled > 0 && current.is_never_ample);
        let mut best = None;
        for process in 0..count {
            if enabled & !excluded & 1 << process == 0 {
                continue;
            }
            match self.closure(process, count, excluded).filter(|set| enabled & !set != 0) {
                Some(set) => {
                    let members = (0..count).filter(|process| set >> process & 1 == 1);
                    let size: u32 = members.map(|process| self.current[process].enabled).sum();
                    best = best.filter(|(least, _)| *least <= size).or(Some((size, set)));
                }
                // A closed set with this process contains all of its closure.
                None => excluded |= 1 << process,
            }
        }
        best.map(|(_, set)| set)
    }

    /// The smallest closed set with this process; `None` if it has an excluded one.
    fn closure(&self, process: usize, count: usize, excluded: u64) -> Option<u64> {
        let mut set: u64 = 1 << process;
        let mut todo = set;
        while todo != 0 {
            let next = todo.trailing_zeros() as usize;
            todo &= todo - 1;
            let current = &self.current[next];
            for (other, (reads, writes)) in self.futures[..count].iter().enumerate() {
                let bit = 1 << other;
                if set & bit == 0 && current.conflicts(*reads, *writes) {
                    if excluded & bit != 0 {
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
