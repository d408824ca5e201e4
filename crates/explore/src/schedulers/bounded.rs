//! Bounded partial-order reduction: every outcome within bounds.
//!
//! If a step depends on an earlier step of another thread, the reduction adds a backtracking point: it tries
//! the thread of the later step before the earlier one. The context switch may be a pre-emption, which the
//! bound may forbid. So there is a second, *conservative* backtracking point at the start of the earlier
//! step's block, where a context switch costs nothing more. There are no sleep sets: the run that a sleep
//! set leaves out may cost less than the run that it relies on.
//!
//! Source: Coons, Musuvathi and McKinley, Bounded Partial-Order Reduction, OOPSLA 2013; Walker's thesis,
//! §5.6. More careful than both: *every* earlier step that a step depends on counts, not only the last one
//! of each thread, because the run in which an earlier one would be the last may exceed the bounds. Stopped
//! events count, too.
//!
//! Runs with exceptions between threads are not reduced. If pre-emptions are bounded, neither are runs in
//! which a thread waits for the commits of its own stores.
//!
//! Promise: finds every outcome that the same bounds allow without reduction. It may explore a trace more
//! than once.

use super::bounds::{Bounds, Cost, Exceeds};
use super::exhaustive::{Divergence, fingerprint};
use super::next_in_turn;
use crate::checkpoint::{Reader, write_event};
use crate::counts::{Counts, concerns_counts};
use crate::dependency::dependent;
use crate::event::{Action, Event, Kind, ReadsFrom, Site};
use crate::ids::{EventId, ThreadId};
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Bounded partial-order reduction.
#[derive(Clone, Debug)]
pub struct Bounded {
    bounds: Bounds,
    is_reduced: bool,
    nodes: Vec<Node>,
    /// The steps of each thread in the current run, in order. By thread, so that a step is not compared with
    /// the earlier steps of its own thread, which may be many.
    steps: Vec<(ThreadId, Vec<usize>)>,
    /// The number of executed steps of the current run.
    depth: usize,
    /// The number of steps of the path that the current run repeats.
    path_length: usize,
    /// Was the current run given up?
    is_run_cut: bool,
    /// Did a bound cut off any run, and did the pre-emption bound?
    has_cut: bool,
    has_cut_by_preemptions: bool,
    divergence: Option<Divergence>,
    /// With iterative deepening: the last pre-emption bound.
    deepens_to: Option<usize>,
}

#[derive(Clone, Debug)]
struct Node {
    enabled: Vec<Event>,
    fingerprint: u64,
    /// For each enabled event: is it to be explored?
    todo: Vec<bool>,
    /// For each enabled event: is it explored?
    done: Vec<bool>,
    /// The index of the current event.
    chosen: usize,
    /// The current event; with its effect once it is executed.
    event: Event,
    /// The cost of the run before the step.
    cost: Cost,
    /// The first step of the block that the step belongs to: the last step up to it at which a context
    /// switch cost nothing, because another thread had run before, or this thread had yielded. Commits
    /// belong to no block. Known once the step is executed.
    block_start: usize,
}

impl Node {
    /// Reads a node from a checkpoint; `cost` is the cost of the run before it.
    fn load(reader: &mut Reader<'_>, cost: Cost) -> Result<Node, String> {
        let (chosen, fingerprint, event) = (reader.number()?, reader.number()?, reader.event()?);
        let (mut enabled, mut todo, mut done) = (Vec::new(), Vec::new(), Vec::new());
        while reader.advance_if("enabled") {
            let [is_todo, is_done]: [u8; 2] = [reader.number()?, reader.number()?];
            todo.push(is_todo != 0);
            done.push(is_done != 0);
            enabled.push(reader.event()?);
        }
        if chosen >= enabled.len() {
            return Err(format!("there is no choice {chosen} of {}", enabled.len()));
        }
        Ok(Node { enabled, fingerprint, todo, done, chosen, event, cost, block_start: 0 })
    }
}

impl Bounded {
    /// With reduction.
    pub fn new(bounds: Bounds) -> Bounded {
        Bounded {
            bounds,
            is_reduced: true,
            nodes: Vec::new(),
            steps: Vec::new(),
            depth: 0,
            path_length: 0,
            is_run_cut: false,
            has_cut: false,
            has_cut_by_preemptions: false,
            divergence: None,
            deepens_to: None,
        }
    }

    /// Without reduction: executes each sequence of choices within the bounds once. The reference for
    /// [`Bounded::new`].
    pub fn exhaustive(bounds: Bounds) -> Bounded {
        Bounded { is_reduced: false, ..Bounded::new(bounds) }
    }

    /// Iterative deepening: first without pre-emptions, then with one, and so on up to the bound, or until
    /// no run is cut off. The first failure that is found has the fewest pre-emptions.
    pub fn deepening(bounds: Bounds) -> Bounded {
        let first = Bounds { preemptions: Some(0), ..bounds };
        Bounded { deepens_to: Some(bounds.preemptions.unwrap_or(usize::MAX)), ..Bounded::new(first) }
    }

