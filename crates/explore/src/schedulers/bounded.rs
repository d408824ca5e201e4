//! Exhaustive search within bounds: the reference for the [bounded reduction](super::Dpor::bounded).
//!
//! Promise: executes each interleaving within the bounds once, and no other. There is no reduction.

use super::bounds::{Bounds, Cost};
use super::exhaustive::{Divergence, fingerprint};
use super::next_in_turn;
use crate::checkpoint::{Reader, write_event};
use crate::event::{Event, Kind};
use crate::ids::EventId;
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Every interleaving within bounds.
#[derive(Clone, Debug)]
pub struct Bounded {
    bounds: Bounds,
    nodes: Vec<Node>,
    /// The number of executed steps of the current run.
    depth: usize,
    /// Was the current run given up?
    is_run_cut: bool,
    /// Did a bound cut off any run?
    has_cut: bool,
    divergence: Option<Divergence>,
}

#[derive(Clone, Debug)]
struct Node {
    enabled: Vec<Event>,
    fingerprint: u64,
    /// For each enabled event: is it explored?
    done: Vec<bool>,
    /// The index of the current event.
    chosen: usize,
    /// The current event; with its effect once it is executed.
    event: Event,
    /// The cost of the run before the step.
    cost: Cost,
}

impl Node {
    /// Reads a node from a checkpoint; `cost` is the cost of the run before it.
    fn load(reader: &mut Reader<'_>, cost: Cost) -> Result<Node, String> {
        let (chosen, fingerprint, event) = (reader.number()?, reader.number()?, reader.event()?);
        let (mut enabled, mut done) = (Vec::new(), Vec::new());
        while reader.advance_if("enabled") {
            let is_done: u8 = reader.number()?;
            done.push(is_done != 0);
            enabled.push(reader.event()?);
        }
        if chosen >= enabled.len() {
            return Err(format!("there is no choice {chosen} of {}", enabled.len()));
        }
        Ok(Node { enabled, fingerprint, done, chosen, event, cost })
    }
}

impl Bounded {
    /// Starts with the first run.
    pub fn new(bounds: Bounds) -> Bounded {
        Bounded { bounds, nodes: Vec::new(), depth: 0, is_run_cut: false, has_cut: false, divergence: None }
    }

    /// The bounds.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Was the last run given up because every enabled event exceeded a bound?
    pub fn was_cut(&self) -> bool {
        self.is_run_cut
    }

    /// Did a bound cut off any run?
    pub fn has_cut(&self) -> bool {
        self.has_cut
    }