    /// Do the bounds allow runs of any length?
    pub fn allows_unbounded_runs(&self) -> bool {
        self.bounds.yields.is_none() && self.bounds.length.is_none()
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

    /// Between two runs: an estimate of the fraction of all work that is left within the current bounds. See
    /// [`Dpor::remaining`](super::Dpor::remaining).
    pub fn remaining(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, node) in self.nodes.iter().enumerate() {
            let is_left = |index: &usize| node.todo[*index] && !node.done[*index];
            let current = usize::from(at + 1 < self.nodes.len());
            let here = (0..node.todo.len()).filter(is_left).count().saturating_sub(current);
            weight /= node.todo.iter().filter(|todo| **todo).count().max(1) as f64;
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
        let free = || next_in_turn(self.last(), allowed().filter(|event| !cost.preempts(event, enabled)));
        let chosen = commit.or_else(free).or_else(|| allowed().next());
        let chosen = chosen.map(|chosen| chosen.id);
        let Some(chosen) = chosen else {
            self.cut_run(enabled, &cost);
            return None;
        };
        let index = enabled.iter().position(|event| event.id == chosen)?;
        let mut todo = vec![!self.is_reduced; enabled.len()];
        if self.unblocks_last_thread(&enabled[index], enabled) {
            todo.fill(true);
            self.nodes.iter_mut().for_each(|node| node.todo.fill(true));
        }
        // A commit may enable its waiting owner, so the progress of the owner before the commit matters.
        let owner = self.bounds.preemptions.map(|_| chosen.thread.owner());
        for (event, todo) in enabled.iter().zip(&mut todo) {
            *todo |= event.thread() == chosen.thread || Some(event.thread()) == owner;
        }
        self.nodes.push(Node {
            enabled: enabled.to_vec(),
            fingerprint: fingerprint(enabled),
            todo,
            done: vec![false; enabled.len()],
            chosen: index,
            event: enabled[index],
            cost,
            block_start: 0,
        });
        Some(chosen)
    }

    /// Is the event a commit that the thread of the last step waits for? Before the commit a context switch
    /// costs nothing, and after it a pre-emption. So the position of an independent step can make a
    /// difference.
    fn unblocks_last_thread(&self, event: &Event, enabled: &[Event]) -> bool {
        let owner = event.thread().owner();
        event.action.kind == Kind::Commit
            && self.bounds.preemptions.is_some()
            && self.last().map(Event::thread) == Some(owner)
            && !enabled.iter().any(|other| other.thread() == owner)
    }

    /// The last executed event that is no commit.
    fn last(&self) -> Option<&Event> {
        self.nodes.iter().rev().map(|node| &node.event).find(|event| !event.thread().is_phantom())
    }

    /// The cost of the run so far.
    fn cost_here(&self) -> Cost {
        match self.nodes.last() {
            Some(before) => before.cost.after(&before.event, &before.enabled),
            None => Cost::default(),
        }
    }

    /// Every enabled event exceeds a bound: the run is given up.
    fn cut_run(&mut self, enabled: &[Event], cost: &Cost) {
        self.is_run_cut = true;
        self.has_cut = true;
        let by_preemptions =
            |event: &Event| cost.exceeds(event, enabled, &self.bounds) == Some(Exceeds::Preemptions);
        self.has_cut_by_preemptions |= enabled.iter().any(by_preemptions);
    }

    /// Adds a backtracking point: the events of this thread are to be explored at this step, or all events
    /// if the thread is not enabled there.
    fn add_backtracking_point(&mut self, step: usize, thread: ThreadId) {
        let node = &mut self.nodes[step];
        let is_enabled = node.enabled.iter().any(|event| event.thread() == thread);
        for (event, todo) in node.enabled.iter().zip(&mut node.todo) {
            *todo |= !is_enabled || event.thread() == thread;
        }
    }

    /// Adds the backtracking points of an event, executed or stopped after the steps so far.
    fn add_backtracking_points(&mut self, event: &Event) {
        if !self.is_reduced {
            return;
        }
        if matches!(event.action.kind, Kind::Throw | Kind::Raise) {
            // An exception depends on the progress of its target, and the context switch that lets the
            // target make progress may be free only at an independent step. So runs with exceptions are not
            // reduced.
            self.nodes[..self.depth].iter_mut().for_each(|node| node.todo.fill(true));
            return;
        }
        let is_fair = self.bounds.yields.is_some();
        let all = std::mem::take(&mut self.steps);
        let others = all.iter().filter(|(thread, _)| *thread != event.thread());
        for before in others.flat_map(|(_, steps)| steps).copied() {
            let Node { event: earlier, block_start, .. } = &self.nodes[before];
            let block_start = *block_start;
            let are_yields = is_fair && earlier.counts_as_yield() && event.counts_as_yield();
            if are_yields || dependent(&in_any_run(earlier), &in_any_run(event)) {
                self.add_backtracking_point(before, event.thread());
                self.add_backtracking_point(block_start, event.thread());
            }
        }
        self.steps = all;
    }

    /// Records the current step, which is executed: its block and its thread.
    fn record_step(&mut self, event: &Event) {
        let (thread, step) = (event.thread(), self.depth);
        let before = self.nodes[..step].iter().rposition(|node| node.event.action.kind != Kind::Commit);
        self.nodes[step].block_start = match before.map(|before| (before, &self.nodes[before])) {
            None => 0,
            Some((_, before)) if before.event.thread() == thread && !before.event.counts_as_yield() => {
                before.block_start
            }
            Some((before, _)) => before + 1,
        };
        match self.steps.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, steps)) => steps.push(step),
            None => self.steps.push((thread, vec![step])),
        }
    }

    /// Chooses the next event to be explored at the last node, within the bounds. Returns whether there is
    /// one.
    fn advance_last_node(&mut self) -> bool {
        let Some(node) = self.nodes.last_mut() else { return false };
        node.done[node.chosen] = true;
        for index in 0..node.enabled.len() {
            if node.done[index] || !node.todo[index] {
                continue;
            }
            match node.cost.exceeds(&node.enabled[index], &node.enabled, &self.bounds) {
                None => {
                    node.chosen = index;
                    node.event = node.enabled[index];
                    return true;
                }
                Some(bound) => {
                    node.done[index] = true;
                    self.has_cut = true;
                    self.has_cut_by_preemptions |= bound == Exceeds::Preemptions;
                }
            }
        }
        false
    }

    /// Panics, saying which invariant is broken. Tests call this after every step.
    #[doc(hidden)]
    pub fn validate(&self) {
        for (step, node) in self.nodes.iter().enumerate() {
            let Node { enabled, todo, done, chosen, .. } = node;
            assert_eq!(todo.len(), enabled.len(), "step {step} has an enabled event without todo entry");
            assert_eq!(done.len(), enabled.len(), "step {step} has an enabled event without done entry");
            let is_planned = done.iter().zip(todo).all(|(done, todo)| *todo || !done);
            assert!(is_planned, "step {step} explored an event that is not todo");
            assert!(todo[*chosen] && !done[*chosen], "the event of step {step} is not left to explore");
            assert_eq!(node.event.id, enabled[*chosen].id, "step {step} is another event");
            let exceeded = node.cost.exceeds(&enabled[*chosen], enabled, &self.bounds);
            assert_eq!(exceeded, None, "step {step} exceeds a bound");
        }
    }

    /// Iterative deepening: the next pre-emption bound, if the current one has cut off a run.
    fn deepen(&mut self) -> Next {
        let current = self.bounds.preemptions.unwrap_or(usize::MAX);
        match self.deepens_to {
            Some(most) if current < most && self.has_cut_by_preemptions => {
                self.bounds.preemptions = Some(current + 1);
                (self.has_cut, self.has_cut_by_preemptions) = (false, false);
                Next::Another
            }
            _ => Next::Done,
        }
    }
}

/// The event as if it read from memory, and as if it removed the last owner of a value: bounded reduction
/// does not know which store a load reads from in other interleavings, nor which removal is the last there.
fn in_any_run(event: &Event) -> Event {
    let mut event = *event;
    event.action.reads_from = ReadsFrom::Memory;
    if concerns_counts(event.action.kind) {
        event.effect.observed = Counts::default().to_bits();
    }
    event
}

impl Scheduler for Bounded {
    fn begin(&mut self) {
        self.depth = 0;
        self.path_length = self.nodes.len();
        self.steps.clear();
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
        if self.depth + 1 >= self.path_length {
            self.add_backtracking_points(event);
        }
        self.record_step(event);
        self.depth += 1;
    }

    fn stopped(&mut self, left: &[Event]) {
        for event in left {
            self.add_backtracking_points(event);
        }
        if self.is_run_cut {
            // The body would have returned in the end and stopped all other threads. Before some of their
            // independent steps the return might have been within the bounds.
            let id = EventId { thread: ThreadId::MAIN, alternative: 0 };
            let action = Action { is_final: true, ..Action::new(Kind::Return) };
            self.add_backtracking_points(&Event::pending(id, action, Site::Unknown));
        }
    }

    fn save(&self) -> Option<String> {
        let most = self.bounds.preemptions.map_or("-".to_owned(), |most| most.to_string());
        let mut text =
            format!("bounded {most} {} {}\n", u8::from(self.has_cut), u8::from(self.has_cut_by_preemptions));
        for node in &self.nodes {
            text.push_str(&format!("node {} {}", node.chosen, node.fingerprint));
            write_event(&mut text, &node.event);
            text.push('\n');
            for ((event, todo), done) in node.enabled.iter().zip(&node.todo).zip(&node.done) {
                text.push_str(&format!("enabled {} {}", u8::from(*todo), u8::from(*done)));
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
        self.bounds.preemptions = match reader.word()? {
            "-" => None,
            word => Some(word.parse().map_err(|_| format!("`{word}` is not a number"))?),
        };
        let [cut, by_preemptions]: [u8; 2] = [reader.number()?, reader.number()?];
        (self.has_cut, self.has_cut_by_preemptions) = (cut != 0, by_preemptions != 0);
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
        self.deepen()
    }
}