    /// The step at which the same choices led to other enabled events, if there is one.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Between two runs: an estimate of the fraction of all work that is left. See
    /// [`Dpor::remaining`](super::Dpor::remaining).
    pub fn remaining(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, node) in self.nodes.iter().enumerate() {
            let current = usize::from(at + 1 < self.nodes.len());
            let here = node.done.iter().filter(|done| !**done).count().saturating_sub(current);
            weight /= node.done.len().max(1) as f64;
            left += weight * here as f64;
        }
        left
    }

    /// The number of steps of the current path.
    pub fn depth(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node for a new step.
    fn new_node(&mut self, enabled: &[Event]) -> Option<EventId> {
        let cost = self.cost_here();
        let is_allowed = |event: &Event| cost.exceeds(event, enabled, &self.bounds).is_none();
        let allowed = || enabled.iter().filter(|event| is_allowed(event));
        let commit = allowed().find(|event| event.action.kind == Kind::Commit);
        let preempts = |event: &Event| cost.preempts(event, enabled, &self.bounds);
        let free = || next_in_turn(self.last(), allowed().filter(|event| !preempts(event)));
        let Some(chosen) = commit.or_else(free).or_else(|| allowed().next()) else {
            (self.is_run_cut, self.has_cut) = (true, true);
            return None;
        };
        let index = enabled.iter().position(|event| event.id == chosen.id)?;
        self.nodes.push(Node {
            enabled: enabled.to_vec(),
            fingerprint: fingerprint(enabled),
            done: vec![false; enabled.len()],
            chosen: index,
            event: enabled[index],
            cost,
        });
        Some(enabled[index].id)
    }

    /// The last executed event that is no commit.
    fn last(&self) -> Option<&Event> {
        self.nodes.iter().rev().map(|node| &node.event).find(|event| !event.thread().is_phantom())
    }

    /// The cost of the run so far.
    fn cost_here(&self) -> Cost {
        match self.nodes.last() {
            Some(before) => before.cost.after(&before.event, &before.enabled, &self.bounds),
            None => Cost::default(),
        }
    }

    /// Chooses the next event to be explored at the last node, within the bounds. Returns whether there is
    /// one.
    fn advance_last_node(&mut self) -> bool {
        let Some(node) = self.nodes.last_mut() else { return false };
        node.done[node.chosen] = true;
        for index in 0..node.enabled.len() {
            if node.done[index] {
                continue;
            }
            if node.cost.exceeds(&node.enabled[index], &node.enabled, &self.bounds).is_none() {
                node.chosen = index;
                node.event = node.enabled[index];
                return true;
            }
            node.done[index] = true;
            self.has_cut = true;
        }
        false
    }

    /// Panics, saying which invariant is broken. Tests call this after every step.
    #[doc(hidden)]
    pub fn validate(&self) {
        for (step, node) in self.nodes.iter().enumerate() {
            let Node { enabled, done, chosen, .. } = node;
            assert_eq!(done.len(), enabled.len(), "step {step} has an enabled event without done entry");
            assert!(!done[*chosen], "the event of step {step} is not left to explore");
            assert_eq!(node.event.id, enabled[*chosen].id, "step {step} is another event");
            let exceeded = node.cost.exceeds(&enabled[*chosen], enabled, &self.bounds);
            assert_eq!(exceeded, None, "step {step} exceeds a bound");
        }
    }
}

impl Scheduler for Bounded {
    fn begin(&mut self) {
        self.depth = 0;
        self.is_run_cut = false;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if self.depth == self.nodes.len() {
            return self.new_node(enabled);
        }
        let node = &self.nodes[self.depth];
        if (node.enabled.len(), node.fingerprint) != (enabled.len(), fingerprint(enabled)) {
            let expected = node.event.light();
            self.divergence = Some(Divergence::new(self.depth, expected, node.enabled.len(), enabled));
            return None;
        }
        Some(node.enabled[node.chosen].id)
    }

    fn done(&mut self, event: &Event) {
        self.nodes[self.depth].event = *event;
        self.depth += 1;
    }

    fn save(&self) -> Option<String> {
        let mut text = format!("bounded {}\n", u8::from(self.has_cut));
        for node in &self.nodes {
            text.push_str(&format!("node {} {}", node.chosen, node.fingerprint));
            write_event(&mut text, &node.event);
            text.push('\n');
            for (event, done) in node.enabled.iter().zip(&node.done) {
                text.push_str(&format!("enabled {}", u8::from(*done)));
                write_event(&mut text, event);
                text.push('\n');
            }
        }
        Some(text)
    }

    fn load(&mut self, saved: &str) -> Result<(), String> {
        let mut reader = Reader::new(saved);
        if !reader.advance_if("bounded") {
            return Err("the bounds are missing".to_owned());
        }
        let has_cut: u8 = reader.number()?;
        self.has_cut = has_cut != 0;
        while reader.advance_if("node") {
            let cost = self.cost_here();
            self.nodes.push(Node::load(&mut reader, cost)?);
        }
        reader.next_line().map_or(Ok(()), |other| Err(format!("`{other}` does not belong here")))
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if self.divergence.is_some() {
            return Next::Done;
        }
        self.nodes.truncate(self.depth);
        while !self.nodes.is_empty() {
            if self.advance_last_node() {
                return Next::Another;
            }
            self.nodes.pop();
        }
        Next::Done
    }
}
